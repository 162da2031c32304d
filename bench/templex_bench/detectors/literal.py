"""The equal top-down mapping and TemEx as printed (thesis, 8.2 and chapter 9), step by step.

The product knows position option 4 alone and takes shortcuts; here all children are compared with all children again
after each pair, with any of the four position options, and with the product's parameters as well. Two readings of "the
share of n1's class names" (8.2.1) are there: the share of those of the first node, as printed, and the share of the
union of both, as the product has it. The text leaves open which of several equal nodes is mapped (the most similar one
here, then the first), what attributes are worth where neither node has any (:data:`NO_ATTRIBUTES`), and what copies of
a page are (they have no vote).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from templex_bench.detectors.identity import child_lists
from templex_scrapy.mapping import TEMPLEX
from templex_scrapy.page import TEXT, NodeArrays, Page, StartTag, distinct
from templex_scrapy.papers.site_conex import content_by_occurrences

Floats = NDArray[np.float64]
Child = tuple[StartTag, int]
"""What the similarity looks at in a child besides its position: its start tag, and its number of children."""

NO_ATTRIBUTES = 0.75
"""Value of the property attributes where neither node has any."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """Published parameters of the mapping.

    Attributes:
        position: weight of the position among the siblings.
        classes: weight of the class names.
        children: weight of the ratio of the numbers of children.
        attributes: weight of the attributes.
        threshold: the similarity from which on two nodes may pair.
        option: how positions are computed: 4 once; 3 again after each pair, over the unpaired children; 2 again after
            each pair inside the blocks into which the pairs divide both lists, 0 across blocks; 1 as 2, and no pair
            across blocks.
        share: what class names and attributes in common are divided by: those of the first node, or of both.
        unique: whether tag and classes that occur once on both sides pair, next in precedence to equal ids; no paper
            has this rule of the product.
        added: whether the rules hold that the published implementation adds: equal ids pair first, then equal classes
            and attributes, both also below the threshold, and the roots are mapped whatever they are.
    """

    position: float
    classes: float
    children: float
    attributes: float
    threshold: float
    option: int
    share: Literal["first", "union"] = "first"
    unique: bool = False
    added: bool = True


TEMPLATES = Printed(position=0.1, classes=0.1, children=0.3, attributes=0.5, threshold=0.7, option=2, added=False)
"""Parameters for templates (thesis, Table 8.5)."""

CONTENT = Printed(position=0.0, classes=0.1, children=0.7, attributes=0.2, threshold=0.9, option=4, added=False)
"""Parameters for content at the level of a site (thesis, Table 10.2)."""

PRODUCT = Printed(**{name: value for name, value in asdict(TEMPLEX).items() if name != "words"}, option=4)
"""Parameters of the product; its rule about equal words reads texts, which the literal mapping does not."""

PRINTED = {
    "as printed": TEMPLATES,
    "as printed, shares of both": replace(TEMPLATES, share="union"),
    "as printed, rules added": replace(TEMPLATES, added=True),
    "option 1": replace(TEMPLATES, option=1),
    "option 3": replace(TEMPLATES, option=3),
    "content, as printed": CONTENT,
    "content, as printed, rules added": replace(CONTENT, added=True),
    "templex, shares of the first": PRODUCT,
}
"""The parameters by what they are called in results."""


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

    O(pairs x children of A x children of B) for each two lists of children: seconds for lists of hundreds.

    Args:
        key: the key page.
        pages: the pages of its complete subdigraph.
        votes: pages that must have a node; where there are fewer, all of them.
        similarity: the parameters of the mapping.
        content: nodes that are taken out of the key page first, with all that they contain.
        copies: ``dropped``: copies of the key page, or of each other, have no vote. ``raise``, as in the published
            implementation: each page to which the whole key page maps raises the number of votes by one.
    """
    others = distinct([key, *pages])[1:] if copies == "dropped" else list(pages)
    mappings = [map_literally(key.arrays, page.arrays, similarity, content) for page in others]
    found = Counter(node for mapping in mappings for node in mapping)
    if copies == "raise":
        votes += sum(len(mapping) == len(key) for mapping in mappings)
    return frozenset(node for node, count in found.items() if count >= min(votes, len(others)))


def detect_content_literally(key: Page, pages: Iterable[Page], *, similarity: Printed = CONTENT) -> frozenset[int]:
    """Return the main content by the pages of the complete subdigraph (Algorithms 11 to 15)."""
    others = distinct([key, *pages])[1:]
    found = Counter(node for page in others for node in map_literally(key.arrays, page.arrays, similarity))
    if others and not found:  # no root is similar: Algorithm 11 counts nothing, and every node is a candidate
        return frozenset(range(len(key)))
    return content_by_occurrences(key.arrays, found) if others else frozenset()


