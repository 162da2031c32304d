"""Pairing the children of two nodes: the inner step of the equal top-down mapping (thesis, 8.3).

The procedure of the thesis compares all children with all children, takes the best pair, and starts again. Order of
precedence: the same id; with the rule ``words``, the same words; with the rule ``unique``, tag and classes that occur
once on both sides; equal, non-empty classes and equal, non-empty attributes, at position 1 before elsewhere; then
similarity. Ties go to the lowest index in A, then in B.

The functions here make the same pairs without comparing all with all. Positions are computed once, so the value of a
pair never changes, and a single pass in the order of A decides all rules before similarity. Pairs by similarity are in
:mod:`templex_scrapy.mapping.similar_pairs`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from operator import itemgetter

from templex_scrapy import cython
from templex_scrapy.mapping.siblings import Siblings
from templex_scrapy.mapping.similar_pairs import SimilarPairs
from templex_scrapy.mapping.similarity import (
    Similarity,
    Weights,
    attribute_ratio,
    children_ratio,
    class_ratio,
    position_value,
    position_window,
)
from templex_scrapy.page import TEXT, StartTag

Pair = tuple[int, int]
"""Index of a child of A, index of a child of B."""


class Pairing:
    """The pairs of two lists of children.

    Attributes:
        pairs: the pairs.
        steps: groups of children compared with a child; each adds to a time of O(n log n).
        is_cut: whether the limit of steps was reached, and the rest was paired in order.
    """

    __slots__ = ("is_cut", "pairs", "steps")

    def __init__(self, pairs: list[Pair], steps: int = 0, *, is_cut: bool = False) -> None:
        self.pairs = pairs
        self.steps = steps
        self.is_cut = is_cut


@cython.locals(is_by_index="bint", same_words=list)
def pair_children(a: Siblings, b: Siblings, similarity: Similarity, max_steps: int) -> Pairing:
    """Pair the children of two nodes.

    O(n log n) for n children of few kinds. If all are different, such as articles with overlapping lists of classes, it
    would be O(n²). So after ``max_steps`` the rest is paired in order: first children with the same tag, classes and
    number of children, then with the same tag and number of children, then with the same tag.
    """
    # the rows of a table, the entries of a menu: most lists have the same shape on both pages
    is_by_index = a.count == b.count and _pairs_by_index(a, b, similarity)
    same_words: list[tuple[_Unique, _Unique]] = []
    if similarity.words and (not is_by_index or _may_cross(a, b)):
        same_words = _same_words(a, b)
    if is_by_index and not _any_cross(same_words):
        return Pairing([(i, i) for i in range(a.count)])
    return _Matcher(a, b, similarity).pair(same_words, max_steps)


@cython.cfunc
@cython.returns("bint")
@cython.locals(a=Siblings, b=Siblings, index="Py_ssize_t", x=StartTag, y=StartTag, different=list)
def _pairs_by_index(a: Siblings, b: Siblings, similarity: Similarity) -> bool:
    """Return whether the first of A pairs with the first of B and so on, as in most lists of a template.

    They do if children at the same index are alike in all properties with a weight, and no child has the classes and
    attributes of a child at another index: then no child is more similar than the child at the same index.
    """
    if not similarity.pairs_equals or a.child_counts != b.child_counts:
        return False
    different: list[tuple[StartTag, StartTag]] = []
    for index in range(a.count):
        x, y = a.start_tags[index], b.start_tags[index]
        if x is not y and x.tag_string != y.tag_string:
            # an id pairs across the list: <div id="news"> is the second box of one page and the third of another
            if x.tag_and_classes != y.tag_and_classes or x.id != y.id:
                return False
            different.append((x, y))
    # if attributes have a weight, a link may be more similar to a link at another index with the same target
    if different and similarity.attributes:
        return False
    attributes = [(x, y) for x, y in different if x.classes and x.attributes != y.attributes]
    return not attributes or not (
        _any_equal(b.start_tags, [x for x, _ in attributes]) or _any_equal(a.start_tags, [y for _, y in attributes])
    )


@cython.cfunc
@cython.returns("bint")
@cython.locals(
    a=Siblings, b=Siblings, words="Py_ssize_t", texts="Py_ssize_t", index="Py_ssize_t", i="Py_ssize_t", j="Py_ssize_t"
)
def _may_cross(a: Siblings, b: Siblings) -> bool:
    """Return whether children at different indexes may have the same words, in lists with the same tags."""
    # a single difference cannot cross: the footer says the same on both pages, and only the content does not
    words = texts = 0
    for index in range(a.count):
        i, j = a.positions[index], b.positions[index]
        words += a.tree.text_sum(i) != b.tree.text_sum(j)
        texts += a.tree.first_text(i) != b.tree.first_text(j)
        if words > 1:
            return True
    return words == 1 and texts > 1


@cython.cfunc
@cython.returns("bint")
@cython.locals(start_tags=list, others=list, start_tag=StartTag, looks=set, keys=set)
def _any_equal(start_tags: list[StartTag], others: list[StartTag]) -> bool:
    looks: set[str] = set()
    keys: set[_Key] = set()
    for start_tag in others:
        looks.add(start_tag.tag_and_classes)
    for start_tag in start_tags:
        # reading attributes takes longest here
        if start_tag.tag_and_classes in looks:
            keys.add(start_tag.read(_equality_key))
    keys.discard(None)
    if keys:
        for start_tag in others:
            if start_tag.read(_equality_key) in keys:
                return True
    return False


# 25 boxes with 25: compiled code is no faster with more on the saved sites, and plain Python 2% slower than with 144
_FEW = 625
"""Most pairs of free children that are all compared."""

_Key = Hashable | None
"""Children with the same key pair; None pairs with nothing."""


def _equality_key(start_tag: StartTag) -> _Key:
    """Return tag, classes and attributes; None if classes or attributes are empty."""
    # two <div> without attributes are equal, but no more alike than others: their positions decide
    if not start_tag.classes or not start_tag.attributes:
        return None
    return start_tag.tag_and_classes, start_tag.attributes


@cython.cfunc
@cython.locals(siblings=Siblings, taken=bytearray, start_tag=StartTag, looks=set, index="Py_ssize_t")
def _free_looks(siblings: Siblings, taken: bytearray) -> set[str]:
    """Return tag and classes of the free children that have classes."""
    looks: set[str] = set()
    for index in range(siblings.count):
        start_tag = siblings.start_tags[index]
        if not taken[index] and start_tag.classes:
            looks.add(start_tag.tag_and_classes)
    return looks


@cython.cfunc
@cython.locals(siblings=Siblings, taken=bytearray, looks=set, start_tag=StartTag, keys=list, index="Py_ssize_t")
def _equality_keys(siblings: Siblings, taken: bytearray, looks: set[str]) -> list[_Key]:
    """Return the equality keys of the free children with these tags and classes."""
    keys: list[_Key] = [None] * siblings.count
    for index in range(siblings.count):
        start_tag = siblings.start_tags[index]
        if not taken[index] and start_tag.tag_and_classes in looks:
            keys[index] = start_tag.read(_equality_key)
    return keys


@cython.cfunc
@cython.locals(siblings=Siblings, keys=list, index="Py_ssize_t", tag=StartTag)
def _id_keys(siblings: Siblings) -> list[_Key]:
    keys: list[_Key] = [None] * siblings.count
    for index in range(siblings.count):
        tag = siblings.start_tags[index]
        if tag.id:
            # <body id="home"> of a frame that became a <div id="home"> is another element
            keys[index] = tag.tag, tag.id
    return keys


_Unique = dict[Hashable, int]
"""The indexes of children by a key that no sibling has."""


@cython.cfunc
@cython.locals(a=Siblings, b=Siblings, words_a=dict, words_b=dict, first_a=dict, first_b=dict, common=list)
def _same_words(a: Siblings, b: Siblings) -> list[tuple[_Unique, _Unique]]:
    """Return the children with the same words, by the rule ``words``.

    A menu marks the current section by a class, so classes would pair different sections; a box before a list shifts
    all that follow. Children with the same words belong together; after them, elements that begin with the same text.
    No sibling may share the words or the text. Lists of content share some entries as well, in another order. So the
    rule holds only if all such children of a side are on the other side, too.
    """
    words_a, words_b = _by_words(a), _by_words(b)
    common = [(words_a, words_b)] if _are_common(words_a, words_b) else []
    # a row with <dt>Weight</dt><dd>2 kg</dd>: rows begin with the same label and end with other values
    if a.count != b.count or words_a != words_b:
        first_a, first_b = _by_first_text(a), _by_first_text(b)
        if _are_common(first_a, first_b):
            common.append((first_a, first_b))
    return common


@cython.cfunc
@cython.returns("bint")
@cython.locals(of_a=dict, of_b=dict)
def _are_common(of_a: _Unique, of_b: _Unique) -> bool:
    """Return whether a side has all keys of the other side."""
    # a menu of a section has all entries of the site's menu and some more
    if len(of_a) > len(of_b):
        of_a, of_b = of_b, of_a
    return bool(of_a) and of_a.keys() <= of_b.keys()


@cython.cfunc
@cython.returns("bint")
@cython.locals(same_words=list, of_a=dict, of_b=dict)
def _any_cross(same_words: list[tuple[_Unique, _Unique]]) -> bool:
    """Return whether children with the same words are at different indexes, in lists with the same tags."""
    for of_a, of_b in same_words:
        for key, i in of_a.items():
            if of_b.get(key, i) != i:
                return True
    return False


@cython.cfunc
@cython.locals(siblings=Siblings, keys=dict, repeated="int", index="Py_ssize_t", words="long long")
def _by_words(siblings: Siblings) -> _Unique:
    """Map tag and words of each child with words to the index, if no sibling has both."""
    keys: _Unique = {}
    repeated = 0
    for index in range(siblings.count):
        words = siblings.tree.text_sum(siblings.positions[index])
        if words:
            # a number is faster than a pair as a key
            repeated += _add(keys, words ^ hash(siblings.start_tags[index].tag), index)
    return _unique(keys) if repeated else keys


@cython.cfunc
@cython.locals(siblings=Siblings, keys=dict, repeated="int", index="Py_ssize_t", start_tag=StartTag, text="long long")
def _by_first_text(siblings: Siblings) -> _Unique:
    """Map tag and first text of each element with text to the index, if no sibling has both."""
    keys: _Unique = {}
    repeated = 0
    for index in range(siblings.count):
        start_tag = siblings.start_tags[index]
        if start_tag.tag != TEXT:
            text = siblings.tree.first_text(siblings.positions[index])
            if text:
                repeated += _add(keys, text ^ hash(start_tag.tag), index)
    return _unique(keys) if repeated else keys


@cython.cfunc
@cython.locals(siblings=Siblings, keys=dict, repeated="int", index="Py_ssize_t", start_tag=StartTag)
def _by_look(siblings: Siblings) -> _Unique:
    """Map tag and classes of each element to the index, if no sibling has both."""
    keys: _Unique = {}
    repeated = 0
    for index in range(siblings.count):
        start_tag = siblings.start_tags[index]
        # <main>, <div class="sidebar">; but the only text between two links says nothing of the place
        if start_tag.tag != TEXT:
            repeated += _add(keys, start_tag.tag_and_classes, index)
    return _unique(keys) if repeated else keys


@cython.cfunc
@cython.returns("bint")
@cython.locals(keys=dict, index="Py_ssize_t", first="Py_ssize_t")
def _add(keys: _Unique, key: Hashable, index: int) -> bool:
    """Add a child by a key; return whether a sibling has the same key."""
    first = keys.setdefault(key, index)
    if first == index:
        return False
    keys[key] = -1
    return True


def _unique(keys: _Unique) -> _Unique:
    return {key: index for key, index in keys.items() if index >= 0}


def _look_key(start_tag: StartTag, children: int) -> _Key:
    return start_tag.tag_and_classes, children


def _shape_key(start_tag: StartTag, children: int) -> _Key:
    return start_tag.tag, children


def _tag_key(start_tag: StartTag, _: int) -> _Key:
    return start_tag.tag


class _Matcher:
    """Pairs two lists of children, rule after rule."""

    def __init__(self, a: Siblings, b: Siblings, similarity: Similarity) -> None:
        self._a = a
        self._b = b
        self._similarity = similarity
        self._weights = Weights(similarity)
        self._taken_a = bytearray(a.count)
        self._taken_b = bytearray(b.count)
        self._pairs: list[Pair] = []

    @cython.locals(a=Siblings, b=Siblings, of_a=dict, of_b=dict, free_a=list, free_b=list)
    def pair(self, same_words: list[tuple[_Unique, _Unique]], max_steps: int) -> Pairing:
        a, b, similarity = self._a, self._b, self._similarity
        # first the names that an author gave: <div id="search"> is the search box at any place and with any words
        if a.has_ids and b.has_ids:
            self._pair_keys(_id_keys(a), _id_keys(b))
        for of_a, of_b in same_words:
            self._pair_unique(of_a, of_b)
        if similarity.unique and self._is_any_free():
            self._pair_unique(_by_look(a), _by_look(b))
        if self._is_any_free():
            self._pair_equals()
        if not self._is_any_free():
            return Pairing(self._pairs)
        free_a, free_b = _free(self._taken_a), _free(self._taken_b)
        if len(free_a) * len(free_b) <= _FEW:
            self._pair_few(free_a, free_b)
            return Pairing(self._pairs, len(free_a) * len(free_b))
        similar = SimilarPairs(a, b, free_a, free_b, similarity)
        for i, j in similar.pairs(max_steps):
            self._take(i, j)
        # 400 articles, each with other classes: the rest pairs in order
        if similar.is_cut:
            for key in (_look_key, _shape_key, _tag_key):
                self._pair_in_order(key)
        return Pairing(self._pairs, similar.steps, is_cut=similar.is_cut)

    @cython.locals(pairs="Py_ssize_t")
    def _is_any_free(self) -> bool:
        """Return whether both sides have children that are not paired."""
        pairs = len(self._pairs)
        return pairs < self._a.count and pairs < self._b.count

    def _take(self, i: int, j: int) -> None:
        self._pairs.append((i, j))
        self._taken_a[i] = self._taken_b[j] = 1

    @cython.locals(waiting=dict, i="Py_ssize_t", same=list)
    def _pair_keys(self, keys_a: list[_Key], keys_b: list[_Key]) -> None:
        """Pair the free children that share a key, from the lowest index on."""
        waiting = self._free_by_key(keys_b)
        if waiting:
            for i in range(self._a.count):
                if not self._taken_a[i]:
                    same = waiting.get(keys_a[i])
                    if same:
                        self._take(i, same.pop())

    @cython.locals(i="Py_ssize_t", j="Py_ssize_t")
    def _pair_unique(self, of_a: _Unique, of_b: _Unique) -> None:
        """Pair the free children with the same key; no sibling has this key."""
        for key, i in of_a.items():
            j = of_b.get(key, -1)
            if j >= 0 and not self._taken_a[i] and not self._taken_b[j]:
                self._take(i, j)

    @cython.locals(options=list, start_tag=StartTag, other=StartTag, i="Py_ssize_t", j="Py_ssize_t", value="double")
    def _pair_few(self, free_a: list[int], free_b: list[int]) -> None:
        """Compare all free children with all, and pair them by similarity."""
        options: list[tuple[float, int, int]] = []
        for i in free_a:
            start_tag = self._a.start_tags[i]
            for j in free_b:
                other = self._b.start_tags[j]
                # a heading is no paragraph, however much else they share
                if start_tag.tag == other.tag:
                    value = self._value(i, j)
                    if value >= self._weights.least:
                        options.append((-value, i, j))
        # by similarity alone: the sort is stable, so the lowest index comes first
        options.sort(key=itemgetter(0))
        for _, i, j in options:
            if not self._taken_a[i] and not self._taken_b[j]:
                self._take(i, j)

    def _pair_in_order(self, key: Callable[[StartTag, int], _Key]) -> None:
        """Pair, in turn, the free children that share a key, as far as they reach the threshold."""
        keys_a = list(map(key, self._a.start_tags, self._a.child_counts))
        keys_b = list(map(key, self._b.start_tags, self._b.child_counts))
        waiting = self._free_by_key(keys_b)
        for i in _free(self._taken_a):
            if waiting.get(keys_a[i]):
                j = waiting[keys_a[i]].pop()
                if self._value(i, j) >= self._weights.least:
                    self._take(i, j)

    @cython.locals(a=StartTag, b=StartTag)
    def _value(self, i: int, j: int) -> float:
        a, b = self._a.start_tags[i], self._b.start_tags[j]
        return self._weights.value(
            position_value(i, j, self._a.count, self._b.count),
            # most pairs have no classes, or share a start tag
            1.0 if a.classes is b.classes else class_ratio(a, b),
            children_ratio(self._a.child_counts[i], self._b.child_counts[j]),
            attribute_ratio(a, b) if self._weights.attributes else 0.0,
        )

    @cython.locals(free=dict, j="Py_ssize_t")
    def _free_by_key(self, keys_b: list[_Key]) -> dict[_Key, list[int]]:
        """Return the free children of B by key, the lowest index last."""
        free: dict[_Key, list[int]] = {}
        for j in range(self._b.count - 1, -1, -1):
            if not self._taken_b[j] and keys_b[j] is not None:
                free.setdefault(keys_b[j], []).append(j)
        return free

    @cython.locals(waiting=dict, i="Py_ssize_t", equals=list, keys_a=list, keys_b=list, looks=set)
    def _pair_equals(self) -> None:
        """Pair children with equal classes and attributes: at position 1, then elsewhere."""
        # reading attributes takes longer than all other work on a child
        looks = _free_looks(self._a, self._taken_a) & _free_looks(self._b, self._taken_b)
        if not looks:
            return
        keys_a = _equality_keys(self._a, self._taken_a, looks)
        keys_b = _equality_keys(self._b, self._taken_b, looks)
        waiting = self._free_by_key(keys_b)
        if not waiting:
            return
        for i in range(self._a.count):
            equals = None if self._taken_a[i] else waiting.get(keys_a[i])
            if not equals:
                continue
            first, last = position_window(i, self._a.count, self._b.count)
            # the window of the next child starts here or later
            while equals and equals[-1] < first:
                equals.pop()
            if equals and equals[-1] <= last:
                self._take(i, equals.pop())
        self._pair_keys(keys_a, keys_b)


@cython.cfunc
@cython.locals(taken=bytearray, index="Py_ssize_t")
def _free(taken: bytearray) -> list[int]:
    return [index for index in range(len(taken)) if not taken[index]]
