"""What the sample project stores of each page."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self

from scrapy.http import TextResponse

from templex_scrapy import CleanPage


def _now() -> str:
    # text, so that JSON Lines, Parquet and SQLite have the same value
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass
class PageItem:
    """A page of a site.

    Attributes:
        url: its URL after redirects; the key in the database.
        title: the text of its title element.
        lang: the language that the page declares, or "".
        html: the page; templex_scrapy removes the template before it is stored.
        text: what is left, as text; written by templex_scrapy, as the words.
        words_before: words of the page as it came.
        words_after: words of what is left.
        fetched_at: when the page came, in UTC.
    """

    url: str
    title: str
    lang: str
    html: str
    text: str = ""
    words_before: int = 0
    words_after: int = 0
    fetched_at: str = field(default_factory=_now)

    @classmethod
    def from_response(cls, response: TextResponse) -> Self:
        """Make the item of a page as it came."""
        return cls(
            url=response.url,
            title=(response.xpath("normalize-space(//title)").get() or "").strip(),
            lang=response.xpath("//html/@lang").get(default="").strip(),
            html=response.text,
        )


def words_before(clean: CleanPage) -> int:
    """Return the number of words of a page as it came; an output in ``TEMPLEX_OUTPUTS``."""
    return clean.words[0]


def words_after(clean: CleanPage) -> int:
    """Return the number of words that are left of a page; likewise."""
    return clean.words[1]
