"""Which children of one node pair with which of another: the inner step of the equal top-down mapping (thesis, 8.3).

The procedure compares all children with all children and takes the best pair, again and again. Order of precedence:
the same id; (with the rule ``unique``) tag and classes that occur once on both sides; equal, non-empty classes and
equal, non-empty attributes at position 1, then those elsewhere; then by similarity. Ties go to the lowest index in A,
then in B.

Here the same pairs are found without comparing all with all. Children of B that the similarity cannot tell apart, but
for their position, are one *kind*; of each kind only the child nearest to the wanted position can be the best. Each
child of A waits in a heap under its best partner. A pair that is made mostly takes partners away, so that a best
partner is looked for again only when the one in the heap is gone; where a pair moves positions nearer, the children
concerned are looked at anew.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from templex_scrapy.page import TEXT, Features, Outline
from templex_scrapy.similarity import (
    NO_ATTRIBUTES,
    Similarity,
    attribute_ratio,
    children_ratio,
    class_ratio,
    position_window,
)

AT_PLACE, ELSEWHERE, SIMILAR = range(3)
"""Order of precedence: equal classes and attributes at position 1; the same elsewhere; similarity."""


def pair_siblings(
    a: Outline, children_a: list[int], b: Outline, children_b: list[int], similarity: Similarity
) -> list[tuple[int, int]]:
    """The pairs of two lists of children, as (position in ``a``, position in ``b``).

    Complexity:
        About O(n x kinds), n the larger number of children, on lists in which kinds repeat. Option 3 moves all
        positions with each pair and may take O(n² x kinds).
    """
    side_a, side_b = _Side(a, children_a), _Side(b, children_b)
    if len(side_a) == len(side_b) == 1:
        return [(children_a[0], children_b[0])] if _may_pair(side_a, side_b, similarity) else []
    pairing = _Pairing(side_a, side_b, similarity)
    return [(children_a[i], children_b[j]) for i, j in pairing.pairs()]


def _may_pair(side_a: _Side, side_b: _Side, similarity: Similarity) -> bool:
    """Whether two only children pair: no other pair could come first, so any rule will do."""
    a, b = side_a.features[0], side_b.features[0]
    if a.tag != b.tag:
        return False
    if (a.id and a.id == b.id) or (similarity.unique and a.kind == b.kind != TEXT):
        return True
    equal = _equal_key(a)
    if equal is not None and equal == _equal_key(b):
        return True
    children = children_ratio(side_a.kind(0).children, side_b.kind(0).children)
    return similarity.value(1.0, class_ratio(a, b), children, attribute_ratio(a, b)) >= similarity.threshold


class _Kind(NamedTuple):
    """What the similarity can tell of a child, but for its position."""

    features: Features
    children: int


class _Side:
    """The children of one node: features, and numbers of children where they are asked for."""

    def __init__(self, outline: Outline, positions: list[int]) -> None:
        self._outline = outline
        self._positions = positions
        self.features = [outline.features(position) for position in positions]

    def __len__(self) -> int:
        return len(self.features)

    def kind(self, index: int) -> _Kind:
        return _Kind(self.features[index], len(self._outline.children(self._positions[index])))


class _Pairing:
    """The pairs made so far, and what is still free."""

    def __init__(self, side_a: _Side, side_b: _Side, similarity: Similarity) -> None:
        self.a = side_a
        self.b = side_b
        self.similarity = similarity
        self.made: list[tuple[int, int]] = []
        self.free_a = list(range(len(side_a)))
        self.free_b = list(range(len(side_b)))
        self.places: _Places = _PLACES[similarity.option](self)

    def pairs(self) -> list[tuple[int, int]]:
        self._pair_by_key(
            [features.id and f"{features.tag} {features.id}" for features in self.a.features],
            [features.id and f"{features.tag} {features.id}" for features in self.b.features],
        )
        if self.similarity.unique and self.free_a and self.free_b:
            self._pair_by_key(_unique_kinds(self.a.features), _unique_kinds(self.b.features))
        if self.free_a and self.free_b:
            _Greedy(self).run()
        return self.made

    def make(self, i: int, j: int) -> None:
        del self.free_a[bisect_left(self.free_a, i)]
        del self.free_b[bisect_left(self.free_b, j)]
        self.made.append((i, j))
        self.places.paired(i, j)

    def _pair_by_key(self, keys_a: list[str], keys_b: list[str]) -> None:
        """Pair, from the lowest index on, the free children that share a key; an empty key is none."""
        common = set(keys_a).intersection(keys_b)
        common.discard("")
        if not common:
            return
        waiting: dict[str, list[int]] = {key: [] for key in common}
        for j in self.free_b:
            if keys_b[j] in common:
                waiting[keys_b[j]].append(j)
        for i in [i for i in self.free_a if keys_a[i] in common]:
            candidates = waiting[keys_a[i]]
            partner = next((j for j in candidates if self.places.allowed(i, j)), None)
            if partner is not None:
                candidates.remove(partner)
                self.make(i, partner)


def _unique_kinds(siblings: list[Features]) -> list[str]:
    """The kind of each element that is the only one of its kind among its siblings; of the others nothing."""
    kinds = [features.kind for features in siblings]
    counts = Counter(kinds)
    return [kind if counts[kind] == 1 and kind != TEXT else "" for kind in kinds]


class _Greedy:
    """The pairs by equality and by similarity, the best first.

    The heap holds for each free child of A its best pair as (precedence, -similarity, i, j). An entry never tells less
    than the truth: an entry whose partner is gone, or whose place got worse, is replaced when it comes up.
    """

    def __init__(self, pairing: _Pairing) -> None:
        self._pairing = pairing
        self._places = pairing.places
        self._kinds_a = {i: pairing.a.kind(i) for i in pairing.free_a}
        self._partners = _Partners(pairing)
        self._free_b = set(pairing.free_b)
        self._heap: list[tuple[int, float, int, int]] = []
        self._improvable: set[int] = set()

    def run(self) -> None:
        for i in self._pairing.free_a:
            self._look(i)
        while self._heap:
            entry = heapq.heappop(self._heap)
            _, _, i, j = entry
            if i not in self._kinds_a:
                continue
            if j not in self._free_b or self._places.moves:
                best = self._best(i)
                if best != entry:
                    self._enter(i, best)
                    continue
            self._make(i, j)

    def _make(self, i: int, j: int) -> None:
        del self._kinds_a[i]
        self._free_b.discard(j)
        self._partners.take(j)
        self._pairing.make(i, j)
        self._improvable.discard(i)
        for other in self._improvable.intersection(self._places.nearer()):
            self._look(other)

    def _look(self, i: int) -> None:
        self._enter(i, self._best(i))

    def _enter(self, i: int, best: tuple[int, float, int, int] | None) -> None:
        if best is None or not self._is_as_good_as_can_be(best):
            self._improvable.add(i)
        else:
            self._improvable.discard(i)
        if best is not None:
            heapq.heappush(self._heap, best)

    def _is_as_good_as_can_be(self, best: tuple[int, float, int, int]) -> bool:
        """Whether a nearer position would not make a better pair of it, however positions move."""
        precedence, value, i, _ = best
        if precedence == AT_PLACE:
            return True
        kind = self._kinds_a[i]
        top = next(self._partners.groups(kind), None)
        return precedence == SIMILAR and top is not None and -value >= top.bound and not self._partners.equals(kind)

    def _best(self, i: int) -> tuple[int, float, int, int] | None:
        """The best pair of a child of A among the free children of B; None if it has none."""
        kind = self._kinds_a[i]
        equals = self._partners.equals(kind)
        if equals:
            there = self._places.at_place(i, equals)
            if there is not None:
                return AT_PLACE, 0.0, i, there
            anywhere = self._places.first(i, equals)
            if anywhere is not None:
                return ELSEWHERE, 0.0, i, anywhere
        best: tuple[int, float, int, int] | None = None
        for group in self._partners.groups(kind):
            if best is not None and -best[1] > group.bound:
                break
            for j, place in self._places.nearest(i, group.free):
                value = group.value(place)
                found = (SIMILAR, -value, i, j)
                if value >= self._pairing.similarity.threshold and (best is None or found < best):
                    best = found
        return best


@dataclass(frozen=True, slots=True)
class _Group:
    """The free children of B of one kind, as a child of A of one kind sees them.

    Attributes:
        free: their indexes, ascending; shrinks as they are paired.
        bound: the similarity at position 1; no pair of the two kinds has more.
    """

    similarity: Similarity
    properties: tuple[float, float, float]
    free: list[int]
    bound: float

    def value(self, place: float) -> float:
        return self.similarity.value(place, *self.properties)


class _Partners:
    """The free children of B by kind, and for each kind of A which of them may be its partners.

    Attributes make the most kinds: each link of a list may have a target of its own. So children are first grouped
    without regard to them, as if they had none in common; only those that do share one are looked up one by one, by
    what they share. A child counts in both groups, and the higher of the two similarities is the true one.
    """

    def __init__(self, pairing: _Pairing) -> None:
        self._similarity = pairing.similarity
        self._own_lists: dict[int, list[list[int]]] = {}
        self._alike: dict[str, dict[_Alike, _Free]] = defaultdict(dict)
        self._sharing: dict[tuple[str, tuple[str, str]], dict[_Exact, _Free]] = defaultdict(dict)
        self._equal: dict[_Equal, list[int]] = {}
        self._groups: dict[_Exact, list[_Group]] = {}
        for j in pairing.free_b:
            self._own_lists[j] = self._lists(pairing.b.kind(j))
            for indexes in self._own_lists[j]:
                indexes.append(j)

    def _lists(self, kind: _Kind) -> list[list[int]]:
        """The lists that a child of this kind is in."""
        features = kind.features
        alike = features.kind, kind.children, self._weighs_attributes(features)
        lists = [self._alike[features.tag].setdefault(alike, (kind, []))[1]]
        if alike[2]:
            exact: _Free = (kind, [])
            for attribute in features.attributes:
                exact = self._sharing[features.tag, attribute].setdefault(self._exact(kind), exact)
            lists.append(exact[1])
        equal = _equal_key(features)
        if equal is not None:
            lists.append(self._equal.setdefault(equal, []))
        return lists

    def _weighs_attributes(self, features: Features) -> bool:
        # without a weight attributes make no difference
        return bool(self._similarity.attributes and features.attributes)

    def _exact(self, kind: _Kind) -> _Exact:
        features, children = kind
        return features.kind, children, features.attributes if self._similarity.attributes else None

    def take(self, j: int) -> None:
        for indexes in self._own_lists[j]:
            del indexes[bisect_left(indexes, j)]

    def equals(self, kind: _Kind) -> list[int]:
        """The free children with the same tag, the same non-empty classes and the same non-empty attributes."""
        key = _equal_key(kind.features)
        return self._equal.get(key, []) if key is not None else []

    def groups(self, kind: _Kind) -> Iterator[_Group]:
        """The kinds that may reach the threshold, most similar first; those of which none is free are left out."""
        exact = self._exact(kind)
        groups = self._groups.get(exact)
        if groups is None:
            able = [group for group in self._found(kind) if group.bound >= self._similarity.threshold]
            groups = self._groups[exact] = sorted(able, key=lambda group: -group.bound)
        return (group for group in groups if group.free)

    def _found(self, kind: _Kind) -> Iterator[_Group]:
        features = kind.features
        own = self._weighs_attributes(features)
        for (_, _, weighs), (other, free) in self._alike[features.tag].items():
            yield self._group(kind, other, free, 0.0 if own or weighs else NO_ATTRIBUTES)
        if own:
            sharing: dict[_Exact, _Free] = {}
            for attribute in features.attributes:
                sharing.update(self._sharing.get((features.tag, attribute), {}))
            for other, free in sharing.values():
                yield self._group(kind, other, free, attribute_ratio(features, other.features))

    def _group(self, kind: _Kind, other: _Kind, free: list[int], attributes: float) -> _Group:
        classes = class_ratio(kind.features, other.features)
        properties = (classes, children_ratio(kind.children, other.children), attributes)
        return _Group(self._similarity, properties, free, self._similarity.value(1.0, *properties))


_Free = tuple[_Kind, list[int]]  # a kind, and the indexes of the free children of that kind, ascending
_Alike = tuple[str, int, bool]
_Exact = tuple[str, int, frozenset[tuple[str, str]] | None]
_Equal = tuple[str, frozenset[tuple[str, str]]]


def _equal_key(features: Features) -> _Equal | None:
    if not features.classes or not features.attributes:
        return None
    return features.kind, features.attributes


class _Places:
    """The positions of children, option 4: computed once, over all children.

    Attributes:
        moves: whether pairs change the positions of what is still free.
    """

    moves = False

    def __init__(self, pairing: _Pairing) -> None:
        self._pairing = pairing

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
        n_a, n_b = len(self._pairing.a), len(self._pairing.b)
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
        if not self._pairing.similarity.position:
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


class _PlacesAmongFree(_Places):
    """Option 3: computed again after each pair, over the children that are still free."""

    moves = True

    def __init__(self, pairing: _Pairing) -> None:
        super().__init__(pairing)
        self._all = False

    def paired(self, i: int, j: int) -> None:
        # a pair moves those that lie before it on one side and behind it on the other nearer to each other
        a, b = self._pairing.free_a, self._pairing.free_b
        before_a, before_b = bisect_left(a, i) > 0, bisect_left(b, j) > 0
        behind_a, behind_b = bisect_left(a, i) < len(a), bisect_left(b, j) < len(b)
        self._all = (before_a and behind_b) or (behind_a and before_b)

    def nearer(self) -> Iterable[int]:
        return list(self._pairing.free_a) if self._all else ()

    def window(self, i: int) -> tuple[int, int, int]:
        a, b = self._pairing.free_a, self._pairing.free_b
        first, last = position_window(bisect_left(a, i), len(a), len(b))
        return b[first], b[last], min(len(a), len(b))

    def steps(self, j: int, edge: int) -> int:
        b = self._pairing.free_b
        return abs(bisect_left(b, j) - bisect_left(b, edge))


class _Block(NamedTuple):
    """Free children between two neighbouring pairs: [a, a_end) on one side, [b, b_end) on the other."""

    a: int
    a_end: int
    b: int
    b_end: int


class _PlacesInBlocks(_Places):
    """Option 2: computed again after each pair inside the blocks that the pairs cut; 0 across blocks.

    A child of A and one of B are in one block where each pair lies before both or behind both. Pairs may cross here, so
    the k-th gap of A and the k-th of B make a block only if the same pairs lie before both.
    """

    moves = True

    def __init__(self, pairing: _Pairing) -> None:
        super().__init__(pairing)
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
            a[gap] if gap < len(a) else len(self._pairing.a),
            b[gap - 1] + 1 if gap else 0,
            b[gap] if gap < len(b) else len(self._pairing.b),
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
            if not self._pairing.similarity.position and low < high:
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


_PLACES: dict[int, type[_Places]] = {1: _PlacesBoundToBlocks, 2: _PlacesInBlocks, 3: _PlacesAmongFree, 4: _Places}
