"""Which children of one node pair with which of another, for all combinations of the grid at once.

The plain procedure of ``mapping.children`` is followed: compare all with all, make the best pair, again and
again. Three facts let one pass do for all combinations what it does for one:

- The rules before similarity (equal ids, the rule ``unique``, equal classes and attributes) do not look at weights or
  thresholds: once for each variant.
- A threshold only says when to stop. The best pair of a step does not depend on it as long as it is reached, so the
  steps of a high threshold are the first steps of a low one.
- Weights that choose the same pair in a step are in the same state afterwards. They are one *group*, which is parted
  where they choose differently, and put together again where other ways have led to the same state.

The values are computed by the same operations in the same order as :meth:`Similarity.value` does, so that ties are
ties, and whatever rounding decides is decided the same way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from templex_bench.tuning.grid import Bits, Floats, Grid
from templex_bench.tuning.places import Free, Positions, positions
from templex_scrapy.mapping import attribute_ratio, children_ratio, class_ratio
from templex_scrapy.page import TEXT, StartTag

Integers = NDArray[np.intp]
Child = tuple[StartTag, int]
"""What the similarity looks at in a child but for its position: features, and number of children."""

Pair = tuple[int, int, int]
"""Indexes of two children, and the set of combinations that pair them."""


MOST_WORK = 10**9
"""Pairs of free children that may be looked at for one key page: a minute or two of CPU time."""

_STEP = 1300  # pairs of children that a step takes as long as, however few are free


class TooMixedError(Exception):
    """A key page has lists of children that would take too long; the message tells which."""


@dataclass(slots=True)
class Work:
    """What may still be done for a key page: counted rather than timed, so that it ends at the same place everywhere.

    Attributes:
        left: pairs of free children that may still be looked at.
    """

    left: int = MOST_WORK

    def step(self, free: Free) -> None:
        """One step more.

        Args:
            free: the children that it looks at.

        Raises:
            TooMixedError: if that is more than may be done.
        """
        self.left -= _STEP + len(free.a) * len(free.b)
        if self.left < 0:
            few, many = sorted(free.sizes)
            raise TooMixedError(f"too many ways to pair lists of {few:,} and {many:,} children, or such lists before")


class Siblings:
    """Two lists of children, and what the rules and the similarity can tell of each pair of them.

    Args:
        side_a: the children of a node of the key page.
        side_b: those of a node of the other page.

    Attributes:
        kinds: for each pair the row of ``properties`` that it has, -1 where the tags differ.
        properties: distinct values of (classes, children, attributes).
        equal: pairs with equal, non-empty classes and equal, non-empty attributes.
    """

    def __init__(self, side_a: Sequence[Child], side_b: Sequence[Child]) -> None:
        self.a = [features for features, _ in side_a]
        self.b = [features for features, _ in side_b]
        numbers_a, types_a = _numbered(side_a)
        numbers_b, types_b = _numbered(side_b)
        rows: dict[tuple[float, float, float], int] = {}
        kinds = np.full((len(types_a), len(types_b)), -1, dtype=np.intp)
        equal = np.zeros(kinds.shape, dtype=np.bool_)
        for x, (a, count_a) in enumerate(types_a):
            for y, (b, count_b) in enumerate(types_b):
                if a.tag == b.tag:
                    found = class_ratio(a, b), children_ratio(count_a, count_b), attribute_ratio(a, b)
                    kinds[x, y] = rows.setdefault(found, len(rows))
                    equal[x, y] = bool(a.classes and a.attributes) and found[0] == found[2] == 1
        self.kinds = kinds[np.ix_(numbers_a, numbers_b)]
        self.equal = equal[np.ix_(numbers_a, numbers_b)]
        self.properties: Floats = np.array(list(rows), dtype=np.float64).reshape(-1, 3)

    def keys(self, *, unique: bool) -> Iterator[tuple[list[str], list[str]]]:
        """The keys by which children pair before all else, empty for a child without: ids, then unique kinds."""
        yield _ids(self.a), _ids(self.b)
        if unique:
            yield _unique_kinds(self.a), _unique_kinds(self.b)


def _numbered(side: Sequence[Child]) -> tuple[Integers, list[Child]]:
    """The number of each child's type, and the types: children with the same features and number of children."""
    numbers: dict[tuple[str, int], int] = {}
    types: list[Child] = []
    found = []
    for features, count in side:
        number = numbers.setdefault((features.tag_string, count), len(types))
        if number == len(types):
            types.append((features, count))
        found.append(number)
    return np.array(found, dtype=np.intp), types


def _ids(side: Sequence[StartTag]) -> list[str]:
    return [features.id and f"{features.tag} {features.id}" for features in side]


def _unique_kinds(side: Sequence[StartTag]) -> list[str]:
    counts = Counter(features.tag_and_classes for features in side)
    return [f.tag_and_classes if counts[f.tag_and_classes] == 1 and f.tag_and_classes != TEXT else "" for f in side]


def pair_all(siblings: Siblings, grid: Grid, wanted: Bits, work: Work) -> list[Pair]:
    """Every pair that some combination makes, with the combinations that make it.

    Args:
        siblings: the two lists of children.
        grid: the combinations.
        wanted: for which of them; of the grid's shape.
        work: how much may be done; what is done is taken off.

    Returns:
        In the order of the indexes.

    Raises:
        TooMixedError: if it would be more.

    Complexity:
        For each variant O(steps x groups x children of A x children of B): milliseconds for tens of children, which is
        what most pages have; seconds for fifty of all kinds. Two different lists of thousands would take hours.
    """
    masks: dict[tuple[int, int], Bits] = {}
    for number, (unique, option) in enumerate(grid.variants):
        if not wanted[number].any():
            continue
        free = _settle(siblings, option, work, unique=unique)
        for pair in free.made:
            _mask(masks, pair, grid)[number] = wanted[number]
        for pair, rows, reached in _by_similarity(siblings, _Start(free, option, wanted[number]), grid, work):
            _mask(masks, pair, grid)[number, rows] |= reached
    return [(*pair, grid.packed(mask)) for pair, mask in sorted(masks.items())]


