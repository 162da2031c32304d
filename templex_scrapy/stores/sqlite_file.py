"""The SQLite file of a store: opened, checked, and set aside where it is damaged."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from templex_scrapy.stores.counts import StoreCounts
from templex_scrapy.stores.errors import StoreUnavailableError
from templex_scrapy.stores.layout import (
    COMPANIONS,
    DamagedFileError,
    ForeignFileError,
    Layout,
    check,
    companion,
    is_database,
    set_aside,
)
from templex_scrapy.stores.opening_lock import opening_lock

logger = logging.getLogger(__name__)

APPLICATION_ID = 0x746D706C
"""What tells the files of this package from other SQLite databases: ``tmpl``."""

VERSION = 1
"""Version of the tables."""

CHECKED_SIZE = 50_000_000
"""Bytes up to which a file is checked as a whole when it is opened; in larger ones damage shows in use."""

SMALLEST = 512
"""Bytes that a database has at least, if it is not empty."""

SCHEMA = (
    # the body stands last, so that SQLite reads the rest without it
    """CREATE TABLE templates (site TEXT NOT NULL, key TEXT NOT NULL, served INTEGER NOT NULL, last_used INTEGER,
    head BLOB NOT NULL, body BLOB NOT NULL, PRIMARY KEY (site, key))""",
    "CREATE TABLE versions (site TEXT PRIMARY KEY, version INTEGER NOT NULL)",
    "CREATE TABLE leases (site TEXT PRIMARY KEY, owner TEXT NOT NULL, taken REAL NOT NULL, expires REAL NOT NULL)",
    """CREATE TABLE set_aside (id INTEGER PRIMARY KEY, site TEXT NOT NULL, key TEXT NOT NULL, why TEXT NOT NULL,
    at INTEGER NOT NULL, head BLOB NOT NULL, body BLOB NOT NULL)""",
)

_LAYOUT = Layout(application_id=APPLICATION_ID, version=VERSION, statements=SCHEMA)
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


ERRORS = (sqlite3.Error, UnicodeDecodeError, DamagedFileError, OverflowError)
"""What the use of a file may raise: the second where SQLite's message quotes damaged text, the last where a number is
too large to be written."""


class SqliteFile:
    """A connection to the file of a store, made when it is needed.

    Args:
        path: the file; made if it is missing, with its folder.
        create: whether a missing or empty file is made a store.
        replace: whether a damaged one of ours makes room for a new one.
        patience: seconds to wait for other processes that write.
        counts: what to count files with that were set aside.
    """

    def __init__(self, path: Path, *, create: bool, replace: bool, patience: float, counts: StoreCounts) -> None:
        self.path = path
        self._create = create
        self._replace = replace
        self._patience = self._patience_for_lock = patience
        self._counts = counts
        self._connection: sqlite3.Connection | None = None
        self._identity: tuple[int, int] | None = None
        self._read_only = False

    def connection(self, *, writes: bool) -> sqlite3.Connection:
        """The connection, in autocommit mode.

        Raises:
            StoreUnavailableError: if the file cannot be opened, or not for writing, or is another program's, or is no
                longer the one that was open; then the next call opens that which is there.
        """
        if self._connection is not None and self._identity != _identity(self.path):
            self.close()
            raise StoreUnavailableError(f"{self.path} was removed, or replaced by another file")
        if writes and self._read_only:
            self.close()
        if self._connection is None:
            self._make_folder()
            with self._alone():
                self._connection = self._open()
                self._identity = _identity(self.path)
        if writes and self._read_only:
            raise StoreUnavailableError(f"{self.path} cannot be written to")
        return self._connection

    def close(self) -> None:
        """Close the connection, if there is one; the next use opens another."""
        connection, self._connection, self._identity = self._connection, None, None
        if connection is not None:
            with suppress(sqlite3.Error):  # nothing is lost: all that was committed is in the file
                connection.close()

    def set_aside(self, why: str) -> None:
        """Rename the file, unless another process has done so already.

        Raises:
            StoreUnavailableError: if it cannot be renamed, or is not to be.
        """
        identity = self._identity
        self.close()
        with self._alone():  # so that nobody renames another's new file
            if identity is not None and identity == _identity(self.path):
                self._rename(why)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """No other process opens the file or renames it meanwhile."""
        # one that was waited for in vain is not waited for each time
        patience, self._patience_for_lock = self._patience_for_lock, 0.0
        with opening_lock(self.path, patience):
            self._patience_for_lock = self._patience
            yield

    def _open(self) -> sqlite3.Connection:
        self._leave_foreign()
        try:
            return self._connect()
        except ERRORS as error:
            if not is_damage(error):
                raise unavailable(self.path, error) from error
            self._rename(str(error))
        try:
            return self._connect()
        except ERRORS as error:
            raise unavailable(self.path, error) from error

    def _make_folder(self) -> None:
        if not self._create and _identity(self.path) is None:
            raise StoreUnavailableError(f"there is no file {self.path}")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise unavailable(self.path, error) from error

    def _leave_foreign(self) -> None:
        # this is there as long as somebody has the store open. If that is another store of this process, to open and
        # close the file here would drop its locks, and the next process to close it would take the journal away from it
        if companion(self.path, "-shm").exists():
            return
        try:
            is_foreign = self._size() > 0 and not is_database(self.path)
        except OSError as error:
            raise unavailable(self.path, error) from error
        if is_foreign:
            raise StoreUnavailableError(f"{self.path} is no store of templates, and is left alone")

    def _connect(self) -> sqlite3.Connection:
        """A connection for reading and writing, or for reading alone where that is all that can be had."""
        try:
            connection = self._checked("rwc" if self._create else "rw")
        except sqlite3.Error as error:
            if is_damage(error):
                raise
            first = error
        else:
            self._read_only = False
            return connection
        self._read_only = True
        try:
            return self._checked("ro")
        except sqlite3.Error:
            # without a place for its shared memory SQLite reads only what nobody can be writing to
            journals = [companion(self.path, suffix) for suffix in COMPANIONS]
            if _identity(self.path) is None or any(_identity(journal) is not None for journal in journals):
                raise first from None
        return self._checked("ro&immutable=1")

    def _checked(self, mode: str) -> sqlite3.Connection:
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=self._patience,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            connection.text_factory = _decode
            connection.execute("PRAGMA trusted_schema = OFF")
            connection.execute("PRAGMA cell_size_check = ON")
            self._prepare(connection, writes=mode in {"rw", "rwc"})
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection, *, writes: bool) -> None:
        if 0 < self._size() < SMALLEST:
            raise DamagedFileError("too short for a database")  # SQLite would take it for an empty one
        is_new = self._is_new(connection)  # a file of another program is not touched at all
        if not is_new and self._size() <= CHECKED_SIZE:
            check(connection)
        if is_new and not self._create:
            raise StoreUnavailableError(f"{self.path} is empty: there is no store in it")
        if not writes:
            if is_new:
                raise StoreUnavailableError(f"{self.path} is empty and cannot be written to")
            return
        with transaction(connection, writes=True):
            if self._is_new(connection):
                _LAYOUT.make(connection)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")

    def _is_new(self, connection: sqlite3.Connection) -> bool:
        try:
            return _LAYOUT.is_new(connection)
        except ForeignFileError as error:
            raise StoreUnavailableError(f"{self.path} {error}") from error

    def _size(self) -> int:
        try:
            return self.path.stat().st_size
        except OSError:
            return 0

    def _rename(self, why: str) -> None:
        try:
            if not _LAYOUT.marks(self.path):
                raise StoreUnavailableError(f"{self.path} is no store of templates, and is left alone ({why})")
            if not self._replace:
                raise StoreUnavailableError(f"{self.path} is damaged ({why}); a crawl would set it aside")
            target = set_aside(self.path)
        except OSError as error:
            raise unavailable(self.path, error) from error
        self._counts.set_aside += 1
        logger.warning(
            "The store %s is damaged (%s): it is set aside as %s, and a new one begun", self.path, why, target.name
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


def unavailable(path: Path, error: Exception) -> StoreUnavailableError:
    """The error to raise for another one."""
    return StoreUnavailableError(f"{path} cannot be used: {error}")


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
