"""The flags of a page's nodes: what the votes say of each node.

Flags are a byte for each node, in node order, with the bits below. A mask is a byte for each node, too: 1 if the node
is meant, 0 if not. Ranges of both are copied, set and searched in C.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from templex_scrapy import cython
from templex_scrapy.page import LINKS, MEDIA, NodeArrays, StartTag

Mask = bytearray
"""1 for the nodes that are meant, 0 for the others."""

LISTING = 10
"""Siblings of the same tag and class, each with own text, from which on they are the rows of a listing."""

PRESENT = 1
"""Enough pages have the node."""

STABLE = 2
"""Nearly all pages have it."""

EQUAL = 4
"""Enough pages have it with the same value, or it has no value."""

REMOVABLE = 8
"""Enough pages have the node and all below it with the same values; nothing in it is the page's own."""

VARYING = 16
"""It is a text, and another page has another text in its place."""

MOVED = 32
"""It is removable only because of a block that other pages have elsewhere."""

BLOCK = PRESENT | EQUAL | REMOVABLE | MOVED
MOVED_AWAY = REMOVABLE | MOVED
_FLAGS = (PRESENT, STABLE, EQUAL, REMOVABLE, VARYING, BLOCK, MOVED_AWAY)
_IS_SET = {flag: bytes(byte & flag == flag for byte in range(256)) for flag in _FLAGS}
_PRESENT = bytes(byte for byte in range(256) if byte & PRESENT)
_REMOVABLE = bytes(byte | REMOVABLE for byte in range(256))
_CLEARED = {flag: bytes(byte & ~flag for byte in range(256)) for flag in _FLAGS}
_AS_BLOCK = bytes(byte if byte & REMOVABLE else byte | BLOCK for byte in range(256))
_MOVED_IF_IN_PLACE = bytes(MOVED if byte & MOVED_AWAY == REMOVABLE else 0 for byte in range(256))

LINK, MEDIUM = 1, 2
WHOLES = dict.fromkeys(LINKS, LINK) | dict.fromkeys(MEDIA, MEDIUM)
"""The tags of elements that are removed as a whole or not at all."""


def in_wholes(arrays: NodeArrays) -> Mask:
    """Return the descendants of links and media."""
    is_whole, inside = arrays.of_tags(dict.fromkeys(WHOLES, 1)), bytearray(len(arrays.ids))
    for position in range(1, len(inside)):
        parent = arrays.parents[position]
        inside[position] = inside[parent] | is_whole[arrays.ids[parent]]
    return inside


def where(flags: bytes | bytearray, flag: int) -> Mask:
    """Return the nodes that have a flag."""
    return bytearray(flags.translate(_IS_SET[flag]))


def set_block(flags: bytearray, start: int, end: int) -> None:
    """Flag the nodes in [start, end) as those of a block, except nodes that are removable at their place."""
    flags[start:end] = flags[start:end].translate(_AS_BLOCK)


def without_flag(flags: bytes, flag: int) -> bytes:
    """Return the flags with a flag cleared for all nodes."""
    return flags.translate(_CLEARED[flag])


def any_of(flags_of_templates: Iterable[bytes]) -> bytes:
    """Return the flags that any template gives. A node that any template removes at this place has not moved."""
    given = in_place = size = 0
    for flags in flags_of_templates:
        size = len(flags)
        given |= int.from_bytes(flags, "big")
        in_place |= int.from_bytes(flags.translate(_MOVED_IF_IN_PLACE), "big")
    return (given & ~in_place).to_bytes(size, "big")


@cython.ccall
@cython.locals(
    counterparts="const int[::1]", flags=bytearray, sizes="const int[::1]", ids="const int[::1]", start_tags=list,
    start_tag=StartTag, position="Py_ssize_t", size="Py_ssize_t", end="Py_ssize_t", child="Py_ssize_t", whole="int",
    equal="int", removable="int", link="int", medium="int", wholes=dict,
)  # fmt: skip
def mark_removable(arrays: NodeArrays, counterparts: array[int], flags: bytearray) -> None:
    """Set the removable flag of nodes.

    A medium is removed or kept as a whole. A link that is kept keeps all that is in it. Nodes with a negative
    counterpart are left to the medium or link around them.
    """
    sizes, ids, start_tags = arrays.sizes, arrays.ids, arrays.start_tags
    # compiled, these are no objects
    equal, removable, link, medium, wholes = EQUAL, REMOVABLE, LINK, MEDIUM, WHOLES
    # descendants before their ancestors
    for position in range(len(flags) - 1, -1, -1):
        if counterparts[position] < 0:
            continue
        size = sizes[position]
        if size == 1:
            if flags[position] & equal:
                flags[position] |= removable
            continue
        start_tag, end = start_tags[ids[position]], position + size
        whole = wholes.get(start_tag.tag, 0)
        if whole == medium:
            is_whole = flags[position] & equal and not flags[position:end].translate(None, _PRESENT)
            flags[position:end] = flags[position:end].translate(_REMOVABLE if is_whole else _CLEARED[REMOVABLE])
            continue
        if flags[position] & equal:
            child = position + 1
            while child < end and flags[child] & removable:
                child += sizes[child]
            if child >= end:
                flags[position] |= removable
                continue
        if whole == link:
            flags[position:end] = flags[position:end].translate(_CLEARED[REMOVABLE])


def protect(arrays: NodeArrays, flags: bytearray) -> None:
    """Clear the removable flag of node 0, and of nodes that contain an iframe or a noscript.

    The contents of iframe and noscript are not compared.
    """
    for position in with_ancestors(arrays, arrays.frame_parents):
        flags[position] &= ~REMOVABLE
    flags[0] &= ~REMOVABLE


def with_ancestors(arrays: NodeArrays, positions: Iterable[int]) -> Iterator[int]:
    """Yield nodes and their ancestors, each once."""
    seen: set[int] = set()
    for position in positions:
        while position >= 0 and position not in seen:
            yield position
            seen.add(position)
            position = arrays.parents[position]  # noqa: PLW2901 - upwards


def template_nodes(arrays: NodeArrays, flags: bytes | bytearray) -> Mask:
    """Return the template nodes: those that are equal on enough pages.

    An element that directly contains text is judged by that text: a headline or a paragraph without any equal text
    is the page's own. An element that only wraps such elements is template if it is stable, as the frame around the
    content is. Rows of a listing are no template, such as "replies" and "by" in a list of topics.
    """
    nodes = where(flags, EQUAL)
    for row in list(_listing_rows(arrays, nodes)):
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


def _listing_rows(arrays: NodeArrays, equal: Mask) -> Iterator[int]:
    """Yield the rows of listings: many siblings of the same tag and class, each with text that is not equal."""
    siblings = arrays.repeated_siblings(LISTING)
    unique = [position for position in arrays.text_positions if not equal[position]] if siblings else []
    for alike in siblings:
        # a closure of a generator would keep the nodes until the garbage collector runs
        rows = [row for row in alike if bisect_left(unique, row) < bisect_left(unique, row + arrays.sizes[row])]
        if len(rows) >= LISTING:
            yield from rows


def positions_of(mask: Mask) -> frozenset[int]:
    """Return the positions of the nodes of a mask."""
    return frozenset(position for position, is_meant in enumerate(mask) if is_meant)
