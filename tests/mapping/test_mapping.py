"""The equal top-down mapping (ALGORITHMS 4): what pairs with what, and rules that hold for any two pages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_sites import HOST, page
from strategies import page_pairs, similarities

from templex_scrapy import Page
from templex_scrapy.mapping import (
    PUBLISHED,
    PUBLISHED_CONTENT,
    PUBLISHED_QUICK,
    TEMPLEX,
    Similarity,
    map_pages,
)

ALL = [TEMPLEX, PUBLISHED, PUBLISHED_QUICK, PUBLISHED_CONTENT]
OPTIONS = [replace(PUBLISHED, option=option) for option in (1, 2, 3, 4)]


def pairs(a: str, b: str, similarity: Similarity = PUBLISHED) -> dict[int, int]:
    return map_pages(page(a), page(b), similarity)


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        (PUBLISHED, (0.1, 0.1, 0.3, 0.5, 0.7, 2)),
        (PUBLISHED_QUICK, (0.4, 0.1, 0.5, 0.0, 0.9, 4)),
        (PUBLISHED_CONTENT, (0.0, 0.1, 0.7, 0.2, 0.9, 4)),
    ],
)
def test_the_published_parameters(parameters, expected):
    p = parameters
    assert (p.position, p.classes, p.children, p.attributes, p.threshold, p.option) == expected
    assert not p.unique


@pytest.mark.parametrize(
    "wrong", [{"position": 0.5}, {"position": -0.1, "classes": 0.3}, {"threshold": 2}, {"option": 0}, {"option": 5}]
)
def test_parameters_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=r"allowed|sum"):
        replace(PUBLISHED, **wrong)


@pytest.mark.parametrize("similarity", [*ALL, *OPTIONS])
def test_a_page_maps_onto_its_copy_node_by_node(similarity):
    body = "<ul><li>a<li>b<li>c</ul><div class=x><p>d<b>e</b>f</div><table><tr><td>1<td>2</table>"
    mapped = pairs(body, body.replace(">d<", ">other<"), similarity)
    assert mapped == {n: n for n in range(len(page(body).nodes))}


def test_the_roots_map_whatever_they_are():
    assert pairs("", "<p>x") == {0: 0}
    frames = Page("<html><frameset></frameset></html>", HOST)
    assert map_pages(frames, page("x"))[0] == 0


def test_different_tags_never_map():
    assert pairs("<div><p>x</p></div>", "<section><p>x</p></section>") == {0: 0}


def test_a_node_that_is_not_mapped_is_not_entered():
    mapped = pairs('<div title="a" class="b"><p>x</p></div>', '<div title="c" class="d"><p>x</p></div>', PUBLISHED)
    assert mapped == {0: 0}


def test_the_same_id_pairs_at_once_whatever_else():
    a = '<p>1</p><div id="m" class="x" title="y"><b>2</b></div>'
    b = '<div id="m"><b>2</b><b>3</b><b>4</b></div><p>1</p>'
    for similarity in ALL:
        assert pairs(a, b, similarity)[3] == 1


def test_an_empty_id_is_none():
    assert pairs('<div id="" title="a"></div>', '<div id="" title="b"></div>') == {0: 0}


def test_equal_classes_and_attributes_pair_before_what_is_only_similar():
    a = '<div class="x" title="y"></div>'
    b = '<div class="x"></div><div class="x" title="y"><b>1</b><b>2</b></div>'
    assert pairs(a, b)[1] == 2


def test_unique_kinds_pair_with_the_rule_and_not_without():
    a = '<div class="x" title="a"><p>1</p></div>'
    b = '<div class="y"></div><div class="x" title="b"></div><div class="y"></div>'
    assert pairs(a, b, replace(PUBLISHED, unique=True)) == {0: 0, 1: 2}
    assert pairs(a, b, PUBLISHED) == {0: 0}


def test_ties_go_to_the_lowest_in_a_then_in_b():
    assert pairs("<p></p><p></p>", "<p></p>") == {0: 0, 1: 1}
    assert pairs("<p></p>", "<p></p><p></p>") == {0: 0, 1: 1}


def test_an_inserted_element_shifts_the_rest():
    a = '<div class="a">1</div><div class="b">2</div><div class="c">3</div>'
    b = f'<div class="new">0</div>{a}'
    for similarity in (TEMPLEX, PUBLISHED, PUBLISHED_QUICK):
        assert pairs(a, b, similarity) == {0: 0, 1: 3, 2: 4, 3: 5, 4: 6, 5: 7, 6: 8}, similarity


def test_option_1_forbids_pairs_across_blocks():
    """The div with the same id in the middle cuts both lists; the p has to cross it."""
    a = '<p></p><div id="m"></div>'
    b = '<div id="m"></div><p></p>'
    crossing = replace(PUBLISHED, position=0.0, children=0.4)
    assert pairs(a, b, replace(crossing, option=2)) == {0: 0, 1: 2, 2: 1}
    assert pairs(a, b, replace(crossing, option=1)) == {0: 0, 2: 1}


@given(page_pairs, similarities())
def test_a_mapping_is_one_to_one_between_equal_tags_and_follows_the_trees(both, parameters):
    a, b = (Page(text, HOST) for text in both)
    mapped = map_pages(a, b, Similarity(**parameters))
    assert mapped[0] == 0
    assert len(set(mapped.values())) == len(mapped)
    for i, j in mapped.items():
        one, two = a.nodes[i], b.nodes[j]
        assert one.tag == two.tag
        if i:
            assert one.parent is not None
            assert two.parent is not None
            assert mapped[one.parent.position] == two.parent.position


@given(page_pairs, st.sampled_from(ALL))
def test_what_else_a_page_was_compared_with_makes_no_difference(both, similarity):
    """Pages share what was read of their labels."""
    a, b = (Page(text, HOST) for text in both)
    first = map_pages(a, b, similarity)
    map_pages(b, a, similarity)
    map_pages(a, page("<p class=x title=y>z"), similarity)
    assert map_pages(a, b, similarity) == first
    assert map_pages(Page(both[0], HOST), Page(both[1], HOST), similarity) == first
