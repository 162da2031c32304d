"""HybEx, the hybrid: the template of a page without what page-level ConEx takes for content (thesis, chapter 11)."""

from __future__ import annotations

from collections.abc import Iterable

from templex_scrapy.content.conex import detect_content
from templex_scrapy.mapping import TEMPLEX, Similarity
from templex_scrapy.page import Page
from templex_scrapy.template.template import Template
from templex_scrapy.template.voters import distinct_in_words


def content_to_take_out(key: Page) -> frozenset[int]:
    """Positions of the main content that a crawl takes out of a key page before others vote on the rest.

    Returns:
        None where ConEx takes all that the page says for content: nothing would be left to be template, so that TemEx
        has to do without it.
    """
    content = detect_content(key)
    return frozenset() if content.issuperset(key.arrays.text_positions) else content


def learn(key: Page, pages: Iterable[Page], votes: int, *, hybrid: bool) -> Template:
    """The template that a crawl learns from a key page and the pages of its complete subdigraph.

    Pages that say the same as another are left out: a wall that stands before several addresses is no evidence that
    the site repeats itself.

    Args:
        key: the key page.
        pages: the pages of its complete subdigraph.
        votes: pages that must have a node for it to be template, at least 1.
        hybrid: whether the main content of the key page has no vote.

    Raises:
        ValueError: if ``votes`` is less than 1.
    """
    content = content_to_take_out(key) if hybrid else frozenset()
    return Template.from_pages(key, distinct_in_words([key, *pages])[1:], votes, content=content)


def detect_template_hybrid(
    key: Page,
    pages: Iterable[Page],
    votes: int = 2,
    *,
    similarity: Similarity = TEMPLEX,
    same: bool = True,
) -> frozenset[int]:
    """Positions of the template nodes of a key page, none of them in its main content.

    Page-level ConEx finds the main content of the key page; it is taken out; TemEx runs on the rest. Beside the nodes
    that are spared, this changes how the rest is mapped, since the parents of what is taken out have fewer children.

    Measured on the 16 development sites (template nodes, complete subdigraphs of size 3): precision 0.985, recall
    0.673, F1 0.753; TemEx 0.967, 0.785, 0.839. What ConEx takes for content holds fixed labels, which the gold standard
    counts as template, and menus where it errs. Published, on other sites: precision 0.907, recall 0.912, F1 0.883.
    The readings are those of :mod:`~templex_scrapy.template.temex`; the workbench measures them, in the table
    ``sites-readings-template-nodes`` of its report: place alone F1 0.753, as published 0.693.

    Args:
        key: the key page.
        pages: the pages of its complete subdigraph. Copies of the key page, or of each other, are dropped first.
        votes: pages that must have a node for it to be template, at least 1; where there are fewer, all of them.
        similarity: the parameters of the mapping; :data:`PUBLISHED` are the thesis's.
        same: whether text, links and media must also say the same on as many pages; the thesis asks for the place alone
            (False).

    Returns:
        Positions in ``key.nodes``; none if there are no pages.

    Raises:
        ValueError: if ``votes`` is less than 1.
    """
    template = Template.from_pages(key, pages, votes, content=detect_content(key), similarity=similarity)
    return template.nodes if same else template.places
