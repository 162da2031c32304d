"""Pairing the children of two nodes: the inner step of the equal top-down mapping (thesis, 8.3).

The procedure of the thesis compares all children with all children, takes the best pair, and starts again. Order of
precedence: the same id; with the rule ``words``, the same words; with the rule ``unique``, tag and classes that occur
once on both sides; equal, non-empty classes and equal, non-empty attributes at position 1, then those elsewhere; then
similarity. Ties go to the lowest index in A, then in B.

The functions here make the same pairs without comparing all with all. As positions are computed once, the value of a
pair never changes. So everything before similarity is one pass in the order of A; and for similarity, children of B
that differ in nothing but their position form one group, of which only the free child nearest to the wanted position
can be the best.

Compiled where there is a compiler (children.pxd has the types).
"""

from __future__ import annotations

import heapq
from array import array
from bisect import bisect_left
from collections.abc import Callable, Hashable
from operator import itemgetter
from typing import NamedTuple

from templex_scrapy.mapping.similarity import (
    NO_ATTRIBUTES,
    NO_CLASSES,
    Similarity,
    attribute_ratio,
    children_ratio,
    class_ratio,
    position_value,
    position_window,
    ratio,
)
from templex_scrapy.page import TEXT, NodeArrays, StartTag

Pair = tuple[int, int]
"""Index of a child of A, index of a child of B."""


class Siblings:
    """The children of one node: their positions, start tags and numbers of children."""

    __slots__ = ("arrays", "child_counts", "count", "positions", "start_tags")

    def __init__(self, arrays: NodeArrays, parent: int) -> None:
        self.arrays = arrays
        self.positions: list[int] = []
        self.start_tags: list[StartTag] = []
        self.child_counts: list[int] = []
        self._read(parent, arrays.start_tags, arrays.ids, arrays.sizes, arrays.child_counts)
        self.count = len(self.positions)

    def _read(
        self, parent: int, start_tags: list[StartTag], ids: array[int], sizes: array[int], counts: array[int]
    ) -> None:
        child, end = parent + 1, parent + sizes[parent]
        while child < end:
            self.positions.append(child)
            self.start_tags.append(start_tags[ids[child]])
            self.child_counts.append(counts[child])
            child += sizes[child]

    def __len__(self) -> int:
        return self.count

    def word_sums(self) -> list[int]:
        """Return a number for the words of each child; 0 for those without."""
        return _word_sums(self.positions, self.arrays.sizes, self.arrays.text_sums)


def _word_sums(positions: list[int], sizes: array[int], sums: array[int]) -> list[int]:
    return [sums[position + sizes[position]] - sums[position] for position in positions]


class Pairing(NamedTuple):
    """The pairs of two lists of children.

    Attributes:
        steps: groups of children compared with a child; what the time depends on, besides O(n log n).
        is_cut: whether the limit of steps was reached, so that the rest was paired in order.
    """

    pairs: list[Pair]
    steps: int
    is_cut: bool


def pair_children(a: Siblings, b: Siblings, similarity: Similarity, max_steps: int) -> Pairing:
    """Pair the children of two nodes.

    O(n log n) for n children of few kinds. Where all are different, as articles with overlapping lists of classes are,
    it would be O(n²): after ``max_steps`` what is left is paired in order, first those with the same tag, classes and
    number of children, then those with the same tag and number of children, then those with the same tag.
    """
    if a.count == b.count and _pairs_by_index(a, b, similarity) and not (similarity.words and _any_cross(a, b)):
        return Pairing([(i, i) for i in range(a.count)], 0, is_cut=False)
    return _Matcher(a, b, similarity).pair(max_steps)


