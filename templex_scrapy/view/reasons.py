"""The reasons of all nodes of a page in words, as the script of the view reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from templex_scrapy.page import Page
from templex_scrapy.template.explanation import Explanation, Fate, Reason, Says

REMOVED, KEPT, OWN = "removed", "kept", "own"
"""What becomes of a node: template and removed, template and kept, no template."""

FATES: Mapping[Fate, str] = MappingProxyType({Fate.GOES: REMOVED, Fate.STAYS: KEPT, Fate.OWN: OWN})

_EQUAL = {
    Says.WORDS: "with the same text",
    Says.TARGET: "with a link to the same page",
    Says.SOURCE: "with the same source",
    Says.VALUE: "with the same value",
}
_DIFFERENT = {
    Says.WORDS: "with another text",
    Says.TARGET: "with a link to another page",
    Says.SOURCE: "with another source",
    Says.VALUE: "with another value",
}


def reasons_as_data(page: Page, explanation: Explanation, called: Callable[[str], str] = str) -> dict[str, Any]:
    """All reasons as plain data.

    Args:
        page: the page.
        explanation: its reasons.
        called: URL → the name under which the page is listed.

    Returns:
        ``pages``: names of the pages whose votes are listed; ``reasons``: the distinct reasons, each with ``fate``,
        ``text`` and a vote of each page: 0 (no such node), 1 (same position) or 2 (same position and value); ``nodes``:
        the index of the reason of each node.
    """
    reasons: dict[tuple[str, str, tuple[int, ...]], int] = {}
    nodes = []
    for position in range(len(page)):
        reason = explanation.reason(position)
        voted = explanation.reason(_voted_on(page, position, reason))
        votes = tuple(int(vote.place) + int(vote.place and vote.same) for vote in voted.votes)
        nodes.append(reasons.setdefault((FATES[reason.fate], sentence(reason, voted), votes), len(reasons)))
    return {
        "pages": list(map(called, explanation.pages)),
        "reasons": [{"fate": fate, "text": text, "votes": votes} for fate, text, votes in reasons],
        "nodes": nodes,
    }


def _voted_on(page: Page, position: int, reason: Reason) -> int:
    """The node whose votes are listed for a node: its first text if it has no value of its own."""
    if reason.says is Says.NOTHING:
        for child in page.arrays.children(position):
            if page.arrays.texts[child] is not None:
                return child
    return position


def sentence(reason: Reason, voted: Reason) -> str:
    """A reason in words.

    Args:
        reason: that of the node.
        voted: that of the node whose votes are listed: the same one, or a text in it.
    """
    if not reason.voters:
        return "No template was found for this page."
    return f"{_votes(voted)} {_consequence(reason, voted)}"


def _votes(reason: Reason) -> str:
    if reason.is_barred:
        return "Main content: no page could vote on it."
    if reason.is_block and reason.fate is Fate.STAYS:
        return "At another position on other pages: in the same list, or in a block with the same text."
    if reason.is_block:
        return "In a block that has the same text on other pages, at another position."
    if not reason.place:
        return f"At this position on none of {reason.voters} pages."
    pages = f"{reason.place} of {reason.voters} {'pages' if reason.voters > 1 else 'page'}"
    return f"At this position on {pages}{_agreement(reason)}."


def _agreement(reason: Reason) -> str:
    if reason.says is Says.NOTHING:
        return ""
    if not reason.same:
        return f", {_DIFFERENT[reason.says]}"
    return f", {_EQUAL[reason.says]}" + ("" if reason.same == reason.place else f" on {reason.same}")


def _consequence(reason: Reason, voted: Reason) -> str:
    if reason.fate is Fate.GOES:
        return "Removed."
    votes = min(voted.place, voted.same)
    if reason.fate is Fate.STAYS:
        if votes < voted.votes_to_go:
            return f"Template, but kept: {_must_agree(voted.votes_to_go)}."
        return "Template, but kept: something in it or around it is the page's own."
    if voted.fate is not Fate.OWN or votes >= voted.needed:
        return "Kept because of what is in it or around it."
    return f"Kept: {_must_agree(voted.needed)}."


def _must_agree(votes: int) -> str:
    return f"{votes} would have to agree"
