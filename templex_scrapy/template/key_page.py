"""What the votes on a key page mean for the nodes of a page that is laid over it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from templex_scrapy.mapping import NodeMapping
from templex_scrapy.page import LINKS, MEDIA, NodeArrays, NodeValues
from templex_scrapy.template.blocks import Blocks
from templex_scrapy.template.votes import Ballot, says_the_same

NEARLY_ALL = 0.85
"""Share of the pages from which on a node is found on nearly all of them."""

LISTING = 10
"""Siblings of one kind with words of their own from which on they are the rows of a listing."""

_WHOLE = LINKS | MEDIA


@dataclass(frozen=True, slots=True)
class Flags:
    """Four flags for each node of a page, as bytes 0 and 1 in node order.

    Attributes:
        place: the node is found on enough pages.
        firm: it is found on nearly all pages.
        same: it is, and if it says something, it says the same there.
        gone: it is, and so is all that it holds: nothing would be lost with it.
    """

    place: bytearray
    firm: bytearray
    same: bytearray
    gone: bytearray

    @classmethod
    def none(cls, nodes: int) -> Flags:
        """No flag set for any of so many nodes."""
        return cls(bytearray(nodes), bytearray(nodes), bytearray(nodes), bytearray(nodes))

    def copy(self) -> Flags:
        """The same flags, to be changed."""
        return Flags(bytearray(self.place), bytearray(self.firm), bytearray(self.same), bytearray(self.gone))


class KeyPage:
    """A key page with the votes on it, ready to be laid under other pages.

    Args:
        facts: what the key page says.
        ballot: the votes on it.
        votes: votes that let a node go, at least 1; where fewer pages can vote, all of them must.
        blocks: the blocks that stand on several pages, the key page and the voters.
    """

    def __init__(self, node_values: NodeValues, ballot: Ballot, votes: int, blocks: Blocks) -> None:
        self.node_values = node_values
        self.arrays = node_values.arrays
        self.ballot = ballot
        self.votes = votes
        self.blocks = blocks

    def least_votes(self, *, own_vote: int) -> int:
        """Votes of the key page and the voters that let a node of a page go."""
        return own_vote + min(self.votes, self.ballot.voters + 1 - own_vote)

    def firm_votes(self, *, own_vote: int) -> int:
        """Votes of the key page and the voters that are those of nearly all of them."""
        return own_vote + ceil(NEARLY_ALL * (self.ballot.voters + 1 - own_vote))

    @property
    def least_pages(self) -> int:
        """Pages, the key page included, on which a block must stand to be template on another page."""
        return max(2, self.votes)

    def flags(self, *, own_vote: int) -> Flags:
        """The flags of the key page's own nodes, for a page that says what the key page says.

        Args:
            own_vote: 1 if that page is the key page, or voted itself; it has no vote on itself. Else 0.
        """
        return self._flags_of_insiders if own_vote else self._flags_of_others

    @cached_property
    def _flags_of_insiders(self) -> Flags:
        return self._own_flags(1)

    @cached_property
    def _flags_of_others(self) -> Flags:
        return self._own_flags(0)

    def _own_flags(self, own_vote: int) -> Flags:
        # the key page is one of those that have the node
        least, nearly_all = self.least_votes(own_vote=own_vote) - 1, self.firm_votes(own_vote=own_vote) - 1
        place = bytearray([votes >= least for votes in self.ballot.place])
        firm = bytearray([votes >= nearly_all for votes in self.ballot.place])
        said_by = zip(place, self.node_values.all_values, self.ballot.same, strict=True)
        same = bytearray([found and (said is None or votes >= least) for found, said, votes in said_by])
        flags = Flags(place, firm, same, bytearray(len(place)))
        for position in range(len(place) - 1, -1, -1):
            _decide(self.node_values, position, flags)
        find_blocks(self.node_values, self.blocks, flags, self.least_pages + own_vote)
        spare(self.arrays, flags)
        return flags

    @cached_property
    def _speaking_texts(self) -> int:
        same = self.flags(own_vote=1).same
        return sum(flag for flag, text in zip(same, self.arrays.texts, strict=True) if text is not None)

    def agreement(self, page: NodeValues, flags: Flags) -> float:
        """Share of the texts of the key page's template that a page with these flags says as well."""
        texts = sum(flag for flag, text in zip(flags.same, page.arrays.texts, strict=True) if text is not None)
        return min(texts / self._speaking_texts, 1.0) if self._speaking_texts else 1.0

    def agreeing(self, position: int, said: str) -> int:
        """Number of pages, the key page included, on which the node at a position of the key page says something."""
        if said == self.node_values.all_values[position]:
            return self.ballot.same[position] + 1
        return self.ballot.others.get(position, {}).get(said, 0)


