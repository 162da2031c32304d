"""The mapping as printed: positions by the thesis's tables, the four options, and the product's mapping beside it."""

from dataclasses import replace

import numpy as np
import pytest
from helpers import strategies
from helpers.made_sites import HOST, page
from hypothesis import given
from hypothesis import strategies as st
from templex_bench import detectors
from templex_bench.detectors.literal import (
    PRINTED,
    TEMPLATES,
    Printed,
    as_of,
    detect_content_literally,
    detect_template_literally,
    map_literally,
    positions,
    refine_template,
)

from templex_scrapy.mapping import Similarity, map_pages
from templex_scrapy.page import Page, nodes_of


@pytest.mark.parametrize(
    ("option", "last"), [(1, np.nan), (2, 0.0), (3, 1.0), (4, 0.75)], ids=["blocks", "blocks, 0", "again", "once"]
)
def test_options_differ_in_what_a_pair_leaves(option, last):
    """With the pair (0, 1) made, child 1 of four and child 0 of four lie on different sides of it."""
    values = positions(4, 4, [(0, 1)], option)
    assert np.isnan(values[0]).all()
    assert np.isnan(values[:, 1]).all()
    assert np.array_equal(values[1, 0], last, equal_nan=True)
    assert values[3, 3] == 1


weights = st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(any)


@given(strategies.page_pairs, weights, st.integers(1, 10), st.booleans())
def test_option_4_is_the_mapping_of_the_product(pages, parts, threshold, unique):
    shares = dict(zip(("position", "classes", "children", "attributes"), (p / sum(parts) for p in parts), strict=True))
    key, other = (Page(html, f"{HOST}{number}") for number, html in enumerate(pages))
    similarity = Similarity(**shares, threshold=threshold / 10, unique=unique)
    assert map_literally(nodes_of(key), nodes_of(other), as_of(similarity)) == dict(map_pages(key, other, similarity))


# body 0 > ul 1 > li 2 > #text 3,  p 4 > #text 5
KEY = page('<ul id="menu"><li class="a b">Home</li></ul><p>Key</p>')

ADDED = replace(TEMPLATES, rules="added")


def test_the_template_is_what_is_in_the_same_place_whatever_it_says():
    same = page('<ul id="menu"><li class="a b">Home</li></ul><p>Other</p>', HOST + "same")
    fewer = page('<ul id="menu"></ul>', HOST + "fewer")
    assert detect_template_literally(KEY, [same, KEY], 1) == set(range(6))
    assert detect_template_literally(KEY, [same, fewer], 2) == {0}, "a list without its entries is not similar"
    assert detect_template_literally(KEY, [same, fewer], 2, similarity=ADDED) == {0, 1}, "but has the same id"
    assert detect_template_literally(KEY, [fewer], 2, similarity=ADDED) == {0, 1}, (
        "where there are fewer pages, all of them"
    )
    assert detect_template_literally(KEY, [KEY], 1) == set()


def test_copies_raise_the_votes_as_in_the_published_implementation():
    same = page('<ul id="menu"><li class="a b">Home</li></ul><p>Other</p>', HOST + "same")
    fewer = page('<ul id="menu"></ul>', HOST + "fewer")
    raised = detect_template_literally(KEY, [same, fewer, KEY], 1, similarity=ADDED, copies="raise")
    assert raised == {0, 1}, "three votes, and three pages"
    assert detect_template_literally(KEY, [fewer], 1, similarity=ADDED, copies="raise") == {0, 1}


def test_refinement_maps_what_is_left():
    """The list goes with the page that lacks its entry, and is not there any more for the next one."""
    same = page('<ul id="menu"><li class="a b">Home</li></ul><p>Other</p>', HOST + "same")
    less = page('<p class="x"></p><p>Other</p>', HOST + "less")
    assert refine_template(KEY, [same]) == set(range(6))
    assert refine_template(KEY, [less, same]) == {0, 4, 5}
    assert refine_template(KEY, [page("<b></b>" * 8, HOST + "b"), same]) == set(range(6)), "its body is not similar"
    assert refine_template(KEY, [KEY]) == set()


