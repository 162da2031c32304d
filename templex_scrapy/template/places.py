"""What the places of a template hold: the same text on all pages, a counter, the frame, or texts of the pages."""

from __future__ import annotations

import re
from collections.abc import Iterable

from templex_scrapy.page import subtree_flags
from templex_scrapy.votes import EQUAL, KeyPage

NEW, OWN, COUNTER, FIXED, ADDED, FRAME = range(6)
"""A place that the template lacks; of texts that differ; of a counter; of the same text; that the template lacks in
what is removed, such as a new entry of a menu; in what is removed."""

# "Built on 3 March, 12 visitors" is a counter; "3 rooms" is a value of the page
_COUNTER_WORDS = 3
"""Words without digits that a counter has at least."""


def key_places(key: KeyPage, removed_roots: Iterable[int]) -> bytes:
    """Return what the place of each node of a key page holds; ``removed_roots`` are the removed subtrees."""
    flags = key.flags(self_vote=1)
    places = bytearray(FRAME if removed else OWN for removed in subtree_flags(key.arrays, removed_roots))
    for position in key.arrays.text_positions:
        if places[position] != FRAME and flags[position] & EQUAL:
            places[position] = FIXED
        # of long texts the ballot has digests alone: a long counter of the key page is not recognised
        elif any(is_counter(key.arrays.texts[position], other) for other in key.ballot.other_values.get(position, ())):
            places[position] = max(places[position], COUNTER)
    return bytes(places)


def is_counter(text: str | None, other: str | None) -> bool:
    """Return whether two texts are the same but for numbers, such as "You are visitor number 12"."""
    if text is None or other is None or text == other:
        return False
    words, others = (re.sub(r"\d+", "0", some).split() for some in (text, other))
    return words == others and sum("0" not in word for word in words) >= _COUNTER_WORDS
