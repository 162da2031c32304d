"""Which children of one node pair with which of another: the inner step of the equal top-down mapping (thesis, 8.3).

The procedure compares all children with all children and takes the best pair, again and again. Order of precedence:
the same id; (with the rule ``unique``) tag and classes that occur once on both sides; equal, non-empty classes and
equal, non-empty attributes at position 1, then those elsewhere; then by similarity. Ties go to the lowest index in A,
then in B.

Here the same pairs are found without comparing all with all. Children of B that the similarity cannot tell apart, but
for their position, are one *kind*; of each kind only the child nearest to the wanted position can be the best. Each
child of A waits in a heap under its best partner. A pair that is made mostly takes partners away, so that a best
partner is looked for again only when the one in the heap is gone; where a pair moves positions nearer, the children
concerned are looked at anew. Position option 3, where each pair moves all others, has a procedure of its own.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections import Counter

from templex_scrapy.mapping.among_free import pairs_among_free
from templex_scrapy.mapping.child_index import ChildIndex, Side, equal_key
from templex_scrapy.mapping.position_score import places
from templex_scrapy.mapping.similarity import (
    Similarity,
    attribute_ratio,
    children_ratio,
    class_ratio,
)
from templex_scrapy.mapping.waiting import Pool, Waiting
from templex_scrapy.page import TEXT, NodeArrays, StartTag

AT_PLACE, ELSEWHERE, SIMILAR = range(3)
"""Order of precedence: equal classes and attributes at position 1; the same elsewhere; similarity."""


def pair_children(side_a: Side, side_b: Side, similarity: Similarity) -> list[tuple[int, int]]:
    """The pairs of two lists of children, as positions in their pages.

    For two only children :func:`only_children_pair` tells the same with less work.

    Complexity:
        About O(n log n x kinds), n the larger number of children, on lists in which kinds repeat. With option 3, where
        each pair moves positions all over the lists, O(n²) short steps besides.
    """
    if len(side_a) == len(side_b) and _pair_in_order(side_a, side_b, similarity):
        return list(zip(side_a.positions, side_b.positions, strict=True))
    pairs = _Pairing(side_a, side_b, similarity).pairs()
    return [(side_a.positions[i], side_b.positions[j]) for i, j in pairs]


def only_children_pair(a: NodeArrays, i: int, b: NodeArrays, j: int, similarity: Similarity) -> bool:
    """Whether two only children pair, told by their positions: no other pair could come first, so any rule will do."""
    features_a, features_b = a.start_tag(i), b.start_tag(j)
    if features_a.tag != features_b.tag:
        return False
    if similarity.unique and features_a.tag_and_classes == features_b.tag_and_classes != TEXT:
        return True
    if features_a.id and features_a.id == features_b.id:
        return True
    equal = equal_key(features_a)
    if equal is not None and equal == equal_key(features_b):
        return True
    children = children_ratio(a.child_counts[i], b.child_counts[j])
    classes, attributes = class_ratio(features_a, features_b), attribute_ratio(features_a, features_b)
    return similarity.value(1.0, classes, children, attributes) >= similarity.threshold


def _pair_in_order(side_a: Side, side_b: Side, similarity: Similarity) -> bool:
    """Whether the first of A pairs with the first of B and so on, as in most lists of one template.

    So it is where those at the same index are alike in all that has a weight, and no child has the classes and
    attributes of a child at another index: then nothing is more similar to a child than the one at its own index.
    """
    if not similarity.pairs_equals or side_a.counts != side_b.counts:
        return False
    pairs = zip(side_a.features, side_b.features, strict=True)
    other = [(a, b) for a, b in pairs if a is not b and a.tag_string != b.tag_string]
    if other and similarity.attributes:
        return False
    if any(a.tag_and_classes != b.tag_and_classes or a.id != b.id for a, b in other):
        return False
    apart = [(a, b) for a, b in other if a.classes and a.attributes != b.attributes]
    return not apart or not (_equals_in(side_b, [a for a, _ in apart]) or _equals_in(side_a, [b for _, b in apart]))


def _equals_in(side: Side, others: list[StartTag]) -> bool:
    keys = set(map(equal_key, side.features))
    keys.discard(None)
    return any(equal_key(other) in keys for other in others)


class _Pairing:
    """The pairs made so far, and what is still free."""

    def __init__(self, side_a: Side, side_b: Side, similarity: Similarity) -> None:
        self.a = side_a
        self.b = side_b
        self.similarity = similarity
        self.made: list[tuple[int, int]] = []
        self.free_a = list(range(len(side_a)))
        self.free_b = list(range(len(side_b)))
        self.places = places(similarity.option, self.free_a, self.free_b, weighs_position=bool(similarity.position))

    def pairs(self) -> list[tuple[int, int]]:
        self._pair_by_key(
            [features.id and f"{features.tag} {features.id}" for features in self.a.features],
            [features.id and f"{features.tag} {features.id}" for features in self.b.features],
        )
        if self.similarity.unique and self.free_a and self.free_b:
            self._pair_by_key(_unique_kinds(self.a.features), _unique_kinds(self.b.features))
        if self.free_a and self.free_b:
            self._pair_the_rest()
        return self.made

    def _pair_the_rest(self) -> None:
        if self.similarity.option == 3:
            self.made += pairs_among_free(self.a, self.b, self.free_a, self.free_b, self.similarity)
        else:
            for free_a, free_b in self.places.apart():
                _Greedy(self, free_a, free_b).run()

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


def _unique_kinds(siblings: list[StartTag]) -> list[str]:
    """The kind of each element that is the only one of its kind among its siblings; of the others nothing."""
    kinds = [features.tag_and_classes for features in siblings]
    counts = Counter(kinds)
    counts[TEXT] = 0
    return [kind if counts[kind] == 1 else "" for kind in kinds]


class _Greedy:
    """The pairs by equality and by similarity, the best first.

    The heap holds for each free child of A its best pair as (precedence, -similarity, i, j). An entry never tells less
    than the truth: an entry whose partner is gone, or whose place got worse, is replaced when it comes up.

    Where pairs move positions nearer (options 1 and 2), a child of A may be worth more than its entry tells. Such
    children wait: the heap holds for each pool of them what the best may be worth by now, as (SIMILAR, -bound, -1,
    number of the pool). When that comes up, they are looked at as far as they may be better than all else.
    """

    def __init__(self, pairing: _Pairing, free_a: list[int], free_b: list[int]) -> None:
        self._pairing = pairing
        self._places = pairing.places
        self._similarity = pairing.similarity
        self._kinds_a = {i: pairing.a.kind(i) for i in free_a}
        self._partners = ChildIndex(pairing.a, pairing.b, free_a, free_b, pairing.similarity)
        self._free_b = set(free_b)
        self._heap: list[_Entry] = []
        self._entered: dict[int, _Entry | None] = {}  # of each free child of A the one entry that counts
        children = range(free_a[0], free_a[-1] + 1)
        self._elsewhere = Waiting(children)  # those with equals, by the position of the nearest
        self._similar = Waiting(children)  # the others, by the similarity of their best pair

    def run(self) -> None:
        for i in self._kinds_a:
            self._look(i)
        while self._heap:
            entry = heapq.heappop(self._heap)
            _, value, i, j = entry
            if i < 0:
                self._wake(self._similar.pools[j], -value)
            elif self._entered.get(i) == entry:
                self._settle(entry)

    def _settle(self, entry: _Entry) -> None:
        """Make the pair that came up, or find out what its child of A has instead."""
        _, _, i, j = entry
        if j not in self._free_b or self._places.moves:
            best = self._best(i)
            if best != entry:
                self._enter(i, best)
                return
        self._make(i, j)

    def _make(self, i: int, j: int) -> None:
        del self._kinds_a[i], self._entered[i]
        self._free_b.discard(j)
        self._partners.take(j)
        self._pairing.make(i, j)
        if not self._places.moves:
            return
        self._elsewhere.drop(i)
        self._similar.drop(i)
        for children, gain in self._places.gains():
            for pool in self._elsewhere.gain(children, gain):
                self._look_at_equals(pool)
            for pool in self._similar.gain(children, gain * self._similarity.position):
                self._promise(pool)

    def _look_at_equals(self, pool: Pool) -> None:
        """Look at those that may be at position 1 with an equal by now: that is all that a position is to equals."""
        while (self._elsewhere.bound(pool) or 0.0) >= 1.0:
            self._look(self._elsewhere.pop(pool))

    def _promise(self, pool: Pool) -> None:
        """Enter what the best of those that wait may be worth, if that makes a pair."""
        pool.promised = self._similar.bound(pool)
        if pool.promised is not None and pool.promised >= self._similarity.threshold:
            heapq.heappush(self._heap, (SIMILAR, -pool.promised, -1, pool.number))

    def _wake(self, pool: Pool, promised: float) -> None:
        """Look at those that wait, as far as they may be better than all else."""
        if promised != pool.promised:
            return
        while (bound := self._similar.bound(pool)) is not None and bound >= self._similarity.threshold:
            if self._heap and self._heap[0] < (SIMILAR, -bound):
                break
            self._look(self._similar.pop(pool))
        self._promise(pool)

    def _look(self, i: int) -> None:
        self._enter(i, self._best(i))

    def _enter(self, i: int, best: _Entry | None) -> None:
        if self._places.moves:
            self._wait(i, best)
        known, self._entered[i] = self._entered.get(i), best
        if best is None or best == known:
            return
        if best[0] < SIMILAR or -best[1] >= self._similarity.threshold:
            heapq.heappush(self._heap, best)

    def _wait(self, i: int, best: _Entry | None) -> None:
        """Let a child of A wait if a nearer position would make a better pair of it, however positions move."""
        self._elsewhere.drop(i)
        self._similar.drop(i)
        if best is None or best[0] == AT_PLACE:
            return
        kind = self._kinds_a[i]
        if best[0] == ELSEWHERE:
            self._elsewhere.put(i, self._places.nearness(i, self._partners.equals(kind)))
        elif any(group.bound > -best[1] for group in self._partners.groups(kind)):
            self._similar.put(i, -best[1])

    def _best(self, i: int) -> _Entry | None:
        """The best pair of a child of A with a free child of B, be it below the threshold; None if it has none."""
        kind = self._kinds_a[i]
        equals = self._partners.equals(kind)
        if equals:
            there = self._places.at_place(i, equals)
            if there is not None:
                return AT_PLACE, 0.0, i, there
            anywhere = self._places.first(i, equals)
            if anywhere is not None:
                return ELSEWHERE, 0.0, i, anywhere
        best: _Entry | None = None
        for group in self._partners.groups(kind):
            if best is not None and -best[1] > group.bound:
                break
            for j, place in self._places.nearest(i, group.free):
                found = (SIMILAR, -group.value(place), i, j)
                if best is None or found < best:
                    best = found
        return best


_Entry = tuple[int, float, int, int]  # precedence, -similarity, child of A, child of B
