"""What a site repeats: the texts of a page that stand on most of the site's other pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import count, pairwise
from typing import NamedTuple

from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import NodeArrays

# where nearly all pages have one text, the other one may stand there because something before it is missing
_DIFFERING_SHARE = 0.2  # of the pages that have a text there, at least

# "Stock" and the path of what follows: on other pages "in" may be "out". Positions differ where a page has more before
_Anchor = tuple[str, int]


class RepeatedTexts(NamedTuple):
    """Two flags for each node of a page, as bytes 0 and 1 in node order.

    Attributes:
        repeated: it is a text, and on more than half of the other pages, at the same path of tags.
        varying: it is a text, and behind the same text several other pages have another one.
    """

    repeated: bytearray
    varying: bytearray


def repeated_texts(key: NodeArrays, others: Sequence[NodeArrays]) -> RepeatedTexts:
    """Return which texts of a page the others repeat, and which texts vary from page to page.

    The text segments of IWPTD (Wang et al., WWW 2008), with a share as the threshold. Spacing does not count. If the
    others repeat every text, they are copies of the page in all but their source; then no flag is set.

    Complexity:
        O(number of nodes of all pages).
    """
    paths: defaultdict[tuple[int, str], int] = defaultdict(count(1).__next__)  # 0 is the root
    pages: Counter[tuple[int, str]] = Counter()
    at_anchor: defaultdict[_Anchor, Counter[str]] = defaultdict(Counter)
    for other in others:
        texts = list(_texts(other, paths))
        pages.update({(path, words) for _, path, words in texts})
        for anchor, (_, words) in _anchors(texts):
            at_anchor[anchor][words] += 1
    texts = list(_texts(key, paths))
    found = RepeatedTexts(bytearray(len(key.texts)), bytearray(len(key.texts)))
    for position, path, words in texts:
        found.repeated[position] = 2 * pages[path, words] > len(others)
    if found.repeated.count(1) == len(texts):
        return RepeatedTexts(bytearray(len(key.texts)), found.varying)
    for anchor, (position, words) in _anchors(texts):
        having = at_anchor[anchor].total()
        differing = having - at_anchor[anchor][words]
        found.varying[position] = differing >= max(THRESHOLDS.differing_pages, _DIFFERING_SHARE * having)
    return found


def _texts(arrays: NodeArrays, paths: dict[tuple[int, str], int]) -> Iterator[tuple[int, int, str]]:
    """Yield the position of each text, the number of its path, and its words."""
    found = [0] * len(arrays.parents)
    for position, text in enumerate(arrays.texts):
        if position:
            # the path has tags alone: <li class="active"> is an entry of the menu as the others are
            found[position] = paths[found[arrays.parents[position]], arrays.start_tag(position).tag]
        if text is not None:
            yield position, found[position], " ".join(text.split())


def _anchors(texts: Sequence[tuple[int, int, str]]) -> Iterator[tuple[_Anchor, tuple[int, str]]]:
    """Yield each anchor that is one in its page, the text before and the path, with the position and the words."""
    # "by" is in front of each author of a list: which of them another page has there would be chance
    found = [((before, path), (position, words)) for (_, _, before), (position, path, words) in pairwise(texts)]
    times = Counter(anchor for anchor, _ in found)
    return (one for one in found if times[one[0]] == 1)
