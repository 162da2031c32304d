"""What the view shows of the nodes of a page: what becomes of them, and why, in words as its script reads them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from templex_scrapy.content import Kept
from templex_scrapy.page import NodeArrays, Page, nodes_of
from templex_scrapy.template import Fate, Reason, Removed, ValueType

_EQUAL = {
    ValueType.TEXT: "with the same text",
    ValueType.TARGET: "with a link to the same page",
    ValueType.SOURCE: "with the same source",
    ValueType.ATTRIBUTES: "with the same attributes",
}
_DIFFERENT = {
    ValueType.TEXT: "with another text",
    ValueType.TARGET: "with a link to another page",
    ValueType.SOURCE: "with another source",
    ValueType.ATTRIBUTES: "with other attributes",
}
_REMOVED = {
    Removed.REPEATED: "Removed.",
    Removed.LINK: "Removed: a link outside the content that nearly all pages have, whatever it leads to.",
    Removed.SELECTED: "Removed: TEMPLEX_REMOVE names it.",
}
_KEPT = {
    Kept.VALUE: "Kept: other pages have another value here.",
    Kept.FACT_LINE: "Kept: its line or its table has words of the page's own.",
    Kept.SMALL: "Kept: it is the label of a value that is the page's own, or another small part of the content.",
    Kept.VARYING_LINK: "Kept: other pages have another link here in the content.",
}


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What the view shows of the nodes of a page.

    Attributes:
        fates: what becomes of each node.
        menu: position of the root of the main menu, if there is one.
        content: positions of the main content nodes.
    """

    fates: Sequence[Fate]
    menu: int | None
    content: Collection[int]

    def parts(self, arrays: NodeArrays) -> dict[int, str]:
        """Return position → name of the parts that are outlined."""
        parts = dict.fromkeys(_subtree_roots(arrays, self.content), "content")
        return parts if self.menu is None else {**parts, self.menu: "menu"}


def _subtree_roots(arrays: NodeArrays, positions: Iterable[int]) -> Iterator[int]:
    """Yield those of some nodes that are in none of the others."""
    # an outline around each node of an article would be a drawing of boxes
    end = 0
    for position in sorted(positions):
        if position >= end:
            yield position
            end = position + arrays.sizes[position]


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


def sentence(reason: Reason, voted: Reason) -> str:
    """Return a reason in words.

    Args:
        reason: that of the node.
        voted: that of the node whose votes are listed: the same one, or a text in it.
    """
    # TEMPLEX_REMOVE works without a template
    if not reason.voters:
        return "No template was found for this page." if reason.removed is None else _REMOVED[reason.removed]
    return f"{_votes(voted)} {_consequence(reason, voted)}"


def _votes(reason: Reason) -> str:
    if reason.is_moved:
        return "In a block that has the same text on other pages, at another position."
    if not reason.present:
        return f"At this position on none of {reason.voters} pages."
    pages = f"{reason.present} of {reason.voters} {'pages' if reason.voters > 1 else 'page'}"
    return f"At this position on {pages}{_agreement(reason)}."


def _agreement(reason: Reason) -> str:
    if reason.value_type is ValueType.NONE:
        return ""
    if not reason.equal:
        return f", {_DIFFERENT[reason.value_type]}"
    return f", {_EQUAL[reason.value_type]}" + ("" if reason.equal == reason.present else f" on {reason.equal}")


def _consequence(reason: Reason, voted: Reason) -> str:
    if reason.removed is not None:
        return _REMOVED[reason.removed]
    if reason.kept is not None:
        return _KEPT[reason.kept]
    if reason.fate is Fate.KEPT:
        return "Template, but kept: something in it or around it is the page's own."
    # enough pages agree on the node, so that a number of votes would explain nothing
    if voted.fate is not Fate.OWN or min(voted.present, voted.equal) >= voted.needed:
        return "Kept because of what is in it or around it."
    return f"Kept: {voted.needed} would have to agree."
