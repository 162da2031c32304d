"""The reasons in words."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
from helpers.made_sites import made_site

from templex_scrapy import Template
from templex_scrapy.inspect.reasons import reasons_of, sentence
from templex_scrapy.template import Fate, Kept, Reason, Removed, ValueType

REASON = Reason(
    fate=Fate.REMOVED, value_type=ValueType.TEXT, voters=3, needed=2, present=3, equal=3,
    removed=Removed.REPEATED,
)  # fmt: skip


def test_the_reasons_of_a_page():
    """The votes are those on the node, or on the text in it; then what becomes of the node."""
    key, *voters = made_site()
    reasons = reasons_of(Template.from_pages(key, voters).match(key))
    by_tag = {node.tag: reasons[node.position] for node in key.nodes}
    different = "At this position on 3 of 3 pages, with another text. Kept: 2 would have to agree."
    assert by_tag["h1"] == (Fate.OWN, different)
    assert by_tag["footer"] == (Fate.REMOVED, "At this position on 3 of 3 pages. Removed.")
    same_link = "At this position on 3 of 3 pages, with a link to the same page. Removed."
    assert by_tag["a"] == (Fate.REMOVED, same_link)


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
