"""What of the template is removed: whole rows, sentences and listings, and nothing that is preserved."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cssselect import SelectorError
from made_sites import NUMBERS, STRANGER, body_of, learn, left, matches, own, page, site

from templex_scrapy import Template
from templex_scrapy.template.removal import LISTING


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


# --- tables ---


@pytest.mark.parametrize("cells", ["<td>Goals</td><td>0</td>", "<td><b>Goals</b></td><td><i>0</i> and</td>"])
def test_a_cell_of_a_plain_row_is_kept_with_its_row(cells):
    body = lambda n: f"<table><tr>{cells}<td>{n}</td></tr></table>"  # noqa: E731
    assert left(body) == stays(body)


def test_a_row_that_is_all_the_same_goes():
    fixed = "<tr><th>Player</th><th>Goals</th></tr>"
    body = lambda n: f"<table>{fixed}<tr><td>Name {n}</td><td>0</td></tr></table>"  # noqa: E731
    assert left(body) == [body(n).replace(fixed, "") for n in NUMBERS]


def test_a_layout_table_is_no_plain_row():
    body = lambda n: f"<table><tr><td><div>Fixed words</div></td><td><div>article {n}</div></td></tr></table>"  # noqa: E731
    for number, cleaned in zip(NUMBERS, left(body), strict=True):
        assert "Fixed words" not in cleaned
        assert f"article {number}" in cleaned


# --- running text ---


@pytest.mark.parametrize(
    "sentence",
    [
        "<li>Heat to <b>{0}</b> degrees and do not stir for ten minutes.</li>",
        '<p>The <a href="/kettle">kettle</a> came to the kitchen in {0}, as <i>the</i> others did</p>',
        "<div>Written by <span>the miller</span> for his heirs on <span>{0} May</span></div>",
        "<p>水車は<b>{0}</b>年に建てられた。</p>",
    ],
)
def test_a_sentence_goes_whole_or_not_at_all(sentence):
    body = lambda n: f"<div>{sentence.format(n)}</div>"  # noqa: E731
    assert left(body) == stays(body)


def test_links_in_a_row_are_no_sentence():
    """The page's own name in a menu keeps none of the menu, however many words a link has."""
    menu = "".join(f'<a href="/{k}">Another of our many pages {k}</a> | ' for k in range(4))
    for number, cleaned in zip(NUMBERS, left(lambda n: f"<nav>{menu}Page {n}</nav>"), strict=True):
        assert "Another" not in cleaned
        assert f"Page {number}" in cleaned


def test_what_holds_more_than_text_is_no_sentence():
    body = lambda n: f"<div>Welcome to the mill of old <p>article {n}</p></div>"  # noqa: E731
    for cleaned in left(body):
        assert "Welcome" not in cleaned


# --- listings ---


def row(number: int, index: int) -> str:
    return f'<li class="topic">replies <b>topic{number}x{index}</b> by <i>author</i></li>'


def body(rows: int) -> Callable[[int], str]:
    return lambda number: "<ul>" + "".join(row(number, index) for index in range(rows)) + "</ul>"


@pytest.mark.parametrize("which", range(3), ids=["key page", "voter", "stranger"])
def test_labels_in_many_rows_stay(which: int) -> None:
    match = matches(body(LISTING))[which]
    assert match.fits
    assert match.clean.text.count("replies") == match.clean.text.count("author") == LISTING
    assert "menu entry 1" not in match.clean.text


@pytest.mark.parametrize("which", range(3), ids=["key page", "voter", "stranger"])
def test_labels_in_a_few_rows_go(which: int) -> None:
    """A box with some facts about the page is no listing."""
    match = matches(body(LISTING - 1))[which]
    assert "author" not in match.clean.text
    assert match.clean.text.count("topic") == LISTING - 1


def test_rows_are_no_template_nodes() -> None:
    pages = site(body(LISTING))
    template = learn(pages)
    listed = {node.position for node in pages[0].nodes if "topic" in node.element.get("class", "")}
    assert len(listed) >= LISTING
    assert not listed & template.nodes
    assert not listed & template.match(pages[STRANGER]).nodes


def test_a_long_menu_goes() -> None:
    """Its entries have no words of the page's own, however many they are."""
    menu = "".join(f'<li class="entry"><a href="/m{i}">entry {i}</a></li>' for i in range(3 * LISTING))
    for match in matches(lambda _: f"<ul>{menu}</ul>"):
        assert "entry 7" not in match.clean.text


def test_a_row_without_words_of_its_own_goes() -> None:
    """The heading of a table is of the kind of its rows."""
    head = '<li class="topic">subject and author of the thread</li>'
    for match in matches(lambda number: f"<ul>{head}{body(LISTING)(number)[4:-5]}</ul>"):
        assert "subject" not in match.clean.text
        assert match.clean.text.count("replies") == LISTING


def test_siblings_of_several_kinds_are_no_listing() -> None:
    """Ten blocks of a page, each made in its own way, may all hold a word that changes."""
    blocks = lambda number: "".join(  # noqa: E731
        f'<div class="block{i}">Opening hours <b>day{number}x{i}</b></div>' for i in range(LISTING)
    )
    for match in matches(blocks):
        assert "Opening hours" not in match.clean.text


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
