"""Where siblings stand: the four ways to compute the property *position* (thesis, 8.2, position options 1 to 4).

Each answers for a child of A which of some free children of B can be the best as far as their position goes, without
looking at all of them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from templex_scrapy.similarity import position_window


class Places:
    """The positions of children, option 4: computed once, over all children.

    Args:
        free_a: indexes of the children of A that are not paired, ascending; at first all. The caller keeps it so.
        free_b: the same of B.
        weighs_position: whether the position makes a difference to the similarity.

    Attributes:
        moves: whether pairs change the positions of what is still free.
    """

    moves = False

    def __init__(self, free_a: list[int], free_b: list[int], *, weighs_position: bool) -> None:
        self._free_a = free_a
        self._free_b = free_b
        self._n_a, self._n_b = len(free_a), len(free_b)
        self._weighs_position = weighs_position

    def paired(self, i: int, j: int) -> None:
        """Take notice of a pair, before which both children were free."""

    def nearer(self) -> Iterable[int]:
        """Children of A whose best pair may have become better by the last pair."""
        return ()

    def allowed(self, i: int, j: int) -> bool:  # noqa: ARG002 - of the four options one forbids pairs
        """Whether the two may pair at all."""
        return True

    def window(self, i: int) -> tuple[int, int, int]:
        """First and last index in B, inclusive, with position 1, and the number of steps over which the value falls."""
        n_a, n_b = self._n_a, self._n_b
        first, last = position_window(i, n_a, n_b)
        return first, last, min(n_a, n_b)

    def steps(self, j: int, edge: int) -> int:
        """Steps between a child of B and the edge of the window."""
        return abs(j - edge)

    def at_place(self, i: int, free: list[int]) -> int | None:
        """The lowest of some free children of B that is at position 1."""
        first, last, _ = self.window(i)
        at = bisect_left(free, first)
        return free[at] if at < len(free) and free[at] <= last else None

    def first(self, i: int, free: list[int]) -> int | None:  # noqa: ARG002 - as above
        """The lowest of some free children of B that may pair."""
        return free[0] if free else None

    def nearest(self, i: int, free: list[int]) -> Iterator[tuple[int, float]]:
        """Those of some free children of B that can be the best, each with the value of its position.

        They are the lowest in the window, else the nearest on each side; and the lowest, which is the best where
        the position has no weight.
        """
        first, last, fall = self.window(i)
        yield from self._around(free, 0, len(free), (first, last, fall))
        if not self._weighs_position:
            yield free[0], 1.0

    def _around(
        self, free: list[int], low: int, high: int, window: tuple[int, int, int]
    ) -> Iterator[tuple[int, float]]:
        first, last, fall = window
        at = bisect_left(free, first, low, high)
        if at < high and free[at] <= last:
            yield free[at], 1.0
            return
        if at < high:
            yield free[at], 1 - self.steps(free[at], last) / fall
        if at > low:
            yield free[at - 1], 1 - self.steps(free[at - 1], first) / fall


class _PlacesAmongFree(Places):
    """Option 3: computed again after each pair, over the children that are still free."""

    moves = True

    def __init__(self, free_a: list[int], free_b: list[int], *, weighs_position: bool) -> None:
        super().__init__(free_a, free_b, weighs_position=weighs_position)
        self._all = False

    def paired(self, i: int, j: int) -> None:
        # a pair moves those that lie before it on one side and behind it on the other nearer to each other
        a, b = self._free_a, self._free_b
        before_a, before_b = bisect_left(a, i) > 0, bisect_left(b, j) > 0
        behind_a, behind_b = bisect_left(a, i) < len(a), bisect_left(b, j) < len(b)
        self._all = (before_a and behind_b) or (behind_a and before_b)

    def nearer(self) -> Iterable[int]:
        return list(self._free_a) if self._all else ()

    def window(self, i: int) -> tuple[int, int, int]:
        a, b = self._free_a, self._free_b
        first, last = position_window(bisect_left(a, i), len(a), len(b))
        return b[first], b[last], min(len(a), len(b))

    def steps(self, j: int, edge: int) -> int:
        b = self._free_b
        return abs(bisect_left(b, j) - bisect_left(b, edge))


class _Block(NamedTuple):
    """Free children between two neighbouring pairs: [a, a_end) on one side, [b, b_end) on the other."""

    a: int
    a_end: int
    b: int
    b_end: int


class _PlacesInBlocks(Places):
    """Option 2: computed again after each pair inside the blocks that the pairs cut; 0 across blocks.

    A child of A and one of B are in one block where each pair lies before both or behind both. Pairs may cross here, so
    the k-th gap of A and the k-th of B make a block only if the same pairs lie before both.
    """

    moves = True

    def __init__(self, free_a: list[int], free_b: list[int], *, weighs_position: bool) -> None:
        super().__init__(free_a, free_b, weighs_position=weighs_position)
        self._cuts_a: list[int] = []
        self._cuts_b: list[int] = []
        self._whole = [True]  # of each gap: whether it is a block
        self._nearer: list[int] = []

    def paired(self, i: int, j: int) -> None:
        gap_a, gap_b = bisect_left(self._cuts_a, i), bisect_left(self._cuts_b, j)
        low, high = min(gap_a, gap_b), max(gap_a, gap_b)
        narrows = gap_a == gap_b and self._whole[gap_a] and _inside_window(self._block(gap_a), i, j)
        insort(self._cuts_a, i)
        insort(self._cuts_b, j)
        # of the gaps between its two ends, the pair lies before the one side and behind the other
        self._whole[low : high + 1] = [self._whole[low], *[False] * (high - low), self._whole[high]]
        # a pair inside the window narrows the windows on both sides of it, which brings nothing nearer
        new = [] if narrows else [self._block(gap) for gap in (low, high + 1) if self._whole[gap]]
        self._nearer = [row for block in new if block.b < block.b_end for row in range(block.a, block.a_end)]

    def nearer(self) -> Iterable[int]:
        return self._nearer

    def _block(self, gap: int) -> _Block:
        a, b = self._cuts_a, self._cuts_b
        return _Block(
            a[gap - 1] + 1 if gap else 0,
            a[gap] if gap < len(a) else self._n_a,
            b[gap - 1] + 1 if gap else 0,
            b[gap] if gap < len(b) else self._n_b,
        )

    def _block_of(self, i: int) -> _Block | None:
        gap = bisect_left(self._cuts_a, i)
        block = self._block(gap) if self._whole[gap] else None
        return block if block is not None and block.b < block.b_end else None

    def at_place(self, i: int, free: list[int]) -> int | None:
        block = self._block_of(i)
        if block is None:
            return None
        first, last, _ = _block_window(block, i)
        at = bisect_left(free, first)
        return free[at] if at < len(free) and free[at] <= last else None

    def nearest(self, i: int, free: list[int]) -> Iterator[tuple[int, float]]:
        block = self._block_of(i)
        if block is not None:
            low, high = bisect_left(free, block.b), bisect_left(free, block.b_end)
            yield from self._around(free, low, high, _block_window(block, i))
            if not self._weighs_position and low < high:
                yield free[low], 1.0
        yield from self._across(free, block)

    def _across(self, free: list[int], block: _Block | None) -> Iterator[tuple[int, float]]:
        if block is None or not block.b <= free[0] < block.b_end:
            yield free[0], 0.0
        else:
            behind = bisect_right(free, block.b_end - 1)
            if behind < len(free):
                yield free[behind], 0.0


class _PlacesBoundToBlocks(_PlacesInBlocks):
    """Option 1: as option 2, and children of different blocks do not pair."""

    def allowed(self, i: int, j: int) -> bool:
        block = self._block_of(i)
        return block is not None and block.b <= j < block.b_end

    def first(self, i: int, free: list[int]) -> int | None:
        block = self._block_of(i)
        at = bisect_left(free, block.b) if block is not None else len(free)
        return free[at] if block is not None and at < len(free) and free[at] < block.b_end else None

    def _across(self, free: list[int], block: _Block | None) -> Iterator[tuple[int, float]]:  # noqa: ARG002
        return iter(())


def _inside_window(block: _Block, i: int, j: int) -> bool:
    first, last, _ = _block_window(block, i)
    return first <= j <= last


def _block_window(block: _Block, i: int) -> tuple[int, int, int]:
    n_a, n_b = block.a_end - block.a, block.b_end - block.b
    first, last = position_window(i - block.a, n_a, n_b)
    return block.b + first, block.b + last, min(n_a, n_b)


_BY_OPTION: dict[int, type[Places]] = {1: _PlacesBoundToBlocks, 2: _PlacesInBlocks, 3: _PlacesAmongFree, 4: Places}


def places(option: int, free_a: list[int], free_b: list[int], *, weighs_position: bool) -> Places:
    """The positions of children by one of the options 1 to 4; arguments as of :class:`Places`."""
    return _BY_OPTION[option](free_a, free_b, weighs_position=weighs_position)
