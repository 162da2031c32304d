"""Lines of data in an SQLite file that survive the death of the process, each for as long as it is needed."""

from __future__ import annotations

import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from templex_scrapy.crawl.journal_file import (
    COMPANIONS,
    SMALLEST,
    DamagedFileError,
    ForeignFileError,
    Layout,
    check,
    companion,
    is_damage,
    set_aside,
    transaction,
)

logger = logging.getLogger(__name__)

APPLICATION_ID = 0x746D7068
"""What tells a journal from other SQLite databases: ``tmph``."""

VERSION = 1
"""Version of the table."""

MAX_SET_ASIDE = 100
"""Lines that are kept although nothing can be done with them; of more the oldest go."""

PATIENCE = 0.05
"""Seconds to wait for another process that has the file: the crawl stands still meanwhile."""

_TABLE = "CREATE TABLE lines (number INTEGER PRIMARY KEY, data BLOB NOT NULL, tries INTEGER NOT NULL, why TEXT)"
_LAYOUT = Layout(application_id=APPLICATION_ID, version=VERSION, statements=(_TABLE,))
# the second where SQLite's message quotes damaged text
_ERRORS = (sqlite3.Error, UnicodeDecodeError, OSError)

_T = TypeVar("_T")


class JournalError(Exception):
    """The file cannot be read or written, is in use, or belongs to another program."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line.

    Attributes:
        number: tells it from all others, those of earlier files too.
        data: what was noted.
        tries: how often somebody has tried to get done what it stands for.
    """

    number: int
    data: bytes
    tries: int


class Journal:
    """Notes lines, and strikes them out.

    What is noted is with the operating system at once: it survives the process, not the machine. A line takes some ten
    microseconds to note or to strike out. One process at a time has the file; it is made when there is something to
    note. A damaged file is renamed to ``*.broken-1`` and so on, and a new one begun; one of another program or of a
    later version is left alone.

    All methods raise :class:`JournalError`.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection | None = None
        self._refusal: JournalError | None = None
        self._last = 0

    def lines(self) -> list[Line]:
        """All lines but those set aside, the oldest first."""
        if self._connection is None and not os.path.lexists(self.path):
            return []
        # casts, because SQLite keeps whatever type was written
        query = """SELECT number, coalesce(CAST(data AS BLOB), x''), coalesce(CAST(tries AS INTEGER), 0) FROM lines
            WHERE why IS NULL ORDER BY number"""
        return self._run(lambda connection: [Line(*row) for row in connection.execute(query)])

    def add(self, data: bytes) -> int:
        """Note a line; returns its number."""
        # never the number of an earlier line: it may still be known by that somewhere
        number = self._last = max(self._last + 1, time.time_ns())
        self._run(lambda connection: connection.execute("INSERT INTO lines VALUES (?, ?, 0, NULL)", (number, data)))
        return number

    def tried(self, number: int) -> None:
        """Count a try."""
        statement = "UPDATE lines SET tries = tries + 1 WHERE number = ?"
        self._run(lambda connection: connection.execute(statement, (number,)))

    def remove(self, numbers: Iterable[int]) -> None:
        """Strike out lines."""
        rows = [(number,) for number in numbers]
        self._run(lambda connection: connection.executemany("DELETE FROM lines WHERE number = ?", rows))

    def set_aside(self, numbers: Iterable[int], why: str) -> None:
        """Keep lines for a person to look at; they are not read again."""
        rows = [(why, number) for number in numbers]
        newest = "SELECT number FROM lines WHERE why IS NOT NULL ORDER BY number DESC LIMIT ?"

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("UPDATE lines SET why = ? WHERE number = ?", rows)
            connection.execute(
                f"DELETE FROM lines WHERE why IS NOT NULL AND number NOT IN ({newest})",  # noqa: S608 - no input
                (MAX_SET_ASIDE,),
            )

        self._run(work)

    def close(self) -> None:
        """Let go of the file, and remove it if no line is left."""
        if self._connection is None:
            return
        try:
            is_empty = self._run(lambda connection: connection.execute("SELECT 1 FROM lines").fetchone()) is None
        finally:
            connection, self._connection = self._connection, None
            connection.close()
        if is_empty:
            try:
                for suffix in ("", *COMPANIONS):
                    companion(self.path, suffix).unlink(missing_ok=True)
            except OSError as error:
                raise JournalError(str(error)) from error

    def _run(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        if self._refusal is not None:
            raise self._refusal
        if self._connection is None:
            try:
                self._connection = self._open()
            except (*_ERRORS, DamagedFileError, JournalError) as error:
                # not tried again: each page would wait for it
                self._refusal = JournalError(f"{self.path}: {error}")
                raise self._refusal from error
        try:
            with transaction(self._connection, writes=True):
                return work(self._connection)
        except _ERRORS as error:
            if self._connection.in_transaction:  # what a full disk leaves of a commit
                self._connection.rollback()
            raise JournalError(f"{self.path}: {error}") from error

    def _open(self) -> sqlite3.Connection:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        try:
            return _connect(self.path)
        except (sqlite3.Error, UnicodeDecodeError, DamagedFileError) as error:
            if not is_damage(error):
                raise
            logger.warning("%s is damaged (%s): it is set aside, and a new one begun", self.path, error)
        set_aside(self.path)
        return _connect(self.path)


def _connect(path: Path) -> sqlite3.Connection:
    if path.exists() and 0 < path.stat().st_size < SMALLEST:
        raise DamagedFileError("too short for a database")  # SQLite would take it for an empty one
    uri = f"{path.absolute().as_uri()}?mode=rwc"
    connection = sqlite3.connect(uri, uri=True, timeout=PATIENCE, isolation_level=None)
    try:
        _prepare(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    try:
        is_new = _LAYOUT.is_new(connection)  # a file of another program is not touched at all
    except ForeignFileError as error:
        raise JournalError(f"it {error}") from error
    if not is_new:
        check(connection)
    # two crawls on one job directory must not ask for each other's pages; it also saves the locks of each write
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("PRAGMA journal_mode = WAL")
    # the operating system has what was written, which is enough for the death of a process
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("PRAGMA wal_autocheckpoint = 100")
    with transaction(connection, writes=True):
        if is_new:
            _LAYOUT.make(connection)
