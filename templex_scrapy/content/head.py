"""What a page's head and address declare about it: its title, and whether it is a forum or a product."""

from __future__ import annotations

import re

from templex_scrapy.content.own_words import words_of
from templex_scrapy.page.page import Page

_TYPE = re.compile(r'"@type"\s*:\s*\[?\s*"(\w+)"')
_FORUM_TYPES = frozenset({"DiscussionForumPosting", "QAPage"})
_PRODUCT_TYPES = frozenset({"Product", "ProductGroup"})
_FORUM_GENERATORS = re.compile(
    r"discourse|flarum|fluxbb|invision|mybb|nodebb|phpbb|punbb|simple machines|vanilla|vbulletin|woltlab|xenforo", re.I
)
_FORUM_URL = re.compile(
    r"^https?://(?:forums?|community|discuss|discourse|boards?)\.|/(?:forums?|threads?|topics?|t|questions|discussions?)/"
    r"|(?:showthread|viewtopic)\b|/comments/\w+/",
    re.IGNORECASE,
)


class Head:
    """The declarations of a page."""

    def __init__(self, page: Page) -> None:
        root = page.root
        title = next(root.iter("title"), None)
        self.title = words_of(title.text or "") if title is not None else ""
        scripts = (script.text or "" for script in root.iter("script") if "ld+json" in (script.get("type") or ""))
        types = {name for text in scripts for name in _TYPE.findall(text)}
        metas = {
            (meta.get("property") or meta.get("name") or "").lower(): meta.get("content") or "" for meta in root.iter("meta")
        }
        self.is_forum = bool(
            types & _FORUM_TYPES
            or _FORUM_GENERATORS.search(metas.get("generator", ""))
            or _FORUM_URL.search(page.url)
        )
        self.is_product = bool(types & _PRODUCT_TYPES) or metas.get("og:type", "").lower().startswith("product")
