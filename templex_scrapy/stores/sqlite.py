"""Keep templates in an SQLite file that any number of processes of a machine share."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from templex_scrapy.stores.codec import RecordReader, merge
from templex_scrapy.stores.protocol import MAX_PAGES, VERSION, StoredTemplate, StoreError, page_key
from templex_scrapy.template import MAX_TEMPLATES

APPLICATION_ID = 0x746D706C
"""The mark of our files among SQLite's: ``tmpl``."""

BUSY_SECONDS = 2.0
"""Seconds to wait for another process that writes."""

_SMALLEST = 512  # SQLite takes a smaller file for an empty file, and would overwrite it
_MARKS = """SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)
    FROM pragma_application_id, pragma_user_version"""
_TABLES = (
    # an id is never used twice, so that versions are made of it
    """CREATE TABLE IF NOT EXISTS templates (id INTEGER PRIMARY KEY AUTOINCREMENT, site TEXT NOT NULL,
    key TEXT NOT NULL, used REAL NOT NULL, record BLOB NOT NULL, UNIQUE (site, key))""",
    # the ids tell which rows were saved first
    """CREATE TABLE IF NOT EXISTS pages (id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB NOT NULL UNIQUE,
    hash TEXT NOT NULL, saved REAL NOT NULL)""",
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {VERSION}",
)

_T = TypeVar("_T")


