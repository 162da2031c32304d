"""Two pages mapped with all combinations of the grid at once: which combinations lead to the same mapping."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from templex_bench.detectors.identity import child_lists
from templex_bench.detectors.literal import Child
from templex_bench.tuning.grid import Grid
from templex_bench.tuning.pairs import PairTables
from templex_scrapy.page import Page


class Sheet:
    """A page with the lists of children that the similarity looks at."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.arrays = page.arrays
        self._sides: dict[int, list[Child]] = {}

    @cached_property
    def children(self) -> list[list[int]]:
        """The children of each node."""
        return child_lists(self.arrays)

    def side(self, position: int) -> list[Child]:
        """Return the children of a node as the similarity sees them."""
        if position not in self._sides:
            children = self.children
            side = [(self.arrays.start_tag(child), len(children[child])) for child in children[position]]
            self._sides[position] = side
        return self._sides[position]


def mapping_sets(key: Sheet, page: Sheet, tables: PairTables) -> set[int]:
    """Return sets of combinations: two combinations that are in the same of them lead to the same mapping.

    Which children of two nodes pair does not depend on how the two came to be paired. So one descent does for all
    combinations: each two nodes that any combination pairs are visited once, with the set of those that pair them.
    Subtrees with the same start tags in the same shape are not entered with the combinations that pair equals.
    """
    found: set[int] = set()
    waiting = [(0, 0, tables.grid.everything)]
    while waiting:
        i, j, some = waiting.pop()
        found.add(some)
        if some & tables.grid.pairing_equals and _same_below(key, i, page, j):
            found.add(some & tables.grid.pairing_equals)
            some &= ~tables.grid.pairing_equals
        if some and key.arrays.sizes[i] > 1 and page.arrays.sizes[j] > 1:
            children_a, children_b = key.children[i], page.children[j]
            for x, y, combinations in tables.pairs(key.side(i), page.side(j)):
                if some & combinations:
                    waiting.append((children_a[x], children_b[y], some & combinations))
    return found


def _same_below(key: Sheet, i: int, page: Sheet, j: int) -> bool:
    a, b = key.arrays, page.arrays
    size = a.sizes[i]
    return (
        size == b.sizes[j]
        and a.tag_strings[i + 1 : i + size] == b.tag_strings[j + 1 : j + size]
        and a.sizes[i + 1 : i + size] == b.sizes[j + 1 : j + size]
    )


def classes_of(grid: Grid, sets: Sequence[int]) -> np.ndarray:
    """Return for each combination the number of its class: combinations of a class are in the same sets."""
    columns = np.ascontiguousarray(np.packbits(grid.unpacked(sets), axis=0).T)
    whole = columns.view(np.dtype((np.void, columns.shape[1]))).reshape(-1)
    return np.unique(whole, return_inverse=True)[1]
