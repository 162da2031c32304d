"""A key page with the votes on it, and the flags that follow from them for the nodes of other pages.

Compiled where there is a compiler (key_page.pxd has the types).
"""

from __future__ import annotations

from itertools import accumulate

from templex_scrapy.content import NO_HEAD, Head
from templex_scrapy.mapping import NodeMapping
from templex_scrapy.page import LINKS, MEDIA, NodeValues, cached_property, is_hyperlink
from templex_scrapy.template.blocks import MIN_NODES, Blocks
from templex_scrapy.template.node_flags import (
    BLOCK,
    EQUAL,
    PRESENT,
    REMOVABLE,
    STABLE,
    VARYING,
    set_flag,
    template_nodes,
    where,
)
from templex_scrapy.template.removal import mark_removable, protect
from templex_scrapy.template.votes import Ballot, VotesNeeded, in_same_place, run_is_equal

_WHOLE = LINKS | MEDIA


class KeyPage:
    """A key page with the votes on its nodes.

    Args:
        values: the nodes of the key page and their values.
        ballot: the votes on them.
        votes_needed: votes that a node needs, at least 1.
        blocks: the blocks that several of the template's pages have.
        head: what its head declares.
    """

    def __init__(
        self, values: NodeValues, ballot: Ballot, votes_needed: int, blocks: Blocks, head: Head = NO_HEAD
    ) -> None:
        self.values = values
        self.arrays = values.arrays
        self.ballot = ballot
        self.votes_needed = votes_needed
        self.blocks = blocks
        self.head = head

    def needed(self, *, self_vote: int) -> VotesNeeded:
        """Return how many pages must agree on a node of a page; ``self_vote`` as in :meth:`VotesNeeded.of`."""
        return VotesNeeded.of(self.ballot.voters, self.votes_needed, self_vote=self_vote)

    def flags(self, *, self_vote: int) -> bytes:
        """Return the flags of the key page's own nodes, as a page with the same nodes and values gets them."""
        return self._flags_with_self_vote if self_vote else self._flags_without_self_vote

    @cached_property
    def _flags_with_self_vote(self) -> bytes:
        return self._flags_of_key_page(1)

    @cached_property
    def _flags_without_self_vote(self) -> bytes:
        return self._flags_of_key_page(0)

    def _flags_of_key_page(self, self_vote: int) -> bytes:
        flags = self._flags_by_place(self_vote)
        flag_blocks(self.values, self.blocks, flags, self.needed(self_vote=self_vote).block)
        return bytes(flags)

    @cached_property
    def fixed_blocks(self) -> Blocks:
        """The blocks that are template at their place: lists of one site repeat each other's items, in any place."""
        flags, sizes = self._flags_by_place(1), self.arrays.sizes
        fixed = {
            self.values.digest(position)
            for position, size in enumerate(sizes)
            if size >= MIN_NODES and flags[position] & REMOVABLE
        }
        return Blocks({key: count for key, count in self.blocks.pages.items() if key in fixed}, self.blocks.shapes)

    def _flags_by_place(self, self_vote: int) -> bytearray:
        needed = self.needed(self_vote=self_vote)
        # the key page is one of the pages that have the node
        node, stable = needed.node - 1, needed.stable - 1
        values, present, equal = self.values.all_values, self.ballot.present, self.ballot.equal
        flags = bytearray(len(present))
        for position in self.ballot.varying:
            flags[position] = VARYING
        for position in range(len(flags) - 1, -1, -1):
            if present[position] >= node:
                flags[position] |= PRESENT
                if present[position] >= stable:
                    flags[position] |= STABLE
                if values[position] is None or equal[position] >= node:
                    flags[position] |= EQUAL
        mark_removable(self.arrays, list(range(len(flags) - 1, -1, -1)), flags)
        return flags

    @cached_property
    def _core_before(self) -> list[int]:
        """For each position, how many template nodes before it are stable: what few voters have, few pages have."""
        flags = self.flags(self_vote=1)
        nodes = zip(template_nodes(self.arrays, flags), where(flags, STABLE), strict=True)
        return [0, *accumulate(is_template & is_stable for is_template, is_stable in nodes)]

    def coverage(self, mapping: NodeMapping) -> float:
        """Return the share of the stable template nodes that a mapping to the key page finds, in [0, 1]."""
        before = self._core_before
        found = sum(before[other + length] - before[other] for _, other, length in mapping.runs)
        found += sum(before[other + 1] - before[other] for _, other in mapping.pairs)
        return found / before[-1] if before[-1] else 0.0

    def pages_with(self, position: int, value: str) -> int:
        """Return on how many pages, the key page included, a node of the key page has a value."""
        if value == self.values.all_values[position]:
            return self.ballot.equal[position] + 1
        return self.ballot.other_values.get(position, {}).get(value, 0)

    @cached_property
    def most_pages(self) -> list[int]:
        """On how many pages, the key page included, each node of the key page has the most frequent value."""
        most = [votes + 1 for votes in self.ballot.equal]
        for position, pages in self.ballot.other_values.items():
            most[position] = max(most[position], *pages.values())
        return most


