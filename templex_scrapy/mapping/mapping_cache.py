"""A cache of the pairs of children, for the pages that are mapped to one page one after the other."""

from __future__ import annotations

from functools import cached_property

from templex_scrapy.mapping.children import Pairing, Siblings, pair_by_index, pair_by_rules
from templex_scrapy.mapping.similarity import Similarity
from templex_scrapy.page import NodeArrays, StartTag

_LISTS = 4
"""Lists of children cached for one node."""

_FOREIGN_LOOKS = 200
"""Looks cached beyond those of the page itself."""

_LONGEST_NAMES = 200
"""Characters of tag, classes and id of such a look at most."""

_LONGEST_LIST = 100
"""Children in a cached list at most; longer lists are content, and seldom alike on two pages."""


class MappingCache:
    """How lists of children pair with those of one page.

    Pages of one type have most lists of children in common with their template, as far as the similarity can see; where
    the lists are the same, so are the pairs.

    Args:
        arrays: the page that others are mapped to.
        similarity: the parameters of the mapping.
    """

    def __init__(self, arrays: NodeArrays, similarity: Similarity) -> None:
        self._arrays = arrays
        self._similarity = similarity
        self._foreign_looks = 0
        self._pairings: dict[int, dict[_Children, Pairing]] = {}

    def pair(self, a: Siblings, b: Siblings, parent: int, max_steps: int) -> Pairing:
        """Pair children of another page with those of a node of this page, as ``pair_children`` does."""
        by_index = pair_by_index(a, b, self._similarity)
        if by_index is not None:
            return by_index
        if len(a) > _LONGEST_LIST:
            return pair_by_rules(a, b, self._similarity, max_steps)
        known = self._pairings.setdefault(parent, {})
        looks, counts = tuple(map(self._look, a.start_tags)), tuple(a.child_counts)
        pairing = known.get((looks, counts))
        # the limit of steps has the same effect whether the pairs are cached or not
        if pairing is None or pairing.steps > max_steps:
            pairing = pair_by_rules(a, b, self._similarity, max_steps)
            if not pairing.is_cut:
                self._put(known, looks, counts, pairing)
        return pairing

    def _put(
        self, known: dict[_Children, Pairing], looks: tuple[_Look, ...], counts: tuple[int, ...], pairing: Pairing
    ) -> None:
        kept = tuple(kept for look in looks if (kept := self._keep(look)) is not None)
        if len(kept) == len(looks):
            if len(known) >= _LISTS:
                del known[next(iter(known))]
            known[kept, counts] = pairing

    def _look(self, start_tag: StartTag) -> _Look:
        """All that the similarity sees of a child, except for its position and its own children."""
        weighs = start_tag.classes or self._similarity.attributes
        return start_tag.tag_and_classes, start_tag.id, start_tag.attributes if weighs else None

    @cached_property
    def _looks(self) -> dict[_Look, _Look]:
        own = map(self._look, map(self._arrays.start_tag, range(len(self._arrays.tag_strings))))
        return {look: look for look in own}

    def _keep(self, look: _Look) -> _Look | None:
        """Return the cached object equal to a look. Add it if it is plain and there is room. Otherwise return None."""
        kept = self._looks.get(look)
        # this bounds the memory that looks of other pages take
        if kept is None and self._foreign_looks < _FOREIGN_LOOKS and _is_plain(look):
            self._foreign_looks += 1
            kept = self._looks[look] = look
        return kept


def _is_plain(look: _Look) -> bool:
    tag_and_classes, name, attributes = look
    return not attributes and len(tag_and_classes) + len(name) <= _LONGEST_NAMES


_Look = tuple[str, str, frozenset[tuple[str, str]] | None]
_Children = tuple[tuple[_Look, ...], tuple[int, ...]]  # looks and numbers of children
