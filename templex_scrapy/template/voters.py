"""What a template's pages have shown: which pages they were, and the kinds of elements they are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

from templex_scrapy.page import NodeArrays, Page


def distinct(pages: Iterable[Page]) -> list[Page]:
    """The pages without copies of an earlier one: the same source is the same page."""
    by_digest: dict[bytes, Page] = {}
    for page in pages:
        by_digest.setdefault(page.digest, page)
    return list(by_digest.values())


def distinct_in_words(pages: Iterable[Page]) -> list[Page]:
    """The pages without copies of an earlier one, and without those that say word for word what an earlier one says.

    These differ in a token, a counter, or the time of their making: the same wall before several addresses is no
    evidence that a site repeats itself, nor is one article at several addresses. So figures do not count. A page
    without words is told by its source alone.
    """
    by_words: dict[bytes, Page] = {}
    for page in distinct(pages):
        by_words.setdefault(wording(page), page)
    return list(by_words.values())


def wording(page: Page) -> bytes:
    """What is the same for pages that say the same but for figures; their digest for those that say nothing."""
    return page.arrays.text_digest or page.digest


class Voters:
    """The pages of a template, the key page first.

    Attributes:
        ordered: their digests.
        digests: the same as a set.
        key_digest: that of the key page.
        kinds: the kinds of elements, by tag and class names, in any of them; elements without class do not count.
        wordings: as :func:`wording` tells them of each.
    """

    def __init__(self, digests: Sequence[bytes], kinds: Iterable[str], wordings: Iterable[bytes] = ()) -> None:
        self.ordered = tuple(digests)
        self.digests = frozenset(digests)
        self.key_digest = digests[0]
        self.kinds = frozenset(kinds)
        self.wordings = frozenset(wordings)

    @classmethod
    def of(cls, pages: Sequence[Page]) -> Self:
        """What at least one page, the key page, has shown."""
        kinds = frozenset().union(*(page.arrays.tags_and_classes for page in pages))
        return cls([page.digest for page in pages], kinds, map(wording, pages))

    def joined(self, pages: Sequence[Page]) -> Self:
        """With what further pages have shown."""
        digests = [*self.ordered, *(page.digest for page in pages)]
        kinds = self.kinds.union(*(page.arrays.tags_and_classes for page in pages))
        return type(self)(digests, kinds, self.wordings.union(map(wording, pages)))

    def unfamiliar(self, arrays: NodeArrays) -> float:
        """Share of a page's kinds of elements that none of the template's pages has; 0 for a page without classes."""
        kinds = arrays.tags_and_classes
        return len(kinds - self.kinds) / len(kinds) if kinds else 0.0
