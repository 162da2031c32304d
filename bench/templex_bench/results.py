"""The results of runs: every experiment a row in a local SQLite file.

Tables: ``experiments`` (the fields of :class:`Experiment`, ``parameters`` as JSON; a row for each experiment and unit,
so that ``count(DISTINCT trial)`` counts experiments), ``similarities`` (those of :class:`LinkedPage`), ``key_pages``
(for which key pages the similarities are there), ``lost`` (key pages that could not be measured when that was tried
last, with the reason), ``lost_trials`` (what is missing of them) and ``runs`` (which folders were run with which
options). The columns
``trial``, ``fingerprint`` and ``version`` tell what need not be computed again: the same experiment, on the same pages
and gold standard, by the same code. An experiment that is made again replaces all its rows.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from templex_bench.experiment import Experiment, limit_told
from templex_bench.linked import LinkedPage
from templex_bench.lost import LostPage

FORMAT = 1
"""Version of the layout of a results file."""

_MARKS: Mapping[str, int] = {"application_id": 0x54504C58, "user_version": FORMAT}
_TYPES: Mapping[str, str] = {
    "str": "TEXT NOT NULL",
    "int": "INTEGER NOT NULL",
    "float": "REAL NOT NULL",
    "int | None": "INTEGER",
    "float | None": "REAL",
}
_EXPERIMENT = [field.name for field in fields(Experiment)]
_LINKED = [field.name for field in fields(LinkedPage)]
_MADE_BY = ("fingerprint", "version")
_RUN = ("suite", "folder", "options")
_LOST = [field.name for field in fields(LostPage)]
_LOST_TRIALS = ("suite", "site", "key_url", "trial")
_HERE = "suite = ? AND site = ? AND key_url = ?"
_SIMILARITIES = ""
"""Stands for the similarities of a page where keys of experiments are listed."""


class ResultsError(Exception):
    """A file is no results file, or cannot be used; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What results depend on beside the experiment itself: the fingerprint of the site, the version of the code."""

    fingerprint: str
    version: str


@dataclass(frozen=True, slots=True)
class RunOf:
    """That a suite was run.

    Attributes:
        suite: name of the suite.
        folder: where it was, as given on the command line.
        options: the options of the command line that decide which experiments are made.
    """

    suite: str
    folder: str
    options: tuple[str, ...]


class Results:
    """A results file. To be closed, or used in a ``with`` statement; what was added stays, however the run ends.

    Args:
        path: the file.
        create: whether it is made if it is not there.

    Raises:
        ResultsError: if it is not there, is no results file or of another layout, or cannot be opened.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if not create and not path.is_file():
            raise ResultsError(f"{path} is not there; the command run makes it")
        if create:
            check_writable(path)
        try:
            self._database = connected(path)
            self._open(create=create)
        except sqlite3.Error as error:
            raise ResultsError(f"{path} cannot be used as a results file: {error}") from error

    def _open(self, *, create: bool) -> None:
        database = self._database
        application, layout = (database.execute(f"PRAGMA {name}").fetchone()[0] for name in _MARKS)
        is_new = database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
        if not is_new and (application, layout) != tuple(_MARKS.values()):
            self.close()
            raise ResultsError(f"{self.path} is another SQLite file, or results of another layout; name a new file")
        if is_new and not create:
            self.close()
            raise ResultsError(f"{self.path} is empty; the command run makes results")
        if is_new:
            database.execute("PRAGMA journal_mode = WAL")
            with database:
                database.execute("BEGIN IMMEDIATE")
                for statement in _tables():
                    database.execute(statement)
                for name, value in _MARKS.items():
                    database.execute(f"PRAGMA {name} = {value}")
        elif create:
            # files of earlier versions have none
            for statement in _lost_tables():
                database.execute(statement)
        # with a write-ahead log this loses no more than the last rows when the power goes
        database.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def done(self) -> dict[str, Stamp]:
        """The experiments that are there, by their keys, with what they were made from."""
        rows = self._database.execute("SELECT DISTINCT trial, fingerprint, version FROM experiments")
        return {trial: Stamp(*made_by) for trial, *made_by in rows}

    def failed(self) -> frozenset[str]:
        """The keys of the experiments that ended with an error."""
        rows = self._database.execute("SELECT DISTINCT trial FROM experiments WHERE error <> ''")
        return frozenset(trial for (trial,) in rows)

    def cut_short(self, limit: float | None) -> frozenset[str]:
        """The keys of the experiments that were ended by a lower time limit than this, in seconds; None: no limit."""
        rows = self._database.execute("SELECT DISTINCT trial, error FROM experiments WHERE error <> ''")
        ended = ((trial, limit_told(error)) for trial, error in rows)
        return frozenset(trial for trial, had in ended if had is not None and (limit is None or had < limit))

    def linked_done(self) -> dict[tuple[str, str, str], Stamp]:
        """The key pages, by suite, site and address, whose similarities are there."""
        rows = self._database.execute("SELECT suite, site, key_url, fingerprint, version FROM key_pages")
        return {(suite, site, url): Stamp(*made_by) for suite, site, url, *made_by in rows}

    def add(self, rows: Iterable[tuple[str, Stamp, Experiment]]) -> None:
        """Add experiments, in one transaction; what is there of the same key is replaced, whatever its unit.

        Args:
            rows: for each its key, what it was made from, and the row; all rows of an experiment together.
        """
        rows = list(rows)
        with self._database:
            self._database.executemany(
                "DELETE FROM experiments WHERE trial = ?", [(key,) for key in dict.fromkeys(key for key, _, _ in rows)]
            )
            self._database.executemany(
                _insert("experiments", ["trial", *_EXPERIMENT, *_MADE_BY]),
                [(key, *_written(row), stamp.fingerprint, stamp.version) for key, stamp, row in rows],
            )

    def add_linked(self, page: tuple[str, str, str], stamp: Stamp, rows: Iterable[LinkedPage]) -> None:
        """Add the similarities of one key page, told by suite, site and address; what is there of it is replaced."""
        with self._database:
            self._database.execute(f"DELETE FROM similarities WHERE {_HERE}", page)  # noqa: S608 - our own words
            self._database.executemany(
                _insert("similarities", _LINKED), [tuple(getattr(row, name) for name in _LINKED) for row in rows]
            )
            self._database.execute(
                _insert("key_pages", ["suite", "site", "key_url", *_MADE_BY]),
                (*page, stamp.fingerprint, stamp.version),
            )

    def add_lost(self, page: LostPage, fingerprint: str, trials: Iterable[str], *, linked: bool) -> None:
        """Add a key page that could not be measured; what an earlier run had made of another state of it goes.

        Args:
            page: the key page; it replaces what is there of it.
            fingerprint: that of its site; rows of the page that were made from another one go.
            trials: the keys of the experiments that were to be made; their rows go, whatever they were made from.
            linked: whether its similarities were to be made; then they go, too.
        """
        place = tuple(map(_storable, (page.suite, page.site, page.key_url)))
        missing = _missing(place, trials, linked=linked)
        with self._database as database:
            database.execute(_insert("lost", _LOST), [_storable(getattr(page, name)) for name in _LOST])
            database.executemany(_insert("lost_trials", _LOST_TRIALS), missing)
            database.execute(
                f"DELETE FROM experiments WHERE {_HERE} AND fingerprint <> ?",  # noqa: S608 - our own words
                (*place, fingerprint),
            )
            database.executemany("DELETE FROM experiments WHERE trial = ?", [(key,) for *_, key in missing])
            stale = database.execute(
                f"DELETE FROM key_pages WHERE {_HERE} AND (fingerprint <> ? OR ?)",  # noqa: S608 - as above
                (*place, fingerprint, linked),
            ).rowcount
            if stale:
                database.execute(f"DELETE FROM similarities WHERE {_HERE}", place)  # noqa: S608 - as above

    def found_again(self, page: tuple[str, str, str], trials: Iterable[str] = (), *, linked: bool = False) -> None:
        """Take a key page out of those that are lost, if nothing is missing of it any more.

        Args:
            page: its suite, site and address.
            trials: the keys of the experiments that are made now.
            linked: whether its similarities are.
        """
        place = tuple(map(_storable, page))
        made = _missing(place, trials, linked=linked)
        with self._database as database:
            database.executemany(f"DELETE FROM lost_trials WHERE {_HERE} AND trial = ?", made)  # noqa: S608 - our own words
            missing = database.execute(f"SELECT count(*) FROM lost_trials WHERE {_HERE}", place)  # noqa: S608 - as above
            if not missing.fetchone()[0]:
                database.execute(f"DELETE FROM lost WHERE {_HERE}", place)  # noqa: S608 - as above

    def lost(self) -> list[LostPage]:
        """The key pages that could not be measured when that was tried last, sorted; none in files of old."""
        table = self._database.execute("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'lost'")
        return sorted(LostPage(*row) for row in self._rows("lost", _LOST)) if table.fetchone()[0] else []

    def experiments(self) -> list[Experiment]:
        """All experiments, in the order in which they were added."""
        return [_read(dict(zip(_EXPERIMENT, row, strict=True))) for row in self._rows("experiments", _EXPERIMENT)]

    def linked_pages(self) -> list[LinkedPage]:
        """All similarities, in the order in which they were added."""
        return [LinkedPage(**dict(zip(_LINKED, row, strict=True))) for row in self._rows("similarities", _LINKED)]

    def versions(self) -> dict[str, tuple[str, ...]]:
        """For each method the versions of the code that made its rows, sorted."""
        found: dict[str, tuple[str, ...]] = {}
        query = "SELECT DISTINCT detector, version FROM experiments ORDER BY detector, version"
        for detector, version in self._database.execute(query):
            found[detector] = (*found.get(detector, ()), version)
        return found

    def add_run(self, run: RunOf) -> None:
        """Add a run; a run that is there already becomes the last one."""
        with self._database:
            values = (run.suite, run.folder, json.dumps(run.options, ensure_ascii=False))
            self._database.execute("DELETE FROM runs WHERE suite = ? AND folder = ? AND options = ?", values)
            self._database.execute(_insert("runs", _RUN), values)

    def runs(self) -> list[RunOf]:
        """The runs, the last one last."""
        return [RunOf(suite, folder, tuple(json.loads(options))) for suite, folder, options in self._rows("runs", _RUN)]

    def _rows(self, table: str, columns: Iterable[str]) -> Iterator[tuple[Any, ...]]:
        names = ", ".join(columns)
        yield from self._database.execute(f"SELECT {names} FROM {table} ORDER BY rowid")  # noqa: S608 - our own names


