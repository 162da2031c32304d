"""The equal top-down mapping and TemEx as printed (thesis, 8.2 and chapter 9), step by step.

The product computes positions once (option 4) and takes shortcuts. This mapping compares all children with all children
again after each pair, with any of the four position options. :class:`Printed` has a parameter for each choice that the
text leaves open: what "HTML attributes" are, and their share if the first node has none (8.2.1; F1 on the development
sites 0.539 to 0.790). Of several equal nodes the most similar is mapped, then the first. Copies of a page have no vote.
``tests/literal/mapping.py`` has the product's reading alone, without any code of the product.

Table 8.2 as printed has 0.8 at most if the first node has more children, against its text and Tables 8.1 and 8.3; here
it is Table 8.3 turned round, as in the published code: the authors' browser extension HybEx, in a public index of code
(the files that define ``HybEx.HybEx.Config``, ``Map`` and ``HybEx``; no repository, no release).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from templex_bench.detectors.identity import child_lists
from templex_scrapy.mapping import ROUNDING, TEMPLEX, Similarity
from templex_scrapy.page import TEXT, NodeArrays, Page, StartTag, distinct, nodes_of
from templex_scrapy.papers.site_conex import content_by_occurrences

Floats = NDArray[np.float64]
Child = tuple[StartTag, int]
"""The start tag of a child and its number of children: all that the similarity needs besides the position."""

NO_ATTRIBUTES = 0.75
"""Value of the property attributes where neither node has any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """Published parameters of the mapping: the weights of position, class names, children and attributes, and more.

    Attributes:
        threshold: the similarity from which on two nodes may pair.
        option: how positions are computed: 4 once; 3 again after each pair, over the unpaired children; 2 again after
            each pair inside the blocks into which the pairs divide both lists, 0 across blocks; 1 as 2, and no pair
            across blocks.
        share: class names and attributes in common are divided by those of the first node, or of both.
        compared: pairs of name and value of attributes, or names.
        own_names: whether ``id`` and ``class`` are attributes as well.
        vacuous: whether all attributes of a first node without any are shared; else 0.75 if neither has any.
        unique: whether tag and classes that occur once on both sides pair, next after equal ids (no paper has that).
        rules: ``added``: equal ids pair first, then equal classes and attributes, both also below the threshold, and
            the roots are mapped in any case. ``code``: as the published code has it: also nodes without classes have
            equal classes, and of equal pairs the last is taken. ``printed``: no such rules.
    """

    position: float
    classes: float
    children: float
    attributes: float
    threshold: float
    option: int
    share: Literal["first", "union"] = "first"
    compared: Literal["pairs", "names"] = "pairs"
    own_names: bool = False
    vacuous: bool = False
    unique: bool = False
    rules: Literal["printed", "added", "code"] = "printed"


TEMPLATES = Printed(position=0.1, classes=0.1, children=0.3, attributes=0.5, threshold=0.7, option=2)
"""Parameters for templates (thesis, Table 8.5, row 1)."""

CONTENT = Printed(position=0.0, classes=0.1, children=0.7, attributes=0.2, threshold=0.9, option=4)
"""Parameters for content at the level of a site (thesis, Table 10.2)."""

CODE = Printed(
    position=0.4, classes=0.1, children=0.5, attributes=0.0, threshold=0.9, option=4, share="union", rules="code"
)
"""Parameters that the published code has (thesis, Table 8.5, row 5)."""


def as_of(similarity: Similarity) -> Printed:
    """Return parameters of the product; its rule about equal words reads texts, which the literal mapping does not."""
    given = {field.name: getattr(similarity, field.name) for field in fields(similarity) if field.name != "words"}
    return Printed(**given, option=4, share="union", rules="added")


PRINTED = {
    "as printed": TEMPLATES,
    "id and class too": replace(TEMPLATES, own_names=True),
    "names": replace(TEMPLATES, compared="names"),
    "names, id and class too": replace(TEMPLATES, compared="names", own_names=True),
    "none is all": replace(TEMPLATES, vacuous=True),
    "names, none is all": replace(TEMPLATES, compared="names", vacuous=True),
    "shares of both": replace(TEMPLATES, share="union"),
    "rules added": replace(TEMPLATES, rules="added"),
    "option 1": replace(TEMPLATES, option=1),
    "option 3": replace(TEMPLATES, option=3),
    "in code": CODE,
    "content, as printed": CONTENT,
    "content, rules added": replace(CONTENT, rules="added"),
    "content, in code": replace(CONTENT, share="union", rules="code"),
    "templex, shares of the first": replace(as_of(TEMPLEX), share="first"),
}
"""The parameters by their names in results."""


