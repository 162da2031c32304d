"""MenEx: the weights and Algorithms 1 and 2 worked out by hand, a literal version, odd pages, real sites."""

from __future__ import annotations

import pytest
import strategies
from detector_cases import ODD, lines_run, odd_pages, page
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy.page import Page
from templex_scrapy.papers import detect_menu, menex

URL = "https://site.test/"


def weights(tested: Page) -> menex._Weights:
    return menex._Weights(tested._arrays)


# --- Definition 5.2.1 by hand --------------------------------------------------------------------

# body 0, ul 1, li 2, a 3, text 4, li 5, a 6, text 7, p 8, text 9
SMALL = page('<ul><li><a href="x">x</a></li><li><a href="y">y</a></li></ul><p>nine more</p>')


def test_weights_are_those_of_the_definition() -> None:
    found = weights(SMALL).weights
    assert found[0] == pytest.approx(0.3 / 2 + 0.05 * 11 / 18 + 0 + 0.25)
    assert found[1] == pytest.approx(0.3 / 2 + 0.05 * 8 / 12 + 0.1 + 0.15 + 0.25 * 0.9)
    assert found[2] == pytest.approx(0 + 0 + 0.1 + 0.25 * 0.8)
    assert found[8] == pytest.approx(0 + 0 + 0 + 0.25 * 0.2)
    assert [found[leaf] for leaf in (4, 7, 9)] == [0, 0, 0]


def test_text_is_the_root_of_the_share() -> None:
    """The page has 36 characters outside hyperlinks, the first p 9 of them, the ul none."""
    tested = page('<ul><li><a href="x">link</a></li></ul><p>nine  more</p><p>ab cd efg hi jk lm nop qr s</p>')
    assert [weights(tested).texts[node] for node in (0, 1, 5)] == [0, 1, 1 - 3 / 6]


@pytest.mark.parametrize(
    ("attributes", "named"),
    [
        ('class="menu"', True),
        ('id="nav"', True),
        ('class="nav x"', True),
        ('class="menu-main"', True),
        ('id="topNav"', True),
        ('class="wy-menu-vertical"', True),
        ('class="MENU"', True),
        ('class="unavailable"', False),
        ('class="documents"', False),
        ('title="menu"', False),
    ],
)
def test_names_have_a_word(attributes: str, named: bool) -> None:
    assert menex._is_named(page(f"<div {attributes}>x</div>")._arrays.start_tag(1)) == named


# --- Algorithms 1 and 2 by hand ------------------------------------------------------------------


def test_the_list_of_links_is_the_menu() -> None:
    assert detect_menu(SMALL) == 1


def test_the_way_leads_up_over_single_children_without_choosing_them() -> None:
    """Example 5.2.2: inner ul, li, ul, div with one child, div with two; the outer ul is the menu."""
    tested = page("<div><div><ul><li><ul><li></li></ul></li><li><ul><li></li></ul></li></ul></div><p></p></div>")
    # div 1, div 2, ul 3, li 4, ul 5, li 6, li 7, ul 8, li 9, p 10
    found = weights(tested)
    found.weights = [0, 0.5, 0.85, 0.84, 0.83, 0.87, 0, 0.8, 0.6, 0, 0.1]
    assert found._root(5) == 3
    # the child of the div is heavy enough, but of the outer div's children only one of two is
    found.weights[2] = 0.1
    assert weights_root(tested, found.weights, 5) == 3
    # with a heavier p the outer div is reached
    found.weights[2], found.weights[10] = 0.85, 0.8
    assert weights_root(tested, found.weights, 5) == 1
    # half of the children are not more than half
    found.weights[7] = 0.1
    assert weights_root(tested, found.weights, 5) == 5


def weights_root(tested: Page, given_weights: list[float], candidate: int) -> int:
    found = weights(tested)
    found.weights = given_weights
    return found._root(candidate)


# --- a literal version ---------------------------------------------------------------------------


def literal_root(tested: Page, found: menex._Weights, candidate: int) -> int:
    """Algorithm 1, word for word."""
    arrays = tested._arrays
    menu_node = current = candidate
    while arrays.parents[current] >= 0:
        parent = arrays.parents[current]
        children = arrays.children(parent)
        heavy = sum(found.weights[child] > 0.9 * found.weights[candidate] for child in children)
        if 2 * heavy <= len(children):
            break
        current = parent
        if len(children) > 1:
            menu_node = parent
    return menu_node


any_page = st.one_of(strategies.page_groups.map(lambda pages: pages[0]), strategies.run_pairs.map(lambda p: p[0]))


@given(any_page)
def test_roots_are_those_of_algorithm_1(html: str) -> None:
    tested = Page(html.replace("<span", '<a href="x"').replace("</span", "</a"), URL)
    found = weights(tested)
    for candidate in range(len(tested)):
        assert found._root(candidate) == literal_root(tested, found, candidate)


# --- any page ------------------------------------------------------------------------------------


@given(st.one_of(any_page, st.text()))
def test_the_menu_is_an_element_with_two_links_if_there_is_one(html: str) -> None:
    source = html.replace("<span", '<a href="x"').replace("</span", "</a")
    tested = Page(source, URL)
    menu = detect_menu(tested)
    hrefs = [tag_string.startswith("<a ") for tag_string in tested._arrays.tag_strings]
    held = [sum(hrefs[p + 1 : p + tested._arrays.sizes[p]]) for p in range(len(tested))]
    assert (menu is not None) == any(links > 1 for links in held)
    assert menu is None or held[menu] > 1
    assert menu == detect_menu(Page(source, URL))


@odd_pages
def test_odd_pages(html: str) -> None:
    tested = Page(html, URL)
    menu = detect_menu(tested)
    assert menu is None or 0 <= menu < len(tested)


@pytest.mark.parametrize("name", ["empty", "blank", "text only", "body alone", "frames", "comment", "link alone"])
def test_pages_without_a_menu(name: str) -> None:
    assert detect_menu(Page(ODD[name], URL)) is None


@pytest.mark.parametrize(
    "part",
    [
        "<ul><li><a href=1>a</a><li><a href=2>b</a></ul>" * 40,
        "<ul><a href=x>x</a><a href=y>y</a>" * 200 + "</ul>" * 200,
    ],
    ids=["wide", "deep"],
)
def test_work_grows_as_the_page_does(part: str) -> None:
    """Four times the lists, or the branches of one height, are about four times the work, not sixteen."""
    few, many = (page(f"<nav>{part * count}</nav>") for count in (8, 32))
    less, more = (lines_run(lambda one=one: detect_menu(one)) for one in (few, many))  # type: ignore[misc]
    assert less > len(few._arrays.tag_strings)
    assert more < 5 * less