def connected(path: Path) -> sqlite3.Connection:
    """A connection to a file, for reading alone where nothing can be written.

    Raises:
        sqlite3.Error: if it cannot be opened.
    """
    if not path.exists() or _is_writable(path):
        return sqlite3.connect(path, timeout=60)
    # beside a file with a write-ahead log SQLite would make others, unless it is told that nobody writes there
    log = path.with_name(f"{path.name}-wal")
    state = "mode=ro" if log.is_file() and log.stat().st_size else "mode=ro&immutable=1"
    return sqlite3.connect(f"{path.resolve().as_uri()}?{state}", timeout=60, uri=True)


def check_writable(path: Path) -> None:
    """Refuse a place where no file can be written.

    Raises:
        ResultsError: if it is there, and it or its folder cannot be written, or if its folder is not there.
    """
    if not path.parent.is_dir():
        raise ResultsError(f"{path.parent} is not there, or is no folder: make it, or name another one for {path.name}")
    if path.exists() and not _is_writable(path):
        raise ResultsError(f"{path} cannot be written: name another file, or a copy of it")


def _is_writable(path: Path) -> bool:
    # SQLite keeps its journal beside the file
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def _insert(table: str, columns: Iterable[str]) -> str:
    columns = list(columns)
    values = ", ".join("?" * len(columns))
    return f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) VALUES ({values})"  # noqa: S608 - as above