def find_flags(page: NodeValues, key: KeyPage, mapping: NodeMapping, *, own_vote: int) -> Flags:
    """The flags of a page's nodes.

    Args:
        page: what the page says.
        key: the key page with the votes on it.
        mapping: the page laid over the key page.
        own_vote: 1 if the page is the key page, or voted itself; it has no vote on itself. Else 0.
    """
    nodes = len(page.arrays.tag_strings)
    flags = Flags.none(nodes)
    known = key.flags(own_vote=own_vote)
    single = list(mapping.pairs)
    for start, other, length in mapping.runs:
        single.append((start, other))
        # the roots' own start tags may differ, so they are decided one by one
        if says_the_same(key.node_values, page, (other, start, length)):
            here, there = slice(start + 1, start + length), slice(other + 1, other + length)
            flags.place[here] = known.place[there]
            flags.firm[here] = known.firm[there]
            flags.same[here] = known.same[there]
            flags.gone[here] = known.gone[there]
        else:
            single.extend(zip(range(start + 1, start + length), range(other + 1, other + length), strict=True))
    single.sort(reverse=True)
    least, nearly_all = key.least_votes(own_vote=own_vote), key.firm_votes(own_vote=own_vote)
    votes = key.ballot.place
    for position, other in single:
        if votes[other] + 1 >= least:
            flags.place[position] = 1
            flags.firm[position] = votes[other] + 1 >= nearly_all
            said = page.value(position)
            flags.same[position] = said is None or key.agreeing(other, said) >= least
        _decide(page, position, flags)
    find_blocks(page, key.blocks, flags, key.least_pages + own_vote)
    spare(page.arrays, flags)
    return flags


def find_blocks(page: NodeValues, blocks: Blocks, flags: Flags, least: int) -> None:
    """Set the flags of the blocks that stand on enough pages, wherever they stand in this one.

    Args:
        page: what the page says.
        blocks: the blocks.
        flags: the page's flags so far.
        least: pages on which a block must stand.
    """
    for position in blocks.found_in(page, flags.gone, least):
        if any(page.arrays.start_tag(holder).tag in _WHOLE for holder in page.arrays.ancestors(position)):
            continue  # a link or a medium that stays, stays whole
        whole = slice(position, position + page.arrays.sizes[position])
        flags.place[whole] = flags.same[whole] = flags.gone[whole] = b"\1" * page.arrays.sizes[position]


def spare(arrays: NodeArrays, flags: Flags) -> None:
    """Keep what may never go: node 0, the rows of listings, and what holds an ``iframe`` or a ``noscript``.

    What these hold is no node, so nothing is known about it. And what recurs in row after row of content, such as the
    words "replies" and "by" in a list of topics, is part of the rows; it is no template either.
    """
    for rows in listings(arrays, flags.same):
        for row in rows:
            whole = slice(row, row + arrays.sizes[row])
            flags.same[whole] = flags.gone[whole] = bytes(arrays.sizes[row])
        _keep_with_ancestors(arrays, rows[0], flags.gone)
    for position in arrays.frame_parents:
        _keep_with_ancestors(arrays, position, flags.gone)
    flags.gone[0] = 0


def listings(arrays: NodeArrays, same: bytearray) -> list[list[int]]:
    """The rows of each listing: many siblings of one kind, each with words that are its own.

    Args:
        arrays: the page's nodes.
        same: flag 1 for nodes that say the same on enough pages.
    """
    alike = arrays.repeated_siblings(LISTING)
    own = [position for position in arrays.text_positions if not same[position]] if alike else []
    if len(own) < LISTING:
        return []

    def has_own(row: int) -> bool:
        first = bisect_left(own, row)
        return first < len(own) and own[first] < row + arrays.sizes[row]

    with_own = ([row for row in rows if has_own(row)] for rows in alike)
    return [rows for rows in with_own if len(rows) >= LISTING]


def _decide(page: NodeValues, position: int, flags: Flags) -> None:
    """Decide whether a node is gone, after what it holds has been decided."""
    arrays = page.arrays
    end = position + arrays.sizes[position]
    here = bool(flags.same[position])
    if page.is_media(position):
        here = here and flags.place.find(0, position, end) < 0
        flags.gone[position:end] = bytes([here]) * (end - position)
    else:
        gone = here and flags.gone.find(0, position + 1, end) < 0
        flags.gone[position] = gone
        if not gone and arrays.start_tag(position).tag in LINKS:
            flags.gone[position:end] = bytes(end - position)


def repeated(arrays: NodeArrays, flags: Flags) -> bytearray:
    """The template nodes among the nodes that are found, and say the same, on enough pages.

    An element with text directly inside it stands for what it says: where no text in it says the same, it is a headline
    or a paragraph of the page's own, in the place where others have theirs. One that only wraps such elements is
    template if it is on nearly all pages, as the frame around the content is; else it is part of the content.

    Args:
        arrays: the page's nodes.
        flags: their flags.
    """
    nodes = bytearray(flags.same)
    speaks = bytearray(len(nodes))  # 1: directly holds text
    holds = bytearray(len(nodes))  # 1: holds text
    agrees = bytearray(len(nodes))  # 1: holds text that says the same
    for position in range(len(nodes) - 1, 0, -1):
        parent = arrays.parents[position]
        if arrays.texts[position] is not None:
            speaks[parent] = holds[parent] = 1
            agrees[parent] |= flags.same[position]
            continue
        if holds[position]:
            holds[parent] = 1
            if agrees[position]:
                agrees[parent] = 1
            elif speaks[position] or not flags.firm[position]:
                nodes[position] = 0
    return nodes


def positions_of(flags: bytearray) -> frozenset[int]:
    """The positions at which a flag is set."""
    return frozenset(position for position, flag in enumerate(flags) if flag)


def keep(arrays: NodeArrays, position: int, gone: bytearray) -> None:
    """Keep a node with what it holds and what holds it."""
    gone[position : position + arrays.sizes[position]] = bytes(arrays.sizes[position])
    _keep_with_ancestors(arrays, position, gone)


def _keep_with_ancestors(arrays: NodeArrays, position: int, gone: bytearray) -> None:
    gone[position] = 0
    for ancestor in arrays.ancestors(position):
        gone[ancestor] = 0
