"""A reading for each site, chosen without it: what a detector reaches where its reading was not chosen on the site.

The readings of a paper were decided by measuring them, often on the very sites that the report is about. For each site
the reading that is best on all other sites is taken, and measured on that site alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from templex_bench.measured_readings import DEFAULT, Measured, measured_readings
from templex_bench.study import Estimate, PageKey, Study, by_page, f1, precision, recall
from templex_bench.variants import Method

FEWEST = 2
"""Sites that it takes: one to measure on, and one to choose on."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A detector, each site with the reading that was chosen without it.

    Attributes:
        readings: for each site the title of its reading.
        recall: the mean recall.
        precision: the mean precision.
        f1: the mean F1.
        less: the F1 less that of the default, paired by key page.
    """

    readings: Mapping[str, str]
    recall: Estimate | None
    precision: Estimate | None
    f1: Estimate | None
    less: Estimate | None


def left_out(study: Study, readings: Sequence[Measured]) -> LeftOut | None:
    """Choose for each site the reading with the best F1 on all others; of equals the default, then the first.

    Args:
        study: how means are made.
        readings: those of one detector, the default first, all under the same conditions.

    Returns:
        What it comes to; None for fewer than two readings, without the default, or on fewer than two sites. Key pages
        that only some readings have are left out.
    """
    if len(readings) < 2 or readings[0].title != DEFAULT:
        return None
    values = [by_page(reading.rows, f1) for reading in readings]
    shared = set.intersection(*(set(pages) for pages in values))
    sites = sorted({site for site, _ in shared})
    if len(sites) < FEWEST:
        return None
    chosen = {site: _best(study, values, {page for page in shared if page[0] != site}) for site in sites}

    def pages_of(own: Sequence[dict[PageKey, float]]) -> dict[PageKey, float]:
        return {page: found[page] for page in sorted(shared) if page in (found := own[chosen[page[0]]])}

    measured = {name: pages_of([by_page(reading.rows, name) for reading in readings]) for name in (recall, precision)}
    reached = pages_of(values)
    return LeftOut(
        {site: readings[index].title for site, index in chosen.items()},
        study.mean_of_pages(measured[recall]),
        study.mean_of_pages(measured[precision]),
        study.mean_of_pages(reached),
        study.mean_of_pages({page: value - values[0][page] for page, value in reached.items()}),
    )


def _best(study: Study, values: Sequence[Mapping[PageKey, float]], pages: set[PageKey]) -> int:
    """The number of the reading with the best mean over some pages; the first of equals."""
    # 12 digits: sums in another order differ in the last ones
    means = [round(study.plain_mean({page: found[page] for page in sorted(pages)}), 12) for found in values]
    return means.index(max(means))


def left_out_of(study: Study, method: Method, target: str, unit: str) -> LeftOut | None:
    """The same for a method of a table; None where its other readings were not measured under its conditions."""
    readings = measured_readings(study, target, unit, method.name)
    if not readings or readings[0].title != DEFAULT or readings[0].rows[0].parameters != method.rows[0].parameters:
        return None
    return left_out(study, readings)
