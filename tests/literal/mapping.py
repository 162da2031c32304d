"""The equal top-down mapping, word for word: after every pair, everything is compared anew.

It has the product's reading of the text, and uses nothing of the product. ``templex_bench.detectors.literal`` has the
other readings, with the start tags of the product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from templex_scrapy.page import Node

Pair = tuple[int, int]


def position_value(i: int, j: int, n_a: int, n_b: int) -> float:
    """Return 1 inside the window of places that child i of n_a may have among n_b, less outside."""
    less = min(n_a, n_b)
    d = abs(n_a - n_b)
    first, last = (i, i + d) if n_a <= n_b else (i - d, i)
    first = max(first, 0)
    last = min(last, n_b - 1)
    if j < first:
        return 1 - (first - j) / less
    if j > last:
        return 1 - (j - last) / less
    return 1.0


def attributes_of(node: Node) -> dict[str, str]:
    """Return the HTML attributes; text has none."""
    return {} if node.tag == "#text" else dict(node.element.attrib.items())


def id_of(node: Node) -> str:
    """Return the id as it stands, or the empty string."""
    return attributes_of(node).get("id", "")


def class_names(node: Node) -> set[str]:
    """Return the words of the class attribute."""
    return set(attributes_of(node).get("class", "").split())


def other_attributes(node: Node) -> set[tuple[str, str]]:
    """Return names and values of the attributes, without id and class."""
    return {(name, value) for name, value in attributes_of(node).items() if name not in {"id", "class"}}


def classes_value(a: Node, b: Node) -> float:
    """Return the share of common class names; both without: 1."""
    in_a, in_b = class_names(a), class_names(b)
    if not in_a and not in_b:
        return 1.0
    return len(in_a & in_b) / len(in_a | in_b)


def attributes_value(a: Node, b: Node) -> float:
    """Return the share of common attributes; both without: 0.75."""
    in_a, in_b = other_attributes(a), other_attributes(b)
    if not in_a and not in_b:
        return 0.75
    return len(in_a & in_b) / len(in_a | in_b)


def children_value(a: Node, b: Node) -> float:
    """Return the smaller number of children over the larger one; both without: 1."""
    n_a, n_b = len(a.children), len(b.children)
    if n_a == 0 and n_b == 0:
        return 1.0
    return min(n_a, n_b) / max(n_a, n_b)


def similarity(
    a: Node, b: Node, p: float, *, position: float, classes: float, children: float, attributes: float
) -> float:
    """Return the weighted sum of the position value ``p`` and of the other three properties."""
    c = classes_value(a, b)
    k = children_value(a, b)
    # The names a and b are taken, so the attributes' value has a longer one; the order of the sum matters.
    shared = attributes_value(a, b)
    return position * p + classes * c + children * k + attributes * shared


def position_values(n_a: int, n_b: int, pairs: list[Pair]) -> dict[Pair, float]:
    """Return the position value of all pairs of unpaired children, computed once for all children (option 4)."""
    left_a = set(range(n_a)) - {a for a, _ in pairs}
    left_b = set(range(n_b)) - {b for _, b in pairs}
    return {(i, j): position_value(i, j, n_a, n_b) for i in left_a for j in left_b}


def tag_and_classes(node: Node) -> tuple[str, frozenset[str]]:
    """Return what the rule ``unique`` looks at."""
    return node.tag, frozenset(class_names(node))


def is_unique(node: Node, side: Sequence[Node]) -> bool:
    """Whether no other of these siblings has the element's tag and classes; text is never unique."""
    own = tag_and_classes(node)
    alike = [sibling for sibling in side if tag_and_classes(sibling) == own]
    return node.tag != "#text" and len(alike) == 1


def words_of(node: Node) -> tuple[str, list[str]]:
    """Return the tag and all texts below a node, in any order."""
    texts = [] if node.text is None else [node.text]
    for child in node.children:
        texts += words_of(child)[1]
    return node.tag, sorted(texts)


def first_text_of(node: Node) -> tuple[str, list[str]]:
    """Return the tag of an element and the first text in it."""
    texts: list[str] = []
    below = [] if node.tag == "#text" else list(node.children)
    while below and not texts:
        first = below.pop(0)
        texts = [] if first.text is None else [first.text]
        below = [*first.children, *below]
    return node.tag, texts


