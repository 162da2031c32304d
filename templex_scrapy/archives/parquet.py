"""Read Parquet files, and write them again with the same types."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import IO, Any

from templex_scrapy.archives.records import ArchiveError, Columns, Record, Skip, Skipped, missing_column
from templex_scrapy.archives.row_groups import ROW_GROUP_BYTES, ROW_GROUP_ROWS, RowGroups
from templex_scrapy.archives.rows import Rows

# isort: split
# after row_groups: its error tells the user how to install pyarrow
import pyarrow as pa
import pyarrow.parquet as pq

_ROWS = 16  # rows that are read at once: each may be a large page
_OF_VIEWS = {pa.string_view(): pa.string(), pa.binary_view(): pa.binary()}
_SHARED = re.compile("dictionary|_view")  # in the name of a type, at any depth
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
    """Return the columns of a Parquet file without the page; dictionaries and views as texts.

    Raises:
        ArchiveError: if the file is no Parquet, or lacks the columns of pages.
    """
    try:
        schema = pq.read_schema(source)
    except (pa.ArrowException, OSError) as error:
        raise ArchiveError(f"{source}: no Parquet file that can be read: {error}") from error
    for name in (columns.url, columns.html):
        if name not in schema.names:
            raise missing_column(source, name, schema.names)
    kinds = {name: schema.field(name).type for name in schema.names if name != columns.html}
    # another input may have a column of texts of this name, and Arrow does not unify them
    kinds = {name: kind.value_type if pa.types.is_dictionary(kind) else kind for name, kind in kinds.items()}
    return pa.schema((name, _OF_VIEWS.get(kind, kind)) for name, kind in kinds.items())


def read_parquet(source: Path, columns: Columns, *, as_arrow: bool) -> Iterator[Record | Skipped]:
    """Yield the rows of a Parquet file; a row that is lost in a damaged row group becomes a ``Skipped``.

    Args:
        source: the file.
        columns: names of columns.
        as_arrow: whether other columns stay in Arrow; otherwise they become Python values.
    """
    with pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False) as file:
        done = 0
        for group in range(file.num_row_groups):
            in_group = 0
            try:
                for batch in file.iter_batches(_ROWS, row_groups=[group], use_threads=False):
                    yield from _records(batch, columns, as_arrow)
                    in_group += batch.num_rows
            # after a damaged page of values, Arrow reads no more of this row group, but reads the next group
            except (pa.ArrowException, OSError):
                lost = range(done + in_group, done + file.metadata.row_group(group).num_rows)
                yield from (Skipped(Skip.DAMAGED, f"{source}, row {row + 1}") for row in lost)
            done += file.metadata.row_group(group).num_rows


def _records(batch: pa.RecordBatch, columns: Columns, as_arrow: bool) -> Iterator[Record | Skipped]:  # noqa: FBT001
    html, urls = batch.column(columns.html), batch.column(columns.url)
    others = batch.drop_columns([columns.html])
    row_of = _row if as_arrow else _values
    for number in range(batch.num_rows):
        try:
            row = row_of(others, number)
        except (ValueError, OverflowError):  # such as a time that Python cannot express
            yield Skipped(Skip.DAMAGED, f"{value_of(urls[number])}, a row with a value that cannot be written")
            continue
        yield Record.of_row(value_of(urls[number]), value_of(html[number]), row)


def _values(batch: pa.RecordBatch, number: int) -> dict[str, Any]:
    return {name: value_of(column[number]) for name, column in zip(batch.schema.names, batch.columns, strict=True)}


def _row(batch: pa.RecordBatch, number: int) -> pa.RecordBatch:
    """Return a row without the values of other rows, which slices, dictionaries and views carry along."""
    arrays = [
        pa.array(column.slice(number, 1).to_pylist(), kind) if _SHARED.search(str(kind)) else column.take([number])
        for kind, column in zip(batch.schema.types, batch.columns, strict=True)
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=batch.schema)


class UntypedRows(Rows):
    """Rows as lines of JSON that become a Parquet file, with the types of the first thousand rows."""

    def write(self, file: IO[bytes], rows: Iterable[bytes], columns: Iterable[str]) -> None:
        """Write rows to a Parquet file."""
        # the first rows may be of a site that lacks a column
        groups = RowGroups(file, partial(json.dumps, ensure_ascii=False), columns=columns)
        for row in rows:
            groups.add(json.loads(row))
        groups.finish(self.outputs)


class ArrowRows(Rows):
    """Rows as streams of Arrow, each with a single row.

    Args:
        outputs: names of the columns of outputs.
        schemas: the columns of the inputs, without the pages.
        url_column: the name of the column of addresses.
        is_mixed: whether there are pages of folders and WARC files too.

    Raises:
        ArchiveError: if columns of the same name have types that exclude each other.
    """

    as_arrow = True

    def __init__(
        self, outputs: Collection[str], schemas: Sequence[pa.Schema], url_column: str, *, is_mixed: bool
    ) -> None:
        super().__init__(outputs)
        texts = [(name, pa.string()) for name in (url_column, "warc_date", "record_id")]
        others = [pa.schema([*texts, ("status", pa.int64())])] if is_mixed else []
        try:
            unified = pa.unify_schemas([*schemas, *others], promote_options="permissive")
        except pa.ArrowException as error:
            raise ArchiveError(f"the columns of the inputs have types that exclude each other: {error}") from error
        kept = [(field.name, field.type) for field in unified if field.name not in outputs]
        self._schema = pa.schema([*kept, *((name, pa.string()) for name in self.outputs)])

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without the page."""
        row = record.columns
        row = pa.RecordBatch.from_pylist([row]) if isinstance(row, dict) else row
        return _stream(row.select([name for name in row.schema.names if name not in self.outputs]))

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row."""
        row = pa.ipc.open_stream(packed).read_next_batch()
        for name, value in values.items():
            row = row.append_column(name, pa.array([value], pa.string()))
        return _stream(row)

    def write(self, file: IO[bytes], rows: Iterable[bytes], _: Iterable[str]) -> None:
        """Write rows to a Parquet file."""
        with pq.ParquetWriter(file, self._schema, compression="zstd") as writer:
            waiting, size = list[bytes](), 0
            for row in rows:
                waiting.append(row)
                size += len(row)
                if len(waiting) >= ROW_GROUP_ROWS or size >= ROW_GROUP_BYTES:
                    writer.write_table(self._table(waiting))
                    waiting, size = [], 0
            writer.write_table(self._table(waiting))

    def _table(self, rows: Iterable[bytes]) -> pa.Table:
        # the first table has the columns of all inputs, in their order; others may lack some
        tables = [self._schema.empty_table()]
        for row in rows:
            table = pa.ipc.open_stream(row).read_all()
            tables.append(table.cast(pa.schema(map(self._schema.field, table.column_names)), safe=False))
        return pa.concat_tables(tables, promote_options="default")


def _stream(batch: pa.RecordBatch) -> bytes:
    """Return a stream of Arrow, which unlike a message holds nested dictionaries too."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())
