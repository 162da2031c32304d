"""Items as Parquet."""

import io
import json
import logging
import sys
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow.parquet as pq
import pytest
import scrapy

import templex_scrapy
from templex_scrapy import ParquetItemExporter


@dataclass
class PageItem:
    url: str
    html: str
    words_after: int = 0


def page_item(number, html="<body><p>Some words here"):
    return PageItem(f"http://example.com/{number}", html)


def export(items, **options):
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


def test_row_groups_are_written_while_items_come():
    file = io.BytesIO()
    exporter = ParquetItemExporter(file, row_group_items=10)
    for number in range(25):
        exporter.export_item(page_item(number))
    assert len(file.getvalue()) > 500
    exporter.finish_exporting()
    parquet = pq.ParquetFile(file)
    assert [parquet.metadata.row_group(n).num_rows for n in range(parquet.num_row_groups)] == [10, 10, 5]
    assert export([page_item(n, "x" * 1000) for n in range(10)], row_group_bytes=3000)[1].num_row_groups >= 3


def test_no_items_make_a_readable_file():
    rows, parquet = export([], fields_to_export=["url", "html"])
    assert rows == []
    assert parquet.schema_arrow.names == ["url", "html"]
    assert export([])[0] == []


def test_the_fields_of_the_feed_choose_and_name_columns():
    rows, _ = export([page_item(1)], fields_to_export={"url": "address", "words_after": "words"})
    assert rows == [{"address": "http://example.com/1", "words": 0}]


def test_every_kind_of_item():
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


def test_values_of_all_kinds():
    now = datetime(2025, 6, 1, tzinfo=UTC)
    item = {"when": now, "raw": b"\x00", "tags": ["a", "b"], "nested": {"a": [1]}, "deep": [{"a": 1}], "no": None}
    (row,), _ = export([item])
    assert row["when"] == now
    assert (row["raw"], row["tags"], row["no"]) == (b"\x00", ["a", "b"], None)
    assert json.loads(row["nested"]) == {"a": [1]}
    assert json.loads(row["deep"]) == [{"a": 1}]


def test_values_that_do_not_fit_are_left_empty_with_a_warning(caplog):
    items = [{"n": 1, "t": None}, {"n": "many", "t": 5, "new": 1}, {"n": 3, "t": "x"}]
    with caplog.at_level(logging.WARNING):
        rows, _ = export(items, row_group_items=1)
    assert rows == [{"n": 1, "t": None}, {"n": None, "t": "5"}, {"n": 3, "t": "x"}]
    assert "'n'" in caplog.text
    assert "'new'" in caplog.text
    assert export([{"n": 1}, {"n": "many"}])[0] == [{"n": "1"}, {"n": "many"}]


def test_missing_pyarrow_is_reported_with_the_extra(monkeypatch):
    for name in ("templex_scrapy.crawl.parquet_exporter", "templex_scrapy.archives.row_groups"):
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r'pip install "templex-scrapy\[parquet\]"'):
        _ = templex_scrapy.ParquetItemExporter
