"""The similarity of two nodes: the equality relation of the equal top-down mapping (thesis, 8.2 and Table 8.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from templex_scrapy import cython
from templex_scrapy.page import StartTag

ROUNDING = 1e-12
"""More than the rounding error of a sum of four products in [0, 1] (1e-15), less than a difference of two fractions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity:
    """The weights of the four properties, and the threshold for a pair.

    The similarity of two nodes with the same tag is ``position * p + classes * c + children * k + attributes * a``,
    each property in [0, 1]; nodes with different tags never pair. Positions are computed once, over all children (the
    thesis's option 4).

    Attributes:
        position: weight of the position among the siblings.
        classes: weight of the common class names.
        children: weight of the ratio of the numbers of children.
        attributes: weight of the common attributes.
        threshold: the least similarity of a pair, in [0, 1].
        unique: whether elements pair by a tag and classes that no sibling has on either page, next in precedence to
            equal words. The papers do not have this rule.
        words: whether siblings with the same words pair, next in precedence to equal ids. The papers do not have this
            rule.

    Raises:
        ValueError: if a weight or the threshold is outside [0, 1], or the weights do not sum to 1.
    """

    position: float
    classes: float
    children: float
    attributes: float
    threshold: float
    unique: bool = False
    words: bool = False

    def __post_init__(self) -> None:
        for field in fields(self)[:5]:
            value = getattr(self, field.name)
            if not 0 <= value <= 1:
                raise ValueError(f"{field.name} is {value!r}: allowed is 0 to 1")
        total = self.position + self.classes + self.children + self.attributes
        if not math.isclose(total, 1):
            raise ValueError(f"position, classes, children and attributes sum to {total!r}: they must sum to 1")

    @property
    def least(self) -> float:
        """The threshold less the rounding: 0.1 + 0.7 + 0.2 * 0.5 is 0.8999999999999999, and reaches 0.9."""
        return self.threshold - ROUNDING

    @property
    def pairs_equals(self) -> bool:
        """Whether equal nodes at equal positions always pair.

        They do not if the threshold is above the value of nodes without attributes.
        """
        return self.value(1, 1, 1, NO_ATTRIBUTES) >= self.least

    def value(self, position: float, classes: float, children: float, attributes: float) -> float:
        """Compute the similarity of two nodes from the values of the four properties."""
        return Weights(self).value(position, classes, children, attributes)  # the sum in C and here is the same


class Weights:
    """The weights of a similarity; compiled, C numbers."""

    __slots__ = ("attributes", "children", "classes", "least", "position")

    def __init__(self, similarity: Similarity) -> None:
        self.position = similarity.position
        self.classes = similarity.classes
        self.children = similarity.children
        self.attributes = similarity.attributes
        self.least = similarity.least

    def value(self, position: float, classes: float, children: float, attributes: float) -> float:
        """Sum the weighted values of the four properties."""
        return (
            self.position * position + self.classes * classes + self.children * children + self.attributes * attributes
        )


NO_ATTRIBUTES = 0.75
"""Value of the property attributes if neither node has attributes."""

PUBLISHED = Similarity(position=0.1, classes=0.1, children=0.3, attributes=0.5, threshold=0.7)
"""The published parameters for templates (thesis, Table 8.5), except for option 2: here positions are computed once."""

PUBLISHED_QUICK = Similarity(position=0.4, classes=0.1, children=0.5, attributes=0.0, threshold=0.9)
"""The quick published parameters for templates (thesis, Table 8.5, row 5)."""

PUBLISHED_CONTENT = Similarity(position=0.0, classes=0.1, children=0.7, attributes=0.2, threshold=0.9)
"""The published parameters for content extraction at site level (thesis, Table 10.2)."""

TEMPLEX = Similarity(position=0.4, classes=0.1, children=0.5, attributes=0.0, threshold=0.6, unique=True, words=True)
"""The default: the quick published weights, a lower threshold and the rules ``unique`` and ``words``.

Chosen by hand on the development sites. There the F1 of template nodes is 0.834 (``templex-bench show RESULTS
sites-readings-template-nodes``); :mod:`templex_scrapy.papers.temex` has the F1 of the published parameters.
"""


def class_ratio(a: StartTag, b: StartTag) -> float:
    """Return the share of common class names in all of both nodes: 1 if neither has any, 0 if only one has any."""
    # <li> and <li> are as alike as can be; <li> and <li class="ad"> are not
    return ratio(len(a.classes & b.classes), len(a.classes), len(b.classes), 1.0)


def attribute_ratio(a: StartTag, b: StartTag) -> float:
    """Return the share of common attributes, without id and class: 0.75 if no node has any, 0 if only one has any."""
    return ratio(len(a.attributes & b.attributes), len(a.attributes), len(b.attributes), NO_ATTRIBUTES)


def ratio(common: int, a: int, b: int, both_empty: float) -> float:
    """Return the Jaccard index of two sets, given their sizes and the size of the intersection."""
    return common / (a + b - common) if a or b else both_empty


def children_ratio(a: int, b: int) -> float:
    """Return the smaller over the larger number of children; 1 if both are 0."""
    # sidebars with five and with six boxes are the same; a sidebar and a spacer are not
    return min(a, b) / max(a, b) if a or b else 1.0


def position_window(i: int, n_a: int, n_b: int) -> tuple[int, int]:
    """Return the first and last index in B, inclusive, of the children at position 1 to child i of A."""
    # with two more boxes in B, any two of B may be the new ones: the third of A is the third, fourth or fifth of B
    difference = abs(n_a - n_b)
    first, last = (i, i + difference) if n_a <= n_b else (i - difference, i)
    return max(first, 0), min(last, n_b - 1)


@cython.locals(first="int", last="int", steps="int")
def position_value(i: int, j: int, n_a: int, n_b: int) -> float:
    """Compute the property position of child i of the ``n_a`` of A and child j of B (thesis, Tables 8.1 and 8.3).

    It is 1 if j is in the window of i, and less by ``1 / min(n_a, n_b)`` for each step outside.
    """
    first, last = position_window(i, n_a, n_b)
    steps = max(first - j, j - last, 0)
    return 1 - steps / min(n_a, n_b)