def map_literally(
    a: NodeArrays, b: NodeArrays, similarity: Printed, left_out: Collection[int] = frozenset()
) -> dict[int, int]:
    """Map the nodes of one page to those of another."""
    children_a = [[child for child in children if child not in left_out] for children in child_lists(a)]
    children_b = child_lists(b)
    roots = [(a.start_tag(0), len(children_a[0]))], [(b.start_tag(0), len(children_b[0]))]
    if not similarity.added and not pair_children(*roots, similarity):
        return {}
    mapping = {0: 0}
    waiting = [(0, 0)]
    while waiting:
        i, j = waiting.pop()
        x, y = children_a[i], children_b[j]
        side_a = [(a.start_tag(child), len(children_a[child])) for child in x]
        side_b = [(b.start_tag(child), len(children_b[child])) for child in y]
        pairs = [(x[p], y[q]) for p, q in pair_children(side_a, side_b, similarity)]
        mapping.update(pairs)
        waiting += pairs
    return mapping


def pair_children(side_a: Sequence[Child], side_b: Sequence[Child], similarity: Printed) -> list[tuple[int, int]]:
    """Pair two lists of children, the best pair first; on a tie the lowest i, then the lowest j."""
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
                known[pair] = _compared(a, count_a, b, count_b, similarity.share, unique)
            compared[i, j] = known[pair]
    kind, classes, children, attributes = np.moveaxis(compared, 2, 0)
    while True:
        place = positions(len(side_a), len(side_b), pairs, similarity.option)
        # summed up in the order of the text, so that ties are ties
        value = similarity.position * place + similarity.classes * classes
        value += similarity.children * children
        value += similarity.attributes * attributes
        scores = np.where(value >= similarity.threshold, value, -1.0)
        if similarity.added:
            scores = np.where(kind == SAME_START, np.where(place == 1, 3.0, 2.0), scores)
            scores = np.where(kind >= UNIQUE, kind + 1, scores)
        scores = np.where((kind == OTHER_TAG) | np.isnan(place), -1.0, scores)
        best = int(scores.argmax())
        if scores.flat[best] < 0:
            return pairs
        pairs.append((best // len(side_b), best % len(side_b)))


OTHER_TAG, SAME_TAG, SAME_START, UNIQUE, SAME_ID = range(5)
"""What is known of two children before their similarity: ids count first, equal classes and attributes last."""


def _once(side: Sequence[Child]) -> frozenset[str]:
    counts = Counter(tag.tag_and_classes for tag, _ in side)
    return frozenset(key for key, count in counts.items() if count == 1 and key != TEXT)


def _compared(
    a: StartTag, count_a: int, b: StartTag, count_b: int, share: str, unique: Collection[str]
) -> tuple[float, ...]:
    """Return one of these, and the values of classes, children and attributes."""
    classes = _share(a.classes, b.classes, share, 1.0)
    attributes = _share(a.attributes, b.attributes, share, NO_ATTRIBUTES)
    children = min(count_a, count_b) / max(count_a, count_b) if count_a or count_b else 1.0
    both = bool(a.classes and a.attributes) and a.classes == b.classes and a.attributes == b.attributes
    is_unique = a.tag_and_classes == b.tag_and_classes and a.tag_and_classes in unique
    kind = SAME_ID if a.id and a.id == b.id else UNIQUE if is_unique else SAME_START if both else SAME_TAG
    return kind if a.tag == b.tag else OTHER_TAG, classes, children, attributes


def _share(a: frozenset[object], b: frozenset[object], share: str, neither: float) -> float:
    if not a and not b:
        return neither
    whole = len(a) if share == "first" else len(a | b)
    return len(a & b) / whole if whole else 0.0


def positions(n_a: int, n_b: int, pairs: Sequence[tuple[int, int]], option: int) -> Floats:
    """Return the value of the position of all pairs of children by one of the options 1 to 4.

    NaN where one of both is paired, or where they must not pair.
    """
    values = np.full((n_a, n_b), 0.0 if option == 2 else np.nan)
    free_a = np.setdiff1d(np.arange(n_a), [i for i, _ in pairs])
    free_b = np.setdiff1d(np.arange(n_b), [j for _, j in pairs])
    if option == 4:
        values[:] = position_values(n_a, n_b)
    elif option == 3:
        values[np.ix_(free_a, free_b)] = position_values(len(free_a), len(free_b))
    else:
        # a block is what lies on the same side of every pair; pairs may cross
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
    """Return how near the places of all children of two lists are (thesis, Tables 8.1 and 8.3); not to be changed.

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
