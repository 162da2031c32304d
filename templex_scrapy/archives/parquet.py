"""Read Parquet files, and write them again with the same types."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

from templex_scrapy.archives.partitions import Rows
from templex_scrapy.archives.records import ArchiveError, Columns, Record, Skip, Skipped, missing_column
from templex_scrapy.archives.row_groups import ROW_GROUP_BYTES, ROW_GROUP_ROWS, RowGroups

# isort: split
# after row_groups: its error tells the user how to install pyarrow
import pyarrow as pa
import pyarrow.parquet as pq

_ROWS = 16  # rows that are read at once: each may be a large page
_OF_VIEWS = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
_BUFFER = 1_000_000  # bytes of a column that are read at once


def value_of(scalar: Any) -> Any:
    """Return the value of a scalar of Arrow; bytes that are no UTF-8, which Arrow does not check, become U+FFFD."""
    try:
        return scalar.as_py()
    except UnicodeDecodeError:
        text = getattr(scalar, "value", scalar)  # a dictionary's value is another scalar
        if not hasattr(text, "as_buffer"):  # texts in a list
            raise
        return bytes(text.as_buffer()).decode("utf-8", "replace")


def schema_of(source: Path, columns: Columns) -> pa.Schema:
    """Return the columns of a Parquet file without the page; dictionary columns get the type of their values."""
    try:
        schema = pq.read_schema(source)
    except (pa.ArrowException, OSError) as error:
        raise ArchiveError(f"{source}: no Parquet file that can be read: {error}") from error
    for name in (columns.url, columns.html):
        if name not in schema.names:
            raise missing_column(source, name, schema.names)
        if schema.names.count(name) > 1:
            raise ArchiveError(f"{source}: several columns are named {name!r}")
    return pa.schema(_plain(field) for field in schema if field.name != columns.html)


def _plain(field: pa.Field) -> pa.Field:
    """Return a field with values in place of dictionaries, which rows do not carry, and of views; at any depth."""
    kind = field.type
    if pa.types.is_dictionary(kind):
        return _plain(field.with_type(kind.value_type))
    # Arrow cannot copy views
    if kind in _OF_VIEWS:
        return field.with_type(_OF_VIEWS[kind])
    inner = [_plain(kind.field(number)) for number in range(kind.num_fields)]
    if pa.types.is_struct(kind):
        kind = pa.struct(inner)
    elif pa.types.is_map(kind):
        kind = pa.map_(*map(_plain, (kind.key_field, kind.item_field)), keys_sorted=kind.keys_sorted)
    elif pa.types.is_fixed_size_list(kind):
        kind = pa.list_(*inner, kind.list_size)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        kind = (pa.list_ if pa.types.is_list(kind) else pa.large_list)(*inner)
    return field.with_type(kind)


def read_parquet(source: Path, columns: Columns, schema: pa.Schema | None) -> Iterator[Record | Skipped]:
    """Yield the rows of a Parquet file; a row that is lost in a damaged row group becomes a ``Skipped``."""
    with pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False) as file:
        done = 0
        for group in range(file.num_row_groups):
            in_group = 0
            try:
                for batch in file.iter_batches(_ROWS, row_groups=[group], use_threads=False):
                    yield from _records(batch, columns, schema)
                    in_group += batch.num_rows
            # after a damaged page of values, Arrow reads no more of this row group, but reads the next group
            except (pa.ArrowException, OSError):
                lost = range(done + in_group, done + file.metadata.row_group(group).num_rows)
                yield from (Skipped(Skip.DAMAGED, f"{source}, row {row + 1}") for row in lost)
            done += file.metadata.row_group(group).num_rows


def _records(batch: pa.RecordBatch, columns: Columns, schema: pa.Schema | None) -> Iterator[Record | Skipped]:
    html, urls = batch.column(columns.html), batch.column(columns.url)
    others = batch.drop_columns([columns.html])
    if schema is not None:  # columns that the file lacks are empty
        has = batch.schema.names
        fitted = [
            batch.column(name).cast(kind, safe=False) if name in has else pa.nulls(len(batch), kind)
            for name, kind in zip(schema.names, schema.types, strict=True)
        ]
        others = pa.RecordBatch.from_arrays(fitted, schema=schema)
    named = [*zip(others.schema.names, others.columns, strict=True)]
    for number in range(batch.num_rows):
        try:
            row = {name: value_of(cells[number]) for name, cells in named} if schema is None else others.take([number])
        except (ValueError, OverflowError):  # such as a time that Python cannot express
            yield Skipped(Skip.DAMAGED, f"{value_of(urls[number])}, a row with a value that cannot be written")
            continue
        yield Record.of_row(value_of(urls[number]), value_of(html[number]), row)


class UntypedRows(Rows):
    """Rows as lines of JSON that become a Parquet file, with the types of the first thousand rows."""

    def write(self, file: IO[bytes], rows: Iterable[bytes]) -> None:
        """Write rows to a Parquet file."""
        # the first rows may be of a site that lacks a column
        groups = RowGroups(file, partial(json.dumps, ensure_ascii=False), columns=self.json_columns)
        for row in rows:
            groups.add(json.loads(row))
        groups.finish(self.outputs)


class ArrowRows(Rows):
    """Rows as Arrow batches of a single row without schema, each with the outputs.

    ``schemas`` are those of Parquet files without the pages; ``is_mixed`` says that there are other inputs too.

    Raises:
        ArchiveError: if columns of the same name have types that exclude each other.
    """

    def __init__(
        self, outputs: Collection[str], schemas: Sequence[pa.Schema], url_column: str, *, is_mixed: bool
    ) -> None:
        super().__init__(outputs)
        texts = pa.schema([(name, pa.string()) for name in (url_column, "warc_date", "record_id")])
        others = [texts.append(pa.field("status", pa.int64()))] if is_mixed else []
        try:
            unified = pa.unify_schemas([*schemas, *others], promote_options="permissive").remove_metadata()
        except pa.ArrowException as error:
            raise ArchiveError(f"the columns of the inputs have types that exclude each other: {error}") from error
        # another input may lack the column
        self.columns = pa.schema(field.with_nullable(nullable=True) for field in unified if field.name not in outputs)
        self._schema = pa.schema([*self.columns, *(pa.field(name, pa.string()) for name in self.outputs)])

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without the page."""
        row = record.columns
        if isinstance(row, dict):
            row = pa.RecordBatch.from_pylist([row], schema=self.columns)
        return bytes(row.serialize())

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row."""
        kept = pa.ipc.read_record_batch(packed, self.columns).columns
        outputs = (pa.array([value], pa.string()) for value in values.values())
        return bytes(pa.RecordBatch.from_arrays([*kept, *outputs], schema=self._schema).serialize())

    def write(self, file: IO[bytes], rows: Iterable[bytes]) -> None:
        """Write rows to a Parquet file."""
        with pq.ParquetWriter(file, self._schema, compression="zstd") as writer:
            waiting, size = list[bytes](), 0
            for row in rows:
                waiting.append(row)
                size += len(row)
                if len(waiting) >= ROW_GROUP_ROWS or size >= ROW_GROUP_BYTES:
                    writer.write_table(self._table(waiting))
                    waiting, size = [], 0
            if waiting:
                writer.write_table(self._table(waiting))

    def _table(self, rows: list[bytes]) -> pa.Table:
        return pa.Table.from_batches([pa.ipc.read_record_batch(row, self._schema) for row in rows])