def detect_template_literally(
    key: Page,
    pages: Iterable[Page],
    votes: int = 2,
    *,
    similarity: Printed = TEMPLATES,
    content: Collection[int] = frozenset(),
    copies: Literal["dropped", "raise"] = "dropped",
) -> frozenset[int]:
    """Return the positions of the nodes that enough pages have in the same place (Algorithms 10 and 11).

    O(pairs x children of A x children of B) for each two lists of children: seconds for lists of hundreds. ``content``
    is taken out of the key page first, with its descendants. Copies have no vote, or (``raise``, as in the published
    implementation) each page to which the whole key page maps raises the number of votes by one.
    """
    others = distinct([key, *pages])[1:] if copies == "dropped" else list(pages)
    mappings = [map_literally(nodes_of(key), nodes_of(page), similarity, content) for page in others]
    found = Counter(node for mapping in mappings for node in mapping)
    if copies == "raise":
        votes += sum(len(mapping) == len(key) for mapping in mappings)
    return frozenset(node for node, count in found.items() if count >= min(votes, len(others)))


def refine_template(key: Page, pages: Iterable[Page], *, similarity: Printed = TEMPLATES) -> frozenset[int]:
    """Map the key page to the first page, and the mapped nodes to the next pages (PROLE 2014, Algorithm 2)."""
    template = everything = frozenset(range(len(key)))
    others = distinct([key, *pages])[1:]
    for page in others:
        # a page whose root is not similar is passed over
        mapped = map_literally(nodes_of(key), nodes_of(page), similarity, everything - template)
        template = frozenset(mapped) or template
    return template if others else frozenset()


def detect_content_literally(key: Page, pages: Iterable[Page], *, similarity: Printed = CONTENT) -> frozenset[int]:
    """Return the main content by the pages of the complete subdigraph (Algorithms 11 to 15)."""
    others = distinct([key, *pages])[1:]
    found = Counter(node for page in others for node in map_literally(nodes_of(key), nodes_of(page), similarity))
    if others and not found:  # no root is similar: Algorithm 11 counts nothing, and every node is a candidate
        return frozenset(range(len(key)))
    return content_by_occurrences(nodes_of(key), found) if others else frozenset()


def map_literally(
    a: NodeArrays, b: NodeArrays, similarity: Printed, left_out: Collection[int] = frozenset()
) -> dict[int, int]:
    """Map the nodes of one page to those of another."""
    children_a = [[child for child in children if child not in left_out] for children in child_lists(a)]
    children_b = child_lists(b)
    tags_a, tags_b = ([page.start_tag(at) for at in range(len(page.parents))] for page in (a, b))
    roots = [(tags_a[0], len(children_a[0]))], [(tags_b[0], len(children_b[0]))]
    if similarity.rules == "printed" and not pair_children(*roots, similarity):
        return {}
    mapping = {0: 0}
    waiting = [(0, 0)]
    while waiting:
        i, j = waiting.pop()
        x, y = children_a[i], children_b[j]
        side_a = [(tags_a[child], len(children_a[child])) for child in x]
        side_b = [(tags_b[child], len(children_b[child])) for child in y]
        pairs = [(x[p], y[q]) for p, q in pair_children(side_a, side_b, similarity)]
        mapping.update(pairs)
        waiting += pairs
    return mapping


