"""Parquet files are read, and written again with the types that they had."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import IO, Any

from templex_scrapy.archives.records import (
    ArchiveError,
    Columns,
    Record,
    Skip,
    Skipped,
    missing_column,
    storable,
    value_of,
)
from templex_scrapy.archives.row_groups import ROW_GROUP_BYTES, ROW_GROUP_ROWS, RowGroups
from templex_scrapy.archives.rows import Rows

# isort: split
# after row_groups, which says what to install where pyarrow is missing
import pyarrow as pa
import pyarrow.parquet as pq

_ROWS = 16  # rows that are read at once: each may be a large page
_BUFFER = 1_000_000  # bytes of a column that are read at once


def schema_of(source: Path, columns: Columns) -> pa.Schema:
    """Return the columns of a Parquet file without that of the page; dictionaries as their values.

    Raises:
        ArchiveError: if it is none, or lacks the columns of pages.
    """
    try:
        schema = pq.read_schema(source)
    except (pa.ArrowException, OSError) as error:
        raise ArchiveError(f"{source}: no Parquet file that can be read: {error}") from error
    for name in (columns.url, columns.html):
        if name not in schema.names:
            raise missing_column(source, name, schema.names)
    return pa.schema(
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in schema
        if field.name != columns.html
    )


def read_parquet(source: Path, columns: Columns, schema: pa.Schema | None) -> Iterator[Record | Skipped]:
    """Yield the rows of a Parquet file; each row that is lost in a damaged row group is passed over.

    Args:
        source: the file.
        columns: names of columns.
        schema: how the other columns are typed; None: they are made Python values.
    """
    with pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False) as file:
        done = 0
        for group in range(file.num_row_groups):
            in_group = 0
            try:
                for batch in file.iter_batches(_ROWS, row_groups=[group], use_threads=False):
                    yield from _rows(batch, columns, schema)
                    in_group += batch.num_rows
            # Arrow reads nothing more of a row group with a damaged page of values, but it does of the next one
            except (pa.ArrowException, OSError):
                lost = file.metadata.row_group(group).num_rows - in_group
                for row in range(lost):
                    yield Skipped(Skip.DAMAGED, f"{source}, row {done + in_group + row + 1}")
            done += file.metadata.row_group(group).num_rows


def _rows(batch: pa.RecordBatch, columns: Columns, schema: pa.Schema | None) -> Iterator[Record | Skipped]:
    html, urls = batch.column(columns.html), batch.column(columns.url)
    others = batch.drop_columns([columns.html])
    if schema is not None:
        others = _fitted(others, schema)
    for number in range(batch.num_rows):
        try:
            values = others.slice(number, 1) if schema is not None else _values(others, number)
        except (ValueError, OverflowError):  # a time that Python has no value for
            yield Skipped(Skip.DAMAGED, f"{value_of(urls[number])}, a row with a value that cannot be written")
            continue
        yield Record.of_row(value_of(urls[number]), value_of(html[number]), values)


def _values(batch: pa.RecordBatch, number: int) -> dict[str, Any]:
    return {name: value_of(column[number]) for name, column in zip(batch.schema.names, batch.columns, strict=True)}


def _fitted(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch with the columns of a schema; those that it lacks are empty."""
    known = set(batch.schema.names)
    columns = [
        batch.column(name).cast(column_type, safe=False) if name in known else pa.nulls(len(batch), column_type)
        for name, column_type in zip(schema.names, schema.types, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


class UntypedRows(Rows):
    """Rows as lines of JSON that become a Parquet file, with the types of the first thousand.

    Args:
        url_column: the name of the column of addresses.
        outputs: names of the columns of outputs.
    """

    def __init__(self, url_column: str, outputs: Iterable[str]) -> None:
        super().__init__(url_column)
        self._outputs = tuple(outputs)

    def write(self, file: IO[bytes], rows: Iterable[bytes]) -> None:
        """Write rows to a Parquet file."""
        groups = RowGroups(file, partial(json.dumps, ensure_ascii=False))
        for row in rows:
            groups.add(json.loads(row))
        groups.finish(self._outputs)


class ArrowRows(Rows):
    """Rows as Arrow batches of one row, without their schema.

    Args:
        schemas: the columns of the inputs, without those of the pages.
        url_column: the name of the column of addresses.
        outputs: names of the columns of outputs.
        has_others: whether there are inputs that have nothing but addresses and pages.

    Attributes:
        columns: the columns of all inputs.

    Raises:
        ArchiveError: if columns with one name have types that exclude each other.
    """

    columns: pa.Schema

    def __init__(
        self, schemas: Sequence[pa.Schema], url_column: str, outputs: Iterable[str], *, has_others: bool
    ) -> None:
        super().__init__(url_column)
        # pages of a folder have an address, which is a text whatever the type in the tables
        others = [pa.schema([(url_column, pa.string())])] if has_others else []
        try:
            found = pa.unify_schemas([*schemas, *others], promote_options="permissive").remove_metadata()
        except pa.ArrowException as error:
            raise ArchiveError(f"the columns of the inputs have types that exclude each other: {error}") from error
        # what one input always has, another one may lack
        self.columns = pa.schema(field.with_nullable(nullable=True) for field in found)
        self._outputs = tuple(outputs)

    @cached_property
    def schema(self) -> pa.Schema:
        """The schema of the rows."""
        kept = [field for field in self.columns if field.name not in self._outputs]
        return pa.schema([*kept, *(pa.field(name, pa.string()) for name in self._outputs)])

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without its page."""
        batch = record.columns
        if batch is None:
            url = pa.array([storable(record.url)], pa.string())
            batch = _fitted(pa.RecordBatch.from_arrays([url], [self._url_column]), self.columns)
        return bytes(batch.serialize())

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row, with the outputs in place of columns with their names."""
        batch = pa.ipc.read_record_batch(packed, self.columns)
        columns = [
            pa.array([values[field.name]], pa.string()) if field.name in values else batch.column(field.name)
            for field in self.schema
        ]
        return bytes(pa.RecordBatch.from_arrays(columns, schema=self.schema).serialize())

    def write(self, file: IO[bytes], rows: Iterable[bytes]) -> None:
        """Write rows to a Parquet file."""
        schema = self.schema
        with pq.ParquetWriter(file, schema, compression="zstd") as writer:
            waiting: list[pa.RecordBatch] = []
            nbytes = 0
            for packed in rows:
                waiting.append(pa.ipc.read_record_batch(packed, schema))
                nbytes += len(packed)
                if len(waiting) >= ROW_GROUP_ROWS or nbytes >= ROW_GROUP_BYTES:
                    writer.write_table(pa.Table.from_batches(waiting, schema))
                    waiting, nbytes = [], 0
            if waiting:
                writer.write_table(pa.Table.from_batches(waiting, schema))
