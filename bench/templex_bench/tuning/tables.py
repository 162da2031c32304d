"""The tables of the tuning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from templex_bench.measures.means import estimate
from templex_bench.tables import published
from templex_bench.tables.model import Table, difference, mean, share
from templex_bench.tuning.trained import CONEX, CONEX_PRINTED, MEASURES, Floats, Training, grid, trainings

FEWEST = 2
"""Sites that it takes: one to measure on, and one to choose on."""

SHOWN = 20
"""Combinations that a table of a training shows, as many as the thesis."""

OF_CONEX = {"table-6.1": "candidates", "table-6.2": "max_words"}
NAMES = (*(training.name for training in trainings()), *OF_CONEX)


_NOTES = {
    "table-8.5": "Here: place and same words, position option 4. The thesis's table: place alone, options 1 to 4.",
    "table-5.1": "Here: our reading of MenEx; `templex-bench show FILE readings-menu-links` has it as printed.",
}
"""How tables of trainings differ from those of the thesis."""


class TuningError(Exception):
    """A file of scores is missing, of another grid, or has too few sites."""


def read(path: Path) -> pd.DataFrame:
    """Read a file of scores.

    Raises:
        TuningError: if it is not there, is another file, or has the scores of another grid.
    """
    try:
        scores = pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise TuningError(
            f"{path} cannot be read; the command tune makes it from folders of suites: {error}"
        ) from error
    if "combination" not in scores:
        raise TuningError(f"{path} is another Parquet file")
    if set(scores.get("grid", ())) != {grid()}:
        raise TuningError(f"{path} has the scores of another grid; name a new file")
    return scores


class Tuning:
    """The scores of a file.

    Raises:
        TuningError: if there are fewer than two sites with scores.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        scores = read(path)
        self._scores = scores.assign(site=scores["suite"] + "/" + scores["site"])
        sites = self._scores["site"].nunique()
        if sites < FEWEST:
            raise TuningError(f"tuning takes {FEWEST} sites with a gold standard at least; {path} has {sites}")

    def measures(self, name: str) -> tuple[list[str], dict[str, Floats]]:
        """Return the sites of a training, and each measure: a row for each site, a column for each combination."""
        rows = self._scores[self._scores["training"] == name]
        found = {
            one: rows.pivot_table(index="site", columns="combination", values=one, dropna=False) for one in MEASURES
        }
        return list(found["f1"].index), {one: table.to_numpy() for one, table in found.items()}


def trained(tuning: Tuning, training: Training) -> Table | None:
    """Show the best combinations of a training, and one chosen for each site without it."""
    sites, measures = tuning.measures(training.name)
    if len(sites) < FEWEST:
        return None
    f1 = measures["f1"]
    base_title, base = next(iter(training.named.items()))
    # of equals the base, then the first
    order = np.lexsort((np.arange(f1.shape[1]) != base, -f1.mean(axis=0).round(9)))
    without = [(f1.sum(axis=0) - own).round(9) for own in f1]
    chosen = [max(np.flatnonzero(own == own.max()).tolist(), key=lambda at: at == base) for own in without]
    folds = Counter(chosen)
    index = pd.MultiIndex.from_product([sites, [""]])

    def row(title: str, picked: Sequence[int], given: Mapping[str, object]) -> dict[str, str]:
        of = {name: pd.Series(values[range(len(sites)), picked], index=index) for name, values in measures.items()}
        cells = {
            name.capitalize(): f"{value:g}" if isinstance(value, float) else str(value) for name, value in given.items()
        }
        means = {
            name.capitalize(): share(float(values.mean()), 4 if "kept" in name else 3) for name, values in of.items()
        }
        less = difference(estimate(of["f1"] - f1[:, base]))
        return {"Rank": title, **cells, **means, "F1": mean(estimate(of["f1"])), f"F1 less that of {base_title}": less}

    rows = [row(title, [at] * len(sites), training.combinations[at]) for title, at in training.named.items()]
    rows.append(row("one site left out", chosen, {}))
    rows += [
        {**row(str(rank), [at] * len(sites), training.combinations[at]), "Folds": str(folds[at])}
        for rank, at in enumerate(map(int, order[:SHOWN]), 1)
    ]
    notes = (
        f"{len(training.combinations):,} combinations on {len(sites)} sites. The ranks are chosen on these very sites.",
        f"Folds: how often of {len(sites)} the combination is chosen where one site is left out.",
        *([_NOTES[training.name]] if training.name in _NOTES else []),
    )
    return Table.of(training.title, rows, *notes)


def conex(tuning: Tuning, parameter: str) -> Table | None:
    """Show ConEx by one parameter, the other as printed (Tables 6.1 and 6.2)."""
    found = {unit: tuning.measures(f"conex-{unit}") for unit in ("nodes", "words")}
    rows = []
    for value in sorted({given[parameter] for given in CONEX}):
        at = CONEX.index({**CONEX_PRINTED, parameter: value})
        cells = {
            f"{unit}, {name.capitalize()}": share(float(of[name][:, at].mean()))
            for unit, (sites, of) in found.items()
            for name in MEASURES[:3]
            if sites
        }
        known = {
            f"published {unit} F1": share(published.figures(f"page-conex content {unit}", f"{parameter} {value}").f1)
            for unit in ("nodes", "words")
        }
        rows.append({parameter: f"{value:g}", **cells, **known})
    notes = ("Everything else is as printed. Nothing is chosen here.", "max_words 0: without the post-process.")
    return Table.of(f"ConEx by {parameter}", rows if found["nodes"][0] else [], *notes)


def tables(tuning: Tuning, only: str | None = None) -> Iterator[str]:
    """Yield as Markdown the tables that have rows, or only one of them."""
    made = {training.name: training for training in trainings()}
    for name in [only] if only else NAMES:
        table = conex(tuning, OF_CONEX[name]) if name in OF_CONEX else trained(tuning, made[name])
        if table is not None:
            yield table.markdown(name, f"templex-bench tune --out {tuning.path} --table {name}")
