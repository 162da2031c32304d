"""The literal versions against the papers' tables and examples, and against results worked out by hand."""

from __future__ import annotations

import pytest

from literal import mapping
from templex_scrapy.page import Page

URL = "https://site.test/"


def page(body: str, url: str = URL) -> Page:
    return Page(f"<!DOCTYPE html><html><head></head><body>{body}</body></html>", url)


# --- position values (thesis 8.2) ----------------------------------------------------------------

# Rows are the children of B, columns those of A, as printed. Table 8.2 as printed does not follow the
# rule of the other two (its first row has 0.8 where both are first) and is left out.
TABLE_8_1 = [
    [1, 0.8, 0.6, 0.4, 0.2],
    [0.8, 1, 0.8, 0.6, 0.4],
    [0.6, 0.8, 1, 0.8, 0.6],
    [0.4, 0.6, 0.8, 1, 0.8],
    [0.2, 0.4, 0.6, 0.8, 1],
]
TABLE_8_3 = [
    [1, 0.75, 0.5, 0.25],
    [1, 1, 0.75, 0.5],
    [0.75, 1, 1, 0.75],
    [0.5, 0.75, 1, 1],
    [0.25, 0.5, 0.75, 1],
]


@pytest.mark.parametrize("table", [TABLE_8_1, TABLE_8_3], ids=["8.1", "8.3"])
def test_position_values_are_those_of_the_table(table):
    computed = [
        [mapping.position_value(i, j, len(table[0]), len(table)) for i in range(len(table[0]))]
        for j in range(len(table))
    ]
    assert computed == [pytest.approx(row) for row in table]


def test_position_values_with_more_children_in_a():
    """By hand from the rule, since Table 8.2 does not follow it: five children onto four."""
    computed = [[mapping.position_value(i, j, 5, 4) for i in range(5)] for j in range(4)]
    assert computed == [
        [1, 1, 0.75, 0.5, 0.25],
        [0.75, 1, 1, 0.75, 0.5],
        [0.5, 0.75, 1, 1, 0.75],
        [0.25, 0.5, 0.75, 1, 1],
    ]


def test_position_window_is_cut_to_the_children_of_b():
    assert [mapping.position_value(i, 0, 3, 1) for i in range(3)] == [1, 1, 1]
    assert [mapping.position_value(0, j, 1, 3) for j in range(3)] == [1, 1, 1]


# --- the mapping (thesis 8) ------------------------------------------------------------------------

PUBLISHED = {"position": 0.1, "classes": 0.1, "children": 0.3, "attributes": 0.5, "threshold": 0.7}
BY_POSITION = {"position": 1.0, "classes": 0.0, "children": 0.0, "attributes": 0.0}
OPTIONS = [1, 2, 3, 4]


def child_pairs(body_a: str, body_b: str, option: int = 2, **parameters: float) -> list[tuple[int, int]]:
    """The pairs of the children of two bodies in the order made, as indexes of children."""
    a, b = page(body_a).nodes[0], page(body_b).nodes[0]
    return mapping.pair_children(a.children, b.children, option=option, **{**PUBLISHED, **parameters})


def mapped(body_a: str, body_b: str, option: int = 2, **parameters: float) -> set[tuple[int, int]]:
    a, b = page(body_a).nodes[0], page(body_b).nodes[0]
    return mapping.equal_top_down_mapping(a, b, option=option, **{**PUBLISHED, **parameters})


def test_similarity_is_the_weighted_sum():
    """Half the place, 1 of 3 classes, 1 of 2 children, 1 of 3 attributes."""
    a = page('<div class="a b" title="x" lang="en" id="m"><i></i></div>').nodes[1]
    b = page('<div class=" c  b" title="x" lang="de"><i></i><i></i></div>').nodes[1]
    assert mapping.similarity(a, b, 0.5, position=0.1, classes=0.1, children=0.3, attributes=0.5) == (
        0.1 * 0.5 + 0.1 * (1 / 3) + 0.3 * 0.5 + 0.5 * (1 / 3)
    )


@pytest.mark.parametrize(
    ("a", "b", "classes", "children", "attributes"),
    [
        ("<i></i>", "<i></i>", 1, 1, 0.75),
        ('<i class="a"></i>', "<i></i>", 0, 1, 0.75),
        ("<i></i>", '<i title="x"></i>', 1, 1, 0),
        ("<i></i>", "<i>x</i>", 1, 0, 0.75),
        ('<i class=" "></i>', '<i id="m"></i>', 1, 1, 0.75),
        ('<i title="x"></i>', '<i title="y"></i>', 1, 1, 0),
        ("x", "y", 1, 1, 0.75),
    ],
)
def test_values_of_empty_and_one_sided_properties(a, b, classes, children, attributes):
    node_a, node_b = page(a).nodes[1], page(b).nodes[1]
    assert mapping.classes_value(node_a, node_b) == classes
    assert mapping.children_value(node_a, node_b) == children
    assert mapping.attributes_value(node_a, node_b) == attributes


