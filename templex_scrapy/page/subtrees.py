"""Sums, flags and depths over the nodes of a page, each computed in one pass."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from templex_scrapy import cython
from templex_scrapy.page.node_arrays import NodeArrays, integers


def is_hyperlink(tag_string: str) -> bool:
    """Return whether a start tag is that of a hyperlink node: an ``a`` with ``href`` (Definition 4.1.3)."""
    return tag_string.startswith("<a ") and ' href="' in tag_string


def is_link_text(arrays: NodeArrays, position: int) -> bool:
    """Return whether the parent of a text node is an ``a``."""
    parent = arrays.tag_strings[arrays.parents[position]]
    return parent.startswith(("<a ", "<a>"))


@cython.ccall
@cython.locals(totals="int[::1]", parents="const int[::1]", position="Py_ssize_t")
def subtree_sums(arrays: NodeArrays, values: Iterable[int]) -> array[int]:
    """Sum a value of each node over the subtree, the node itself included; O(number of nodes)."""
    all_totals = totals = array("i", values)
    parents = arrays.parents
    # from the end: all descendants of a node are behind it, so that each sum is complete when it is added
    for position in range(len(totals) - 1, 0, -1):
        totals[parents[position]] += totals[position]
    return all_totals


@cython.ccall
@cython.locals(flags="const unsigned char[::1]", before="int[::1]", position="Py_ssize_t", count="int")
def counts_before(flags: bytes | bytearray) -> array[int]:
    """Return how many flags (0 or 1) are set before each node, and in all: in a subtree, as many as they differ."""
    all_before = before = integers(len(flags) + 1)
    count = 0
    for position in range(len(flags)):
        count += flags[position]
        before[position + 1] = count
    return all_before


def depths(arrays: NodeArrays) -> list[int]:
    """Return the number of edges between node 0 and each node; O(number of nodes)."""
    levels = [0] * len(arrays.tag_strings)
    for position in range(1, len(levels)):
        levels[position] = levels[arrays.parents[position]] + 1
    return levels


def subtree_positions(arrays: NodeArrays, roots: Iterable[int]) -> frozenset[int]:
    """Positions of all nodes of some subtrees, given by their roots."""
    return frozenset(position for root in roots for position in range(root, root + arrays.sizes[root]))


@cython.ccall
@cython.locals(sizes="const int[::1]", flags=bytearray, root="Py_ssize_t", position="Py_ssize_t")
def subtree_flags(arrays: NodeArrays, roots: Iterable[int]) -> bytearray:
    """Flag 1 for all nodes of some subtrees, given by their roots."""
    sizes = arrays.sizes
    flags = bytearray(len(sizes))
    for root in roots:
        if not flags[root]:  # or it is in another one
            for position in range(root, root + sizes[root]):
                flags[position] = 1
    return flags


@cython.ccall
@cython.locals(
    flags="const unsigned char[::1]", others="const unsigned char[::1]", left=bytearray, position="Py_ssize_t"
)
def without(flags: bytes | bytearray, others: bytes | bytearray) -> bytearray:
    """Return the flags that are set, and not set in others; nothing is set in empty ones."""
    left = bytearray(flags)
    for position in range(len(others)):
        if others[position]:
            left[position] = 0
    return left


@cython.ccall
@cython.locals(kept=bytearray, parents="const int[::1]", position="Py_ssize_t")
def roots_outside(arrays: NodeArrays, nodes: Iterable[int]) -> list[int]:
    """Return the roots of the largest subtrees without any of some nodes; node 0 is never one. O(number of nodes)."""
    parents = arrays.parents
    kept = bytearray(len(parents))
    kept[0] = 1  # the body stays, even if all that is in it goes
    for position in nodes:
        kept[position] = 1
    for position in range(len(parents) - 1, 0, -1):
        if kept[position]:
            kept[parents[position]] = 1
    return [position for position in range(1, len(parents)) if not kept[position] and kept[parents[position]]]
