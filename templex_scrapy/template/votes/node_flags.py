"""What the votes mean for each node of a page, and which of its nodes are template.

The flags of a page are one byte for each node, in node order. Ranges of them are copied, set and searched in C.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from templex_scrapy.page import NodeArrays

LISTING = 10
"""Siblings of one tag and class, each with text of its own, from which on they are the rows of a listing."""

PRESENT = 1
"""The node is found on enough pages."""

STABLE = 2
"""It is found on nearly all pages."""

EQUAL = 4
"""It is found on enough pages with the same value, if it has one."""

REMOVABLE = 8
"""The node and all below it are on enough pages with the same values; nothing in it is the page's own."""

VARYING = 16
"""It is a text, and in its place another page has another text."""

MOVED = 32
"""It is removable for a block that other pages have elsewhere, and not at its place."""

BLOCK = PRESENT | EQUAL | REMOVABLE | MOVED
MOVED_AWAY = REMOVABLE | MOVED
_FLAGS = (PRESENT, STABLE, EQUAL, REMOVABLE, VARYING, BLOCK, MOVED_AWAY, STABLE | EQUAL)
_IS_SET = {flag: bytes(byte & flag == flag for byte in range(256)) for flag in _FLAGS}
_HAVING = {flag: bytes(byte for byte in range(256) if byte & flag == flag) for flag in _FLAGS}
_SET = {flag: bytes(byte | flag for byte in range(256)) for flag in _FLAGS}
_CLEARED = {flag: bytes(byte & ~flag for byte in range(256)) for flag in _FLAGS}
_AS_BLOCK = bytes(byte if byte & REMOVABLE else byte | BLOCK for byte in range(256))
_MOVED_IF_IN_PLACE = bytes(MOVED if byte & MOVED_AWAY == REMOVABLE else 0 for byte in range(256))


def where(flags: bytes | bytearray, flag: int) -> bytearray:
    """Return 1 for the nodes that have a flag, 0 for the others."""
    return bytearray(flags.translate(_IS_SET[flag]))


def all_have(flags: bytes | bytearray, start: int, end: int, flag: int) -> bool:
    """Return whether all nodes in [start, end) have a flag."""
    return not flags[start:end].translate(None, _HAVING[flag])


def set_flag(flags: bytearray, start: int, end: int, flag: int) -> None:
    """Set a flag of the nodes in [start, end)."""
    flags[start:end] = flags[start:end].translate(_SET[flag])


def set_block(flags: bytearray, start: int, end: int) -> None:
    """Flag the nodes in [start, end) as those of a block, but for what is removable at its place."""
    flags[start:end] = flags[start:end].translate(_AS_BLOCK)


def clear_flag(flags: bytearray, start: int, end: int, flag: int) -> None:
    """Clear a flag of the nodes in [start, end)."""
    flags[start:end] = flags[start:end].translate(_CLEARED[flag])


def without_flag(flags: bytes, flag: int) -> bytes:
    """Return the flags with one of them cleared for all nodes."""
    return flags.translate(_CLEARED[flag])


def any_of(flags_of_templates: Iterable[bytes]) -> bytes:
    """Return the flags that any of several templates gives; what is at its place for one of them has not moved."""
    found = in_place = size = 0
    for flags in flags_of_templates:
        size = len(flags)
        found |= int.from_bytes(flags, "big")
        in_place |= int.from_bytes(flags.translate(_MOVED_IF_IN_PLACE), "big")
    return (found & ~in_place).to_bytes(size, "big")


def template_nodes(arrays: NodeArrays, flags: bytes | bytearray) -> bytearray:
    """Return 1 for the template nodes among the nodes that are equal on enough pages, 0 for the others.

    An element that directly contains text is judged by its text: where no text in its subtree is equal, it is a
    headline or a paragraph of the page's own. An element that only wraps such elements is template if it is stable, as
    the frame around the content is; else it is part of the content. What recurs in row after row of a listing, such as
    "replies" and "by" in a list of topics, is part of the rows and no template.
    """
    nodes = where(flags, EQUAL)
    for row in list(listing_rows(arrays, nodes)):
        nodes[row : row + arrays.sizes[row]] = bytes(arrays.sizes[row])
    has_direct_text = bytearray(len(nodes))  # 1: a child is a text
    has_text = bytearray(len(nodes))  # 1: a text is in the subtree
    has_equal_text = bytearray(len(nodes))  # 1: an equal text is in the subtree
    for position in range(len(nodes) - 1, 0, -1):
        parent = arrays.parents[position]
        if arrays.texts[position] is not None:
            has_direct_text[parent] = has_text[parent] = 1
            has_equal_text[parent] |= nodes[position]
        elif has_text[position]:
            has_text[parent] = 1
            if has_equal_text[position]:
                has_equal_text[parent] = 1
            elif has_direct_text[position] or not flags[position] & STABLE:
                nodes[position] = 0
    return nodes


def listing_rows(arrays: NodeArrays, equal: bytearray) -> Iterator[int]:
    """Yield the rows of listings: many siblings of one tag and class, each with text that is not equal."""
    siblings = arrays.repeated_siblings(LISTING)
    unique = [position for position in arrays.text_positions if not equal[position]] if siblings else []

    def has_unique(row: int) -> bool:
        first = bisect_left(unique, row)
        return first < len(unique) and unique[first] < row + arrays.sizes[row]

    for alike in siblings:
        rows = [row for row in alike if has_unique(row)]
        if len(rows) >= LISTING:
            yield from rows


def positions_of(nodes: bytearray) -> frozenset[int]:
    """Return the positions of the nodes with 1."""
    return frozenset(position for position, flag in enumerate(nodes) if flag)
