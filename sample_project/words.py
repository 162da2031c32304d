"""The words of a page, counted as templex_scrapy counts them."""

from __future__ import annotations

from parsel import Selector

from templex_scrapy import Page
from templex_scrapy.render import count_words_without

_VISIBLE = "//body//text()[not(ancestor::script or ancestor::style or ancestor::noscript or ancestor::template)]"


def visible_text(html: str) -> str:
    """Return the text of a page on one line, without markup, scripts and styles."""
    return " ".join(" ".join(Selector(html or " ", type="html").xpath(_VISIBLE).getall()).split())


def count_words(html: str) -> int:
    """Return the number of words of a page."""
    return count_words_without(Page(html, ""))[0]
