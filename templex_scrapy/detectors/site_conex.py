"""Site-level ConEx: the main content of a page is what no other page has (thesis, chapter 10, Algorithms 11 to 15)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from templex_scrapy.detectors.tree import depths, subtrees, unlabelled
from templex_scrapy.facts import facts_of
from templex_scrapy.outline import Outline
from templex_scrapy.page import Page
from templex_scrapy.seen import distinct
from templex_scrapy.similarity import PUBLISHED_CONTENT, Similarity
from templex_scrapy.votes import take_votes


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
    voters = distinct(map(unlabelled, (key, *pages)))
    if len(voters) == 1:
        return frozenset()
    facts = [facts_of(page) for page in voters]
    outline = facts[0].outline
    roots = _roots(outline, take_votes(facts[0], facts[1:], similarity).place)
    if len(roots) > 1:
        branch = _branch(outline, roots)
        roots = _joined(outline, [root for root in roots if branch < root < branch + outline.sizes[branch]])
    return subtrees(outline, roots)


def _roots(outline: Outline, occurrences: Sequence[int]) -> list[int]:
    """The candidates, nodes found on no other page, that no other candidate holds (Algorithm 12); in document order."""
    return [
        position
        for position, times in enumerate(occurrences)
        # the roots of all pages are mapped to each other, so that node 0 is never a candidate
        if not times and occurrences[outline.parents[position]]
    ]


def _branch(outline: Outline, roots: Iterable[int]) -> int:
    """The parent of a root that holds most nodes, the first of them in document order (Algorithm 13)."""
    return max(sorted({outline.parents[root] for root in roots}), key=lambda parent: outline.sizes[parent])


def _joined(outline: Outline, roots: Sequence[int]) -> list[int]:
    """The roots, with siblings replaced by their parent until none are left (Algorithm 15)."""
    level = depths(outline)
    by_level: dict[int, set[int]] = {}
    for root in roots:
        by_level.setdefault(level[root], set()).add(root)
    left: list[int] = []
    for current in range(max(by_level, default=0), 0, -1):
        nodes = by_level.pop(current, set())
        members = Counter(outline.parents[node] for node in nodes)
        for node in sorted(nodes):
            parent = outline.parents[node]
            if members[parent] > 1:
                by_level.setdefault(current - 1, set()).add(parent)
            else:
                left.append(node)
    return sorted([*left, *by_level.get(0, ())])
