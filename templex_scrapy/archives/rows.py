"""Rows as bytes, on their way through the work folder: lines of JSON, or batches of Arrow where types are known."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from templex_scrapy.archives.outputs import storable
from templex_scrapy.archives.readers import fitted
from templex_scrapy.archives.records import Record

if TYPE_CHECKING:
    import pyarrow as pa


class Rows(Protocol):
    """Makes bytes of the columns of a record, and of those and the outputs the bytes of a row."""

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without its page."""

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row, with the outputs in place of columns with their names."""


class JsonRows:
    """Rows as lines of JSON.

    Args:
        url_column: the name of the column of addresses.
    """

    def __init__(self, url_column: str) -> None:
        self._url_column = url_column

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without its page."""
        return json_line({self._url_column: record.url} if record.columns is None else record.columns)

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row, with the outputs in place of columns with their names."""
        return json_line({**json.loads(packed), **values})


class ArrowRows:
    """Rows as Arrow batches of one row, without their schema.

    Args:
        columns: the schema of the columns without that of the page.
        outputs: names of the columns of outputs.
        url_column: the name of the column of addresses.
    """

    def __init__(self, columns: pa.Schema, outputs: tuple[str, ...], url_column: str) -> None:
        self.columns = columns
        self._outputs = outputs
        self._url_column = url_column

    @cached_property
    def schema(self) -> pa.Schema:
        """The schema of the rows."""
        import pyarrow as pa  # noqa: PLC0415 - an extra

        kept = [field for field in self.columns if field.name not in self._outputs]
        return pa.schema([*kept, *(pa.field(name, pa.string()) for name in self._outputs)])

    def pack(self, record: Record) -> bytes:
        """Return the columns of a record without its page."""
        import pyarrow as pa  # noqa: PLC0415 - an extra

        batch = record.columns
        if batch is None:
            url = pa.array([storable(record.url)], pa.string())
            batch = fitted(pa.RecordBatch.from_arrays([url], [self._url_column]), self.columns)
        return bytes(batch.serialize())

    def row(self, packed: bytes, values: Mapping[str, str | None]) -> bytes:
        """Return a row, with the outputs in place of columns with their names."""
        import pyarrow as pa  # noqa: PLC0415 - an extra

        batch = pa.ipc.read_record_batch(packed, self.columns)
        columns = [
            pa.array([values[field.name]], pa.string()) if field.name in values else batch.column(field.name)
            for field in self.schema
        ]
        return bytes(pa.RecordBatch.from_arrays(columns, schema=self.schema).serialize())


def json_line(row: Mapping[str, Any]) -> bytes:
    """Return a row as a line of JSON, in UTF-8; dates and other types as texts, bytes as base64."""
    try:
        return json.dumps(row, ensure_ascii=False, default=_written).encode() + b"\n"
    except UnicodeEncodeError:
        # a lone surrogate has no form in UTF-8, but one in JSON
        return json.dumps(row, default=_written).encode() + b"\n"


def _written(value: object) -> str:
    return base64.b64encode(value).decode("ascii") if isinstance(value, bytes) else str(value)
