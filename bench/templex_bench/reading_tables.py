"""What the papers leave open: each reading measured beside the default, and which one comes nearest to the papers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

from templex_bench import names, published
from templex_bench.left_out import left_out
from templex_bench.measured_readings import DEFAULT, Measured, measured_readings
from templex_bench.published import Published
from templex_bench.study import Study, f1, precision, recall
from templex_bench.tables import (
    HERE,
    PUBLISHED,
    Cell,
    Column,
    Row,
    Table,
    difference,
    estimated,
    ratio,
    text,
    without_empty,
)

CHOSEN_WITHOUT = "reading chosen without the site"
"""The row that tells what a choice of the reading is worth on a site that had no part in it."""


def readings_table(study: Study, target: str, unit: str) -> Table | None:
    """Every reading beside the default; None where no other reading was measured."""
    found = measured_readings(study, target, unit)
    if not found:
        return None
    rows: list[Row] = []
    for detector, own in groupby(found, key=lambda reading: reading.detector):
        known = published.DETECTORS.get((detector, target, unit))
        rows += _rows_of(study, list(own), known or Published())
    columns = (
        Column("Detector", numeric=False),
        Column("Reading", numeric=False),
        *(Column(name, HERE) for name in ("Recall", "Precision", "F1", "F1 less that of the default")),
        *(Column(name, PUBLISHED) for name in ("Recall", "Precision", "F1")),
    )
    notes = (
        "What a paper leaves open was decided by measuring it: where that was done, the figures flatter the defaults.",
        f"Last of each detector, “{CHOSEN_WITHOUT}”: each site with the reading that has the best F1 on all others.",
        "Nothing else is chosen again there: neither parameters nor the similarity of TemEx and HybEx.",
        "The docstring of each detector tells what its readings mean, and why where the default is not the best one.",
        "Differences are paired by key page.",
        "Published: thesis, 45 evaluation sites of TeCo.",
    )
    title = f"What the papers leave open: other readings, {unit} of the {target}"
    return without_empty(Table(f"readings-{target}-{unit}", title, notes, columns, tuple(rows)))


def _rows_of(study: Study, readings: Sequence[Measured], known: Published) -> Iterator[Row]:
    """The rows of one detector: the first one with the published figures, the last one cross-validated."""
    title = text(names.title(readings[0].detector))
    theirs = [ratio(known.recall), ratio(known.precision), ratio(known.f1)]
    for reading in readings:
        means = [estimated(study.estimate(reading.rows, measure)) for measure in (recall, precision, f1)]
        less = Cell() if reading.title == DEFAULT else difference(study.difference(reading.rows, reading.default))
        yield Row((title, text(reading.title), *means, less, *theirs))
        theirs = [Cell()] * 3
    validated = left_out(study, readings)
    if validated is not None:
        means = [estimated(mean) for mean in (validated.recall, validated.precision, validated.f1)]
        yield Row((title, text(CHOSEN_WITHOUT), *means, difference(validated.less), *theirs), "total")


def nearest_to_published(study: Study, detector: str, target: str, unit: str) -> Measured | None:
    """The reading whose recall, precision and F1 lie nearest to the published ones; None if there is nothing to tell.

    Args:
        study: the experiments.
        detector: canonical name of the detector.
        target: what it looks for.
        unit: what is counted.
    """
    known = published.DETECTORS.get((detector, target, unit))
    if known is None or known.recall is None or known.precision is None or known.f1 is None:
        return None
    theirs = (known.recall, known.precision, known.f1)
    distances: list[tuple[float, Measured]] = []
    for reading in measured_readings(study, target, unit, detector):
        figures = reading.figures(study)
        if figures is not None:
            distances.append((math.dist(figures, theirs), reading))
    return min(distances, key=lambda pair: pair[0])[1] if distances else None