def _mask(masks: dict[tuple[int, int], Bits], pair: tuple[int, int], grid: Grid) -> Bits:
    mask = masks.get(pair)
    if mask is None:
        mask = masks[pair] = np.zeros(grid.shape, dtype=np.bool_)
    return mask


def _settle(siblings: Siblings, option: int, work: Work, *, unique: bool) -> Free:
    """What is free after the rules that look neither at weights nor at thresholds."""
    free = Free.all(len(siblings.a), len(siblings.b))
    for keys_a, keys_b in siblings.keys(unique=unique):
        if not set(keys_a).intersection(keys_b).difference({""}):
            continue
        for i, key in enumerate(keys_a):
            if key and not free.has_a(i):
                continue
            able = [j for j in free.b if key and keys_b[j] == key and (option != 1 or free.in_one_block(i, int(j)))]
            if able:
                free = free.without(i, int(able[0]))
    while (pair := _next_equals(siblings, free, option)) is not None:
        work.step(free)
        free = free.without(*pair)
    return free


def _next_equals(siblings: Siblings, free: Free, option: int) -> tuple[int, int] | None:
    equal = siblings.equal[np.ix_(free.a, free.b)]
    if not equal.any():
        return None
    place = positions(free, option)
    equal &= place.allowed
    at_place = equal & (place.values == 1)
    found = np.flatnonzero(at_place if at_place.any() else equal)
    return free.pair(int(found[0])) if len(found) else None


@dataclass(slots=True)
class _Group:
    """Weights in one state.

    Attributes:
        free: the state.
        by_place: whether the position makes a difference: then of equal children the nearest counts, else the first.
        rows: which weights.
        reached: for each of them, which thresholds have been reached by all pairs so far.
    """

    free: Free
    by_place: bool
    rows: list[Integers] = field(default_factory=list)
    reached: list[Bits] = field(default_factory=list)


class _Start(NamedTuple):
    """Where the pairs by similarity begin: what is free, by which position option, and what is wanted."""

    free: Free
    option: int
    wanted: Bits


def _by_similarity(
    siblings: Siblings, start: _Start, grid: Grid, work: Work
) -> Iterator[tuple[tuple[int, int], Integers, Bits]]:
    """The pairs by similarity: which pair, which weights, and which thresholds are reached."""
    free, option, wanted = start
    by_place = grid.weight_table[:, 0] > 0
    groups: dict[object, _Group] = {}
    for flag in (False, True):
        rows = np.flatnonzero((by_place == flag) & wanted.any(axis=1))
        if len(rows):
            groups[flag] = _Group(free, flag, [rows], [wanted[rows]])
    while groups:
        following: dict[object, _Group] = {}
        for group in groups.values():
            work.step(group.free)
            for pair, rows, reached in _step(siblings, group, option, grid):
                yield pair, rows, reached
                after = group.free.without(*pair)
                place = (group.by_place, after.state(option))
                joint = following.setdefault(place, _Group(after, group.by_place))
                joint.rows.append(rows)
                joint.reached.append(reached)
        groups = following


def _step(
    siblings: Siblings, group: _Group, option: int, grid: Grid
) -> Iterator[tuple[tuple[int, int], Integers, Bits]]:
    """The pairs that the weights of a group make next."""
    cells, places, kinds = _candidates(siblings, group, positions(group.free, option))
    if not len(cells):
        return
    rows, reached = np.concatenate(group.rows), np.concatenate(group.reached)
    weights = grid.weight_table[rows]
    classes, children, attributes = siblings.properties[kinds].T
    # as Similarity.value adds up
    values = weights[:, :1] * places + weights[:, 1:2] * classes
    values += weights[:, 2:3] * children
    values += weights[:, 3:] * attributes
    # the first of equals: the lowest i, then the lowest j
    best = values.argmax(axis=1)
    reached = reached & (values[np.arange(len(rows)), best][:, None] >= grid.threshold_row)
    going_on = reached.any(axis=1)
    for choice in np.unique(best[going_on]):
        chosen = going_on & (best == choice)
        yield group.free.pair(int(cells[choice])), rows[chosen], reached[chosen]


def _candidates(siblings: Siblings, group: _Group, place: Positions) -> tuple[Integers, Floats, Integers]:
    """The cells that can be the best, in order: of each kind the nearest or, without regard to places, the first.

    Returns:
        The cells of the matrix of free children, the values of their positions, and their kinds.
    """
    kinds = siblings.kinds[np.ix_(group.free.a, group.free.b)]
    cells = np.flatnonzero((kinds >= 0) & place.allowed)
    kinds, values = kinds.reshape(-1)[cells], place.values.reshape(-1)[cells]
    # stable: equals stay in the order of their indexes
    order = np.lexsort((-values, kinds)) if group.by_place else np.argsort(kinds, kind="stable")
    in_order = kinds[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = in_order[1:] != in_order[:-1]
    kept = np.sort(order[first])
    return cells[kept], values[kept], kinds[kept]
