"""Flag each node of a page by the votes for the counterpart in the key page."""

from __future__ import annotations

from array import array
from itertools import accumulate
from math import ceil

from templex_scrapy import cython
from templex_scrapy.content import NO_HEAD, Head
from templex_scrapy.mapping import NodeMapping
from templex_scrapy.page import NodeValues, cached_property, is_hyperlink
from templex_scrapy.votes.ballot import Ballot, run_is_equal
from templex_scrapy.votes.blocks import MIN_NODES, Blocks, flag_blocks
from templex_scrapy.votes.flags import EQUAL, PRESENT, REMOVABLE, STABLE, VARYING, mark_removable, template_nodes, where
from templex_scrapy.votes.rules import FIT_RULES, VotesNeeded


class KeyPage:
    """A key page with the votes on the nodes, and the blocks that several of the template's pages have.

    Raises:
        ValueError: if ``votes_needed`` is less than 1.
    """

    def __init__(
        self, values: NodeValues, ballot: Ballot, votes_needed: int, blocks: Blocks, head: Head = NO_HEAD
    ) -> None:
        if votes_needed < 1:
            raise ValueError(f"votes is {votes_needed!r}: allowed are 1 and more")
        self.values, self.arrays, self.head = values, values.arrays, head
        self.ballot, self.votes_needed, self.blocks = ballot, votes_needed, blocks
        self._flags: dict[int, bytes] = {}

    def needed(self, *, self_vote: int) -> VotesNeeded:
        """Return how many pages must agree on a node of a page.

        A page of the template (``self_vote`` is 1) always agrees with itself, so that it needs one more than any other.
        """
        # if two pages can vote, no more than two can agree
        votes, others = self.votes_needed, self.ballot.pages - self_vote
        stable = ceil(FIT_RULES.nearly_all * others)
        return VotesNeeded(self_vote + min(votes, others), self_vote + stable, self_vote + max(2, votes))

    def flags(self, *, self_vote: int) -> bytes:
        """Return the flags of the key page's own nodes, as a page with the same nodes and values gets them."""
        if self_vote not in self._flags:
            flags = self._flags_by_place(self_vote)
            flag_blocks(self.values, self.blocks, flags, self.needed(self_vote=self_vote).block)
            self._flags[self_vote] = bytes(flags)
        return self._flags[self_vote]

    @cached_property
    def fixed_blocks(self) -> Blocks:
        """The blocks that are template at their place. Lists of a site repeat each other's items at any place."""
        flags, sizes = self._flags_by_place(1), self.arrays.sizes
        fixed = {
            self.values.digest(position)
            for position, size in enumerate(sizes)
            if size >= MIN_NODES and flags[position] & REMOVABLE
        }
        return Blocks({key: count for key, count in self.blocks.pages.items() if key in fixed}, self.blocks.shapes)

    def _flags_by_place(self, self_vote: int) -> bytearray:
        needed = self.needed(self_vote=self_vote)
        values, present, equal = self.values.all_values, self.ballot.present, self.ballot.equal
        flags = bytearray(len(present))
        for position in self.ballot.varying:
            flags[position] = VARYING
        for position in range(len(flags) - 1, -1, -1):
            if present[position] >= needed.node:
                flags[position] |= PRESENT
                if present[position] >= needed.stable:
                    flags[position] |= STABLE
                if values[position] is None or equal[position] >= needed.node:
                    flags[position] |= EQUAL
        mark_removable(self.arrays, array("i", range(len(flags))), flags)
        return flags

    @cached_property
    def _core_before(self) -> list[int]:
        """For each position, the number of stable template nodes before: the nodes of few voters are on few pages."""
        flags = self.flags(self_vote=1)
        nodes = zip(template_nodes(self.arrays, flags), where(flags, STABLE), strict=True)
        return [0, *accumulate(is_template & is_stable for is_template, is_stable in nodes)]

    def coverage(self, mapping: NodeMapping) -> float:
        """Return the share of the stable template nodes that are mapped to a page, in [0, 1]."""
        before = self._core_before
        mapped = sum(before[other + length] - before[other] for _, other, length in mapping.runs)
        mapped += sum(before[other + 1] - before[other] for _, other in mapping.pairs)
        return mapped / before[-1] if before[-1] else 0.0

    def pages_with(self, position: int, value: str) -> int:
        """Return the number of pages on which a node of the key page has a value."""
        if value == self.values.all_values[position]:
            return self.ballot.equal[position]
        return self.ballot.other_values.get(position, {}).get(value, 0)

    @cached_property
    def most_others(self) -> list[int]:
        """For each node, the number of pages that share the most frequent value other than that of the key page."""
        most = [0] * len(self.ballot.equal)
        for position, pages in self.ballot.other_values.items():
            most[position] = max(pages.values())
        return most


