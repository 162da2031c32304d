"""Choosing from the grid: what a rule may look at, what it prefers, and what is measured with it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from templex_bench.measures import Score
from templex_bench.tuning.choice import (
    CAREFUL,
    KEPT,
    Field,
    Rule,
    choose,
    cross_validated,
    in_folds,
    one_by_one,
)
from templex_bench.tuning.grid import Grid, all_weights, weights_of
from templex_bench.tuning.measures import Measures, measures_of
from templex_bench.tuning.scores import COUNTED, PageScores

from templex_scrapy.mapping import PUBLISHED

GRID = Grid((weights_of(PUBLISHED), *all_weights(step=5)), thresholds=(5, 6, 7))
NODES = Rule(name="nodes", title="nodes", measure="f1", steady=False)
STEADY = replace(NODES, steady=True)
SITES = 6


def measures(f1: np.ndarray, kept: np.ndarray | float = 1.0) -> Measures:
    """Measures of which only F1 and the words that are kept matter."""
    whole = np.ones_like(f1)
    single = np.ones(len(f1))
    return Measures(
        sites=tuple(f"site{number}" for number in range(len(f1))),
        recall=whole,
        precision=whole,
        f1=f1,
        place_recall=whole,
        place_precision=whole,
        place_f1=f1,
        own_words_kept=whole * kept,
        content_words_kept=whole,
        template_words_gone=whole,
        ceiling=single,
        loads=single,
    )


def flat(value: float = 0.5) -> np.ndarray:
    """The same F1 everywhere."""
    return np.full((SITES, len(GRID)), value)


@pytest.mark.parametrize("make_folds", [one_by_one, in_folds])
def test_a_site_has_no_part_in_its_choice(make_folds):
    """What shines on one site alone is not chosen for it, however much it shines."""
    f1 = flat()
    for site in range(SITES):
        f1[site, 10 + site] = 1.0
    field = Field.of(GRID, {2: measures(f1)}, 2)
    validated = cross_validated(field, NODES, make_folds)
    assert (validated.values("f1") == 0.5).all()
    _, index = choose(field, NODES, range(SITES))
    assert f1[:, index].mean() > 0.5, "measured on the sites of the choice it looks better than it is"


def test_what_is_good_everywhere_is_chosen():
    """A combination that is best on all sites is chosen for each of them, by number of votes as well."""
    best = flat()
    best[:, 20] = 0.8
    field = Field.of(GRID, {1: measures(flat()), 2: measures(best), 3: measures(flat(0.4))}, 2)
    assert set(cross_validated(field, NODES).chosen) == {(2, 20)}


def test_folds_hold_every_site_once():
    """Both ways to leave sites out leave each out once."""
    for folds in (one_by_one(7), in_folds(7, 3), in_folds(2, 4)):
        assert sorted(site for fold in folds for site in fold) == list(range(sum(map(len, folds))))
    assert (len(in_folds(7, 3)), len(in_folds(2, 4)), len(one_by_one(7))) == (3, 2, 7)


def test_careful_rule_keeps_words():
    """The best F1 counts for nothing where it costs the page's own words; what KEPT allows is allowed."""
    f1, kept = flat(), np.ones((SITES, len(GRID)))
    f1[:, 5], kept[:, 5] = 0.9, 1 - 1.5 * KEPT
    f1[:, 6], kept[:, 6] = 0.8, 1 - 0.5 * KEPT
    field = Field.of(GRID, {2: measures(f1, kept)}, 2)
    assert choose(field, replace(CAREFUL, steady=False), range(SITES)) == (2, 6)
    assert choose(field, NODES, range(SITES)) == (2, 5)


def test_fewer_votes_do_not_lower_the_floor():
    """What must be kept is told by the published parameters with the published votes, not with those of the choice."""
    field = Field.of(GRID, {1: measures(flat(0.9), 0.97), 2: measures(flat())}, 2)
    votes, _ = choose(field, CAREFUL, range(SITES))
    assert votes == 2
    assert choose(field, NODES, range(SITES))[0] == 1


