"""The content region: where repeated text may belong to the content of a page.

The region is that of the main content for reading (:mod:`templex_scrapy.content.main_content`), with the headline. It
is widened until nearly all unique texts outside links are in it.
"""

from __future__ import annotations

from bisect import bisect_left

from templex_scrapy.content.box_names import EDGES
from templex_scrapy.content.content_root import content_root, without_boxes
from templex_scrapy.content.head import Head
from templex_scrapy.content.headlines import find_headline
from templex_scrapy.content.selection import Selection
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import NodeArrays, subtree_flags

_MAY_BE_CONTENT = EDGES | {"aside", "form"}


def find_beside(own: Selection, outside: list[int], head: Head) -> bytearray:
    """Flag the nodes outside the content region, and those in boxes beside the content.

    Args:
        own: the unique texts of a page.
        outside: positions of those that are in no links.
        head: what the page declares.
    """
    arrays, words = own.arrays, without_boxes(own, is_forum=head.is_forum)
    root, headline = content_root(words, head), find_headline(words, head.title)
    beside = _boxes_beside(words, outside)
    unique = [position for position in outside if not beside[position]]
    least = max(THRESHOLDS.nearly_all * len(unique), len(unique) - THRESHOLDS.outside_texts)
    start, end = _range(arrays, root, headline)
    while root > 0 and bisect_left(unique, end) - bisect_left(unique, start) < least:
        root = arrays.parents[root]
        start, end = _range(arrays, root, headline)
    beside[:start] = b"\1" * start
    beside[end:] = b"\1" * (len(beside) - end)
    return beside


def _boxes_beside(words: Selection, outside: list[int]) -> bytearray:
    """Flag the nodes of the boxes that are removed, but for those that may be content all the same."""
    arrays, named, removed = words.arrays, frozenset(words.outline.named), []
    for box in sorted({*words.outline.declared, *named}):
        if words.flags[box]:
            continue
        # reviews of a product, or the header around a title, have unique words
        may_be_content = box in named or arrays.start_tag(box).tag in _MAY_BE_CONTENT
        if not may_be_content or bisect_left(outside, box) == bisect_left(outside, box + arrays.sizes[box]):
            removed.append(box)
    return subtree_flags(arrays, removed)


def _range(arrays: NodeArrays, root: int, headline: int) -> tuple[int, int]:
    """Return the first position of a region, and the one behind it."""
    end = root + arrays.sizes[root]
    if headline < 0:
        return root, end
    return min(root, headline), max(end, headline + arrays.sizes[headline])