@pytest.mark.parametrize("option", OPTIONS)
def test_roots_are_mapped_and_children_of_unmapped_nodes_are_not_entered(option):
    """A div with a div and then i with i; b does not find b, and the i below stays alone."""
    assert mapped("<div><i></i></div><b><i></i></b>", "<div><i></i></div><u><i></i></u>", option) == {
        (0, 0),
        (1, 1),
        (2, 2),
    }
    assert mapped("", "<div></div>", option) == {(0, 0)}


@pytest.mark.parametrize("option", OPTIONS)
def test_text_pairs_with_text_whatever_it_says(option):
    assert mapped("<i>one</i>", "<i>two</i>", option) == {(0, 0), (1, 1), (2, 2)}
    assert mapped("<i>one</i>", "<i><b></b></i>", option) == {(0, 0), (1, 1)}


@pytest.mark.parametrize("option", OPTIONS)
def test_ties_go_to_the_lowest_children(option):
    assert child_pairs("<i></i>", "<i></i><i></i>", option) == [(0, 0)]
    assert child_pairs("<i></i><i></i>", "<i></i>", option) == [(0, 0)]


@pytest.mark.parametrize("option", OPTIONS)
def test_a_same_id_goes_before_everything(option):
    """Child 0 of A equals child 0 of B in all but the id, which child 1 has."""
    a = '<i id="m" class="c" title="x"></i>'
    b = '<i id="n" class="c" title="x"></i><i id="m"></i>'
    assert child_pairs(a, b, option) == [(0, 1)]


def test_a_same_id_needs_the_same_tag_and_no_similarity():
    assert child_pairs('<i id="m"></i>', '<b id="m"></b>') == []
    assert child_pairs('<i id="m" title="x"></i>', '<i id="m" class="c"><b></b></i>') == [(0, 0)]


def test_an_empty_id_is_no_id():
    """Two empty ids would pair 0 with 1; by similarity it is 0 with 0 (both places have the value 1)."""
    assert child_pairs('<i id=""></i>', '<i></i><i id=""></i>') == [(0, 0)]


def test_equal_classes_and_attributes_at_position_1_go_before_those_elsewhere():
    """Child 1 of A equals both children of B; child 0 is the lower one, child 1 stands at its place."""
    a = '<i></i><i class="c" title="x"></i>'
    b = '<i class="c" title="x"></i><i class="c" title="x"></i>'
    assert child_pairs(a, b, 4) == [(1, 1)]


def test_equal_classes_and_attributes_elsewhere_go_before_everything_similar():
    """By position alone both would stay where they are, with the value 1."""
    a = '<i class="c" title="x"></i><i class="d" title="x"></i>'
    b = '<i class="d" title="x"></i><i class="c" title="x"></i>'
    assert child_pairs(a, b, 4, **BY_POSITION) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("rest", ['class="c"', 'title="x"'])
def test_empty_classes_or_attributes_are_not_equal(rest):
    """As before, but with one of the two properties empty: similarity decides."""
    a = f"<i {rest}></i><i></i>"
    b = f"<i></i><i {rest}></i>"
    assert child_pairs(a, b, 4, **BY_POSITION) == [(0, 0), (1, 1)]


UNIQUE = {"unique": True, "threshold": 1.0}


@pytest.mark.parametrize("option", OPTIONS)
def test_with_the_rule_unique_tag_and_classes_that_occur_once_pair_right_after_the_same_id(option):
    """Nothing is similar enough; b.c is alone on both sides, i is not in A, u is not in B."""
    a = '<i></i><i></i><b class="c" title="x"></b><u></u>'
    b = '<u></u><u></u><i></i><b class="c"><s></s></b>'
    assert child_pairs(a, b, option, **UNIQUE) == [(2, 3)]
    assert child_pairs(a, b, option, threshold=1.0) == []


def test_with_the_rule_unique_a_same_id_still_goes_first():
    a = '<b class="c" id="m"></b>'
    b = '<b class="c"></b><b class="d" id="m"></b>'
    assert child_pairs(a, b, **UNIQUE) == [(0, 1)]


def test_with_the_rule_unique_text_is_never_unique():
    assert child_pairs("x", "y", **UNIQUE) == []


def test_by_similarity_the_best_pair_comes_first():
    """A1 and B0 are the same but for the place; from left to right, A0 would take B0 away."""
    a = '<i class="c"></i><i class="d"></i>'
    b = '<i class="d"></i>'
    # (0, 0): 0.5 * 1; (1, 0): 0.5 * 1 + 0.5 * 1 (one child of B: all places have the value 1)
    weights = {"position": 0.5, "classes": 0.5, "children": 0.0, "attributes": 0.0, "threshold": 0.5}
    assert child_pairs(a, b, 2, **weights) == [(1, 0)]


