"""TemEx and HybEx: the template nodes of a key page (thesis, chapters 9 and 11).

Precision, recall and F1 of template nodes on the 16 development sites (complete subdigraphs of size 3, two votes, mean
over sites of the mean over key pages; ``templex-bench show RESULTS sites-readings-template-nodes``; published, on other
sites: TemEx 0.877, 0.931, 0.875, HybEx 0.907, 0.912, 0.883):

===================================================  =====  =====  =====
reading                                              P      R      F1
===================================================  =====  =====  =====
TemEx, equal values: the default                     0.964  0.782  0.834
TemEx, place alone (``same=False``)                  0.897  0.798  0.808
TemEx, equal values, similarity ``PUBLISHED``        0.981  0.689  0.774
TemEx, equal values, similarity ``PUBLISHED_QUICK``  0.982  0.733  0.801
TemEx as printed                                     0.895  0.669  0.723
HybEx, equal values                                  0.984  0.696  0.773
===================================================  =====  =====  =====

The thesis leaves open what an attribute is (8.2.1); depending on that, the F1 of "as printed" is 0.539 to 0.790. The
default was chosen on these very sites, so the figures flatter it.

- *Place or values*: the thesis votes on places, so that a headline is template if each page has a headline there. Here
  a node must also have the same value on as many pages, since template may be removed.
- *Copies* of the key page, or of each other, are dropped before the vote. The published implementation raises the
  number of votes by 1 for each page to which the whole key page maps.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from templex_scrapy.mapping import TEMPLEX, Similarity
from templex_scrapy.page import NodeArrays, NodeValues, Page, distinct, nodes_of, values_of
from templex_scrapy.papers.conex import MAX_WORDS, detect_content
from templex_scrapy.votes import PRESENT, Ballot, Blocks, KeyPage, positions_of, take_votes, template_nodes, where


def detect_template(
    key: Page,
    pages: Iterable[Page],
    votes: int = 2,
    *,
    similarity: Similarity = TEMPLEX,
    same: bool = True,
) -> frozenset[int]:
    """Return the positions of the template nodes of a key page (TemEx).

    Args:
        key: the key page.
        pages: the pages of the complete subdigraph. Copies of the key page, or of each other, are dropped first.
        votes: pages that must have a node for it to be template, at least 1; where there are fewer, all of them.
        similarity: the parameters of the mapping; :data:`PUBLISHED` are the thesis's.
        same: whether text, links and media must also be equal on as many pages. The thesis asks for the place alone
            (False), which counts a page's own headline as template.

    Returns:
        Positions in ``key.nodes``; none if there are no pages.

    Raises:
        ValueError: if ``votes`` is less than 1.
    """
    values = [values_of(page) for page in distinct([key, *pages])]
    ballot = take_votes(values[0], values[1:], similarity)
    return _template(values[0], ballot, votes, Blocks.common_to(values), same=same)


def detect_template_hybrid(
    key: Page,
    pages: Iterable[Page],
    votes: int = 2,
    *,
    similarity: Similarity = TEMPLEX,
    same: bool = True,
    content: frozenset[int] | None = None,
) -> frozenset[int]:
    """Return the positions of the template nodes of a key page, none of them in the main content (HybEx).

    HybEx takes out the main content, by default that of page-level ConEx as printed, and runs TemEx on the rest of the
    key page. This also changes the mapping, since the parents of the content have fewer children. Arguments and errors
    are those of :func:`detect_template`.
    """
    pages = distinct([key, *pages])
    key = pages[0]
    if content is None:
        content = detect_content(key, least_text=0, max_words=MAX_WORDS)
    # the mapping sees the page without the content; the votes are on the page as it is
    arrays, positions = without_nodes(nodes_of(key), content)
    rest = NodeValues(arrays, values_of(key).base, key.url)
    ballot = _spread(take_votes(rest, (values_of(page) for page in pages[1:]), similarity), positions, len(key))
    return _template(values_of(key), ballot, votes, Blocks(), same=same)


def _template(key: NodeValues, ballot: Ballot, votes: int, blocks: Blocks, *, same: bool) -> frozenset[int]:
    """Return the template nodes that the votes on a key page decide; none if the key page alone has voted."""
    flags = KeyPage(key, ballot, votes, blocks if same else Blocks()).flags(self_vote=1)
    nodes = template_nodes(key.arrays, flags) if same else where(flags, PRESENT)
    return positions_of(nodes) if ballot.pages > 1 else frozenset()


def _spread(ballot: Ballot, positions: Sequence[int], nodes: int) -> Ballot:
    """Return a ballot on more nodes: those at the positions have the votes of a ballot, the others only the key's."""
    spread = Ballot.of_key_page(nodes)
    spread.pages = ballot.pages
    for index, position in enumerate(positions):
        spread.present[position], spread.equal[position] = ballot.present[index], ballot.equal[index]
    spread.other_values = {positions[index]: values for index, values in ballot.other_values.items()}
    return spread


def without_nodes(arrays: NodeArrays, left_out: frozenset[int]) -> tuple[NodeArrays, list[int]]:
    """Return a copy without some subtrees, given by their roots, and the old position of each node; O(nodes).

    Node 0 is kept in any case.
    """
    kept: list[int] = []
    position = 0
    while position < len(arrays.tag_strings):
        # without node 0 there would be no tree to map
        if position in left_out and position:
            position += arrays.sizes[position]
            continue
        kept.append(position)
        position += 1
    new = {old: index for index, old in enumerate(kept)}
    parents = [new.get(arrays.parents[old], -1) for old in kept]
    sizes = [1] * len(kept)
    for index in range(len(kept) - 1, 0, -1):
        sizes[parents[index]] += sizes[index]
    copy = NodeArrays(
        tag_strings=[arrays.tag_strings[old] for old in kept],
        texts=[arrays.texts[old] for old in kept],
        sizes=sizes,
        parents=parents,
        slots=[arrays.slots[old] for old in kept],
        depth=arrays.depth,
    )
    return copy, kept
