"""A feed exporter for Parquet, on pyarrow.

    FEED_EXPORTERS = {"parquet": "templex_scrapy.ParquetItemExporter"}
    FEEDS = {"items.parquet": {"format": "parquet", "overwrite": True}}

Items are written in row groups while the crawl runs, so that memory is bounded.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import IO, Any

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter
from scrapy.utils.serialize import ScrapyJSONEncoder

try:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]
except ImportError as error:
    # raised while Scrapy sets up the feeds, before the crawl begins
    raise ImportError('The Parquet feed needs pyarrow: pip install "templex-scrapy[parquet]"') from error

logger = logging.getLogger(__name__)

_JSON = ScrapyJSONEncoder(ensure_ascii=False)
_ARROW_ERRORS = (pa.ArrowException, TypeError, ValueError, OverflowError)


class ParquetItemExporter(BaseItemExporter):
    """Exports items to a Parquet file.

    The columns are the `fields` of the feed, or else the fields of the items in the first row group. Their types are
    those of the values in the first row group. Nested values are stored as JSON. A value that does not fit its column
    is left empty, and a warning is logged.

    Args:
        file: where to write.
        row_group_items: items in a row group, at most.
        row_group_bytes: characters of the texts that wait for their row group, at most.
        **kwargs: the options of all of Scrapy's exporters.
    """

    def __init__(
        self, file: IO[bytes], *, row_group_items: int = 1000, row_group_bytes: int = 16_000_000, **kwargs: Any
    ) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self._file = file
        self._row_group_items = row_group_items
        self._row_group_bytes = row_group_bytes
        self._writer: pq.ParquetWriter | None = None
        self._rows: list[dict[str, Any]] = []
        self._waiting_bytes = 0
        self._warned: set[str] = set()

    def export_item(self, item: object) -> None:
        """Take an item; write a row group when enough of them wait."""
        row = self._row(ItemAdapter(item))
        self._rows.append(row)
        self._waiting_bytes += sum(len(value) for value in row.values() if isinstance(value, str | bytes))
        if len(self._rows) >= self._row_group_items or self._waiting_bytes >= self._row_group_bytes:
            self._write_row_group()

    def finish_exporting(self) -> None:
        """Write what still waits, and the end of the file; the file itself stays open, as Scrapy expects."""
        if self._rows or self._writer is None:
            self._write_row_group()
        if self._writer is not None:
            self._writer.close()

    def _columns(self, names: list[str]) -> dict[str, str]:
        """Name of a field → name of its column."""
        fields = self.fields_to_export
        return dict(fields) if isinstance(fields, Mapping) else {name: name for name in fields or names}

    def _row(self, item: ItemAdapter) -> dict[str, Any]:
        columns = self._columns(list(dict.fromkeys([*item.field_names(), *item])))
        return {
            column: _plain(self.serialize_field(item.get_field_meta(name), column, item[name]))
            for name, column in columns.items()
            if name in item
        }

    def _write_row_group(self) -> None:
        if self._writer is None:
            names = dict.fromkeys(name for row in self._rows for name in row) or self._columns([]).values()
            fields = [(name, _type_of([row.get(name) for row in self._rows])) for name in names]
            self._writer = pq.ParquetWriter(self._file, pa.schema(fields), compression="zstd")
        schema = self._writer.schema
        for name in {name for row in self._rows for name in row} - set(schema.names):
            self._warn(name, "it is missing in the first row group, which decides the columns")
        if self._rows:
            self._writer.write_table(pa.table([self._column(field) for field in schema], schema=schema))
        self._rows, self._waiting_bytes = [], 0

    def _column(self, field: Any) -> Any:
        values = [row.get(field.name) for row in self._rows]
        try:
            return pa.array(values, type=field.type)
        except _ARROW_ERRORS:
            return pa.array([self._converted(value, field) for value in values], type=field.type)

    def _converted(self, value: Any, field: Any) -> Any:
        """Return a value in the type of its column: as it is, as text in a column of texts, or None."""
        try:
            return pa.scalar(value, type=field.type).as_py()
        except _ARROW_ERRORS:
            if pa.types.is_string(field.type):
                return _JSON.encode(value)
        self._warn(field.name, f"its values are not all of the type {field.type}")
        return None

    def _warn(self, name: str, problem: str) -> None:
        if name not in self._warned:
            self._warned.add(name)
            logger.warning("Parquet: not all values of %r are stored: %s", name, problem)


def _plain(value: Any) -> Any:
    """Return a value as Arrow takes it: nested ones, which may differ from item to item, as JSON."""
    parts = value if isinstance(value, list | tuple | set) else ()
    if isinstance(value, dict) or any(isinstance(part, dict | list | tuple | set) for part in parts):
        return _JSON.encode(value)
    return sorted(value) if isinstance(value, set) else value


def _type_of(values: list[Any]) -> Any:
    try:
        found = pa.array(values).type
    except _ARROW_ERRORS:
        return pa.string()
    # a column without any value so far takes any later one as text
    return pa.string() if pa.types.is_null(found) else found
