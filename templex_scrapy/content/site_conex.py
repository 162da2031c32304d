"""Site-level ConEx: the main content of a page is what no other page has (thesis, chapter 10, Algorithms 11 to 15)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from templex_scrapy.mapping import PUBLISHED_CONTENT, Similarity
from templex_scrapy.page import NodeArrays, Page, depths, subtree_positions
from templex_scrapy.template.voters import distinct
from templex_scrapy.template.votes import take_votes


def detect_content_site(
    key: Page, pages: Iterable[Page], *, similarity: Similarity = PUBLISHED_CONTENT
) -> frozenset[int]:
    """Positions of the main content nodes of a key page.

    Measured on the 16 development sites (F1, mean over sites of the mean over key pages, complete subdigraphs of size
    4): 0.779 of nodes, 0.849 of words; published, on other sites: 0.804 and above 0.9. With the parameters for
    templates, ``TEMPLEX`` 0.710 and 0.748, ``PUBLISHED`` 0.772 and 0.829. The workbench prints them again, in the
    tables ``sites-readings-content-nodes`` and ``sites-readings-content-words`` of its report.

    Siblings join into their parent again and again (Algorithm 15), as the prose has it, so that a joined node can join
    with others; a node that joins takes its other children along.

    Args:
        key: the key page.
        pages: the pages of its complete subdigraph, four where there are as many. Copies of the key page, or of each
            other, are dropped first.
        similarity: the parameters of the mapping.

    Returns:
        Positions in ``key.nodes``, with each node all that it holds. None if there is no page to compare with (nothing
        is known then), or if the others have all that the key page has.

    Complexity:
        That of mapping each page, and O(nodes) for what follows.
    """
    voters = distinct((key, *pages))
    if len(voters) == 1:
        return frozenset()
    node_values = [page.values for page in voters]
    arrays = node_values[0].arrays
    roots = _roots(arrays, take_votes(node_values[0], node_values[1:], similarity).present)
    if len(roots) > 1:
        branch = _branch(arrays, roots)
        roots = _joined(arrays, [root for root in roots if branch < root < branch + arrays.sizes[branch]])
    return subtree_positions(arrays, roots)


def _roots(arrays: NodeArrays, occurrences: Sequence[int]) -> list[int]:
    """The candidates, nodes found on no other page, that no other candidate holds (Algorithm 12); in document order."""
    return [
        position
        for position, times in enumerate(occurrences)
        # the roots of all pages are mapped to each other, so that node 0 is never a candidate
        if not times and occurrences[arrays.parents[position]]
    ]


def _branch(arrays: NodeArrays, roots: Iterable[int]) -> int:
    """The parent of a root that holds most nodes, the first of them in document order (Algorithm 13)."""
    return max(sorted({arrays.parents[root] for root in roots}), key=lambda parent: arrays.sizes[parent])


def _joined(arrays: NodeArrays, roots: Sequence[int]) -> list[int]:
    """The roots, with siblings replaced by their parent until none are left (Algorithm 15)."""
    level = depths(arrays)
    by_level: dict[int, set[int]] = {}
    for root in roots:
        by_level.setdefault(level[root], set()).add(root)
    left: list[int] = []
    for current in range(max(by_level, default=0), 0, -1):
        nodes = by_level.pop(current, set())
        members = Counter(arrays.parents[node] for node in nodes)
        for node in sorted(nodes):
            parent = arrays.parents[node]
            if members[parent] > 1:
                by_level.setdefault(current - 1, set()).add(parent)
            else:
                left.append(node)
    return sorted([*left, *by_level.get(0, ())])
