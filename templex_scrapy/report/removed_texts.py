"""Which texts a template removes most often, and from which pages it does not remove them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from templex_scrapy.page import NodeArrays, count_words, subtree_flags
from templex_scrapy.report.texts import one_line
from templex_scrapy.template import selector_of

MAX_TEXTS = 2_000  # removed texts that are counted for a template, and kept ones; the rarest ones are dropped
_MAX_LENGTH = 80  # characters of a text: longer ones that begin alike count as one

TextKey = tuple[str, str]
"""The selector of the element that a text is in, and the text."""


@dataclass(frozen=True, slots=True)
class CountedText:
    """A text, a selector for ``TEMPLEX_PRESERVE``, and the number of pages it was removed from and kept on."""

    text: str
    selector: str
    removed: int
    kept: int


class RemovedTexts:
    """Counts the pages on which the same text in the same place was removed, and on which it was kept.

    Attributes:
        pages: number of pages that were counted.
    """

    def __init__(self) -> None:
        self.pages = 0
        self._removed: dict[TextKey, int] = {}
        self._kept: dict[TextKey, int] = {}

    def add(self, arrays: NodeArrays, roots: Collection[int]) -> None:
        """Count the texts of a page; O(number of nodes).

        Args:
            arrays: the nodes of the page.
            roots: positions of the roots of the removed subtrees.
        """
        self.pages += 1
        removed = {key for root in roots for key in _keys(arrays, range(root, root + arrays.sizes[root]))}
        gone = subtree_flags(arrays, roots)
        # a text that a page has twice, once in a removed block, counts as removed: that is what somebody may miss
        kept = set(_keys(arrays, (position for position, is_gone in enumerate(gone) if not is_gone))) - removed
        for counts, keys in ((self._removed, removed), (self._kept, kept)):
            for key in keys:
                counts[key] = counts.get(key, 0) + 1
        _drop_rarest(self._removed, MAX_TEXTS)
        _drop_rarest(self._kept, MAX_TEXTS)

    def largest(self, limit: int) -> list[CountedText]:
        """Return the texts with which the most words were removed, on all pages together."""
        counted = [
            CountedText(text, selector, count, self._kept.get((selector, text), 0))
            for (selector, text), count in self._removed.items()
        ]
        return sorted(counted, key=lambda one: (-one.removed * count_words(one.text), one.selector, one.text))[:limit]


def _keys(arrays: NodeArrays, positions: Iterable[int]) -> Iterator[TextKey]:
    for position in positions:
        text = arrays.texts[position]
        if text is not None and (line := one_line(text, _MAX_LENGTH)):
            yield selector_of(arrays, arrays.parents[position]), line


def _drop_rarest(counts: dict[TextKey, int], limit: int) -> None:
    if len(counts) > limit:
        # half of them, so that this is not done for each page again
        for key in sorted(counts, key=counts.__getitem__)[: len(counts) - limit // 2]:
            del counts[key]
