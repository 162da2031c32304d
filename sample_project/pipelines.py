"""Store items in SQLite, after templex_scrapy has cleaned them."""

from __future__ import annotations

import logging
import sqlite3
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Self

from scrapy.crawler import Crawler
from scrapy.exceptions import NotConfigured

from sample_project.items import PageItem

logger = logging.getLogger(__name__)


class SqlitePipeline:
    """Stores each item in the table `pages`, one row for each URL.

    The setting SQLITE_PATH names the database; `%(name)s` in it is the spider's name. Items that the database refuses
    are logged and counted, and reach the feeds.
    """

    table = "pages"

    def __init__(self, crawler: Crawler, path: str) -> None:
        self._crawler = crawler
        self._path = path
        self._connection: sqlite3.Connection | None = None
        names = [field.name for field in fields(PageItem)]
        updates = ", ".join(f"{name} = excluded.{name}" for name in names if name != "url")
        self._upsert = (
            f"INSERT INTO {self.table} ({', '.join(names)}) "  # noqa: S608  (names of our own class, no input)
            f"VALUES ({', '.join(f':{name}' for name in names)}) ON CONFLICT (url) DO UPDATE SET {updates}"
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the pipeline of a crawl; without SQLITE_PATH there is none."""
        path = crawler.settings.get("SQLITE_PATH")
        if not path:
            raise NotConfigured("SQLITE_PATH is not set")
        return cls(crawler, str(path))

    def open_spider(self) -> None:
        """Open the database, and make the table if it is missing."""
        spider = self._crawler.spider
        path = Path(self._path.replace("%(name)s", spider.name if spider else "spider"))
        path.parent.mkdir(parents=True, exist_ok=True)
        # without a transaction each item is safe once it is written; with the write-ahead log that costs little
        self._connection = sqlite3.connect(path, timeout=30, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(_create_table(self.table))

    def close_spider(self) -> None:
        """Close the database."""
        if self._connection is not None:
            (rows,) = self._connection.execute(f"SELECT count(*) FROM {self.table}").fetchone()  # noqa: S608  (as above)
            self._crawler.stats.set_value("sample/sqlite_rows", rows)
            self._connection.close()

    def process_item(self, item: PageItem) -> PageItem:
        """Store one item."""
        if self._connection is None:
            raise RuntimeError("The database is not open: open_spider() has not run")
        try:
            self._connection.execute(self._upsert, asdict(item))
        except sqlite3.Error:
            logger.exception("SQLite did not take %s; the feeds receive it", item.url)
            self._crawler.stats.inc_value("sample/sqlite_failed")
        return item


def _create_table(name: str) -> str:
    types: dict[Any, str] = {"str": "TEXT", "int": "INTEGER"}
    columns = [f"{field.name} {types[field.type]} NOT NULL" for field in fields(PageItem)]
    return f"CREATE TABLE IF NOT EXISTS {name} ({', '.join(columns)}, PRIMARY KEY (url))"
