"""The pairs of siblings where positions count among what is still free (thesis, 8.2, position option 3).

Each pair moves positions all over the lists, by a step at most, and each step weighs more the fewer are free. So it is
steps that are remembered of a child of A, which change seldom, and not what its pairs are worth, which changes always.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Iterable
from math import inf

from templex_scrapy.mapping.child_index import ChildIndex, Group, Side
from templex_scrapy.mapping.crossings import Crossings
from templex_scrapy.mapping.similarity import Similarity, position_window


def pairs_among_free(
    side_a: Side, side_b: Side, free_a: list[int], free_b: list[int], similarity: Similarity
) -> list[tuple[int, int]]:
    """The pairs by equality and then those by similarity, of children of which some are free on both sides."""
    line = _Line(free_a, free_b)
    partners = ChildIndex(side_a, side_b, free_a, free_b, similarity)
    kinds = {i: side_a.kind(i) for i in free_a}
    equals = {i: equals for i, kind in kinds.items() if (equals := partners.equals(kind))}
    made = _Equals(line, partners, equals).pairs() if equals else []
    if line.fall:
        made += _Similars(line, partners, {i: partners.able(kinds[i]) for i in line.a}, similarity).pairs()
    return made


_Window = tuple[int, int, int, int]  # first and last place in B at position 1, and who is there
_Step = tuple[int, int]  # steps from the window to a child of B, negative below it, and that child
_Entry = tuple[float, int, int]  # -value, child of A, child of B; or -bound, -1, run of children of A


class _Line:
    """The free children of both sides, in their order.

    Attributes:
        a: those of A.
        b: those of B.
        end: behind the last of A.
        fall: the number of steps over which the value of a position falls from 1 to 0.
    """

    def __init__(self, free_a: list[int], free_b: list[int]) -> None:
        self.a = list(free_a)
        self.b = list(free_b)
        self.end = free_a[-1] + 1
        self.fall = min(len(free_a), len(free_b))

    def take(self, i: int, j: int) -> None:
        del self.a[bisect_left(self.a, i)]
        del self.b[bisect_left(self.b, j)]
        self.fall -= 1

    def window(self, i: int) -> _Window:
        first, last = position_window(bisect_left(self.a, i), len(self.a), len(self.b))
        return first, last, self.b[first], self.b[last]

    def nearest(self, window: _Window, free: list[int]) -> list[_Step]:
        """Of some free children of B the lowest in the window, else the nearest below it and the nearest above."""
        first, last, lowest, highest = window
        at = bisect_left(free, lowest)
        if at < len(free) and free[at] <= highest:
            return [(0, free[at])]
        steps = []
        if at:
            steps.append((bisect_left(self.b, free[at - 1]) - first, free[at - 1]))
        if at < len(free):
            steps.append((bisect_left(self.b, free[at]) - last, free[at]))
        return steps


class _Phase(ABC):
    """The pairs of some children of A, that of the highest value first; ties go to the lowest index in A, then in B.

    The heap holds for each child of A its best pair. Whom pairs bring nearer to a partner, waits: the heap holds for
    each run of such children what the best of them may be worth by now. The higher of the two never tells less than the
    truth. So an entry that comes up is the best of all pairs if it is still true; else it is replaced.
    """

    def __init__(self, line: _Line, partners: ChildIndex, children: Iterable[int], least: float) -> None:
        self._line = line
        self._partners = partners
        self._children = children
        self._least = least
        self._heap: list[_Entry] = []
        self._entered: dict[int, _Entry | None] = {}  # of each free child of A the one entry that counts
        self._waiting = Crossings(line.end, least)
        self._promised: dict[int, float] = {}  # of each run of children the one bound that counts

    def pairs(self) -> list[tuple[int, int]]:
        made: list[tuple[int, int]] = []
        for i in self._children:
            self._enter(i, self._best(i))
        while self._heap and self._line.fall:
            entry = heapq.heappop(self._heap)
            value, i, j = entry
            if i < 0:
                self._wake(j, -value)
            elif self._entered.get(i) == entry and self._holds(entry):
                self._make(i, j)
                made.append((i, j))
        return made

    @abstractmethod
    def _best(self, i: int) -> _Entry | None:
        """The best pair of a child of A, which waits from now on for what may become a better one."""

    @abstractmethod
    def _gain(self) -> float:
        """What one step nearer makes a pair worth more, at most."""

    def _holds(self, entry: _Entry) -> bool:
        """Whether an entry is true; if not, another is entered."""
        _, i, _ = entry
        best = self._best(i)
        self._enter(i, best)
        return best == entry

    def _enter(self, i: int, best: _Entry | None) -> None:
        known, self._entered[i] = self._entered.get(i), best
        if best is not None and best != known and -best[0] >= self._least:
            heapq.heappush(self._heap, best)

    def _make(self, i: int, j: int) -> None:
        gain = self._gain()
        del self._entered[i]
        self._waiting.drop(i)
        self._partners.take(j)
        self._line.take(i, j)
        for run in self._waiting.cross(i, j, gain):
            self._promise(run)

    def _promise(self, run: int) -> None:
        """Enter what the best of those that wait may be worth."""
        bound = self._waiting.bound(run)
        if bound >= self._least and bound != self._promised.get(run):
            heapq.heappush(self._heap, (-bound, -1, run))
        self._promised[run] = bound

    def _wake(self, run: int, promised: float) -> None:
        """Look at those that wait, as far as they may be better than all else."""
        if promised != self._promised.get(run):
            return
        while (bound := self._waiting.bound(run)) >= self._least and not (self._heap and self._heap[0] < (-bound,)):
            i = self._waiting.pop(run)
            self._enter(i, self._best(i))
        del self._promised[run]
        self._promise(run)


class _Equals(_Phase):
    """The pairs by equality: those at position 1 first, of value 1; then those elsewhere, of value 0."""

    def __init__(self, line: _Line, partners: ChildIndex, equals: dict[int, list[int]]) -> None:
        super().__init__(line, partners, equals, least=0.0)
        self._equals = equals

    def _best(self, i: int) -> _Entry | None:
        equals = self._equals[i]
        steps = self._line.nearest(self._line.window(i), equals)
        if steps and steps[0][0] == 0:
            self._waiting.drop(i)
            return -1.0, i, steps[0][1]
        # to equals only position 1 is worth something: a step away from it they wait for, below the least value
        self._waiting.put(i, [(away, 1 - abs(away) * self._gain(), j) for away, j in steps])
        return (0.0, i, equals[0]) if equals else None

    def _gain(self) -> float:
        return 2.0


class _Similars(_Phase):
    """The pairs by similarity."""

    def __init__(
        self, line: _Line, partners: ChildIndex, groups: dict[int, list[Group]], similarity: Similarity
    ) -> None:
        super().__init__(line, partners, groups, similarity.threshold)
        self._groups = groups
        self._weight = similarity.position
        self._fading: dict[int, _Fading] = {}

    def _best(self, i: int) -> _Entry | None:
        found = self._found(i)
        best = min([(-value, i, j) for _, _, value, j in found], default=None)
        worth = -best[0] if best else 1.0
        # the others are at position 1, or would not be better there
        better = [one for one in found if one[0].bound > worth]
        self._waiting.put(i, [one[1:] for one in better])
        self._fading[i] = _fading(self._groups[i], better, worth)
        return best

    def _found(self, i: int) -> list[_Found]:
        """The nearest of each kind that can be the best, and of some more; the most similar kinds first."""
        line = self._line
        window = line.window(i)
        found: list[_Found] = []
        most = -inf
        for group in self._groups[i]:
            if most > group.bound:
                break
            if group.free:
                for steps, j in line.nearest(window, group.free) if self._weight else [(0, group.free[0])]:
                    value = group.value(1 - abs(steps) / line.fall)
                    found.append((group, steps, value, j))
                    most = max(most, value)
        return found

    def _gain(self) -> float:
        # with the next pair the value falls over one step less: (steps - 1) / (fall - 1) >= steps / fall - 1 / fall
        return self._weight / self._line.fall

    def _holds(self, entry: _Entry) -> bool:
        # each pair makes steps weigh more, so that most entries tell too much: that is found without another look
        value, i, j = entry
        now = self._worth(i)
        if now < -value:
            self._enter(i, (-now, i, j))
            return False
        return super()._holds(entry)

    def _worth(self, i: int) -> float:
        """What the pairs of a child of A are worth at most by now, but for those that came nearer: these wait."""
        rest, away = self._fading[i]
        fall = self._line.fall
        return max([rest, *[group.value(1 - steps / fall) for group, steps in away]])


_Found = tuple[Group, int, float, int]  # kind, steps to the nearest, negative below; what they are worth; child of B
_Fading = tuple[float, list[tuple[Group, int]]]  # bound of most kinds, and the fewest steps to the others


def _fading(groups: list[Group], better: list[_Found], worth: float) -> _Fading:
    """What the worth of a child of A fades to as steps weigh more: how far away is what would be better if nearer."""
    rest = next((group.bound for group in groups if group.bound <= worth), -inf)
    away: list[tuple[Group, int]] = []
    for group, steps, _, _ in better:
        # what is less similar and farther away than another never is worth more than that
        if not away or abs(steps) <= away[-1][1]:
            away.append((group, abs(steps)))
    return rest, away