def _tables() -> Iterator[str]:
    experiment = ", ".join(
        f"{field.name} {_TYPES.get(str(field.type), 'TEXT NOT NULL')}" for field in fields(Experiment)
    )
    linked = ", ".join(f"{field.name} {_TYPES[str(field.type)]}" for field in fields(LinkedPage))
    made_by = ", ".join(f"{name} TEXT NOT NULL" for name in _MADE_BY)
    page = "suite TEXT NOT NULL, site TEXT NOT NULL, key_url TEXT NOT NULL"
    yield f"CREATE TABLE experiments (trial TEXT NOT NULL, {experiment}, {made_by}, PRIMARY KEY (trial, unit))"
    yield f"CREATE TABLE similarities ({linked}, PRIMARY KEY (suite, site, key_url, url))"
    yield "CREATE TABLE runs (suite TEXT NOT NULL, folder TEXT NOT NULL, options TEXT NOT NULL)"
    yield f"CREATE TABLE key_pages ({page}, {made_by}, PRIMARY KEY (suite, site, key_url))"
    yield from _lost_tables()


def _missing(place: tuple[Any, ...], trials: Iterable[str], *, linked: bool) -> list[tuple[Any, ...]]:
    """Rows of ``lost_trials``: what is missing, or there again, of a key page."""
    return [(*place, key) for key in (*trials, *([_SIMILARITIES] if linked else []))]


def _lost_tables() -> Iterator[str]:
    for table, columns, key in (("lost", _LOST, _LOST_TRIALS[:3]), ("lost_trials", _LOST_TRIALS, _LOST_TRIALS)):
        typed = ", ".join(f"{name} TEXT NOT NULL" for name in columns)
        yield f"CREATE TABLE IF NOT EXISTS {table} ({typed}, PRIMARY KEY ({', '.join(key)}))"


def _written(row: Experiment) -> tuple[object, ...]:
    values = {name: getattr(row, name) for name in _EXPERIMENT}
    values["parameters"] = json.dumps(dict(row.parameters), sort_keys=True, ensure_ascii=False)
    # an address may hold half a surrogate pair, which has no UTF-8 form
    return tuple(_storable(value) if isinstance(value, str) else value for value in values.values())


def _storable(value: str) -> str:
    return value.encode("utf-8", "replace").decode("utf-8")


def _read(values: dict[str, Any]) -> Experiment:
    values["parameters"] = json.loads(values["parameters"])
    return Experiment(**values)
