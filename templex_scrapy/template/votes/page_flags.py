"""The flags of a page's nodes: what the votes on a key page say of the nodes that are mapped to it.

Compiled where there is a compiler (page_flags.pxd has the types).
"""

from __future__ import annotations

from array import array

from templex_scrapy.mapping import NodeMapping
from templex_scrapy.page import NodeValues, is_hyperlink
from templex_scrapy.template.votes.ballot import run_is_equal
from templex_scrapy.template.votes.blocks import flag_blocks
from templex_scrapy.template.votes.key_page import KeyPage
from templex_scrapy.template.votes.node_flags import EQUAL, PRESENT, STABLE, VARYING
from templex_scrapy.template.votes.removable_flags import mark_removable


def find_flags(page: NodeValues, key: KeyPage, mapping: NodeMapping, self_vote: int) -> bytearray:
    """Return the flags of a page's nodes.

    Args:
        page: the page's nodes and their values.
        key: the key page with the votes on it.
        mapping: the page mapped to the key page.
        self_vote: 1 if the page is the key page or voted itself, else 0.
    """
    flags = bytearray(len(page.arrays.tag_strings))
    known, key_values = key.flags(self_vote=self_vote), key.values
    # of the nodes that are judged one by one; -1 for the others
    all_counterparts = array("i", [-1]) * len(flags)
    counterparts = all_counterparts  # compiled, this is a view
    for start, other in mapping.pairs:
        counterparts[start] = other
    for start, other, length in mapping.runs:
        if length > 1 and run_is_equal(key_values, page, other, start, length):
            flags[start + 1 : start + length] = known[other + 1 : other + length]
            length = 1  # noqa: PLW2901 - the roots' own start tags may differ
        for offset in range(length):
            counterparts[start + offset] = other + offset
    needed = key.needed(self_vote=self_vote)
    _flag_single(page, key, known, counterparts, needed.node, needed.stable, flags)
    mark_removable(page.arrays, all_counterparts, flags)
    flag_blocks(page, key.blocks, flags, needed.block)
    return flags


def _flag_single(
    page: NodeValues,
    key: KeyPage,
    known: bytes,
    counterparts: array[int],
    node: int,
    stable: int,
    flags: bytearray,
) -> None:
    """Flag the nodes that are mapped one by one, without the removable flag."""
    present, equal, values = key.ballot.present, key.ballot.equal, key.values.all_values
    tag_strings, texts = page.arrays.tag_strings, page.arrays.texts
    key_tag_strings, key_texts = key.arrays.tag_strings, key.arrays.texts
    most_others = key.most_others
    is_present, is_stable, is_equal, is_varying = PRESENT, STABLE, EQUAL, VARYING  # compiled, these are no objects
    for position in range(len(flags)):
        other = counterparts[position]
        votes = present[other] if other >= 0 else 0
        if votes < node:
            continue
        flag = is_present | is_stable if votes >= stable else is_present
        text, most = texts[position], max(equal[other], most_others[other])
        # what is known without the value is: to compute it takes long, of links above all
        if text is None and most < node and is_hyperlink(tag_strings[position]):
            flags[position] = flag
            continue
        key_text = key_texts[other]
        if text is None or key_text is None:
            # the value of a link is its target: the start tag tells most, and to resolve it takes long
            is_same = text is None and values[other] is None and tag_strings[position] == key_tag_strings[other]
            if is_same or _has_votes(page, position, key, other, node):
                flag |= is_equal
        elif text == key_text:
            flag |= known[other] & is_varying
            if equal[other] >= node:
                flag |= is_equal
        else:
            # "Sold out" on one page is the text of no other page: whether it varies is all that is asked
            value = page.value(position) if most >= node else None
            if value is not None and key.pages_with(other, value) >= node:
                flag |= is_equal
            if _varies(page, position, key, other, known[other] & is_varying):
                flag |= is_varying
        flags[position] = flag


def _has_votes(page: NodeValues, position: int, key: KeyPage, other: int, node: int) -> bool:
    """Return whether the value of an element is that of enough pages, or it has none."""
    key_value = key.values.all_values[other]
    if page.has_value_of(position, key.values, other):
        return key_value is None or key.ballot.equal[other] >= node
    if key.most_others[other] < node and page.has_value(position):
        return False
    value = page.value(position)
    return value is None or key.pages_with(other, value) >= node


def _varies(page: NodeValues, position: int, key: KeyPage, other: int, varies_elsewhere: int) -> bool:
    """Return whether a text that is not that of the key page, or only spaced otherwise, is a value."""
    is_in_place = page.is_in_place_of(position, key.values, other)
    if bool(varies_elsewhere) == is_in_place:
        return is_in_place
    text, key_text = page.arrays.texts[position], key.arrays.texts[other]
    is_same = text is not None and key_text is not None and text.split() == key_text.split()
    return bool(varies_elsewhere) if is_same else is_in_place
