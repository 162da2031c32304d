"""The equal top-down mapping (thesis, chapter 8): examples, rules for any two pages, and the literal procedure."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from literal import mapping as literal
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
    map_trees,
    tree_mapping,
)

NAMED = [TEMPLEX, PUBLISHED, PUBLISHED_QUICK, PUBLISHED_CONTENT]


def mapped(a: str, b: str, similarity: Similarity = PUBLISHED) -> dict[int, int]:
    return map_pages(page(a), page(b), similarity)


@pytest.mark.parametrize("similarity", NAMED)
def test_a_page_maps_onto_its_copy_node_by_node(similarity):
    body = "<ul><li>a<li>b<li>c</ul><div class=x><p>d<b>e</b>f</div><table><tr><td>1<td>2</table>"
    assert mapped(body, body.replace(">d<", ">other<"), similarity) == {n: n for n in range(len(page(body)))}


def test_the_roots_map_whatever_they_are():
    assert mapped("", "<p>x") == {0: 0}
    frames = Page("<html><frameset></frameset></html>", HOST)
    assert map_pages(frames, page("x"))[0] == 0


def test_a_node_that_is_not_mapped_is_not_entered():
    assert mapped("<div><p>x</p></div>", "<section><p>x</p></section>") == {0: 0}
    assert mapped('<div title="a" class="b"><p>x</p></div>', '<div title="c" class="d"><p>x</p></div>') == {0: 0}


def test_equal_subtrees_do_not_map_where_no_attributes_fail_the_threshold():
    strict = replace(PUBLISHED, threshold=0.9)
    assert mapped("<p>x</p><p>y</p>", "<p>x</p><p>y</p>", strict) == mapped("<p>x</p>", "<p>x</p>", strict) == {0: 0}


def test_only_children_pair_by_the_rules_for_all_children():
    assert mapped('<div id="m" class="x" title="y">1</div>', '<div id="m"><b>2</b><b>3</b></div>') == {0: 0, 1: 1}
    assert mapped('<div id="" title="a"></div>', '<div id="" title="b"></div>') == {0: 0}
    assert mapped('<div class="c" title="a"></div>', '<div class="c" title="a"><b></b><b></b></div>') == {0: 0, 1: 1}
    assert mapped("<div>1</div>", "<p>1</p>", TEMPLEX) == {0: 0}


def test_an_inserted_element_shifts_the_rest():
    a = '<div class="a">1</div><div class="b">2</div><div class="c">3</div>'
    for similarity in (TEMPLEX, PUBLISHED, PUBLISHED_QUICK):
        found = mapped(a, f'<div class="new">0</div>{a}', similarity)
        assert found == {0: 0, 1: 3, 2: 4, 3: 5, 4: 6, 5: 7, 6: 8}, similarity


def test_lists_that_reach_the_limit_of_steps_are_counted(monkeypatch):
    monkeypatch.setattr(tree_mapping, "_MORE_STEPS", 100)
    one, two = (
        page("".join(f'<p class="post-{n} a{n % 7} b{n % 11} c{n % 13}">{n}</p>' for n in range(start, start + 60)))
        for start in (0, 1000)
    )
    assert [map_trees(one._arrays, other._arrays).cuts for other in (one, two)] == [0, 1]


@given(page_pairs, st.one_of(st.sampled_from(NAMED), similarities))
def test_the_mapping_is_that_of_the_literal_procedure(htmls, similarity):
    a, b = (Page(html, HOST) for html in htmls)
    plain = literal.equal_top_down_mapping(a.nodes[0], b.nodes[0], **asdict(similarity))
    assert set(map_pages(a, b, similarity).items()) == plain


@given(page_pairs, st.sampled_from(NAMED))
def test_earlier_mappings_of_the_same_pages_make_no_difference(htmls, similarity):
    """Pages share start tags with each other."""
    a, b = (Page(html, HOST) for html in htmls)
    first = map_pages(a, b, similarity)
    map_pages(b, a, similarity)
    assert map_pages(a, b, similarity) == first
    assert map_pages(Page(htmls[0], HOST), Page(htmls[1], HOST), similarity) == first
