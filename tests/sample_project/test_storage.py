"""Storing: the SQLite pipeline."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import scrapy
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from sample_project.items import PageItem
from sample_project.pipelines import SqlitePipeline


def page(number: int, html: str = "<body><p>Some words here") -> PageItem:
    return PageItem(
        url=f"http://example.com/{number}",
        title=f"Página {number}",
        lang="es",
        html=html,
        text="Some words here",
        fetched_at="2025-06-01T12:00:00+00:00",
    )


class Crawl:
    """A crawl's SQLite pipeline, opened; `rows` reads the database."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.crawler = get_crawler(settings_dict={"SQLITE_PATH": str(path)})
        self.crawler.spider = scrapy.Spider("demo")
        self.pipeline = SqlitePipeline.from_crawler(self.crawler)
        self.pipeline.open_spider()

    def rows(self) -> list[tuple[Any, ...]]:
        connection = sqlite3.connect(self.path)
        try:
            return connection.execute("SELECT url, title, words_after FROM pages ORDER BY url").fetchall()
        finally:
            connection.close()


class TestSqlite:
    def test_the_same_address_is_the_same_row(self, tmp_path: Path) -> None:
        for run in range(2):
            crawl = Crawl(tmp_path / "new" / "items.sqlite")
            for number in range(3):
                crawl.pipeline.process_item(replace(page(number), words_after=run))
                assert len(crawl.rows()) >= number + 1  # at once
            crawl.pipeline.close_spider()
            assert crawl.crawler.stats.get_value("sample/sqlite_rows") == 3
        assert crawl.rows() == [(f"http://example.com/{n}", f"Página {n}", 1) for n in range(3)]

    def test_the_path_names_the_spider(self, tmp_path: Path) -> None:
        Crawl(tmp_path / "%(name)s" / "100%.sqlite").pipeline.close_spider()
        assert (tmp_path / "demo" / "100%.sqlite").exists()

    def test_a_refused_item_reaches_the_feeds(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        crawl = Crawl(tmp_path / "items.sqlite")
        item = replace(page(1), title=None)
        assert crawl.pipeline.process_item(item) is item
        assert crawl.crawler.stats.get_value("sample/sqlite_failed") == 1
        assert "did not take http://example.com/1" in caplog.text
        crawl.pipeline.close_spider()

    def test_without_a_path_there_is_no_pipeline(self) -> None:
        with pytest.raises(NotConfigured):
            SqlitePipeline.from_crawler(get_crawler())
