"""Two pages laid over each other, for all combinations of the grid at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from templex_bench.tuning.grid import Grid
from templex_bench.tuning.siblings import Child, Pair, Siblings, Work, pair_all
from templex_scrapy.page import Page
from templex_scrapy.template.removal import largest_subtrees, passage_texts
from templex_scrapy.template.votes import run_is_equal


class Sheet:
    """A page with what is asked of it again and again.

    Args:
        page: the page.

    Attributes:
        arrays: its nodes.
        facts: what they say.
        said: the same, for each node.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.arrays = page.arrays
        self.node_values = page.values
        self.said = [self.node_values.value(position) for position in range(len(page))]
        self._lists: dict[int, tuple[int, ...]] = {}
        self._roots: dict[int, bool] = {}

    def children(self, position: int) -> tuple[int, ...]:
        """Positions of a node's children."""
        if position not in self._lists:
            self._lists[position] = tuple(self.arrays.children(position))
        return self._lists[position]

    def siblings(self, position: int) -> list[Child]:
        """The children of a node as the similarity sees them."""
        counts = self.arrays.child_counts
        return [(self.arrays.start_tag(child), counts[child]) for child in self.children(position)]

    @cached_property
    def passages(self) -> dict[int, list[int]]:
        """Positions of the passages of running text, each with those of its texts."""
        found = {position: passage_texts(self.arrays, position) for position in range(len(self.said))}
        return {position: texts for position, texts in found.items() if texts}

    def may_be_root(self, position: int) -> bool:
        """Whether a removable subtree would be removed (:func:`templex_scrapy.template.removal.largest_subtrees`)."""
        if position not in self._roots:
            flags, size = bytearray(len(self.said)), self.arrays.sizes[position]
            flags[position : position + size] = b"\1" * size
            self._roots[position] = any(True for _ in largest_subtrees(self.arrays, flags))
        return self._roots[position]


class PairTables:
    """The pairs of lists of children, worked out once for each two lists that look the same.

    Args:
        grid: the combinations.

    Attributes:
        work: how much may still be done; to be set anew for each key page.
    """

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.work = Work()
        self._everything = np.ones(grid.shape, dtype=np.bool_)
        equals = grid.unpacked([grid.pairing_equals]).reshape(grid.shape).astype(np.bool_)
        self._but_equals = ~equals
        self._looks: dict[object, int] = {}
        self._lists: dict[tuple[Sheet, int], int] = {}
        self._tables: dict[tuple[int, int], list[Pair]] = {}
        self._sets: dict[int, int] = {}

    def pairs(self, a: Sheet, i: int, b: Sheet, j: int) -> list[Pair]:
        """Which children of a node pair with which of another, by their indexes, and with which combinations.

        Raises:
            TooMixedError: if that takes more work than may still be done.
        """
        looks = self._look(a, i), self._look(b, j)
        table = self._tables.get(looks)
        if table is None:
            table = self._tables[looks] = list(self._made(a, i, b, j, alike=looks[0] == looks[1]))
        return table

    def _look(self, sheet: Sheet, position: int) -> int:
        """A number for what a list of children looks like to the similarity."""
        place = sheet, position
        look = self._lists.get(place)
        if look is None:
            children = tuple((features.tag_string, count) for features, count in sheet.siblings(position))
            look = self._lists[place] = self._looks.setdefault(children, len(self._looks))
        return look

    def _made(self, a: Sheet, i: int, b: Sheet, j: int, *, alike: bool) -> Iterator[Pair]:
        side_a, side_b = a.siblings(i), b.siblings(j)
        siblings = Siblings(side_a, side_b)
        if not alike:
            found = pair_all(siblings, self.grid, self._everything, self.work)
        else:
            # nothing is more similar to a child than its equal at the same place
            some = self._but_equals.any()
            found = pair_all(siblings, self.grid, self._but_equals, self.work) if some else []
            found += [(index, index, self.grid.pairing_equals) for index in range(len(side_a))]
        # most pairs are made by one of few sets
        return ((x, y, self._sets.setdefault(some, some)) for x, y, some in found)


@dataclass(frozen=True, slots=True)
class Overlay:
    """A page laid over the key page.

    Attributes:
        place: for each node of the key page, with which combinations it is found on the page.
        same: for each of them, with which it is found and says the same.
    """

    place: list[int]
    same: list[int]


def map_trees(key: Sheet, page: Sheet, tables: PairTables) -> Overlay:
    """Lay a page over a key page with all combinations (thesis, Algorithms 10 and 11).

    Which children of two nodes pair does not depend on how the two came to be paired. So one descent does for all: each
    two nodes that any combination pairs are visited once, together with the set of combinations that pair them. As in
    :func:`map_trees` subtrees with the same start tags in the same shape are not entered, with the
    combinations with which equals pair.

    Complexity:
        O(pairs of nodes that any combination makes) operations on sets, beside what the pairs of children cost that
        are not known yet.
    """
    found = Overlay([0] * len(key.said), [0] * len(key.said))
    below_place, below_same = [0] * len(key.said), [0] * len(key.said)
    waiting = [(0, 0, tables.grid.everything)]
    while waiting:
        i, j, some = waiting.pop()
        found.place[i] |= some
        if key.said[i] == page.said[j]:
            found.same[i] |= some
        whole = some & tables.grid.pairing_equals
        if whole and _same_below(key, i, page, j):
            below_place[i] |= whole
            run = i, j, key.arrays.sizes[i]
            if run_is_equal(key.node_values, page.node_values, run):
                below_same[i] |= whole
            else:
                _say_one_by_one(found, key, page, run, whole)
            some ^= whole
        if some and key.arrays.sizes[i] > 1 and page.arrays.sizes[j] > 1:
            children_a, children_b = key.children(i), page.children(j)
            for x, y, combinations in tables.pairs(key, i, page, j):
                both = some & combinations
                if both:
                    waiting.append((children_a[x], children_b[y], both))
    _spread(key, found.place, below_place)
    _spread(key, found.same, below_same)
    return found


def _same_below(key: Sheet, i: int, page: Sheet, j: int) -> bool:
    """Whether two nodes hold the same start tags in the same shape."""
    a, b = key.arrays, page.arrays
    size = a.sizes[i]
    return (
        size == b.sizes[j]
        and a.tag_strings[i + 1 : i + size] == b.tag_strings[j + 1 : j + size]
        and a.sizes[i + 1 : i + size] == b.sizes[j + 1 : j + size]
    )


def _say_one_by_one(found: Overlay, key: Sheet, page: Sheet, run: tuple[int, int, int], some: int) -> None:
    start, other, length = run
    for offset in range(1, length):
        if key.said[start + offset] == page.said[other + offset]:
            found.same[start + offset] |= some


def _spread(key: Sheet, sets: list[int], below: list[int]) -> None:
    """Add to each node what holds for all that its ancestors hold."""
    parents = key.arrays.parents
    for position in range(1, len(sets)):
        inherited = below[parents[position]]
        if inherited:
            sets[position] |= inherited
            below[position] |= inherited