class SqliteStore(RecordReader):
    """Keeps templates in an SQLite file; see :class:`templex_scrapy.stores.TemplateStore`.

    A file that is damaged, or belongs to another program or another version, is an error, and is never changed.

    Args:
        path: the file; the store makes the file and its folder if they are missing. None: a temporary file.
        strict: whether a missing file is an error.
    """

    def __init__(self, path: Path | None, *, strict: bool = False) -> None:
        super().__init__()
        self._path = path
        self._strict = strict
        self._turn = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def __repr__(self) -> str:
        return f"<SqliteStore {self._path or 'in a temporary file'}>"

    def load(self, site: str) -> list[StoredTemplate]:
        """Return the templates of a site, the most recently used first."""
        # a damaged byte may turn any value into NULL or another type, whatever the table says
        query = """SELECT coalesce(CAST(used AS REAL), 0.0), coalesce(CAST(record AS BLOB), x'') FROM templates
            WHERE site = ? ORDER BY used DESC, id DESC LIMIT ?"""
        return self.read(
            site, self._run(lambda connection: connection.execute(query, (site, MAX_TEMPLATES)).fetchall())
        )

    def version(self, site: str) -> int:
        """Return a number that changes with the site's templates; 0: no template."""
        # the highest id stays if an older template is deleted; their number does not
        query = "SELECT coalesce(max(id) * ? + count(*), 0) FROM templates WHERE site = ?"
        return int(self._run(lambda connection: connection.execute(query, (2 * MAX_TEMPLATES, site)).fetchone()[0]))

    def save(self, site: str, stored: StoredTemplate) -> None:
        """Store a template, unless a template with the same key tells as much (:meth:`Template.tells_more_than`)."""

        def work(connection: sqlite3.Connection) -> None:
            # a transaction that reads before it writes fails at once if another process has written in between
            connection.execute("BEGIN IMMEDIATE")
            query = "SELECT CAST(record AS BLOB), CAST(used AS REAL) FROM templates WHERE site = ? AND key = ?"
            before, used = connection.execute(query, (site, stored.key)).fetchone() or (None, 0.0)
            used = max(used or 0.0, stored.used)
            record = merge(before, stored)
            if record is None:
                statement = "UPDATE templates SET used = ? WHERE site = ? AND key = ?"
                connection.execute(statement, (used, site, stored.key))
                return
            statement = "INSERT OR REPLACE INTO templates (site, key, used, record) VALUES (?, ?, ?, ?)"
            connection.execute(statement, (site, stored.key, used, record))
            connection.execute(
                """DELETE FROM templates WHERE site = :site AND key != :key AND id NOT IN (SELECT id FROM templates
                WHERE site = :site AND key != :key ORDER BY used DESC, id DESC LIMIT :others)""",
                {"site": site, "key": stored.key, "others": MAX_TEMPLATES - 1},
            )

        self._run(work)

    def forget(self, site: str, key: str) -> None:
        """Delete the template with a key."""
        statement = "DELETE FROM templates WHERE site = ? AND key = ?"
        self._run(lambda connection: connection.execute(statement, (site, key)))

    def touch(self, site: str, uses: Mapping[str, float]) -> None:
        """Note when templates were last used."""
        statement = "UPDATE templates SET used = max(coalesce(used, 0.0), ?) WHERE site = ? AND key = ?"
        rows = [(when, site, key) for key, when in uses.items()]
        self._run(lambda connection: connection.executemany(statement, rows))

    def sites(self) -> list[str]:
        """Return the sites that have templates, sorted."""
        query = "SELECT DISTINCT CAST(site AS TEXT) FROM templates ORDER BY site"
        rows = self._run(lambda connection: connection.execute(query).fetchall())
        return [site for (site,) in rows if site is not None]

    def delete(self, site: str) -> int:
        """Delete the templates of a site."""
        statement = "DELETE FROM templates WHERE site = ?"
        return self._run(lambda connection: connection.execute(statement, (site,)).rowcount)

    def page_hash(self, page: str) -> tuple[str, float] | None:
        """Return the content hash of a page and when it was saved, in seconds since 1970; None if it is not known."""
        query = "SELECT CAST(hash AS TEXT), CAST(saved AS REAL) FROM pages WHERE key = ?"
        row = self._run(lambda connection: connection.execute(query, (page_key(page),)).fetchone())
        return None if row is None else (str(row[0]), float(row[1] or 0.0))

    def save_page_hashes(self, hashes: Mapping[str, str], saved: float) -> None:
        """Store the content hashes of pages."""
        rows = [(page_key(page), content_hash, saved) for page, content_hash in hashes.items()]

        def work(connection: sqlite3.Connection) -> None:
            connection.executemany("INSERT OR REPLACE INTO pages (key, hash, saved) VALUES (?, ?, ?)", rows)
            connection.execute(
                """DELETE FROM pages WHERE id IN (SELECT id FROM pages ORDER BY id
                LIMIT max(0, (SELECT count(*) FROM pages) - ?))""",
                (MAX_PAGES,),
            )

        self._run(work)

    def close(self) -> None:
        """Close the file; this deletes a temporary file."""
        with self._turn:
            self._disconnect()

    def _run(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        """Do a piece of work in a transaction."""
        with self._turn:
            try:
                if self._connection is None:
                    self._connection = self._open()
                with self._connection:  # commits, or rolls back
                    return work(self._connection)
            except (sqlite3.Error, OSError, UnicodeError, OverflowError) as error:
                # the next call opens the file anew; a temporary store would lose all templates
                if self._path is not None:
                    self._disconnect()
                name = self._path or "a temporary file"
                raise StoreError(f"{name} cannot be used as a template store: {error}") from error

    def _open(self) -> sqlite3.Connection:
        path = self._path
        name = ""  # SQLite's own temporary database: in memory at first, in a file without a name when it grows
        if path is not None:
            if self._strict and not path.is_file():
                raise StoreError(f"there is no template store {path}")
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_file() and 0 < path.stat().st_size < _SMALLEST:
                raise StoreError(f"{path} is not a template store, and is left alone")
            name = f"{path.absolute().as_uri()}?mode={'rw' if self._strict else 'rwc'}"
        connection = sqlite3.connect(
            name,
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level="IMMEDIATE",  # several changes in a transaction wait for other processes at the first
            check_same_thread=False,
        )
        # a damaged byte must not end the reading
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        try:
            self._prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        path = self._path
        with connection:
            connection.execute("BEGIN")  # another process may be making the tables
            application, version, tables = connection.execute(_MARKS).fetchone()
        if application == APPLICATION_ID and version != VERSION:
            raise StoreError(f"{path} is a template store of version {version}, and is left alone; this is {VERSION}")
        if application != APPLICATION_ID:
            if application or version or tables:
                raise StoreError(f"{path} is a database of another program, and is left alone")
            if self._strict:
                raise StoreError(f"{path} is empty: there is no template store in it")
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                for statement in _TABLES:
                    connection.execute(statement)
        with suppress(sqlite3.OperationalError):  # another process is opening the file, and will do it
            connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):  # all that was committed is in the file
                connection.close()
