"""Occurrences and the voting of TemEx, word for word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from literal.mapping import equal_top_down_mapping

if TYPE_CHECKING:
    from templex_scrapy.page import Page


def without_copies(key: Page, pages: Sequence[Page]) -> list[Page]:
    """Leave out pages with the source of the key page or of a page before."""
    kept: list[Page] = []
    for page in pages:
        if page.text != key.text and page.text not in [other.text for other in kept]:
            kept.append(page)
    return kept


def occurrences(key: Page, pages: Sequence[Page], **parameters: float) -> dict[int, int]:
    """Return for each node of the key page the number of pages onto which it is mapped."""
    counts = {node.position: 0 for node in key.nodes}
    for page in pages:
        for position_in_key, _ in equal_top_down_mapping(key.nodes[0], page.nodes[0], **parameters):
            counts[position_in_key] += 1
    return counts


def template_nodes(key: Page, pages: Sequence[Page], votes: int, **parameters: float) -> set[int]:
    """Return the nodes with at least ``votes`` occurrences, or with as many as there are pages."""
    voters = without_copies(key, pages)
    if not voters:
        return set()
    needed = min(votes, len(voters))
    counts = occurrences(key, voters, **parameters)
    return {position for position, count in counts.items() if count >= needed}
