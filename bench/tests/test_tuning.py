"""All combinations of the grid at once against the plain detectors, one by one, on generated and on saved pages."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from literal import mapping
from strategies import flat_pairs, labelled_pairs, page_groups, page_pairs, run_pairs
from templex_bench.candidates import find_subdigraph
from templex_bench.gold import open_suite
from templex_bench.tuning.ballots import Ballot, Findings
from templex_bench.tuning.grid import Grid, all_weights
from templex_bench.tuning.places import Free, position_values, positions
from templex_bench.tuning.sheets import PairTables, Sheet, map_trees

from templex_scrapy import Template
from templex_scrapy.mapping import (
    POSITION_OPTIONS,
    PUBLISHED,
    PUBLISHED_QUICK,
    TEMPLEX,
    Similarity,
    map_pages,
    position_value,
)
from templex_scrapy.page import Page
from templex_scrapy.template.detect import detect_template
from templex_scrapy.template.voters import distinct

SITES = Path(__file__).resolve().parents[3] / "shared" / "sites"
URL = "https://site.test/"
SMALL = Grid(tuple(all_weights(step=5)), thresholds=(1, 6, 10))
WHOLE = Grid.of_the_thesis()

grids = st.builds(
    Grid,
    weights=st.lists(st.sampled_from(WHOLE.weights), min_size=1, max_size=12, unique=True).map(tuple),
    thresholds=st.sets(st.integers(1, 10), min_size=1, max_size=4).map(lambda found: tuple(sorted(found))),
)
some_pages = settings(max_examples=settings().max_examples // 5)  # each of them with many combinations


def nodes_at(sets: list[int], combination: int) -> set[int]:
    """The nodes that one combination finds."""
    return {node for node, some in enumerate(sets) if some >> combination & 1}


def chosen(grid: Grid, seed: int, most: int = 24) -> list[int]:
    """Some combinations."""
    return random.Random(seed).sample(range(len(grid)), min(most, len(grid)))


def findings(key: Page, pages: list[Page], votes: int, tables: PairTables) -> Findings:
    """What all combinations find."""
    sheet, *others = map(Sheet, distinct([key, *pages]))
    overlays = [map_trees(sheet, other, tables) for other in others]
    return Ballot(sheet, others, overlays, tables.grid.everything).findings(votes)


def assert_as_plain(key: Page, pages: list[Page], votes: int, found: Findings, similarity: Similarity, at: int) -> None:
    """One combination finds what the detectors find with it."""
    plain = detect_template(key, pages, votes, similarity=similarity, same=False)
    assert nodes_at(found.places, at) == plain
    assert nodes_at(found.nodes, at) == detect_template(key, pages, votes, similarity=similarity)
    item = Template.from_pages(key, pages, votes, similarity=similarity).match(key)
    assert nodes_at(found.removed, at) == item.removable


@pytest.mark.parametrize(
    "pairs", [page_pairs, flat_pairs, labelled_pairs, run_pairs], ids=["pages", "siblings", "labelled", "runs"]
)
def test_overlay_is_the_mapping(pairs) -> None:
    """Every combination maps the nodes that the plain mapping maps."""

    @some_pages
    @given(pairs, grids, st.integers())
    def check(htmls, grid, seed) -> None:
        key, page = (Page(html, f"{URL}{name}") for name, html in zip("ab", htmls, strict=True))
        found = map_trees(Sheet(key), Sheet(page), PairTables(grid))
        for combination in chosen(grid, seed):
            assert nodes_at(found.place, combination) == map_pages(key, page, grid.similarity(combination)).keys()

    check()


@some_pages
@given(page_groups, grids, st.integers(1, 4), st.integers())
def test_votes_and_removal(htmls, grid, votes, seed) -> None:
    """Every combination finds the nodes by place, those that say the same, and what goes from an item."""
    key, *pages = (Page(html, f"{URL}{number}") for number, html in enumerate(htmls))
    found = findings(key, pages, votes, PairTables(grid))
    for combination in chosen(grid, seed, 8):
        assert_as_plain(key, pages, votes, found, grid.similarity(combination), combination)


LINKS = (
    '<ul><li><a href="one.html">One</a></li><li><a href="#x">Two</a></li><li><a href="/three?q=1">Three</a></li></ul>'
)
PIECES = (
    f"<div class='menu'>{LINKS}</div>",
    f"<nav>{LINKS}<button><b>Go</b> <a href='go'>there</a></button></nav>",
    "<p>All rights reserved by the miller and his heirs <a href='/law'>by law</a></p>",
    "<div>Sponsors of ours: <iframe src='x'></iframe><a href='/s'>one</a> <a href='/t'>two</a></div>",
    "<a href='/all'><span>To all of the mills</span><img src='m.png'></a>",
    "<table><tr><td>one</td><td><b>two</b></td></tr><tr><td>{0}</td><td>same words here</td></tr></table>",
    "<h1>Of {0}</h1><p>The story of {0}, told by the miller.</p>",
    "<p>{0}</p>",
    "<p>Turn the wheel to <b>{0}</b> and do not stop before <i>noon</i></p>",
    f"<ul>{'<li>by {0} <i>the author</i></li>' * 10}</ul>",
    f"<ol>{'<li><a href=all>rows</a> of {0}</li>' * 6}{'<li><a href=all>rows</a> of all</li>' * 5}</ol>",
)


@some_pages
@given(
    st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6), min_size=2, max_size=5),
    st.integers(1, 3),
    st.integers(),
)
def test_links_media_and_blocks(pages, votes, seed) -> None:
    """Links and media that go as a whole, blocks that move, frames and cells that stay: as in the plain detectors."""
    key, *others = (
        Page(f"<body>{''.join(pieces).format(number)}</body>", f"{URL}{'d/' * (number % 2)}{number}.html")
        for number, pieces in enumerate(pages)
    )
    found = findings(key, others, votes, PairTables(SMALL))
    for combination in chosen(SMALL, seed, 6):
        assert_as_plain(key, others, votes, found, SMALL.similarity(combination), combination)


@pytest.mark.shared
@pytest.mark.skipif(not SITES.is_dir(), reason="the saved sites are not in ../shared")
@pytest.mark.parametrize("number", [0, *(pytest.param(number, marks=pytest.mark.slow) for number in (1, 2, 3))])
def test_saved_sites(number) -> None:
    """On real pages, too, with the grid of the thesis; one key page of every fourth site."""
    site = open_suite(SITES).sites[4 * number]
    key = site.key_page(site.key_urls[number]).page
    pages = list(find_subdigraph(key, site.fetch, size=3).pages)
    found = findings(key, pages, 2, PairTables(WHOLE))
    named = [WHOLE.index(similarity) for similarity in (TEMPLEX, PUBLISHED, PUBLISHED_QUICK)]
    for combination in [*named, *chosen(WHOLE, number, 12)]:
        assert_as_plain(key, pages, 2, found, WHOLE.similarity(combination), combination)


def test_grid_of_the_thesis() -> None:
    """286 weights, ten thresholds, four options, with and without our own rule; the named parameters are in it."""
    assert (len(WHOLE.weights), len(WHOLE)) == (286, 286 * 10 * 4 * 2)
    for similarity in (TEMPLEX, PUBLISHED, PUBLISHED_QUICK):
        assert WHOLE.similarity(WHOLE.index(similarity)) == similarity
    assert [WHOLE.index(WHOLE.similarity(index)) for index in range(0, len(WHOLE), 997)] == list(
        range(0, len(WHOLE), 997)
    )


@pytest.mark.parametrize("changed", [{"threshold": 0.65}, {"position": 0.35, "classes": 0.15}, {"threshold": 0.0}])
def test_what_is_not_in_the_grid(changed) -> None:
    """A combination between two of the grid is refused, not taken for its neighbour."""
    values = {"position": 0.4, "classes": 0.1, "children": 0.5, "attributes": 0.0, "threshold": 0.6, "option": 4}
    with pytest.raises(ValueError, match="not in the grid"):
        WHOLE.index(Similarity(**{**values, **changed}))


def test_sets_of_combinations() -> None:
    """A mask survives being packed, whatever its size."""
    mask = np.random.default_rng(1).random(SMALL.shape) < 0.5
    assert (SMALL.unpacked([SMALL.packed(mask), 0])[0] == mask.reshape(-1)).all()
    assert SMALL.unpacked([SMALL.everything]).all()
    equals = nodes_at([1], 0)
    assert equals == {0}
    assert SMALL.pairing_equals == sum(
        1 << index for index in range(len(SMALL)) if SMALL.similarity(index).pairs_equals
    )


@pytest.mark.parametrize(("n_a", "n_b"), [(1, 1), (3, 3), (2, 5), (5, 2), (1, 4)])
def test_position_values(n_a, n_b) -> None:
    """The matrix holds the single values."""
    assert position_values(n_a, n_b).tolist() == [
        [position_value(i, j, n_a, n_b) for j in range(n_b)] for i in range(n_a)
    ]


@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 5), st.randoms(use_true_random=False))
def test_positions_of_what_is_free(n_a, n_b, count, chance):
    """After any pairs, crossing ones too, each option tells the positions that the literal version tells."""
    count = min(count, n_a, n_b)
    made = list(zip(chance.sample(range(n_a), count), chance.sample(range(n_b), count), strict=True))
    free = Free.all(n_a, n_b)
    for pair in made:
        free = free.without(*pair)
    for option in POSITION_OPTIONS:
        place = positions(free, option)
        found = {
            (int(i), int(j)): place.values[x, y]
            for x, i in enumerate(free.a)
            for y, j in enumerate(free.b)
            if place.allowed[x, y]
        }
        assert found == mapping.position_values(n_a, n_b, made, option)
        for i, j in found if option == 1 else ():
            assert free.in_one_block(i, j)


def test_what_further_pairs_depend_on():
    """Pairs that cross leave other blocks than pairs that do not; where blocks do not count, both leave the same."""
    straight = Free.all(3, 3).without(0, 0).without(2, 2)
    crossing = Free.all(3, 3).without(0, 2).without(2, 0)
    assert [straight.state(option) == crossing.state(option) for option in (1, 2, 3, 4)] == [False, False, True, True]
