"""Confidence intervals by bootstrap over sites.

Pages of one site resemble each other, so the sites are what is drawn again, each with all its key pages (a cluster
bootstrap). The interval is the percentile interval (Efron and Tibshirani, An Introduction to the Bootstrap, 1993,
chapter 13).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    Attributes:
        low: its lower end.
        high: its upper end, not below ``low``.
    """

    low: float
    high: float

    @property
    def without_zero(self) -> bool:
        """Whether all of it lies on one side of 0: the difference is significant at the interval's level."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Draws sites with replacement, always the same ones for the same number of sites.

    Attributes:
        resamples: how often the sites are drawn.
        seed: of the pseudo-random numbers.
        level: of the intervals, in (0, 1).
        fewest_sites: below that many sites there is no interval; of two or three sites it would promise too much.
    """

    resamples: int = 10_000
    seed: int = 1
    level: float = 0.95
    fewest_sites: int = 5

    def mean(self, values: Sequence[float], weights: Sequence[float] | None = None) -> Interval | None:
        """The interval of a weighted mean.

        Args:
            values: one for each site.
            weights: one for each site, above 0, drawn together with its value; None: all equal.

        Returns:
            The interval; None where there are too few sites.
        """
        if len(values) < self.fewest_sites:
            return None
        weight = np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
        sums = self._draw(len(values)) @ np.column_stack([weight * np.asarray(values, dtype=np.float64), weight])
        return self._percentiles(sums[:, 0] / sums[:, 1])

    def slope(self, points: Sequence[Sequence[tuple[float, float]]]) -> Interval | None:
        """The interval of the slope of the least-squares line.

        Args:
            points: for each site, its points (x, y).

        Returns:
            The interval; None where there are too few sites or all points share one x.
        """
        if len(points) < self.fewest_sites:
            return None
        sums = self._draw(len(points)) @ np.array([_line_sums(site) for site in points])
        slopes = _slopes(sums)
        slopes = slopes[np.isfinite(slopes)]
        return self._percentiles(slopes) if len(slopes) else None

    def _draw(self, sites: int) -> Floats:
        return _counts(self.resamples, self.seed, sites)

    def _percentiles(self, distribution: Floats) -> Interval:
        tail = (1 - self.level) / 2
        low, high = np.quantile(distribution, [tail, 1 - tail])
        return Interval(float(low), float(high))


@lru_cache(maxsize=64)
def _counts(resamples: int, seed: int, sites: int) -> Floats:
    """How often each site is in each resample."""
    numbers = np.random.Generator(np.random.PCG64(seed))
    return numbers.multinomial(sites, [1 / sites] * sites, size=resamples).astype(np.float64)


def slope(points: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Slope and intercept of the least-squares line through points (x, y); None where all share one x."""
    sums = np.array([_line_sums(points)])
    steepness = float(_slopes(sums)[0])
    if not np.isfinite(steepness):
        return None
    count, x, y = sums[0, :3]
    return steepness, float((y - steepness * x) / count)


def _line_sums(points: Sequence[tuple[float, float]]) -> tuple[float, ...]:
    return (
        float(len(points)),
        sum(x for x, _ in points),
        sum(y for _, y in points),
        sum(x * x for x, _ in points),
        sum(x * y for x, y in points),
    )


def _slopes(sums: Floats) -> Floats:
    count, x, y, xx, xy = sums.T
    spread = count * xx - x * x
    # A spread of rounding errors alone is none.
    real = spread > 1e-9 * np.maximum(count * xx, 1.0)
    slopes: Floats = np.full(len(spread), np.nan)
    np.divide(count * xy - x * y, spread, out=slopes, where=real)
    return slopes