def test_the_threshold_itself_is_enough():
    weights = {"position": 0.5, "classes": 0.5, "children": 0.0, "attributes": 0.0}
    assert child_pairs('<i class="c"></i>', "<i></i>", 2, **weights, threshold=0.5) == [(0, 0)]
    assert child_pairs('<i class="c"></i>', "<i></i>", 2, **weights, threshold=0.6) == []


@pytest.mark.parametrize(
    ("threshold", "paired"),
    # The b stand across the pair of the i. Option 1 forbids them; 2: 0 + 0.5; 3: 0.5 + 0.5, alone on both
    # sides; 4: 0.25 + 0.5, one step of two.
    [(0.5, {2, 3, 4}), (0.7, {3, 4}), (0.8, {3}), (1.0, {3})],
)
@pytest.mark.parametrize("option", OPTIONS)
def test_options_across_a_pair(option, threshold, paired):
    weights = {"position": 0.5, "classes": 0.5, "children": 0.0, "attributes": 0.0, "threshold": threshold}
    made = child_pairs('<b></b><i id="m"></i>', '<i id="m"></i><b></b>', option, **weights)
    assert made == ([(1, 0), (0, 1)] if option in paired else [(1, 0)])


@pytest.mark.parametrize(
    ("option", "made"),
    [
        # Right of i: b, u, u and b. First of three onto the only one: 1. The u of B are on the other side.
        (1, [(0, 2), (1, 3)]),
        (2, [(0, 2), (1, 3)]),
        # Left are b, u, u and u, u, b: the u in the middle 1, b 1 - 2/3; then two, crosswise: 1/2.
        (3, [(0, 2), (2, 1)]),
        # Of all four: u at places 2 and 1: 1 - 1/4; b at 1 and 3, u at 3 and 0: too far.
        (4, [(0, 2), (2, 1)]),
    ],
)
def test_options_recompute_the_position(option, made):
    a = '<i id="m"></i><b></b><u></u><u></u>'
    b = '<u></u><u></u><i id="m"></i><b></b>'
    assert child_pairs(a, b, option, **BY_POSITION, threshold=0.6) == made


def test_option_3_recomputes_and_option_4_does_not():
    """With the pair of the ids gone, u is first on both sides; at the start it was 1 step of 3 away."""
    a = '<u></u><b></b><i id="m"></i>'
    b = '<i id="m"></i><u></u><s></s>'
    assert child_pairs(a, b, 3, **BY_POSITION, threshold=1.0) == [(2, 0), (0, 1)]
    assert child_pairs(a, b, 4, **BY_POSITION, threshold=1.0) == [(2, 0)]


def test_blocks_between_pairs_that_cross():
    """Right of two pairs that cross, b and b are in one block; between them nothing is."""
    a = '<i id="m"></i><i id="n"></i><b></b>'
    b = '<i id="n"></i><i id="m"></i><b></b>'
    assert child_pairs(a, b, 2, **BY_POSITION, threshold=1.0) == [(0, 1), (1, 0), (2, 2)]
    # Option 1 forbids the second id, since it would cross the first.
    assert child_pairs(a, b, 1, **BY_POSITION, threshold=1.0) == [(0, 1), (2, 2)]


def test_a_node_between_pairs_that_cross_has_no_block():
    """The u lies right of m and left of n in A; in B it lies left of m and right of n: position 0."""
    a = '<i id="m"></i><u></u><i id="n"></i>'
    b = '<i id="n"></i><u></u><i id="m"></i>'
    assert child_pairs(a, b, 2, **BY_POSITION, threshold=0.1) == [(0, 2), (2, 0)]
    assert child_pairs(a, b, 3, **BY_POSITION, threshold=0.1) == [(0, 2), (2, 0), (1, 1)]


@pytest.mark.parametrize(
    ("option", "made"),
    [
        # Across the pair of the ids everything is forbidden, or elsewhere: the lower one.
        (1, [(2, 0)]),
        (2, [(2, 0), (1, 1)]),
        # Left are u, b and b, b: b stands second, as the second b of B.
        (3, [(2, 0), (1, 2)]),
        # Of three each: b has place 1, as the first b of B.
        (4, [(2, 0), (1, 1)]),
    ],
)
def test_position_1_of_the_precedence_is_that_of_the_option(option, made):
    a = '<u></u><b class="c" title="x"></b><i id="m"></i>'
    b = '<i id="m"></i><b class="c" title="x"></b><b class="c" title="x"></b>'
    assert child_pairs(a, b, option) == made
