"""Which children of one node pair with which of another, for all combinations of the grid at once.

The procedure of the mapping is followed: compare all with all, make the best pair, again and again. One pass does for
all combinations what it does for one, because:

- the rules before similarity (equal ids, the rule ``unique``, equal start tags) depend on no weight or threshold;
- a threshold only ends the steps: those of a high threshold are the first steps of a low one;
- weights that choose the same pair in a step are in the same state afterwards. They are one group, which is divided
  where they choose differently, and merged where other ways have led to the same state.

The values are computed by the same operations in the same order as :meth:`Similarity.value` does, so that ties are
ties.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from templex_bench.detectors.literal import Child, Values, position_values
from templex_bench.tuning.grid import Bits, Floats, Grid
from templex_scrapy.page import TEXT

Integers = NDArray[np.intp]
Pair = tuple[int, int, int]
"""Indexes of two children, and the set of combinations that pair them."""

MOST_WORK = 10**9
"""Pairs of free children that may be compared for one key page: a minute or two of CPU time."""

_STEP = 1300  # pairs of children that a step takes as long as, however few are free


class TooMixedError(Exception):
    """A key page has lists of children that would take too long."""


@dataclass(slots=True)
class _Group:
    """Weights in one state: the free children of both sides, and for each row of weights which thresholds are reached.

    ``by_place`` tells whether the position has a weight: then of equal children the nearest is chosen, else the first.
    """

    a: Integers
    b: Integers
    by_place: bool
    rows: list[Integers] = field(default_factory=list)
    reached: list[Bits] = field(default_factory=list)


class PairTables:
    """The pairs of lists of children, worked out once for each two lists that look the same; for one grid."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        # comparisons that may still be made; set anew for each key page
        self.work = MOST_WORK
        self._everything = np.ones(grid.shape, dtype=np.bool_)
        self._but_equals = ~grid.unpacked([grid.pairing_equals]).reshape(grid.shape).astype(np.bool_)
        self._tables: dict[object, list[Pair]] = {}

    def pairs(self, side_a: Sequence[Child], side_b: Sequence[Child]) -> list[Pair]:
        """Return which children pair, by their indexes, with the combinations that pair them.

        Raises:
            TooMixedError: if that takes more work than may still be done.
        """
        looks = tuple(tuple((tag.tag_string, count) for tag, count in side) for side in (side_a, side_b))
        if looks not in self._tables:
            self._tables[looks] = self._made(side_a, side_b, alike=looks[0] == looks[1])
        return self._tables[looks]

    def _made(self, side_a: Sequence[Child], side_b: Sequence[Child], *, alike: bool) -> list[Pair]:
        wanted, equals = self._everything, []
        if alike:
            # nothing is more similar to a child than its equal at the same place
            wanted = self._but_equals
            equals = [(index, index, self.grid.pairing_equals) for index in range(len(side_a))]
        return [*self._worked_out(side_a, side_b, wanted), *equals] if wanted.any() else equals

    def _worked_out(self, side_a: Sequence[Child], side_b: Sequence[Child], wanted: Bits) -> Iterator[Pair]:
        masks: dict[tuple[int, int], Bits] = {}
        values, place = Values(side_a, side_b), position_values(len(side_a), len(side_b))
        kinds = np.unique(values.properties.reshape(3, -1), axis=1, return_inverse=True)[1].reshape(place.shape)
        kinds = np.where(values.same_tag, kinds, -1)

        def note(pair: tuple[int, int], unique: int, rows: Integers, reached: Bits) -> None:
            mask = masks.setdefault(pair, np.zeros(self.grid.shape, dtype=np.bool_))
            mask[unique, rows] |= reached

        for number, unique in enumerate(self.grid.unique):
            free_a, free_b = np.arange(len(side_a)), np.arange(len(side_b))
            for i, j in _settled(side_a, side_b, values, place, unique=unique):
                note((i, j), number, np.arange(len(self.grid.weights)), wanted[number])
                free_a, free_b = free_a[free_a != i], free_b[free_b != j]
            for flag in (False, True):
                rows = np.flatnonzero(((self.grid.weight_table[:, 0] > 0) == flag) & wanted[number].any(axis=1))
                groups = [_Group(free_a, free_b, flag, [rows], [wanted[number, rows]])] if len(rows) else []
                while groups:
                    following: dict[tuple[bytes, bytes], _Group] = {}
                    for group in groups:
                        self._spend(group)
                        for (i, j), chosen, reached in self._step(group, values, place, kinds):
                            note((i, j), number, chosen, reached)
                            a, b = group.a[group.a != i], group.b[group.b != j]
                            joint = following.setdefault((a.tobytes(), b.tobytes()), _Group(a, b, flag))
                            joint.rows.append(chosen)
                            joint.reached.append(reached)
                    groups = list(following.values())
        return ((*pair, self.grid.packed(mask)) for pair, mask in sorted(masks.items()))

    def _spend(self, group: _Group) -> None:
        self.work -= _STEP + len(group.a) * len(group.b)
        if self.work < 0:
            raise TooMixedError(f"too many ways to pair lists of {len(group.a):,} and {len(group.b):,} children")

    def _step(
        self, group: _Group, values: Values, place: Floats, kinds: Integers
    ) -> Iterator[tuple[tuple[int, int], Integers, Bits]]:
        """Yield the pairs that the weights of a group make next: the pair, the weights, the thresholds reached."""
        some = np.ix_(group.a, group.b)
        cells = _candidates(kinds[some], place[some], by_place=group.by_place)
        if not len(cells):
            return
        i, j = group.a[cells // len(group.b)], group.b[cells % len(group.b)]
        rows, reached = np.concatenate(group.rows), np.concatenate(group.reached)
        weights = self.grid.weight_table[rows]
        classes, children, attributes = values.properties[:, i, j]
        found = weights[:, :1] * place[i, j] + weights[:, 1:2] * classes
        found += weights[:, 2:3] * children
        found += weights[:, 3:] * attributes
        # the first of equals: the lowest i, then the lowest j
        best = found.argmax(axis=1)
        reached = reached & (found[np.arange(len(rows)), best][:, None] >= self.grid.threshold_row)
        going_on = reached.any(axis=1)
        for choice in np.unique(best[going_on]):
            chosen = going_on & (best == choice)
            yield (int(i[choice]), int(j[choice])), rows[chosen], reached[chosen]


def _settled(
    side_a: Sequence[Child], side_b: Sequence[Child], values: Values, place: Floats, *, unique: bool
) -> Iterator[tuple[int, int]]:
    """Yield the pairs that depend on no weight: equal ids, unique tags and classes, equal start tags."""
    free = np.ones(place.shape, dtype=np.bool_)
    rules = [values.same_id]
    if unique:
        kinds_a, kinds_b = _unique_kinds(side_a), _unique_kinds(side_b)
        rules.append(np.array([[bool(a) and a == b for b in kinds_b] for a in kinds_a], dtype=np.bool_))
    for rule in (*rules, values.same_start & (place == 1), values.same_start):
        while (found := np.flatnonzero(rule & free)).size:
            i, j = divmod(int(found[0]), len(side_b))
            free[i, :] = free[:, j] = False
            yield i, j


def _unique_kinds(side: Sequence[Child]) -> list[str]:
    kinds = [tag.tag_and_classes for tag, _ in side]
    counts = Counter(kinds)
    return [kind if counts[kind] == 1 and kind != TEXT else "" for kind in kinds]


def _candidates(kinds: Integers, place: Floats, *, by_place: bool) -> Integers:
    """Return the cells that can be the best, in order: of each kind the nearest, or without places the first."""
    cells = np.flatnonzero(kinds >= 0)
    of_cells = kinds.reshape(-1)[cells]
    # stable: equals stay in the order of their indexes
    order = np.lexsort((-place.reshape(-1)[cells], of_cells)) if by_place else np.argsort(of_cells, kind="stable")
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = of_cells[order][1:] != of_cells[order][:-1]
    chosen: Integers = np.sort(cells[order[first]])
    return chosen
