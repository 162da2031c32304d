"""The grid of the tuning (thesis, 8.3): weights, thresholds and position options, and sets of its combinations.

A set of combinations is an integer with a bit for each, so that what holds for some of them and what holds for others
are put together by ``&`` and ``|``, whatever their number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from templex_scrapy.mapping import POSITION_OPTIONS, Similarity

Weights = tuple[int, int, int, int]
"""Weights of position, class names, children and attributes, in tenths."""

Bits = NDArray[np.bool_]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Grid:
    """All combinations of some weights, thresholds, position options, and the rule ``unique`` or not.

    Attributes:
        weights: in tenths, each four that sum to 10.
        thresholds: in tenths, ascending.
        options: position options.
        unique: the values of the rule ``unique``, which is this package's own; the thesis knows False alone.
    """

    weights: tuple[Weights, ...]
    thresholds: tuple[int, ...] = tuple(range(1, 11))
    options: tuple[int, ...] = POSITION_OPTIONS
    unique: tuple[bool, ...] = (False, True)

    @classmethod
    def of_the_thesis(cls) -> Grid:
        """286 weights in steps of 0.1, thresholds 0.1 to 1.0, four options; with and without the rule ``unique``."""
        return cls(tuple(all_weights()))

    @property
    def variants(self) -> tuple[tuple[bool, int], ...]:
        """What the rules before similarity depend on: (``unique``, position option)."""
        return tuple(product(self.unique, self.options))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Numbers of variants, of weights and of thresholds; combinations are counted in this order."""
        return len(self.variants), len(self.weights), len(self.thresholds)

    def __len__(self) -> int:
        return len(self.variants) * len(self.weights) * len(self.thresholds)

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
        one = [[self.similarity_of(w, t).pairs_equals for t in self.thresholds] for w in self.weights]
        return self.packed(np.broadcast_to(np.array(one, dtype=np.bool_), self.shape))

    @cached_property
    def neighbours(self) -> tuple[Floats, Floats]:
        """Of the weights, and of the thresholds, which are one step apart: each row has equal shares that sum to 1."""
        return _near(np.array(self.weights)), _near(np.array(self.thresholds)[:, None])

    @staticmethod
    def similarity_of(weights: Weights, threshold: int, option: int = 4, *, unique: bool = False) -> Similarity:
        """A combination as the mapping takes it; arguments as of the grid."""
        position, classes, children, attributes = (tenths / 10 for tenths in weights)
        return Similarity(
            position=position,
            classes=classes,
            children=children,
            attributes=attributes,
            threshold=threshold / 10,
            option=option,
            unique=unique,
        )

    def similarity(self, index: int) -> Similarity:
        """The combination at an index, from 0."""
        variant, weights, threshold = np.unravel_index(index, self.shape)
        unique, option = self.variants[int(variant)]
        return self.similarity_of(self.weights[int(weights)], self.thresholds[int(threshold)], option, unique=unique)

    def index(self, similarity: Similarity) -> int:
        """The index of a combination.

        Raises:
            ValueError: if it is not in the grid.
        """
        weights = weights_of(similarity)
        threshold = round(10 * similarity.threshold)
        try:
            place = (
                self.variants.index((similarity.unique, similarity.option)),
                self.weights.index(weights),
                self.thresholds.index(threshold),
            )
        except ValueError:
            raise ValueError(f"{similarity} is not in the grid") from None
        index = int(np.ravel_multi_index(place, self.shape))
        if self.similarity(index) != similarity:
            raise ValueError(f"{similarity} is not in the grid: its steps are tenths")
        return index

    def packed(self, mask: Bits) -> int:
        """The set of combinations that a mask of the grid's shape is true for."""
        return int.from_bytes(np.packbits(mask.reshape(-1), bitorder="little").tobytes(), "little")

    def unpacked(self, sets: Sequence[int]) -> NDArray[np.uint8]:
        """A row of 0 and 1 for each set, a column for each combination."""
        length = (len(self) + 7) // 8
        raw = b"".join(one.to_bytes(length, "little") for one in sets)
        rows = np.frombuffer(raw, dtype=np.uint8).reshape(len(sets), length)
        return np.unpackbits(rows, axis=1, count=len(self), bitorder="little")


def all_weights(step: int = 1) -> Iterator[Weights]:
    """All weights in steps of so many tenths that sum to 1: with steps of 0.1, 286."""
    tenths = range(0, 11, step)
    for position, classes, children in product(tenths, tenths, tenths):
        attributes = 10 - position - classes - children
        if attributes in tenths:
            yield position, classes, children, attributes


def weights_of(similarity: Similarity) -> Weights:
    """The weights of a combination, to the nearest tenths."""
    one = similarity
    return round(10 * one.position), round(10 * one.classes), round(10 * one.children), round(10 * one.attributes)


def _near(points: NDArray[np.int_]) -> Floats:
    distances = np.abs(points[:, None, :] - points[None, :, :]).sum(axis=2)
    step = distances[distances > 0].min(initial=distances.max(initial=0))
    near = (distances <= step).astype(np.float64)
    shares: Floats = near / near.sum(axis=1, keepdims=True)
    return shares
