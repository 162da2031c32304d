"""What the papers leave open: each reading measured beside the default, and which one comes nearest to the papers."""

from __future__ import annotations

import math
from dataclasses import dataclass

from templex_scrapy.workbench import names, published
from templex_scrapy.workbench.experiment import Experiment
from templex_scrapy.workbench.readings import READINGS, is_reading
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


def measured_readings(study: Study, target: str, unit: str, only: str | None = None) -> list[Measured]:
    """For each detector that has readings its default, then the readings, in the order in which they are written.

    Args:
        study: the experiments.
        target: what the detectors look for.
        unit: what is counted.
        only: canonical name of the one detector that is asked for; None: all.
    """
    rows: dict[str, dict[str, list[Experiment]]] = {}
    for row in study.all_readings(target, unit):
        detector = names.canonical(row.detector)
        if only in {None, detector}:
            rows.setdefault(detector, {}).setdefault(text_of(_reading_of(row)), []).append(row)
    found: list[Measured] = []
    done: set[str] = set()
    for reading in READINGS:
        detector = names.canonical(reading.detector)
        own = rows.get(detector, {})
        read = own.get(text_of(dict(reading.parameters)), [])
        if not read:
            continue
        conditions = _conditions(read[0])
        default = tuple(row for row in own.get(text_of({}), []) if _conditions(row) == conditions)
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
        "The docstring of each detector tells what its readings mean, and why where the default is not the best one.",
        "Differences are paired by key page.",
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
    for reading in measured_readings(study, target, unit, detector):
        figures = reading.figures(study)
        if figures is not None:
            distances.append((math.dist(figures, theirs), reading))
    return min(distances, key=lambda pair: pair[0])[1] if distances else None


def _reading_of(row: Experiment) -> dict[str, object]:
    """The parameters that tell the reading that an experiment was made with from the default."""
    return {name: value for name, value in row.parameters.items() if is_reading([name])}


def _conditions(row: Experiment) -> dict[str, object]:
    """The other parameters of an experiment."""
    return {name: value for name, value in row.parameters.items() if not is_reading([name])}
