"""What the head and the address of a page declare about it."""

from __future__ import annotations

import re

from templex_scrapy.content._own_words import words_of
from templex_scrapy.page import Page, cached_property

_TYPE = re.compile(r'"@type"\s*:[\s\[]*"(\w+)"')
_FORUM_TYPES = frozenset({"DiscussionForumPosting", "QAPage"})
_FORUM_GENERATORS = re.compile(
    r"discourse|flarum|fluxbb|invision|mybb|nodebb|phpbb|punbb|simple machines|vanilla|vbulletin|woltlab|xenforo",
    re.IGNORECASE,
)
_FORUM_URL = re.compile(
    r"^https?://(?:[\w.-]*forum|(?:\w+\.)?(?:answers|boards|community|discourse|discuss)\.)"
    r"|/(?:forums?|threads?|boards?)/|/(?:discussions?|questions|topics?|t(?:/[\w-]+)?)/\d|/comments/\w+/"
    r"|showthread|showtopic|viewtopic|[?&]topic=\d",
    re.IGNORECASE,
)
_TITLE = 1000  # characters of the title that are compared with headings


class Head:
    """The declarations of a page: title, Schema.org types (JSON-LD), generator and URL.

    Args:
        page: the page; without it, nothing is declared.
    """

    def __init__(self, page: Page | None = None) -> None:
        self.title, self._url, self._generators = "", "", ""
        self._types: set[str] = set()
        if page is not None:
            self._read(page)

    def _read(self, page: Page) -> None:
        root = page.root
        self._url = page.url
        title = next(root.iter("title"), None)
        self.title = words_of((title.text or "")[:_TITLE]) if title is not None else ""
        scripts = (script.text or "" for script in root.iter("script") if "ld+json" in (script.get("type") or ""))
        self._types = {name for text in scripts for name in _TYPE.findall(text)}
        metas = (meta for meta in root.iter("meta") if (meta.get("name") or "").lower() == "generator")
        self._generators = " ".join(meta.get("content") or "" for meta in metas)

    @cached_property
    def is_forum(self) -> bool:
        """Whether the page shows a thread, a question with answers, or a list of them."""
        by_generator = _FORUM_GENERATORS.search(self._generators)
        return bool(self._types & _FORUM_TYPES or by_generator or _FORUM_URL.search(self._url))
