"""Whom a pair brings one step nearer to a partner, where positions count among what is still free (option 3)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from math import inf

Chance = tuple[int, float, int]
"""Steps from the place of a child of A to a partner, negative below it; what the pair is worth; and the partner."""

_RUN = 64
"""Neighbours of which the farthest reach is known: enough to pass by most at once, few enough to look at each."""

_NEAR = (8, 64)
"""Steps up to which partners are near, and up to which not far: so that a near one does not gain by each far one."""

_SLACK = 1e-9
"""Added to each value, as sums of fractions are not exact; a bound that is too high costs a look, and no more."""


class Crossings:
    """Children of A that wait for pairs that bring them nearer to a partner, and what they may be worth by then.

    Places are counted among what is free. So a pair brings a child of A nearer to a partner above its place if it lies
    behind the one and before the other, and to one below if it lies before the one and behind the other: one step, and
    only then. Where the nearest partner of a kind is taken, the place that it leaves stands for the next one, which is
    not nearer. Of several partners on one side the farthest gains whenever any of them does; so it is enough to know
    that one, and what the best is worth.

    Complexity:
        For each pair O(n / run), and O(run) for each run that a child of reaches beyond the pair, in short loops.

    Args:
        count: number of the children of A.
        least: who cannot be worth that much is not told.
    """

    def __init__(self, count: int, least: float) -> None:
        self._bounds = [-inf] * count  # of those that have come nearer since they were looked at, and enough
        self._below = [_Lane(count, least, above=False) for _ in range(len(_NEAR) + 1)]
        self._above = [_Lane(count, least, above=True) for _ in range(len(_NEAR) + 1)]

    def put(self, i: int, chances: Iterable[Chance]) -> None:
        """Take notice of a child that has been looked at, and of all partners that would be better if nearer."""
        self.drop(i)
        for steps, value, j in chances:
            lanes = self._below if steps < 0 else self._above
            lanes[bisect_left(_NEAR, abs(steps))].put(i, value + _SLACK, j)

    def drop(self, i: int) -> None:
        """Forget a child, if it waits."""
        self._bounds[i] = -inf
        for lane in (*self._below, *self._above):
            lane.drop(i)

    def cross(self, i: int, j: int, gain: float) -> set[int]:
        """Let a pair bring others nearer, each of which gains up to so much.

        Returns:
            The runs of neighbours whose bounds have changed.
        """
        runs = set()
        for lane in (*self._below, *self._above):
            for k, value in lane.cross(i, j, gain):
                if value > self._bounds[k]:
                    self._bounds[k] = value
                    runs.add(k // _RUN)
        return runs

    def bound(self, run: int) -> float:
        """The most that any of a run is worth that has come nearer since it was looked at; -inf if none may be."""
        return max(self._bounds[run * _RUN : (run + 1) * _RUN])

    def pop(self, run: int) -> int:
        """The child of that bound; it is for the caller to look at it."""
        i = self._bounds.index(self.bound(run), run * _RUN)
        self._bounds[i] = -inf
        return i


class _Lane:
    """Of each child the partners on one side that are about as far away."""

    def __init__(self, count: int, least: float, *, above: bool) -> None:
        self._count = count
        self._least = least
        self._above = above
        self._values = [-inf] * count
        self._reaches = [-inf] * count  # the farthest partner, counted in the direction of the lane
        self._farthest = [-inf] * (count // _RUN + 1)  # reach of each run, at least

    def put(self, i: int, value: float, j: int) -> None:
        reach = j if self._above else -j
        self._values[i] = max(self._values[i], value)
        self._reaches[i] = max(self._reaches[i], reach)
        self._farthest[i // _RUN] = max(self._farthest[i // _RUN], reach)

    def drop(self, i: int) -> None:
        self._values[i] = self._reaches[i] = -inf

    def cross(self, i: int, j: int, gain: float) -> list[tuple[int, float]]:
        """Let those gain whom a pair brings nearer; who may be worth enough now, and how much."""
        first, end, place = (0, i, j) if self._above else (i + 1, self._count, -j)
        enough: list[tuple[int, float]] = []
        for run in range(first // _RUN, (end - 1) // _RUN + 1):
            if self._farthest[run] > place:
                start = run * _RUN
                enough += self._gain(range(max(start, first), min(start + _RUN, end)), place, gain)
                self._farthest[run] = max(self._reaches[start : start + _RUN])
        return enough

    def _gain(self, children: range, place: int, gain: float) -> list[tuple[int, float]]:
        reaches, values, least = self._reaches, self._values, self._least
        enough = []
        for k in children:
            if reaches[k] > place:
                value = values[k] = values[k] + gain
                if value >= least:
                    enough.append((k, value))
        return enough