def only_children_pair(a: NodeArrays, i: int, b: NodeArrays, j: int, similarity: Similarity) -> bool:
    """Return whether two only children, given by their positions, pair: :func:`pair_children` in short."""
    tag_a, tag_b = a.start_tag(i), b.start_tag(j)
    if tag_a.tag != tag_b.tag:
        return False
    if similarity.unique and tag_a.tag_and_classes == tag_b.tag_and_classes != TEXT:
        return True
    if similarity.words and a.text_sum(i) == b.text_sum(j) != 0:
        return True
    if tag_a.id and tag_a.id == tag_b.id:
        return True
    equal = tag_a.read(_equality_key)
    if equal is not None and equal == tag_b.read(_equality_key):
        return True
    children = children_ratio(a.child_counts[i], b.child_counts[j])
    classes, attributes = class_ratio(tag_a, tag_b), attribute_ratio(tag_a, tag_b)
    return similarity.value(1.0, classes, children, attributes) >= similarity.threshold


def _pairs_by_index(a: Siblings, b: Siblings, similarity: Similarity) -> bool:
    """Return whether the first of A pairs with the first of B and so on, as in most lists of one template.

    They do where those at the same index are alike in all that has a weight, and no child has the classes and
    attributes of a child at another index: then nothing is more similar to a child than the one at its own index.
    """
    if not similarity.pairs_equals or a.child_counts != b.child_counts:
        return False
    different: list[tuple[StartTag, StartTag]] = []
    for index in range(a.count):
        x, y = a.start_tags[index], b.start_tags[index]
        if x is not y and x.tag_string != y.tag_string:
            if x.tag_and_classes != y.tag_and_classes or x.id != y.id:
                return False
            different.append((x, y))
    if different and similarity.attributes:
        return False
    attributes = [(x, y) for x, y in different if x.classes and x.attributes != y.attributes]
    return not attributes or not (
        _any_equal(b.start_tags, [x for x, _ in attributes]) or _any_equal(a.start_tags, [y for _, y in attributes])
    )


def _any_equal(start_tags: list[StartTag], others: list[StartTag]) -> bool:
    keys = {start_tag.read(_equality_key) for start_tag in start_tags}
    keys.discard(None)
    return any(other.read(_equality_key) in keys for other in others)


_FEW = 36  # pairs that are compared one by one: to group the children takes longer

_Key = Hashable | None
"""What children that pair have in common; None pairs with nothing."""


def _equality_key(start_tag: StartTag) -> _Key:
    """Tag, classes and attributes; None where classes or attributes are empty."""
    if not start_tag.classes or not start_tag.attributes:
        return None
    return start_tag.tag_and_classes, start_tag.attributes


def _equality_keys(siblings: Siblings, free: list[int]) -> list[_Key]:
    keys: list[_Key] = [None] * siblings.count
    for index in free:
        keys[index] = siblings.start_tags[index].read(_equality_key)
    return keys


def _id_keys(siblings: Siblings) -> list[_Key]:
    keys: list[_Key] = [None] * siblings.count
    for index, tag in enumerate(siblings.start_tags):
        if tag.id:
            keys[index] = tag.tag, tag.id
    return keys


_Unique = dict[Hashable, int]
"""The indexes of children by what each shares with no sibling."""


def _same_words(a: Siblings, b: Siblings) -> list[tuple[_Unique, _Unique]]:
    """Return which children have the same words: the rule ``words``.

    A menu marks the section of its page by a class, so by classes the section of one page would pair with another
    section of another page; a box before a list shifts all that follows. What belongs together says the same on both
    sides: elements with the same words, and then those that begin with the same text. Each must be the only one on its
    side. Lists of content share some entries as well, in another order; so the rule holds only where all such children
    of one side are on the other side, too.
    """
    words_a, words_b = _by_words(a), _by_words(b)
    found = [(words_a, words_b)] if _are_common(words_a, words_b) else []
    if a.count != b.count or words_a != words_b:
        first_a, first_b = _by_first_text(a), _by_first_text(b)
        if _are_common(first_a, first_b):
            found.append((first_a, first_b))
    return found


def _are_common(of_a: _Unique, of_b: _Unique) -> bool:
    """Return whether all keys of one side are on the other side."""
    if len(of_a) > len(of_b):
        of_a, of_b = of_b, of_a
    return bool(of_a) and of_a.keys() <= of_b.keys()


