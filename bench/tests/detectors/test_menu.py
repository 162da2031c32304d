"""MenEx with other parameters: the published ones give the product's menu, and the printed text worked out by hand."""

import numpy as np
from helpers import strategies
from helpers.made_sites import HOST, page
from hypothesis import given
from templex_bench.detectors.menu import NAMED, TEXTS, Menus

from templex_scrapy.page import Page, nodes_of
from templex_scrapy.papers import detect_menu

# body 0 > ul 1 > (li 2 > a 3 > text 4, li 5 > a 6 > text 7), p 8 > text 9
KEY = page('<ul><li><a href="x">x</a></li><li><a href="y">y</a></li></ul><p>36 characters are in this paragraph.</p>')


@given(strategies.page_groups)
def test_with_the_products_readings_it_is_the_product(pages):
    for html in pages:
        linked = Page(html.replace("<span", '<a href="x"').replace("</span", "</a"), HOST)
        assert Menus(linked, text="root", names="words").menu(judged_by="own weight") == detect_menu(linked)


def test_readings_of_text_and_names():
    root = 0
    assert [TEXTS[name](nodes_of(KEY))[root] for name in ("printed", "share", "root")] == [1 - 36 / 6, 0, 0]
    tags = [nodes_of(page(f"<p {text}>")).start_tag(1) for text in ('class="nav"', 'class="nav x"', 'id="topNav"')]
    assert [[NAMED[name](tag) for tag in tags] for name in ("exact", "classes", "words")] == [
        [True, False, False],
        [True, True, False],
        [True, True, True],
    ]


def test_roots_are_judged_by_heavy_children_or_descendants():
    """The ul is the only candidate; with a low threshold its items are heavy."""
    for judged_by in ("children", "descendants", "own weight"):
        assert Menus(KEY).menu(judged_by=judged_by) == 1
    two = page('<div><a href="x">x</a><a href="y">y</a></div>' + '<ul><li><a href="z">z</a></li></ul>' * 2)
    # weights by position alone: body 1, div 0.91, its links 0.82 and 0.64, the lists 0.55 and 0.27
    found = [Menus(two).menu((0, 0, 0, 0, 0, 1), root=2, menu=menu) for menu in (0.1, 0.9)]
    assert found == [1, 0], "the div has the heavier children; then only the body has one that is heavy"


def test_distances_tell_nodes_of_one_sum_apart():
    """Half of both properties is nearer to both than all of one is; far from the mean is the one that is odd."""
    menus = Menus(KEY, distance="ideal")
    menus._properties = np.array([[0.5, 0.5], [1, 0]])
    assert menus._weights(np.array([0.5, 0.5])).round(3).tolist() == [0.5, 0.293]
    odd = Menus(page("<p>a</p>" * 3 + '<ul><li><a href="x">x</a></li><li><a href="y">y</a></li></ul>'), distance="mean")
    assert odd._weights(np.array([0, 0, 0, 1, 0, 0])).argmax() == 7
