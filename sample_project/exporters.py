"""A feed exporter for Parquet, on pyarrow.

    FEED_EXPORTERS = {"parquet": "sample_project.exporters.ParquetItemExporter"}
    FEEDS = {"items.parquet": {"format": "parquet", "overwrite": True}}

Items are written in row groups while the crawl runs, so that memory stays bounded.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import IO, Any

from itemadapter import ItemAdapter
from scrapy.exporters import BaseItemExporter
from scrapy.utils.serialize import ScrapyJSONEncoder

try:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]
except ImportError as error:
    # Raised while Scrapy sets up the feeds: better no crawl than one without its Parquet file in the end.
    message = 'The Parquet feed needs pyarrow, which is not installed: pip install "templex-scrapy[parquet]"'
    raise ImportError(message) from error

logger = logging.getLogger(__name__)

_JSON = ScrapyJSONEncoder(ensure_ascii=False)


class ParquetItemExporter(BaseItemExporter):
    """Exports items to a Parquet file.

    The columns are those of `schema`, or else the `fields` of the feed, or else the fields of the items in
    the first row group; their types are those of `schema`, or else of the values in the first row group. Nested
    values are stored as JSON text. What cannot be stored in its column is left empty, and a warning says so.

    Args:
        file: where to write.
        schema: column → name of an Arrow type, such as "int64" or "string"; for sparse or mixed values.
        row_group_items: items in a row group, at most.
        row_group_bytes: size of the texts that wait for their row group, at most (about).
        compression: as pyarrow names it.
        **kwargs: the options of all of Scrapy's exporters.
    """

    def __init__(
        self,
        file: IO[bytes],
        *,
        schema: Mapping[str, str] | None = None,
        row_group_items: int = 1000,
        row_group_bytes: int = 16_000_000,
        compression: str = "zstd",
        **kwargs: Any,
    ) -> None:
        super().__init__(dont_fail=True, **kwargs)
        self._file = file
        self._schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in schema.items()]) if schema else None
        self._row_group_items = row_group_items
        self._row_group_bytes = row_group_bytes
        self._compression = compression
        self._writer: pq.ParquetWriter | None = None
        self._rows: list[dict[str, Any]] = []
        self._waiting_bytes = 0
        self._warned: set[str] = set()

    def export_item(self, item: object) -> None:
        """Takes an item; writes a row group when enough of them wait."""
        row = self._row(ItemAdapter(item))
        self._rows.append(row)
        self._waiting_bytes += sum(len(value) for value in row.values() if isinstance(value, str | bytes))
        if len(self._rows) >= self._row_group_items or self._waiting_bytes >= self._row_group_bytes:
            self._write_row_group()

    def finish_exporting(self) -> None:
        """Writes what still waits, and the end of the file; the file itself stays open, as Scrapy expects."""
        if self._rows or self._writer is None:
            self._write_row_group()
        if self._writer is not None:
            self._writer.close()

    def _row(self, item: ItemAdapter) -> dict[str, Any]:
        # Scrapy's own method for this is private in its older versions.
        columns = self.fields_to_export
        if columns is None:
            columns = [*item.field_names(), *(name for name in item if name not in item.field_names())]
        pairs = columns.items() if isinstance(columns, Mapping) else ((name, name) for name in columns)
        return {
            column: _plain(self.serialize_field(item.get_field_meta(name), column, item[name]))
            for name, column in pairs
            if name in item
        }

    def _write_row_group(self) -> None:
        if self._schema is None:
            self._schema = _schema_of(self._rows) if self._rows else _empty_schema(self.fields_to_export)
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._file, self._schema, compression=self._compression)
        unknown = {name for row in self._rows for name in row} - set(self._schema.names)
        for name in unknown:
            self._warn(name, "is no column of the file, which its first row group decided: name it in `schema`")
        columns = [self._column(field) for field in self._schema]
        if self._rows:
            self._writer.write_table(pa.table(columns, schema=self._schema))
        self._rows = []
        self._waiting_bytes = 0

    def _column(self, field: Any) -> Any:
        values = [row.get(field.name) for row in self._rows]
        try:
            return pa.array(values, type=field.type)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            return pa.array([self._converted(value, field) for value in values], type=field.type)

    def _converted(self, value: Any, field: Any) -> Any:
        """One value in the type of its column: as it is, or as text in a column of texts, or None."""
        if value is None:
            return None
        try:
            return pa.scalar(value, type=field.type).as_py()
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            if pa.types.is_string(field.type):
                return _JSON.encode(value)
        self._warn(
            field.name,
            f"has values that are no {field.type}: name it in `schema` with a type that holds them",
        )
        return None

    def _warn(self, name: str, problem: str) -> None:
        if name not in self._warned:
            self._warned.add(name)
            logger.warning("Parquet: not all values of %r were stored, since the field %s", name, problem)


def _plain(value: Any) -> Any:
    """A value as Arrow takes it: nested ones, which may differ from item to item, as JSON text."""
    nested = isinstance(value, dict) or (
        isinstance(value, list | tuple | set) and any(isinstance(part, dict | list | tuple | set) for part in value)
    )
    if nested:
        return _JSON.encode(value)
    return sorted(value) if isinstance(value, set) else value


def _schema_of(rows: list[dict[str, Any]]) -> Any:
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.schema([(name, _type_of([row.get(name) for row in rows])) for name in names])


def _empty_schema(fields: Mapping[str, str] | Iterable[str] | None) -> Any:
    names = fields.values() if isinstance(fields, Mapping) else fields or ()
    return pa.schema([(name, pa.string()) for name in names])


def _type_of(values: list[Any]) -> Any:
    try:
        kind = pa.array(values).type
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.string()
    # A column without any value so far: text takes whatever comes later.
    return pa.string() if pa.types.is_null(kind) else kind
