"""Recall, precision and F1 of what was found, over nodes, words and hyperlinks.

All three are multisets here: a node is in its set once; words and links count as often as they stand there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from templex_scrapy.page import Page, canonical, join, unescape

_WORD = re.compile(r"\w+")
_HREF = re.compile(r'\shref="([^"]+)"', re.ASCII)


@dataclass(frozen=True, slots=True)
class Score:
    """How much of a gold standard was found.

    Attributes:
        gold: units in the gold standard; None without one, and then the measures are None.
        retrieved: units that were found.
        correct: units that were found and are in the gold standard.
        recall: correct / gold, in [0, 1].
        precision: correct / retrieved, in [0, 1].
        f1: harmonic mean of both, in [0, 1].

    Nothing found where there is nothing to be found is right: all three are 1. If only one is empty, they are 0.
    """

    gold: int | None
    retrieved: int
    correct: int | None = None
    recall: float | None = None
    precision: float | None = None
    f1: float | None = None

    @classmethod
    def of(cls, gold: int, retrieved: int, correct: int) -> Score:
        """The score that follows from the three numbers."""
        if not gold or not retrieved:
            right = float(gold == retrieved)
            return cls(gold, retrieved, correct, right, right, right)
        # equal to 2PR / (P + R), and exact where nothing is correct
        return cls(gold, retrieved, correct, correct / gold, correct / retrieved, 2 * correct / (gold + retrieved))

    @classmethod
    def failed(cls, gold: int | None) -> Score:
        """The score of a detector that broke down: it found nothing, and that is wrong whatever there was."""
        return cls(None, 0) if gold is None else cls(gold, 0, 0, 0.0, 0.0, 0.0)


def score_sets(found: Collection[int], gold: frozenset[int] | None) -> Score:
    """The score of some nodes."""
    found = frozenset(found)
    return Score(None, len(found)) if gold is None else Score.of(len(gold), len(found), len(found & gold))


def score_counts(found: Mapping[str, int], gold: Mapping[str, int] | None) -> Score:
    """The score of a multiset of words or links."""
    retrieved = sum(found.values())
    if gold is None:
        return Score(None, retrieved)
    correct = sum(min(count, gold.get(unit, 0)) for unit, count in found.items())
    return Score.of(sum(gold.values()), retrieved, correct)


def words_of(text: str) -> Counter[str]:
    """The words of a text in lower case: runs of letters, digits and ``_``, as often as they occur."""
    return Counter(_WORD.findall(text.lower()))


def links_in(page: Page, position: int | None) -> Counter[str]:
    """The addresses, as written, of all hyperlinks inside a node, the node included; none for None."""
    if position is None:
        return Counter()
    labels = page.arrays.tag_strings[position : position + page.arrays.sizes[position]]
    written = (_HREF.search(label) for label in labels if label.startswith("<a "))
    return Counter(unescape(href[1]) for href in written if href is not None)


def addresses_in(page: Page, position: int | None) -> frozenset[str]:
    """The canonical URLs that the hyperlinks inside a node lead to; those that cannot be parsed are left out."""
    base = page.base_url
    joined = (join(base, href) for href in links_in(page, position))
    return frozenset(url for address in joined if address is not None and (url := canonical(address)) is not None)
