"""What is still free of two lists of children, and where it stands by the four position options (thesis, 8.2)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from templex_bench.tuning.grid import Bits, Floats

Integers = NDArray[np.intp]


class Positions(NamedTuple):
    """For each pair of free children the value of the property position, and whether the two may pair at all."""

    values: Floats
    allowed: Bits


@dataclass(frozen=True, slots=True)
class Free:
    """The children that are free, and the pairs that were made of the others.

    Attributes:
        sizes: numbers of all children.
        a: indexes of the free children of the one side, ascending.
        b: the same of the other side.
        made: the pairs.
    """

    sizes: tuple[int, int]
    a: Integers
    b: Integers
    made: frozenset[tuple[int, int]]

    @classmethod
    def all(cls, n_a: int, n_b: int) -> Free:
        """Nothing is paired yet."""
        return cls((n_a, n_b), np.arange(n_a), np.arange(n_b), frozenset())

    def without(self, i: int, j: int) -> Free:
        """What is free after two of them have been paired."""
        return Free(self.sizes, self.a[self.a != i], self.b[self.b != j], self.made | {(i, j)})

    def has_a(self, i: int) -> bool:
        """Whether a child of the one side is free."""
        return bool((self.a == i).any())

    def pair(self, cell: int) -> tuple[int, int]:
        """The indexes of the two children that a cell of the matrix of free children stands for, counted by rows."""
        return int(self.a[cell // len(self.b)]), int(self.b[cell % len(self.b)])

    def in_one_block(self, i: int, j: int) -> bool:
        """Whether every pair lies before both children or behind both."""
        return all((x < i) == (y < j) for x, y in self.made)

    def state(self, option: int) -> object:
        """All that further pairs depend on."""
        return self.made if option < 3 else (self.a.tobytes(), self.b.tobytes())


def positions(free: Free, option: int) -> Positions:
    """The positions of the free children by one of the options 1 to 4."""
    if option == 4:
        values = position_values(*free.sizes)[np.ix_(free.a, free.b)]
    elif option == 3:
        values = position_values(len(free.a), len(free.b))
    else:
        return _in_blocks(free, across=option == 2)
    return Positions(values, _everywhere(*values.shape))


def _in_blocks(free: Free, *, across: bool) -> Positions:
    values = np.zeros((len(free.a), len(free.b)))
    inside = np.zeros(values.shape, dtype=np.bool_)
    pairs = sorted(free.made)
    ends_a = np.searchsorted(free.a, [*(i for i, _ in pairs), free.sizes[0]])
    cuts_b = sorted(j for _, j in pairs)
    ends_b = np.searchsorted(free.b, [*cuts_b, free.sizes[1]])
    start_a = start_b = 0
    farthest = -1  # of the partners of the pairs before the gap
    for gap, (end_a, end_b) in enumerate(zip(ends_a, ends_b, strict=True)):
        if gap:
            farthest = max(farthest, pairs[gap - 1][1])
        # the same pairs lie before both sides of the gap
        if end_a > start_a and end_b > start_b and (not gap or farthest == cuts_b[gap - 1]):
            block = slice(start_a, end_a), slice(start_b, end_b)
            values[block] = position_values(int(end_a - start_a), int(end_b - start_b))
            inside[block] = True
        start_a, start_b = end_a, end_b
    return Positions(values, _everywhere(*values.shape) if across else inside)


_KEPT = 10_000  # pairs of children, at most, whose positions are kept: those of long lists would fill the memory


def position_values(n_a: int, n_b: int) -> Floats:
    """As :func:`templex_scrapy.mapping.position_value`, of all children of two lists; not to be changed."""
    return _kept_values(n_a, n_b) if n_a * n_b <= _KEPT else _values(n_a, n_b)


@lru_cache(maxsize=4096)
def _kept_values(n_a: int, n_b: int) -> Floats:
    return _values(n_a, n_b)


def _values(n_a: int, n_b: int) -> Floats:
    i, j = np.arange(n_a)[:, None], np.arange(n_b)[None, :]
    spare = abs(n_a - n_b)
    first, last = (i, i + spare) if n_a <= n_b else (i - spare, i)
    steps = np.maximum(np.maximum(np.maximum(first, 0) - j, j - np.minimum(last, n_b - 1)), 0)
    values: Floats = 1 - steps / max(min(n_a, n_b), 1)
    values.flags.writeable = False
    return values


def _everywhere(n_a: int, n_b: int) -> Bits:
    # one value for all: nothing is kept for each
    return np.broadcast_to(np.True_, (n_a, n_b))
