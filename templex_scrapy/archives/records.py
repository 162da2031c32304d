"""Records of archives: pages with the other columns of their rows, and parts that are passed over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from templex_scrapy.page import decode_stored

MAX_BYTES = 8_000_000
"""Bytes of a page that is read, at most: the 2,000,000 characters of the largest page that is worked on, in UTF-8."""


class Skip(StrEnum):
    """Why a part of an archive is passed over, as the summary says it."""

    STATUS = "redirects and errors"
    NOT_HTML = "no HTML"
    NO_BODY = "without a body"
    TOO_LARGE = "larger than 8 MB"
    ENCODED = "compressed in an unknown way"
    NO_LIBRARY = "compressed by brotli or zstd (pip install brotli backports.zstd)"
    OUTSIDE = "linked out of the folder"
    PARTS = "with parts of a saved page"
    NO_COLUMN = "without the column of the pages"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of an archive that is passed over: why, and where it is."""

    why: Skip
    where: str


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns that contain the address and the source of a page."""

    url: str = "url"
    html: str = "html"


@dataclass(frozen=True, slots=True)
class Record:
    """A stored page.

    Attributes:
        url: its address, which need not be valid.
        html: the source; None in a row of a table that has none.
        charset: the encoding that its Content-Type header names, for bytes.
        columns: the other columns of its row: a dict, or for Parquet a batch of one row.
    """

    url: str
    html: bytes | str | None
    charset: str | None = None
    columns: Any = field(default=None, compare=False)

    @classmethod
    def of_row(cls, url: object, html: object, columns: Any) -> Self:
        """Make the record of a row of a table; a row without a page has one too."""
        return cls(storable(url) if isinstance(url, str) else "", source_of(html), columns=columns)


def source_of(value: object) -> bytes | str | None:
    """Return the source of a page that a row of a table contains; None if it has none."""
    return value if isinstance(value, (str, bytes)) and value.strip() else None


def text_of(source: bytes | str, charset: str | None = None) -> str:
    """Return the text of a page."""
    return decode_stored(source, charset) if isinstance(source, bytes) else source


def storable(text: str) -> str:
    """Return a text without lone surrogates, which have no form in UTF-8."""
    # nearly all texts have none, and to find out is faster than to replace
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


class ArchiveError(Exception):
    """An input or the output cannot be used; the message has its name and the reason."""


def missing_column(name: object, column: str, has: Iterable[str]) -> ArchiveError:
    """Make the error of a table without a column that it needs, which names those that it has."""
    return ArchiveError(
        f"{name}: no column {column!r}; it has {', '.join(has)}. --url-column and --html-column name others"
    )
