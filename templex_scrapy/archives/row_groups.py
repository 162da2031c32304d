"""Write values to Parquet files, in row groups."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import IO, Any

from templex_scrapy.archives.records import escaped, storable

try:
    import pyarrow as pa
    import pyarrow.parquet as pq
except ImportError as error:
    # raised while Scrapy sets up the feeds, before the crawl begins
    raise ImportError('Parquet needs pyarrow: pip install "templex-scrapy[parquet]"') from error

logger = logging.getLogger(__name__)

ROW_GROUP_ROWS, ROW_GROUP_BYTES = 1000, 16_000_000
"""Most rows of a row group, and most characters of texts."""

_ARROW_ERRORS = (pa.ArrowException, TypeError, ValueError, OverflowError)


class RowGroups:
    """Writes rows to a Parquet file as they come; memory holds at most a row group.

    The first row group decides the types of the columns. Nested values become JSON. A value of another type than the
    column is left empty, and a warning is logged.

    A row group has at most ``rows``, and texts of ``nbytes`` characters. If the first lacks some of the ``columns``,
    these hold text. ``encode`` encodes a value as JSON.
    """

    def __init__(
        self,
        file: IO[bytes],
        encode: Callable[[Any], str],
        *,
        rows: int = ROW_GROUP_ROWS,
        nbytes: int = ROW_GROUP_BYTES,
        columns: Iterable[str] = (),
    ) -> None:
        self._file = file
        self._encode = encode
        self._most_rows = rows
        self._most_bytes = nbytes
        self._names = tuple(map(escaped, columns))
        self._writer: pq.ParquetWriter | None = None
        self._rows: list[dict[str, Any]] = []
        self._waiting_bytes = 0
        self._warned: set[str] = set()

    def add(self, values: dict[str, Any]) -> None:
        """Take a row; write a row group when enough rows wait."""
        row = {escaped(name): self._plain(value) for name, value in values.items()}
        self._rows.append(row)
        self._waiting_bytes += sum(len(value) for value in row.values() if isinstance(value, str | bytes))
        # a row may be a page of 8 MB, or have three numbers
        if len(self._rows) >= self._most_rows or self._waiting_bytes >= self._most_bytes:
            self._write_row_group()

    def finish(self, names: Iterable[str] = ()) -> None:
        """Write the waiting rows and the end of the file. A file without rows has columns of these names."""
        if self._rows or self._writer is None:
            self._write_row_group(names)
        if self._writer is not None:
            self._writer.close()

    def _write_row_group(self, names: Iterable[str] = ()) -> None:
        if self._writer is None:
            columns = dict.fromkeys([*(name for row in self._rows for name in row), *self._names]) or names
            fields = [(name, _type_of([row.get(name) for row in self._rows])) for name in columns]
            self._writer = pq.ParquetWriter(self._file, pa.schema(fields), compression="zstd")
        schema = self._writer.schema
        # all row groups of a file have the same columns
        for name in {name for row in self._rows for name in row} - set(schema.names):
            self._warn(name, "it is missing in the first row group, which decides the columns")
        if self._rows:
            self._writer.write_table(pa.table([self._column(field) for field in schema], schema=schema))
        self._rows, self._waiting_bytes = [], 0

    def _column(self, field: Any) -> Any:
        """Return a column; values of another type become text in a column of texts, or else None."""
        values = [row.get(field.name) for row in self._rows]
        is_text = pa.types.is_string(field.type)
        for at, value in enumerate(values):
            try:
                pa.scalar(value, type=field.type)
            except _ARROW_ERRORS:
                values[at] = self._encode(value) if is_text else None
                if not is_text:
                    self._warn(field.name, f"some values have another type than {field.type}")
        return pa.array(values, type=field.type)

    def _warn(self, name: str, problem: str) -> None:
        if name not in self._warned:
            self._warned.add(name)
            logger.warning("Parquet: not all values of %r are stored: %s", name, problem)

    def _plain(self, value: Any) -> Any:
        """Return a value for Arrow; nested values become JSON, since they may differ from row to row."""
        if isinstance(value, str):
            return storable(value)
        parts = value if isinstance(value, list | tuple | set) else ()
        if isinstance(value, dict) or any(isinstance(part, dict | list | tuple | set) for part in parts):
            return escaped(self._encode(value))
        if not isinstance(value, list | tuple | set):
            return value
        plain = [storable(part) if isinstance(part, str) else part for part in value]
        return sorted(plain) if isinstance(value, set) else plain


def _type_of(values: list[Any]) -> Any:
    try:
        inferred = pa.array(values).type
    except _ARROW_ERRORS:
        return pa.string()
    # a column without values so far takes later values as text
    return pa.string() if pa.types.is_null(inferred) else inferred
