"""DOM distances to the nearest of a growing set of nodes, on pages of any depth.

The nodes and their lowest common ancestors form a small tree with long edges. It is split at its centroids again and
again: each path between two nodes leads through a centroid that both have in common, and a node has O(log n) of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from templex_scrapy.page import NodeArrays, depths

_Tree = dict[int, list[tuple[int, int]]]  # node → its neighbours, each with the number of edges between


class NearestTaken:
    """DOM distance from each of some nodes to the nearest of those taken so far; O(log(number of nodes)) for each call.

    Args:
        arrays: the page's nodes.
        positions: the nodes, in node order.
    """

    def __init__(self, arrays: NodeArrays, positions: Sequence[int]) -> None:
        self._centroids = _split(_tree_of(arrays, positions))
        self._nearest: dict[int, int] = {}  # centroid → edges to the nearest taken node

    def take(self, position: int) -> None:
        """Take a node."""
        for centroid, edges in self._centroids[position]:
            if edges < self._nearest.get(centroid, edges + 1):
                self._nearest[centroid] = edges

    def distance(self, position: int) -> float:
        """Return the distance from a node to the nearest taken one; infinite if none is taken."""
        nearest = self._nearest
        return min(
            (edges + nearest[centroid] for centroid, edges in self._centroids[position] if centroid in nearest),
            default=float("inf"),
        )


def _tree_of(arrays: NodeArrays, positions: Sequence[int]) -> _Tree:
    """Connect nodes, given in node order, with their lowest common ancestors; O(number of nodes of the page)."""
    levels = depths(arrays)
    tree: _Tree = {position: [] for position in positions[:1]}
    path = list(positions[:1])  # from an upper to a lower node
    for position in positions[1:]:
        low = common = path.pop()
        while not common <= position < common + arrays.sizes[common]:
            common = arrays.parents[common]
        while path and path[-1] > common:
            _connect(tree, levels, path[-1], low)
            low = path.pop()
        if low != common:
            _connect(tree, levels, common, low)
        if not path or path[-1] != common:
            path.append(common)
        path.append(position)
        tree.setdefault(position, [])
    for upper, lower in pairwise(path):
        _connect(tree, levels, upper, lower)
    return tree


def _connect(tree: _Tree, levels: Sequence[int], upper: int, lower: int) -> None:
    edges = levels[lower] - levels[upper]
    tree.setdefault(upper, []).append((lower, edges))
    tree.setdefault(lower, []).append((upper, edges))


def _split(tree: _Tree) -> dict[int, list[tuple[int, int]]]:
    """Map each node to the centroids of the parts of the tree that it is in, with the number of edges between."""
    centroids: dict[int, list[tuple[int, int]]] = {node: [] for node in tree}
    split: set[int] = set()
    parts = list(tree)[:1]
    while parts:
        centroid = _centroid(tree, split, parts.pop())
        for node, _, edges in _part(tree, split, centroid):
            centroids[node].append((centroid, edges))
        split.add(centroid)
        parts += [node for node, _ in tree[centroid] if node not in split]
    return centroids


def _part(tree: _Tree, split: set[int], start: int) -> list[tuple[int, int, int]]:
    """Return the nodes that are connected with a node; each with the one before it, and its distance from the start."""
    part = [(start, -1, 0)]
    for node, before, edges in part:
        part += [(next_, node, edges + more) for next_, more in tree[node] if next_ != before and next_ not in split]
    return part


def _centroid(tree: _Tree, split: set[int], start: int) -> int:
    """Return the node without which no part is larger than half of what is connected with a node."""
    part = _part(tree, split, start)
    sizes = {node: 1 for node, _, _ in part}
    for node, before, _ in reversed(part):
        if 2 * sizes[node] >= len(part):
            return node
        sizes[before] += sizes[node]
    return start
