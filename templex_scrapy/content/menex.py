"""MenEx: the main menu of a page from that page alone (thesis, chapter 5, Algorithms 1 and 2).

Every element with children is weighed by six properties. A heavy element is often only a part of the menu, so the way
leads up from each of the heaviest while most of its neighbours are heavy too. The menu is the element reached so that
has the heaviest children.

The thesis leaves some points open. F1 of the hyperlinks in the menu on the development sites, on which the default was
chosen (``bench/scripts/detectors.py``; published, on other sites: 0.863):

=============  =========  ===========  =========
text property  ``exact``  ``classes``  ``words``
=============  =========  ===========  =========
``printed``    0.764      0.791        0.860
``share``      0.782      0.809        0.860
``root``       0.782      0.809        0.860
=============  =========  ===========  =========

- *Text*: ``1 - characters / √characters of the page`` as printed, which is far below 0 for most elements. The prose
  compares the element's text with that of the page: 1 minus its share (``"share"``), or minus the root of its share
  (``"root"``, default). Text in hyperlinks does not count.
- *Names*: ``class`` or ``id`` is ``nav`` or ``menu`` as a whole (``"exact"``, as printed), has it as one of its names
  (``"classes"``), or as a word of one, as in ``menu-main`` or ``topNav`` (``"words"``, default).
- *Candidates* contain at least two hyperlinks, as a menu does by definition (4.3.1).
- A root without heavy children counts with its own weight. On ties the first in document order wins.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Literal

from templex_scrapy.page import NodeArrays, Page, StartTag, is_hyperlink, subtree_sums

CANDIDATE_SHARE = 0.85
"""A candidate weighs at least this share of the largest weight."""

ROOT_THRESHOLD = 0.90
"""The way leads up while most children weigh more than this share of the candidate's weight (Algorithm 1)."""

MENU_THRESHOLD = 0.85
"""A root is judged by its children that weigh more than this share of the largest weight (Algorithm 2)."""

TextVariant = Literal["printed", "share", "root"]
NamesVariant = Literal["exact", "classes", "words"]

_NAMES = frozenset({"nav", "menu"})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_VARIANTS = {"text": ("printed", "share", "root"), "names": ("exact", "classes", "words")}


def detect_menu(page: Page, *, text: TextVariant = "root", names: NamesVariant = "words") -> int | None:
    """Return the position of the page's main menu; None if no element contains two hyperlinks.

    Args:
        page: any page.
        text: variant of the text property, see the module.
        names: variant of the representative tag, see the module.

    Raises:
        ValueError: if there is no such variant.

    Complexity:
        O(nodes), and O(height of the tree) for each candidate.
    """
    for argument, variant in (("text", text), ("names", names)):
        if variant not in _VARIANTS[argument]:
            raise ValueError(f"{argument} is {variant!r}: allowed are {', '.join(_VARIANTS[argument])}")
    return _Weights(page.arrays, text, names).menu()


class _Weights:
    """The weights of a page's nodes (Definition 5.2.1); 0 for nodes without children."""

    def __init__(self, arrays: NodeArrays, text: TextVariant, names: NamesVariant) -> None:
        self.arrays = arrays
        self.children = arrays.child_counts
        hyperlinks = [is_hyperlink(tag_string) for tag_string in arrays.tag_strings]
        self.links = [total - own for total, own in zip(subtree_sums(arrays, hyperlinks), hyperlinks, strict=True)]
        self.texts = _text_ratios(arrays, text)
        self.is_named = _NAMED[names]
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
        return (
            0.30 * (1 - 1 / children)
            + 0.05 * ((links + below) / (2 * below) if links > 1 else 0)
            + 0.10 * self.texts[position]
            + 0.15 * (start_tag.tag == "ul")
            + 0.15 * (start_tag.tag == "nav" or self.is_named(start_tag))
            + 0.25 * (1 - position / len(self.children))
        )

    def _menus(self) -> list[int]:
        """Return the nodes that may be a menu by definition: they contain two hyperlinks."""
        return [position for position, links in enumerate(self.links) if links > 1]

    def menu(self) -> int | None:
        """Return the menu among the roots of the candidates (Algorithm 2)."""
        # as printed, the property text may leave no weight above 0
        least = min(self.most, CANDIDATE_SHARE * self.most)
        candidates = [position for position in self._menus() if self.weights[position] >= least]
        roots = sorted({self._root(candidate) for candidate in candidates})
        return max(roots, key=self._mean_of_heavy_children, default=None)

    def _root(self, candidate: int) -> int:
        """Return the last ancestor that may be the whole menu of a candidate (Algorithm 1)."""
        root, least = candidate, ROOT_THRESHOLD * self.weights[candidate]
        for parent in self.arrays.ancestors(candidate):
            if self._median(parent) <= least:
                break
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


def _text_ratios(arrays: NodeArrays, variant: TextVariant) -> list[float]:
    """Return the text property of each node."""
    totals = subtree_sums(arrays, _characters(arrays))
    whole = totals[0]
    if not whole:
        return [1.0] * len(totals)
    if variant == "share":
        return [1 - total / whole for total in totals]
    if variant == "root":
        return [1 - math.sqrt(total / whole) for total in totals]
    return [1 - total / math.sqrt(whole) for total in totals]


def _characters(arrays: NodeArrays) -> list[int]:
    """Return the characters of each text outside hyperlinks, blanks counted once; 0 for other nodes."""
    linked = bytearray(len(arrays.tag_strings))
    found = [0] * len(linked)
    for position, (tag_string, text) in enumerate(zip(arrays.tag_strings, arrays.texts, strict=True)):
        linked[position] = tag_string.startswith(("<a ", "<a>")) or (position > 0 and linked[arrays.parents[position]])
        if text is not None and not linked[position]:
            found[position] = len(" ".join(text.split()))
    return found


def _is_exactly_named(start_tag: StartTag) -> bool:
    return start_tag.id in _NAMES or (len(start_tag.classes) == 1 and not _NAMES.isdisjoint(start_tag.classes))


def _has_named_class(start_tag: StartTag) -> bool:
    return start_tag.id in _NAMES or not _NAMES.isdisjoint(start_tag.classes)


def _has_word_in_name(start_tag: StartTag) -> bool:
    names = (*start_tag.classes, start_tag.id)
    return any(word.lower() in _NAMES for name in names for word in _WORD.findall(name))


_NAMED: dict[str, Callable[[StartTag], bool]] = {
    "exact": _is_exactly_named,
    "classes": _has_named_class,
    "words": _has_word_in_name,
}
