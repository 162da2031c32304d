"""Means over sites, with intervals, of chosen experiments.

A mean is the mean over the sites of the mean over the key pages, so that a site counts once however many key pages it
has. In a suite whose sites hold pages of several types (WCXB), every page counts once, which is that benchmark's own
measure; its intervals still come from drawing sites.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import Literal, Protocol

from templex_bench.bootstrap import Bootstrap, Interval
from templex_bench.experiment import Experiment
from templex_bench.readings import is_reading

Measure = Callable[[Experiment], float | None]
Weighting = Literal["sites", "pages"]
PageKey = tuple[str, str]
"""Site and address of a key page."""


class PageSimilarity(Protocol):
    """How much a key page and a page that it links to have in common."""

    @property
    def suite(self) -> str:
        """Name of the suite."""

    @property
    def site(self) -> str:
        """Name of the site."""

    @property
    def key_url(self) -> str:
        """Address of the key page."""

    @property
    def url(self) -> str:
        """Address of the linked page."""

    @property
    def distance(self) -> int:
        """Hyperlink distance from the key page to the page."""

    @property
    def similarity(self) -> float:
        """Share of the nodes of both pages that the equal top-down mapping maps, in [0, 1]."""

    @property
    def recall(self) -> float | None:
        """Share of the key page's gold template that is mapped, in [0, 1]; None without a gold standard."""


@dataclass(frozen=True, slots=True)
class Population:
    """How many sites and key pages there are to be measured."""

    sites: int
    pages: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean.

    Attributes:
        mean: the mean.
        interval: its confidence interval; None where there are too few sites.
        sites: number of sites that it rests on.
        pages: number of key pages that it rests on.
    """

    mean: float
    interval: Interval | None
    sites: int
    pages: int

    def turned_round(self) -> Estimate:
        """The difference seen from the other side."""
        interval = self.interval and replace(self.interval, low=-self.interval.high, high=-self.interval.low)
        return replace(self, mean=-self.mean, interval=interval)


def recall(row: Experiment) -> float | None:
    """Share of the gold standard that was found."""
    return row.recall


def precision(row: Experiment) -> float | None:
    """Share of what was found that the gold standard has."""
    return row.precision


def f1(row: Experiment) -> float | None:
    """Harmonic mean of recall and precision."""
    return row.f1


def loads(row: Experiment) -> float | None:
    """Pages loaded, the key page included, as the papers count."""
    return row.loads + 1.0


def found_size(row: Experiment) -> float | None:
    """Size of the complete subdigraph that was found."""
    return float(row.cs_size)


def runtime(row: Experiment) -> float | None:
    """Seconds of detection; None where it went wrong, for that took the time of something else."""
    return None if row.error else row.runtime


def page_of(row: Experiment) -> PageKey:
    """The key page of an experiment."""
    return row.site, row.key_url


def by_page(rows: Iterable[Experiment], measure: Measure) -> dict[PageKey, float]:
    """The measure of each key page; repetitions on one page (other seeds, say) are averaged."""
    values: dict[PageKey, list[float]] = {}
    for row in rows:
        value = measure(row)
        if value is not None:
            values.setdefault(page_of(row), []).append(value)
    return {page: fmean(values[page]) for page in sorted(values)}


def by_site(pages: Iterable[tuple[PageKey, float]]) -> dict[str, list[float]]:
    """The values of each site's key pages."""
    sites: dict[str, list[float]] = {}
    for (site, _), value in pages:
        sites.setdefault(site, []).append(value)
    return {site: sites[site] for site in sorted(sites)}


def without_readings(rows: Iterable[Experiment]) -> list[Experiment]:
    """The rows of the default readings; all rows of a detector that has no others."""
    rows = list(rows)
    plain = {row.detector for row in rows if not is_reading(row.parameters)}
    return [row for row in rows if row.detector not in plain or not is_reading(row.parameters)]


def experiments_in(rows: Iterable[Experiment]) -> int:
    """How many experiments some rows are of: one that was measured by nodes and by words has two."""
    return len({(row.detector, json.dumps(row.parameters, sort_keys=True, default=str), *page_of(row)) for row in rows})


