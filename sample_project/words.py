"""The words of a page that a reader sees, counted in the same way before and after cleaning."""

from __future__ import annotations

from parsel import Selector

from templex_scrapy import Page
from templex_scrapy.render import count_words_without

_VISIBLE = "//body//text()[not(ancestor::script or ancestor::style or ancestor::noscript or ancestor::template)]"


def visible_text(html: str) -> str:
    """The text of a page on one line; markup, scripts and styles are left out."""
    if not html.strip():
        return ""
    return " ".join(" ".join(Selector(html, type="html").xpath(_VISIBLE).getall()).split())


def count_words(html: str) -> int:
    """How many words a reader of the page sees, counted as templex_scrapy counts them in its report."""
    return count_words_without(Page(html, ""))[0]
