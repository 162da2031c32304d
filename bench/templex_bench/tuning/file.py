"""The scores of a tuning: a Parquet file with a row for each key page and class of combinations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from templex_bench.tuning.grid import Floats, Grid
from templex_bench.tuning.scores import MEASURES

FEWEST = 2
"""Sites that it takes: one to measure on, and one to choose on."""


class TuningError(Exception):
    """A file of scores is missing, of another grid, or has too few sites."""


def read(path: Path) -> pd.DataFrame:
    """Read a file of scores.

    Raises:
        TuningError: if it is not there or is another file.
    """
    if not path.is_file():
        raise TuningError(f"{path} is not there; the command tune makes it from folders of suites")
    try:
        scores = pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise TuningError(f"{path} is no file of scores: {error}") from error
    if "combinations" not in scores:
        raise TuningError(f"{path} is another Parquet file")
    return scores


class Tuning:
    """The scores of a file, as means over the key pages of each site.

    Raises:
        TuningError: if there are fewer than two sites with scores.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._scores = read(path)
        self.grid = Grid.coarse() if bool(self._scores["coarse"].any()) else Grid.of_the_thesis()
        self._scores["site"] = self._scores["suite"] + "/" + self._scores["site"]
        self._classes = self._scores[self._scores["name"] == ""]
        self.sites = sorted(set(self._classes["site"]))
        if len(self.sites) < FEWEST:
            raise TuningError(
                f"tuning takes {FEWEST} sites with a gold template at least; {path} has {len(self.sites)}"
            )

    @cached_property
    def measures(self) -> dict[str, Floats]:
        """Measure → a row for each site, a column for each combination."""
        return _cubes(self._classes, MEASURES, len(self.grid))

    def trained(self, name: str, width: int) -> tuple[list[str], dict[str, Floats]]:
        """Return the sites of a training, and the same for its combinations; recall, precision and F1."""
        rows = self._scores[self._scores["name"] == name]
        return sorted(set(rows["site"])), _cubes(rows, MEASURES[:3], width)

    @cached_property
    def ceiling(self) -> Floats:
        """F1 that no mapping of the same pages can exceed, one for each site."""
        pages = self._classes.groupby(["site", "key_url"])["ceiling"].mean()
        values: Floats = pages.groupby(level="site", sort=True).mean().to_numpy()
        return values


def _cubes(rows: pd.DataFrame, measures: Sequence[str], width: int) -> dict[str, Floats]:
    found: dict[str, list[Floats]] = {name: [] for name in measures}
    for _, of_site in rows.groupby("site", sort=True):
        pages = []
        for _, of_page in of_site.groupby("key_url"):
            pages.append(np.zeros((len(measures), width)))
            for members, *values in of_page[["combinations", *measures]].itertuples(index=False):
                pages[-1][:, np.frombuffer(members, "<u2")] = np.array(values, dtype=np.float64)[:, None]
        for name, of_measure in zip(measures, np.mean(pages, axis=0), strict=True):
            found[name].append(of_measure)
    return {name: np.array(of_sites) for name, of_sites in found.items()}


def kept(path: Path, made_by: Iterable[str], *, coarse: bool) -> pd.DataFrame | None:
    """Return the scores of a file that are still valid, by what they were made by; None if there are none.

    Raises:
        TuningError: if the file is of another grid.
    """
    if not path.exists():
        return None
    scores = read(path)
    if len(scores) and bool(scores["coarse"].any()) != coarse:
        raise TuningError(f"{path} has the scores of another grid; name a new file")
    valid: pd.DataFrame = scores[scores["made_by"].isin(list(made_by))]
    return valid if len(valid) else None
