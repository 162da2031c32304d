"""Choosing from the grid, and how good such a choice is on sites that had no part in it (cross-validation by site)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from templex_bench.tuning.grid import Floats, Grid
from templex_bench.tuning.measures import Measures
from templex_scrapy.mapping import PUBLISHED

KEPT = 0.001
"""How much more of a page's own words a careful choice may lose than the published parameters do: 1 in 1,000."""


@dataclass(frozen=True, slots=True)
class Field:
    """What there is to choose from at one size of the complete subdigraph.

    Attributes:
        grid: the combinations.
        measures: by number of votes, the same sites in each.
        floor: for each site the share of own words that the published parameters keep, with the published votes.
    """

    grid: Grid
    measures: Mapping[int, Measures]
    floor: Floats

    @classmethod
    def of(cls, grid: Grid, measures: Mapping[int, Measures], published_votes: int) -> Field:
        """All numbers of votes, one of them the published one."""
        return cls(grid, measures, measures[published_votes].own_words_kept[:, grid.index(PUBLISHED)])

    def with_votes(self, votes: int) -> Field:
        """One number of votes alone."""
        return Field(self.grid, {votes: self.measures[votes]}, self.floor)

    @property
    def sites(self) -> int:
        """Number of sites."""
        return len(self.floor)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How a combination is chosen from some sites.

    Attributes:
        name: short.
        title: what it looks for, for readers.
        measure: what is to be as large as possible, a field of :class:`Measures`: its mean over the sites.
        steady: whether a combination counts with the mean over those one step away in the grid, itself included: what
            is good all around is less a matter of luck than the single best of thousands.
        careful: whether a combination must keep the page's own words, to :data:`KEPT` as well as the published
            parameters do.
        papers: whether only combinations count that the papers have, those without the rule ``unique``.
    """

    name: str
    title: str
    measure: str
    steady: bool = True
    careful: bool = False
    papers: bool = False

    def ranked(self, field: Field, votes: int, sites: Sequence[int]) -> Floats:
        """How good each combination is on some sites, in [0, 1]; -1 for those that do not count."""
        measures, chosen = field.measures[votes], list(sites)
        values: Floats = getattr(measures, self.measure)[chosen].mean(axis=0)
        if self.steady:
            values = _neighbourhood(values, field.grid)
        counting = np.ones(len(field.grid), dtype=np.bool_)
        if self.papers:
            counting &= np.repeat([not unique for unique, _ in field.grid.variants], np.prod(field.grid.shape[1:]))
        if self.careful:
            counting &= measures.own_words_kept[chosen].mean(axis=0) >= field.floor[chosen].mean() - KEPT
        return np.where(counting, values, -1.0)


CAREFUL = Rule(
    name="careful",
    title="content kept, then most template nodes",
    measure="f1",
    careful=True,
)
"""What the plug-in's users want: content never lost, then template gone."""

RULES = (
    CAREFUL,
    Rule(
        name="words", title="content kept, then most template words gone", measure="template_words_gone", careful=True
    ),
    Rule(name="papers", title="most template nodes, without our rule", measure="f1", papers=True),
    Rule(name="places", title="most template nodes by place alone", measure="place_f1", papers=True),
    Rule(name="peak", title="most template nodes, the single best", measure="f1", steady=False),
)
"""The rules that are tried."""

Setting = tuple[int, int]
"""Number of votes, and index of the combination."""


@dataclass(frozen=True, slots=True)
class Validated:
    """What a rule chooses for each site without having seen it.

    Attributes:
        field: what there was to choose from.
        chosen: for each site the setting.
    """

    field: Field
    chosen: tuple[Setting, ...]

    def values(self, name: str) -> Floats:
        """The measure on each site, with the setting that was chosen without it."""
        measures = self.field.measures
        return np.array(
            [getattr(measures[votes], name)[site, index] for site, (votes, index) in enumerate(self.chosen)]
        )


def choose(field: Field, rule: Rule, sites: Sequence[int]) -> Setting:
    """The best setting on some sites.

    Args:
        field: what there is to choose from.
        rule: what is best.
        sites: indexes of the sites that may be looked at.

    Returns:
        Of equals, the one among the best neighbours in the grid: what is good all around is least a matter of luck.
        Then the one with the fewest votes, then the first.
    """
    found = []
    for votes in sorted(field.measures):
        values = rule.ranked(field, votes, sites)
        # sums of floats in another order differ in their last digits
        top = np.flatnonzero(values >= values.max() - 1e-9)
        near = _neighbourhood(values, field.grid)[top]
        index = int(top[near.argmax()])
        found.append((round(float(values[index]), 9), round(float(near.max()), 9), -votes, -index))
    _, _, votes, index = max(found)
    return -votes, -index


def _neighbourhood(values: Floats, grid: Grid) -> Floats:
    """For each combination the mean of the measure over those one step away in the grid, itself included."""
    by_weights, by_threshold = grid.neighbours
    around: Floats = by_weights @ (values.reshape(grid.shape) @ by_threshold.T)
    return around.reshape(-1)


Folds = Sequence[Sequence[int]]
"""Groups of sites, by their indexes; each is left out once."""


def one_by_one(sites: int) -> Folds:
    """Each site is left out alone."""
    return [[site] for site in range(sites)]


def in_folds(sites: int, folds: int = 4) -> Folds:
    """The sites dealt out one by one, in their order, to so many folds."""
    return [list(range(fold, sites, folds)) for fold in range(min(folds, sites))]


def cross_validated(field: Field, rule: Rule, make_folds: Callable[[int], Folds] = one_by_one) -> Validated:
    """Choose for each fold from all sites outside of it.

    Args:
        field: what there is to choose from, on at least two sites.
        rule: how to choose.
        make_folds: :func:`one_by_one` or :func:`in_folds`.

    Raises:
        ValueError: if there are fewer than two sites.
    """
    if field.sites < 2:
        raise ValueError("cross-validation by site needs two sites at least")
    chosen: dict[int, Setting] = {}
    for fold in make_folds(field.sites):
        setting = choose(field, rule, [site for site in range(field.sites) if site not in fold])
        chosen.update(dict.fromkeys(fold, setting))
    return Validated(field, tuple(chosen[site] for site in range(field.sites)))
