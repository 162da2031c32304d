"""The reasons of all nodes of a page as plain data, which the script of the view reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from templex_scrapy.page import Page, nodes_of
from templex_scrapy.template import Reason, ValueType
from templex_scrapy.view.sentences import sentence


def reasons_as_data(page: Page, reasons: Sequence[Reason], names: Sequence[str]) -> dict[str, Any]:
    """Return all reasons as plain data.

    Args:
        page: the page.
        reasons: the reason of each node.
        names: names of the pages whose votes are listed.

    Returns:
        ``pages``: the names; ``reasons``: the distinct reasons, each with ``fate``, ``text`` and a vote of each page: 0
        (no such node), 1 (same position) or 2 (same position and value); ``nodes``: the index of the reason of each
        node.
    """
    # most nodes of a page share one of a few reasons
    distinct: dict[tuple[str, str, tuple[int, ...]], int] = {}
    nodes = []
    for position, reason in enumerate(reasons):
        voted = reasons[_voted_on(page, position, reason)]
        votes = tuple(int(vote.present) + int(vote.equal) for vote in voted.votes)
        nodes.append(distinct.setdefault((reason.fate.value, sentence(reason, voted), votes), len(distinct)))
    return {
        "pages": list(names),
        "reasons": [{"fate": fate, "text": text, "votes": votes} for fate, text, votes in distinct],
        "nodes": nodes,
    }


def _voted_on(page: Page, position: int, reason: Reason) -> int:
    """Return the node whose votes are listed for a node: its first text if it has no value of its own."""
    # of "<p>Sold out</p>" the paragraph is on all pages, and what reads as the reason is the text
    if reason.value_type is ValueType.NONE:
        for child in nodes_of(page).children(position):
            if nodes_of(page).texts[child] is not None:
                return child
    return position
