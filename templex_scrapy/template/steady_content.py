"""The main content for hashing: what the frame is depends on places in the template, and not on words of the page.

The next crawl finds another year in the footer, another entry in the menu, another number of visitors. No voter has
these texts, so that they would count as texts of the page, and move the place of the content.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby, pairwise

from templex_scrapy.content import THRESHOLDS, Head, Kept, content_nodes
from templex_scrapy.mapping import NodeMapping
from templex_scrapy.metadata import COLONS
from templex_scrapy.page import NodeArrays, Page, nodes_of
from templex_scrapy.template.places import ADDED, COUNTER, FIXED, FRAME, OWN, is_counter
from templex_scrapy.votes import Removal

_COLONS = tuple(COLONS)
_CELLS = frozenset({"th", "td", "dt", "dd"})

_SMALL_FRAME = 3
"""Texts of the frame in a row that may be content: a label, a name and a number, such as "Posts:", "Ann", "42"."""


def steady_content(
    page: Page, head: Head, removal: Removal, kept: bytes | bytearray, all_places: Iterable[Sequence[int]]
) -> frozenset[int]:
    """Return the positions of the texts of the main content that do not depend on the words of the frame.

    They are the content that the page has if all texts at places of the frame are repeated; what else is content in the
    element around; and the values behind labels, which are in cells wherever the table is, or in the element around
    behind a label with a colon, such as "Price:".

    ``kept`` has flag 1 for the nodes that the user's selectors keep; :func:`places_of` returns places in a template.
    """
    arrays = nodes_of(page)
    texts, places = arrays.text_positions, bytearray(len(arrays.texts))
    for some in all_places:
        places = bytearray(map(max, places, some))
    # a block of the frame may be elsewhere than on the key page
    removed, reasons = removal.of_texts(texts)
    for text in removed:
        places[text] = FRAME
    if kept:
        for text in texts:
            places[text] = OWN if kept[text] else places[text]

    def content(repeated: list[int], inside: Mapping[int, Kept]) -> frozenset[int]:
        # other pages are copies of this one, which tells nothing
        is_copy = len(repeated) == len(texts)
        known = [text for text in repeated if places[text] == ADDED] if is_copy else repeated
        return content_nodes(page, head, known, inside)

    # labels, and "Sold out" where voters have "In stock", are kept inside of the content
    inside = {text for text in texts if places[text] in {COUNTER, FIXED}} | _small_frames(texts, places)
    steady = content([text for text in texts if places[text] > OWN], dict.fromkeys(inside, Kept.VALUE))
    end = _end_around(arrays, steady)
    values = [
        text
        for label, text in pairwise(texts)
        if places[label] == FIXED
        and places[text] in {OWN, COUNTER}
        and (_are_in_row(arrays, label, text) or (text < end and str(arrays.texts[label]).rstrip().endswith(_COLONS)))
    ]
    steady = steady.union(values)
    # "In stock" of a product may be beside the description, and is no label
    left = {text for text in texts if text < end and places[text] in {OWN, FIXED}} - steady
    if not left:
        return steady
    beside = content(
        [text for text in texts if places[text] in {COUNTER, ADDED, FRAME}],
        {text: reason for text, reason in reasons.items() if places[text] < ADDED},
    )
    return steady | (left & beside)


def _small_frames(texts: Sequence[int], places: Sequence[int]) -> set[int]:
    """Return the texts of the frame that are few between two other texts, such as "Top" between two posts.

    Among other voters they may be content, such as the author whom three voters share.
    """
    small = set[int]()
    groups = [(is_frame, list(group)) for is_frame, group in groupby(texts, lambda text: places[text] >= ADDED)]
    # the first and the last are menu and footer, however small
    for is_frame, group in groups[1:-1]:
        known = [text for text in group if places[text] == FRAME]
        if is_frame and len(known) <= _SMALL_FRAME:
            small.update(known)
    return small


def _are_in_row(arrays: NodeArrays, label: int, text: int) -> bool:
    """Return whether two texts are in cells of a row, or of a list of definitions; O(depth)."""
    cells = set()
    for cell in (label, text):
        while cell > 0 and arrays.tags[cell] not in _CELLS:
            cell = arrays.parents[cell]  # noqa: PLW2901
        cells.add(cell)
    return len(cells) > 1 and len({arrays.parents[cell] for cell in cells}) == 1


def _end_around(arrays: NodeArrays, steady: Collection[int]) -> int:
    """Return where the element around the content ends; a counter of the frame is often the last text of a page."""
    if not steady:
        return 0
    around, last = min(steady), max(steady)
    while around + arrays.sizes[around] <= last:
        around = arrays.parents[around]
    parent = arrays.parents[around]
    if parent > 0 and arrays.tags[parent] != "body":
        around = parent
    return around + arrays.sizes[around]


def places_of(arrays: NodeArrays, mapping: NodeMapping, key: NodeArrays, known: bytes) -> bytearray:
    """Return for each node of a page what the place in the template is, given the places of the key page."""
    counterparts = [-1] * len(arrays.texts)
    for start, other, length in (*((*pair, 1) for pair in mapping.pairs), *mapping.runs):
        counterparts[start : start + length] = range(other, other + length)
    places = bytearray(len(counterparts))
    for position, other in enumerate(counterparts):
        if other >= 0:
            places[position] = known[other]
            if known[other] in {OWN, COUNTER} and arrays.texts[position] != key.texts[other]:
                places[position] = COUNTER if is_counter(arrays.texts[position], key.texts[other]) else OWN
        # a new entry of a menu has no counterpart; a long text outside links is no such entry
        elif position and places[arrays.parents[position]] >= ADDED:
            is_long = arrays.word_counts[position] > THRESHOLDS.label_words
            if not is_long or any(arrays.tags[around] == "a" for around in arrays.ancestors(position)):
                places[position] = ADDED
    return places
