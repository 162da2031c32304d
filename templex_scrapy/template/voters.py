"""The pages of a template: how copies are recognised, and which elements the pages are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from templex_scrapy.page import NodeArrays, Page, distinct


def distinct_texts(pages: Iterable[Page]) -> list[Page]:
    """Return the pages without those that have the same text as an earlier one, but for numbers.

    A login wall at several addresses is no evidence that a site repeats itself, nor is one article at several
    addresses; the sources of such pages differ in a token, a counter or a time.
    """
    by_text: dict[bytes, Page] = {}
    for page in distinct(pages):
        by_text.setdefault(page.text_digest, page)
    return list(by_text.values())


class Voters:
    """The pages of a template, the key page first.

    Attributes:
        digests: their digests, in order.
        text_digests: their :attr:`Page.text_digest`.
        tags_and_classes: the tag and class names of their elements with classes.
        key_digest: the digest of the key page.
    """

    def __init__(
        self, digests: Iterable[bytes], text_digests: Iterable[bytes], tags_and_classes: Iterable[str]
    ) -> None:
        self.digests = tuple(digests)
        self.text_digests = frozenset(text_digests)
        self.tags_and_classes = frozenset(tags_and_classes)
        self.key_digest = self.digests[0]
        self._digests = frozenset(self.digests)

    @classmethod
    def of(cls, pages: Sequence[Page]) -> Self:
        """Make the voters of some pages, the key page first."""
        tags_and_classes = frozenset().union(*(page.arrays.tags_and_classes for page in pages))
        return cls([page.digest for page in pages], (page.text_digest for page in pages), tags_and_classes)

    def joined(self, pages: Sequence[Page]) -> Self:
        """Return the voters with further pages."""
        return type(self)(
            [*self.digests, *(page.digest for page in pages)],
            self.text_digests.union(page.text_digest for page in pages),
            self.tags_and_classes.union(*(page.arrays.tags_and_classes for page in pages)),
        )

    def __contains__(self, page: Page) -> bool:
        return page.digest in self._digests

    def has_text_of(self, page: Page) -> bool:
        """Return whether a page is among the voters, or has the same text as one of them."""
        return page in self or page.text_digest in self.text_digests

    def unfamiliar(self, arrays: NodeArrays) -> float:
        """Return the share of a page's tags and classes that no voter has, in [0, 1]."""
        found = arrays.tags_and_classes
        return len(found - self.tags_and_classes) / len(found) if found else 0.0