def _any_cross(a: Siblings, b: Siblings) -> bool:
    """Return whether the rule ``words`` pairs children at different indexes, of lists with the same tags."""
    if a.word_sums() == b.word_sums():
        return False
    return any(of_b.get(key, i) != i for of_a, of_b in _same_words(a, b) for key, i in of_a.items())


def _by_words(siblings: Siblings) -> _Unique:
    """Tag and words of each child that has some, and shares both with no sibling."""
    keys: list[_Key] = [None] * siblings.count
    for index, words in enumerate(siblings.word_sums()):
        if words:
            keys[index] = siblings.start_tags[index].tag, words
    return _unique(keys)


def _by_first_text(siblings: Siblings) -> _Unique:
    """Tag and first text of each element that has one, and shares both with no sibling."""
    keys: list[_Key] = [None] * siblings.count
    for index, text in enumerate(siblings.arrays.first_texts(siblings.positions)):
        start_tag = siblings.start_tags[index]
        if text is not None and start_tag.tag != TEXT:
            keys[index] = start_tag.tag, text
    return _unique(keys)


def _by_look(siblings: Siblings) -> _Unique:
    """Tag and classes of each element that no sibling has as well."""
    keys: list[_Key] = [None] * siblings.count
    for index, start_tag in enumerate(siblings.start_tags):
        if start_tag.tag != TEXT:
            keys[index] = start_tag.tag_and_classes
    return _unique(keys)


def _unique(keys: list[_Key]) -> _Unique:
    found: dict[Hashable, int] = {}
    is_unique = True
    for index, key in enumerate(keys):
        if key is not None:
            if key in found:
                found[key] = -1
                is_unique = False
            else:
                found[key] = index
    return found if is_unique else {key: index for key, index in found.items() if index >= 0}


def _look_key(start_tag: StartTag, children: int) -> _Key:
    return start_tag.tag_and_classes, children


def _shape_key(start_tag: StartTag, children: int) -> _Key:
    return start_tag.tag, children


def _tag_key(start_tag: StartTag, _: int) -> _Key:
    return start_tag.tag


