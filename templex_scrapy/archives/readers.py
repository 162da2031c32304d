"""Which reader an input needs, and the readers of tables: JSON Lines and Parquet."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from templex_scrapy.archives.folder import read_folder
from templex_scrapy.archives.records import MAX_BYTES, ArchiveError, Record, Skip, Skipped, source_of
from templex_scrapy.archives.warc import read_wacz, read_warc

if TYPE_CHECKING:
    import pyarrow as pa

JSON_LINES = (".jsonl", ".jl", ".ndjson")
PARQUET = (".parquet", ".pq")
WARC = (".warc", ".warc.gz")
WACZ = (".wacz",)

_MOST_LINE = 4 * MAX_BYTES  # bytes of a line: JSON may write a character as six, and there are other columns
_ROWS = 16  # rows of a Parquet file that are read at once: each may be a large page
_BUFFER = 1_000_000  # bytes of a column of a Parquet file that are read at once


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns that contain the address and the source of a page."""

    url: str = "url"
    html: str = "html"


def kind_of(source: Path) -> tuple[str, ...]:
    """Return the endings of the kind of file that an input is; none for a folder.

    Raises:
        ArchiveError: if it is not there, or of no kind that can be read.
    """
    if not source.exists():
        raise ArchiveError(f"{source}: no such file or folder")
    if source.is_dir():
        return ()
    name = source.name.lower()
    for kind in (WARC, WACZ, JSON_LINES, PARQUET):
        # tables in lines may be compressed
        if name.endswith(kind) or (kind is JSON_LINES and name.removesuffix(".gz").endswith(kind)):
            return kind
    known = ", ".join((*WARC, *WACZ, *JSON_LINES, *PARQUET))
    raise ArchiveError(f"{source}: what is it? Folders are read, and files that end with {known}")


def files_of(source: Path) -> Iterator[Path]:
    """Yield the files of an input: of a folder those that may be pages or parts of a cache."""
    if source.is_file():
        yield source
        return
    for place, folders, files in os.walk(source):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        ours = (name for name in files if not name.startswith(".") and not name.endswith((*JSON_LINES, *PARQUET)))
        yield from (Path(place, name) for name in sorted(ours))


def read(source: Path, columns: Columns, schema: pa.Schema | None = None) -> Iterator[Record | Skipped]:
    """Yield what an input contains, in its order.

    Args:
        source: a file, or a folder.
        columns: names of columns in tables.
        schema: how the columns of rows of Parquet files are typed; None: they are made Python values.

    Raises:
        ArchiveError: if the input cannot be read at all.
    """
    kind = kind_of(source)
    if not kind:
        yield from read_folder(source)
    elif kind is PARQUET:
        yield from _read_parquet(source, columns, schema)
    elif kind is WACZ:
        yield from read_wacz(source)
    else:
        is_packed = kind is JSON_LINES and source.name.lower().endswith(".gz")
        with source.open("rb") as file:
            stream = cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if is_packed else file
            yield from read_warc(stream, str(source)) if kind is WARC else _read_json(stream, str(source), columns)


def _read_json(stream: IO[bytes], name: str, columns: Columns) -> Iterator[Record | Skipped]:
    number = 0
    try:
        while line := stream.readline(_MOST_LINE):
            number += 1
            where = f"{name}, line {number}"
            if not line.endswith(b"\n") and len(line) == _MOST_LINE:
                while (rest := stream.readline(_MOST_LINE)) and not rest.endswith(b"\n"):
                    pass
                yield Skipped(Skip.TOO_LARGE, where)
            elif line.strip():
                yield _row(line, where, columns)
    except (OSError, EOFError, zlib.error):
        if not isinstance(stream, gzip.GzipFile):
            raise
        yield Skipped(Skip.DAMAGED, f"{name}, behind line {number}")


def _row(line: bytes, where: str, columns: Columns) -> Record | Skipped:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return Skipped(Skip.DAMAGED, where)
    if not isinstance(row, dict):
        return Skipped(Skip.DAMAGED, where)
    html = row.pop(columns.html, None)
    return _record(row.get(columns.url), html, row)


def _record(url: object, html: object, columns: Any) -> Record:
    """Return the record of a row; rows without a page stay rows."""
    return Record(url if isinstance(url, str) else "", source_of(html), columns=columns)


def arrow_schema(source: Path, columns: Columns) -> pa.Schema:
    """Return the columns of a Parquet file without that of the page; dictionaries as their values.

    Raises:
        ArchiveError: if it is none, or lacks the columns of pages.
    """
    import pyarrow as pa  # noqa: PLC0415 - an extra
    import pyarrow.parquet as pq  # noqa: PLC0415

    try:
        schema = pq.read_schema(source)
    except (pa.ArrowException, OSError) as error:
        raise ArchiveError(f"{source}: no Parquet file that can be read: {error}") from error
    for name in (columns.url, columns.html):
        if name not in schema.names:
            has = ", ".join(schema.names)
            raise ArchiveError(
                f"{source}: no column {name!r}; it has {has}. --url-column and --html-column name others"
            )
    return pa.schema(
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in schema
        if field.name != columns.html
    )


def _read_parquet(source: Path, columns: Columns, schema: pa.Schema | None) -> Iterator[Record | Skipped]:
    import pyarrow as pa  # noqa: PLC0415 - an extra
    import pyarrow.parquet as pq  # noqa: PLC0415

    with pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False) as file:
        done = 0
        for group in range(file.num_row_groups):
            in_group = 0
            try:
                for batch in file.iter_batches(_ROWS, row_groups=[group], use_threads=False):
                    yield from _rows(batch, columns, schema)
                    in_group += batch.num_rows
            except (pa.ArrowException, OSError):
                lost = file.metadata.row_group(group).num_rows - in_group
                for row in range(lost):
                    yield Skipped(Skip.DAMAGED, f"{source}, row {done + in_group + row + 1}")
            done += file.metadata.row_group(group).num_rows


def _rows(batch: pa.RecordBatch, columns: Columns, schema: pa.Schema | None) -> Iterator[Record | Skipped]:
    html, urls = batch.column(columns.html), batch.column(columns.url)
    others = batch.drop_columns([columns.html])
    if schema is not None:
        others = fitted(others, schema)
    for number in range(batch.num_rows):
        row = others.slice(number, 1)
        try:
            columns = row if schema is not None else row.to_pylist()[0]
        except (ValueError, OverflowError):  # a time that Python has no value for
            yield Skipped(Skip.DAMAGED, f"{urls[number]}, a row with a value that cannot be written")
            continue
        yield _record(urls[number].as_py(), html[number].as_py(), columns)


def fitted(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch with the columns of a schema; those that it lacks are empty."""
    import pyarrow as pa  # noqa: PLC0415 - an extra

    known = set(batch.schema.names)
    columns = [
        batch.column(name).cast(kind, safe=False) if name in known else pa.nulls(len(batch), kind)
        for name, kind in zip(schema.names, schema.types, strict=True)
    ]
    return pa.RecordBatch.from_arrays(columns, schema=schema)
