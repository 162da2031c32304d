"""Rows as bytes, on their way through the work folder, and as lines of JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterable, Mapping
from typing import IO, Any

import msgspec

from templex_scrapy.archives.records import Record


class Rows:
    """Makes lines of JSON of the columns of records and of the outputs, and writes them.

    Args:
        outputs: names of the columns of outputs, which come last, in place of other columns with these names.

    Attributes:
        columns: the schema of Arrow that rows of Parquet files get; None: their values become those of Python.
    """

    columns: Any = None

    def __init__(self, outputs: Collection[str]) -> None:
        self.outputs = tuple(outputs)

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without its page."""
        return _json({name: value for name, value in record.columns.items() if name not in self.outputs})[:-1]

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row."""
        return packed + (b", " if len(packed) > 1 else b"") + msgspec.json.encode(values)[1:] + b"\n"

    def write(self, file: IO[bytes], rows: Iterable[bytes], _: Iterable[str]) -> None:
        """Write rows, which have some of the given columns and the outputs, to a file."""
        file.writelines(rows)


def _json(row: Mapping[str, Any]) -> bytes:
    """Return a row as JSON, in UTF-8; dates and other types as texts, bytes as base64, NaN as null."""
    try:
        text = json.dumps(row, ensure_ascii=False, allow_nan=False, default=_written)
    except ValueError:
        # infinity has no form in JSON either; Python writes and reads both as constants
        plain = json.loads(json.dumps(row, default=_written), parse_constant=lambda _: None)
        text = json.dumps(plain, ensure_ascii=False)
    # a lone surrogate has no form in UTF-8, but one in JSON
    return text.encode("utf-8", "backslashreplace")


def _written(value: object) -> str:
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)
