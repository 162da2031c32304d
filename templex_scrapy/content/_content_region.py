"""The content region: where repeated text may belong to the content of a page.

The region is that of the main content for reading (:mod:`templex_scrapy.content.main_content`), with the headline. It
is widened until nearly all unique texts outside links are in it.
"""

from __future__ import annotations

from bisect import bisect_left

from templex_scrapy.content._box_names import EDGES
from templex_scrapy.content._content_root import content_root, without_boxes
from templex_scrapy.content._head import Head
from templex_scrapy.content._outline import Outline
from templex_scrapy.content._selection import Selection
from templex_scrapy.content._unique_texts import UniqueTexts
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import NodeArrays, subtree_flags

_MAY_BE_CONTENT = EDGES | {"aside", "form"}


def find_beside(arrays: NodeArrays, texts: UniqueTexts, outside_teasers: list[int], head: Head) -> bytearray:
    """Flag the nodes outside the content region, and those in boxes beside the content.

    Args:
        arrays: the page's nodes.
        texts: its unique texts.
        outside_teasers: positions of those that are in no links and no teasers.
        head: what the page declares.
    """
    outline = arrays.computed(Outline)
    words = without_boxes(Selection(arrays, bytearray(texts.flags)), is_forum=head.is_forum)
    root, headline = content_root(words, head), words.headline(head.title)
    beside = _boxes_beside(arrays, texts, outline, words)
    # a text in a teaser says nothing of where the content is, unless all are in teasers
    unique = [position for position in outside_teasers if not beside[position]]
    unique = unique or [position for position in texts.outside if not beside[position]]
    least = max(THRESHOLDS.nearly_all * len(unique), len(unique) - THRESHOLDS.outside)
    start, end = _range(arrays, root, headline)
    while root > 0 and bisect_left(unique, end) - bisect_left(unique, start) < least:
        root = arrays.parents[root]
        start, end = _range(arrays, root, headline)
    # one value alone: its label is beside it
    inside = bisect_left(unique, root + arrays.sizes[root]) - bisect_left(unique, root)
    if inside <= 1 and arrays.parents[root] > 0:
        start, end = _range(arrays, arrays.parents[root], headline)
    beside[:start] = b"\1" * start
    beside[end:] = b"\1" * (len(beside) - end)
    return beside


def _boxes_beside(arrays: NodeArrays, texts: UniqueTexts, outline: Outline, words: Selection) -> bytearray:
    """Flag the nodes of the boxes that are removed, but for those that may be content all the same."""
    named, removed = frozenset(outline.named), []
    for box in sorted({*outline.declared, *named}):
        if words.flags[box]:
            continue
        # reviews of a product, or the header around a title, have unique words
        may_be_content = box in named or arrays.start_tag(box).tag in _MAY_BE_CONTENT
        if not (may_be_content and texts.unique_outside(box, box + arrays.sizes[box])):
            removed.append(box)
    return subtree_flags(arrays, removed)


def _range(arrays: NodeArrays, root: int, headline: int | None) -> tuple[int, int]:
    """Return the first position of a region, and the one behind it."""
    end = root + arrays.sizes[root]
    if headline is None:
        return root, end
    return min(root, headline), max(end, headline + arrays.sizes[headline])
