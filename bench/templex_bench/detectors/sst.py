"""SST: the template is what a Site Style Tree shows to be noise (Yi, Liu, Li, KDD 2003).

All pages are laid over each other from the root down. An *element node* of the tree stands for the elements at one
place of the pages that have it; its *style nodes* are the sequences of children there, each with its number of pages.
Parts that look alike and say the same everywhere carry no information:

- the importance of an inner element node is the entropy of its styles, ``-sum(p * log_m(p))`` over the shares ``p`` of
  its ``m`` pages that have each of them, and 1 if ``m`` is 1;
- the importance of a leaf is 1 less the mean entropy of its features over its pages, and 1 if ``m`` is 1;
- the composite importance of an inner node with ``l`` styles is its own importance times ``1 - gamma**l``, and
  ``gamma**l`` times the means over the children of each style, weighted by its ``p``.

An element node is noise if its composite importance, and that of all nodes below, is under a threshold.

L. Yi, B. Liu, X. Li: Eliminating noisy information in Web pages for data mining, KDD 2003; thesis, chapter 12.1. There
the tree is made of 500 pages and used to clean others; here of the key page and those of its complete subdigraph.

Choices that the paper leaves open (the table of readings of template nodes measures them):

- *Attributes*: in a sequence, an element is its tag with its display attributes of HTML 4, such as ``bgcolor``
  (default); or its tag; or its whole start tag.
- *Threshold*: with so few pages it hardly matters. 0.5 has 0.007 more F1, but calls texts noise that differ on every
  other page.
- *Features* of a leaf: the words of a text, and the target of a link directly around it; the value of an image or
  another element without children. A leaf without features has importance 0, as has a style without children.

As printed is the thesis's text without entropies: groups of siblings on enough pages (``pages_with``), which are two,
and tags. It has more F1 than the default, the paper's own method.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from templex_bench.detectors.identity import child_lists
from templex_scrapy.page import NodeArrays, Page, distinct, is_link_text, nodes_of, values_of

GAMMA = 0.9
"""The published attenuating factor: the weight of the nodes below a node, to the power of its styles."""

THRESHOLD = 0.2
"""Noise has a composite importance below this."""

DISPLAY = frozenset(
    "align alink background bgcolor border bordercolor cellpadding cellspacing clear color face frame height hspace "
    "link noshade nowrap rules size text valign vlink vspace width".split()
)
"""The attributes that say how an element looks, as of HTML 4."""

Attributes = Literal["display", "tags", "start tags"]
Member = tuple[int, int]


def detect_template_sst(
    key: Page,
    pages: Iterable[Page],
    *,
    attributes: Attributes = "display",
    threshold: float = THRESHOLD,
    pages_with: int | None = None,
) -> frozenset[int]:
    """Return the positions of the nodes of a key page that the site style tree of all pages shows to be noise.

    Copies of the key page, or of each other, are dropped first. ``pages_with`` is the number of pages, the key page
    included, that must have an element node to make it template, in place of the threshold. O(number of nodes).
    """
    voters = distinct((key, *pages))
    if len(voters) == 1:
        return frozenset()
    tree = _style_tree([nodes_of(page) for page in voters], attributes)
    if pages_with is not None:
        repeated = [node for node in tree if len(node.members) >= min(pages_with, len(voters))]
        return _of_the_key_page(repeated)
    _weigh(tree, voters)
    return _of_the_key_page(node for node in tree if node.most < threshold)


@dataclass(slots=True)
class ElementNode:
    """An element node of the style tree: pages and positions of its members, the key page's first.

    ``styles`` has the element nodes of each sequence of children, ``pages`` the number of its pages; the tree does not
    follow a node of one page. ``most`` is the largest composite importance of the node and all nodes below.
    """

    members: list[Member]
    styles: list[list[ElementNode]] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    importance: float = 1.0
    most: float = 1.0


def _style_tree(pages: Sequence[NodeArrays], attributes: Attributes) -> list[ElementNode]:
    """The element nodes of the style tree of some pages, the root first and each before those below it."""
    labels = [_labels(arrays, attributes) for arrays in pages]
    children = [child_lists(arrays) for arrays in pages]
    tree = [ElementNode([(page, 0) for page in range(len(pages))])]
    for node in tree:
        if len(node.members) == 1:
            continue
        styles: dict[tuple[str, ...], list[Member]] = {}
        for page, position in node.members:
            sequence = tuple([labels[page][child] for child in children[page][position]])
            styles.setdefault(sequence, []).append((page, position))
        for sequence, members in styles.items():
            below = [
                ElementNode([(page, children[page][position][index]) for page, position in members])
                for index in range(len(sequence))
            ]
            tree += below
            node.styles.append(below)
            node.pages.append(len(members))
    return tree


def _labels(arrays: NodeArrays, attributes: Attributes) -> list[str]:
    """Return labels by which nodes in a sequence of children are equal; text nodes are equal to each other."""
    if attributes == "start tags":
        return list(arrays.tag_strings)
    known = {label: arrays.start_tag(position) for position, label in enumerate(arrays.tag_strings)}
    if attributes == "tags":
        return [known[label].tag for label in arrays.tag_strings]
    shown = {
        label: " ".join([tag.tag, *map(repr, sorted(pair for pair in tag.attributes if pair[0] in DISPLAY))])
        for label, tag in known.items()
    }
    return [shown[label] for label in arrays.tag_strings]


def _features(page: Page, leaf: int) -> list[tuple[str, str]]:
    """Return the words of a text and its target; of an element without children, its value."""
    text = nodes_of(page).texts[leaf]
    words = [] if text is None else [("word", word) for word in text.split()]
    if text is not None and not is_link_text(nodes_of(page), leaf):
        return words
    value = values_of(page).value(leaf if text is None else nodes_of(page).parents[leaf])
    return words if value is None else [*words, ("value", value)]


def _weigh(tree: Sequence[ElementNode], pages: Sequence[Page]) -> None:
    """Work out the composite importance of all element nodes, from the leaves up."""
    for node in reversed(tree):
        if len(node.members) == 1:
            continue
        if node.styles == [[]]:
            node.importance = node.most = _leaf_importance(node.members, pages)
            continue
        shares = [pages / len(node.members) for pages in node.pages]
        below = [math.fsum(child.importance for child in style) / len(style) if style else 0.0 for style in node.styles]
        rest = GAMMA ** len(shares)
        inherited = math.fsum(share * importance for share, importance in zip(shares, below, strict=True))
        node.importance = (1 - rest) * _entropy(shares, len(node.members)) + rest * inherited
        node.most = max([node.importance, *(child.most for style in node.styles for child in style)])


def _leaf_importance(members: Sequence[Member], pages: Sequence[Page]) -> float:
    counts: defaultdict[tuple[str, str], Counter[int]] = defaultdict(Counter)
    for page, position in members:
        for feature in _features(pages[page], position):
            counts[feature][page] += 1
    if not counts:
        return 0.0
    spreads = ([times / on_pages.total() for times in on_pages.values()] for on_pages in counts.values())
    return 1 - math.fsum(_entropy(shares, len(members)) for shares in spreads) / len(counts)


def _entropy(shares: Iterable[float], base: int) -> float:
    return -math.fsum(share * math.log(share, base) for share in shares)


def _of_the_key_page(nodes: Iterable[ElementNode]) -> frozenset[int]:
    # the key page comes first among the members of every node it is in
    return frozenset(position for node in nodes for page, position in node.members[:1] if page == 0)
