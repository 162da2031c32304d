"""What the sample project stores of each page."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Self

from scrapy.http import TextResponse

from sample_project.words import count_words


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
        text: what is left, as text; written by templex_scrapy.
        bytes_before: size of `html` as the page came.
        bytes_after: size of `html` as it is stored.
        words_before: words of the page as it came.
        words_after: words of `html` as it is stored.
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
        """Make the item of a page as it came."""
        html = response.text
        return cls(
            url=response.url,
            title=(response.xpath("normalize-space(//title)").get() or "").strip(),
            lang=response.xpath("//html/@lang").get(default="").strip(),
            html=html,
            bytes_before=len(html.encode("utf-8", "replace")),
            words_before=count_words(html),
        )
