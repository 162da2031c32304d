"""The words of a page that a reader sees, counted in the same way before and after cleaning."""

from __future__ import annotations

import re

from parsel import Selector

_VISIBLE = "//body//text()[not(ancestor::script or ancestor::style or ancestor::noscript or ancestor::template)]"
_WORD = re.compile(r"\w+")


def visible_text(html: str) -> str:
    """The text of a page on one line; markup, scripts and styles are left out."""
    if not html.strip():
        return ""
    return " ".join(" ".join(Selector(html, type="html").xpath(_VISIBLE).getall()).split())


def count_words(html: str) -> int:
    """How many words a reader of the page sees."""
    return len(_WORD.findall(visible_text(html)))
