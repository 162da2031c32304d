"""TemEx: the template of a page by the votes of the pages of a complete subdigraph (thesis, chapter 9)."""

from __future__ import annotations

from collections.abc import Iterable

from templex_scrapy.detectors.tree import unlabelled
from templex_scrapy.page import Page
from templex_scrapy.similarity import TEMPLEX, Similarity
from templex_scrapy.template import Template


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
        similarity: the parameters of the mapping; :data:`~templex_scrapy.similarity.PUBLISHED` are the thesis's.
        same: whether text, links and media must also say the same on as many pages. The thesis asks for the same place
            alone (False), which counts a page's own headline as template.

    Returns:
        Positions in ``key.nodes``; none if there are no pages.

    Raises:
        ValueError: if ``votes`` is less than 1.
    """
    template = Template.from_pages(unlabelled(key), map(unlabelled, pages), votes, similarity=similarity)
    return template.nodes if same else template.places
