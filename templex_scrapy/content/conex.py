"""Page-level ConEx: the main content of a page from that page alone (thesis, chapter 6, Algorithms 3 to 7).

Elements are rated by four ratios and seen as points in four dimensions. Most elements of a page hold none of its main
content and lie together; the few that lie apart from them are the candidates.

The text of the thesis leaves open more than one thing. Measured on the 16 development sites (mean over sites of the
mean over key pages; F1 of main content nodes and of main content words; ``bench/scripts/detectors.py`` prints it again,
and so does the workbench in the tables ``sites-readings-content-nodes`` and ``sites-readings-content-words`` of its
report, where words are those that a reader sees, which makes a difference of 0.001; published: 0.817 and 0.926, on
other sites). The readings were chosen on these very sites, so that the figures of the default flatter it:

==========================================================================  =====  =====
reading                                                                     nodes  words
==========================================================================  =====  =====
Algorithms 3 to 7 as printed (``least_text=0, max_words=3``)                0.604  0.713
the same with the published implementation's centroid                       0.572  0.666
as printed, but candidates hold a third of the page's words                 0.699  0.788
the same without the post-process: the default                              0.738  0.817
the default with the published implementation's centroid                    0.742  0.813
==========================================================================  =====  =====

- *Centroid*: the thesis's mean. The published implementation's node with the least summed distance is level
  with it at best, and clearly behind as the algorithms are printed, at a higher cost.
- *A third of the words*: no algorithm has this rule, but 6.2.2 discusses the effect of such a rule, and this figure,
  among the criteria of the rating. It is applied to the candidates: the small nodes have to be among the points,
  since they are what the centroid is the centre of.
- *Post-process*: off. It takes lists of short links out of the content, 0.1 % of F1 gained in the thesis; here such
  lists, in indexes and tag lines, are content more often than not.
- *Words in hyperlinks* are those of a text directly in an ``a``, as the formula of the word ratio has it; the prose
  could also mean any text below one, which makes a difference of 0.003.
- *Depth of the page* for the rule of the wide page: that of its deepest element of a tag that is counted.
- *Words* are what blanks divide, and single characters in scripts without blanks between words (0.732 and 0.808
  without that).
- *Frames*: a page without a body has no content.
- *Ties*: first in document order; all of the best where the ratio of words to tags is the same (6.2.5).
"""

from __future__ import annotations

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import mul, truediv
from typing import Literal

from templex_scrapy.page import (
    NodeArrays,
    Page,
    count_words,
    depths,
    is_hyperlink,
    is_link_text,
    subtree_positions,
    subtree_sums,
)

NOT_RATED = frozenset("a body br em h1 h2 h3 h4 h5 header hr iframe nav span script undefined".split())
"""Tags of elements that are never the root of the main content (thesis, 6.2.2)."""

CANDIDATES = 3
"""Size of the c-SET (thesis, Table 6.1)."""

LEAST_TEXT = 1 / 3
"""A candidate holds at least this share of the page's words."""

MAX_WORDS = 3
"""The published threshold of the post-process: links of fewer words are looked at (thesis, Table 6.2)."""

Centroid = Literal["mean", "medoid"]
Point = tuple[float, ...]

_MEDOID_WORK = 1_000_000  # distances: about half a second


def detect_content(
    page: Page, *, centroid: Centroid = "mean", least_text: float = LEAST_TEXT, max_words: int = 0
) -> frozenset[int]:
    """Positions of the main content nodes of a page.

    Args:
        page: any page.
        centroid: what the candidates are far from: ``"mean"``, the mean of all points (thesis, Algorithms 3 and 4), or
            ``"medoid"`` as in the published implementation: the node with the least summed distance; the candidates are
            then those nearest to the node farthest from it.
        least_text: share of the page's words that a candidate must hold, in [0, 1]; 0 is what the algorithms say.
        max_words: post-process: groups of links, some of which have fewer words than this, are taken out of the
            content; 0 leaves them in, 3 is the published value.

    Returns:
        Positions in ``page.nodes``, with each node all that it holds; none if the page has nothing that could be rated.

    Raises:
        ValueError: if an argument is out of range.

    Complexity:
        O(nodes x height of the tree) at worst, near to O(nodes) on real pages. ``"medoid"`` looks at no more pairs of
        points than fit into half a second; beyond that (thousands of elements, no two of them alike) its
        centroid is the best of those nearest to the mean.
    """
    if centroid not in {"mean", "medoid"}:
        raise ValueError(f"centroid is {centroid!r}: allowed are 'mean' and 'medoid'")
    if not 0 <= least_text <= 1:
        raise ValueError(f"least_text is {least_text!r}: allowed is 0 to 1")
    if max_words < 0:
        raise ValueError(f"max_words is {max_words!r}: allowed are 0 and more")
    if page.arrays.start_tag(0).tag != "body":  # frames, or nothing at all
        return frozenset()
    ratings = _Ratings(page.arrays)
    if ratings.is_wide():
        return frozenset(range(1, len(page)))
    rated = ratings.rated()
    if not rated:
        return frozenset()
    points = _standardised([ratings.ratios(position) for position in rated])
    eligible = [ratings.words[position] >= least_text * ratings.words[0] for position in rated]
    if centroid == "mean":
        chosen = _extreme(rated, [-math.hypot(*point) for point in points], eligible)
    else:
        # node 0 stands at depth 2 of the document, so that all that is rated is below that depth
        farthest = _farthest(points, _medoid(points))
        chosen = _extreme(rated, [math.dist(point, farthest) for point in points], eligible)
    content = subtree_positions(page.arrays, ratings.best(chosen))
    return content - ratings.link_groups(content, max_words) if max_words else content


