"""MenEx: the main menu of a page from that page alone (thesis, chapter 5, Algorithms 1 and 2).

Every element with children is weighed by six properties. A heavy element is often only a part of the menu, so the way
leads up from each of the heaviest while most of the neighbours are heavy too. The menu is the element reached so that
has the heaviest children.

The thesis leaves some points open. The readings here are those that were best on the development sites: F1 of the
hyperlinks in the menu 0.860, as printed 0.659 (``templex-bench show RESULTS sites-readings-menu-links``; published, on
other sites: 0.863).

- *Text*: 1 minus the root of the share of the page's characters; those in hyperlinks do not count. The printed formula,
  ``1 - characters / √characters of the page``, is far below 0 for most elements.
- *Names*: ``class`` or ``id`` has ``nav`` or ``menu`` as a word, as in ``menu-main`` or ``topNav``; as printed, it is
  the whole attribute.
- *Candidates* contain at least two hyperlinks, as a menu does by definition (4.3.1).
- A root without heavy children counts with the weight of the root. On ties the first in document order wins.
"""

from __future__ import annotations

import math
import re

from templex_scrapy.page import NodeArrays, Page, StartTag, is_hyperlink, nodes_of, subtree_sums

CANDIDATE_SHARE = 0.85
"""A candidate weighs at least this share of the largest weight."""

ROOT_THRESHOLD = 0.90
"""The way leads up while most children weigh more than this share of the candidate's weight (Algorithm 1)."""

MENU_THRESHOLD = 0.85
"""A root is judged by the children that weigh more than this share of the largest weight (Algorithm 2)."""

_NAMES = frozenset({"nav", "menu"})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def detect_menu(page: Page) -> int | None:
    """Return the position of the page's main menu; None if no element contains two hyperlinks.

    Complexity:
        O(nodes), and O(height of the tree) for each candidate.
    """
    return _Weights(nodes_of(page)).menu()


class _Weights:
    """The weights of a page's nodes (Definition 5.2.1); 0 for nodes without children."""

    def __init__(self, arrays: NodeArrays) -> None:
        self.arrays = arrays
        self.children = arrays.child_counts
        links = [is_hyperlink(tag_string) for tag_string in arrays.tag_strings]
        self.links = [total - is_link for total, is_link in zip(subtree_sums(arrays, links), links, strict=True)]
        self.texts = _text_ratios(arrays)
        self.weights = [self._weight(position) for position in range(len(arrays.tag_strings))]
        # no menu at all leaves no candidates either
        self.most = max((self.weights[position] for position in self._menus()), default=math.inf)
        self._medians: dict[int, float] = {}

    def _weight(self, position: int) -> float:
        children = self.children[position]
        if not children:
            return 0.0
        start_tag = self.arrays.start_tag(position)
        links, below = self.links[position], self.arrays.sizes[position] - 1
        # <nav class="main-menu"><ul><li><a>…: many children, mostly links, little other text, early in the page
        return (
            0.30 * (1 - 1 / children)
            + 0.05 * ((links + below) / (2 * below) if links > 1 else 0)
            + 0.10 * self.texts[position]
            + 0.15 * (start_tag.tag == "ul")
            + 0.15 * (start_tag.tag == "nav" or _is_named(start_tag))
            + 0.25 * (1 - position / len(self.children))
        )

    def _menus(self) -> list[int]:
        """Return the nodes that may be a menu by definition: they contain two hyperlinks."""
        return [position for position, links in enumerate(self.links) if links > 1]

    def menu(self) -> int | None:
        """Return the menu among the roots of the candidates (Algorithm 2)."""
        least = CANDIDATE_SHARE * self.most
        candidates = [position for position in self._menus() if self.weights[position] >= least]
        roots = sorted({self._root(candidate) for candidate in candidates})
        return max(roots, key=self._mean_of_heavy_children, default=None)

    def _root(self, candidate: int) -> int:
        """Return the last ancestor that may be the whole menu of a candidate (Algorithm 1)."""
        root, least = candidate, ROOT_THRESHOLD * self.weights[candidate]
        for parent in self.arrays.ancestors(candidate):
            if self._median(parent) <= least:
                break
            # of <nav><div><ul>…</ul></div></nav> the ul: wrappers add nothing
            if self.children[parent] > 1:
                root = parent
        return root

    def _median(self, position: int) -> float:
        """Return the weight such that, for any lower threshold, more than half of the children are heavier."""
        if position not in self._medians:
            weights = sorted(self.weights[child] for child in self.arrays.children(position))
            self._medians[position] = weights[(len(weights) - 1) // 2]
        return self._medians[position]

    def _mean_of_heavy_children(self, position: int) -> float:
        least = MENU_THRESHOLD * self.most
        children = self.arrays.children(position)
        heavy = [self.weights[child] for child in children if self.weights[child] > least]
        return math.fsum(heavy) / len(heavy) if heavy else self.weights[position]


def _text_ratios(arrays: NodeArrays) -> list[float]:
    """Return the text property of each node: characters outside hyperlinks count, each run of blanks once."""
    linked = bytearray(len(arrays.tag_strings))
    characters = [0] * len(linked)
    for position, (tag_string, text) in enumerate(zip(arrays.tag_strings, arrays.texts, strict=True)):
        # the words of a menu are links; those between them, such as "|", are few
        linked[position] = tag_string.startswith(("<a ", "<a>")) or (position > 0 and linked[arrays.parents[position]])
        if text is not None and not linked[position]:
            characters[position] = len(" ".join(text.split()))
    totals = subtree_sums(arrays, characters)
    return [1 - math.sqrt(total / totals[0]) if totals[0] else 1.0 for total in totals]


def _is_named(start_tag: StartTag) -> bool:
    names = (*start_tag.classes, start_tag.id)
    return any(word.lower() in _NAMES for name in names for word in _WORD.findall(name))
