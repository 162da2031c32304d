"""The equal top-down mapping of two pages (thesis, Definition 4.2.7 and chapter 8).

Two pages are laid over each other from the roots down: the roots are mapped, then their children one to one, the best
pair first, then the children of each mapped pair. A node that is not mapped is not entered.

Two facts keep this cheap without changing its result. Subtrees with the same start tags in the same shape map node to
node, so they are compared as slices and never entered. And among the children of one node most are of a kind, so a
child is compared with kinds of children, not with each of them (see :mod:`templex_scrapy.mapping.children`).
"""

from __future__ import annotations

from dataclasses import dataclass

from templex_scrapy.mapping.child_index import Side
from templex_scrapy.mapping.children import only_children_pair, pair_children
from templex_scrapy.mapping.mapping_cache import MappingCache
from templex_scrapy.mapping.similarity import PUBLISHED, PUBLISHED_CONTENT, PUBLISHED_QUICK, TEMPLEX, Similarity
from templex_scrapy.page import NodeArrays, Page

__all__ = [
    "PUBLISHED",
    "PUBLISHED_CONTENT",
    "PUBLISHED_QUICK",
    "TEMPLEX",
    "NodeMapping",
    "Similarity",
    "map_pages",
    "map_trees",
]


@dataclass(frozen=True, slots=True)
class NodeMapping:
    """Which nodes of one page are mapped to which of another.

    Attributes:
        pairs: (position, position) of nodes mapped one by one.
        runs: (position, position, length): that many nodes from the first position on are mapped to those from the
            second on, one after the other. They are whole subtrees with the same start tags in the same shape, but that
            the start tags of their roots may differ.
    """

    pairs: list[tuple[int, int]]
    runs: list[tuple[int, int, int]]

    def positions(self) -> dict[int, int]:
        """Every mapped position of the first page with its counterpart in the second."""
        mapped = dict(self.pairs)
        for a, b, length in self.runs:
            mapped.update(zip(range(a, a + length), range(b, b + length), strict=True))
        return mapped


def map_pages(a: Page, b: Page, similarity: Similarity = TEMPLEX) -> dict[int, int]:
    """The equal top-down mapping of two pages.

    Args:
        a: the page whose nodes are mapped, usually the key page.
        b: the page they are mapped to.
        similarity: when two siblings pair; default: this package's own parameters.

    Returns:
        Each mapped position of ``a`` with its counterpart in ``b``. No position of ``b`` comes twice.
    """
    return map_trees(a.arrays, b.arrays, similarity).positions()


def map_trees(
    a: NodeArrays, b: NodeArrays, similarity: Similarity = TEMPLEX, mapping_cache: MappingCache | None = None
) -> NodeMapping:
    """As :func:`map_pages`, on outlines, and with subtrees that map node to node told as runs.

    Args:
        a: nodes that are mapped.
        b: nodes that they are mapped to.
        similarity: when two siblings pair.
        mapping_cache: how others have been mapped to ``b`` by the same similarity; quicker, with the same result.
    """
    pairs: list[tuple[int, int]] = []
    runs: list[tuple[int, int, int]] = []
    slices = similarity.pairs_equals
    waiting = [(0, 0)]
    while waiting:
        i, j = waiting.pop()
        if slices and _same_below(a, i, b, j):
            runs.append((i, j, a.sizes[i]))
            continue
        pairs.append((i, j))
        if a.sizes[i] == 1 or b.sizes[j] == 1:
            continue
        if a.sizes[i + 1] == a.sizes[i] - 1 and b.sizes[j + 1] == b.sizes[j] - 1:
            if only_children_pair(a, i + 1, b, j + 1, similarity):
                waiting.append((i + 1, j + 1))
            continue
        if mapping_cache is not None:
            waiting.extend(mapping_cache.pair(a, i, j))
        else:
            waiting.extend(pair_children(Side(a, a.children(i)), Side(b, b.children(j)), similarity))
    return NodeMapping(pairs, runs)


def _same_below(a: NodeArrays, i: int, b: NodeArrays, j: int) -> bool:
    """Whether two nodes hold the same start tags in the same shape."""
    size = a.sizes[i]
    return (
        size == b.sizes[j]
        and a.tag_strings[i + 1 : i + size] == b.tag_strings[j + 1 : j + size]
        and a.sizes[i + 1 : i + size] == b.sizes[j + 1 : j + size]
    )
