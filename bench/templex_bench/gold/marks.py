"""From elements that are marked to the positions that a gold standard names."""

from __future__ import annotations

from collections.abc import Collection

from templex_scrapy.page import Page


def with_all_below(page: Page, marked: Collection[int]) -> frozenset[int]:
    """The positions of some nodes and of all that they hold; O(number of nodes)."""
    sizes = page.arrays.sizes
    found: set[int] = set()
    for position in marked:
        found.update(range(position, position + sizes[position]))
    return frozenset(found)


def others(page: Page, positions: Collection[int]) -> frozenset[int]:
    """The positions of all other nodes of a page."""
    return frozenset(range(len(page))) - frozenset(positions)


def text_of(page: Page, positions: Collection[int]) -> str:
    """The texts at some positions, a line for each."""
    texts = (page.arrays.texts[position] for position in sorted(positions))
    return "\n".join(text for text in texts if text is not None)
