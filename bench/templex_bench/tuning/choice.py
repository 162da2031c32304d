"""Choosing from the grid, and how good such a choice is on sites that had no part in it (cross-validation by site)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from templex_bench.tuning.grid import Floats, Grid
from templex_scrapy.mapping import PUBLISHED

KEPT = 0.001
"""How much more of a page's own words a careful choice may lose than the published parameters do: 1 in 1,000."""

Measures = Mapping[str, Floats]
"""Measure → a row for each site, a column for each combination, all in [0, 1]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How a combination is chosen from some sites.

    Attributes:
        title: what it looks for.
        measure: what is to be as large as possible: its mean over the sites.
        steady: whether a combination counts with the mean over those one step away in the grid: what is good all around
            is less a matter of luck than the single best of thousands.
        careful: whether a combination must keep the page's own words, to :data:`KEPT` as well as the published one.
        papers: whether only combinations count that the papers have, those without the rule ``unique``.
    """

    title: str
    measure: str = "f1"
    steady: bool = True
    careful: bool = False
    papers: bool = False

    def ranked(self, grid: Grid, measures: Measures, sites: Sequence[int]) -> Floats:
        """Return how good each combination is on some sites, in [0, 1]; -1 for those that do not count."""
        chosen = list(sites)
        values: Floats = measures[self.measure][chosen].mean(axis=0)
        if self.steady:
            values = _neighbourhood(values, grid)
        counting = np.ones(len(grid), dtype=np.bool_)
        if self.papers:
            counting &= np.repeat([not unique for unique in grid.unique], np.prod(grid.shape[1:]))
        if self.careful:
            kept = measures["own_words_kept"][chosen].mean(axis=0)
            counting &= kept >= kept[grid.index(PUBLISHED)] - KEPT
        return np.where(counting, values, -1.0)


CAREFUL = Rule(title="content kept, then most template nodes", careful=True)
"""What users want: content never lost, then template removed."""

RULES = (
    CAREFUL,
    Rule(title="content kept, then most template words removed", measure="template_words_gone", careful=True),
    Rule(title="most template nodes, without our rule", papers=True),
    Rule(title="most template nodes, the single best", steady=False),
)
"""The rules that are tried."""


def choose(grid: Grid, measures: Measures, rule: Rule, sites: Sequence[int]) -> int:
    """Return the best combination on some sites; of equals the one among the best neighbours, then the first."""
    values = rule.ranked(grid, measures, sites)
    # sums of floats in another order differ in their last digits
    top = np.flatnonzero(values >= values.max() - 1e-9)
    return int(top[_neighbourhood(values, grid)[top].argmax()])


def _neighbourhood(values: Floats, grid: Grid) -> Floats:
    """Return for each combination the mean over those one step away in the grid, itself included."""
    by_weights, by_threshold = grid.neighbours
    around: Floats = by_weights @ (values.reshape(grid.shape) @ by_threshold.T)
    return around.reshape(-1)


def cross_validated(grid: Grid, measures: Measures, rule: Rule) -> list[int]:
    """Return for each site the combination that is chosen from all other sites."""
    sites = range(len(measures["f1"]))
    return [choose(grid, measures, rule, [other for other in sites if other != site]) for site in sites]