def test_papers_have_no_rule_of_ours():
    """A rule for the papers' combinations chooses none with ``unique``."""
    f1 = flat()
    f1[:, len(GRID) // 2 :] = 0.9
    f1[:, 3] = 0.6
    field = Field.of(GRID, {2: measures(f1)}, 2)
    papers = replace(NODES, papers=True)
    assert choose(field, papers, range(SITES)) == (2, 3)
    assert GRID.similarity(choose(field, NODES, range(SITES))[1]).unique


def test_equals_are_told_apart_by_their_neighbours():
    """Of two that are equally good, the one whose neighbours in threshold and weights are good, too."""
    f1 = flat()
    cube = f1.reshape(SITES, *GRID.shape)
    cube[:, 0, 0, 0] = 0.9
    cube[:, 0, 4, 1], cube[:, 0, 4, 0] = 0.9, 0.8
    field = Field.of(GRID, {2: measures(f1)}, 2)
    assert choose(field, NODES, range(SITES)) == (2, int(np.ravel_multi_index((0, 4, 1), GRID.shape)))


def test_steady_rule_does_not_trust_a_peak():
    """A single peak loses to a combination that is less good, and whose neighbours are as good as itself."""
    f1 = flat()
    cube = f1.reshape(SITES, *GRID.shape)
    cube[:, 0, 0, 0] = 0.7
    cube[:, 3] = 0.65
    field = Field.of(GRID, {2: measures(f1)}, 2)
    assert choose(field, NODES, range(SITES)) == (2, 0)
    _, index = choose(field, STEADY, range(SITES))
    assert np.unravel_index(index, GRID.shape)[0] == 3


def test_one_site_cannot_be_validated():
    """With a single site there is nothing to choose from."""
    with pytest.raises(ValueError, match="two sites"):
        cross_validated(Field.of(GRID, {2: measures(flat()[:1])}, 2), NODES)


def scores(site: str, url: str, nodes: int, columns: list[list[int]], outcomes: list[int]) -> PageScores:
    """Scores on a page of 100 own words, 50 of the main content and 40 of the template."""
    return PageScores(
        site=site,
        key_url=url,
        size=3,
        votes=2,
        loads=4,
        voters=3,
        nodes=nodes,
        ceiling=nodes // 2,
        own_words=100,
        content_words=50,
        template_words=40,
        counts=np.array(columns, dtype=np.int32).T,
        outcomes=np.array(outcomes, dtype=np.uint32),
    )


def test_measures_of_pages_and_sites():
    """Rates are those of the workbench; a site counts once however many key pages it has."""
    found = [10, 8, 9, 6, 1, 2, 30]
    nothing = [0] * len(COUNTED)
    one = scores("a", "1", 12, [found, nothing], [0, 1, 0])
    other = scores("a", "2", 0, [nothing, found], [0, 0, 1])
    third = scores("b", "1", 12, [found], [0, 0, 0])
    got = measures_of([("suite", one), ("suite", other), ("suite", third)])
    place, nodes = Score.of(12, 10, 8), Score.of(12, 9, 6)
    assert got.sites == ("a", "b")
    assert got.f1[1].tolist() == [nodes.f1] * 3
    assert got.place_recall[1].tolist() == [place.recall] * 3
    assert got.precision[0] == pytest.approx([(nodes.precision + 1) / 2, (0 + 1) / 2, (nodes.precision + 0) / 2])
    assert got.own_words_kept[0] == pytest.approx([0.995, 1.0, 0.99])
    assert got.content_words_kept[1] == pytest.approx(0.96)
    assert got.template_words_gone[1] == pytest.approx(0.75)
    assert got.ceiling.tolist() == pytest.approx([(2 * 6 / 18 + 1) / 2, 2 * 6 / 18])
    assert got.loads.tolist() == [5.0, 5.0]


def test_suites_are_told_where_there_are_several():
    """Sites of the same name in two suites are two sites."""
    page = scores("a", "1", 12, [[1] * len(COUNTED)], [0])
    assert measures_of([("one", page), ("two", page)]).sites == ("one/a", "two/a")