def find_flags(page: NodeValues, key: KeyPage, mapping: NodeMapping, *, self_vote: int) -> bytearray:
    """Return the flags of a page's nodes.

    Args:
        page: the page's nodes and their values.
        key: the key page with the votes on it.
        mapping: the page mapped to the key page.
        self_vote: 1 if the page is the key page or voted itself, else 0.
    """
    flags = bytearray(len(page.arrays.tag_strings))
    known = key.flags(self_vote=self_vote)
    single = list(mapping.pairs)
    for start, other, length in mapping.runs:
        single.append((start, other))
        # the roots' own start tags may differ, so they are judged one by one
        if length > 1 and run_is_equal(key.values, page, (other, start, length)):
            flags[start + 1 : start + length] = known[other + 1 : other + length]
        else:
            single.extend(zip(range(start + 1, start + length), range(other + 1, other + length), strict=True))
    needed = key.needed(self_vote=self_vote)
    _flag_single(page, key, known, single, needed.node, needed.stable, flags)
    mark_removable(page.arrays, sorted([position for position, _ in single], reverse=True), flags)
    flag_blocks(page, key.blocks, flags, needed.block)
    return flags


def _flag_single(  # noqa: C901 - one loop for all
    page: NodeValues,
    key: KeyPage,
    known: bytes,
    single: list[tuple[int, int]],
    node: int,
    stable: int,
    flags: bytearray,
) -> None:
    """Flag the nodes that are mapped one by one, without the removable flag."""
    present, equal, values = key.ballot.present, key.ballot.equal, key.values.all_values
    tag_strings, texts = page.arrays.tag_strings, page.arrays.texts
    key_tag_strings, key_texts = key.arrays.tag_strings, key.arrays.texts
    most_pages = key.most_pages
    is_present, is_stable, is_equal, is_varying = PRESENT, STABLE, EQUAL, VARYING  # compiled, these are no objects
    for position, other in single:
        votes = present[other] + 1
        if votes < node:
            continue
        flag = is_present | is_stable if votes >= stable else is_present
        text = texts[position]
        # what is known without the value is: to compute it takes long, of links above all
        if text is None and most_pages[other] < node and is_hyperlink(tag_strings[position]):
            flags[position] = flag
            continue
        is_same = text == key_texts[other] and tag_strings[position] == key_tag_strings[other]
        if is_same and (text is not None or values[other] is None):
            if values[other] is None or equal[other] + 1 >= node:
                flag |= is_equal
            if text is not None:
                flag |= known[other] & is_varying
        else:
            value = page.value(position)
            if value is None or key.pages_with(other, value) >= node:
                flag |= is_equal
            if text is not None:
                if value == values[other]:
                    flag |= known[other] & is_varying
                elif in_same_place(page.arrays, position, key.arrays, other):
                    flag |= is_varying
        flags[position] = flag


def flag_blocks(page: NodeValues, blocks: Blocks, flags: bytearray, least: int) -> None:
    """Set the flags of the blocks that enough pages have, wherever they are in this one.

    Args:
        page: the page's nodes and their values.
        blocks: the blocks.
        flags: the page's flags so far.
        least: pages that must have a block.
    """
    for position in blocks.found_in(page, where(flags, REMOVABLE), least):
        if any(page.arrays.start_tag(ancestor).tag in _WHOLE for ancestor in page.arrays.ancestors(position)):
            continue  # a link or a medium is removed as a whole or not at all
        set_flag(flags, position, position + page.arrays.sizes[position], BLOCK)
    protect(page.arrays, flags)
