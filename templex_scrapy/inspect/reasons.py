"""Say in words why a node of a page is template or not, and why a search found no template."""

from __future__ import annotations

from typing import TYPE_CHECKING

from templex_scrapy.page import nodes_of
from templex_scrapy.template import Explanation, Fate, Kept, Match, Reason, Removed, ValueType

if TYPE_CHECKING:
    from templex_scrapy.search import SubdigraphSearch

_EQUAL = {
    ValueType.TEXT: ("with the same text", "with another text"),
    ValueType.TARGET: ("with a link to the same page", "with a link to another page"),
    ValueType.SOURCE: ("with the same source", "with another source"),
    ValueType.ATTRIBUTES: ("with the same attributes", "with other attributes"),
}
_CONSEQUENCES = {
    Removed.REPEATED: "Removed.",
    Removed.LINK: "Removed: a link outside the content whose words the site repeats, whatever it leads to.",
    Removed.SELECTED: "Removed: TEMPLEX_REMOVE names it.",
    Kept.VALUE: "Kept: other pages have another value here.",
    Kept.LINE: "Kept: its line or its table has words of the page's own.",
    Kept.SMALL: "Kept: it is the label of a value that is the page's own, or another small part of the content.",
    Kept.VARYING_LINK: "Kept: other pages have another link here in the content.",
}


def reasons_of(match: Match) -> list[tuple[Fate, str]]:
    """Return the fate of each node of a page, and a sentence or two on the votes and their consequence."""
    nodes, explanation = nodes_of(match.page), Explanation(match)
    all_reasons = [explanation.reason(position) for position in range(len(match.page))]
    reasons = []
    for position, reason in enumerate(all_reasons):
        voted = reason
        # the paragraph of <p>Sold out</p> is on all pages: the votes on the text explain the fate of both
        if reason.value_type is ValueType.NONE:
            texts = (child for child in nodes.children(position) if nodes.texts[child] is not None)
            voted = all_reasons[next(texts, position)]
        reasons.append((reason.fate, sentence(reason, voted)))
    return reasons


def sentence(reason: Reason, voted: Reason) -> str:
    """Return a reason in words; ``voted`` is that of the node whose votes are told: the same node, or a text in it."""
    # TEMPLEX_REMOVE works without a template
    if not reason.voters:
        return _CONSEQUENCES[reason.removed] if reason.removed else "No template was found for this page."
    equal, different = _EQUAL.get(voted.value_type, ("", ""))
    if voted.is_moved:
        votes = "In a block that has the same text on other pages, at another position"
    elif not voted.present:
        votes = f"At this position on none of {voted.voters} pages"
    else:
        votes = f"At this position on {voted.present} of {voted.voters} {'pages' if voted.voters > 1 else 'page'}"
        if equal and not voted.equal:
            votes += f", {different}"
        elif equal:
            votes += f", {equal}{'' if voted.equal == voted.present else f' on {voted.equal}'}"
    if cause := reason.removed or reason.kept:
        consequence = _CONSEQUENCES[cause]
    elif reason.fate is Fate.KEPT:
        consequence = "Template, but kept: something in it or around it is the page's own."
    # enough pages agree on the node, so that a number of votes would explain nothing
    elif voted.fate is not Fate.OWN or min(voted.present, voted.equal) >= voted.needed:
        consequence = "Kept because of what is in it or around it."
    else:
        consequence = f"Kept: {voted.needed} would have to agree."
    return f"{votes}. {consequence}"


def why_no_template(search: SubdigraphSearch, *, cut_short: bool) -> str:
    """Return why a search found no template, in words that many searches share."""
    if cut_short:
        return "the search was ended by its deadline or by the end of the crawl"
    # such as a page whose links need a script
    if not search.candidates:
        return "the key page links to no other page of its site"
    # such as copies of a page under several addresses
    if len(search.pages) >= 2:
        return "the pages that link to each other have too little in common"
    return "no two of the linked pages link to each other and differ"
