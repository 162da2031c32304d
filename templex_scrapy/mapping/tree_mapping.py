"""The equal top-down mapping of two pages (thesis, Definition 4.2.7 and chapter 8).

The roots are mapped; then their children, each to at most a single child, the best pair first; then the children of
each mapped pair. The children of an unmapped node are not mapped.

Two things make this fast without changing the result: subtrees with the same start tags in the same shape map node to
node; and lists of children are paired as :mod:`templex_scrapy.mapping.children` says.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple
from weakref import ref

from templex_scrapy import cython
from templex_scrapy.mapping.children import pair_children
from templex_scrapy.mapping.siblings import Siblings, Tree
from templex_scrapy.mapping.similarity import TEMPLEX, Similarity
from templex_scrapy.page import NodeArrays, Page, nodes_of, renumbered

# a hostile page may have 20,000 different children, and all would be compared with all
_STEPS_PER_CHILD = 4
"""Most steps of a list of children, per child (see :func:`pair_children`): enough for 8 with 8 children."""

_MORE_STEPS = 2**17
"""Most further steps of all lists of two pages together, 0.1 s at worst: enough for a list of 360 different children.

Of 1,378 saved pages, the outputs of one differ from those without a limit.
"""


class NodeMapping(NamedTuple):
    """The mapping of the nodes of a page to the nodes of another.

    Attributes:
        pairs: (position, position) of single nodes.
        runs: (position, position, length): so many nodes from the first position on are mapped to the nodes from
            the second on. A run is a subtree with the same start tags in the same shape; the root's tag may differ.
        cuts: number of lists of children of which some were paired in order (:func:`pair_children`).
    """

    pairs: list[tuple[int, int]]
    runs: list[tuple[int, int, int]]
    cuts: int = 0

    def positions(self) -> dict[int, int]:
        """Map each mapped position of the first page to the counterpart in the second."""
        mapped = dict(self.pairs)
        for a, b, length in self.runs:
            mapped.update(zip(range(a, a + length), range(b, b + length), strict=True))
        return mapped

    def inverse(self) -> NodeMapping:
        """Return the mapping of the second page to the first."""
        pairs = [(b, a) for a, b in self.pairs]
        return NodeMapping(pairs, [(b, a, length) for a, b, length in self.runs], self.cuts)


def map_pages(a: Page, b: Page, similarity: Similarity = TEMPLEX) -> dict[int, int]:
    """Return each mapped position of a page with the counterpart in another; no counterpart occurs twice."""
    return map_trees(nodes_of(a), nodes_of(b), similarity).positions()


@cython.ccall
@cython.locals(
    pairs=list, runs=list, waiting=list, sizes_a="const int[::1]", sizes_b="const int[::1]", ids_a="const int[::1]",
    ids_b="const int[::1]", pairs_equals="bint", i="Py_ssize_t", j="Py_ssize_t", size="Py_ssize_t", tree_a=Tree,
    tree_b=Tree, of_a=Siblings, of_b=Siblings, own_steps="Py_ssize_t", x="Py_ssize_t", y="Py_ssize_t",
)  # fmt: skip
def map_trees(a: NodeArrays, b: NodeArrays, similarity: Similarity = TEMPLEX) -> NodeMapping:
    """Compute the equal top-down mapping of two trees."""
    pairs: list[tuple[int, int]] = []
    runs: list[tuple[int, int, int]] = []
    sizes_a, sizes_b, ids_b = a.sizes, b.sizes, b.ids
    # for each node of A the number of the start tag in B, or -1
    known = b.computed(_numbers)
    ids_a = renumbered(array("i", [known.get(tag_string, -1) for tag_string in a.distinct]), a.ids)
    tree_a, tree_b = Tree(a), Tree(b)
    pairs_equals = similarity.pairs_equals
    more_steps, cuts = _MORE_STEPS, 0
    waiting = [(0, 0)]
    while waiting:
        i, j = waiting.pop()
        size = sizes_a[i]
        # the footer of both pages: if all start tags are the same, each node pairs with its counterpart
        if pairs_equals and size == sizes_b[j] and _same_below(ids_a, sizes_a, i, ids_b, sizes_b, j):
            runs.append((i, j, size))
            continue
        pairs.append((i, j))
        # <td></td> in place of <td><a>…</a></td>: the cell is mapped, and has no more to pair
        if size == 1 or sizes_b[j] == 1:
            continue
        of_a, of_b = Siblings(tree_a, i), Siblings(tree_b, j)
        # each list has a share of steps, so that a hostile list takes none from the menu
        own_steps = _STEPS_PER_CHILD * (of_a.count + of_b.count)
        pairing = pair_children(of_a, of_b, similarity, own_steps + more_steps)
        more_steps -= min(max(pairing.steps - own_steps, 0), more_steps)
        cuts += pairing.is_cut
        for x, y in pairing.pairs:
            waiting.append((of_a.positions[x], of_b.positions[y]))
    return NodeMapping(pairs, runs, cuts)


def map_voter(key: NodeArrays, voter: NodeArrays, similarity: Similarity) -> NodeMapping:
    """Compute the mapping of a key page to a page that votes on it; :func:`map_to_key` uses the mapping once more."""
    mapping = map_trees(key, voter, similarity)
    voter.voted[ref(key), similarity] = mapping
    return mapping


def map_to_key(page: NodeArrays, key: NodeArrays, similarity: Similarity) -> NodeMapping:
    """Compute the mapping of a page to a key page: of a page that has voted, the inverse of the vote's mapping."""
    voted: NodeMapping | None = page.voted.pop((ref(key), similarity), None)
    # pairs in order, made when the limit of steps is reached, need not be the same in both directions
    return map_trees(page, key, similarity) if voted is None or voted.cuts else voted.inverse()


def _numbers(arrays: NodeArrays) -> dict[str, int]:
    return {tag_string: number for number, tag_string in enumerate(arrays.distinct)}


@cython.cfunc
@cython.returns("bint")
@cython.locals(
    ids_a="const int[::1]", sizes_a="const int[::1]", i="Py_ssize_t", ids_b="const int[::1]", sizes_b="const int[::1]",
    j="Py_ssize_t", offset="Py_ssize_t",
)  # fmt: skip
def _same_below(ids_a: array[int], sizes_a: array[int], i: int, ids_b: array[int], sizes_b: array[int], j: int) -> bool:
    """Return whether two subtrees of the same size have the same start tags in the same shape, except for the roots."""
    # the roots may differ: <li class="current"> of a menu is <li> on the next page
    for offset in range(1, sizes_a[i]):
        if ids_a[i + offset] != ids_b[j + offset] or sizes_a[i + offset] != sizes_b[j + offset]:
            return False
    return True
