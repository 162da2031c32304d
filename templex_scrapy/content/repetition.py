"""What a site repeats: the texts of a page that stand on most of the site's other pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from templex_scrapy.page import NodeArrays, Page


def without_copies(key: Page, pages: Iterable[Page]) -> list[Page]:
    """Return the pages without copies of the key page or of an earlier one; a copy has the same source."""
    by_digest = {key.digest: key}
    for page in pages:
        by_digest.setdefault(page.digest, page)
    return list(by_digest.values())[1:]


def repeated_texts(key: NodeArrays, others: Sequence[NodeArrays]) -> frozenset[int]:
    """Return the positions of the texts that stand on more than half of the other pages, at the same path of tags.

    The text segments of IWPTD (Wang et al., WWW 2008), with a share as the threshold. Spacing does not count. If the
    others repeat every text, they are copies of the page in all but their source; then the result is empty.

    Complexity:
        O(number of nodes of all pages).
    """
    paths: defaultdict[tuple[int, str], int] = defaultdict(count(1).__next__)  # 0 is the root
    pages = Counter(text for other in others for text in {text for _, text in _texts(other, paths)})
    repeated = frozenset(position for position, text in _texts(key, paths) if 2 * pages[text] > len(others))
    return repeated if len(repeated) < len(key.texts) - key.texts.count(None) else frozenset()


def _texts(arrays: NodeArrays, paths: dict[tuple[int, str], int]) -> Iterator[tuple[int, tuple[int, str]]]:
    """Yield the position of each text with the number of its path and its words."""
    found = [0] * len(arrays.parents)
    for position, text in enumerate(arrays.texts):
        if position:
            found[position] = paths[found[arrays.parents[position]], arrays.start_tag(position).tag]
        if text is not None:
            yield position, (found[position], " ".join(text.split()))