class _Ratings:
    """The nodes of a page with what Definition 6.2.1 looks at."""

    def __init__(self, arrays: NodeArrays) -> None:
        self.arrays = arrays
        texts, tag_strings = arrays.texts, arrays.tag_strings
        own = [count_words(text) if text is not None else 0 for text in texts]
        self.words = subtree_sums(arrays, own)
        self.spoken = [
            0 if not count or is_link_text(arrays, position) else count for position, count in enumerate(own)
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
        """Whether the page has at least as many branches as levels: then all of it is content (6.2.2, iii)."""
        branches = sum(self.depths[position] == 1 for position in self.counted)
        return 0 < branches >= max((self.depths[position] for position in self.counted), default=0)

    def rated(self) -> list[int]:
        return [position for position in self.counted if self.children[position]]

    def ratios(self, position: int) -> Point:
        depth = self.depths[position]
        return (
            self.word_ratios[position],
            1 / max(1, self.links[position]),
            float(self.children[position] > 2),
            float(depth if 2 * depth <= self.deepest else self.deepest - depth),
        )

    def _word_ratios(self) -> list[float]:
        """The sum of words over distance, for each element that is counted.

        Each node has a list of the words below it by distance, the farthest first, so that the list of a parent is
        that of its highest child with one entry more; the other children's are added to its end. O(nodes) to make
        them all, and O(height) to read one.
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
            if parent < 0 or (levels is None and not self.spoken[position]):
                continue
            levels = levels if levels is not None else []
            levels.append(self.spoken[position])
            below[position] = None
            known = below[parent]
            below[parent] = levels if known is None else _added(known, levels)
        return ratios

    def best(self, candidates: Sequence[int]) -> list[int]:
        """The main content's roots among the candidates (Algorithms 5 and 6)."""
        arrays = self.arrays
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
        return [position for position in kept if arrays.parents[position] == arrays.parents[first[0]]]

    def link_groups(self, content: frozenset[int], max_words: int) -> frozenset[int]:
        """What the post-process takes out of the content (Algorithm 7).

        A group are siblings of one tag that hold an ``a`` and nothing else. It goes if it has two members or more and
        one of the links has fewer than ``max_words`` words.
        """
        arrays = self.arrays
        groups: dict[tuple[int, str], list[int]] = {}
        for position in sorted(content):
            if self.children[position] != 1 or arrays.texts[position] is not None or not position:
                continue
            if arrays.start_tag(position + 1).tag == "a":
                kind = (arrays.parents[position], arrays.start_tag(position).tag)
                groups.setdefault(kind, []).append(position)
        short = [
            group
            for group in groups.values()
            if len(group) > 1 and any(self.words[position] < max_words for position in group)
        ]
        return subtree_positions(arrays, (position for group in short for position in group))


def _added(a: list[int], b: list[int]) -> list[int]:
    """Two lists added up from their ends, into the longer one."""
    if len(a) < len(b):
        a, b = b, a
    start = len(a) - len(b)
    for index, value in enumerate(b, start):
        a[index] += value
    return a


def _standardised(points: Sequence[Point]) -> list[Point]:
    """Each ratio less its mean, over its standard deviation; 0 where all are the same (Definition 6.2.2)."""
    return list(zip(*map(_standard_scores, zip(*points, strict=True)), strict=True))


def _standard_scores(values: tuple[float, ...]) -> list[float]:
    if min(values) == max(values):
        return [0.0] * len(values)
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / deviation if deviation else 0.0 for value in values]


def _extreme(rated: Iterable[int], keys: Iterable[float], eligible: Iterable[bool]) -> list[int]:
    """The positions with the lowest keys among the eligible ones, in document order."""
    pairs = ((key, position) for position, key, may in zip(rated, keys, eligible, strict=True) if may)
    return sorted(position for _, position in heapq.nsmallest(CANDIDATES, pairs))


def _farthest(points: Iterable[Point], centre: Point) -> Point:
    """The first of the points that are farthest from another one."""
    return max(points, key=lambda point: math.dist(point, centre))


def _medoid(points: Sequence[Point]) -> Point:
    """The point with the least summed distance to all points.

    What one point's sum says about another's, by the triangle inequality, spares most of the sums: they are worked out
    from the middle outwards, and only where they could be the least. Equal points are counted together.
    """
    weights = Counter(points)
    waiting = sorted(weights, key=lambda point: math.hypot(*point))
    counts = [weights[point] for point in waiting]
    bounds = [0.0] * len(waiting)
    best, least = waiting[0], math.inf
    rounds = max(1, _MEDOID_WORK // len(waiting))
    for index in range(len(waiting)):
        if bounds[index] >= least:
            continue
        if not rounds:
            break
        rounds -= 1
        distances = list(map(math.dist, waiting, repeat(waiting[index])))
        total = sum(map(mul, distances, counts))
        if total < least:
            best, least = waiting[index], total
        bounds = [max(bound, abs(total - len(points) * far)) for bound, far in zip(bounds, distances, strict=True)]
    return best
