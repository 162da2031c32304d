"""Count the pages that have each node of a key page, and the values of that node on them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from operator import add

from templex_scrapy.mapping import Similarity, map_voter
from templex_scrapy.page import NodeValues


@dataclass(slots=True)
class Ballot:
    """The votes of pages on the nodes of a key page. The key page is the first voter.

    Attributes:
        pages: number of voters.
        present: for each node, the number of pages that have the node.
        equal: for each node, the number of pages that have the node with the value of the key page.
        other_values: for each node, the values that differ from the key page's, each with the number of pages.
        varying: texts that differ between pages at the same place.
    """

    pages: int
    present: list[int]
    equal: list[int]
    other_values: dict[int, dict[str, int]]
    varying: set[int]

    @classmethod
    def of_key_page(cls, nodes: int) -> Ballot:
        """Return the ballot on which the key page alone has voted."""
        return cls(1, [1] * nodes, [1] * nodes, {}, set())


def take_votes(key: NodeValues, pages: Iterable[NodeValues], similarity: Similarity) -> Ballot:
    """Map the key page to each voter and count (thesis, Algorithms 10 and 11). No page may be a copy of another."""
    nodes = len(key.arrays.tag_strings)
    ballot = Ballot.of_key_page(nodes)
    # +1 where a range of nodes with the same vote begins, -1 where it ends: a footer costs the same for any length
    present, equal = [0] * (nodes + 1), [0] * (nodes + 1)
    for page in pages:
        ballot.pages += 1
        mapping = map_voter(key.arrays, page.arrays, similarity)
        single = list(mapping.pairs)
        for position, _ in mapping.pairs:
            ballot.present[position] += 1
        for start, other, length in mapping.runs:
            present[start] += 1
            present[start + length] -= 1
            single.append((start, other))
            if run_is_equal(key, page, start, other, length):
                equal[start + 1] += 1
                equal[start + length] -= 1
            else:
                single.extend(zip(range(start + 1, start + length), range(other + 1, other + length), strict=True))
        _vote(ballot, key, page, single)
    for votes, steps in ((ballot.present, present), (ballot.equal, equal)):
        votes[:] = map(add, votes, accumulate(steps))
    return ballot


def _vote(ballot: Ballot, key: NodeValues, page: NodeValues, single: Iterable[tuple[int, int]]) -> None:
    """Count the values of the nodes of a page that are not in runs of equal values."""
    texts, tag_strings = page.arrays.texts, page.arrays.tag_strings
    key_texts, key_tag_strings, key_values = key.arrays.texts, key.arrays.tag_strings, key.all_values
    for position, other in single:
        # most nodes are the same text, or a <div> without a value: to compare is faster than to compute
        is_same = texts[other] == key_texts[position] and tag_strings[other] == key_tag_strings[position]
        has_no_target = texts[other] is not None or key_values[position] is None
        if (is_same and has_no_target) or page.has_value_of(other, key, position):
            ballot.equal[position] += 1
        elif (value := page.value(other)) is not None:
            values = ballot.other_values.setdefault(position, {})
            values[value] = values.get(value, 0) + 1
            # "In stock" here and "Sold out" there make the text a value
            if key_texts[position] is not None and key.is_in_place_of(position, page, other):
                ballot.varying.add(position)


def run_is_equal(key: NodeValues, page: NodeValues, start: int, other: int, length: int) -> bool:
    """Return whether the nodes of a run, except the roots, have the same values on both pages; O(length) in C."""
    texts, other_texts = key.arrays.texts, page.arrays.texts
    if texts[start + 1 : start + length] != other_texts[other + 1 : other + length]:
        return False
    # equal start tags mean equal targets only if relative links start from the same directory
    return key.leads_to_the_same(page, start + 1, start + length)
