"""What the sample project stores of each page."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self

from scrapy.http import TextResponse

from sample_project.words import count_words


def _now() -> str:
    # Text, so that JSON Lines, Parquet and SQLite hold the very same value.
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass
class PageItem:
    """A page of a site.

    Attributes:
        url: its address after redirects; the key in the database.
        title: the text of its title element.
        lang: the language that the page says it is in, or "".
        html: the page; templex_scrapy takes the template out before it is stored.
        text: what is left, for reading; written by templex_scrapy, or from `html` where it wrote nothing.
        bytes_before: size of `html` as the page came.
        bytes_after: size of `html` as it is stored.
        words_before: visible words of the page as it came.
        words_after: visible words of `html` as it is stored.
        fetched_at: when the page came, in UTC.
    """

    url: str
    title: str
    lang: str
    html: str
    text: str = ""
    bytes_before: int = 0
    bytes_after: int = 0
    words_before: int = 0
    words_after: int = 0
    fetched_at: str = field(default_factory=_now)

    @classmethod
    def from_response(cls, response: TextResponse) -> Self:
        """Makes the item of a page as it came."""
        html = response.text
        return cls(
            url=response.url,
            title=(response.xpath("normalize-space(//title)").get() or "").strip(),
            lang=response.xpath("//html/@lang").get(default="").strip(),
            html=html,
            bytes_before=len(html.encode("utf-8", "replace")),
            words_before=count_words(html),
        )
