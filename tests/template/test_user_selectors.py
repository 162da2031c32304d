"""What the user's selectors keep and remove."""

import pytest
from cssselect import SelectorError
from helpers.made_sites import NUMBERS, STRANGER, body_of, learn, left, own, page, site

from templex_scrapy import Match, Template
from templex_scrapy.template import Selectors

FOOT = '<div class="foot"><p class="imprint">Imprint <b>here</b></p><p>All rights reserved</p></div>'


IMPRINT_KEPT = '<div class="foot"><p class="imprint">Imprint <b>here</b></p></div>'
BOLD_KEPT = '<div class="foot"><p class="imprint"><b>here</b></p><p>All rights reserved</p></div>'


@pytest.mark.parametrize(
    ("preserve", "kept"),
    [
        ([".imprint"], IMPRINT_KEPT),
        (".imprint", IMPRINT_KEPT),
        ([".none", "p:not(.imprint)", "b"], BOLD_KEPT),
        # in any case, and of any or no namespace
        *((selector, IMPRINT_KEPT) for selector in ("P.imprint", "p[CLASS=imprint]", ".imprint, .none")),
        (".foot [*|class]", IMPRINT_KEPT),
        ("p:contains('Imprint')", IMPRINT_KEPT),
        ("p[class], [href='a:b'], o\\:p", FOOT.replace("<p>All rights reserved</p>", "")),
        *(([selector], FOOT) for selector in ("*|p", "|p")),
    ],
)
def test_what_a_selector_matches_stays_with_what_it_holds_and_what_holds_it(preserve, kept):
    assert left(lambda _: FOOT, preserve=preserve) == [kept] * 3


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


@pytest.mark.parametrize("selector", ["", "!!", "a:contains(", "a::text", "p >", "svg|a", "svg|*", "p:not(svg|a)"])
def test_what_is_no_selector_is_refused_whether_the_page_fits_or_not(selector):
    pages = site(lambda _: FOOT)
    for template in (learn(pages), Template.from_pages(page(""), [])):
        for each in (pages[STRANGER], page("<div>" * 3_000)):
            with pytest.raises(SelectorError):
                template.match(each, preserve=[selector])


# --- remove ---


def notes(number):
    return f'<p class="note">Note {number}</p><hr><p>and {number}</p>'


def test_what_a_selector_removes_goes_although_it_is_the_pages_own():
    assert left(notes, remove=[".note"]) == [f"<hr><p>and {number}</p>" for number in NUMBERS[:3]]
    assert left(notes, remove=[".none"]) == [notes(number) for number in NUMBERS[:3]]


@pytest.mark.parametrize(
    ("html", "selectors", "rest"),
    [
        (notes(1) + "<p>x</p>", [".note", "p:last-child"], "<hr><p>and 1</p>"),
        # with all that it holds, and without anything to see
        (
            '<p class="ad"><iframe src="/x"></iframe></p><p>own</p><hr><i><b></b></i>',
            [".ad", "hr", "b"],
            "<p>own</p><i></i>",
        ),
    ],
)
def test_it_goes_from_pages_that_fit_no_template(html, selectors, rest):
    assert body_of(Match(page(html), selectors=Selectors([], selectors)).clean.html) == rest


def test_what_is_preserved_is_not_removed():
    template = Template.from_pages(page(""), [])
    one = page("<main><p>a</p><p class=x>b <i>c</i></p><p>d</p></main>")
    clean = template.match(one, preserve=[".x"], remove=["main"]).clean
    assert body_of(clean.html) == '<main><p class="x">b <i>c</i></p></main>'


@pytest.mark.parametrize("selector", ["body", "html", "script", "head", "iframe", "*"])
def test_the_body_and_what_is_no_node_stay(selector):
    html = "<script>x()</script><p>own</p><iframe src=x></iframe>"
    match = Match(page(html), selectors=Selectors([], [selector]))
    assert match.clean.html == page(html).text
    assert match.clean.kept_whole is (selector == "*"), "nothing would be left"
    assert match.selection is not None
    assert match.selection.matched == ({"*"} if selector == "*" else set())


def test_what_is_removed_is_no_content():
    story = "<p>" + "Many words of a story that is told here. " * 30 + "</p>"
    one = page(f'<main><h1>Story</h1>{story}<p class="note">Subscribe to our letters today</p>{story}</main>')
    assert "Subscribe" in Match(one).clean.content_text
    clean = Match(one, selectors=Selectors([], [".note"])).clean
    assert "Subscribe" not in clean.content_text
    assert clean.content_text.count("Many words") == 60


def test_a_page_that_the_parser_cuts_stays():
    one = page("<div>" * 3_000 + "<p>own</p><b>x</b>")
    match = Match(one, selectors=Selectors([], ["b"]))
    assert (match.clean.html, match.clean.removed, match.selection) == (one.text, (), None)