def test_content_is_what_no_page_has():
    other = page('<ul id="menu"><li class="a b">Home</li></ul><b></b>', HOST + "other")
    assert detect_content_literally(KEY, [other]) == {4, 5}
    assert detect_content_literally(KEY, [page("<b></b>", HOST)]) == set(range(6)), "no page has a similar body"
    assert detect_content_literally(KEY, [KEY]) == set()


def pairs(one, other, **more):
    a, b = page(one), page(other, HOST + "other")
    return map_literally(nodes_of(a), nodes_of(b), Printed(**{**dict.fromkeys(WEIGHTS, 0), **more}, option=4))


WEIGHTS = ("position", "classes", "children", "attributes")


def test_shares_of_the_first_node_or_of_both():
    """Two class names of two, of four on both sides: 1 as printed, 0.5 of both."""
    one, other = '<p class="a b">', '<p class="a b c d">'
    assert len(pairs(one, other, classes=1, threshold=0.6, share="union")) == 1
    assert len(pairs(one, other, classes=1, threshold=0.6)) == 2
    assert len(pairs(other, one, classes=1, threshold=0.6)) == 1


@pytest.mark.parametrize(
    ("one", "other", "given", "value"),
    [
        ('<p lang="a" dir="x">', '<p lang="a" dir="y">', {}, 0.5),
        ('<p lang="a" dir="x">', '<p lang="a" dir="y">', {"compared": "names"}, 1),
        ('<p lang="a" id="x">', '<p lang="a" id="y">', {}, 1),
        ('<p lang="a" id="x">', '<p lang="a" id="y">', {"own_names": True}, 0.5),
        ('<p class="a">', '<p lang="a">', {}, 0),
        ('<p class="a">', '<p lang="a">', {"vacuous": True}, 1),
        ("<p>", "<p>", {}, 0.75),
    ],
)
def test_readings_of_the_share_of_attributes(one, other, given, value):
    # no attributes are on the body, which has to pair as well
    one, other = (f"<div lang='b'>{html}</div>" for html in (one, other))
    for threshold in (value, value + 0.01):
        found = pairs(one, other, attributes=1, threshold=threshold, rules="added", **given)
        assert (2 in found) == (threshold == value)


def test_rules_of_the_published_code():
    """Nodes without classes have equal ones, and of equal pairs the last is taken."""
    one, other = '<p lang="a"></p>', "<p lang='a'><b></b></p>"
    assert pairs(one, other, children=1, threshold=0.9, rules="added") == {0: 0}
    assert pairs(one, other, children=1, threshold=0.9, rules="code") == {0: 0, 1: 1}
    assert pairs("<p></p>", "<p></p><p></p>", children=1, threshold=0.9, rules="added") == {0: 0, 1: 1}
    assert pairs("<p></p>", "<p></p><p></p>", children=1, threshold=0.9, rules="code") == {0: 0, 1: 2}


@pytest.mark.parametrize(("row", "is_paired"), [("as printed", False), ("option 1", False), ("option 3", True)])
def test_rows_of_the_options(row, is_paired):
    """Behind a pair that crosses, two children of 0.6 without position: blocks, no value (1), 0 (2), begun anew (3)."""
    one = page('<b lang="a"></b><i lang="a" dir="b" title="c" accesskey="d" tabindex="1"></i>')
    other = page('<i lang="a" dir="b"></i><b lang="a"></b>', HOST + "other")
    similarity = PRINTED[str(detectors._TEMEX.get(f"as printed, {row}", {"similarity": row})["similarity"])]
    assert map_literally(nodes_of(one), nodes_of(other), similarity) == {0: 0, 1: 2} | ({2: 1} if is_paired else {})
    found = map_literally(nodes_of(one), nodes_of(other), replace(similarity, option=4))
    assert found == {0: 0, 1: 2}, "with positions counted once, 0.65"
