"""What a site repeats: the texts of a page that stand on most of the site's other pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from typing import NamedTuple

from templex_scrapy.content.rules import RULES
from templex_scrapy.page import NodeArrays

_DIFFERING_SHARE = 0.2  # and this share of the pages that have a text there

_Place = tuple[str, int]


class RepeatedTexts(NamedTuple):
    """Two flags for each node of a page, as bytes 0 and 1 in node order.

    Attributes:
        repeated: it is a text, and on more than half of the other pages, at the same path of tags.
        varying: it is a text, and in its place, which is behind another text, several other pages have another one.
    """

    repeated: bytearray
    varying: bytearray


def repeated_texts(key: NodeArrays, others: Sequence[NodeArrays]) -> RepeatedTexts:
    """Return which texts of a page the others repeat, and in whose place they have other texts.

    The text segments of IWPTD (Wang et al., WWW 2008), with a share as the threshold. Spacing does not count. If the
    others repeat every text, they are copies of the page in all but their source; then no flag is set.

    Complexity:
        O(number of nodes of all pages).
    """
    paths: defaultdict[tuple[int, str], int] = defaultdict(count(1).__next__)  # 0 is the root
    pages: Counter[tuple[int, str]] = Counter()
    in_place: defaultdict[_Place, Counter[str]] = defaultdict(Counter)
    for other in others:
        texts = list(_texts(other, paths))
        pages.update({(path, words) for _, path, words in texts})
        for place, (_, words) in _places(texts):
            in_place[place][words] += 1
    texts = list(_texts(key, paths))
    found = RepeatedTexts(bytearray(len(key.texts)), bytearray(len(key.texts)))
    for position, path, words in texts:
        found.repeated[position] = 2 * pages[path, words] > len(others)
    if found.repeated.count(1) == len(texts):
        return RepeatedTexts(bytearray(len(key.texts)), found.varying)
    for place, (position, words) in _places(texts):
        having = in_place[place].total()
        differing = having - in_place[place][words]
        found.varying[position] = differing >= max(RULES.differing, _DIFFERING_SHARE * having)
    return found


def _texts(arrays: NodeArrays, paths: dict[tuple[int, str], int]) -> Iterator[tuple[int, int, str]]:
    """Yield the position of each text, the number of its path, and its words."""
    found = [0] * len(arrays.parents)
    for position, text in enumerate(arrays.texts):
        if position:
            found[position] = paths[found[arrays.parents[position]], arrays.start_tag(position).tag]
        if text is not None:
            yield position, found[position], " ".join(text.split())


def _places(texts: Sequence[tuple[int, int, str]]) -> Iterator[tuple[_Place, tuple[int, str]]]:
    """Yield each place that is one in its page: the text before it and the path; with the position and the words."""
    found = [((before, path), (position, words)) for (_, _, before), (position, path, words) in pairwise(texts)]
    times = Counter(place for place, _ in found)
    return (one for one in found if times[one[0]] == 1)