def pair_children(side_a: Sequence[Child], side_b: Sequence[Child], similarity: Printed) -> list[tuple[int, int]]:
    """Pair two lists of children, the best pair first; on a tie the lowest i, then the lowest j; in code the last."""
    pairs: list[tuple[int, int]] = []
    if not side_a or not side_b:
        return pairs
    known: dict[tuple[str, int, str, int], tuple[float, ...]] = {}
    compared = np.zeros((len(side_a), len(side_b), 4))
    unique = _once(side_a) & _once(side_b) if similarity.unique else frozenset[str]()
    for i, (a, count_a) in enumerate(side_a):
        for j, (b, count_b) in enumerate(side_b):
            pair = a.tag_string, count_a, b.tag_string, count_b
            if pair not in known:
                known[pair] = _compared(a, count_a, b, count_b, similarity, unique)
            compared[i, j] = known[pair]
    kind, classes, children, attributes = np.moveaxis(compared, 2, 0)
    while True:
        place = positions(len(side_a), len(side_b), pairs, similarity.option)
        # summed up in the order of the text, so that ties are ties
        value = similarity.position * place + similarity.classes * classes
        value += similarity.children * children
        value += similarity.attributes * attributes
        # the exact sum may be the threshold, and the rounded one a little less
        scores = np.where(value >= similarity.threshold - ROUNDING, value, -1.0)
        if similarity.rules != "printed":
            scores = np.where(kind == SAME_START, np.where(place == 1, 3.0, 2.0), scores)
            scores = np.where(kind >= UNIQUE, kind + 1, scores)
        scores = np.where((kind == OTHER_TAG) | np.isnan(place), -1.0, scores)
        best = (
            scores.size - 1 - int(scores[::-1, ::-1].argmax()) if similarity.rules == "code" else int(scores.argmax())
        )
        if scores.flat[best] < 0:
            return pairs
        pairs.append((best // len(side_b), best % len(side_b)))


OTHER_TAG, SAME_TAG, SAME_START, UNIQUE, SAME_ID = range(5)
"""Kinds of pairs of children, from last to first: equal ids count first, equal classes and attributes last."""


def _once(side: Sequence[Child]) -> frozenset[str]:
    counts = Counter(tag.tag_and_classes for tag, _ in side)
    return frozenset(key for key, count in counts.items() if count == 1 and key != TEXT)


def _compared(
    a: StartTag, count_a: int, b: StartTag, count_b: int, similarity: Printed, unique: Collection[str]
) -> tuple[float, ...]:
    """Return the kind of a pair, and the values of classes, children and attributes."""
    classes = _share(a.classes, b.classes, similarity.share, 1.0)
    of_a, of_b = _attributes(a, similarity), _attributes(b, similarity)
    attributes = 1.0 if similarity.vacuous and not of_a else _share(of_a, of_b, similarity.share, NO_ATTRIBUTES)
    children = min(count_a, count_b) / max(count_a, count_b) if count_a or count_b else 1.0
    both = bool(of_a) and (bool(a.classes) or similarity.rules == "code") and a.classes == b.classes and of_a == of_b
    is_unique = a.tag_and_classes == b.tag_and_classes and a.tag_and_classes in unique
    kind = SAME_ID if a.id and a.id == b.id else UNIQUE if is_unique else SAME_START if both else SAME_TAG
    return kind if a.tag == b.tag else OTHER_TAG, classes, children, attributes


def _attributes(tag: StartTag, similarity: Printed) -> frozenset[object]:
    own = [("id", tag.id), ("class", " ".join(sorted(tag.classes)))] if similarity.own_names else []
    pairs = {*tag.attributes, *(pair for pair in own if pair[1])}
    return frozenset(pairs if similarity.compared == "pairs" else (name for name, _ in pairs))


def _share(a: frozenset[object], b: frozenset[object], share: str, neither: float) -> float:
    if not a and not b:
        return neither
    whole = len(a) if share == "first" else len(a | b)
    return len(a & b) / whole if whole else 0.0


def positions(n_a: int, n_b: int, pairs: Sequence[tuple[int, int]], option: int) -> Floats:
    """Return the value of the position of all pairs of children by one of the options 1 to 4.

    NaN if a child is paired, or the two must not pair.
    """
    values = np.full((n_a, n_b), 0.0 if option == 2 else np.nan)
    free_a = np.setdiff1d(np.arange(n_a), [i for i, _ in pairs])
    free_b = np.setdiff1d(np.arange(n_b), [j for _, j in pairs])
    if option == 4:
        values[:] = position_values(n_a, n_b)
    elif option == 3:
        values[np.ix_(free_a, free_b)] = position_values(len(free_a), len(free_b))
    else:
        # the children of a block lie on the same side of every pair; pairs may cross
        sides_a = _grouped(free_a, [i for i, _ in pairs])
        sides_b = _grouped(free_b, [j for _, j in pairs])
        for side in sides_a.keys() & sides_b.keys():
            values[np.ix_(sides_a[side], sides_b[side])] = position_values(len(sides_a[side]), len(sides_b[side]))
    for i, j in pairs:
        values[i, :] = values[:, j] = np.nan
    return values


def _grouped(free: NDArray[np.intp], paired: Sequence[int]) -> dict[bytes, list[int]]:
    groups: dict[bytes, list[int]] = {}
    for index, sides in zip(free, np.array(paired, dtype=np.intp)[None, :] < free[:, None], strict=True):
        groups.setdefault(sides.tobytes(), []).append(int(index))
    return groups


@lru_cache(maxsize=1024)
def position_values(n_a: int, n_b: int) -> Floats:
    """Return how near the places of all children of two lists are (thesis, Tables 8.1 and 8.3), not to be changed.

    1 inside the window of places that a child may have in the other list, less by ``1 / min(n_a, n_b)`` for each step
    outside of it.
    """
    i, j = np.arange(n_a)[:, None], np.arange(n_b)[None, :]
    spare = abs(n_a - n_b)
    first, last = (i, i + spare) if n_a <= n_b else (i - spare, i)
    steps = np.maximum(np.maximum(np.maximum(first, 0) - j, j - np.minimum(last, n_b - 1)), 0)
    values: Floats = 1 - steps / max(min(n_a, n_b), 1)
    values.flags.writeable = False
    return values