def same_words(side_a: Sequence[Node], side_b: Sequence[Node]) -> list[list[Pair]]:
    """Return the pairs of the rule ``words``: those by all words and, where these differ, those by the first text."""
    found: list[list[Pair]] = []
    for look in (words_of, first_text_of):
        looks = [[look(node) for node in side] for side in (side_a, side_b)]
        single = [[one if one[1] and side.count(one) == 1 else None for one in side] for side in looks]
        if look is words_of and single[0] == single[1]:
            alone = [index for index, one in enumerate(single[0]) if one]
            return [[(index, index) for index in alone], []]
        single_a, single_b = ([one for one in side if one] for side in single)
        common = [one for one in single_a if one in single_b]
        holds = len(common) == min(len(single_a), len(single_b))
        found.append([(looks[0].index(one), looks[1].index(one)) for one in common] if holds else [])
    return found


def equal_classes_and_attributes(a: Node, b: Node) -> bool:
    """Whether both have classes and attributes, and the same."""
    same_classes = bool(class_names(a)) and class_names(a) == class_names(b)
    same_attributes = bool(other_attributes(a)) and other_attributes(a) == other_attributes(b)
    return same_classes and same_attributes


def precedence(
    a: Node, b: Node, p: float, *, are_unique: bool, same: Sequence[bool], threshold: float, **weights: float
) -> tuple[int, float] | None:
    """Return how early the pair comes (the larger, the earlier), or None where the two cannot pair."""
    if a.tag != b.tag:
        return None
    if id_of(a) and id_of(a) == id_of(b):
        return 6, 0.0
    if any(same):
        return (5, 0.0) if same[0] else (4, 0.0)
    if are_unique and tag_and_classes(a) == tag_and_classes(b):
        return 3, 0.0
    if equal_classes_and_attributes(a, b):
        return (2, 0.0) if p == 1 else (1, 0.0)
    value = similarity(a, b, p, **weights)
    return (0, value) if round(value, 12) >= threshold else None


def best_pair(
    side_a: Sequence[Node],
    side_b: Sequence[Node],
    pairs: list[Pair],
    *,
    unique: bool,
    words: bool,
    **parameters: float,
) -> Pair | None:
    """Compare all unpaired children with all unpaired children and return the pair to make next."""
    values = position_values(len(side_a), len(side_b), pairs)
    unique_a = [unique and is_unique(node, side_a) for node in side_a]
    unique_b = [unique and is_unique(node, side_b) for node in side_b]
    same = same_words(side_a, side_b) if words else [[], []]
    best: Pair | None = None
    best_precedence = (-1, 0.0)
    for i, j in sorted(values):
        are_unique = unique_a[i] and unique_b[j]
        of_both = [(i, j) in pairs_of for pairs_of in same]
        now = precedence(side_a[i], side_b[j], values[i, j], are_unique=are_unique, same=of_both, **parameters)
        # Strictly better only: on a tie the lowest i stays, then the lowest j.
        if now is not None and now > best_precedence:
            best, best_precedence = (i, j), now
    return best


def pair_children(
    side_a: Sequence[Node],
    side_b: Sequence[Node],
    *,
    unique: bool = False,
    words: bool = False,
    **parameters: float,
) -> list[Pair]:
    """Return the pairs of child indexes in the order in which they are made."""
    pairs: list[Pair] = []
    while (pair := best_pair(side_a, side_b, pairs, unique=unique, words=words, **parameters)) is not None:
        pairs.append(pair)
    return pairs


def equal_top_down_mapping(root_a: Node, root_b: Node, **parameters: float) -> set[Pair]:
    """Return the pairs of node positions; the two roots are mapped whatever they are.

    ``words`` and ``unique`` are this package's own rules, right after the same id: elements with the same words, and
    elements whose tag and classes occur once among all their siblings, on both sides.
    """
    mapping = {(root_a.position, root_b.position)}
    for i, j in pair_children(root_a.children, root_b.children, **parameters):  # type: ignore[arg-type]
        mapping |= equal_top_down_mapping(root_a.children[i], root_b.children[j], **parameters)
    return mapping