class _Matcher:
    """Pairs two lists of children, by one rule after the other."""

    def __init__(self, a: Siblings, b: Siblings, similarity: Similarity) -> None:
        self._a = a
        self._b = b
        self._similarity = similarity
        self._free_a = list(range(a.count))
        self._free_b = list(range(b.count))
        self._pairs: list[Pair] = []

    def pair(self, max_steps: int) -> Pairing:
        self._pair_keys(_id_keys(self._a), _id_keys(self._b))
        if self._similarity.words:
            for of_a, of_b in _same_words(self._a, self._b):
                self._pair_unique(of_a, of_b)
        if self._similarity.unique and self._free_a and self._free_b:
            self._pair_unique(_by_look(self._a), _by_look(self._b))
        self._pair_equals()
        if not self._free_a or not self._free_b:
            return Pairing(self._pairs, 0, is_cut=False)
        if len(self._free_a) * len(self._free_b) <= _FEW:
            return self._pair_few()
        similar = _SimilarPairs(self._a, self._b, self._free_a, self._free_b, self._similarity)
        self._take(similar.pairs(max_steps))
        if similar.is_cut:
            for key in (_look_key, _shape_key, _tag_key):
                self._pair_in_order(key)
        return Pairing(self._pairs, similar.steps, similar.is_cut)

    def _pair_keys(self, keys_a: list[_Key], keys_b: list[_Key]) -> None:
        """Pair the free children that share a key, from the lowest index on."""
        waiting = self._free_by_key(keys_b)
        if waiting:
            self._take([(i, waiting[keys_a[i]].pop()) for i in self._free_a if waiting.get(keys_a[i])])

    def _pair_unique(self, of_a: _Unique, of_b: _Unique) -> None:
        """Pair the free children that share a key which no sibling has."""
        free_a, free_b = set(self._free_a), set(self._free_b)
        both = [(i, of_b.get(key, -1)) for key, i in of_a.items() if i in free_a]
        self._take([(i, j) for i, j in both if j in free_b])

    def _pair_few(self) -> Pairing:
        """Pair the free children by similarity, all compared with all."""
        options: list[tuple[float, int, int]] = []
        for i in self._free_a:
            x = self._a.start_tags[i]
            for j in self._free_b:
                y = self._b.start_tags[j]
                if x.tag == y.tag:
                    value = self._value(i, j)
                    if value >= self._similarity.threshold:
                        options.append((-value, i, j))
        steps = len(self._free_a) * len(self._free_b)
        free_a, free_b = set(self._free_a), set(self._free_b)
        for _, i, j in sorted(options):
            if i in free_a and j in free_b:
                self._pairs.append((i, j))
                free_a.discard(i)
                free_b.discard(j)
        return Pairing(self._pairs, steps, is_cut=False)

    def _pair_in_order(self, key: Callable[[StartTag, int], _Key]) -> None:
        """Pair, in turn, the free children that share a key, as far as they reach the threshold."""
        keys_a = list(map(key, self._a.start_tags, self._a.child_counts))
        keys_b = list(map(key, self._b.start_tags, self._b.child_counts))
        waiting = self._free_by_key(keys_b)
        both = [(i, waiting[keys_a[i]].pop()) for i in self._free_a if waiting.get(keys_a[i])]
        self._take([(i, j) for i, j in both if self._value(i, j) >= self._similarity.threshold])

    def _value(self, i: int, j: int) -> float:
        a, b = self._a.start_tags[i], self._b.start_tags[j]
        return self._similarity.value(
            position_value(i, j, self._a.count, self._b.count),
            class_ratio(a, b),
            children_ratio(self._a.child_counts[i], self._b.child_counts[j]),
            attribute_ratio(a, b) if self._similarity.attributes else 0.0,
        )

    def _free_by_key(self, keys_b: list[_Key]) -> dict[_Key, list[int]]:
        """Return the free children of B by key, the lowest index last."""
        found: dict[_Key, list[int]] = {}
        for j in reversed(self._free_b):
            if keys_b[j] is not None:
                found.setdefault(keys_b[j], []).append(j)
        return found

    def _pair_equals(self) -> None:
        """Pair those with equal classes and attributes: at position 1, then elsewhere."""
        keys_a = _equality_keys(self._a, self._free_a)
        if all(key is None for key in keys_a):
            return
        keys_b = _equality_keys(self._b, self._free_b)
        waiting = self._free_by_key(keys_b)
        made: list[Pair] = []
        for i in self._free_a:
            equals = waiting.get(keys_a[i])
            if not equals:
                continue
            first, last = position_window(i, len(self._a), len(self._b))
            # the window of the next child starts here or later
            while equals and equals[-1] < first:
                equals.pop()
            if equals and equals[-1] <= last:
                made.append((i, equals.pop()))
        self._take(made)
        self._pair_keys(keys_a, keys_b)

    def _take(self, pairs: list[Pair]) -> None:
        if pairs:
            self._pairs += pairs
            taken_a, taken_b = {i for i, _ in pairs}, {j for _, j in pairs}
            self._free_a = [i for i in self._free_a if i not in taken_a]
            self._free_b = [j for j in self._free_b if j not in taken_b]


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


class _SimilarPairs:
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

    def pairs(self, max_steps: int) -> list[Pair]:
        heap: list[_Entry] = []
        made: list[Pair] = []
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
            if bound >= weights.threshold:
                options.append((-bound, classes, children, same, free))
        options.sort(key=itemgetter(0))
        return options

    def _push_best(self, heap: list[_Entry], i: int) -> None:
        """Add the best pair of a child of A with a free child of B to the heap, if there is one."""
        weight, worst = self._similarity.position, -self._similarity.threshold
        n_a, n_b = len(self._a), len(self._b)
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
