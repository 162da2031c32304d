"""Time series and samples of a crawl of any length in a fixed amount of memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Bins:
    """Sums over time in a fixed number of bins: when time passes the last bin, pairs of bins are merged.

    Args:
        columns: number of sums in each bin.
        bins: number of bins, even.
        width: seconds of a bin at first.
    """

    def __init__(self, columns: int, *, bins: int = 60, width: float = 0.125) -> None:
        self.width = width
        self._bins = bins
        self._columns = [array("d", bytes(8 * bins)) for _ in range(columns)]
        self._used = 0

    def add(self, at: float, *values: float) -> None:
        """Add a value to each column.

        Args:
            at: seconds since the start. Negative ones count as 0.
            values: one for each column.
        """
        while at >= self.width * self._bins:
            self._merge_pairs()
        index = int(max(at, 0.0) / self.width)
        self._used = max(self._used, index + 1)
        for column, value in zip(self._columns, values, strict=True):
            column[index] += value

    def _merge_pairs(self) -> None:
        half = self._bins // 2
        for column in self._columns:
            for index in range(half):
                column[index] = column[2 * index] + column[2 * index + 1]
            column[half:] = array("d", bytes(8 * half))
        self.width *= 2
        self._used = (self._used + 1) // 2

    def rows(self) -> Iterator[tuple[float, tuple[float, ...]]]:
        """Yield the end of each bin in seconds, and its sums, up to the last bin that is used."""
        for index in range(self._used):
            yield (index + 1) * self.width, tuple(column[index] for column in self._columns)


class Spread(Generic[T]):
    """A few of many things, evenly spread over all of them, and the same ones in each run.

    Args:
        capacity: number of things that are kept.

    Attributes:
        offered: number of things that were offered.
    """

    def __init__(self, capacity: int) -> None:
        self.offered = 0
        self._capacity = capacity
        self._stride = 1
        self._kept: list[T] = []

    def offer(self, make: Callable[[], T]) -> None:
        """Count a thing. It is made only if it is kept."""
        number = self.offered
        self.offered += 1
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

    def __len__(self) -> int:
        return len(self._kept)
