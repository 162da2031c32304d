"""Selectors of what is removed and of the main content: they hold on pages that had no part in them."""

import pytest
from made_sites import page

from templex_scrapy import Page, Template
from templex_scrapy.page import nodes_of
from templex_scrapy.template import PageSelector
from templex_scrapy.template.selectors.exported_selectors import LEAST_SHARE, MOST, removed_selectors

FOOT = '<div class="foot"><p>All rights reserved</p></div>'


def body(number):
    return f'<div id="content"><h2>Head {number}</h2><p>{f"Words of page {number}. " * 20}</p></div>{FOOT}'


def article(number, around="{}"):
    """A page whose own words are all in one element."""
    menu = '<ul class="nav"><li><a href="/a">Home</a></li><li><a href="/b">Contact</a></li></ul>'
    return page(menu + around.format(body(number)), f"https://site.test/{number}.html")


def selected(pages):
    return {css: part for css, part, _ in Template.from_pages(pages[0], pages[1:]).selectors()}


def test_what_is_removed_and_what_is_the_content():
    template = Template.from_pages(article(0), [article(number) for number in range(1, 4)])
    assert template.selectors() == [
        PageSelector("ul.nav", "removed", 1.0),
        PageSelector("div.foot", "removed", 1.0),
        PageSelector("div#content", "content", 1.0),
    ]
    assert Template.from_dict(template.to_dict()).selectors() == template.selectors()
    clean = template.match(article(9)).clean
    for css, part, _ in template.selectors():
        assert bool(clean.css(css)) == (part == "content"), "on a page that had no part in it"


def test_what_selects_something_else_as_well_is_left_out():
    pages = [
        article(number, f'{{}}<p class="foot">Own {number} {number}</p><div class="foot">Own {number}</div>')
        for number in range(4)
    ]
    assert set(selected(pages)) == {"ul.nav"} | ({"div#content"} & set(selected(pages)))


@pytest.mark.parametrize(("having", "is_there"), [(9, True), (8, False)])
def test_what_too_few_pages_have_is_left_out(having, is_there):
    pages = [article(number, "{}<div class='note'>A note</div>" if number < having else "{}") for number in range(10)]
    assert having / 10 >= LEAST_SHARE or not is_there
    assert ("div.note" in selected(pages)) == is_there


def test_a_content_that_is_found_twice_has_no_selector():
    pages = [article(number).text.replace('id="content"', 'class="box"') for number in range(4)]
    twice = [
        Page(text.replace("<body>", '<body><div class="box"></div>'), f"https://site.test/{n}.html")
        for n, text in enumerate(pages)
    ]
    assert "content" in selected([Page(text, f"https://site.test/{n}.html") for n, text in enumerate(pages)]).values()
    assert "content" not in selected(twice).values()


@pytest.mark.parametrize("notes", [MOST, MOST + 1])
def test_there_are_a_hundred_of_what_is_removed_at_most(notes):
    arrays = nodes_of(page("".join(f"<p class={'a' * note}>Note</p>" for note in range(1, notes + 1))))
    found = removed_selectors(arrays, arrays.children(0), [4] * len(arrays.sizes), 4)
    assert [selector.css for selector in found] == [f"p.{'a' * note}" for note in range(1, MOST + 1)]


def test_without_voters_there_are_none():
    assert Template.from_pages(article(0), [article(1)]).selectors() == []
    assert Template.from_pages(article(0), []).selectors() == []
