"""The SQLite pipeline of the sample project."""

import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
import scrapy
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from sample_project.items import PageItem
from sample_project.pipelines import SqlitePipeline


def page_item(number):
    return PageItem(
        url=f"http://example.com/{number}",
        title=f"Página {number}",
        lang="es",
        html="<body><p>Some words here",
        text="Some words here",
        fetched_at="2025-06-01T12:00:00+00:00",
    )


def opened(path):
    """The crawler of a crawl, and its pipeline."""
    crawler = get_crawler(settings_dict={"SQLITE_PATH": str(path)})
    crawler.spider = scrapy.Spider("demo")
    pipeline = SqlitePipeline.from_crawler(crawler)
    pipeline.open_spider()
    return crawler, pipeline


def rows(path):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT url, title, words_after FROM pages ORDER BY url").fetchall()


def test_the_same_address_is_the_same_row(tmp_path):
    path = tmp_path / "new" / "items.sqlite"
    for run in range(2):
        crawler, pipeline = opened(path)
        for number in range(3):
            pipeline.process_item(replace(page_item(number), words_after=run))
            assert len(rows(path)) >= number + 1, "each is stored at once"
        pipeline.close_spider()
        assert crawler.stats.get_value("sample/sqlite_rows") == 3
    assert rows(path) == [(f"http://example.com/{n}", f"Página {n}", 1) for n in range(3)]


def test_a_refused_item_reaches_the_feeds(tmp_path, caplog):
    crawler, pipeline = opened(tmp_path / "items.sqlite")
    item = replace(page_item(1), title=None)
    assert pipeline.process_item(item) is item
    assert crawler.stats.get_value("sample/sqlite_failed") == 1
    assert "did not take http://example.com/1" in caplog.text
    pipeline.close_spider()


def test_without_a_path_there_is_no_pipeline():
    with pytest.raises(NotConfigured):
        SqlitePipeline.from_crawler(get_crawler())
