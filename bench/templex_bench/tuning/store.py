"""The results of a tuning: a local SQLite file.

Tables: ``combinations`` (the grid, numbered from 0), ``scores`` (a row for each key page, size and number of votes;
``counts`` and ``outcomes`` are the arrays of :class:`PageScores`, row by row as little-endian 32-bit integers,
compressed with zlib), ``sites`` (what is there and need not be computed again), ``left_out`` (key pages that would take
too long), ``means`` (for each size, number of votes and combination the means over the sites, for queries) and ``runs``
(which folders were scored, and how).
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path
from typing import Any, Self

import numpy as np

from templex_bench.results import ResultsError, RunOf, check_writable, connected
from templex_bench.tuning.grid import Grid
from templex_bench.tuning.scores import COUNTED, PageScores

FORMAT = 3
"""Version of the layout of the file."""

APPLICATION = 0x54505447

_SCORES = [field.name for field in fields(PageScores)]
_TYPES = {"str": "TEXT NOT NULL", "int": "INTEGER NOT NULL", "Counts": "BLOB NOT NULL", "Outcomes": "BLOB NOT NULL"}
MEANS = ("recall", "precision", "f1", "place_f1", "own_words_kept", "content_words_kept", "template_words_gone")
"""The measures of the table ``means``; those of :class:`~templex_bench.tuning.measures.Measures`."""


@dataclass(frozen=True, slots=True)
class Made:
    """How the scores of a site were made.

    Attributes:
        by: what they depend on beside the grid: pages, gold standard, code.
        seconds: CPU time that they took.
        left_out: the key pages that would take too long, each with the reason.
    """

    by: str
    seconds: float
    left_out: Mapping[str, str] = field(default_factory=dict)


class TuningResults:
    """A file of tuning results. To be closed, or used in a ``with`` statement; what was added stays.

    Args:
        path: the file.
        grid: the grid, to make the file if it is not there; None: it must be there.

    Raises:
        ResultsError: if it is not there, is another file, or has another grid.
    """

    def __init__(self, path: Path, grid: Grid | None = None) -> None:
        self.path = path
        if grid is None and not path.is_file():
            raise ResultsError(f"{path} is not there; the command tune makes it")
        if grid is not None:
            check_writable(path)
        try:
            self._database = connected(path)
            self.grid = self._open(grid)
        except sqlite3.Error as error:
            raise ResultsError(f"{path} cannot be used as a file of tuning results: {error}") from error

    def _open(self, grid: Grid | None) -> Grid:
        database = self._database
        marks = tuple(database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        is_new = database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
        if not is_new and marks != (APPLICATION, FORMAT):
            self.close()
            raise ResultsError(f"{self.path} is another SQLite file, or of another layout; name a new file")
        if is_new and grid is None:
            self.close()
            raise ResultsError(f"{self.path} is empty; the command tune makes such files")
        if is_new and grid is not None:
            self._make(grid)
        there = _grid(json.loads(database.execute("SELECT grid FROM about").fetchone()[0]))
        if grid is not None and there != grid:
            self.close()
            raise ResultsError(f"{self.path} holds the results of another grid; name a new file")
        return there

    def _make(self, grid: Grid) -> None:
        scores = ", ".join(f"{field.name} {_TYPES[str(field.type)]}" for field in fields(PageScores))
        means = ", ".join(f"{name} REAL NOT NULL" for name in MEANS)
        with self._database as database:
            database.execute(f"PRAGMA application_id = {APPLICATION}")
            database.execute(f"PRAGMA user_version = {FORMAT}")
            database.execute("CREATE TABLE about (grid TEXT NOT NULL)")
            database.execute(
                "CREATE TABLE combinations (combination INTEGER PRIMARY KEY, position REAL, classes REAL, "
                'children REAL, attributes REAL, threshold REAL, "option" INTEGER, "unique" INTEGER)'
            )
            database.execute(
                "CREATE TABLE sites (suite TEXT NOT NULL, site TEXT NOT NULL, made_by TEXT NOT NULL, "
                "seconds REAL NOT NULL, PRIMARY KEY (suite, site))"
            )
            database.execute(
                "CREATE TABLE left_out (suite TEXT NOT NULL, site TEXT NOT NULL, key_url TEXT NOT NULL, "
                "reason TEXT NOT NULL)"
            )
            database.execute(
                f"CREATE TABLE scores (suite TEXT NOT NULL, {scores}, PRIMARY KEY (suite, site, key_url, size, votes))"
            )
            database.execute(
                f"CREATE TABLE means (size INTEGER, votes INTEGER, combination INTEGER, {means}, "
                "PRIMARY KEY (size, votes, combination)) WITHOUT ROWID"
            )
            database.execute("CREATE TABLE runs (suite TEXT NOT NULL, folder TEXT NOT NULL, options TEXT NOT NULL)")
            database.execute("INSERT INTO about VALUES (?)", (json.dumps(_plain(grid)),))
            database.executemany(
                "INSERT INTO combinations VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                ((index, *astuple(grid.similarity(index))) for index in range(len(grid))),
            )

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def sites(self) -> dict[tuple[str, str], str]:
        """The sites that are there, by suite and name, with what they were made by."""
        rows = self._database.execute("SELECT suite, site, made_by FROM sites ORDER BY suite, site")
        return {(suite, site): made_by for suite, site, made_by in rows}

    def scored(self) -> set[tuple[str, str]]:
        """The sites that have scores, by suite and name: not those without any gold template."""
        return set(self._database.execute("SELECT DISTINCT suite, site FROM scores"))

    def left_out(self) -> list[tuple[str, str, str, str]]:
        """The key pages that would take too long: suite, site, address and the reason."""
        return list(self._database.execute("SELECT suite, site, key_url, reason FROM left_out ORDER BY rowid"))

    def seconds(self) -> float:
        """CPU time that all sites together have taken."""
        return float(self._database.execute("SELECT coalesce(sum(seconds), 0) FROM sites").fetchone()[0])

    def add(self, suite: str, site: str, made: Made, rows: Iterable[PageScores]) -> None:
        """Add a site with its scores; what is there of it is replaced. The means are no longer true: they go."""
        with self._database as database:
            database.execute("DELETE FROM means")
            database.execute("DELETE FROM scores WHERE suite = ? AND site = ?", (suite, site))
            database.execute("DELETE FROM left_out WHERE suite = ? AND site = ?", (suite, site))
            database.execute("INSERT OR REPLACE INTO sites VALUES (?, ?, ?, ?)", (suite, site, made.by, made.seconds))
            database.executemany(
                "INSERT INTO left_out VALUES (?, ?, ?, ?)",
                ((suite, site, _storable(url), reason) for url, reason in made.left_out.items()),
            )
            marks = ", ".join("?" * (len(_SCORES) + 1))
            database.executemany(
                f"INSERT INTO scores VALUES ({marks})",  # noqa: S608 - our own marks
                ((suite, *_written(row)) for row in rows),
            )

    def add_run(self, run: RunOf) -> None:
        """Add a run; a run that is there already becomes the last one."""
        with self._database as database:
            values = (run.suite, run.folder, json.dumps(run.options, ensure_ascii=False))
            database.execute("DELETE FROM runs WHERE suite = ? AND folder = ? AND options = ?", values)
            database.execute("INSERT INTO runs VALUES (?, ?, ?)", values)

    def runs(self) -> list[RunOf]:
        """The runs, the last one last."""
        rows = self._database.execute("SELECT suite, folder, options FROM runs ORDER BY rowid")
        return [RunOf(suite, folder, tuple(json.loads(options))) for suite, folder, options in rows]

    def settings(self) -> list[tuple[int, int]]:
        """The sizes and numbers of votes that are there, ascending."""
        return list(self._database.execute("SELECT DISTINCT size, votes FROM scores ORDER BY size, votes"))

    def without_means(self) -> list[tuple[int, int]]:
        """Those of them whose means are not there."""
        there = set(self._database.execute("SELECT DISTINCT size, votes FROM means"))
        return [setting for setting in self.settings() if setting not in there]

    def scores(self, size: int, votes: int) -> Iterator[tuple[str, PageScores]]:
        """The scores at one size and number of votes, by suite, site and key page, each with its suite."""
        names = ", ".join(_SCORES)
        query = f"SELECT suite, {names} FROM scores WHERE size = ? AND votes = ? ORDER BY suite, site, key_url"  # noqa: S608
        for suite, *values in self._database.execute(query, (size, votes)):
            yield suite, _read(dict(zip(_SCORES, values, strict=True)))

    def set_means(self, size: int, votes: int, columns: Iterable[Iterable[float]]) -> None:
        """Add the means at one size and number of votes, which are not there.

        Args:
            size: as above.
            votes: as above.
            columns: for each of :data:`MEANS` the values of all combinations.
        """
        marks = ", ".join("?" * (len(MEANS) + 3))
        with self._database as database:
            database.executemany(
                f"INSERT INTO means VALUES ({marks})",  # noqa: S608 - our own marks
                ((size, votes, index, *values) for index, values in enumerate(zip(*columns, strict=True))),
            )


def _written(row: PageScores) -> Iterator[object]:
    for name in _SCORES:
        value = getattr(row, name)
        if isinstance(value, str):
            yield _storable(value)
        elif isinstance(value, np.ndarray):
            yield zlib.compress(value.astype("<u4").tobytes(), 1)
        else:
            yield value


def _storable(value: str) -> str:
    # an address may hold half a surrogate pair, which has no UTF-8 form
    return value.encode("utf-8", "replace").decode()


def _read(values: dict[str, Any]) -> PageScores:
    counts, outcomes = (np.frombuffer(zlib.decompress(values.pop(name)), "<u4") for name in ("counts", "outcomes"))
    return PageScores(
        **values,
        counts=counts.reshape(len(COUNTED), -1).astype(np.int32),
        outcomes=outcomes.astype(np.uint32),
    )


def _plain(grid: Grid) -> dict[str, object]:
    return {field.name: getattr(grid, field.name) for field in fields(grid)}


def _grid(plain: dict[str, Any]) -> Grid:
    weights = tuple(tuple(four) for four in plain.pop("weights"))
    return Grid(weights, **{name: tuple(values) for name, values in plain.items()})
