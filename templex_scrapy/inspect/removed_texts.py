"""Count the texts that are removed from the pages of a template, and those that are kept."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from templex_scrapy.figures import one_line
from templex_scrapy.page import Page, count_words, nodes_of, subtree_flags
from templex_scrapy.template import selector_of

if TYPE_CHECKING:
    from templex_scrapy.archives import ObservedPage
    from templex_scrapy.render import CleanPage

MAX_TEXTS = 2_000  # removed texts that are counted for a template, and kept ones; the rarest are dropped
_MAX_LENGTH = 80  # characters of a text: longer ones that begin alike count as the same

TextKeys = frozenset[tuple[str, str]]  # selectors of the elements that texts are in, and the texts


def read_texts(clean: CleanPage | ObservedPage) -> tuple[TextKeys, TextKeys]:
    """Parse a page again and return the texts that were removed, and those that were kept; O(number of nodes)."""
    arrays = nodes_of(Page(clean.source, clean.url))
    texts: tuple[set[tuple[str, str]], set[tuple[str, str]]] = set(), set()
    for position, is_removed in enumerate(subtree_flags(arrays, clean.removed)):
        text = arrays.texts[position]
        if text is not None and (line := one_line(text, _MAX_LENGTH)):
            texts[0 if is_removed else 1].add((selector_of(arrays, arrays.parents[position]), line))
    # a text that a page has twice, once in a removed block, counts as removed: somebody may miss it
    return frozenset(texts[0]), frozenset(texts[1] - texts[0])


class RemovedTexts:
    """Counts the pages on which a text was removed from a place, and on which it was kept there.

    Attributes:
        pages: number of pages that were counted.
    """

    def __init__(self) -> None:
        self.pages = 0
        self._removed: Counter[tuple[str, str]] = Counter()
        self._kept: Counter[tuple[str, str]] = Counter()

    def add(self, removed: TextKeys, kept: TextKeys) -> None:
        """Count the texts of a page."""
        self.pages += 1
        for counts, keys in ((self._removed, removed), (self._kept, kept)):
            counts.update(keys)
            if len(counts) > MAX_TEXTS:
                # half of them, so that this is not done again for each page
                for key, _ in counts.most_common()[MAX_TEXTS // 2 :]:
                    del counts[key]

    def largest(self, limit: int) -> list[tuple[str, str, int, int]]:
        """Return the texts that take the most words, on all pages together.

        Each is a text, a selector for ``TEMPLEX_PRESERVE``, and the number of pages without and with the text.
        """
        counted = [(text, selector, n, self._kept[selector, text]) for (selector, text), n in self._removed.items()]
        return sorted(counted, key=lambda row: (-row[2] * count_words(row[0]), row[1], row[0]))[:limit]
