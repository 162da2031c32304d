"""Recall, precision and F1 over nodes, words and hyperlinks.

All three are multisets: a node is in its set once; words and links count as often as they occur.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape

from templex_scrapy.page import Page, canonical, join, nodes_of

# ideographs and kana one by one, other words as runs of letters, digits and "_"
_CJK = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+")
_HREF = re.compile(r'\shref="([^"]+)"', re.ASCII)


@dataclass(frozen=True, slots=True)
class Score:
    """How much of a gold standard was found.

    Without a gold standard all but ``retrieved`` are None. If both sides are empty, all three measures are 1; if only
    the gold standard or only the result is empty, they are 0.
    """

    gold: int | None
    retrieved: int
    correct: int | None = None
    recall: float | None = None
    precision: float | None = None
    f1: float | None = None

    @classmethod
    def of(cls, gold: int, retrieved: int, correct: int) -> Score:
        """Return the score that follows from the three numbers."""
        if not gold or not retrieved:
            right = float(gold == retrieved)
            return cls(gold, retrieved, correct, right, right, right)
        # equal to 2PR / (P + R), and exact where nothing is correct
        return cls(gold, retrieved, correct, correct / gold, correct / retrieved, 2 * correct / (gold + retrieved))

    @classmethod
    def failed(cls, gold: int | None) -> Score:
        """Return the score of a detector that broke down: it found nothing, which is wrong in any case."""
        return cls(None, 0) if gold is None else cls(gold, 0, 0, 0.0, 0.0, 0.0)


def score_sets(found: Collection[int], gold: frozenset[int] | None) -> Score:
    """Return the score of some nodes."""
    found = frozenset(found)
    return Score(None, len(found)) if gold is None else Score.of(len(gold), len(found), len(found & gold))


def score_counts(found: Mapping[str, int], gold: Mapping[str, int] | None) -> Score:
    """Return the score of a multiset of words or links."""
    retrieved = sum(found.values())
    if gold is None:
        return Score(None, retrieved)
    correct = sum(min(count, gold.get(unit, 0)) for unit, count in found.items())
    return Score.of(sum(gold.values()), retrieved, correct)


def words_of(text: str) -> Counter[str]:
    """Return the words of a text, case-folded; in scripts without blanks the characters."""
    return Counter(_WORD.findall(text.casefold()))


def score_values(text: str, values: Sequence[str]) -> Score:
    """Return the share of some values that a text contains, as recall and as F1."""
    found = sum(_contained(values, text))
    return Score(len(values), len(values), found, found / len(values), None, found / len(values))


def score_snippets(text: str, wanted: Sequence[str], unwanted: Sequence[str]) -> Score:
    """Return the share of wanted snippets that a text contains as recall, of unwanted ones that it lacks as precision.

    F1 is the share of all snippets for which it is right.
    """
    there, lacking = sum(_contained(wanted, text)), sum(not found for found in _contained(unwanted, text))
    whole, right = len(wanted) + len(unwanted), there + lacking
    recall = there / len(wanted) if wanted else None
    return Score(whole, whole, right, recall, lacking / len(unwanted) if unwanted else None, right / whole)


def _contained(parts: Sequence[str], text: str) -> Iterator[bool]:
    line = " ".join(text.casefold().split())
    return (" ".join(part.casefold().split()) in line for part in parts)


def links_in(page: Page, position: int | None) -> Counter[str]:
    """Return the addresses, as written, of all hyperlinks in a node, the node included; none for None."""
    if position is None:
        return Counter()
    tag_strings = nodes_of(page).tag_strings[position : position + nodes_of(page).sizes[position]]
    written = (_HREF.search(tag_string) for tag_string in tag_strings if tag_string.startswith("<a "))
    return Counter(unescape(href[1]) for href in written if href is not None)


def addresses_in(page: Page, position: int | None) -> frozenset[str]:
    """Return the canonical URLs that the hyperlinks in a node lead to."""
    joined = (join(page.base_url, href) for href in links_in(page, position))
    return frozenset(url for address in joined if address is not None and (url := canonical(address)) is not None)
