"""Templates in an SQLite file, shared by any number of processes of one machine."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from templex_scrapy.stores.counts import StoreCounts
from templex_scrapy.stores.protocol import (
    MAX_COUNT,
    MAX_SET_ASIDE,
    Aside,
    Change,
    Edit,
    Outcome,
    Row,
    Use,
    as_count,
    as_ticks,
    first_version,
)
from templex_scrapy.stores.sqlite_file import ERRORS, SqliteFile, is_damage, transaction, unavailable

CLOCK_STEP = 1.0
"""Seconds by which the clock may go back without a lease being lost."""

_T = TypeVar("_T")


class SqliteBackend:
    """Keeps templates in an SQLite file; see :class:`templex_scrapy.stores.protocol.Backend`.

    A damaged file is renamed to ``*.broken-1`` and so on, and a new one begun. Where the damage shows in use, or the
    file was removed, the operation raises ``StoreUnavailableError``, since what others rely on is no longer there. A
    file of another program, or of a later version of this package, is left alone: only what bears SQLite's header and
    our mark is ever renamed. A file that cannot be written to can still be read.

    Args:
        path: the file, on a disk of this machine; made with its folder if it is missing.
        create: whether a missing or empty file is made a store.
        replace: whether a damaged file is renamed; otherwise its use raises ``StoreUnavailableError``.
        patience: seconds to wait for other processes that write.
        clock: the time in seconds, the same for all processes; leases expire by it.
        counts: what to count files with that were set aside.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        create: bool = True,
        replace: bool = True,
        patience: float = 5.0,
        clock: Callable[[], float] = time.time,
        counts: StoreCounts | None = None,
    ) -> None:
        self._file = SqliteFile(
            Path(path), create=create, replace=replace, patience=patience, counts=counts or StoreCounts()
        )
        self._clock = clock

    def __repr__(self) -> str:
        return f"<SqliteBackend {str(self._file.path)!r}>"

    def read(self, site: str) -> dict[str, Row]:
        """All rows of a site by key, as they were at one moment."""
        return self._run(lambda connection: _rows(connection, site, "body"), writes=False)

    def heads(self, site: str) -> dict[str, Row]:
        """The same without bodies."""
        return self._run(lambda connection: _rows(connection, site, "NULL"), writes=False)

    def change(self, site: str, edit: Edit) -> Outcome:
        """Change the rows of a site as nobody else does meanwhile."""

        def work(connection: sqlite3.Connection) -> Outcome:
            rows = _rows(connection, site, "NULL")
            change = edit(rows)
            if change.is_empty:
                return Outcome(change, _version(connection, site))
            _apply(connection, site, change)
            version = (_version(connection, site) or first_version()) + 1 if change.applied(rows) else 0
            connection.execute("DELETE FROM versions WHERE site = ?", (site,))
            if version:
                connection.execute("INSERT INTO versions VALUES (?, ?)", (site, version))
            return Outcome(change, version)

        return self._run(work, writes=True)

    def used(self, site: str, uses: Mapping[str, Use]) -> None:
        """Add to the counts of rows, by key."""
        rows = [(use.times, MAX_COUNT, use.last, site, key) for key, use in uses.items()]
        statement = """UPDATE templates SET served = min(served + ?, ?), last_used = max(coalesce(last_used, 0), ?)
            WHERE site = ? AND key = ?"""
        self._run(lambda connection: connection.executemany(statement, rows), writes=True)

    def sites(self) -> list[str]:
        """The sites that have rows, sorted."""
        statement = "SELECT DISTINCT site FROM templates"
        return sorted(str(site) for (site,) in self._run(lambda connection: _all(connection, statement), writes=False))

    def version(self, site: str) -> int:
        """A number that grows by 1 with each change of a site; 0 for a site without rows."""
        return self._run(lambda connection: _version(connection, site), writes=False)

    def lease(self, site: str, owner: str, seconds: float) -> bool:
        """Take or renew the lease of a site."""

        def work(connection: sqlite3.Connection) -> bool:
            now = self._clock()
            # a lease from the future was taken before the clock went back: it would last for ever
            connection.execute("DELETE FROM leases WHERE expires <= ? OR taken > ?", (now, now + CLOCK_STEP))
            if any(holder != owner for (holder,) in _all(connection, "SELECT owner FROM leases WHERE site = ?", site)):
                return False
            connection.execute("INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?)", (site, owner, now, now + seconds))
            return True

        return self._run(work, writes=True)

    def release(self, site: str, owner: str) -> None:
        """Give up the lease of a site, if it is the owner's."""
        statement = "DELETE FROM leases WHERE site = ? AND owner = ?"
        self._run(lambda connection: connection.execute(statement, (site, owner)), writes=True)

    def asides(self) -> list[Aside]:
        """The records that were set aside, the oldest first."""
        statement = "SELECT site, key, why, at, head, body FROM set_aside ORDER BY id"
        return [
            Aside(str(site), str(key), str(why), as_count(at), _bytes(head), _bytes(body))
            for site, key, why, at, head, body in self._run(lambda found: _all(found, statement), writes=False)
        ]

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def _run(self, work: Callable[[sqlite3.Connection], _T], *, writes: bool) -> _T:
        try:
            connection = self._file.connection(writes=writes)
            with transaction(connection, writes=writes):
                return work(connection)
        except ERRORS as error:
            if is_damage(error):
                # what was in the file is lost to its users, who have to know
                self._file.set_aside(str(error))
            self._file.close()
            raise unavailable(self._file.path, error) from error


