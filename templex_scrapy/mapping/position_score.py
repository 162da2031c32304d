"""Where siblings stand: ways to compute the property *position* (thesis, 8.2, position options 1, 2 and 4).

Option 3 has a procedure of its own (:mod:`templex_scrapy.mapping.among_free`). Each of the others answers for a
child of A which of some free children of B can be the best as far as their position goes, without looking at all.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import NamedTuple

from templex_scrapy.mapping.similarity import position_window

Gain = tuple[range, float]  # neighbours in A, and what the value of the position of any may have gained at most


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

    def gains(self) -> list[Gain]:
        """Children of A that the last pair may have moved nearer, and by how much at most.

        The ranges do not overlap, and each lies within one of those told before that it shares a child with.
        """
        return []

    def apart(self) -> list[tuple[list[int], list[int]]]:
        """Free children that can pair with no others, on both sides: as a rule, all of them."""
        return [(list(self._free_a), list(self._free_b))]

    def allowed(self, i: int, j: int) -> bool:  # noqa: ARG002 - of the four options one forbids pairs
        """Whether the two may pair at all."""
        return True

    def window(self, i: int) -> tuple[int, int, int]:
        """First and last index in B, inclusive, with position 1, and the number of steps over which the value falls."""
        n_a, n_b = self._n_a, self._n_b
        first, last = position_window(i, n_a, n_b)
        return first, last, min(n_a, n_b)

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

    def nearness(self, i: int, free: list[int]) -> float:
        """The value of the position of the nearest of some free children of B."""
        return max((value for _, value in self._around(free, 0, len(free), self.window(i))), default=0.0)

    def _around(
        self, free: list[int], low: int, high: int, window: tuple[int, int, int]
    ) -> Iterator[tuple[int, float]]:
        first, last, fall = window
        at = bisect_left(free, first, low, high)
        if at < high and free[at] <= last:
            yield free[at], 1.0
            return
        if at < high:
            yield free[at], 1 - (free[at] - last) / fall
        if at > low:
            yield free[at - 1], 1 - (first - free[at - 1]) / fall


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
        self._gains: list[Gain] = []

    def paired(self, i: int, j: int) -> None:
        gap_a, gap_b = bisect_left(self._cuts_a, i), bisect_left(self._cuts_b, j)
        low, high = min(gap_a, gap_b), max(gap_a, gap_b)
        old = [self._block(gap) for gap in (low, high)]
        insort(self._cuts_a, i)
        insort(self._cuts_b, j)
        # of the gaps between its two ends, the pair lies before the one side and behind the other
        self._whole[low : high + 1] = [self._whole[low], *[False] * (high - low), self._whole[high]]
        new = [(was, self._block(gap)) for was, gap in zip(old, (low, high + 1), strict=True) if self._whole[gap]]
        self._gains = [(range(block.a, block.a_end), gain) for was, block in new if (gain := _gain(was, block))]

    def gains(self) -> list[Gain]:
        return self._gains

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

    def nearness(self, i: int, free: list[int]) -> float:
        block = self._block_of(i)
        if block is None:
            return 0.0
        low, high = bisect_left(free, block.b), bisect_left(free, block.b_end)
        return max((value for _, value in self._around(free, low, high, _block_window(block, i))), default=0.0)

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

    def apart(self) -> list[tuple[list[int], list[int]]]:
        blocks = [self._block(gap) for gap, whole in enumerate(self._whole) if whole]
        both = [(list(range(block.a, block.a_end)), list(range(block.b, block.b_end))) for block in blocks]
        return [(free_a, free_b) for free_a, free_b in both if free_a and free_b]

    def allowed(self, i: int, j: int) -> bool:
        block = self._block_of(i)
        return block is not None and block.b <= j < block.b_end

    def first(self, i: int, free: list[int]) -> int | None:
        block = self._block_of(i)
        at = bisect_left(free, block.b) if block is not None else len(free)
        return free[at] if block is not None and at < len(free) and free[at] < block.b_end else None

    def _across(self, free: list[int], block: _Block | None) -> Iterator[tuple[int, float]]:  # noqa: ARG002
        return iter(())


def _gain(old: _Block, new: _Block) -> float:
    """What the value of a position may gain at most in what a pair leaves of a block.

    A child of A and one of B stand on the diagonal j - i; the window reaches from that of the first two of the block to
    that of the last two, in either order. A pair outside the window widens it; one inside brings nothing nearer.
    """
    if new.a == new.a_end or new.b == new.b_end:
        return 0.0
    (low, high), (new_low, new_high) = _diagonals(old), _diagonals(new)
    return max(low - new_low, new_high - high, 0) / min(old.a_end - old.a, old.b_end - old.b)


def _diagonals(block: _Block) -> tuple[int, int]:
    first, last = block.b - block.a, block.b_end - block.a_end
    return min(first, last), max(first, last)


def _block_window(block: _Block, i: int) -> tuple[int, int, int]:
    n_a, n_b = block.a_end - block.a, block.b_end - block.b
    first, last = position_window(i - block.a, n_a, n_b)
    return block.b + first, block.b + last, min(n_a, n_b)


_BY_OPTION: dict[int, type[Places]] = {1: _PlacesBoundToBlocks, 2: _PlacesInBlocks}


def places(option: int, free_a: list[int], free_b: list[int], *, weighs_position: bool) -> Places:
    """The positions of children by one of the options; arguments as of :class:`Places`.

    With option 3 they tell no more than that no pair is forbidden.
    """
    return _BY_OPTION.get(option, Places)(free_a, free_b, weighs_position=weighs_position)
