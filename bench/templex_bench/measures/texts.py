"""The text that a reader gets from the nodes of a detector."""

from __future__ import annotations

from collections.abc import Collection

from templex_scrapy import render
from templex_scrapy.page import Page, nodes_of


def without(page: Page, nodes: Collection[int]) -> str:
    """Return the text of a page without some nodes; an element that contains anything else is kept."""
    arrays, removed = nodes_of(page), bytearray(len(page))
    for position in nodes:
        removed[position] = 1
    for position in range(len(page) - 1, 0, -1):
        if not removed[position]:
            removed[arrays.parents[position]] = 0
    if removed[0]:
        return ""
    roots = []
    position = removed.find(1)
    while position >= 0:
        roots.append(position)
        position = removed.find(1, position + arrays.sizes[position])
    return render.text(page, roots)


def of_nodes(page: Page, nodes: Collection[int]) -> str:
    """Return the text of some nodes of a page and nothing else."""
    return without(page, frozenset(range(len(page))).difference(nodes))
