"""The reasons in words, and as data for the script of the view."""

from __future__ import annotations

from dataclasses import replace

import pytest
from site_pages import learn, site

from templex_scrapy.template import Explanation, Fate, Reason, Removed, ValueType
from templex_scrapy.view.reasons import reasons_as_data
from templex_scrapy.view.words import sentence

REASON = Reason(
    position=0, fate=Fate.REMOVED, value_type=ValueType.TEXT, voters=3, needed=2, present=3, equal=3,
    votes=(), removed=Removed.REPEATED,
)  # fmt: skip


def test_each_reason_is_written_once():
    """Nodes refer to the reasons by index; the votes of the pages are 0, 1 or 2."""
    key, voters = site()
    _, match = learn(key, voters)
    explanation = Explanation(match, voters)
    reasons = [explanation.reason(position) for position in range(len(key))]
    data = reasons_as_data(key, reasons, [url.removeprefix("https://site.test") for url in explanation.pages])
    assert data["pages"] == ["/section1/", "/section2/", "/section3/"]
    assert len(data["nodes"]) == len(key)
    assert len(data["reasons"]) == len({tuple(map(str, reason.values())) for reason in data["reasons"]}) < 12
    by_tag = {key.nodes[position].tag: data["reasons"][index] for position, index in enumerate(data["nodes"])}
    assert by_tag["h1"] == {
        "fate": "own",
        "text": "At this position on 3 of 3 pages, with another text. Kept: 2 would have to agree.",
        "votes": (1, 1, 1),
    }
    assert by_tag["footer"]["text"] == "At this position on 3 of 3 pages. Removed."
    assert by_tag["a"]["text"] == "At this position on 3 of 3 pages, with a link to the same page. Removed."


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({}, "3 of 3 pages, with the same text. Removed."),
        ({"equal": 2}, "3 of 3 pages, with the same text on 2. Removed."),
        ({"present": 1, "equal": 1, "is_moved": True}, "the same text on other pages, at another position. Removed."),
        (
            {"value_type": ValueType.TARGET, "equal": 0, "removed": Removed.LINK},
            "link to another page. Removed: a link",
        ),
        ({"present": 0, "equal": 0, "removed": Removed.SELECTED}, "none of 3 pages. Removed: TEMPLEX_REMOVE"),
        (
            {"fate": Fate.OWN, "present": 0, "equal": 0, "removed": None},
            "none of 3 pages. Kept: 2 would have to agree.",
        ),
        ({"fate": Fate.KEPT, "removed": None}, "the same text. Template, but kept: something in it or around it"),
        ({"voters": 0, "removed": None}, "No template was found for this page."),
        ({"voters": 0, "removed": Removed.SELECTED}, "Removed: TEMPLEX_REMOVE names it."),
    ],
)
def test_sentences(changes, text):
    """Each names the votes and what follows from them."""
    reason = replace(REASON, **changes)
    assert text in sentence(reason, reason)
