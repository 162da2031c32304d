"""Where the content of a page is: in which section, and how far down."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from itertools import accumulate

from templex_scrapy.content._boxes import Boxes
from templex_scrapy.content._head import Head
from templex_scrapy.content._own_words import OwnWords

_MAIN = 0.2  # a main needs this share of the words
_ARTICLE = 0.5  # an article needs this share of the words of main, or of the page
_EVEN = 0.3  # the page's own document is more than a headline: it has this share of an even part of the words
_SHARE = 0.9  # the way down goes on while one child contains this share of the words
_PROSE_WORDS = 40  # long words that a page of prose has at least
_PROSE = 0.12  # and this share of its words
_PROSE_SHARE = 0.7  # the way down goes on while one child contains this share of the long words
_PRICES = 3  # short texts with a price that a page of products has at least
_PRICE_WORDS = 6  # words of such a text, at most
_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|£|zł|kr\b|Kč|USD|EUR|₽)")


def content_root(own: OwnWords, boxes: Boxes, head: Head, facts: Collection[int] = ()) -> int:
    """Return the lowest element that contains the main content, except perhaps the headline.

    Args:
        own: the page's own words.
        boxes: what its start tags declare.
        head: what its head declares.
        facts: positions of labels and values, most of which the element contains as well.
    """
    root = _section(own, boxes, "main", 0, _MAIN)
    if not head.is_forum:
        root = _document(own, root, head.title)
        root = _section(own, boxes, "article", root, _ARTICLE)
        if _is_prose(own, root) and not head.is_home and not is_shop(own, root, head):
            long = own.long_words()
            root = _way_down(own, root, long, _PROSE_SHARE * long[root])
    weights, where = own.weights(), sorted(position for position in facts if own.own[position])
    return _way_down(own, root, weights, _SHARE * weights[root], where)


def is_shop(own: OwnWords, root: int, head: Head) -> bool:
    """Tell whether a page shows products: by what it declares, or by its prices."""
    prices = (
        position
        for position in own.below(root)
        if own.own[position]
        and 0 < own.counts[position] <= _PRICE_WORDS
        and _PRICE.search(own.arrays.texts[position] or "")
    )
    return head.is_product or sum(1 for _ in prices) >= _PRICES


def _is_prose(own: OwnWords, root: int) -> bool:
    long = own.long_words()[root]
    return long >= _PROSE_WORDS and long >= _PROSE * own.words()[root]


def _section(own: OwnWords, boxes: Boxes, tag: str, root: int, share: float) -> int:
    """Return the element of a tag, or role, below a node with the most words; the node if it has too few."""
    words = own.words()
    within = own.below(root)
    found = (position for position in boxes.sections(tag) if position in within)
    best = max(found, key=lambda position: words[position], default=root)
    return best if words[best] >= share * words[root] else root


def _document(own: OwnWords, root: int, title: str) -> int:
    """Return, of siblings with an ``h1`` each, the one whose ``h1`` is in the title; else the node itself.

    Pages with endless scrolling have such siblings. If another heading contains the same words, they are the posts of a
    thread.
    """
    arrays = own.arrays
    text = {position: own.text(position) for position in own.headings("h1", own.below(root))}
    heading = own.headline(title, ("h1",)) if len(text) > 1 else None
    if heading not in text:
        return root
    words = own.words()
    before = [0, *accumulate(position in text for position in range(len(arrays.sizes)))]
    for part in arrays.ancestors(heading):
        if part == root:
            break
        parts = [
            sibling
            for sibling in arrays.children(arrays.parents[part])
            if own.tags[sibling] == own.tags[part] and before[sibling + 1] < before[sibling + arrays.sizes[sibling]]
        ]
        if len(parts) == 1:
            continue
        others = (text[each] for each in text if not part <= each < part + arrays.sizes[part])
        is_document = words[part] * len(parts) >= _EVEN * words[root]
        if is_document and all(text[heading] not in other for other in others):
            return part
    return root


def _way_down(own: OwnWords, root: int, words: list[int], least: float, facts: Sequence[int] = ()) -> int:
    """Return the lowest element below a node that contains so many words, and most of some nodes."""

    def number(node: int) -> int:
        return bisect_left(facts, node + own.arrays.sizes[node]) - bisect_left(facts, node)

    most = _SHARE * number(root)
    while least:
        children = (child for child in own.arrays.children(root) if words[child] >= least and number(child) >= most)
        child = next(children, None)
        if child is None or own.arrays.texts[child] is not None:
            break
        root = child
    return root
