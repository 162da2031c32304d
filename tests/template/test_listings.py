"""Rows of listings: what recurs in row after row of content is part of the rows, and stays."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from made_sites import STRANGER, learn, matches, site

from templex_scrapy.template.key_page import LISTING


def row(number: int, index: int) -> str:
    return f'<li class="topic">replies <b>topic{number}x{index}</b> by <i>author</i></li>'


def body(rows: int) -> Callable[[int], str]:
    return lambda number: "<ul>" + "".join(row(number, index) for index in range(rows)) + "</ul>"


@pytest.mark.parametrize("which", range(3), ids=["key page", "voter", "stranger"])
def test_labels_in_many_rows_stay(which: int) -> None:
    match = matches(body(LISTING))[which]
    assert match.fits
    assert match.text().count("replies") == match.text().count("author") == LISTING
    assert "menu entry 1" not in match.text()


@pytest.mark.parametrize("which", range(3), ids=["key page", "voter", "stranger"])
def test_labels_in_a_few_rows_go(which: int) -> None:
    """A box with some facts about the page is no listing."""
    match = matches(body(LISTING - 1))[which]
    assert "author" not in match.text()
    assert match.text().count("topic") == LISTING - 1


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
        assert "entry 7" not in match.text()


def test_a_row_without_words_of_its_own_goes() -> None:
    """The heading of a table is of the kind of its rows."""
    head = '<li class="topic">subject and author of the thread</li>'
    for match in matches(lambda number: f"<ul>{head}{body(LISTING)(number)[4:-5]}</ul>"):
        assert "subject" not in match.text()
        assert match.text().count("replies") == LISTING


def test_siblings_of_several_kinds_are_no_listing() -> None:
    """Ten blocks of a page, each made in its own way, may all hold a word that changes."""
    blocks = lambda number: "".join(  # noqa: E731
        f'<div class="block{i}">Opening hours <b>day{number}x{i}</b></div>' for i in range(LISTING)
    )
    for match in matches(blocks):
        assert "Opening hours" not in match.text()
