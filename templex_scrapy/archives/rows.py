"""Rows as bytes, on their way through the work folder, and as lines of JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Collection, Iterable, Mapping
from typing import IO, Any

import msgspec

from templex_scrapy.archives.records import Record


class Rows:
    """Encodes records and outputs as lines of JSON.

    Args:
        outputs: names of the output columns. They come last, and replace other columns of these names.

    Attributes:
        as_arrow: whether rows of Parquet files stay in Arrow; otherwise they become Python values.
    """

    as_arrow = False

    def __init__(self, outputs: Collection[str]) -> None:
        self.outputs = tuple(outputs)

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without the page."""
        return _json({name: value for name, value in record.columns.items() if name not in self.outputs})[:-1]

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row."""
        return packed + (b", " if len(packed) > 1 else b"") + msgspec.json.encode(values)[1:] + b"\n"

    def write(self, file: IO[bytes], rows: Iterable[bytes], _: Iterable[str]) -> None:
        """Write rows to a file; a row has the outputs, and some of the given columns."""
        file.writelines(rows)


def _json(row: Mapping[str, Any]) -> bytes:
    """Encode a row as JSON: bytes as base64, NaN as null, dates and other types as text."""
    try:
        text = json.dumps(row, ensure_ascii=False, allow_nan=False, default=_as_text)
    except ValueError:
        # JSON has no NaN and no infinity; Python writes and reads them as constants
        plain = json.loads(json.dumps(row, default=_as_text), parse_constant=lambda _: None)
        text = json.dumps(plain, ensure_ascii=False)
    # UTF-8 cannot hold a lone surrogate; JSON can escape it
    return text.encode("utf-8", "backslashreplace")


def _as_text(value: object) -> str:
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)
