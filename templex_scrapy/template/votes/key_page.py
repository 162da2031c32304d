"""A key page with the votes on it, and the flags of its own nodes."""

from __future__ import annotations

from array import array
from itertools import accumulate

from templex_scrapy.content import NO_HEAD, Head
from templex_scrapy.mapping import NodeMapping
from templex_scrapy.page import NodeValues, cached_property
from templex_scrapy.template.votes.ballot import Ballot, VotesNeeded
from templex_scrapy.template.votes.blocks import MIN_NODES, Blocks, flag_blocks
from templex_scrapy.template.votes.node_flags import EQUAL, PRESENT, REMOVABLE, STABLE, VARYING, template_nodes, where
from templex_scrapy.template.votes.removable_flags import mark_removable


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
        self._needed = [VotesNeeded.of(ballot.pages, votes_needed, self_vote=self_vote) for self_vote in (0, 1)]

    def needed(self, *, self_vote: int) -> VotesNeeded:
        """Return how many pages must agree on a node of a page; ``self_vote`` as in :meth:`VotesNeeded.of`."""
        return self._needed[self_vote]

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
