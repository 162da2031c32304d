"""Children that wait to be looked at again, where pairs move positions nearer (options 1 and 2)."""

from __future__ import annotations

import heapq
from bisect import bisect_right
from dataclasses import dataclass, field

_SLACK = 1e-9
"""Added to each bound, as sums of fractions are not exact; a bound that is too high costs a look, and no more."""


@dataclass(eq=False, slots=True)
class Pool:
    """Neighbouring children of A that have gained the same.

    Attributes:
        number: index of the pool among all there have been.
        start: first of the children.
        end: behind the last of the children.
        gained: what each may have gained since the beginning.
        heap: (what had been gained at the last look - standing then, child), the highest bound first; may hold what
            has been looked at since, or is in another pool now.
        fresh: children looked at since the last gain, which are not worth another look before the next.
        promised: the bound last told to the one who waits for it.
    """

    number: int
    start: int
    end: int
    gained: float
    heap: list[tuple[float, int]] = field(default_factory=list)
    fresh: list[int] = field(default_factory=list)
    promised: float | None = None


class Waiting:
    """What children were worth when they were last looked at, and what they may be worth by now.

    A gain concerns neighbours, and is told for all of them at once; it is a bound that most of them do not reach. So
    what counts is not who gained, but who may have gained enough.

    Complexity:
        O(log n) amortised for each operation: when a pool is cut, the largest part keeps the heap.

    Args:
        children: all that may wait.
    """

    def __init__(self, children: range) -> None:
        self.pools = [Pool(0, children.start, children.stop, 0.0)]
        self._starts = [children.start]
        self._by_start = [self.pools[0]]
        self._keys: dict[int, float] = {}

    def put(self, i: int, standing: float) -> None:
        """Take notice of a child that has been looked at."""
        pool = self._pool(i)
        self._keys[i] = pool.gained - standing
        pool.fresh.append(i)

    def drop(self, i: int) -> None:
        """Forget a child, if it waits."""
        self._keys.pop(i, None)

    def gain(self, children: range, gain: float) -> list[Pool]:
        """Let neighbours of one pool gain up to so much.

        Returns:
            The pool of these children, first, and others that are new.
        """
        pools = self._cut(children)
        pool = pools[0]
        for i in pool.fresh:
            if i in self._keys and pool.start <= i < pool.end:
                heapq.heappush(pool.heap, (self._keys[i], i))
        pool.fresh.clear()
        pool.gained += gain
        return pools

    def bound(self, pool: Pool) -> float | None:
        """The most that a child of this pool is worth that has gained since it was looked at; None if there is none."""
        heap = pool.heap
        while heap and not self._holds(pool, *heap[0]):
            heapq.heappop(heap)
        return pool.gained - heap[0][0] + _SLACK if heap else None

    def pop(self, pool: Pool) -> int:
        """The child of that bound; it is for the caller to look at it."""
        return heapq.heappop(pool.heap)[1]

    def _holds(self, pool: Pool, key: float, i: int) -> bool:
        return pool.start <= i < pool.end and self._keys.get(i) == key

    def _pool(self, i: int) -> Pool:
        return self._by_start[bisect_right(self._starts, i) - 1]

    def _cut(self, children: range) -> list[Pool]:
        """The pool of exactly these children, and the others that are made of what is before and behind them."""
        old = self._pool(children.start)
        if (old.start, old.end) == (children.start, children.stop):
            return [old]
        at = bisect_right(self._starts, old.start) - 1
        bounds = [(old.start, children.start), (children.start, children.stop), (children.stop, old.end)]
        bounds = [(start, end) for start, end in bounds if start < end]
        largest = max(bounds, key=lambda both: both[1] - both[0])
        parts = [self._reduced(old, *both) if both == largest else self._part(old, *both) for both in bounds]
        self._starts[at : at + 1] = [part.start for part in parts]
        self._by_start[at : at + 1] = parts
        return sorted(parts, key=lambda part: part.start != children.start)

    def _reduced(self, old: Pool, start: int, end: int) -> Pool:
        old.start, old.end = start, end
        return old

    def _part(self, old: Pool, start: int, end: int) -> Pool:
        heap = [(self._keys[i], i) for i in range(start, end) if i in self._keys]
        heapq.heapify(heap)
        part = Pool(len(self.pools), start, end, old.gained, heap)
        self.pools.append(part)
        return part
