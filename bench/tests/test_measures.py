"""Recall, precision and F1 against numbers worked out by hand, and what always holds."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from templex_bench import texts
from templex_bench.measures import (
    Score,
    addresses_in,
    links_in,
    score_counts,
    score_sets,
    words_of,
)

from templex_scrapy.page import Page

WORDS = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 5)).map(Counter)
NODES = st.frozensets(st.integers(0, 20))


def test_nodes_by_hand() -> None:
    """Of four gold nodes two are among the three that were found."""
    score = score_sets({1, 2, 9}, frozenset({1, 2, 3, 4}))
    assert (score.gold, score.retrieved, score.correct) == (4, 3, 2)
    assert (score.recall, score.precision) == (0.5, pytest.approx(2 / 3))
    assert score.f1 == pytest.approx(2 * 0.5 * (2 / 3) / (0.5 + 2 / 3))


def test_words_by_hand() -> None:
    """A word counts as often as it occurs in both."""
    score = score_counts(words_of("The weir, the weir!"), words_of("the Weir house the the"))
    assert (score.gold, score.retrieved, score.correct) == (5, 4, 3)
    assert (score.recall, score.precision, score.f1) == (0.6, 0.75, pytest.approx(2 / 3))


def test_words_are_runs_of_letters_and_digits() -> None:
    """Case and punctuation do not matter; scripts without blanks make long words."""
    assert words_of("Don't é2_x 水車小屋。") == Counter(["don", "t", "é2_x", "水車小屋"])


@pytest.mark.parametrize(("gold", "found", "value"), [(0, 0, 1.0), (0, 3, 0.0), (3, 0, 0.0)])
def test_nothing_to_find_or_nothing_found(gold, found, value) -> None:
    """Nothing found is right only where there is nothing to be found."""
    score = Score.of(gold, found, 0)
    assert (score.recall, score.precision, score.f1) == (value, value, value)


def test_without_gold_standard() -> None:
    """What was found is told, and no measure."""
    assert score_sets({1, 2}, None) == Score(None, 2, None, None, None, None)
    assert score_counts(Counter("aab"), None).retrieved == 3


def test_a_failure_is_wrong_whatever_there_was() -> None:
    """A detector that broke down has no merit for finding nothing."""
    assert Score.failed(0).f1 == 0.0
    assert Score.failed(None) == Score(None, 0)


@given(WORDS, WORDS)
def test_measures_of_words(found, gold) -> None:
    """All measures are in [0, 1], recall and precision swap with the sides, and only the same is perfect."""
    score, swapped = score_counts(found, gold), score_counts(gold, found)
    assert 0 <= score.recall <= 1
    assert 0 <= score.precision <= 1
    assert (score.recall, score.precision) == (swapped.precision, swapped.recall)
    assert score.f1 == pytest.approx(swapped.f1)
    assert (score.f1 == 1) == (found == gold)
    assert min(score.recall, score.precision) - 1e-12 <= score.f1 <= max(score.recall, score.precision) + 1e-12


@given(NODES, NODES)
def test_measures_of_nodes_are_those_of_words(found, gold) -> None:
    """A set is a multiset in which everything is there once."""
    assert score_sets(found, gold) == score_counts(Counter(found), Counter(gold))


def test_links_of_a_menu() -> None:
    """Addresses count as often as they are there, as written; names and empty addresses are none."""
    links = '<a href="/a">A</a><a href="/a">B</a><a href="b?x=1&amp;y">C</a><a name="n">D</a><a href="">E</a>'
    page = Page(f'<body><ul><li>{links}</ul><a href="/c">F</a></body>', "http://w.example/d/")
    menu = next(node.position for node in page.nodes if node.tag == "ul")
    assert links_in(page, menu) == Counter({"/a": 2, "b?x=1&y": 1})
    assert links_in(page, None) == Counter()
    assert addresses_in(page, menu) == {"http://w.example/a", "http://w.example/d/b?x=1&y="}


def test_texts_of_what_was_found() -> None:
    """Without some nodes, or of some nodes alone; an element with anything left in it stays."""
    page = Page("<body><div><p>one</p><p>two</p></div><p>three</p></body>", "http://w.example/")
    position = {node.text: node.position for node in page.nodes if node.text}
    div = next(node.position for node in page.nodes if node.tag == "div")
    assert texts.without(page, {div, position["one"]}).split() == ["two", "three"]
    assert texts.of_nodes(page, {position["two"]}).split() == ["two"]
    assert texts.of_nodes(page, set()) == ""
    assert texts.without(page, set(range(len(page)))) == ""


@given(st.sets(st.integers(0, 8)))
def test_both_texts_share_out_the_words(found) -> None:
    """What is in some text nodes, and what is left without them, is all there is."""
    page = Page("<body><div>a<p>b<i>c</i></p></div><p>d</p>e</body>", "http://w.example/")
    said = {position for position, text in enumerate(page.arrays.texts) if text is not None}
    found &= said
    both = words_of(texts.of_nodes(page, found)) + words_of(texts.without(page, found))
    assert "".join(sorted("".join(both.elements()))) == "abcde"
