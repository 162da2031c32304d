"""MenEx: the main menu of a page from that page alone (thesis, chapter 5, Algorithms 1 and 2).

Every element with children is weighed by six properties. From each of the heaviest the way leads up as long as most of
the neighbours are heavy too, since a heavy element is often but one part of the menu. Of the elements reached so, the
menu is the one with the heaviest children.

What the thesis leaves open, with F1 over the hyperlinks in the menu on the development sites (mean over sites of the
mean over key pages; pages without a menu left out; ``bench/scripts/detectors.py`` prints it again, and so does the
workbench in the table ``sites-readings-menu-links`` of its report; published: 0.863, on other sites). The readings were
chosen on these very sites, so that the figures of the default flatter it:

=============  =========  ===========  =========
property text  ``exact``  ``classes``  ``words``
=============  =========  ===========  =========
``printed``    0.764      0.791        0.860
``share``      0.782      0.809        0.860
``root``       0.782      0.809        0.860
=============  =========  ===========  =========

- *Text*: as printed, the property is ``1 - characters / √characters of the page`` and far below 0 for most elements.
  The prose compares the element's text with that of the page: ``"share"`` is 1 less its share, ``"root"`` (default) 1
  less the root of its share. Blanks are counted once; the text of hyperlinks not at all, neither in the element nor in
  the page.
- *Names*: as printed, the whole ``class`` or ``id`` is ``nav`` or ``menu`` (``"exact"``). The prose says that the class
  name contains them: as one of the class names (``"classes"``), or as a word of a class name or id, as in
  ``menu-main`` or ``topNav`` (``"words"``, default).
- *Candidates* hold two hyperlinks at least, as a menu does by definition (4.3.1). Without that, ``share`` and ``root``
  have 0.774 with ``exact``, and the figures are the same everywhere else.
- A root without heavy children counts with its own weight; ties go to the first in document order.
- *Hyperlinks* are those below an element, without the element itself; children are nodes, text nodes among them.
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
"""Children heavier than this share of the candidate's weight let the way go on upwards (Algorithm 1)."""

MENU_THRESHOLD = 0.85
"""Children heavier than this share of the largest weight count for a root (Algorithm 2)."""

TextReading = Literal["printed", "share", "root"]
NamesReading = Literal["exact", "classes", "words"]

_NAMES = frozenset({"nav", "menu"})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_READINGS = {"text": ("printed", "share", "root"), "names": ("exact", "classes", "words")}


def detect_menu(page: Page, *, text: TextReading = "root", names: NamesReading = "words") -> int | None:
    """Position of the node that is the main menu of a page.

    Args:
        page: any page.
        text: the reading of the text property, see the module.
        names: the reading of the representative tag, see the module.

    Returns:
        A position in ``page.nodes``; None if no element holds two hyperlinks.

    Raises:
        ValueError: if there is no such reading.

    Complexity:
        O(nodes), and O(height of the tree) for each candidate.
    """
    for argument, reading in (("text", text), ("names", names)):
        if reading not in _READINGS[argument]:
            raise ValueError(f"{argument} is {reading!r}: allowed are {', '.join(_READINGS[argument])}")
    return _Weights(page.arrays, text, names).menu()


class _Weights:
    """The weights of a page's nodes (Definition 5.2.1); 0 for a node without children."""

    def __init__(self, arrays: NodeArrays, text: TextReading, names: NamesReading) -> None:
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
        features = self.arrays.start_tag(position)
        links, below = self.links[position], self.arrays.sizes[position] - 1
        return (
            0.30 * (1 - 1 / children)
            + 0.05 * ((links + below) / (2 * below) if links > 1 else 0)
            + 0.10 * self.texts[position]
            + 0.15 * (features.tag == "ul")
            + 0.15 * (features.tag == "nav" or self.is_named(features))
            + 0.25 * (1 - position / len(self.children))
        )

    def _menus(self) -> list[int]:
        """What may be a menu by definition: nodes that hold two hyperlinks."""
        return [position for position, links in enumerate(self.links) if links > 1]

    def menu(self) -> int | None:
        """The menu among the roots of the candidates (Algorithm 2)."""
        # as printed, the property text may leave no weight above 0
        least = min(self.most, CANDIDATE_SHARE * self.most)
        candidates = [position for position in self._menus() if self.weights[position] >= least]
        roots = sorted({self._root(candidate) for candidate in candidates})
        return max(roots, key=self._mean_of_heavy_children, default=None)

    def _root(self, candidate: int) -> int:
        """The last ancestor that may be the whole menu of which a candidate is a part (Algorithm 1)."""
        root, least = candidate, ROOT_THRESHOLD * self.weights[candidate]
        for parent in self.arrays.ancestors(candidate):
            if self._median(parent) <= least:
                break
            if self.children[parent] > 1:
                root = parent
        return root

    def _median(self, position: int) -> float:
        """The weight under which a threshold has to be for more than half of a node's children to be heavier."""
        if position not in self._medians:
            weights = sorted(self.weights[child] for child in self.arrays.children(position))
            self._medians[position] = weights[(len(weights) - 1) // 2]
        return self._medians[position]

    def _mean_of_heavy_children(self, position: int) -> float:
        least = MENU_THRESHOLD * self.most
        children = self.arrays.children(position)
        heavy = [self.weights[child] for child in children if self.weights[child] > least]
        return math.fsum(heavy) / len(heavy) if heavy else self.weights[position]


def _text_ratios(arrays: NodeArrays, reading: TextReading) -> list[float]:
    """The property text, for each node."""
    totals = subtree_sums(arrays, _characters(arrays))
    whole = totals[0]
    if not whole:
        return [1.0] * len(totals)
    if reading == "share":
        return [1 - total / whole for total in totals]
    if reading == "root":
        return [1 - math.sqrt(total / whole) for total in totals]
    return [1 - total / math.sqrt(whole) for total in totals]


def _characters(arrays: NodeArrays) -> list[int]:
    """Of each text outside hyperlinks its number of characters, blanks counted once; else 0."""
    linked = bytearray(len(arrays.tag_strings))
    found = [0] * len(linked)
    for position, (tag_string, text) in enumerate(zip(arrays.tag_strings, arrays.texts, strict=True)):
        linked[position] = tag_string.startswith(("<a ", "<a>")) or (position > 0 and linked[arrays.parents[position]])
        if text is not None and not linked[position]:
            found[position] = len(" ".join(text.split()))
    return found


def _is_exactly_named(features: StartTag) -> bool:
    return features.id in _NAMES or (len(features.classes) == 1 and features.classes <= _NAMES)


def _has_named_class(features: StartTag) -> bool:
    return features.id in _NAMES or not _NAMES.isdisjoint(features.classes)


def _has_word_in_name(features: StartTag) -> bool:
    names = (*features.classes, features.id)
    return any(word.lower() in _NAMES for name in names for word in _WORD.findall(name))


_NAMED: dict[str, Callable[[StartTag], bool]] = {
    "exact": _is_exactly_named,
    "classes": _has_named_class,
    "words": _has_word_in_name,
}