def _all(connection: sqlite3.Connection, statement: str, *values: object) -> list[tuple[object, ...]]:
    return connection.execute(statement, values).fetchall()


def _rows(connection: sqlite3.Connection, site: str, body: str) -> dict[str, Row]:
    """The rows of a site; ``body`` is the column, or NULL."""
    statement = f"SELECT key, head, {body}, served, last_used FROM templates WHERE site = ?"  # noqa: S608 - no input
    return {
        str(key): Row(_bytes(head), None if found is None else _bytes(found), as_count(served), as_ticks(last_used))
        for key, head, found, served, last_used in _all(connection, statement, site)
    }


def _version(connection: sqlite3.Connection, site: str) -> int:
    found = _all(connection, "SELECT version FROM versions WHERE site = ?", site)
    return as_count(found[0][0]) if found else 0


def _apply(connection: sqlite3.Connection, site: str, change: Change) -> None:
    now = time.time_ns() // 1000
    for key, why in change.aside.items():
        connection.execute(
            """INSERT INTO set_aside (site, key, why, at, head, body)
            SELECT site, key, ?, ?, head, body FROM templates WHERE site = ? AND key = ?""",
            (why, now, site, key),
        )
    if change.aside:
        newest = "SELECT id FROM set_aside ORDER BY id DESC LIMIT ?"
        connection.execute(f"DELETE FROM set_aside WHERE id NOT IN ({newest})", (MAX_SET_ASIDE,))  # noqa: S608 - as above
    _delete(connection, site, (*change.aside, *change.drop))
    for key, row in change.put.items():
        connection.execute(
            """INSERT INTO templates (site, key, served, last_used, head, body)
            VALUES (:site, :key, :served, :last_used, :head, :body) ON CONFLICT (site, key) DO UPDATE
            SET head = excluded.head, body = CASE WHEN :keep THEN body ELSE excluded.body END""",
            {
                "site": site,
                "key": key,
                "served": row.served,
                "last_used": row.last_used,
                "head": row.head,
                "body": row.body or b"",
                "keep": row.body is None,
            },
        )


def _delete(connection: sqlite3.Connection, site: str, keys: Iterable[str]) -> None:
    statement = "DELETE FROM templates WHERE site = ? AND key = ?"
    connection.executemany(statement, [(site, key) for key in keys])


def _bytes(value: object) -> bytes:
    """A column that should hold bytes."""
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
