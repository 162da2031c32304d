"""What the votes mean for each node of a page, and which of its nodes are template."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from templex_scrapy.page import NodeArrays

LISTING = 10
"""Siblings of one tag and class, each with text of its own, from which on they are the rows of a listing."""


@dataclass(frozen=True, slots=True)
class NodeFlags:
    """Five flags for each node of a page, as bytes 0 and 1 in node order.

    Attributes:
        present: the node is found on enough pages.
        stable: it is found on nearly all pages.
        equal: it is found on enough pages with the same value, if it has one.
        removable: so are all nodes of its subtree; nothing of the page's own is in it.
        varying: it is a text, and in its place another page has another text.
    """

    present: bytearray
    stable: bytearray
    equal: bytearray
    removable: bytearray
    varying: bytearray

    @classmethod
    def none(cls, nodes: int) -> NodeFlags:
        """Make flags of which none is set."""
        return cls(*(bytearray(nodes) for _ in range(5)))

    def copy(self) -> NodeFlags:
        """Return the same flags, to be changed."""
        return NodeFlags(*map(bytearray, (self.present, self.stable, self.equal, self.removable, self.varying)))


def template_nodes(arrays: NodeArrays, flags: NodeFlags) -> bytearray:
    """Return the flags of the template nodes among the nodes that are equal on enough pages.

    An element that directly contains text is judged by its text: where no text in its subtree is equal, it is a
    headline or a paragraph of the page's own. An element that only wraps such elements is template if it is stable, as
    the frame around the content is; else it is part of the content. What recurs in row after row of a listing, such as
    "replies" and "by" in a list of topics, is part of the rows and no template.
    """
    nodes = bytearray(flags.equal)
    for row in listing_rows(arrays, flags.equal):
        nodes[row : row + arrays.sizes[row]] = bytes(arrays.sizes[row])
    has_own_text = bytearray(len(nodes))  # 1: a child is a text
    has_text = bytearray(len(nodes))  # 1: a text is in the subtree
    has_equal_text = bytearray(len(nodes))  # 1: an equal text is in the subtree
    for position in range(len(nodes) - 1, 0, -1):
        parent = arrays.parents[position]
        if arrays.texts[position] is not None:
            has_own_text[parent] = has_text[parent] = 1
            has_equal_text[parent] |= nodes[position]
        elif has_text[position]:
            has_text[parent] = 1
            if has_equal_text[position]:
                has_equal_text[parent] = 1
            elif has_own_text[position] or not flags.stable[position]:
                nodes[position] = 0
    return nodes


def listing_rows(arrays: NodeArrays, equal: bytearray) -> Iterator[int]:
    """Yield the rows of listings: many siblings of one tag and class, each with text that is not equal."""
    siblings = arrays.repeated_siblings(LISTING)
    own = [position for position in arrays.text_positions if not equal[position]] if siblings else []

    def has_own(row: int) -> bool:
        first = bisect_left(own, row)
        return first < len(own) and own[first] < row + arrays.sizes[row]

    for alike in siblings:
        rows = [row for row in alike if has_own(row)]
        if len(rows) >= LISTING:
            yield from rows


def positions_of(flags: bytearray) -> frozenset[int]:
    """Return the positions at which a flag is set."""
    return frozenset(position for position, flag in enumerate(flags) if flag)
