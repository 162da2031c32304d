"""Scores, words, links and means, worked out by hand."""

from collections import Counter

import pandas as pd
import pytest
from templex_bench.measures.means import chance, estimate, holm
from templex_bench.measures.scores import (
    Score,
    addresses_in,
    links_in,
    score_counts,
    score_sets,
    score_snippets,
    score_values,
    words_of,
)
from templex_bench.measures.texts import of_nodes, without

from templex_scrapy import Page

# body 0 > p 1 > #text 2,  ul 3 > li 4 > a 5 > #text 6,  li 7 > a 8 > #text 9
PAGE = Page(
    '<body><p>One two</p><ul><li><a href="/x?a=1&amp;b=2">X</a></li><li><a href="/y">Y</a></li></ul>', "http://s.test/"
)


def test_scores():
    assert score_sets({1, 2, 3, 4}, frozenset({3, 4, 5})) == Score(3, 4, 2, 2 / 3, 0.5, 4 / 7)
    assert score_sets((), frozenset()) == Score(0, 0, 0, 1.0, 1.0, 1.0)
    assert score_sets({1}, frozenset()) == Score(0, 1, 0, 0.0, 0.0, 0.0)
    assert score_sets({1}, None) == Score(None, 1)
    assert score_counts(Counter("aab"), Counter("abb")) == Score(3, 3, 2, 2 / 3, 2 / 3, 2 / 3)
    assert Score.failed(3) == Score(3, 0, 0, 0.0, 0.0, 0.0)


def test_words_and_links():
    assert words_of("One, two: ONE_1 \u00c4 \u6c34\u8eca x") == Counter(
        ["one", "two", "one_1", "\u00e4", "\u6c34", "\u8eca", "x"]
    )
    assert score_values("A Weir\n by  night", ("weir by Night", "mill")) == Score(2, 2, 1, 0.5, None, 0.5)
    assert links_in(PAGE, 3) == Counter(["/x?a=1&b=2", "/y"])
    assert links_in(PAGE, None) == Counter()
    assert addresses_in(PAGE, 7) == {"http://s.test/y"}


def test_snippets():
    text = "The Weir\nby night"
    assert score_snippets(text, ["weir by", "mill"], ["menu", "NIGHT", "home"]) == Score(5, 5, 3, 0.5, 2 / 3, 0.6)


def test_texts_without_nodes_and_of_nodes():
    """An element that contains anything else is kept."""
    assert without(PAGE, {1, 2, 3}).split() == ["X", "Y"]
    assert without(PAGE, range(len(PAGE))) == ""
    assert of_nodes(PAGE, {6}).split() == ["X"]
    assert of_nodes(PAGE, ()) == ""


def pages(values):
    return pd.Series(list(values.values()), index=pd.MultiIndex.from_tuples(list(values)))


def test_a_site_counts_once_or_each_of_its_pages():
    values = pages({("a", "1"): 1.0, ("a", "2"): 0.0, ("b", "1"): 1.0, ("c", "1"): float("nan")})
    by_site, by_page = estimate(values), estimate(values, by_page=True)
    assert by_site is not None
    assert by_page is not None
    assert (by_site.mean, by_site.sites, by_site.pages) == (0.75, 2, 3)
    assert by_page.mean == pytest.approx(2 / 3)
    assert pd.isna(by_site.low), "too few sites for an interval"
    assert estimate(pages({("a", "1"): float("nan")})) is None


def test_intervals_are_repeatable_and_around_the_mean():
    values = pages({(f"site{number}", ""): number / 10 for number in range(10)})
    found = estimate(values)
    assert found is not None
    assert found == estimate(values)
    assert 0.2 < found.low < 0.35 < found.mean < 0.55 < found.high < 0.7
    assert found.without_zero
    same = estimate(pages({(f"site{number}", ""): 0.5 for number in range(6)}))
    assert same is not None
    assert (same.low, same.high) == (0.5, 0.5)


def test_chances_are_by_site_and_corrected_by_holm():
    better = pages({(f"site{n}", f"{page}"): 0.1 + n / 100 for n in range(6) for page in range(3)})
    assert chance(better) == pytest.approx(2 / 2**6), "all signs of six sites are equal; its pages do not count"
    assert chance(better - better) == 1
    assert pd.isna(chance(better[:12])), "four sites"
    assert holm([0.01, 0.04, 0.03, float("nan")])[:3] == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
