"""Records of archives: pages with the other columns of their rows, and skipped parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Self

from templex_scrapy.page import decode_stored

MAX_BYTES = 8_000_000
"""Most bytes of a page: the largest page that is cleaned has 2,000,000 characters, of at most 4 bytes in UTF-8."""


class Skip(StrEnum):
    """Why a part of an archive is skipped, in the words of the summary."""

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
    """A skipped part of an archive."""

    why: Skip
    where: str


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns that contain the address and the source of a page."""

    url: str = "url"
    html: str = "html"


@dataclass(frozen=True, slots=True)
class Record:
    """A stored page. The address need not be valid."""

    url: str
    html: bytes | str | None  # None: a row without a page
    charset: str | None = None  # in the Content-Type header
    columns: Any = field(default=None, compare=False)  # a dict, or for Parquet a batch of a single row

    @classmethod
    def of_row(cls, url: object, html: object, columns: Any) -> Self:
        """Make a record of a table's row: with a page if the value is text or bytes, and not blank."""
        source = html if isinstance(html, (str, bytes)) and html.strip() else None
        return cls(storable(url) if isinstance(url, str) else "", source, columns=columns)


def text_of(source: bytes | str, charset: str | None = None) -> str:
    """Return the text of a page."""
    return decode_stored(source, charset) if isinstance(source, bytes) else source


def storable(text: str) -> str:
    """Return a text without lone surrogates, which have no form in UTF-8."""
    # nearly all texts have no surrogates, and testing is faster than replacing
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def escaped(text: str) -> str:
    """Return a text whose lone surrogates are escaped as in JSON."""
    return text.encode("utf-8", "backslashreplace").decode()


class ArchiveError(Exception):
    """An input or the output is unusable; the message says which, and why."""


def missing_column(name: object, column: str, has: Iterable[str]) -> ArchiveError:
    """Make the error for a table without a needed column; the message lists the columns of the table."""
    return ArchiveError(f"{name}: no column {column!r}; it has {', '.join(has)}")
