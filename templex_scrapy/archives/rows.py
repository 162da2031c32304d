"""Rows as bytes, on their way through the work folder, and as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from functools import partial
from typing import IO, Any

import msgspec

from templex_scrapy.archives.records import Record


class Rows:
    """Encodes records and outputs as lines of JSON.

    Args:
        outputs: names of the output columns. They come last, and replace other columns of these names.

    Attributes:
        columns: the Arrow schema for rows of Parquet files; None: rows become Python values.
        json_columns: columns of the JSON rows, by name; known once all inputs are read.
    """

    columns: Any = None
    json_columns: Iterable[str] = ()

    def __init__(self, outputs: Collection[str]) -> None:
        self.outputs = tuple(outputs)

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without the page."""
        return _json({name: value for name, value in record.columns.items() if name not in self.outputs})[:-1]

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row."""
        return packed + (b"," if len(packed) > 1 else b"") + msgspec.json.encode(values)[1:] + b"\n"

    def write(self, file: IO[bytes], rows: Iterable[bytes]) -> None:
        """Write rows to a file."""
        file.writelines(rows)


def _json(row: Mapping[str, Any]) -> bytes:
    """Encode a row as JSON: bytes as base64, NaN and infinity as null, times as in ISO 8601, other types as text."""
    try:
        text = _dumps(row, allow_nan=False)
    except ValueError:
        # Python writes and reads NaN and infinity as constants
        text = _dumps(json.loads(_dumps(row), parse_constant=lambda _: None))
    # UTF-8 cannot hold a lone surrogate; JSON can escape it
    return text.encode("utf-8", "backslashreplace")


def _as_text(value: Any) -> Any:
    # msgspec rounds the offset of a time zone to minutes
    return value.isoformat() if hasattr(value, "isoformat") else msgspec.to_builtins(value, enc_hook=str)


_dumps = partial(json.dumps, ensure_ascii=False, separators=(",", ":"), default=_as_text)
