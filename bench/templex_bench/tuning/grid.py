"""The grid of the tuning (thesis, 8.3): weights and thresholds, and sets of its combinations.

A set of combinations is an integer with a bit for each, so that sets are combined by ``&`` and ``|``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from templex_scrapy.mapping import PUBLISHED, PUBLISHED_CONTENT, PUBLISHED_QUICK, TEMPLEX, Similarity

Weights = tuple[int, int, int, int]
"""Weights of position, class names, children and attributes, in tenths."""

WEIGHTS = ("position", "classes", "children", "attributes")

Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]

NAMED: dict[str, Similarity] = {
    "present defaults": TEMPLEX,
    "published, Table 8.5": PUBLISHED,
    "published, quick": PUBLISHED_QUICK,
}
"""Parameters that are fixed: nothing about them was chosen by this measurement."""


@dataclass(frozen=True)
class Grid:
    """All combinations of some weights, of thresholds in tenths, and of the rule ``unique``, off and on.

    The rule is this package's own; the thesis does not have it.
    """

    weights: tuple[Weights, ...]
    thresholds: tuple[int, ...] = tuple(range(1, 11))
    unique: tuple[bool, ...] = (False, True)

    @classmethod
    def of_the_thesis(cls) -> Grid:
        """Return 286 weights in steps of 0.1 with thresholds 0.1 to 1.0."""
        return cls(tuple(all_weights()))

    @classmethod
    def coarse(cls) -> Grid:
        """Return weights in steps of 0.2, and those of the named parameters."""
        return cls(tuple(sorted({*all_weights(step=2), *map(weights_of, (*NAMED.values(), PUBLISHED_CONTENT))})))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of ``unique``, weights and thresholds; combinations are counted in this order."""
        return len(self.unique), len(self.weights), len(self.thresholds)

    def __len__(self) -> int:
        return len(self.unique) * len(self.weights) * len(self.thresholds)

    @property
    def everything(self) -> int:
        """The set of all combinations."""
        return (1 << len(self)) - 1

    @cached_property
    def weight_table(self) -> Floats:
        """The weights as numbers in [0, 1], a row for each four."""
        return np.array(self.weights, dtype=np.float64).reshape(-1, 4) / 10

    @cached_property
    def threshold_row(self) -> Floats:
        """The thresholds as numbers in [0, 1]."""
        return np.array(self.thresholds, dtype=np.float64) / 10

    @cached_property
    def pairing_equals(self) -> int:
        """The combinations with which equal nodes at equal places always pair (:attr:`Similarity.pairs_equals`)."""
        one = [[_similarity(w, t, unique=False).pairs_equals for t in self.thresholds] for w in self.weights]
        return self.packed(np.broadcast_to(np.array(one, dtype=np.bool_), self.shape))

    @cached_property
    def neighbours(self) -> tuple[Floats, Floats]:
        """Of the weights, and of the thresholds, which are one step apart: each row has equal shares that sum to 1."""
        return _near(np.array(self.weights)), _near(np.array(self.thresholds)[:, None])

    def similarity(self, index: int) -> Similarity:
        """Return the combination at an index."""
        unique, weights, threshold = np.unravel_index(index, self.shape)
        chosen = self.weights[int(weights)], self.thresholds[int(threshold)]
        return _similarity(*chosen, unique=self.unique[int(unique)])

    @property
    def described(self) -> list[dict[str, object]]:
        """The parameters of all combinations by name."""
        return [
            {**dict(zip(WEIGHTS, (w / 10 for w in weights), strict=True)), "threshold": t / 10, "rule unique": unique}
            for unique, weights, t in product(self.unique, self.weights, self.thresholds)
        ]

    def index(self, similarity: Similarity) -> int:
        """Return the index of a combination.

        Raises:
            ValueError: if it is not in the grid.
        """
        place = (
            self.unique.index(similarity.unique),
            self.weights.index(weights_of(similarity)),
            self.thresholds.index(round(10 * similarity.threshold)),
        )
        return int(np.ravel_multi_index(place, self.shape))

    def packed(self, mask: Bits) -> int:
        """Return the set of combinations for which a mask of the grid's shape is true."""
        return int.from_bytes(np.packbits(mask.reshape(-1), bitorder="little").tobytes(), "little")

    def unpacked(self, sets: Sequence[int]) -> NDArray[np.uint8]:
        """Return a row of 0 and 1 for each set, a column for each combination."""
        length = (len(self) + 7) // 8
        raw = b"".join(one.to_bytes(length, "little") for one in sets)
        rows = np.frombuffer(raw, dtype=np.uint8).reshape(len(sets), length)
        return np.unpackbits(rows, axis=1, count=len(self), bitorder="little")


def all_weights(step: int = 1) -> Iterator[Weights]:
    """Yield all weights in steps of so many tenths that sum to 1."""
    tenths = range(0, 11, step)
    for position, classes, children in product(tenths, tenths, tenths):
        attributes = 10 - position - classes - children
        if attributes in tenths:
            yield position, classes, children, attributes


def weights_of(similarity: Similarity) -> Weights:
    """Return the weights of a combination, to the nearest tenths."""
    one = similarity
    return round(10 * one.position), round(10 * one.classes), round(10 * one.children), round(10 * one.attributes)


def _similarity(weights: Weights, threshold: int, *, unique: bool) -> Similarity:
    position, classes, children, attributes = (tenths / 10 for tenths in weights)
    return Similarity(
        position=position,
        classes=classes,
        children=children,
        attributes=attributes,
        threshold=threshold / 10,
        unique=unique,
    )


def _near(points: NDArray[np.int_]) -> Floats:
    distances = np.abs(points[:, None, :] - points[None, :, :]).sum(axis=2)
    step = distances[distances > 0].min(initial=distances.max(initial=0))
    near = (distances <= step).astype(np.float64)
    shares: Floats = near / near.sum(axis=1, keepdims=True)
    return shares
