"""ConEx: the main content of a page from that page alone (thesis, chapter 6, Algorithms 3 to 7).

Elements are rated by four ratios and seen as points in four dimensions. Most elements contain no main content and lie
close together. The few that lie far from them are the candidates.

The thesis leaves some points open. F1 of main content nodes and words on the 16 development sites, on which the default
was chosen (tables ``sites-readings-content-…`` of ``templex-bench``; published, on other sites: 0.817 and 0.926):

=====================================================================  =====  =====
variant                                                                nodes  words
=====================================================================  =====  =====
Algorithms 3 to 7 as printed (``least_text=0, max_words=3``)           0.610  0.720
as printed, but a candidate contains a third of the page's words       0.699  0.792
the same without the post-process: the default                         0.739  0.818
=====================================================================  =====  =====

- *A third of the words*: section 6.2.2 discusses such a rule for the rating. It applies to the candidates only, because
  the small nodes are needed among the points: they define the centroid.
- *Post-process*: off. It removes lists of short links, which are mostly content on the development sites.
- *Words in hyperlinks*: those of a text that is a direct child of an ``a``.
- *Depth of the page*, for the rule of the wide page: that of the deepest element with a tag that is counted.
- *Ties*: all of the best where the ratio of words to tags is equal (6.2.5), else the first in document order.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from operator import truediv

from templex_scrapy.page import (
    NodeArrays,
    Page,
    depths,
    is_hyperlink,
    is_link_text,
    nodes_of,
    subtree_positions,
    subtree_sums,
)

NOT_RATED = frozenset("a body br em h1 h2 h3 h4 h5 header hr iframe nav span script undefined".split())
"""Tags that are never the root of the main content (thesis, 6.2.2)."""

CANDIDATES = 3
"""Size of the c-SET (thesis, Table 6.1)."""

LEAST_TEXT = 1 / 3
"""A candidate contains at least this share of the page's words."""

MAX_WORDS = 3
"""Published threshold of the post-process: a group of links with a shorter link is removed (thesis, Table 6.2)."""


def detect_content(
    page: Page,
    *,
    least_text: float = LEAST_TEXT,
    max_words: int = 0,
) -> frozenset[int]:
    """Return the positions of the main content nodes, each with the whole subtree.

    Args:
        page: any page.
        least_text: share of the page's words that a candidate must contain, in [0, 1]; 0 in the algorithms.
        max_words: the post-process removes groups of links in which a link has fewer words; 0: no post-process,
            published: 3.

    Complexity:
        O(nodes x height of the tree) at worst, close to O(nodes) on real pages.
    """
    if nodes_of(page).start_tag(0).tag != "body":  # frames, or nothing at all
        return frozenset()
    ratings = _Ratings(nodes_of(page))
    if ratings.is_wide():
        return frozenset(range(1, len(page)))
    # an empty <div class="ad"> cannot be the content
    rated = [position for position in ratings.counted if ratings.children[position]]
    if not rated:
        return frozenset()
    ratios = zip(*(ratings.ratios(position) for position in rated), strict=True)
    points = zip(*map(_standard_scores, ratios), strict=True)
    # farthest from the mean of all points (Algorithms 3 and 4), in document order
    distances = (
        (-math.hypot(*point), position)
        for point, position in zip(points, rated, strict=True)
        if ratings.words[position] >= least_text * ratings.words[0]
    )
    chosen = sorted(position for _, position in heapq.nsmallest(CANDIDATES, distances))
    content = subtree_positions(nodes_of(page), ratings.best(chosen))
    return content - ratings.link_groups(content, max_words) if max_words else content


