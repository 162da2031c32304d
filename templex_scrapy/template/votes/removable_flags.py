"""Which nodes could be removed for what the votes say of them and of all that is in them.

Compiled where there is a compiler (removable_flags.pxd has the types).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator

from templex_scrapy.page import LINKS, MEDIA, NodeArrays
from templex_scrapy.template.votes.node_flags import EQUAL, PRESENT, REMOVABLE, all_have, clear_flag, set_flag

_MEDIUM, _LINK = 1, 2
_WHOLES = dict.fromkeys(LINKS, _LINK) | dict.fromkeys(MEDIA, _MEDIUM)


def mark_removable(arrays: NodeArrays, counterparts: array[int], flags: bytearray) -> None:
    """Set the removable flag of some nodes.

    A medium is removed or kept as a whole. A link that is kept keeps all that is in it.

    Args:
        arrays: the page's nodes.
        counterparts: negative for the nodes that are not judged by themselves; a medium or link around them decides.
        flags: the page's flags.
    """
    sizes, ids, start_tags = arrays.sizes, arrays.ids, arrays.start_tags
    equal, removable = EQUAL, REMOVABLE  # compiled, these are no objects
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
        whole = _WHOLES.get(start_tag.tag, 0)
        if whole == _MEDIUM:
            is_whole = flags[position] & equal and all_have(flags, position, end, PRESENT)
            (set_flag if is_whole else clear_flag)(flags, position, end, REMOVABLE)
            continue
        if flags[position] & equal:
            child = position + 1
            while child < end and flags[child] & removable:
                child += sizes[child]
            if child >= end:
                flags[position] |= removable
                continue
        if whole == _LINK:
            clear_flag(flags, position, end, REMOVABLE)


def protect(arrays: NodeArrays, flags: bytearray) -> None:
    """Clear the flags of what is never removed: node 0, and what contains an iframe or a noscript.

    The content of these two is not compared.
    """
    for position in with_ancestors(arrays, arrays.frame_parents):
        flags[position] &= ~REMOVABLE
    flags[0] &= ~REMOVABLE


def with_ancestors(arrays: NodeArrays, positions: Iterable[int]) -> Iterator[int]:
    """Yield some nodes and all nodes that they are in, each once."""
    seen: set[int] = set()
    for position in positions:
        while position >= 0 and position not in seen:
            yield position
            seen.add(position)
            position = arrays.parents[position]  # noqa: PLW2901 - upwards
