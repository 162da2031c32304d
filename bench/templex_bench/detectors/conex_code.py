"""Page-level ConEx as the authors' browser extension has it; :mod:`~templex_bench.detectors.literal` names the source.

It differs from the thesis (chapter 6) in that

- an element is rated only if all above it are, and of the tags ``a`` and ``br`` may be rated, ``form`` and ``img`` not;
- blank texts are children and count one word, and words are what single blanks separate;
- on a wide page only elements with more than half of the characters are rated; otherwise all;
- the depth is divided by itself: 1 in the upper half of the page, ever less below;
- the centroid is the element with the least summed distance; the three nearest to the element farthest from it are the
  candidates, below depth 2;
- the best have the most words a link, and siblings that are both candidates are kept; no post-process.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from templex_scrapy.page import Page, elements_of, nodes_of, subtree_positions

FORBIDDEN = frozenset("body em form h1 h2 h3 h4 h5 header hr iframe img nav script span style undefined".split())
CANDIDATES = 3


def detect_content_in_code(page: Page) -> frozenset[int]:
    """Return the positions of the main content nodes; O(nodes x height of the tree + rated elements squared)."""
    if nodes_of(page).start_tag(0).tag != "body":
        return frozenset()
    tree = _Tree(elements_of(page)[nodes_of(page).slots[0]])
    rated = tree.rated()
    if not rated:
        return frozenset()
    points = np.array([tree.ratios(at) for at in rated])
    deviation = points.std(axis=0)
    points = np.where(deviation > 0, (points - points.mean(axis=0)) / np.where(deviation > 0, deviation, 1), points)
    centroid = int(np.argmin([np.linalg.norm(points - point, axis=1).sum() for point in points]))
    far = np.linalg.norm(points - points[centroid], axis=1)
    distances = np.linalg.norm(points - points[len(far) - 1 - int(far[::-1].argmax())], axis=1)
    near = sorted(zip(distances.tolist(), rated, strict=True))
    eligible = [at for _, at in near if tree.depths[at] > 2 or tree.shown[at] < tree.shown[tree.parents[at]]]
    chosen = tree.best([at for at in eligible[:CANDIDATES] if tree.depths[at] > 2])
    elements = {id(tree.nodes[at]) for at in chosen}
    there = nodes_of(page).slots
    found = [
        at
        for at, text in enumerate(nodes_of(page).texts)
        if text is None and id(elements_of(page)[there[at]]) in elements
    ]
    return subtree_positions(nodes_of(page), found)


class _Tree:
    """The nodes of a body as a browser has them, in document order: an element or a comment, or a text."""

    def __init__(self, body: Any) -> None:
        self.nodes: list[Any] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        stack: list[tuple[Any, int, int]] = [(body, -1, 0)]
        while stack:
            node, parent, depth = stack.pop()
            at = len(self.nodes)
            self.nodes.append(node)
            self.parents.append(parent)
            self.depths.append(depth)
            if not isinstance(node, str):
                below = [node.text] if node.text and isinstance(node.tag, str) else []
                for child in node:
                    below += [child] if self._is_there(child) else []
                    below += [child.tail] if child.tail else []
                stack += [(child, at, depth + 1) for child in reversed(below)]
        self.tags = ["" if isinstance(n, str) or not isinstance(n.tag, str) else n.tag.lower() for n in self.nodes]
        texts = [node if isinstance(node, str) else None for node in self.nodes]
        self.children = [0] * len(texts)
        for parent in self.parents[1:]:
            self.children[parent] += 1
        self.characters = self._summed([len("".join(text.split())) if text else 0 for text in texts])
        self.shown = self._summed([len(text.strip()) if text else 0 for text in texts])
        self.words = self._summed([len(text.strip().split(" ")) if text and text.strip() else 0 for text in texts])
        self.links = self._summed([int(tag == "a") for tag in self.tags])
        self.deepest = max((self.depths[at] for at, text in enumerate(texts) if text is None), default=0)
        self.near_words = [0.0] * len(texts)
        for at, text in enumerate(texts):
            above, distance = self.parents[at], 1
            while text is not None and above >= 0 and self.tags[self.parents[at]] != "a":
                self.near_words[above] += len(text.strip().split(" ")) / distance
                above, distance = self.parents[above], distance + 1

    @staticmethod
    def _is_there(child: Any) -> bool:
        if not isinstance(child.tag, str):
            return True
        is_cookie = "cookie" in child.get("id", "").lower() or "cookie" in child.get("class", "").split()
        return child.tag not in {"script", "style"} and not is_cookie

    def _summed(self, own: list[int]) -> list[int]:
        for at in range(len(own) - 1, 0, -1):
            own[self.parents[at]] += own[at]
        return own

    def rated(self) -> list[int]:
        """Return the elements that are rated."""
        branches = sum(parent == 0 and bool(tag) for parent, tag in zip(self.parents, self.tags, strict=True))
        threshold = self.characters[0] / 2 if branches >= self.deepest - 1 else -1
        found = [0]
        known = {0}
        for at, tag in enumerate(self.tags):
            may = bool(tag) and tag not in FORBIDDEN and self.children[at] and self.characters[at] > threshold
            if may and self.parents[at] in known:
                found.append(at)
                known.add(at)
        return found[1:]

    def ratios(self, at: int) -> tuple[float, ...]:
        """Return the four ratios of an element."""
        depth = self.depths[at]
        nearest = self.deepest - depth if 2 * depth > self.deepest else depth
        return 1 / max(1, self.links[at]), self.near_words[at], float(self.children[at] > 2), nearest / depth

    def best(self, candidates: list[int]) -> list[int]:
        """Return the candidates with the most words a link, and those that are siblings."""
        density = {at: self.words[at] / self.links[at] if self.links[at] else math.inf for at in candidates}
        most = max(density.values(), default=0.0)
        parents = [self.parents[at] for at in candidates]
        return [at for at in candidates if density[at] == most or parents.count(self.parents[at]) > 1]
