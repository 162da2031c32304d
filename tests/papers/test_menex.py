"""MenEx: the weights and Algorithms 1 and 2 worked out by hand, a literal version, odd pages, real sites."""

import pytest
from helpers import strategies
from helpers.detector_cases import lines_run, odd_examples
from helpers.made_sites import page
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy.page import Page, nodes_of
from templex_scrapy.papers import detect_menu, menex

URL = "https://site.test/"


def weights(tested):
    return menex._Weights(nodes_of(tested))


# --- Definition 5.2.1 by hand --------------------------------------------------------------------

# body 0, ul 1, li 2, a 3, text 4, li 5, a 6, text 7, p 8, text 9
SMALL = page('<ul><li><a href="x">x</a></li><li><a href="y">y</a></li></ul><p>nine more</p>')


def test_weights_are_those_of_the_definition():
    found = weights(SMALL).weights
    assert found[0] == pytest.approx(0.3 / 2 + 0.05 * 11 / 18 + 0 + 0.25)
    assert found[1] == pytest.approx(0.3 / 2 + 0.05 * 8 / 12 + 0.1 + 0.15 + 0.25 * 0.9)
    assert found[2] == pytest.approx(0 + 0 + 0.1 + 0.25 * 0.8)
    assert found[8] == pytest.approx(0 + 0 + 0 + 0.25 * 0.2)
    assert [found[leaf] for leaf in (4, 7, 9)] == [0, 0, 0]
    assert detect_menu(SMALL) == 1


def test_names_have_a_word():
    named = [
        'id="nav"',
        'class="nav x"',
        'class="menu-main"',
        'id="topNav"',
        'class="wy-menu-vertical"',
        'class="MENU"',
    ]
    others = ['class="unavailable"', 'class="documents"', 'title="menu"']
    for names, is_named in ((named, True), (others, False)):
        for attributes in names:
            assert menex._is_named(nodes_of(page(f"<div {attributes}>x</div>")).start_tag(1)) is is_named


# --- a literal version ---------------------------------------------------------------------------


def literal_root(tested, found, candidate):
    """Algorithm 1, word for word."""
    arrays = nodes_of(tested)
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
def test_roots_are_those_of_algorithm_1(html):
    tested = Page(html.replace("<span", '<a href="x"').replace("</span", "</a"), URL)
    found = weights(tested)
    for candidate in range(len(tested)):
        assert found._root(candidate) == literal_root(tested, found, candidate)


# --- any page ------------------------------------------------------------------------------------


@odd_examples(lambda html: (html,))
@given(st.one_of(any_page, st.text()))
def test_the_menu_is_an_element_with_two_links_if_there_is_one(html):
    source = html.replace("<span", '<a href="x"').replace("</span", "</a")
    tested = Page(source, URL)
    menu = detect_menu(tested)
    hrefs = [tag_string.startswith("<a ") for tag_string in nodes_of(tested).tag_strings]
    held = [sum(hrefs[p + 1 : p + nodes_of(tested).sizes[p]]) for p in range(len(tested))]
    assert (menu is not None) == any(links > 1 for links in held)
    assert menu is None or held[menu] > 1
    assert menu == detect_menu(Page(source, URL))


@pytest.mark.parametrize(
    "part",
    [
        "<ul><li><a href=1>a</a><li><a href=2>b</a></ul>" * 40,
        "<ul><a href=x>x</a><a href=y>y</a>" * 100 + "</ul>" * 100,
    ],
    ids=["wide", "deep"],
)
def test_work_grows_as_the_page_does(part):
    """Four times the lists, or the branches of one height, are about four times the work, not sixteen."""
    few, many = (page(f"<nav>{part * count}</nav>") for count in (4, 16))
    less, more = (lines_run(lambda one=one: detect_menu(one)) for one in (few, many))
    assert less > len(nodes_of(few).tag_strings)
    assert more < 5 * less
