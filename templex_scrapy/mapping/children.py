"""Pairing the children of two nodes: the inner step of the equal top-down mapping (thesis, 8.3).

The procedure of the thesis compares all children with all children, takes the best pair, and starts again. Children
pair by the first of these rules that holds; ties go to the lowest index in A, then in B:

1. the same id;
2. with the rule ``words``, the same words;
3. with the rule ``unique``, tag and classes that occur once on both sides;
4. equal, non-empty classes and equal, non-empty attributes, at position 1;
5. the same at any other position;
6. similarity.

The functions here make the same pairs in less time. Positions are computed once, so the value of a pair never changes:
a pass in the order of A decides each of the rules 1 to 5, and a single sort decides rule 6.
"""

from __future__ import annotations

from collections.abc import Hashable
from operator import itemgetter
from typing import NamedTuple

from templex_scrapy import cython
from templex_scrapy.mapping.siblings import Siblings
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

Pair = tuple[int, int]  # index of a child of A, index of a child of B
_Key = Hashable | None  # children with the same key pair; None pairs with nothing
_Unique = dict[Hashable, int]  # the indexes of children by a key that no sibling has

_FEW = 625
"""Pairs of free children that are compared whatever steps are left: 25 boxes with 25."""

_NAMES = 16
"""Names of classes or attributes that take as long to compare as all else of a pair."""

cython.declare(_WORDS="int", _FIRST_TEXT="int", _LOOK="int")
_WORDS, _FIRST_TEXT, _LOOK = range(3)  # properties by which children are unique, each with the tag


class Pairing(NamedTuple):
    """The pairs of two lists of children.

    Attributes:
        pairs: the pairs.
        steps: pairs of free children that were compared; a pair with many names counts as several.
        is_cut: whether that would have taken too many steps, so that the free children were paired in order.
    """

    pairs: list[Pair]
    steps: int = 0
    is_cut: bool = False


@cython.locals(a=Siblings, b=Siblings, pairs=list, same_words=list, of_a=dict, of_b=dict, most="Py_ssize_t")
def pair_children(a: Siblings, b: Siblings, similarity: Similarity, max_steps: int) -> Pairing:
    """Pair the children of two nodes, none of which is taken.

    O(n) without free children for rule 6, which compares all with all. If that takes more than ``max_steps``, the free
    children are paired in order: first those with the same tag, classes and number of children, at the same index and
    then elsewhere, then those with the same tag and number of children, then those with the same tag.
    """
    pairs: list[Pair] = []
    most = min(a.count, b.count)
    same_words = _same_words(a, b) if similarity.words else []
    # the rows of a table, the entries of a menu: most lists have the same shape on both pages
    if not _any_cross(same_words) and _pairs_by_index(a, b, similarity):
        return Pairing([(i, i) for i in range(a.count)])
    # 1: names that an author gave: <div id="search"> is the search box at any place and with any words
    if a.has_ids and b.has_ids:
        _pair_keys(a, b, _id_keys(a), _id_keys(b), pairs, None)
    for of_a, of_b in same_words:  # 2
        _pair_unique(a, b, of_a, of_b, pairs)
    if similarity.unique and len(pairs) < most:  # 3
        _pair_unique(a, b, _unique(a, _LOOK), _unique(b, _LOOK), pairs)
    if len(pairs) < most:  # 4 and 5
        _pair_equals(a, b, pairs)
    return _pair_similar(a, b, pairs, similarity, max_steps) if len(pairs) < most else Pairing(pairs)  # 6