class _Ratings:
    """The nodes of a page with the quantities of Definition 6.2.1."""

    def __init__(self, arrays: NodeArrays) -> None:
        self.arrays = arrays
        texts, tag_strings = arrays.texts, arrays.tag_strings
        counts = arrays.word_counts
        self.words = subtree_sums(arrays, counts)
        # a menu of 300 links has more words than a short notice
        self.unlinked = [
            0 if not count or is_link_text(arrays, position) else count for position, count in enumerate(counts)
        ]
        self.texts = subtree_sums(arrays, [text is not None for text in texts])
        self.tags = subtree_sums(arrays, [text is None for text in texts])
        self.links = subtree_sums(arrays, map(is_hyperlink, tag_strings))
        self.children = arrays.child_counts
        self.depths = depths(arrays)
        self.deepest = max(self.depths, default=0)
        self.counted = [
            position
            for position, text in enumerate(texts)
            if text is None and position and arrays.start_tag(position).tag not in NOT_RATED
        ]
        self.word_ratios = self._word_ratios()

    def is_wide(self) -> bool:
        """Tell whether the page has at least as many branches as levels: then all of it is content (6.2.2, iii)."""
        # <body><h1>Notes</h1><p>…<p>…<p>…: no element is around the content and nothing else
        branches = sum(self.depths[position] == 1 for position in self.counted)
        return 0 < branches >= max((self.depths[position] for position in self.counted), default=0)

    def ratios(self, position: int) -> tuple[float, ...]:
        depth = self.depths[position]
        return (
            self.word_ratios[position],
            # menus and lists of related pages are full of links
            1 / max(1, self.links[position]),
            # an article has paragraphs; the wrappers around it have a child or two
            float(self.children[position] > 2),
            # near the root elements have header and footer in them, near the leaves a paragraph alone
            float(depth if 2 * depth <= self.deepest else self.deepest - depth),
        )

    def _word_ratios(self) -> list[float]:
        """Return the sum of words over distance for each element that is counted.

        Each node gets a list of the words below it by distance, farthest first. A parent extends the list of the
        highest child by an entry and adds the other children's lists to the end: O(nodes) to build all lists,
        O(height) to read a list.
        """
        arrays = self.arrays
        below: list[list[int] | None] = [None] * len(arrays.tag_strings)
        ratios = [0.0] * len(arrays.tag_strings)
        counted = set(self.counted)
        for position in range(len(arrays.tag_strings) - 1, -1, -1):
            levels = below[position]
            if levels is not None and position in counted:
                ratios[position] = math.fsum(map(truediv, levels, range(len(levels), 0, -1)))
            parent = arrays.parents[position]
            if parent < 0 or (levels is None and not self.unlinked[position]):
                continue
            levels = levels if levels is not None else []
            levels.append(self.unlinked[position])
            below[position] = None
            known = below[parent]
            below[parent] = levels if known is None else _added(known, levels)
        return ratios

    def best(self, candidates: Sequence[int]) -> list[int]:
        """Return the roots of the main content among the candidates (Algorithms 5 and 6)."""
        arrays = self.arrays
        # of <main><article>…</article></main> the outer element, which has the same texts
        kept = [
            position
            for position in candidates
            if not any(
                other < position < other + arrays.sizes[other] and self.texts[other] == self.texts[position]
                for other in candidates
            )
        ]
        density = {position: self.words[position] / self.tags[position] for position in kept}
        most = max(density.values(), default=0.0)
        first = [position for position in kept if density[position] == most]
        if len(first) != 1:
            return first
        # the other columns, or the other answers, stand beside the densest
        return [position for position in kept if arrays.parents[position] == arrays.parents[first[0]]]

    def link_groups(self, content: frozenset[int], max_words: int) -> frozenset[int]:
        """Return the nodes that the post-process removes (Algorithm 7).

        A group is a set of siblings with the same tag whose only child is an ``a``. It is removed if it has at least
        two members, and a link with fewer than ``max_words`` words.
        """
        arrays = self.arrays
        groups: dict[tuple[int, str], list[int]] = {}
        for position in sorted(content):
            if self.children[position] != 1 or arrays.texts[position] is not None or not position:
                continue
            # <ul><li><a>Home</a></li><li><a>Latest news</a></li></ul>, where "Home" is the short link
            if arrays.start_tag(position + 1).tag == "a":
                parent_and_tag = (arrays.parents[position], arrays.start_tag(position).tag)
                groups.setdefault(parent_and_tag, []).append(position)
        short = [
            group
            for group in groups.values()
            if len(group) > 1 and any(self.words[position] < max_words for position in group)
        ]
        return subtree_positions(arrays, (position for group in short for position in group))


def _added(a: list[int], b: list[int]) -> list[int]:
    """Add two lists, aligned at their ends, into the longer."""
    if len(a) < len(b):
        a, b = b, a
    start = len(a) - len(b)
    for index, value in enumerate(b, start):
        a[index] += value
    return a


def _standard_scores(values: tuple[float, ...]) -> list[float]:
    """Standardise a ratio: minus mean, over standard deviation; 0 if all values are equal (Definition 6.2.2)."""
    # on a page without links that ratio tells no element from another
    if min(values) == max(values):
        return [0.0] * len(values)
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / deviation if deviation else 0.0 for value in values]
