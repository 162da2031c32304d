"""Pairs of children that are remembered for the next page that is laid over a template."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

from templex_scrapy.mapping.child_index import Side
from templex_scrapy.mapping.children import pair_children
from templex_scrapy.mapping.similarity import Similarity
from templex_scrapy.page import NodeArrays, StartTag

_LISTS_REMEMBERED = 4
"""Lists of children remembered for one node of a page that others are laid over."""

_FOREIGN_LOOKS = 200
"""Looks of children remembered beyond those that the page itself has."""

_LONGEST_NAMES = 200
"""Characters of tag, classes and id of such a child at most."""

_MAX_REMEMBERED = 100
"""Children in such a list at most; longer ones are content, and seldom alike on two pages."""


class MappingCache:
    """How lists of children have paired with those of one page, remembered for the next page that is laid over it.

    Pages of one kind have most lists of children in common with their template, as far as the similarity can tell;
    where these are the same, so are the pairs.

    Args:
        arrays: the page over which others are laid.
        similarity: when two siblings pair.
    """

    def __init__(self, arrays: NodeArrays, similarity: Similarity) -> None:
        self._arrays = arrays
        self._similarity = similarity
        self._by_attributes = bool(similarity.attributes)
        self._foreign_looks = 0
        self._sides: dict[int, Side] = {}
        self._known: dict[int, dict[_Children, list[tuple[int, int]]]] = {}

    @cached_property
    def _looks(self) -> dict[_Look, _Look]:
        own = map(self._look, map(self._arrays.start_tag, range(len(self._arrays.tag_strings))))
        return {look: look for look in own}

    def pair(self, a: NodeArrays, i: int, j: int) -> list[tuple[int, int]]:
        """As :func:`pair_children`, for the children of a node of another page and those of a node of this one."""
        side_a, side_b = Side(a, a.children(i)), self._side(j)
        if len(side_a) > _MAX_REMEMBERED:
            return pair_children(side_a, side_b, self._similarity)
        key = tuple(map(self._look, side_a.features)), tuple(side_a.counts)
        known = self._known.setdefault(j, {})
        pairs = known.get(key)
        if pairs is None:
            found = pair_children(side_a, side_b, self._similarity)
            pairs = [(bisect_left(side_a.positions, i), bisect_left(side_b.positions, j)) for i, j in found]
            self._remember(known, key, pairs)
            return found
        return [(side_a.positions[at], side_b.positions[there]) for at, there in pairs]

    def _side(self, position: int) -> Side:
        side = self._sides.get(position)
        if side is None:
            side = self._sides[position] = Side(self._arrays, self._arrays.children(position))
        return side

    def _look(self, features: StartTag) -> _Look:
        """All that the similarity can tell of a child, but for its position and its own children."""
        attributes = features.attributes if features.classes or self._by_attributes else None
        return features.tag_and_classes, features.id, attributes

    def _remember(
        self, known: dict[_Children, list[tuple[int, int]]], key: _Children, pairs: list[tuple[int, int]]
    ) -> None:
        looks, counts = key
        kept = tuple(look for look in map(self._keep, looks) if look is not None)
        if len(kept) < len(looks):
            return
        if len(known) >= _LISTS_REMEMBERED:
            del known[next(iter(known))]
        known[kept, counts] = pairs

    def _keep(self, look: _Look) -> _Look | None:
        """The same look, as one that is kept; None where it is not worth it: links that come once, endless names."""
        kept = self._looks.get(look)
        # of other pages little is kept beyond what this one has as well
        if kept is None and self._foreign_looks < _FOREIGN_LOOKS and _is_plain(look):
            self._foreign_looks += 1
            kept = self._looks[look] = look
        return kept


def _is_plain(look: _Look) -> bool:
    kind, name, attributes = look
    return not attributes and len(kind) + len(name) <= _LONGEST_NAMES


_Look = tuple[str, str, frozenset[tuple[str, str]] | None]
_Children = tuple[tuple[_Look, ...], tuple[int, ...]]  # what they look like, and numbers of their children
