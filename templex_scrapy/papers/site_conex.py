"""Site-level ConEx: the main content of a page is what no other page has (thesis, chapter 10, Algorithms 11 to 15)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from templex_scrapy.mapping import PUBLISHED_CONTENT, Similarity, map_pages
from templex_scrapy.page import NodeArrays, Page, depths, distinct, nodes_of, subtree_positions


def detect_content_site(
    key: Page, pages: Iterable[Page], *, similarity: Similarity = PUBLISHED_CONTENT
) -> frozenset[int]:
    """Return the positions of a key page's main content nodes, each with the whole subtree.

    F1 on the 16 development sites with complete subdigraphs of size 4: 0.788 of nodes, 0.858 of words (published, on
    other sites: 0.804 and above 0.9); with the parameters ``TEMPLEX`` 0.711 and 0.749.

    Siblings join into their parent again and again (Algorithm 15), so that a joined node can join with others.

    Args:
        key: the key page.
        pages: the pages of the complete subdigraph, four if there are as many. Copies are dropped.
        similarity: the parameters of the mapping.

    Returns:
        Positions in ``key.nodes``; none if there is no page to compare with, or if other pages have all nodes.
    """
    others = distinct([key, *pages])[1:]
    if not others:
        return frozenset()
    return content_by_occurrences(
        nodes_of(key), Counter(position for other in others for position in map_pages(key, other, similarity))
    )


def content_by_occurrences(arrays: NodeArrays, occurrences: Mapping[int, int]) -> frozenset[int]:
    """Return the main content of a page, given the number of other pages with each node (Algorithms 12 to 15)."""
    # candidates are nodes that no other page has (Algorithm 12); never node 0: the roots of all pages are mapped
    roots = [
        position
        for position in range(1, len(arrays.parents))
        if not occurrences[position] and occurrences[arrays.parents[position]]
    ]
    if len(roots) > 1:
        # the parent with the most nodes, the first on a tie (Algorithm 13): an article has more nodes than date and
        # counter, which differ from page to page, too
        branch = max(sorted({arrays.parents[root] for root in roots}), key=lambda parent: arrays.sizes[parent])
        roots = _joined(arrays, [root for root in roots if branch < root < branch + arrays.sizes[branch]])
    return subtree_positions(arrays, roots)


def _joined(arrays: NodeArrays, roots: Sequence[int]) -> list[int]:
    """Replace siblings by their parent until there are none (Algorithm 15)."""
    level = depths(arrays)
    by_level: dict[int, set[int]] = {}
    for root in roots:
        by_level.setdefault(level[root], set()).add(root)
    left: list[int] = []
    for current in range(max(by_level, default=0), 0, -1):
        nodes = by_level.pop(current, set())
        members = Counter(arrays.parents[node] for node in nodes)
        # each paragraph of an article is a root; the element around them, which other pages have too, is the content
        for node in sorted(nodes):
            parent = arrays.parents[node]
            if members[parent] > 1:
                by_level.setdefault(current - 1, set()).add(parent)
            else:
                left.append(node)
    return sorted([*left, *by_level.get(0, ())])
