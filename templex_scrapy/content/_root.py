"""Where the content of a page is: in which section, and how far down."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence

from templex_scrapy.content._head import Head
from templex_scrapy.content._own_words import OwnWords
from templex_scrapy.content.rules import RULES

_LETTERS = re.compile(r"[^\W\d_]+")
_ITEMS = frozenset({"article", "li", "p", "tr"})


def content_root(own: OwnWords, head: Head) -> int:
    """Return the lowest element that contains the main content, except perhaps the headline.

    Args:
        own: the page's own words.
        head: what its head declares.
    """
    root = 0
    if not head.is_forum:
        root = _document(own, head.title)
        if _is_prose(own, root):
            long = own.long_words()
            root = _way_down(own, root, long, RULES.most * long[root])
    weights = own.weights()
    return _way_down(own, root, weights, RULES.nearly_all * weights[root])


def find_facts(own: OwnWords, labels: Collection[int]) -> list[int]:
    """Return the labels that have a short text of the page's own before or behind them.

    ``<tr><th>Weight</th><td>1.2 kg</td></tr>``: the site repeats the label, and the value is the page's own. Each label
    counts once: rows of a listing and comments have the same ones again and again, such as "by".

    Args:
        own: the page's own words.
        labels: the repeated texts that may be labels.
    """
    arrays = own.arrays

    def is_label(position: int) -> bool:
        return bool(own.own[arrays.parents[position]]) and not own.linked[position]

    def is_value(position: int) -> bool:
        return bool(own.own[position] and not own.linked[position] and own.counts[position] <= RULES.small)

    texts, before = arrays.text_positions, arrays.texts_before
    candidates = [label for label in sorted(labels) if is_label(label)]
    found = [label for label in candidates if before[label] + 1 < len(texts) and is_value(texts[before[label] + 1])]
    found += [label for label in candidates if before[label] and is_value(texts[before[label] - 1])]
    by_name = {" ".join(_LETTERS.findall((arrays.texts[label] or "").lower())): label for label in found}
    return sorted(label for name, label in by_name.items() if name)


def with_facts(own: OwnWords, root: int, facts: list[int]) -> int:
    """Return the lowest element that contains a node and nearly all facts."""
    arrays = own.arrays
    while bisect_left(facts, root + arrays.sizes[root]) - bisect_left(facts, root) < RULES.nearly_all * len(facts):
        root = arrays.parents[root]
    return root


def _is_prose(own: OwnWords, root: int) -> bool:
    long = own.long_words()[root]
    return long >= RULES.article and long >= RULES.prose * own.words()[root]


def _document(own: OwnWords, title: str) -> int:
    """Return, of siblings with an ``h1`` each, the one whose ``h1`` is in the title; else node 0.

    Pages with endless scrolling have such siblings. If another heading contains the same words, they are the posts of a
    thread.
    """
    arrays = own.arrays
    text = {position: own.text(position) for position in own.headings("h1")}
    heading = own.headline(title, ("h1",)) if len(text) > 1 else None
    if heading not in text:
        return 0
    words = own.words()
    headings = list(text)
    for part in arrays.ancestors(heading):
        if not part:
            break
        parts = [
            sibling
            for sibling in arrays.children(arrays.parents[part])
            if own.tags[sibling] == own.tags[part]
            and bisect_left(headings, sibling + 1) < bisect_left(headings, sibling + arrays.sizes[sibling])
        ]
        if len(parts) == 1:
            continue
        others = (text[each] for each in text if not part <= each < part + arrays.sizes[part])
        is_document = words[part] * len(parts) >= (1 - RULES.most) * words[0]
        if is_document and all(text[heading] not in other for other in others):
            return part
    return 0


def _way_down(own: OwnWords, root: int, words: Sequence[int], least: float) -> int:
    """Return the lowest element below a node that contains so many words, and is not one of several items."""
    while least:
        children = own.arrays.children(root)
        child = next((child for child in children if words[child] >= least), None)
        if child is None or own.arrays.texts[child] is not None:
            break
        # the longest post of a blog's list, or the paragraph below a short one
        if own.tags[child] in _ITEMS:
            own_words, tag = own.words(), own.tags[child]
            if any(own.tags[other] == tag and own_words[other] and other != child for other in children):
                break
        root = child
    return root
