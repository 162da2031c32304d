"""The reasons in words, and as data for the script of the view."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from site_pages import learn, site

from templex_scrapy.content import Kept
from templex_scrapy.template import Explanation, Fate, Reason, Removed, ValueType
from templex_scrapy.view.reasons import reasons_as_data
from templex_scrapy.view.sentences import sentence

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
        ({"equal": 2}, "3 of 3 pages, with the same text on 2. Removed."),
        ({"is_moved": True}, "In a block that has the same text on other pages, at another position. Removed."),
        ({"present": 0, "removed": None, "fate": Fate.OWN}, "none of 3 pages. Kept: 2 would have to agree."),
        ({"voters": 0, "removed": None}, "No template was found for this page."),
    ],
)
def test_sentences(changes, text):
    """Each names the votes and what follows from them."""
    assert text in sentence(replace(REASON, **changes), replace(REASON, **changes))


def test_there_is_a_sentence_for_every_reason():
    """No type of value, no cause and no fate is without words."""
    found = {
        sentence(one, one)
        for value_type, removed, kept, fate in product(ValueType, [None, *Removed], [None, *Kept], Fate)
        for equal in (0, 3)
        for one in [replace(REASON, value_type=value_type, removed=removed, kept=kept, fate=fate, equal=equal)]
    }
    assert all(text.startswith("At this position on 3 of 3 pages") and text.endswith(".") for text in found)
    assert len(found) > 50
