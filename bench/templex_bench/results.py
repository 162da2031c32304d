"""The results file: SQLite, to be queried as it is with SQLite, pandas or DuckDB.

Tables: ``experiments`` (a row for each experiment and unit: nodes, words, links), ``links`` (how similar the pages are
that a key page links to), ``lost`` (key pages that could not be measured when that was tried last) and ``runs`` (the
commands). An *experiment* is a method with its parameters on one key page; ``trial`` is the same
in all of its rows, and ``made_by`` changes with the site and with the code.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

import pandas as pd

FORMAT = 5
"""Version of the layout of a results file."""

_APPLICATION = 0x54504C58
_PAGE = ("suite", "site", "key_url")
COLUMNS: Mapping[str, str] = {
    "trial": "TEXT",
    **dict.fromkeys((*_PAGE, "category", "method", "parameters", "reading", "target", "unit"), "TEXT"),
    **dict.fromkeys(("nodes", "gold", "retrieved", "correct", "total"), "INTEGER"),
    **dict.fromkeys(("recall", "precision", "f1"), "REAL"),
    **dict.fromkeys(("loads", "cs_size"), "INTEGER"),
    "runtime": "REAL",
    "error": "TEXT",
    "made_by": "TEXT",
}
"""The columns of ``experiments``. ``loads`` leaves the key page out; ``runtime`` is CPU time in seconds."""

MODULES = ("ranking", "subdigraph", "nodes")
"""Seconds of CPU time that the parts before detection take on a key page (thesis, Table 12.2)."""

_TABLES: Mapping[str, Mapping[str, str]] = {
    "experiments": COLUMNS,
    "links": {
        **dict.fromkeys((*_PAGE, "url"), "TEXT"),
        **dict.fromkeys(("distance", "dom_distance", "in_menu"), "INTEGER"),
        **dict.fromkeys(("similarity", "recall", "own_recall"), "REAL"),
        "made_by": "TEXT",
    },
    "pages": {**dict.fromkeys(_PAGE, "TEXT"), **dict.fromkeys(MODULES, "REAL"), "made_by": "TEXT"},
    "lost": dict.fromkeys((*_PAGE, "reason"), "TEXT"),
    "runs": {"command": "TEXT"},
}


class ResultsError(Exception):
    """A file is no results file, or cannot be used; the message says what to do."""


class Results:
    """A results file, to be used in a ``with`` statement; what was added is kept, however the run ends.

    Raises:
        ResultsError: if it is not there and not to be created, is another file, or cannot be opened.
    """

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if not create and not path.is_file():
            raise ResultsError(f"{path} is not there; the command run makes it")
        try:
            mode = "rwc" if create else "ro"
            self._database = sqlite3.connect(f"{path.resolve().as_uri()}?mode={mode}", uri=True, timeout=60)
            self._open(create=create)
        except sqlite3.Error as error:
            raise ResultsError(f"{path} cannot be used as a results file: {error}") from error

    def _open(self, *, create: bool) -> None:
        database = self._database
        marks = tuple(database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        is_new = database.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
        if is_new and create:
            for table, columns in _TABLES.items():
                database.execute(f"CREATE TABLE {table} ({', '.join(map(' '.join, columns.items()))})")
                first = next(iter(columns))
                database.execute(f"CREATE INDEX {table}_{first} ON {table} ({first})")
            database.execute(f"PRAGMA application_id = {_APPLICATION}")
            database.execute(f"PRAGMA user_version = {FORMAT}")
        elif marks != (_APPLICATION, FORMAT):
            database.close()
            raise ResultsError(f"{self.path} is another SQLite file, or results of another layout; name a new file")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def done(self) -> dict[str, str]:
        """Return the keys of the experiments that are there, with what they were made by."""
        return dict(self._database.execute("SELECT DISTINCT trial, made_by FROM experiments"))

    def linked(self) -> dict[tuple[str, str, str], str]:
        """Return the key pages whose linked pages were compared, with what that was made by."""
        rows = self._database.execute("SELECT suite, site, key_url, made_by FROM pages")
        return {(suite, site, url): made_by for suite, site, url, made_by in rows}

    def add(self, rows: Sequence[Mapping[str, object]]) -> None:
        """Add the rows of some experiments, in place of those with the same keys."""
        with self._database as database:
            keys = {(row["trial"],) for row in rows}
            database.executemany("DELETE FROM experiments WHERE trial = ?", keys)
            self._insert("experiments", rows)

    def add_links(
        self,
        page: tuple[str, str, str],
        made_by: str,
        rows: Iterable[Mapping[str, object]],
        modules: Mapping[str, float],
    ) -> None:
        """Add the rows on the linked pages of a key page (suite, site, address), in place of what is there of it.

        With them go the times of :data:`MODULES`.
        """
        here = {**dict(zip(_PAGE, page, strict=True)), "made_by": made_by}
        with self._database:
            self._forget(page, "links", "pages")
            self._insert("links", [{**here, **row} for row in rows])
            self._insert("pages", [{**here, **modules}])

    def set_lost(self, page: tuple[str, str, str], reason: str = "") -> None:
        """Note that a key page could not be measured; without a reason, that it could.

        What was measured on an earlier state of a page that cannot be measured is removed.
        """
        with self._database:
            self._forget(page, "lost")
            if reason:
                self._forget(page, "experiments", "links", "pages")
                self._insert("lost", [{**dict(zip(_PAGE, page, strict=True)), "reason": reason}])

    def add_run(self, command: str) -> None:
        """Add the command of a run; the same again becomes the last one."""
        with self._database as database:
            database.execute("DELETE FROM runs WHERE command = ?", (command,))
            database.execute("INSERT INTO runs VALUES (?)", (command,))

    def runs(self) -> list[str]:
        """Return the command of each run, the last one last."""
        return [command for (command,) in self._database.execute("SELECT command FROM runs ORDER BY rowid")]

    def table(self, name: str) -> pd.DataFrame:
        """Return a table, in the order in which its rows were added."""
        return pd.read_sql_query(f"SELECT * FROM {name} ORDER BY rowid", self._database)  # noqa: S608 - our own names

    def _forget(self, page: tuple[str, str, str], *tables: str) -> None:
        for table in tables:
            query = f"DELETE FROM {table} WHERE suite = ? AND site = ? AND key_url = ?"  # noqa: S608 - our own names
            self._database.execute(query, tuple(map(_storable, page)))

    def _insert(self, table: str, rows: Iterable[Mapping[str, object]]) -> None:
        columns = list(_TABLES[table])
        query = f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - our own names
        self._database.executemany(query, ([_storable(row.get(name)) for name in columns] for row in rows))


def _storable(value: object) -> object:
    # an address may contain half a surrogate pair, which has no UTF-8 form
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
