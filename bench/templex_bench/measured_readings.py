"""What was measured of the readings of a paper: the experiments of each, and those of the default beside them."""

from __future__ import annotations

from dataclasses import dataclass

from templex_bench import names
from templex_bench.experiment import Experiment
from templex_bench.readings import READINGS, is_reading
from templex_bench.study import Study, f1, precision, recall
from templex_bench.variants import text_of

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


def _reading_of(row: Experiment) -> dict[str, object]:
    """The parameters that tell the reading that an experiment was made with from the default."""
    return {name: value for name, value in row.parameters.items() if is_reading([name])}


def _conditions(row: Experiment) -> dict[str, object]:
    """The other parameters of an experiment."""
    return {name: value for name, value in row.parameters.items() if not is_reading([name])}
