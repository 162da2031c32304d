"""The reasons of all nodes of a page as the script of the view reads them: in words, and each only once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from templex_scrapy.page import NodeArrays, Page
from templex_scrapy.template import Explanation, Fate, Reason, ValueType

_SAME = {
    ValueType.TEXT: "with the same words",
    ValueType.TARGET: "with a link to the same target",
    ValueType.SOURCE: "with the same source",
    ValueType.ATTRIBUTES: "with the same value",
}
_OTHER = {
    ValueType.TEXT: "says something else",
    ValueType.TARGET: "leads somewhere else",
    ValueType.SOURCE: "shows something else",
    ValueType.ATTRIBUTES: "has another value",
}


def told(page: Page, explanation: Explanation, called: Callable[[str], str] = str) -> dict[str, Any]:
    """All reasons as plain data.

    Args:
        page: the page.
        explanation: its reasons.
        called: address → what people call the page there.

    Returns:
        ``pages``: what the pages are called whose votes are told one by one; ``reasons``: the distinct ones, each with
        ``fate``, ``text`` and, for each of the pages, 0 (has it not), 1 (place) or 2 (says the same as well);
        ``nodes``: for each node of the page the index of its reason.
    """
    reasons: dict[tuple[Any, ...], int] = {}
    nodes = []
    for position in range(len(page)):
        reason = explanation.reason(position)
        speaker = explanation.reason(_speaker(page.arrays, position, reason))
        told_so = (
            reason.fate.value,
            sentence(reason, speaker),
            tuple(int(vote.present) + int(vote.present and vote.equal) for vote in speaker.votes),
        )
        nodes.append(reasons.setdefault(told_so, len(reasons)))
    return {
        "pages": list(map(called, explanation.pages)),
        "reasons": [{"fate": fate, "text": text, "votes": votes} for fate, text, votes in reasons],
        "nodes": nodes,
    }


def _speaker(arrays: NodeArrays, position: int, reason: Reason) -> int:
    """The node whose votes are told for an element: its first text if it says nothing but that."""
    if reason.value_type is ValueType.NONE:
        for child in arrays.children(position):
            if arrays.texts[child] is not None:
                return child
    return position


def sentence(reason: Reason, speaker: Reason) -> str:
    """A reason in words.

    Args:
        reason: that of the node.
        speaker: the reason whose votes are told: the same, or that of a text in the node.
    """
    if not reason.voters:
        return "No template was found for this page."
    return f"{_votes(speaker)} {_consequence(reason, speaker)}"


def _votes(reason: Reason) -> str:
    if reason.is_block and reason.fate is Fate.KEPT:
        return "On other pages it stands elsewhere: in a block that is the same word for word."
    if reason.is_block:
        return "In a block that stands word for word on other pages, elsewhere."
    if not reason.present:
        return f"At this place on none of {reason.voters} pages."
    pages = f"{reason.present} of {reason.voters} {'pages' if reason.voters > 1 else 'page'}"
    return f"At this place on {pages}{_agreement(reason)}."


def _agreement(reason: Reason) -> str:
    if reason.value_type is ValueType.NONE:
        return ""
    if not reason.equal:
        return f", where it {_OTHER[reason.value_type]}"
    return f", {_SAME[reason.value_type]}" + ("" if reason.equal == reason.present else f" on {reason.equal}")


def _consequence(reason: Reason, speaker: Reason) -> str:
    if reason.fate is Fate.REMOVED:
        return "It goes."
    if reason.fate is Fate.KEPT:
        return "Template, but it stays: something that it holds, or that holds it, is the page's own."
    if speaker.fate is not Fate.OWN or min(speaker.present, speaker.equal) >= speaker.needed:
        return "It stays, because of what it holds or is in."
    return f"It stays: {speaker.needed} would have to agree."
