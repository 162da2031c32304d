"""What tells an SQLite file of this package from others, and what is done with one that is damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

SMALLEST = 512
"""Bytes that a database has at least, if it is not empty."""

COMPANIONS = ("-wal", "-shm")
"""What SQLite adds to the name of a file for the files that go with it."""

_HEADER = b"SQLite format 3\0"
_MARK = slice(68, 72)
"""Where the application id stands in a file, and how long it is."""


class ForeignFileError(Exception):
    """The file belongs to another program, or to a later version of this one, and is to be left alone."""


class DamagedFileError(Exception):
    """The file should be one of this layout, and is not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The tables of a kind of file, and the marks by which it is known.

    Attributes:
        application_id: what tells files of this kind from other SQLite databases.
        version: version of the tables.
        statements: what makes the tables.
    """

    application_id: int
    version: int
    statements: tuple[str, ...]

    def is_new(self, connection: sqlite3.Connection) -> bool:
        """Whether a database is empty; nothing is written.

        Raises:
            ForeignFileError: if it is not one of this kind and version.
            DamagedFileError: if it is, and its tables are others.
        """
        ((application,),) = connection.execute("PRAGMA application_id").fetchall()
        ((version,),) = connection.execute("PRAGMA user_version").fetchall()
        tables = _tables(connection)
        if not application and not version and not tables:
            return True
        if application != self.application_id:
            raise ForeignFileError("is a database of another program, and is left alone")
        if version > self.version:
            raise ForeignFileError("was made by a later version of templex_scrapy, and is left alone")
        if version != self.version or tables != self._expected_tables():
            raise DamagedFileError("its tables are not those that this version makes")
        return False

    def marks(self, path: Path) -> bool:
        """Whether a file bears the mark of this kind, whatever else is in it.

        Raises:
            OSError: if it cannot be read.
        """
        return is_database(path) and _start(path)[_MARK] == self.application_id.to_bytes(4, "big")

    def make(self, connection: sqlite3.Connection) -> None:
        """Make the tables, and mark the file."""
        for statement in self.statements:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {self.application_id}")
        connection.execute(f"PRAGMA user_version = {self.version}")

    def _expected_tables(self) -> list[tuple[bytes, ...]]:
        with closing(sqlite3.connect(":memory:")) as connection:
            self.make(connection)
            return _tables(connection)


def is_database(path: Path) -> bool:
    """Whether a file begins as those of SQLite do.

    Raises:
        OSError: if it cannot be read.
    """
    return _start(path).startswith(_HEADER)


def check(connection: sqlite3.Connection) -> None:
    """Read all of a database.

    Raises:
        DamagedFileError: if it is not whole.
    """
    ((found,),) = connection.execute("PRAGMA quick_check(1)").fetchall()
    if found != "ok":
        raise DamagedFileError(" ".join(str(found).split()))


def companion(path: Path, suffix: str) -> Path:
    """The file that goes with another one, and bears its name with a suffix."""
    return path.with_name(path.name + suffix)


def set_aside(path: Path) -> Path:
    """Rename a file to ``*.broken-1`` and so on, with those that go with it; returns its new path.

    Raises:
        OSError: if it cannot be renamed.
    """
    number = 1
    while companion(path, f".broken-{number}").exists():
        number += 1
    target = companion(path, f".broken-{number}")
    # a journal that stayed would be applied to the next file of that name
    for suffix in COMPANIONS:
        with suppress(FileNotFoundError):
            companion(path, suffix).rename(companion(target, suffix))
    path.rename(target)
    return target


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_MARK.stop)


def _tables(connection: sqlite3.Connection) -> list[tuple[bytes, ...]]:
    """What is defined in a database: type, name and SQL, as bytes, for in a damaged one they may be no text."""
    query = "SELECT CAST(type AS BLOB), CAST(name AS BLOB), CAST(coalesce(sql, '') AS BLOB) FROM sqlite_master"
    return sorted(connection.execute(query).fetchall())


_SHORT_READ = sqlite3.SQLITE_IOERR_SHORT_READ
# what may go well another time; all other errors of ours mean that the file is not what it should be
_PASSING = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_ABORT,
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_INTERRUPT,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_MISUSE,
        sqlite3.SQLITE_NOLFS,
        sqlite3.SQLITE_AUTH,
    }
)


@contextmanager
def transaction(connection: sqlite3.Connection, *, writes: bool) -> Iterator[None]:
    """A transaction: committed at the end, taken back after an error."""
    connection.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
    try:
        yield
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite may have taken it back itself
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def is_damage(error: Exception) -> bool:
    """Whether an error means that the file is not what it should be, and not just that something fails for now."""
    if not isinstance(error, sqlite3.Error):
        return not isinstance(error, OverflowError)
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_MISUSE)
    return code == _SHORT_READ or code & 0xFF not in _PASSING
