"""Sums, flags and depths over the nodes of a page, each computed in one pass.

Compiled where there is a compiler (subtrees.pxd has the types).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import accumulate

from templex_scrapy.compiled import IS_COMPILED
from templex_scrapy.page.node_arrays import NodeArrays, integers


def is_hyperlink(tag_string: str) -> bool:
    """Return whether a start tag is that of a hyperlink node: an ``a`` with ``href`` (Definition 4.1.3)."""
    return tag_string.startswith("<a ") and ' href="' in tag_string


def is_link_text(arrays: NodeArrays, position: int) -> bool:
    """Return whether the parent of a text node is an ``a``."""
    parent = arrays.tag_strings[arrays.parents[position]]
    return parent.startswith(("<a ", "<a>"))


def subtree_sums(arrays: NodeArrays, values: Iterable[int]) -> array[int]:
    """Sum a value of each node over its subtree, the node itself included; O(number of nodes)."""
    totals = array("i", values)
    _add_up(totals, arrays.parents)
    return totals


def _add_up(totals: array[int], parents: array[int]) -> None:
    # from the end: all descendants of a node are behind it, so that each sum is complete when it is added
    for position in range(len(totals) - 1, 0, -1):
        totals[parents[position]] += totals[position]


def counts_before(flags: Sequence[int]) -> array[int]:
    """Return how many flags (0 or 1) are set before each node, and in all: in a subtree, as many as they differ."""
    if not IS_COMPILED:  # the loop would take three times as long
        return array("i", list(accumulate(flags, initial=0)))
    before = integers(len(flags) + 1)
    _count(flags, before)
    return before


def _count(flags: Sequence[int], before: array[int]) -> None:
    count = 0
    for position in range(len(flags)):
        before[position] = count
        count += flags[position]
    before[len(flags)] = count


def depths(arrays: NodeArrays) -> list[int]:
    """Return the number of edges between node 0 and each node; O(number of nodes)."""
    found = [0] * len(arrays.tag_strings)
    for position in range(1, len(found)):
        found[position] = found[arrays.parents[position]] + 1
    return found


def subtree_positions(arrays: NodeArrays, roots: Iterable[int]) -> frozenset[int]:
    """Positions of all nodes of some subtrees, given by their roots."""
    return frozenset(position for root in roots for position in range(root, root + arrays.sizes[root]))


def subtree_flags(arrays: NodeArrays, roots: Iterable[int]) -> bytearray:
    """Flag 1 for all nodes of some subtrees, given by their roots."""
    sizes = arrays.sizes
    flags = bytearray(len(sizes))
    for root in roots:
        if not flags[root]:  # or it is in another one
            for position in range(root, root + sizes[root]):
                flags[position] = 1
    return flags


def without(flags: bytes | bytearray, others: bytes | bytearray) -> bytearray:
    """Return the flags that are set, and not set in others; nothing is set in empty ones."""
    if not others:
        return bytearray(flags)
    # as two long numbers: a loop over the bytes would be slow in plain Python
    left = int.from_bytes(flags, "big") & ~int.from_bytes(others, "big")
    return bytearray(left.to_bytes(len(flags), "big"))


def roots_outside(arrays: NodeArrays, nodes: Iterable[int]) -> list[int]:
    """Return the roots of the largest subtrees without any of some nodes; node 0 is never one. O(number of nodes)."""
    kept = bytearray(len(arrays.parents))
    kept[0] = 1  # the body stays, even if all that is in it goes
    for position in nodes:
        kept[position] = 1
    return _roots_outside(kept, arrays.parents)


def _roots_outside(kept: bytearray, parents: array[int]) -> list[int]:
    for position in range(len(parents) - 1, 0, -1):
        if kept[position]:
            kept[parents[position]] = 1
    return [position for position in range(1, len(parents)) if not kept[position] and kept[parents[position]]]
