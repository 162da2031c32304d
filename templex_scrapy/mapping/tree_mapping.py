"""The equal top-down mapping of two pages (thesis, Definition 4.2.7 and chapter 8).

The roots are mapped; then their children one to one, the best pair first; then the children of each mapped pair. A node
that is not mapped is not entered.

Two things make this fast without changing the result: subtrees with the same start tags in the same shape map node to
node, so they are compared as slices; and lists of children are paired as :mod:`templex_scrapy.mapping.children` says.
"""

from __future__ import annotations

from dataclasses import dataclass

from templex_scrapy.mapping.children import Siblings, only_children_pair, pair_children
from templex_scrapy.mapping.similarity import TEMPLEX, Similarity
from templex_scrapy.page import NodeArrays, Page

_STEPS_PER_CHILD = 4
"""Steps that each list of children may take (see :func:`pair_children`): enough for 8 that are all different."""

_MORE_STEPS = 2**15
"""Steps that all lists of two pages together may take beyond that: enough for a list of 180 that are all different."""


@dataclass(frozen=True, slots=True)
class NodeMapping:
    """Which nodes of one page are mapped to which of another.

    Attributes:
        pairs: (position, position) of nodes mapped one by one.
        runs: (position, position, length): that many nodes from the first position on are mapped to those from the
            second on. A run is a subtree with the same start tags in the same shape, except for the root's start tag.
        cuts: number of lists of children that were paired in order, because the limit of steps was reached.
    """

    pairs: list[tuple[int, int]]
    runs: list[tuple[int, int, int]]
    cuts: int = 0

    def positions(self) -> dict[int, int]:
        """Map each mapped position of the first page to its counterpart in the second."""
        mapped = dict(self.pairs)
        for a, b, length in self.runs:
            mapped.update(zip(range(a, a + length), range(b, b + length), strict=True))
        return mapped


def map_pages(a: Page, b: Page, similarity: Similarity = TEMPLEX) -> dict[int, int]:
    """Compute the equal top-down mapping of two pages.

    Args:
        a: the page whose nodes are mapped, usually the key page.
        b: the page they are mapped to.
        similarity: the parameters; by default this package's own.

    Returns:
        Each mapped position of ``a`` with its counterpart in ``b``. No position of ``b`` occurs twice.
    """
    return map_trees(a.arrays, b.arrays, similarity).positions()


def map_trees(a: NodeArrays, b: NodeArrays, similarity: Similarity = TEMPLEX) -> NodeMapping:
    """Compute the equal top-down mapping of two trees.

    Args:
        a: the nodes that are mapped.
        b: the nodes they are mapped to.
        similarity: the parameters.
    """
    pairs: list[tuple[int, int]] = []
    runs: list[tuple[int, int, int]] = []
    pairs_equals = similarity.pairs_equals
    more_steps, cuts = _MORE_STEPS, 0
    waiting = [(0, 0)]
    while waiting:
        i, j = waiting.pop()
        if pairs_equals and _same_below(a, i, b, j):
            runs.append((i, j, a.sizes[i]))
            continue
        pairs.append((i, j))
        if a.sizes[i] == 1 or b.sizes[j] == 1:
            continue
        if a.sizes[i + 1] == a.sizes[i] - 1 and b.sizes[j + 1] == b.sizes[j] - 1:
            if only_children_pair(a, i + 1, b, j + 1, similarity):
                waiting.append((i + 1, j + 1))
            continue
        of_a, of_b = Siblings(a, i), Siblings(b, j)
        own_steps = _STEPS_PER_CHILD * (len(of_a) + len(of_b))
        pairing = pair_children(of_a, of_b, similarity, own_steps + more_steps)
        more_steps -= min(max(pairing.steps - own_steps, 0), more_steps)
        cuts += pairing.is_cut
        waiting.extend((of_a.positions[x], of_b.positions[y]) for x, y in pairing.pairs)
    return NodeMapping(pairs, runs, cuts)


def _same_below(a: NodeArrays, i: int, b: NodeArrays, j: int) -> bool:
    """Return whether two nodes contain the same start tags in the same shape."""
    size = a.sizes[i]
    return (
        size == b.sizes[j]
        and a.tag_strings[i + 1 : i + size] == b.tag_strings[j + 1 : j + size]
        and a.sizes[i + 1 : i + size] == b.sizes[j + 1 : j + size]
    )
