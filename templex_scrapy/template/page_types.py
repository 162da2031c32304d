"""Tell the type of a page by tags and classes, and the language by texts: articles, products and lists differ in these.

A class name that is an id, such as ``post-123``, is on a single page and says nothing of the type. So only names that
several pages have are compared.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Self, TypeVar

from templex_scrapy.metadata import SiteTitle
from templex_scrapy.page import NodeArrays, Page, cached_property, nodes_of, text_digest_of
from templex_scrapy.votes import numbers_of_texts

# "Terms and conditions", "Subscribe to our newsletter"; a paragraph of an article is on a single page
MAX_LENGTH = 80
"""Characters of a text that may belong to a frame: menus and footers have short texts."""

# a hostile page may have a class name for each element, and each is kept for each page of the sample
MAX_FEATURES = 1_000
"""Names and texts of a page that are compared, at most of each."""

_NAME_BYTES = 100
_TEXT_BYTES = 60  # an int of 32 bytes, and a slot of 16 in a set of at most three fifths

_T = TypeVar("_T", str, int)


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """The features that tell a page and the type of the page.

    Attributes:
        names: tag and classes, as a single string, of the elements with classes.
        texts: checksums of the short texts.
    """

    url: str
    digest: bytes
    text_digest: bytes
    names: frozenset[str]
    texts: frozenset[int]

    @classmethod
    def of(cls, page: Page) -> Self:
        """Return the features of a page; O(number of nodes)."""
        names, texts = nodes_of(page).computed(_names_and_texts)
        return cls(page.url, page.digest, text_digest_of(page), names, texts)

    @property
    def nbytes(self) -> int:
        """Bytes that they take, roughly."""
        return _NAME_BYTES * len(self.names) + _TEXT_BYTES * len(self.texts)


def _names_and_texts(arrays: NodeArrays) -> tuple[frozenset[str], frozenset[int]]:
    names = frozenset(start_tag.tag_and_classes for start_tag in arrays.start_tags if start_tag.classes)
    return _lowest(names), checksums(set(arrays.texts))


def checksums(texts: Collection[str | None]) -> frozenset[int]:
    """Return a number for each short text, at most :data:`MAX_FEATURES`, the lowest."""
    # they are compared and never shown, so a number does
    short = (text for text in texts if text is not None and len(text) <= MAX_LENGTH)
    return _lowest(frozenset(zlib.crc32(text.encode("utf-8", "surrogatepass")) for text in short))


def text_numbers(arrays: NodeArrays) -> frozenset[int]:
    """Return the numbers of the texts of a page, at most :data:`MAX_FEATURES`, the lowest."""
    return _lowest(frozenset(arrays.computed(numbers_of_texts)[1]))


def _lowest(features: frozenset[_T]) -> frozenset[_T]:
    """Return features, or the lowest :data:`MAX_FEATURES` of them."""
    return features if len(features) <= MAX_FEATURES else frozenset(sorted(features)[:MAX_FEATURES])


def common_share(names: frozenset[str], other_names: frozenset[str]) -> float:
    """Return the share of the names in two sets that are in both, in [0, 1]; 1 if both are empty."""
    shared = len(names & other_names)
    either = len(names) + len(other_names) - shared
    return shared / either if either else 1.0


@dataclass(frozen=True, eq=False)
class Voters:
    """The pages of a template, the key page first.

    Attributes:
        digests: digests of the pages, in order.
        text_digests: :func:`text_digest_of` of the pages, in order.
        names: names that several pages have (:class:`PageFeatures`), each with the number of pages.
        single_share: share of the names of a page that no other page has; the median, in [0, 1].
        site_title: the parts that the titles have in common.
    """

    digests: Sequence[bytes]
    text_digests: Sequence[bytes]
    names: Mapping[str, int]
    single_share: float
    site_title: SiteTitle

    @classmethod
    def of(cls, pages: Sequence[Page]) -> Self:
        """Make the voters of some pages, the key page first."""
        names = [PageFeatures.of(page).names for page in pages]
        counts = Counter(name for page_names in names for name in page_names)
        # WordPress writes post-4711 into each page: that much of a further page may be unknown as well
        single = [
            sum(counts[name] == 1 for name in page_names) / len(page_names) if page_names else 0.0
            for page_names in names
        ]
        return cls(
            [page.digest for page in pages],
            [text_digest_of(page) for page in pages],
            {name: count for name, count in counts.items() if count > 1},
            median(single),
            SiteTitle.of(page.title for page in pages),
        )

    @cached_property
    def common_names(self) -> frozenset[str]:
        """The names that half of the pages have."""
        # a table or a gallery is in some articles, and no mark of their type
        return frozenset(name for name, count in self.names.items() if 2 * count >= len(self.digests))

    def has_text_of(self, page: Page) -> bool:
        """Return whether a page has the same text as any of the voters."""
        return text_digest_of(page) in self.text_digests

    def is_key(self, page: Page) -> bool:
        """Return whether a page has the source of the key page; that is hashed only if the texts are the same."""
        return text_digest_of(page) == self.text_digests[0] and page.digest == self.digests[0]
