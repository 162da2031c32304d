"""The equal top-down mapping (thesis, chapter 8): examples, rules for any two pages, and the literal procedure."""

from dataclasses import asdict, replace

import pytest
from helpers.made_sites import HOST, page
from helpers.strategies import page_pairs, similarities
from hypothesis import given
from hypothesis import strategies as st
from literal import mapping as literal

from templex_scrapy import Page
from templex_scrapy.mapping import (
    PUBLISHED,
    PUBLISHED_CONTENT,
    PUBLISHED_QUICK,
    TEMPLEX,
    map_pages,
    map_to_key,
    map_trees,
    map_voter,
    tree_mapping,
)
from templex_scrapy.page import nodes_of

pytestmark = pytest.mark.usefixtures("compiled_and_plain")

NAMED = [TEMPLEX, PUBLISHED, PUBLISHED_QUICK, PUBLISHED_CONTENT]


def mapped(a, b, similarity=PUBLISHED):
    return map_pages(page(a), page(b), similarity)


STRICT = replace(PUBLISHED, threshold=0.9)
ABC = '<div class="a">1</div><div class="b">2</div><div class="c">3</div>'


@pytest.mark.parametrize(
    ("similarity", "a", "b", "expected"),
    [
        (PUBLISHED, "", "<p>x", {0: 0}),
        (PUBLISHED, "<div><p>x</p></div>", "<section><p>x</p></section>", {0: 0}),
        (PUBLISHED, '<div title="a" class="b"><p>x</p></div>', '<div title="c" class="d"><p>x</p></div>', {0: 0}),
        # equal subtrees do not map where no attributes fail the threshold, the only child or one of two
        (STRICT, "<p>x</p><p>y</p>", "<p>x</p><p>y</p>", {0: 0}),
        (STRICT, "<p>x</p>", "<p>x</p>", {0: 0}),
        # only children pair by the rules for all children
        (PUBLISHED, '<div id="m" class="x" title="y">1</div>', '<div id="m"><b>2</b><b>3</b></div>', {0: 0, 1: 1}),
        (PUBLISHED, '<div id="" title="a"></div>', '<div id="" title="b"></div>', {0: 0}),
        (PUBLISHED, '<p class="c" title="a"></p>', '<p class="c" title="a"><b></b><b></b></p>', {0: 0, 1: 1}),
        (TEMPLEX, "<div>1</div>", "<p>1</p>", {0: 0}),
        (
            TEMPLEX,
            '<p class="a b c d"><b>1</b></p>',
            '<p class="e f"><b>1</b><i>2</i><i>3</i><i>4</i></p>',
            {0: 0, 1: 1, 2: 2, 3: 3},
        ),
        # an inserted element shifts the rest
        *((one, ABC, f"<div class=n>0</div>{ABC}", {0: 0, 1: 3, 2: 4, 3: 5, 4: 6, 5: 7, 6: 8}) for one in NAMED[:3]),
    ],
)
def test_what_maps(similarity, a, b, expected):
    assert mapped(a, b, similarity) == expected


def test_lists_that_reach_the_limit_of_steps_are_counted(monkeypatch):
    monkeypatch.setattr(tree_mapping, "_MORE_STEPS", 100)
    one, two = (
        page("".join(f'<p class="post-{n} a{n % 7} b{n % 11} c{n % 13}">{n}</p>' for n in range(start, start + 60)))
        for start in (0, 1000)
    )
    assert [map_trees(nodes_of(one), nodes_of(other)).cuts for other in (one, two)] == [0, 1]


@given(page_pairs, st.one_of(st.sampled_from(NAMED), similarities))
def test_the_mapping_is_that_of_the_literal_procedure(htmls, similarity):
    a, b = (Page(html, HOST) for html in htmls)
    plain = literal.equal_top_down_mapping(a.nodes[0], b.nodes[0], **asdict(similarity))
    assert set(map_pages(a, b, similarity).items()) == plain


@given(page_pairs, similarities)
def test_the_mapping_of_a_voter_is_that_of_the_page_to_the_key_page(sources, similarity):
    key, voter = (nodes_of(Page(source, HOST)) for source in sources)
    wanted = map_trees(voter, key, similarity).positions()
    voted = map_voter(key, voter, similarity)
    assert map_to_key(voter, key, similarity).positions() == wanted
    assert voted.inverse().positions() == wanted
