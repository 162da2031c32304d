"""How similar two nodes are: the equality relation of the equal top-down mapping (thesis, 8.2 and Table 8.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from templex_scrapy.page import StartTag

POSITION_OPTIONS = (1, 2, 3, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """The weights of the four properties, and when two siblings pair.

    The similarity of two nodes with the same tag is ``position * p + classes * c + children * k + attributes * a``,
    each property in [0, 1]; nodes with different tags never pair.

    Attributes:
        position: weight of the position among the siblings.
        classes: weight of the class names in common.
        children: weight of the ratio of the numbers of children.
        attributes: weight of the attributes in common.
        threshold: the similarity from which on two nodes may pair, in [0, 1].
        option: how the positions are computed: 4 once; 3 again after each pair, over what is unpaired; 2 again after
            each pair inside the blocks into which the pairs cut both lists, 0 across blocks; 1 as 2, and no pair
            across blocks.
        unique: whether an element whose tag and classes occur once among its siblings on both pages pairs at once,
            after equal ids. The papers do not have this rule.

    Raises:
        ValueError: if a weight or the threshold is outside [0, 1], the weights do not sum to 1, or there is no such
            option.
    """

    position: float
    classes: float
    children: float
    attributes: float
    threshold: float
    option: int
    unique: bool = False

    def __post_init__(self) -> None:
        for field in fields(self)[:5]:
            value = getattr(self, field.name)
            if not 0 <= value <= 1:
                raise ValueError(f"{field.name} is {value!r}: allowed is 0 to 1")
        total = self.position + self.classes + self.children + self.attributes
        if not math.isclose(total, 1, abs_tol=1e-9):
            raise ValueError(f"position, classes, children and attributes sum to {total!r}: they must sum to 1")
        if self.option not in POSITION_OPTIONS:
            raise ValueError(f"option is {self.option!r}: allowed are {', '.join(map(str, POSITION_OPTIONS))}")

    @property
    def pairs_equals(self) -> bool:
        """Whether equal nodes at equal places always pair: not where no attributes at all already fail the threshold.

        Then lists of children with the same features pair child by child: nothing is more similar to a child than its
        equal at the same place.
        """
        return self.value(1, 1, 1, NO_ATTRIBUTES) >= self.threshold

    def value(self, position: float, classes: float, children: float, attributes: float) -> float:
        """The similarity of two nodes, given the values of the four properties."""
        return (
            self.position * position + self.classes * classes + self.children * children + self.attributes * attributes
        )


NO_ATTRIBUTES = 0.75
"""Value of the property attributes where neither node has any."""

PUBLISHED = Similarity(position=0.1, classes=0.1, children=0.3, attributes=0.5, threshold=0.7, option=2)
"""The published parameters for templates (thesis, Table 8.5)."""

PUBLISHED_QUICK = Similarity(position=0.4, classes=0.1, children=0.5, attributes=0.0, threshold=0.9, option=4)
"""The quick published parameters for templates (thesis, Table 8.5, row 5)."""

PUBLISHED_CONTENT = Similarity(position=0.0, classes=0.1, children=0.7, attributes=0.2, threshold=0.9, option=4)
"""The published parameters for content extraction at site level (thesis, Table 10.2)."""

TEMPLEX = Similarity(position=0.4, classes=0.1, children=0.5, attributes=0.0, threshold=0.6, option=4, unique=True)
"""This package's own parameters: the quick published weights, a lower threshold and the rule ``unique``.

Chosen by hand on the development sites. With them the F1 of template nodes is 0.839, as much as with what the tuning of
the workbench chooses for each site without that site; the best of the whole grid on the very same sites has 0.842. With
the best weights for each threshold it is 0.84 from 0.1 to 0.9, with the rule and without. The rule is a safeguard where
the threshold is high. (``python -m templex_bench tune``, three pages, two votes.)
"""


def class_ratio(a: StartTag, b: StartTag) -> float:
    """Share of class names in common: of all of both; 1 if neither has any, 0 if one has none."""
    if not a.classes and not b.classes:
        return 1.0
    return len(a.classes & b.classes) / len(a.classes | b.classes)


def attribute_ratio(a: StartTag, b: StartTag) -> float:
    """Share of (name, value) pairs in common, without id and class; 0.75 if neither has any, 0 if one has none."""
    if not a.attributes and not b.attributes:
        return NO_ATTRIBUTES
    return len(a.attributes & b.attributes) / len(a.attributes | b.attributes)


def children_ratio(a: int, b: int) -> float:
    """Smaller over larger number of children; 1 if neither node has any, 0 if one has none."""
    return min(a, b) / max(a, b) if a or b else 1.0


def position_window(i: int, n_a: int, n_b: int) -> tuple[int, int]:
    """First and last index in B, inclusive, of the children that are at the same place as child i of A."""
    spare = abs(n_a - n_b)
    first, last = (i, i + spare) if n_a <= n_b else (i - spare, i)
    return max(first, 0), min(last, n_b - 1)


def position_value(i: int, j: int, n_a: int, n_b: int) -> float:
    """How near the places of child i of A and child j of B are (thesis, Tables 8.1 and 8.3).

    Args:
        i: index among the ``n_a`` children of A, from 0.
        j: index among the ``n_b`` children of B, from 0.
        n_a: number of children of A.
        n_b: number of children of B.

    Returns:
        1 inside the window of j, less by ``1 / min(n_a, n_b)`` for each step outside of it.
    """
    first, last = position_window(i, n_a, n_b)
    steps = max(first - j, j - last, 0)
    return 1 - steps / min(n_a, n_b)