@cython.cfunc
@cython.locals(
    a=Siblings, b=Siblings, pairs=list, weights=Weights, by_tag=dict, same=list, options=list, start_tag=StartTag,
    i="Py_ssize_t", j="Py_ssize_t", steps="Py_ssize_t", compared="Py_ssize_t", names="Py_ssize_t", length="int",
    value="double",
)  # fmt: skip
def _pair_similar(a: Siblings, b: Siblings, pairs: list[Pair], similarity: Similarity, max_steps: int) -> Pairing:
    """Pair the free children by similarity, or in order if there are too many."""
    weights = Weights(similarity)
    by_tag: dict[str, list[int]] = {}  # a heading is no paragraph, however much else they share
    for j in _free(b):
        start_tag = b.start_tags[j]
        by_tag.setdefault(start_tag.tag, []).append(j)
    free_a = [i for i in _free(a) if a.start_tags[i].tag in by_tag]
    steps = compared = 0
    for i in free_a:
        start_tag = a.start_tags[i]
        same = by_tag[start_tag.tag]
        compared += len(same)
        names = len(start_tag.classes) + (len(start_tag.attributes) if weights.attributes else 0)
        steps += len(same) * (1 + names // _NAMES)
    if compared > _FEW and steps > max_steps:  # 500 articles, each with other classes
        # the same advert may stand behind each hundredth paragraph
        _pair_keys(a, b, list(enumerate(_shape_keys(a, 3))), list(enumerate(_shape_keys(b, 3))), pairs, weights)
        for length in (3, 2, 1):
            _pair_keys(a, b, _shape_keys(a, length), _shape_keys(b, length), pairs, weights)
        return Pairing(pairs, is_cut=True)
    options: list[tuple[float, int, int]] = []
    for i in free_a:
        start_tag = a.start_tags[i]
        same = by_tag[start_tag.tag]
        for j in same:
            value = _value(a, b, i, j, weights)
            if value >= weights.least:
                options.append((-value, i, j))
    # by similarity alone: the sort is stable, so the lowest index comes first
    options.sort(key=itemgetter(0))
    for _, i, j in options:
        if not a.taken[i] and not b.taken[j]:
            _take(a, b, i, j, pairs)
    return Pairing(pairs, steps)


@cython.cfunc
@cython.returns("bint")
@cython.locals(a=Siblings, b=Siblings, index="Py_ssize_t", x=StartTag, y=StartTag)
def _pairs_by_index(a: Siblings, b: Siblings, similarity: Similarity) -> bool:
    """Return whether it is known that the first of A pairs with the first of B and so on, unless words cross.

    They do if children at the same index are alike in all properties with a weight, and no child has the classes and
    attributes of a child at another index: then no child is more similar than the child at the same index.
    """
    if a.child_counts != b.child_counts or not similarity.pairs_equals:
        return False
    for index in range(a.count):
        x, y = a.start_tags[index], b.start_tags[index]
        # an id pairs across the list: <div id="news"> is the second box of one page and the third of another; and so
        # do equal classes and attributes, or equal attributes if these have a weight
        if (
            x is not y
            and x.tag_string != y.tag_string
            and (x.tag_and_classes != y.tag_and_classes or x.id != y.id or x.classes or similarity.attributes)
        ):
            return False
    return True


@cython.cfunc
@cython.locals(siblings=Siblings)
def _free(siblings: Siblings) -> list[int]:
    return [index for index in range(siblings.count) if not siblings.taken[index]]


@cython.cfunc
@cython.locals(a=Siblings, b=Siblings, i="Py_ssize_t", j="Py_ssize_t", pairs=list)
def _take(a: Siblings, b: Siblings, i: int, j: int, pairs: list[Pair]) -> None:
    pairs.append((i, j))
    a.taken[i] = b.taken[j] = 1


@cython.cfunc
@cython.locals(a=Siblings, b=Siblings, words_a=dict, words_b=dict, first_a=dict, first_b=dict, common=list)
def _same_words(a: Siblings, b: Siblings) -> list[tuple[_Unique, _Unique]]:
    """Return the children with the same words, by the rule ``words``.

    A menu marks the current section by a class, so classes would pair different sections; a box before a list shifts
    all that follow. Children with the same words belong together; after them, elements that begin with the same text.
    No sibling may share the words or the text. Lists of content share some entries as well, in another order. So the
    rule holds only if all such children of a side are on the other side, too.
    """
    words_a, words_b = _unique(a, _WORDS), _unique(b, _WORDS)
    common = [(words_a, words_b)] if _are_common(words_a, words_b) else []
    # a row with <dt>Weight</dt><dd>2 kg</dd>: rows begin with the same label and end with other values
    if a.count != b.count or words_a != words_b:
        first_a, first_b = _unique(a, _FIRST_TEXT), _unique(b, _FIRST_TEXT)
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
    """Return whether children with the same words are at different indexes."""
    for of_a, of_b in same_words:
        for key, i in of_a.items():
            if of_b.get(key, i) != i:
                return True
    return False


@cython.cfunc
@cython.locals(
    siblings=Siblings, rule="int", keys=dict, are_all="bint", index="Py_ssize_t", start_tag=StartTag, text="long long",
    position="Py_ssize_t", key=object,
)  # fmt: skip
def _unique(siblings: Siblings, rule: int) -> _Unique:
    """Map the tag and a property of each child to the index, if no sibling has both."""
    keys: _Unique = {}
    are_all = True
    for index in range(siblings.count):
        start_tag, position = siblings.start_tags[index], siblings.positions[index]
        if rule == _WORDS:
            text = siblings.tree.text_sum(position)
        elif start_tag.tag == TEXT:
            continue  # the only text between two links says nothing of the place
        else:
            text = siblings.tree.first_text(position) if rule == _FIRST_TEXT else 0
        if rule == _LOOK:
            key: Hashable = start_tag.tag_and_classes
        elif text:
            key = text ^ hash(start_tag.tag)  # faster than a pair
        else:
            continue
        if keys.setdefault(key, index) != index:
            keys[key] = -1
            are_all = False
    return keys if are_all else {key: index for key, index in keys.items() if index >= 0}


@cython.cfunc
@cython.locals(a=Siblings, b=Siblings, of_a=dict, of_b=dict, pairs=list, i="Py_ssize_t", j="Py_ssize_t")
def _pair_unique(a: Siblings, b: Siblings, of_a: _Unique, of_b: _Unique, pairs: list[Pair]) -> None:
    """Pair the free children with the same key; no sibling has this key."""
    for key, i in of_a.items():
        j = of_b.get(key, -1)
        if j >= 0 and not a.taken[i] and not b.taken[j]:
            _take(a, b, i, j, pairs)


@cython.cfunc
@cython.locals(siblings=Siblings)
def _id_keys(siblings: Siblings) -> list[_Key]:
    # <body id="home"> of a frame that became a <div id="home"> is another element
    return [(start_tag.tag, start_tag.id) if start_tag.id else None for start_tag in siblings.start_tags]


def _shape_keys(siblings: Siblings, length: int) -> list[_Key]:
    """Return tag, number of children and classes of all children, or so many of these."""
    shapes = zip(siblings.start_tags, siblings.child_counts, strict=True)
    return [(start_tag.tag, count, start_tag.tag_and_classes)[:length] for start_tag, count in shapes]


@cython.cfunc
@cython.locals(
    a=Siblings, b=Siblings, keys_a=list, keys_b=list, pairs=list, weights=Weights, waiting=dict, i="Py_ssize_t",
    j="Py_ssize_t", same=list,
)  # fmt: skip
def _pair_keys(
    a: Siblings, b: Siblings, keys_a: list[_Key], keys_b: list[_Key], pairs: list[Pair], weights: Weights | None
) -> None:
    """Pair the free children that share a key, from the lowest index on; with weights, those that are similar."""
    waiting = _free_by_key(b, keys_b)
    for i in range(a.count if waiting else 0):
        same = None if a.taken[i] else waiting.get(keys_a[i])
        if same:
            j = same.pop()
            if weights is None or _value(a, b, i, j, weights) >= weights.least:
                _take(a, b, i, j, pairs)


@cython.cfunc
@cython.locals(b=Siblings, keys_b=list, free=dict, j="Py_ssize_t")
def _free_by_key(b: Siblings, keys_b: list[_Key]) -> dict[_Key, list[int]]:
    """Return the free children of B by key, the lowest index last."""
    free: dict[_Key, list[int]] = {}
    for j in range(b.count - 1, -1, -1):
        if not b.taken[j] and keys_b[j] is not None:
            free.setdefault(keys_b[j], []).append(j)
    return free


@cython.cfunc
@cython.locals(
    a=Siblings, b=Siblings, pairs=list, waiting=dict, i="Py_ssize_t", equals=list, keys_a=list, keys_b=list, looks=set
)
def _pair_equals(a: Siblings, b: Siblings, pairs: list[Pair]) -> None:
    """Pair children with equal classes and attributes: at position 1, then elsewhere."""
    # reading attributes takes longer than all other work on a child
    looks = _free_looks(a) & _free_looks(b)
    if not looks:
        return
    keys_a, keys_b = _equality_keys(a, looks), _equality_keys(b, looks)
    waiting = _free_by_key(b, keys_b)
    for i in range(a.count if waiting else 0):
        equals = None if a.taken[i] else waiting.get(keys_a[i])
        if not equals:
            continue
        first, last = position_window(i, a.count, b.count)
        # the window of the next child starts here or later
        while equals and equals[-1] < first:
            equals.pop()
        if equals and equals[-1] <= last:
            _take(a, b, i, equals.pop(), pairs)
    _pair_keys(a, b, keys_a, keys_b, pairs, None)


@cython.cfunc
@cython.locals(siblings=Siblings, start_tag=StartTag, looks=set, index="Py_ssize_t")
def _free_looks(siblings: Siblings) -> set[str]:
    """Return tag and classes of the free children that have classes."""
    looks: set[str] = set()
    for index in range(siblings.count):
        start_tag = siblings.start_tags[index]
        if not siblings.taken[index] and start_tag.classes:
            looks.add(start_tag.tag_and_classes)
    return looks


@cython.cfunc
@cython.locals(siblings=Siblings, looks=set, start_tags=list)
def _equality_keys(siblings: Siblings, looks: set[str]) -> list[_Key]:
    """Return the equality keys of the children with these tags and classes."""
    start_tags = siblings.start_tags
    return [start_tag.read(_equality_key) if start_tag.tag_and_classes in looks else None for start_tag in start_tags]


def _equality_key(start_tag: StartTag) -> _Key:
    """Return tag, classes and attributes; None if classes or attributes are empty."""
    # two <div> without attributes are equal, but no more alike than others: their positions decide
    if not start_tag.classes or not start_tag.attributes:
        return None
    return start_tag.tag_and_classes, start_tag.attributes


@cython.cfunc
@cython.returns("double")
@cython.locals(
    a=Siblings, b=Siblings, i="Py_ssize_t", j="Py_ssize_t", weights=Weights, x=StartTag, y=StartTag, position="double",
    children="double", classes="double",
)  # fmt: skip
def _value(a: Siblings, b: Siblings, i: int, j: int, weights: Weights) -> float:
    """Return the similarity of two children, or 0.0 if it is below the threshold whatever their names are."""
    position = position_value(i, j, a.count, b.count)
    children = children_ratio(a.child_counts[i], b.child_counts[j])
    if weights.value(position, 1.0, children, 1.0) < weights.least:
        return 0.0
    x, y = a.start_tags[i], b.start_tags[j]
    # most pairs have no classes, or share a start tag
    classes = 1.0 if x.classes is y.classes else class_ratio(x, y)
    return weights.value(position, classes, children, attribute_ratio(x, y) if weights.attributes else 0.0)
