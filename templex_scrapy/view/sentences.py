"""Every word of the view that depends on the page: why a node is template or not, the figures, and the legend."""

from __future__ import annotations

from templex_scrapy.content import Kept
from templex_scrapy.page import nodes_of
from templex_scrapy.render import count_words_without
from templex_scrapy.template import Fate, Match, Reason, Removed, ValueType

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


def figures(match: Match) -> list[str]:
    """Return the figures in the bar, as HTML."""
    before, after = count_words_without(match.page, match.roots)
    found = [f"<b>{before:,}</b> words, <b>{after:,}</b> kept"]
    if match.fits:
        found.append(f"<b>{len(match.nodes) / len(match.page):.0%}</b> template nodes")
    # a page covers its own template in any case
    if match.coverage < 1:
        found.append(f"coverage <b>{match.coverage:.0%}</b>")
    if match.template is not None:
        number = len(match.template.page_urls) + (match.page.url != match.template.key_url)
        found.append(f"<b>{number}</b> {'pages' if number != 1 else 'page'} compared")
    if not match.fits:
        found.append("<b>the template does not fit</b>: nothing is template")
    # the pipeline never hands on an empty field
    elif before and not after:
        found.append("nothing would be left: a crawl leaves the page unchanged")
    return found


def menu_note(match: Match) -> str:
    """Return what the legend says behind "main menu"."""
    if (menu := match.menu) is None:
        return ": none"
    arrays = nodes_of(match.page)
    # such as a list of tags of this article, which is the largest list of links
    links = [at for at in range(menu, menu + arrays.sizes[menu]) if arrays.start_tag(at).tag == "a"]
    return "" if match.nodes.intersection(links) or not match.fits else ", none of whose links is template"
