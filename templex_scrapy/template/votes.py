"""Votes: on how many pages a node of the key page is found again, and on how many of those it says the same."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from templex_scrapy.mapping import NodeMapping, Similarity, map_trees
from templex_scrapy.page import NodeArrays, NodeValues


@dataclass(slots=True)
class Ballot:
    """The votes of some pages on the nodes of a key page.

    Attributes:
        voters: number of pages that voted.
        place: for each node, on how many of them it was found; -1 for a node that is barred from being template.
        same: for each node, on how many of them it was found and says the same.
        others: for nodes that say something, what else was said, and on how many pages.
    """

    voters: int
    place: list[int]
    same: list[int]
    others: dict[int, dict[str, int]]

    @classmethod
    def empty(cls, nodes: int) -> Ballot:
        """A ballot before the first vote."""
        return cls(0, [0] * nodes, [0] * nodes, {})

    def copy(self) -> Ballot:
        """The same votes, to be added to."""
        others = {position: dict(said) for position, said in self.others.items()}
        return Ballot(self.voters, list(self.place), list(self.same), others)

    def barred(self, earlier: Ballot) -> Ballot:
        """The same votes without those on nodes that are barred in another ballot."""
        free = [votes >= 0 for votes in earlier.place]
        return Ballot(
            self.voters,
            [votes if is_free else -1 for votes, is_free in zip(self.place, free, strict=True)],
            [votes if is_free else -1 for votes, is_free in zip(self.same, free, strict=True)],
            {position: said for position, said in self.others.items() if free[position]},
        )

    def spread(self, positions: Sequence[int], nodes: int) -> Ballot:
        """The same ballot over more nodes, in which ours have these positions and the rest are barred."""
        spread = Ballot(self.voters, [-1] * nodes, [-1] * nodes, {})
        for position, place, same in zip(positions, self.place, self.same, strict=True):
            spread.place[position], spread.same[position] = place, same
        spread.others = {positions[position]: said for position, said in self.others.items()}
        return spread


def take_votes(
    key: NodeValues, pages: Iterable[NodeValues], similarity: Similarity, earlier: Ballot | None = None
) -> Ballot:
    """Lay each page over the key page and count (thesis, Algorithms 10 and 11).

    Args:
        key: the key page.
        pages: the voters, without copies of the key page and of each other.
        similarity: the parameters of the mapping.
        earlier: the votes of other pages on the same nodes, which count as well.
    """
    ballot = Ballot.empty(len(key.arrays.tag_strings)) if earlier is None else earlier.copy()
    for page in pages:
        page.arrays.share_start_tags(key.arrays)
        _vote(ballot, key, page, map_trees(key.arrays, page.arrays, similarity))
    return ballot


def _vote(ballot: Ballot, key: NodeValues, page: NodeValues, mapping: NodeMapping) -> None:
    ballot.voters += 1
    found = _Range(len(ballot.place))
    same = _Range(len(ballot.place))
    for position, _ in mapping.pairs:
        found.add(position, 1)
    single = list(mapping.pairs)
    for start, other, length in mapping.runs:
        found.add(start, length)
        single.append((start, other))
        if says_the_same(key, page, (start, other, length)):
            same.add(start + 1, length - 1)
        else:
            single.extend(zip(range(start + 1, start + length), range(other + 1, other + length), strict=True))
    ballot.place = [count + more for count, more in zip(ballot.place, found.counts(), strict=True)]
    ballot.same = [count + more for count, more in zip(ballot.same, same.counts(), strict=True)]
    for position, other in single:
        said = page.value(other)
        if said == key.all_values[position]:
            ballot.same[position] += 1
        elif said is not None:
            others = ballot.others.setdefault(position, {})
            others[said] = others.get(said, 0) + 1


def says_the_same(key: NodeValues, page: NodeValues, run: tuple[int, int, int]) -> bool:
    """Whether all nodes of a run but the roots say the same on both pages, told by slices alone.

    Equal start tags mean equal targets only if relative links start from the same directory.

    Args:
        key: the page of the run's first position; it is asked of many runs.
        page: the page of the run's second position.
        run: as in a mapping of ``key`` onto ``page``.
    """
    start, other, length = run
    if key.arrays.texts[start + 1 : start + length] != page.arrays.texts[other + 1 : other + length]:
        return False
    if key.relative_links.depend_on_page(start + 1, start + length):
        return key.url == page.url
    return key.directory == page.directory or not key.relative_links.any(start + 1, start + length)


class _Range:
    """Counts over positions that are raised by ranges."""

    def __init__(self, nodes: int) -> None:
        self._steps = [0] * (nodes + 1)

    def add(self, start: int, length: int) -> None:
        self._steps[start] += 1
        self._steps[start + length] -= 1

    def counts(self) -> list[int]:
        return list(accumulate(self._steps[:-1]))


def without(arrays: NodeArrays, left_out: frozenset[int]) -> tuple[NodeArrays, list[int]]:
    """A copy of an arrays without some nodes and what they hold.

    Returns:
        The copy, and for each of its nodes the position in the original. Node 0 stays in any case.
    """
    copy = NodeArrays()
    kept: list[int] = []
    position = 0
    while position < len(arrays.tag_strings):
        if position in left_out and position:
            position += arrays.sizes[position]
            continue
        kept.append(position)
        position += 1
    new = {old: index for index, old in enumerate(kept)}
    for old in kept:
        copy.tag_strings.append(arrays.tag_strings[old])
        copy.texts.append(arrays.texts[old])
        copy.places.append(arrays.places[old])
        copy.parents.append(new.get(arrays.parents[old], -1))
        copy.sizes.append(1)
    for index in range(len(kept) - 1, 0, -1):
        copy.sizes[copy.parents[index]] += copy.sizes[index]
    copy.depth = arrays.depth
    return copy, kept
