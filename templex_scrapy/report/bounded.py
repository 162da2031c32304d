"""Keeping what is told of a crawl of any length in a fixed amount of memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Bins:
    """Sums over time, in a fixed number of bins: whenever time runs out of them, two become one.

    Args:
        columns: number of sums kept for each bin, at least 1.
        bins: number of bins, even, at least 2.
        width: seconds that a bin spans at first, above 0.

    Attributes:
        width: seconds that a bin spans.
    """

    def __init__(self, columns: int, *, bins: int = 60, width: float = 0.125) -> None:
        self.width = width
        self._bins = bins
        self._columns = [array("d", bytes(8 * bins)) for _ in range(columns)]
        self._used = 0

    def add(self, at: float, *values: float) -> None:
        """Add to the sums.

        Args:
            at: seconds since the start; what is negative counts as 0.
            values: one for each column.
        """
        while at >= self.width * self._bins:
            self._fold()
        index = int(max(at, 0.0) / self.width)
        self._used = max(self._used, index + 1)
        for column, value in zip(self._columns, values, strict=True):
            column[index] += value

    def _fold(self) -> None:
        half = self._bins // 2
        for column in self._columns:
            for index in range(half):
                column[index] = column[2 * index] + column[2 * index + 1]
            column[half:] = array("d", bytes(8 * half))
        self.width *= 2
        self._used = (self._used + 1) // 2

    def rows(self) -> Iterator[tuple[float, tuple[float, ...]]]:
        """The end of each bin, in seconds, and its sums, up to the last bin that something was added to."""
        for index in range(self._used):
            yield (index + 1) * self.width, tuple(column[index] for column in self._columns)


class Spread(Generic[T]):
    """A few of many things, evenly spread over all that there were, and the same ones in each run.

    Args:
        capacity: number of things kept, at least 1.

    Attributes:
        seen: number of things offered.
    """

    def __init__(self, capacity: int) -> None:
        self.seen = 0
        self._capacity = capacity
        self._stride = 1
        self._kept: list[T] = []

    def offer(self, make: Callable[[], T]) -> None:
        """Count a thing; it is made only if it is kept."""
        number = self.seen
        self.seen += 1
        if number % self._stride:
            return
        if len(self._kept) == self._capacity:
            self._kept = self._kept[::2]
            self._stride *= 2
            if number % self._stride:
                return
        self._kept.append(make())

    def __iter__(self) -> Iterator[T]:
        return iter(self._kept)
