"""Means over sites, with intervals by bootstrap over sites.

A mean is the mean over the sites of the mean over the key pages, so that a site counts once however many key pages it
has. In a suite whose sites have key pages of several types (WCXB) every page counts once, as in that benchmark; its
intervals still come from drawing sites.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pandas as pd
from scipy.stats import bootstrap, wilcoxon

FEWEST = 5
"""With fewer sites there is no interval: it would promise too much."""

RESAMPLES, SEED, LEVEL = 9_999, 1, 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its confidence interval; NaN if there are too few sites for an interval."""

    mean: float
    low: float
    high: float
    sites: int
    pages: int

    @property
    def without_zero(self) -> bool:
        """Whether the interval lies on one side of 0."""
        return self.low > 0 or self.high < 0


def estimate(pages: pd.Series[float], *, by_page: bool = False, interval: bool = True) -> Estimate | None:
    """Return the mean of values indexed by site and key page; None where there are none.

    Every site counts once, or every page. The interval takes most of the time.
    """
    pages = pages.dropna()
    if not len(pages):
        return None
    _, of_page = np.unique(pages.index.get_level_values(0).to_numpy(str), return_inverse=True)
    sizes = np.bincount(of_page)
    values = tuple(np.bincount(of_page, pages.to_numpy()) / sizes)
    weights = tuple(sizes if by_page else np.ones(len(sizes)))
    low = high = float("nan")
    if interval and len(values) >= FEWEST:
        low, high = _interval(values, weights)
    return Estimate(float(np.average(values, weights=weights)), low, high, len(values), len(pages))


def chance(pages: pd.Series[float]) -> float:
    """Return the p-value of Wilcoxon's signed-rank test of the paired differences of sites; NaN for few sites."""
    sites = pages.dropna().groupby(level=0).mean()
    if len(sites) < FEWEST:
        return float("nan")
    return float(wilcoxon(sites.round(9)).pvalue) if sites.round(9).any() else 1.0


def holm(chances: Sequence[float]) -> list[float]:
    """Return p-values of several tests, corrected by Holm's step-down method; NaN is no test."""
    order = sorted((p, at) for at, p in enumerate(chances) if not pd.isna(p))
    found = [float("nan")] * len(chances)
    least = 0.0
    for rank, (p, at) in enumerate(order):
        least = found[at] = max(least, min(1.0, (len(order) - rank) * p))
    return found


@lru_cache(maxsize=4096)
def _interval(values: tuple[float, ...], weights: tuple[float, ...]) -> tuple[float, float]:
    if len(set(values)) == 1:
        return values[0], values[0]

    def mean(sample: np.ndarray, weight: np.ndarray, axis: int) -> np.ndarray:
        average: np.ndarray = (sample * weight).sum(axis=axis) / weight.sum(axis=axis)
        return average

    found = bootstrap(
        (values, weights),
        mean,
        paired=True,
        vectorized=True,
        n_resamples=RESAMPLES,
        confidence_level=LEVEL,
        method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval
    return float(found.low), float(found.high)
