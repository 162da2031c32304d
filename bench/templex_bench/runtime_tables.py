"""Runtime against the nodes of the key page: Figure 12.3 of the thesis, with the growth as a number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from templex_bench.bootstrap import Interval, slope
from templex_bench.experiment import Experiment
from templex_bench.study import Study, by_page, by_site, runtime
from templex_bench.tables import (
    MISSING,
    PUBLISHED,
    Cell,
    Column,
    Row,
    Table,
    decimal,
    milliseconds,
    out_of,
    text,
    without_empty,
)
from templex_bench.variants import Method, first_of_each, looking_for, methods

TARGETS = (("template", "nodes"), ("content", "words"), ("content", "nodes"), ("menu", "links"))
"""Where runtimes are taken from: the first of these that has rows of a detector."""

_GROWTH = {"temex": "linear", "iwptd": "linear", "rbm_td": "quadratic", "sst": "quadratic", "rtdm_td": "quadratic"}


@dataclass(frozen=True, slots=True)
class Trend:
    """A power law, runtime = factor · nodes ** exponent, fitted to the logarithms by least squares.

    Attributes:
        factor: seconds at one node.
        exponent: 1 is linear, 2 quadratic growth.
        interval: of the exponent; None where there are too few sites.
    """

    factor: float
    exponent: float
    interval: Interval | None

    def at(self, nodes: float) -> float:
        """The runtime in seconds that the trend has for a number of nodes."""
        return float(self.factor * nodes**self.exponent)


def measured_points(rows: Sequence[Experiment]) -> dict[str, list[tuple[float, float]]]:
    """For each site its key pages as (nodes, seconds); pages without nodes or of no measurable time are left out."""
    seconds = by_page(rows, runtime)
    nodes = by_page(rows, _nodes)
    pages = {page: (nodes[page], time) for page, time in seconds.items() if nodes[page] > 0 and time > 0}
    sites: dict[str, list[tuple[float, float]]] = {}
    for (site, _), point in pages.items():
        sites.setdefault(site, []).append(point)
    return sites


def trend(study: Study, rows: Sequence[Experiment]) -> Trend | None:
    """The growth of the runtime; None where all key pages are of one size."""
    sites = [[(math.log10(x), math.log10(y)) for x, y in points] for points in measured_points(rows).values()]
    line = slope([point for points in sites for point in points])
    if line is None:
        return None
    steepness, intercept = line
    return Trend(10**intercept, steepness, study.bootstrap.slope(sites))


def timed(study: Study, target: str = "") -> list[Method]:
    """One method for each detector that ever ended well, with the rows that its runtime is taken from.

    Args:
        study: the experiments.
        target: what the detectors look for; empty for all.
    """
    found: dict[str, Method] = {}
    for sought, unit in TARGETS:
        rows = study.rows(sought, unit) if target in {"", sought} else []
        sources = first_of_each(methods(rows))
        for method in looking_for(sources, target) if target else sources:
            if method.role != "bound" and by_page(method.rows, runtime):
                found.setdefault(method.detector, method)
    return list(found.values())


def runtime_table(study: Study) -> Table | None:
    """Runtime and its growth, quickest first; None without rows."""
    found = sorted(timed(study), key=lambda method: _times(method)[0])
    if not found:
        return None
    population = study.population()
    columns = (
        Column("Detector", numeric=False),
        Column("Median", "runtime, ms"),
        Column("90th percentile", "runtime, ms"),
        Column("Longest", "runtime, ms"),
        Column("Exponent", "trend"),
        Column("At 1,000 nodes, ms", "trend"),
        Column("At 5,000 nodes, ms", "trend"),
        Column("Growth", PUBLISHED, numeric=False),
        Column("Sites"),
        Column("Key pages"),
    )
    rows = []
    for method in found:
        pages = by_page(method.rows, runtime)
        cells = [text(method.title), *(milliseconds(time) for time in _times(method)), *_trend_cells(study, method)]
        cells += [text(_GROWTH.get(method.name, MISSING)), out_of(len(by_site(pages.items())), population.sites)]
        rows.append(Row((*cells, out_of(len(pages), population.pages)), "" if method.role == "ours" else "peer"))
    notes = (
        "CPU time of detection, parsing included and loading not, on the machine that ran the experiments.",
        "The trend is a power law: an exponent of 1 is linear growth, 2 quadratic.",
        "The pages that a key page is compared with cost as well, which flattens the trend of detectors at site level.",
        "Published: thesis, Figure 12.3 and section 12.3.3. Its times are of another language and machine.",
    )
    title = "Runtime and its growth with the nodes of the key page"
    return without_empty(Table("runtime", title, notes, columns, tuple(rows)))


def _nodes(row: Experiment) -> float | None:
    return float(row.nodes)


def _times(method: Method) -> tuple[float, float, float]:
    """Median, 90th percentile (nearest rank) and longest runtime in seconds."""
    times = sorted(by_page(method.rows, runtime).values())
    return median(times), times[math.ceil(0.9 * len(times)) - 1], times[-1]


def _trend_cells(study: Study, method: Method) -> list[Cell]:
    line = trend(study, method.rows)
    if line is None:
        return [Cell(), Cell(), Cell()]
    interval = f"[{line.interval.low:.2f}, {line.interval.high:.2f}]" if line.interval else ""
    exponent = decimal(line.exponent)
    return [
        Cell(exponent.text, interval, value=exponent.value),
        milliseconds(line.at(1_000)),
        milliseconds(line.at(5_000)),
    ]
