"""Choose the reader of an input, and read JSON Lines."""

from __future__ import annotations

import gzip
import json
import sys
import zlib
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec

from templex_scrapy.archives.records import MAX_BYTES, ArchiveError, Columns, Record, Skip, Skipped, missing_column
from templex_scrapy.archives.saved_pages import read_folder, walk
from templex_scrapy.archives.warc import WARC, read_wacz, read_warc

if TYPE_CHECKING:
    import pyarrow as pa

JSON_LINES = (".jsonl", ".jl", ".ndjson")
PARQUET = (".parquet", ".pq")
WACZ = (".wacz",)

STREAM = Path("-")
"""Standard input, or standard output: JSON Lines."""

_MOST_LINE = 4 * MAX_BYTES  # bytes of a line: JSON may write a character as six, and there are other columns
_MOST_VALUES = 1_000_000  # brackets and commas of a line: a value of two bytes may take a hundred of memory


def format_of(source: Path) -> tuple[str, ...]:
    """Return the file endings of an input's format; none for a folder."""
    if source == STREAM:
        return JSON_LINES
    if not source.exists():
        raise ArchiveError(f"{source}: no such file or folder")
    if source.is_dir():
        return ()
    name = source.name.lower()
    for endings in (WARC, WACZ, JSON_LINES, PARQUET):
        # tables in lines may be compressed
        if name.endswith(endings) or (endings is JSON_LINES and name.removesuffix(".gz").endswith(endings)):
            return endings
    known = ", ".join((*WARC, *WACZ, *JSON_LINES, *PARQUET))
    raise ArchiveError(f"{source}: unknown format; an input is a folder, or a file that ends with {known}")


def files_of(source: Path) -> Iterator[Path]:
    """Yield the files of an input; a file of a folder may be a page or a part of a cache."""
    if source.is_file():
        yield source
        return
    for folder, files, _ in walk(source):
        yield from (folder / name for name in files if not name.endswith((*JSON_LINES, *PARQUET)))


def read(source: Path, columns: Columns, schema: pa.Schema | None = None) -> Iterator[Record | Skipped]:
    """Yield the pages and skipped parts of an input, in order.

    With a ``schema``, these columns of Parquet files stay as Arrow; otherwise all columns become Python values.

    Raises:
        ArchiveError: if the input cannot be read at all.
    """
    form = format_of(source)
    if form is PARQUET:
        from templex_scrapy.archives.parquet import read_parquet  # noqa: PLC0415 - an extra

        yield from read_parquet(source, columns, schema)
    elif source == STREAM:
        yield from _read_json(sys.stdin.buffer, "standard input", columns)
    elif form is JSON_LINES:
        with gzip.open(source) if source.name.lower().endswith(".gz") else source.open("rb") as file:
            yield from _read_json(file, str(source), columns)
    else:
        with source.open("rb") if form else nullcontext() as file:
            of_file = read_wacz if form is WACZ else read_warc
            for page in read_folder(source) if file is None else of_file(file, str(source)):
                if isinstance(page, Record):
                    yield replace(page, columns={columns.url: page.url, **page.columns})
                else:
                    yield page


def read_table(source: Path, columns: Columns) -> Iterator[Record | Skipped]:
    """Yield the rows of a table, of which any column may stand for that of the pages.

    Raises:
        ArchiveError: if the input is no table, or lacks the column.
    """
    if format_of(source) not in {JSON_LINES, PARQUET}:
        raise ArchiveError(f"{source}: no table; a table ends with {', '.join((*JSON_LINES, *PARQUET))}")
    for row in read(source, columns):
        if isinstance(row, Skipped) and row.why is Skip.NO_COLUMN:
            raise ArchiveError(row.where)
        yield row


def _read_json(stream: IO[bytes] | gzip.GzipFile, name: str, columns: Columns) -> Iterator[Record | Skipped]:
    number = 0
    has: list[str] | None = None
    has_pages = False
    try:
        while line := stream.readline(_MOST_LINE):
            number += 1
            where = f"{name}, line {number}"
            if not line.endswith(b"\n") and len(line) == _MOST_LINE:
                # the rest of a line that is too long, in pieces
                while (rest := stream.readline(_MOST_LINE)) and not rest.endswith(b"\n"):
                    pass
                yield Skipped(Skip.TOO_LARGE, where)
            elif line.strip():
                row = _row(line)
                if isinstance(row, Skip):
                    yield Skipped(row, where)
                    continue
                has = list(row) if has is None else has
                has_pages = has_pages or columns.html in row
                html = row.pop(columns.html, None)
                yield Record.of_row(row.get(columns.url), html, row)
    except (OSError, EOFError, zlib.error):
        # a failing disk is no damage of the archive
        if not isinstance(stream, gzip.GzipFile):
            raise
        yield Skipped(Skip.DAMAGED, f"{name}, behind line {number}")
    # the rows of other inputs may have pages
    if has is not None and not has_pages:
        yield Skipped(Skip.NO_COLUMN, str(missing_column(name, columns.html, has)))


def _row(line: bytes) -> dict[str, Any] | Skip:
    # brackets and commas in texts count too: a page with so many is too large anyhow
    if len(line) > _MOST_VALUES and sum(map(line.count, (b"[", b"{", b","))) > _MOST_VALUES:
        return Skip.TOO_LARGE
    row: object = None
    with suppress(ValueError, RecursionError):
        try:
            row = msgspec.json.decode(line)
        except ValueError:  # NaN, infinity, lone surrogates
            row = json.loads(line)
    return row if isinstance(row, dict) else Skip.DAMAGED
