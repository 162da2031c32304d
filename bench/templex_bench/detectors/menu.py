"""MenEx with the readings, weights and thresholds that the thesis leaves open or trains (chapter 5).

As printed, text is ``1 - characters / √characters of the page``, far below 0 for most elements; a name is ``nav`` or
``menu`` as a whole; and the root with the heaviest children is the menu, or the first root. The product
(:func:`~templex_scrapy.papers.detect_menu`) differs in all three. The share of hyperlinks is divided by twice the
descendants in both: multiplied by them, as printed, it would exceed 1. Six columns hold the properties of all nodes, so
that many weights are tried on one page.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from templex_bench.detectors.identity import child_lists
from templex_scrapy.page import NodeArrays, Page, StartTag, is_hyperlink, nodes_of, subtree_sums

Floats = NDArray[np.float64]
JudgedBy = Literal["children", "descendants", "own weight"]
Distance = Literal["none", "ideal", "mean"]

_NAMES = frozenset({"nav", "menu"})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


WEIGHTS = (0.30, 0.05, 0.10, 0.15, 0.15, 0.25)
"""Of amplitude, links, text, UL, representative tag and position (Table 5.1, row 1)."""

ROOT, MENU = 0.90, 0.85
"""Shares of the weight of a candidate, and of the largest one, that children must have (Algorithms 1 and 2)."""

CANDIDATES = 0.85
"""A candidate weighs more than this share of the largest weight."""


class Menus:
    """The nodes of a page with the six properties of Definition 5.2.1; rows of zeros for nodes without children."""

    def __init__(self, page: Page, *, text: str = "printed", names: str = "exact", distance: Distance = "none") -> None:
        self._distance = distance
        arrays = nodes_of(page)
        self._parents, self._sizes = arrays.parents, arrays.sizes
        self._children = [np.array(children, dtype=np.intp) for children in child_lists(arrays)]
        hyperlinks = [is_hyperlink(tag_string) for tag_string in arrays.tag_strings]
        links = [total - own for total, own in zip(subtree_sums(arrays, hyperlinks), hyperlinks, strict=True)]
        texts = TEXTS[text](arrays)
        self._has_links = np.array([own > 1 for own in links])
        self._properties = np.zeros((len(links), 6))
        for node, children in enumerate(self._children):
            if len(children):
                tag, below = arrays.start_tag(node), arrays.sizes[node] - 1
                self._properties[node] = (
                    1 - 1 / len(children),
                    (links[node] + below) / (2 * below) if links[node] > 1 else 0,
                    texts[node],
                    tag.tag == "ul",
                    tag.tag == "nav" or NAMED[names](tag),
                    1 - node / len(links),
                )

    def menu(
        self,
        weights_of: Sequence[float] = WEIGHTS,
        *,
        root: float = ROOT,
        menu: float = MENU,
        judged_by: JudgedBy = "children",
    ) -> int | None:
        """Return the menu (Algorithms 1 and 2), or None.

        The way leads up while most children weigh more than the share ``root`` of the candidate's weight. Children that
        weigh more than the share ``menu`` of the largest weight are heavy. The roots are judged by their heavy children
        (Algorithm 2), by their heavy descendants (its prose), or as in the product: a root without heavy children has
        its own weight, and candidates contain two hyperlinks.
        """
        weights = self._weights(np.array(weights_of))
        may = self._has_links if judged_by == "own weight" else np.ones(len(weights), dtype=np.bool_)
        if not may.any():
            return None
        most = float(weights[may].max())
        # as printed, the property text may leave no weight above 0
        found = np.flatnonzero(may & (weights >= min(most, CANDIDATES * most)))
        roots = sorted({self._root(int(node), weights, root) for node in found})

        def mean_of_heavy(at: int) -> float:
            last = at + self._sizes[at]
            below = weights[at + 1 : last] if judged_by == "descendants" else weights[self._children[at]]
            heavy = below[below > menu * most]
            return float(heavy.mean()) if len(heavy) else float(weights[at]) if judged_by == "own weight" else 0.0

        return max(roots, key=mean_of_heavy)

    def _weights(self, given: Floats) -> Floats:
        """Return the sums of Definition 5.2.1, or the distances that chapter 16 proposes, as in ConEx."""
        own, rated = self._properties, np.array([len(children) > 0 for children in self._children])
        if self._distance == "none" or not rated.any():
            return np.array(own @ given)
        if self._distance == "ideal":
            return np.array(1 - np.sqrt((1 - own) ** 2 @ given))
        spread = own[rated].std(axis=0)
        standard = np.where(spread > 0, own - own[rated].mean(axis=0), 0) / np.where(spread > 0, spread, 1)
        return np.where(rated, np.sqrt(standard**2 @ given), 0)

    def _root(self, candidate: int, weights: Floats, share: float) -> int:
        root, current, least = candidate, self._parents[candidate], share * weights[candidate]
        while current >= 0:
            children = self._children[current]
            if 2 * np.count_nonzero(weights[children] > least) <= len(children):
                break
            if len(children) > 1:
                root = current
            current = self._parents[current]
        return root


def _text(share: Callable[[float, float], float]) -> Callable[[NodeArrays], list[float]]:
    def property_of(arrays: NodeArrays) -> list[float]:
        linked, own = bytearray(len(arrays.texts)), [0] * len(arrays.texts)
        for node, text in enumerate(arrays.texts):
            parent = arrays.parents[node]
            linked[node] = arrays.tag_strings[node].startswith(("<a ", "<a>")) or (parent >= 0 and linked[parent])
            own[node] = 0 if text is None or linked[node] else len(" ".join(text.split()))
        totals = subtree_sums(arrays, own)
        return [1 - share(total, totals[0]) if totals[0] else 1.0 for total in totals]

    return property_of


TEXTS: Mapping[str, Callable[[NodeArrays], list[float]]] = {
    "printed": _text(lambda characters, whole: characters / math.sqrt(whole)),
    "share": _text(lambda characters, whole: characters / whole),
    "root": _text(lambda characters, whole: math.sqrt(characters / whole)),
}
"""Readings of the property text; text in hyperlinks does not count."""


def _has_word(tag: StartTag) -> bool:
    return any(word.lower() in _NAMES for name in (*tag.classes, tag.id) for word in _WORD.findall(name))


NAMED: Mapping[str, Callable[[StartTag], bool]] = {
    "exact": lambda tag: tag.id in _NAMES or (len(tag.classes) == 1 and not _NAMES.isdisjoint(tag.classes)),
    "classes": lambda tag: tag.id in _NAMES or not _NAMES.isdisjoint(tag.classes),
    "words": _has_word,
}
"""Readings of the representative tag: the whole attribute, a name in it, or a word of a name (``menu-main``)."""
