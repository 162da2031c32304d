"""Rows as bytes, on their way through the work folder: lines of JSON, or batches of Arrow where types are known."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Protocol

from templex_scrapy.archives.records import Record

if TYPE_CHECKING:
    import pyarrow as pa


class Rows(Protocol):
    """Makes bytes of the columns of a record, of those and the outputs the bytes of a row, and of rows a file.

    Attributes:
        columns: how the columns of Parquet files are typed; None: they are made Python values.
    """

    columns: pa.Schema | None

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without its page."""

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row, with the outputs in place of columns with their names."""

    def write(self, file: IO[bytes], rows: Iterable[bytes]) -> None:
        """Write rows to a file."""


class JsonRows:
    """Rows as lines of JSON.

    Args:
        url_column: the name of the column of addresses.
    """

    columns = None

    def __init__(self, url_column: str) -> None:
        self._url_column = url_column

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without its page."""
        return json_line({self._url_column: record.url} if record.columns is None else record.columns)

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row, with the outputs in place of columns with their names."""
        return json_line({**json.loads(packed), **values})

    def write(self, file: IO[bytes], rows: Iterable[bytes]) -> None:
        """Write rows to a file of JSON Lines."""
        file.writelines(rows)


class UntypedRows(JsonRows):
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
        from templex_scrapy.archives.parquet import RowGroups  # noqa: PLC0415 - an extra

        groups = RowGroups(file, partial(json.dumps, ensure_ascii=False))
        for row in rows:
            groups.add(json.loads(row))
        groups.finish(self._outputs)


def json_line(row: Mapping[str, Any]) -> bytes:
    """Return a row as a line of JSON, in UTF-8; dates and other types as texts, bytes as base64."""
    try:
        return json.dumps(row, ensure_ascii=False, default=_written).encode() + b"\n"
    except UnicodeEncodeError:
        # a lone surrogate has no form in UTF-8, but one in JSON
        return json.dumps(row, default=_written).encode() + b"\n"


def _written(value: object) -> str:
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)
