"""Selectors of what is removed and of the main content: they hold on pages that had no part in them."""

import pytest
from helpers.growth import growth
from helpers.made_sites import page
from lxml.cssselect import CSSSelector

from templex_scrapy import Page, Template
from templex_scrapy.page import nodes_of
from templex_scrapy.template import PageSelector, selector_of
from templex_scrapy.template.selectors import LEAST_SHARE, MOST, _selected, removed_selectors

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


@pytest.mark.parametrize("tag", ["span", "div"])
def test_texts_in_deep_elements_take_linear_time(tag):
    def read(size):
        deep = f"<{tag}>" * (size // 8) + "word<br>" * size
        template = Template.from_pages(*_site(deep))
        assert template.selectors() == []
        return template.removed_texts

    assert growth(read, 8_000) < 3


def test_selectors_select_what_a_browser_selects():
    inner = "<b>1</b><b class='x y'>2</b><i id=top>3</i><i class=x>4</i><a class='y x'>5</a>"
    tree = page(f"<div class=box>{inner}</div><div id=box><p>{inner}</p></div><div class='box x'>{inner}</div>{inner}")
    arrays = nodes_of(tree)
    elements = [at for at, text in enumerate(arrays.texts) if text is None]
    selectors = [css for css in {selector_of(arrays, at) for at in elements} if css]
    found = {css: [at for at, some in _selected(arrays, selectors) if css in some] for css in selectors}
    of_elements = {node.element: node.position for node in tree.nodes if node.text is None}
    assert found == {css: [of_elements[one] for one in CSSSelector(css)(tree.root)] for css in selectors}
    assert len(found) > 9


def test_a_long_name_is_in_no_selector():
    long = "n" * 101
    arrays = nodes_of(page(f"<div id={long[:100]}><p>word</div><div id={long}><p>word</div>"))
    assert [selector_of(arrays, at) for at in arrays.positions("p")] == [f"div#{long[:100]} p", ""]


def _site(body):
    first, *others = (page(body.replace("{0}", str(n)), f"https://site.test/{n}") for n in range(4))
    return first, others


def test_a_selector_is_a_name_of_the_element_or_its_tag_in_the_nearest_element_with_a_name():
    """Names with figures are left out."""
    source = (
        '<div id="post-17" class="box md:flex"><table><tr><td>a</td></tr></table><p class="b c-d e">b</p>'
        '<em id="note">c</em><x-y>e</x-y></div><section><i>d</i></section>'
    )
    one = Page(f'<body class="shop">{source}</body>', "https://site.test/")
    arrays = nodes_of(one)
    selectors = {text: selector_of(arrays, arrays.parents[at]) for at, text in enumerate(arrays.texts) if text}
    assert selectors == {"a": "div.box td", "b": "p.b.c-d", "c": "em#note", "e": "div.box x-y", "d": "body.shop i"}
    for text, selector in selectors.items():
        assert one.css(f"{selector}::text").getall() == [text]
