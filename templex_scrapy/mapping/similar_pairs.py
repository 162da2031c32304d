"""The pairs by similarity of lists of children, without comparing all with all.

Children of B that differ in nothing but their position form one group, of which only the free child nearest to the
wanted position can be the best for a child of A. So each child of A is compared with groups, of which most lists have
few: a table of 500 rows is one.

Compiled where there is a compiler (similar_pairs.pxd has the types).
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Hashable
from operator import itemgetter
from typing import NamedTuple

from templex_scrapy.mapping.siblings import Siblings
from templex_scrapy.mapping.similarity import (
    NO_ATTRIBUTES,
    NO_CLASSES,
    Similarity,
    children_ratio,
    position_window,
    ratio,
)


class _FreeIndexes:
    """Ascending indexes from which some are removed; a removal or a look-up takes amortised O(log n)."""

    __slots__ = ("_all", "_next", "_previous")

    def __init__(self) -> None:
        self._all: list[int] = []
        self._next: list[int] = []  # slot → itself while it is free, else a slot nearer to the next free one
        self._previous: list[int] = []  # the same downwards, all slots one higher

    def append(self, index: int) -> None:
        self._all.append(index)

    def remove(self, index: int) -> None:
        if not self._next:
            self._next = list(range(len(self._all) + 1))
            self._previous = list(range(len(self._all) + 1))
        slot = bisect_left(self._all, index)
        self._next[slot] = slot + 1
        self._previous[slot + 1] = slot

    def at_or_after(self, index: int) -> int | None:
        slot = bisect_left(self._all, index)
        if self._next:
            slot = _root(self._next, slot)
        return self._all[slot] if slot < len(self._all) else None

    def before(self, index: int) -> int | None:
        slot = bisect_left(self._all, index)
        if self._previous:
            slot = _root(self._previous, slot)
        return self._all[slot - 1] if slot else None


def _root(links: list[int], slot: int) -> int:
    while links[slot] != slot:
        links[slot] = links[links[slot]]
        slot = links[slot]
    return slot


class _Kind(NamedTuple):
    """What the similarity sees of a child, except for its position and its attributes."""

    tag: str
    classes: int  # one bit for each class that occurs on both sides
    class_count: int
    children: int


class _Group(NamedTuple):
    """Free children of B of one kind: those with the same attributes, or all that have attributes, or all others."""

    kind: _Kind
    attributes: _Attributes | None  # None where they are not told apart
    has_attributes: bool
    free: _FreeIndexes


class SimilarPairs:
    """The pairs by similarity of the children that are free on both sides.

    Each child of A waits in a heap under its best pair. When that pair comes up and its child of B is taken, the next
    best pair is looked up. Values never change, so the entry that comes up is the best of all pairs.

    Attributes make the most groups: each link of a list may have a target of its own. So children are grouped without
    regard to them first, as if they had none in common, and those that share an attribute with the child of A are
    looked up by it. Such a child is in two groups, and the higher of the two similarities is the true one.

    Attributes:
        steps: groups compared with a child so far, and a share for the bits of the classes.
        is_cut: whether the limit of steps was reached.
    """

    def __init__(self, a: Siblings, b: Siblings, free_a: list[int], free_b: list[int], similarity: Similarity) -> None:
        self._a = a
        self._b = b
        self._free_a = free_a
        self._free_b = set(free_b)
        self._similarity = similarity
        self.is_cut = False
        self._shared_classes = _class_names(a, free_a) & _class_names(b, free_b)
        # one for 64 bytes of bits
        self.steps = len(self._shared_classes) * (len(self._shared_classes) + len(free_a) + len(free_b)) // 512
        self._class_bits: dict[str, int] = {}
        self._by_tag: dict[str, list[_Group]] = {}
        self._by_attribute: dict[tuple[str, tuple[str, str]], list[_Group]] = {}
        self._lists: dict[int, list[_FreeIndexes]] = {}  # for each child of B the lists that contain it
        self._options_by_look: dict[tuple[_Kind, _Attributes], list[_Option]] = {}
        self._options_by_child: dict[int, list[_Option]] = {}

    def pairs(self, max_steps: int) -> list[tuple[int, int]]:
        """Return the pairs, the best first; after so many steps as many as were found."""
        heap: list[_Entry] = []
        made: list[tuple[int, int]] = []
        if self.steps > max_steps:
            self.is_cut = True
            return made
        self._class_bits = {name: 1 << bit for bit, name in enumerate(self._shared_classes)}
        self._group(sorted(self._free_b))
        for i in self._free_a:
            self._push_best(heap, i)
            if self.steps > max_steps:
                self.is_cut = True
                return made
        while heap and self._free_b and not self.is_cut:
            _, i, j = heapq.heappop(heap)
            if j in self._free_b:
                self._take(j)
                made.append((i, j))
            else:
                self._push_best(heap, i)
                self.is_cut = self.steps > max_steps
        return made

    def _kind(self, siblings: Siblings, index: int) -> _Kind:
        start_tag = siblings.start_tags[index]
        # without a weight classes make no difference
        names = start_tag.classes if self._similarity.classes else ()
        bits = sum(self._class_bits.get(name, 0) for name in names)
        return _Kind(start_tag.tag, bits, len(names), siblings.child_counts[index])

    def _attributes(self, siblings: Siblings, index: int) -> _Attributes:
        return siblings.start_tags[index].attributes if self._similarity.attributes else frozenset()

    def _group(self, free_b: list[int]) -> None:
        groups: dict[Hashable, _Group] = {}
        for j in free_b:
            kind, attributes = self._kind(self._b, j), self._attributes(self._b, j)
            if (kind, bool(attributes)) not in groups:
                group = groups[kind, bool(attributes)] = _Group(kind, None, bool(attributes), _FreeIndexes())
                self._by_tag.setdefault(kind.tag, []).append(group)
            if attributes and (kind, attributes) not in groups:
                group = groups[kind, attributes] = _Group(kind, attributes, bool(attributes), _FreeIndexes())
                for attribute in attributes:
                    self._by_attribute.setdefault((kind.tag, attribute), []).append(group)
            keys = {(kind, bool(attributes)), (kind, attributes or False)}
            self._lists[j] = [groups[key].free for key in keys]
            for free in self._lists[j]:
                free.append(j)

    def _take(self, j: int) -> None:
        self._free_b.discard(j)
        for free in self._lists[j]:
            free.remove(j)

    def _options_of(self, i: int) -> list[_Option]:
        options = self._options_by_child.get(i)
        if options is None:
            look = self._kind(self._a, i), self._attributes(self._a, i)
            options = self._options_by_look.get(look)
            if options is None:
                options = self._options_by_look[look] = self._find_options(*look)
            self._options_by_child[i] = options
        return options

    def _find_options(self, kind: _Kind, attributes: _Attributes) -> list[_Option]:
        """Return the groups that reach the threshold with a child of A, the most similar first."""
        weights = self._similarity
        sharing = [self._by_attribute.get((kind.tag, attribute), []) for attribute in attributes]
        groups = [*self._by_tag.get(kind.tag, ()), *{id(group): group for some in sharing for group in some}.values()]
        self.steps += len(groups) + sum(map(len, sharing))
        options: list[_Option] = []
        of_children: dict[int, float] = {}  # number of children in B → weighted property
        for other, of_group, has_attributes, free in groups:
            common = (kind.classes & other.classes).bit_count()
            classes = weights.classes * ratio(common, kind.class_count, other.class_count, NO_CLASSES)
            children = of_children.get(other.children)
            if children is None:
                children = weights.children * children_ratio(kind.children, other.children)
                of_children[other.children] = children
            if of_group is not None:
                common = len(attributes & of_group)
                same = weights.attributes * ratio(common, len(attributes), len(of_group), NO_ATTRIBUTES)
            else:
                same = 0.0 if attributes or has_attributes else weights.attributes * NO_ATTRIBUTES
            # in the order of Similarity.value: sums of fractions depend on it
            bound = weights.position + classes + children + same
            if bound >= weights.least:
                options.append((-bound, classes, children, same, free))
        options.sort(key=itemgetter(0))
        return options

    def _push_best(self, heap: list[_Entry], i: int) -> None:
        """Add the best pair of a child of A with a free child of B to the heap, if there is one."""
        weight, worst = self._similarity.position, -self._similarity.least
        n_a, n_b = self._a.count, self._b.count
        # without a weight the position makes no difference
        first, last = position_window(i, n_a, n_b) if weight else (0, n_b - 1)
        best: _Entry | None = None
        for bound, classes, children, attributes, free in self._options_of(i):
            if best is not None and bound > best[0]:
                break
            self.steps += 1
            # the lowest in the window, else the nearest on each side
            at = free.at_or_after(first)
            if at is not None and at <= last:
                nearest = [(at, 1.0)]
            else:
                before = free.before(first)
                nearest = [(at, 1 - (at - last) / min(n_a, n_b))] if at is not None else []
                nearest += [(before, 1 - (first - before) / min(n_a, n_b))] if before is not None else []
            for j, position in nearest:
                found = -(weight * position + classes + children + attributes), i, j
                if found[0] <= worst and (best is None or found < best):
                    best = found
        if best is not None:
            heapq.heappush(heap, best)


_Entry = tuple[float, int, int]
"""-similarity, child of A, child of B."""

_Attributes = frozenset[tuple[str, str]]
_Option = tuple[float, float, float, float, _FreeIndexes]
"""A group as a child of A sees it: -similarity at position 1; the weighted properties; the free children of B."""


def _class_names(siblings: Siblings, indexes: list[int]) -> frozenset[str]:
    return frozenset[str]().union(*(siblings.start_tags[index].classes for index in indexes))
