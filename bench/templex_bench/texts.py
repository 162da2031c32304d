"""From nodes that a detector found to the text for reading that its user would get."""

from __future__ import annotations

from collections.abc import Collection

from templex_scrapy import render
from templex_scrapy.page import Page


def without(page: Page, nodes: Collection[int]) -> str:
    """The text of a page without some nodes, such as those of its template.

    A node goes when all that it holds goes too: an element with anything left in it stays.
    """
    gone = bytearray(len(page))
    for position in nodes:
        gone[position] = 1
    return _left(page, gone)


def of_nodes(page: Page, nodes: Collection[int]) -> str:
    """The text of some nodes of a page and nothing else, such as those of its main content."""
    gone = bytearray(b"\1" * len(page))
    for position in nodes:
        gone[position] = 0
    return _left(page, gone)


def _left(page: Page, gone: bytearray) -> str:
    """The text that is left when nodes are taken out; what holds anything that stays stays too."""
    arrays = page.arrays
    for position in range(len(page) - 1, 0, -1):
        if not gone[position]:
            gone[arrays.parents[position]] = 0
    if gone[0]:
        return ""
    roots = []
    position = gone.find(1)
    while position >= 0:
        roots.append(position)
        position = gone.find(1, position + arrays.sizes[position])
    return render.text(page, roots)
