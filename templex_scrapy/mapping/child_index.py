"""Which children of B may be partners of which of A: what the similarity cannot tell apart is looked at once."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from templex_scrapy.mapping.similarity import NO_ATTRIBUTES, Similarity, attribute_ratio, children_ratio, class_ratio
from templex_scrapy.page import NodeArrays, StartTag


class Kind(NamedTuple):
    """What the similarity can tell of a child, but for its position."""

    features: StartTag
    children: int


class Side:
    """The children of one node: positions, features, and numbers of children."""

    __slots__ = ("counts", "features", "positions")

    def __init__(self, arrays: NodeArrays, positions: list[int]) -> None:
        counts = arrays.child_counts
        self.positions = positions
        self.features = [arrays.start_tag(position) for position in positions]
        self.counts = [counts[position] for position in positions]

    def __len__(self) -> int:
        return len(self.features)

    def kind(self, index: int) -> Kind:
        """What the similarity can tell of the child at an index, but for its position."""
        return Kind(self.features[index], self.counts[index])


@dataclass(frozen=True, slots=True)
class Group:
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
        """The similarity of a pair of the two kinds, given the value of its position."""
        return self.similarity.value(place, *self.properties)


class ChildIndex:
    """The free children of B by kind, and for each kind of A which of them may be its partners.

    Attributes make the most kinds: each link of a list may have a target of its own. So children are first grouped
    without regard to them, as if they had none in common; only those that do share one are looked up one by one, by
    what they share. A child counts in both groups, and the higher of the two similarities is the true one.

    Classes make as many kinds where each has one of its own, such as the number of a post. What no child of the other
    side has cannot be in common, so of such classes only the number counts.
    """

    def __init__(
        self, side_a: Side, side_b: Side, free_a: list[int], free_b: list[int], similarity: Similarity
    ) -> None:
        self._similarity = similarity
        self._classes_of_a = frozenset[str]().union(*(side_a.features[i].classes for i in free_a))
        self._classes_of_b = frozenset[str]().union(*(side_b.features[j].classes for j in free_b))
        self._own_lists: dict[int, list[list[int]]] = {}
        self._alike: dict[str, dict[_Alike, _Free]] = defaultdict(dict)
        self._sharing: dict[tuple[str, tuple[str, str]], dict[_Exact, _Free]] = defaultdict(dict)
        self._equal: dict[_Equal, list[int]] = {}
        self._groups: dict[_Exact, list[Group]] = {}
        for j in free_b:
            self._own_lists[j] = self._lists(side_b.kind(j))
            for indexes in self._own_lists[j]:
                indexes.append(j)

    def _lists(self, kind: Kind) -> list[list[int]]:
        """The lists that a child of this kind is in."""
        features = kind.features
        alike = self._look(features, self._classes_of_a), kind.children, self._weighs_attributes(features)
        lists = [self._alike[features.tag].setdefault(alike, (kind, []))[1]]
        if alike[2]:
            exact: _Free = (kind, [])
            for attribute in features.attributes:
                known = self._sharing[features.tag, attribute]
                exact = known.setdefault(self._exact(kind, self._classes_of_a), exact)
            lists.append(exact[1])
        equal = equal_key(features)
        if equal is not None:
            lists.append(self._equal.setdefault(equal, []))
        return lists

    def _weighs_attributes(self, features: StartTag) -> bool:
        # without a weight attributes make no difference
        return bool(self._similarity.attributes and features.attributes)

    def _look(self, features: StartTag, of_others: frozenset[str]) -> _Look:
        # without a weight classes make no difference
        classes = features.classes if self._similarity.classes else frozenset()
        return features.tag, classes & of_others if classes else classes, len(classes)

    def _exact(self, kind: Kind, of_others: frozenset[str]) -> _Exact:
        features, children = kind
        attributes = features.attributes if self._similarity.attributes else None
        return self._look(features, of_others), children, attributes

    def take(self, j: int) -> None:
        """Take a child of B away from those that are free."""
        for indexes in self._own_lists[j]:
            del indexes[bisect_left(indexes, j)]

    def equals(self, kind: Kind) -> list[int]:
        """The free children with the same tag, the same non-empty classes and the same non-empty attributes."""
        key = equal_key(kind.features)
        return self._equal.get(key, []) if key is not None else []

    def groups(self, kind: Kind) -> Iterator[Group]:
        """The kinds that may reach the threshold, most similar first; those of which none is free are left out."""
        return (group for group in self.able(kind) if group.free)

    def able(self, kind: Kind) -> list[Group]:
        """The same with those of which none is free."""
        exact = self._exact(kind, self._classes_of_b)
        groups = self._groups.get(exact)
        if groups is None:
            able = [group for group in self._found(kind) if group.bound >= self._similarity.threshold]
            groups = self._groups[exact] = sorted(able, key=lambda group: -group.bound)
        return groups

    def _found(self, kind: Kind) -> Iterator[Group]:
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

    def _group(self, kind: Kind, other: Kind, free: list[int], attributes: float) -> Group:
        classes = class_ratio(kind.features, other.features)
        properties = (classes, children_ratio(kind.children, other.children), attributes)
        return Group(self._similarity, properties, free, self._similarity.value(1.0, *properties))


_Free = tuple[Kind, list[int]]  # a kind, and the indexes of the free children of that kind, ascending
_Look = tuple[str, frozenset[str], int]  # tag, classes that a child of the other side has too, number of classes
_Alike = tuple[_Look, int, bool]
_Exact = tuple[_Look, int, frozenset[tuple[str, str]] | None]
_Equal = tuple[str, frozenset[tuple[str, str]]]


def equal_key(features: StartTag) -> _Equal | None:
    """What two equal children share: tag, classes and attributes; None where the latter two are not both there."""
    if not features.classes or not features.attributes:
        return None
    return features.tag_and_classes, features.attributes