@cython.ccall
@cython.returns(bytearray)
@cython.locals(
    page=NodeValues, self_vote="int", flags=bytearray, known=bytes, key_values=NodeValues, counterparts="int[::1]",
    start="Py_ssize_t", other="Py_ssize_t", length="Py_ssize_t", offset="Py_ssize_t",
)  # fmt: skip
def find_flags(page: NodeValues, key: KeyPage, mapping: NodeMapping, self_vote: int) -> bytearray:
    """Return the flags of the nodes of a page that is mapped to the key page."""
    flags = bytearray(len(page.arrays.tag_strings))
    known, key_values = key.flags(self_vote=self_vote), key.values
    # for each node that is judged alone; -1 for the others
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
    _flag_single(page, key, known, counterparts, needed, flags)
    mark_removable(page.arrays, all_counterparts, flags)
    flag_blocks(page, key.blocks, flags, needed.block)
    return flags


@cython.cfunc
@cython.locals(
    page=NodeValues, known=bytes, counterparts="const int[::1]", node="int", stable="int", flags=bytearray,
    present=list, equal=list, values=tuple, tag_strings=tuple, texts=tuple, most_others=list, key_tag_strings=tuple,
    key_texts=tuple, position="Py_ssize_t", other="Py_ssize_t", votes="int", most_votes="int", flag="int",
    is_present="int", is_stable="int", is_equal="int", is_varying="int", is_same="bint",
)  # fmt: skip
def _flag_single(
    page: NodeValues, key: KeyPage, known: bytes, counterparts: array[int], needed: VotesNeeded, flags: bytearray
) -> None:
    """Set the flags, except the removable flag, of the nodes with counterparts."""
    node, stable = needed.node, needed.stable
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
        text, most_votes = texts[position], max(equal[other], most_others[other])
        # to compute a value takes long, of links above all: these have too few votes with any value
        if text is None and most_votes < node and is_hyperlink(tag_strings[position]):
            flags[position] = flag
            continue
        key_text = key_texts[other]
        if text is None or key_text is None:
            # to resolve the target of a link takes long, and the start tag tells most
            is_same = text is None and values[other] is None and tag_strings[position] == key_tag_strings[other]
            if is_same or _has_votes(page, position, key, other, node):
                flag |= is_equal
        elif text == key_text:
            flag |= known[other] & is_varying
            if equal[other] >= node:
                flag |= is_equal
        else:
            # "Sold out" may be the text of this page alone: then only the varying flag is asked for
            value = page.value(position) if most_votes >= node else None
            if value is not None and key.pages_with(other, value) >= node:
                flag |= is_equal
            if _varies(page, position, key, other, known[other] & is_varying):
                flag |= is_varying
        flags[position] = flag


@cython.cfunc
@cython.returns("bint")
@cython.locals(page=NodeValues, position="Py_ssize_t", other="Py_ssize_t", node="int")
def _has_votes(page: NodeValues, position: int, key: KeyPage, other: int, node: int) -> bool:
    """Return whether enough pages have the value of an element, or the element has no value."""
    key_value = key.values.all_values[other]
    if page.has_value_of(position, key.values, other):
        return key_value is None or key.ballot.equal[other] >= node
    if key.most_others[other] < node and page.value(position) is not None:
        return False
    value = page.value(position)
    return value is None or key.pages_with(other, value) >= node


@cython.cfunc
@cython.returns("bint")
@cython.locals(page=NodeValues, position="Py_ssize_t", other="Py_ssize_t", varies_elsewhere="int")
def _varies(page: NodeValues, position: int, key: KeyPage, other: int, varies_elsewhere: int) -> bool:
    """Return whether a text that differs from the key page's, or is spaced otherwise, is a value."""
    is_in_place = page.is_in_place_of(position, key.values, other)
    if bool(varies_elsewhere) == is_in_place:
        return is_in_place
    text, key_text = page.arrays.texts[position], key.arrays.texts[other]
    is_same = text is not None and key_text is not None and text.split() == key_text.split()
    return bool(varies_elsewhere) if is_same else is_in_place
