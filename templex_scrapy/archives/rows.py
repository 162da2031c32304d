"""Rows as bytes, on their way through the work folder: lines of JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any

from templex_scrapy.archives.records import Record

if TYPE_CHECKING:
    import pyarrow as pa


class Rows:
    """Makes lines of JSON of the columns of records, and of those with the outputs, and writes them.

    Args:
        url_column: the name of the column of addresses.

    Attributes:
        columns: how the columns of Parquet files are typed; None: they are made Python values.
    """

    columns: pa.Schema | None = None

    def __init__(self, url_column: str) -> None:
        self._url_column = url_column

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without its page."""
        return json_line({self._url_column: record.url} if record.columns is None else record.columns)

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row, with the outputs in place of columns with their names."""
        # outputs come last, and the page itself is written only if one of them has its name
        return json_line({**json.loads(packed), **values})

    def write(self, file: IO[bytes], rows: Iterable[bytes]) -> None:
        """Write rows to a file of JSON Lines."""
        file.writelines(rows)


def json_line(row: Mapping[str, Any]) -> bytes:
    """Return a row as a line of JSON, in UTF-8; dates and other types as texts, bytes as base64, NaN as null."""
    try:
        text = json.dumps(row, ensure_ascii=False, allow_nan=False, default=_written)
    except ValueError:
        # infinity has no form in JSON either; Python writes and reads both as constants
        plain = json.loads(json.dumps(row, default=_written), parse_constant=lambda _: None)
        text = json.dumps(plain, ensure_ascii=False)
    # a lone surrogate has no form in UTF-8, but one in JSON
    return text.encode("utf-8", "backslashreplace") + b"\n"


def _written(value: object) -> str:
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)