@dataclass(frozen=True)
class Study:
    """The experiments of one suite that are to be reported, and how.

    Attributes:
        suite: name of the suite.
        slug: another name for it, unique, of lower-case letters, digits and hyphens.
        experiments: its rows, in an order that does not depend on how they were made.
        similarities: its rows on the similarity of linked pages.
        bootstrap: what makes the intervals.
        command: what makes its experiments, or reports them; with ``--table`` and a name behind it, it prints a table.
        lost: how many of its key pages could not be measured.
    """

    suite: str
    slug: str
    experiments: Sequence[Experiment]
    similarities: Sequence[PageSimilarity]
    bootstrap: Bootstrap
    command: str = ""
    lost: int = 0

    def rows(self, target: str, unit: str) -> list[Experiment]:
        """The rows with a gold standard, those that went wrong included: their measures tell what that costs.

        Other readings of a paper than the default are left out where a detector has rows of the default.
        """
        return without_readings(self._with_gold.get((target, unit), []))

    def all_readings(self, target: str, unit: str) -> list[Experiment]:
        """The rows with a gold standard, the other readings of the papers included."""
        return list(self._with_gold.get((target, unit), []))

    @cached_property
    def _with_gold(self) -> dict[tuple[str, str], list[Experiment]]:
        found: dict[tuple[str, str], list[Experiment]] = {}
        for row in self.experiments:
            if row.gold is not None:
                found.setdefault((row.target, row.unit), []).append(row)
        return found

    @cached_property
    def page_types(self) -> bool:
        """Whether a site holds key pages of several categories: then the categories are types of pages."""
        categories: dict[str, str] = {}
        return any(categories.setdefault(row.site, row.category) != row.category for row in self.experiments)

    @property
    def weighting(self) -> Weighting:
        """What counts once in a mean."""
        return "pages" if self.page_types else "sites"

    @cached_property
    def categories(self) -> list[str]:
        """The categories that are told, sorted."""
        return sorted({row.category for row in self.experiments} - {""})

    @cached_property
    def counts(self) -> tuple[int, int]:
        """The experiments, and those of them that went wrong; an experiment has a row for each unit."""
        return experiments_in(self.experiments), experiments_in(row for row in self.experiments if row.error)

    def population(self, category: str | None = None) -> Population:
        """All sites and key pages of the suite, or of a category of it."""
        pages = {page_of(row) for row in self.experiments if category is None or row.category == category}
        return Population(len({site for site, _ in pages}), len(pages))

    def estimate(
        self, rows: Iterable[Experiment], measure: Measure = f1, weighting: Weighting | None = None
    ) -> Estimate | None:
        """The mean of a measure.

        Args:
            rows: the experiments; one configuration of one detector.
            measure: what is averaged; pages for which it is None are left out.
            weighting: what counts once; None: as the suite has it.

        Returns:
            The mean; None where there is nothing to average.
        """
        return self.mean_of_pages(by_page(rows, measure), weighting)

    def difference(
        self, ours: Iterable[Experiment], theirs: Iterable[Experiment], measure: Measure = f1
    ) -> Estimate | None:
        """The mean of ours minus theirs, paired by key page; pages that only one of both has are left out."""
        left, right = by_page(ours, measure), by_page(theirs, measure)
        return self.mean_of_pages({page: value - right[page] for page, value in left.items() if page in right})

    def mean_of_pages(self, pages: dict[PageKey, float], weighting: Weighting | None = None) -> Estimate | None:
        """The mean over sites of the mean over pages, or over all pages, with the interval from drawing sites."""
        if not pages:
            return None
        means, weights = self._weighted(pages, weighting)
        return Estimate(_mean(means, weights), self.bootstrap.mean(means, weights), len(means), len(pages))

    def plain_mean(self, pages: dict[PageKey, float]) -> float:
        """The same mean without its interval, which takes most of the time.

        Args:
            pages: one at least.
        """
        return _mean(*self._weighted(pages))

    def _weighted(
        self, pages: dict[PageKey, float], weighting: Weighting | None = None
    ) -> tuple[list[float], list[float]]:
        """The means of the sites, and how much each counts."""
        sites = by_site(pages.items())
        means = [fmean(values) for values in sites.values()]
        if (weighting or self.weighting) == "sites":
            return means, [1.0] * len(means)
        return means, [float(len(values)) for values in sites.values()]


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    return sum(value * weight for value, weight in zip(values, weights, strict=True)) / sum(weights)
