"""The results file: SQLite, to be queried as it is with SQLite, pandas or DuckDB.

Tables: ``experiments`` (a row for each experiment and unit: nodes, words, links) and ``runs`` (the commands, with
commit, versions of peers and hashes of suites). An *experiment* is a method with its parameters on one key page;
``trial`` is the same in all of its rows, and ``made_by`` changes with the site and with the code. ``loads`` leaves the
key page out; ``runtime`` is CPU time in seconds.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Self

import pandas as pd

FORMAT = 9
"""Version of the layout of a results file."""

_TABLES: Mapping[str, Sequence[str]] = {
    "experiments": (
        "trial suite site key_url category method parameters reading target unit nodes gold retrieved correct "
        "recall precision f1 loads cs_size runtime error made_by"
    ).split(),
    "runs": ["command", "conditions"],
}


class ResultsError(Exception):
    """A file is no results file, or cannot be used; the message says how to go on."""


class Results:
    """A results file, to be used in a ``with`` statement; it raises ResultsError if it cannot be opened."""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        self.path = path
        if not create and not path.is_file():
            raise ResultsError(f"{path} is not there; the command run makes it")
        try:
            self._database = sqlite3.connect(path, timeout=60)
            tables = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            if create and not tables:
                for table, columns in _TABLES.items():
                    self._database.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
                self._database.execute("CREATE INDEX trials ON experiments (trial)")
                self._database.execute(f"PRAGMA user_version = {FORMAT}")
            (version,) = self._database.execute("PRAGMA user_version").fetchone()
        except sqlite3.Error as error:
            raise ResultsError(f"{path} cannot be used as a results file: {error}") from error
        if version != FORMAT:
            self._database.close()
            raise ResultsError(f"{path} is another SQLite file, or results of another layout; name a new file")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def done(self) -> dict[str, str]:
        """Return the keys of the stored experiments, each with its ``made_by``."""
        return dict(self._database.execute("SELECT DISTINCT trial, made_by FROM experiments"))

    def add(self, rows: Sequence[Mapping[str, object]]) -> None:
        """Add the rows of some experiments, in place of those with the same keys."""
        with self._database as database:
            database.executemany("DELETE FROM experiments WHERE trial = ?", {(row["trial"],) for row in rows})
            self._insert("experiments", rows)

    def add_run(self, command: str, conditions: Mapping[str, str]) -> None:
        """Add the command of a run and its conditions, by name; the same command again becomes the last one."""
        with self._database as database:
            database.execute("DELETE FROM runs WHERE command = ?", (command,))
            self._insert("runs", [{"command": command, "conditions": json.dumps(conditions)}])

    def table(self, name: str) -> pd.DataFrame:
        """Return a table, in the order in which its rows were added."""
        return pd.read_sql_query(f"SELECT * FROM {name} ORDER BY rowid", self._database)  # noqa: S608 - our own names

    def _insert(self, table: str, rows: Iterable[Mapping[str, object]]) -> None:
        columns = _TABLES[table]
        query = f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - our own names
        self._database.executemany(query, ([_storable(row.get(name)) for name in columns] for row in rows))


def _storable(value: object) -> object:
    # an address may contain half a surrogate pair, which has no UTF-8 form
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
