"""What of the template is removed, and nothing that is preserved. What belongs to the content: test_kept_parts."""

from __future__ import annotations

import pytest
from cssselect import SelectorError
from made_sites import NUMBERS, STRANGER, body_of, learn, left, own, page, site
from parsel import Selector

from templex_scrapy import Page, Template
from templex_scrapy.template import selector_of


def stays(body) -> list[str]:
    """What :func:`left` returns where nothing of the body goes."""
    return [body(number) for number in NUMBERS]


@pytest.mark.parametrize("tag", ["iframe", "noscript"])
def test_what_is_no_node_stays_even_where_all_around_it_goes(tag):
    """Nobody has compared what it holds."""
    held = f'<{tag} src="/same">same</{tag}>'
    for cleaned in left(lambda _: f"<div><div>Fixed words {held} and others</div></div>"):
        assert cleaned == f"<div><div>{held}</div></div>"


def test_a_rule_or_a_spacer_alone_is_kept():
    body = lambda n: f"<p>own {n}</p><hr><br><p>and {n}</p>"  # noqa: E731
    assert left(body) == stays(body)


# --- preserve ---


FOOT = '<div class="foot"><p class="imprint">Imprint <b>here</b></p><p>All rights reserved</p></div>'


def test_what_a_selector_matches_stays_with_what_it_holds_and_what_holds_it():
    assert (
        left(lambda _: FOOT, preserve=[".imprint"])
        == ['<div class="foot"><p class="imprint">Imprint <b>here</b></p></div>'] * 3
    )


def test_several_selectors_and_one_that_matches_nothing():
    assert (
        left(lambda _: FOOT, preserve=[".none", "p:not(.imprint)", "b"])
        == ['<div class="foot"><p class="imprint"><b>here</b></p><p>All rights reserved</p></div>'] * 3
    )


@pytest.mark.parametrize("selector", ["body", "html", ":root", "*"])
def test_what_contains_the_body_preserves_all(selector):
    pages = site(lambda _: FOOT)
    match = learn(pages).match(pages[STRANGER], preserve=[selector])
    assert match.removable == frozenset()
    assert match.clean.html == pages[STRANGER].text
    assert match.nodes == learn(pages).match(pages[STRANGER]).nodes, "it is template all the same"


@pytest.mark.parametrize("tag", ["script", "style", "template"])
@pytest.mark.parametrize("selector", ["{}", '{}[type="application/ld+json"]', ".foot > {}"])
def test_what_is_no_node_can_be_preserved(tag, selector):
    """It is kept with its ancestors; what is beside it is removed."""
    kept = f'<{tag} type="application/ld+json">{{"price": 1}}</{tag}>'
    body = f'<div><div class="foot">All rights reserved{kept}<b>Imprint</b></div><p>Contact</p></div>'
    assert left(lambda _: body, preserve=[selector.format(tag)]) == [f'<div><div class="foot">{kept}</div></div>'] * 3


def test_what_is_preserved_in_the_head_keeps_nothing_in_the_body():
    pages = site(lambda _: FOOT, head="<!DOCTYPE html><html><head><script>x()</script></head>")
    assert body_of(learn(pages).match(pages[STRANGER], preserve=["script", "head"]).clean.html) == own(STRANGER)


@pytest.mark.parametrize("selector", ["P.imprint", "p[CLASS=imprint]", "*|p", "|p", "[*|class]", ".imprint, .none"])
def test_selectors_in_any_case_and_of_any_or_no_namespace(selector):
    assert all("Imprint" in each for each in left(lambda _: FOOT, preserve=[selector]))
    assert all("Imprint" in each for each in left(lambda _: FOOT, preserve=selector))


@pytest.mark.parametrize("selector", ["", "!!", "a:contains(", "a::text", "p >", "svg|a", "p:not(svg|a)"])
def test_what_is_no_selector_is_refused_whether_the_page_fits_or_not(selector):
    pages = site(lambda _: FOOT)
    for template in (learn(pages), Template.from_pages(page(""), [])):
        for each in (pages[STRANGER], page("<div>" * 3_000)):
            with pytest.raises(SelectorError):
                template.match(each, preserve=[selector])


def test_selectors_select_their_element():
    """A name of the element, or its tag in the nearest element with a name; names with figures are left out."""
    source = (
        '<div id="post-17" class="box md:flex"><table><tr><td>a</td></tr></table><p class="b c-d e">b</p>'
        '<em id="note">c</em><x-y>e</x-y></div><section><i>d</i></section>'
    )
    page = Page(f"<body>{source}</body>", "https://site.test/")
    selectors = {
        text: selector_of(page.arrays, page.arrays.parents[at])
        for at, text in enumerate(page.arrays.texts)
        if text is not None
    }
    assert selectors == {"a": "div.box td", "b": "p.b.c-d", "c": "em#note", "e": "div.box x-y", "d": ""}
    for text, selector in selectors.items():
        assert not selector or Selector(page.text).css(f"{selector}::text").getall() == [text]
