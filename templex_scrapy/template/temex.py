"""TemEx: the template of a page by the votes of the pages of a complete subdigraph (thesis, chapter 9).

What is left open, with precision, recall and F1 of template nodes on the 16 development sites (complete subdigraphs of
size 3, two votes, mean over sites of the mean over key pages; the workbench prints it again, in the table
``sites-readings-template-nodes`` of its report; published, on other sites: 0.877, 0.931, 0.875):

===================================================  =====  =====  =====
reading                                              P      R      F1
===================================================  =====  =====  =====
same place and same words: the default               0.967  0.785  0.839
place alone (``same=False``), our similarity         0.893  0.802  0.809
same words, similarity ``PUBLISHED``                 0.983  0.697  0.783
same words, similarity ``PUBLISHED_QUICK``           0.985  0.739  0.806
as published: place alone, similarity ``PUBLISHED``  0.946  0.697  0.759
===================================================  =====  =====  =====

- *Place or words*: the thesis votes on places, so that a headline is template as soon as each page has one there. Here
  a node must also say the same on as many pages, since what is template may be deleted.
- *Similarity*: see :data:`TEMPLEX`, and the workbench's ``tune`` for how it was chosen.
- *Copies* of the key page, or of each other, are dropped before the vote. The published implementation instead raises
  the number of votes by one for each page onto which the whole key page maps.
- *One page alone* is compared as the others are (size 1, one vote); a crawl removes nothing on its word.

The readings were chosen on these very sites, so that the figures of the default flatter it.
"""

from __future__ import annotations

from collections.abc import Iterable

from templex_scrapy.mapping import TEMPLEX, Similarity
from templex_scrapy.page import Page
from templex_scrapy.template.template import Template


def detect_template(
    key: Page,
    pages: Iterable[Page],
    votes: int = 2,
    *,
    similarity: Similarity = TEMPLEX,
    same: bool = True,
) -> frozenset[int]:
    """Positions of the template nodes of a key page.

    Args:
        key: the key page.
        pages: the pages of its complete subdigraph. Copies of the key page, or of each other, are dropped first.
        votes: pages that must have a node for it to be template, at least 1; where there are fewer, all of them.
        similarity: the parameters of the mapping; :data:`PUBLISHED` are the thesis's.
        same: whether text, links and media must also say the same on as many pages. The thesis asks for the same place
            alone (False), which counts a page's own headline as template.

    Returns:
        Positions in ``key.nodes``; none if there are no pages.

    Raises:
        ValueError: if ``votes`` is less than 1.
    """
    template = Template.from_pages(key, pages, votes, similarity=similarity)
    return template.nodes if same else template.places
