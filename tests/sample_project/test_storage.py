"""Storing: the Parquet exporter and the SQLite pipeline."""

from __future__ import annotations

import io
import json
import logging
import sqlite3
import subprocess
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import scrapy
from scrapy.exceptions import NotConfigured
from scrapy.utils.test import get_crawler

from sample_project.exporters import ParquetItemExporter
from sample_project.items import PageItem
from sample_project.pipelines import MeasurePipeline, SqlitePipeline

ROOT = Path(__file__).resolve().parents[2]


def page(number: int, html: str = "<body><p>Some words here") -> PageItem:
    return PageItem(
        url=f"http://example.com/{number}",
        title=f"Página {number}",
        lang="es",
        html=html,
        text="Some words here",
        fetched_at="2025-06-01T12:00:00+00:00",
    )


def export(items: list[Any], **options: Any) -> tuple[list[dict[str, Any]], pq.ParquetFile]:
    """Exports items and reads the file back."""
    file = io.BytesIO()
    exporter = ParquetItemExporter(file, **options)
    exporter.start_exporting()
    for item in items:
        exporter.export_item(item)
    exporter.finish_exporting()
    assert not file.closed
    parquet = pq.ParquetFile(io.BytesIO(file.getvalue()))
    return parquet.read().to_pylist(), parquet


class TestParquet:
    def test_rows_are_the_items(self) -> None:
        items = [page(number) for number in range(5)]
        rows, _ = export(items)
        assert rows == [item.__dict__ for item in items]

    def test_row_groups_are_written_while_items_come(self) -> None:
        file = io.BytesIO()
        exporter = ParquetItemExporter(file, row_group_items=10)
        for number in range(25):
            exporter.export_item(page(number))
        assert len(file.getvalue()) > 500
        exporter.finish_exporting()
        parquet = pq.ParquetFile(file)
        assert [parquet.metadata.row_group(n).num_rows for n in range(parquet.num_row_groups)] == [10, 10, 5]
        assert export([page(n, "x" * 1000) for n in range(10)], row_group_bytes=3000)[1].num_row_groups >= 3

    def test_no_items_make_a_readable_file(self) -> None:
        rows, parquet = export([], fields_to_export=["url", "html"])
        assert rows == []
        assert parquet.schema_arrow.names == ["url", "html"]
        assert export([])[0] == []

    def test_the_fields_of_the_feed_choose_and_name_columns(self) -> None:
        rows, _ = export([page(1)], fields_to_export={"url": "address", "words_after": "words"})
        assert rows == [{"address": "http://example.com/1", "words": 0}]

    def test_every_kind_of_item(self) -> None:
        class Thing(scrapy.Item):
            name = scrapy.Field(serializer=str.upper)
            size = scrapy.Field()

        @dataclass
        class Other:
            name: str
            size: float | None = None

        assert export([Thing(name="a"), Thing(name="b", size=2)])[0] == [
            {"name": "A", "size": None},
            {"name": "B", "size": 2},
        ]
        assert export([Other("a"), Other("b", 1.5)])[0][1] == {"name": "b", "size": 1.5}
        assert export([{"name": "a"}, {"size": 3}])[0] == [{"name": "a", "size": None}, {"name": None, "size": 3}]

    def test_values_of_all_kinds(self) -> None:
        now = datetime(2025, 6, 1, tzinfo=UTC)
        item = {"when": now, "raw": b"\x00", "tags": ["a", "b"], "nested": {"a": [1]}, "deep": [{"a": 1}], "no": None}
        (row,), _ = export([item])
        assert row["when"] == now
        assert (row["raw"], row["tags"], row["no"]) == (b"\x00", ["a", "b"], None)
        assert json.loads(row["nested"]) == {"a": [1]}
        assert json.loads(row["deep"]) == [{"a": 1}]

    def test_values_that_do_not_fit_are_left_empty_with_a_warning(self, caplog: pytest.LogCaptureFixture) -> None:
        items = [{"n": 1, "t": None}, {"n": "many", "t": 5, "new": 1}, {"n": 3, "t": "x"}]
        with caplog.at_level(logging.WARNING):
            rows, _ = export(items, row_group_items=1)
        assert rows == [{"n": 1, "t": None}, {"n": None, "t": "5"}, {"n": 3, "t": "x"}]
        assert "'n'" in caplog.text
        assert "'new'" in caplog.text
        assert export([{"n": 1}, {"n": "many"}])[0] == [{"n": "1"}, {"n": "many"}]

    def test_missing_pyarrow_is_reported_with_the_extra(self) -> None:
        code = "import sys; sys.modules['pyarrow'] = None; import sample_project.exporters"
        command = [sys.executable, "-c", code]
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603  (our own)
        assert run.returncode == 1
        assert 'pip install "templex-scrapy[parquet]"' in run.stderr.splitlines()[-1]


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


def test_measuring_fills_the_text_and_counts() -> None:
    crawler = get_crawler()
    item = replace(page(1, "<body><p>Ein Wort</p><script>var x;</script>"), text="", bytes_before=90, words_before=7)
    MeasurePipeline.from_crawler(crawler).process_item(item)
    assert (item.text, item.words_after, item.bytes_after) == ("Ein Wort", 2, len(item.html))
    assert crawler.stats.get_value("sample/words_before") == 7
    assert crawler.stats.get_value("sample/words_after") == 2
