"""The type of a page: articles, products and lists of a site differ in tags and classes, its languages in their texts.

Class names that are ids, such as ``post-123``, are on one page each and say nothing of its type. So only names that are
on several pages are compared.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Self, TypeVar

from templex_scrapy.page import Page, nodes_of, text_digest_of

# "Terms and conditions", "Subscribe to our newsletter"; the paragraphs of an article are on one page each
MAX_LENGTH = 80
"""Characters of a text that may belong to a frame: menus and footers have short texts."""

# a hostile page may have a class name for each element; each is kept for each page of the sample
MAX_FEATURES = 1_000
"""Names and texts of a page that are compared, at most of each."""

_NAME_BYTES = 100
_TEXT_BYTES = 60

_T = TypeVar("_T", str, int)


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """What tells which page it is, and of what type.

    Attributes:
        url: its address.
        digest: :attr:`Page.digest`.
        text_digest: :attr:`Page.text_digest`.
        names: tag and classes, as one string, of its elements with classes.
        texts: checksums of its short texts.
    """

    url: str
    digest: bytes
    text_digest: bytes
    names: frozenset[str]
    texts: frozenset[int]

    @classmethod
    def of(cls, page: Page) -> Self:
        """Return the features of a page; O(number of nodes)."""
        names, texts = _lowest(nodes_of(page).tags_and_classes), checksums(nodes_of(page).text_set)
        return cls(page.url, page.digest, text_digest_of(page), names, texts)

    @property
    def nbytes(self) -> int:
        """Bytes that they take, roughly."""
        return _NAME_BYTES * len(self.names) + _TEXT_BYTES * len(self.texts)


def checksums(texts: Collection[str | None]) -> frozenset[int]:
    """Return numbers for the short texts among some; the lowest ones if there are very many."""
    # they are compared and never shown, so a number does
    short = (text for text in texts if text is not None and len(text) <= MAX_LENGTH)
    return _lowest(frozenset(zlib.crc32(text.encode("utf-8", "surrogatepass")) for text in short))


def _lowest(found: frozenset[_T]) -> frozenset[_T]:
    """Return what was found, or its first part in sorted order if it is very much."""
    return found if len(found) <= MAX_FEATURES else frozenset(sorted(found)[:MAX_FEATURES])


def common_share(some: frozenset[str], others: frozenset[str]) -> float:
    """Return the share of the names in two sets that are in both, in [0, 1]; 1 if both are empty."""
    shared = len(some & others)
    either = len(some) + len(others) - shared
    return shared / either if either else 1.0
