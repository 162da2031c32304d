"""Pair lists of children by similarity, without comparing all with all.

Children of B that differ only in position form a group. For a child of A, the best of a group is the free child nearest
to the wanted position. So each child of A is compared with groups, and most lists have few: the 500 rows of a table are
a single group.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Hashable
from operator import itemgetter
from typing import NamedTuple

from templex_scrapy.mapping.siblings import Siblings
from templex_scrapy.mapping.similarity import (
    Similarity,
    Weights,
    attribute_ratio,
    children_ratio,
    class_ratio,
    position_value,
    position_window,
)

_CLASSES = 16  # class names that take as long to compare as a group


class _Option(NamedTuple):
    """A group for a child of A: the negative similarity at position 1, the properties, and the free children."""

    bound: float
    classes: float
    children: float
    attributes: float
    free: list[int]


class SimilarPairs:
    """The pairs by similarity of the children that are free on both sides.

    Each child of A waits in a heap with the best pair. If the child of B is taken when the pair comes up, the next best
    pair of the child goes into the heap. Values never change, so the pair that comes up is the best of all.

    Attributes:
        steps: groups compared with a child so far.
        is_cut: whether the limit of steps was reached.
    """

    def __init__(self, a: Siblings, b: Siblings, free_a: list[int], free_b: list[int], similarity: Similarity) -> None:
        self._a, self._b = a, b
        self._free_a = free_a
        self._weights = Weights(similarity)
        self.steps = 0
        self.is_cut = False
        self._options: dict[Hashable, list[_Option]] = {}
        groups: dict[Hashable, list[int]] = {}
        self._group_of = {j: groups.setdefault(self._look(b, j), []) for j in free_b}
        for j in free_b:
            self._group_of[j].append(j)
        self._by_tag: dict[str, list[tuple[int, list[int]]]] = {}
        for free in groups.values():
            self._by_tag.setdefault(b.start_tags[free[0]].tag, []).append((free[0], free))

    def pairs(self, max_steps: int) -> list[tuple[int, int]]:
        """Return the pairs, the best first; stop after so many steps."""
        heap: list[tuple[float, int, int]] = []  # -similarity, child of A, child of B
        made: list[tuple[int, int]] = []
        waiting = iter(self._free_a)
        while not self.is_cut:
            i = next(waiting, -1)
            if i < 0:
                if not heap or not self._group_of:
                    break
                _, i, j = heapq.heappop(heap)
                free = self._group_of.pop(j, None)
                if free is not None:
                    del free[bisect_left(free, j)]
                    made.append((i, j))
                    continue
            self._push_best(heap, i)
            self.is_cut = self.steps > max_steps
        return made

    def _look(self, siblings: Siblings, index: int) -> Hashable:
        """Return the properties of a child for the similarity, except for the position."""
        start_tag = siblings.start_tags[index]
        attributes = start_tag.attributes if self._weights.attributes else None
        return start_tag.tag_and_classes, siblings.child_counts[index], attributes

    def _options_of(self, i: int) -> list[_Option]:
        """Return the groups that reach the threshold with a child of A, the most similar first."""
        look = self._look(self._a, i)
        if look not in self._options:
            start_tag, count, weights = self._a.start_tags[i], self._a.child_counts[i], self._weights
            options: list[_Option] = []
            for j, free in self._by_tag.get(start_tag.tag, ()):
                other = self._b.start_tags[j]
                self.steps += 1 + min(len(start_tag.classes), len(other.classes)) // _CLASSES
                classes, children = class_ratio(start_tag, other), children_ratio(count, self._b.child_counts[j])
                attributes = attribute_ratio(start_tag, other) if weights.attributes else 0.0
                bound = weights.value(1.0, classes, children, attributes)
                if bound >= weights.least:
                    options.append(_Option(-bound, classes, children, attributes, free))
            options.sort(key=itemgetter(0))
            self._options[look] = options
        return self._options[look]

    def _push_best(self, heap: list[tuple[float, int, int]], i: int) -> None:
        """Add the best pair of a child of A with a free child of B to the heap, if there is one."""
        weights, n_a, n_b = self._weights, self._a.count, self._b.count
        # without a weight the position makes no difference
        first, last = position_window(i, n_a, n_b) if weights.position else (0, n_b - 1)
        best: tuple[float, int, int] | None = None
        for bound, classes, children, attributes, free in self._options_of(i):
            if best is not None and bound > best[0]:
                break
            self.steps += 1
            # the lowest in the window, else the nearest on each side
            slot = bisect_left(free, first)
            is_inside = slot < len(free) and free[slot] <= last
            for j in free[slot : slot + 1] if is_inside else free[max(slot - 1, 0) : slot + 1]:
                value = weights.value(position_value(i, j, n_a, n_b), classes, children, attributes)
                if value >= weights.least and (best is None or (-value, i, j) < best):
                    best = -value, i, j
        if best is not None:
            heapq.heappush(heap, best)
