"""What the papers leave open: each reading measured beside the default, and which one comes nearest to the papers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from templex_scrapy.workbench import names, published
from templex_scrapy.workbench.experiment import Experiment
from templex_scrapy.workbench.readings import READINGS, Reading, is_reading
from templex_scrapy.workbench.study import Study, f1, precision, recall
from templex_scrapy.workbench.tables import (
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
from templex_scrapy.workbench.variants import text_of

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Measured:
    """A detector in one reading of its paper.

    Attributes:
        detector: its canonical name.
        title: what the reading is, :data:`DEFAULT` for the default.
        rows: its experiments.
        default: the experiments of the default under the same conditions.
    """

    detector: str
    title: str
    rows: tuple[Experiment, ...]
    default: tuple[Experiment, ...]

    def figures(self, study: Study) -> tuple[float, float, float] | None:
        """Recall, precision and F1; None where there is nothing to average."""
        means = [study.estimate(self.rows, measure) for measure in (recall, precision, f1)]
        found = [mean.mean for mean in means if mean is not None]
        return (found[0], found[1], found[2]) if len(found) == 3 else None


def measured_readings(study: Study, target: str, unit: str) -> list[Measured]:
    """For each detector that has readings its default, then the readings, in the order in which they are written."""
    by_detector: dict[str, list[Experiment]] = {}
    for row in study.all_readings(target, unit):
        by_detector.setdefault(row.detector, []).append(row)
    rows = {names.canonical(name): own for name, own in by_detector.items()}
    found: list[Measured] = []
    done: set[str] = set()
    for reading in READINGS:
        detector = names.canonical(reading.detector)
        own = rows.get(detector, [])
        read = [row for row in own if _is(row, reading)]
        if not read:
            continue
        default = tuple(row for row in own if _same(row.parameters, _conditions(read[0], reading)))
        if default and detector not in done:
            found.append(Measured(detector, DEFAULT, default, default))
            done.add(detector)
        found.append(Measured(detector, reading.title, tuple(read), default))
    return found


def readings_table(study: Study, target: str, unit: str) -> Table | None:
    """Every reading beside the default; None where no other reading was measured."""
    found = measured_readings(study, target, unit)
    if not found:
        return None
    rows = []
    shown = ""
    for reading in found:
        means = [estimated(study.estimate(reading.rows, measure)) for measure in (recall, precision, f1)]
        less = Cell() if reading.title == DEFAULT else difference(study.difference(reading.rows, reading.default))
        known = published.DETECTORS.get((reading.detector, target, unit)) if reading.detector != shown else None
        theirs = [ratio(known.recall), ratio(known.precision), ratio(known.f1)] if known else [Cell()] * 3
        rows.append(Row((text(names.title(reading.detector)), text(reading.title), *means, less, *theirs)))
        shown = reading.detector
    columns = (
        Column("Detector", numeric=False),
        Column("Reading", numeric=False),
        *(Column(name, HERE) for name in ("Recall", "Precision", "F1", "F1 less that of the default")),
        *(Column(name, PUBLISHED) for name in ("Recall", "Precision", "F1")),
    )
    notes = (
        "What a paper leaves open was decided by these figures, so those of the defaults flatter them.",
        "The docstring of each detector tells what its readings mean. Differences are paired by key page.",
        "Published: thesis, 45 evaluation sites of TeCo.",
    )
    title = f"What the papers leave open: other readings, {unit} of the {target}"
    return without_empty(Table(f"readings-{target}-{unit}", title, notes, columns, tuple(rows)))


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
    for reading in measured_readings(study, target, unit):
        figures = reading.figures(study) if reading.detector == detector else None
        if figures is not None:
            distances.append((math.dist(figures, theirs), reading))
    return min(distances, key=lambda pair: pair[0])[1] if distances else None


def _is(row: Experiment, reading: Reading) -> bool:
    """Whether an experiment was made with a reading and no other difference from the default."""
    own = {name: value for name, value in row.parameters.items() if is_reading([name])}
    return _same(own, reading.parameters)


def _conditions(row: Experiment, reading: Reading) -> dict[str, object]:
    return {name: value for name, value in row.parameters.items() if name not in reading.parameters}


def _same(one: Mapping[str, object], other: Mapping[str, object]) -> bool:
    return text_of(dict(one)) == text_of(dict(other))
