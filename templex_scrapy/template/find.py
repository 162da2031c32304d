"""Find the template of a page among the pages that it links to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from templex_scrapy.mapping import TEMPLEX, Similarity
from templex_scrapy.page import Page
from templex_scrapy.search import MAX_LOADS, SIZE, SubdigraphSearch
from templex_scrapy.template.template import Template


def find_template(
    key: Page,
    fetch: Callable[[str], Page | None],
    size: int = SIZE,
    votes: int = 2,
    max_loads: int = MAX_LOADS,
    *,
    similarity: Similarity = TEMPLEX,
) -> Template:
    """Find a complete subdigraph among the key page's links, and the template that it votes for.

    Args:
        key: the key page.
        fetch: returns the page at a URL, or None where there is none.
        size: pages of the complete subdigraph, at least 1.
        votes: pages that must have a node for it to be template, at least 1.
        max_loads: pages to fetch at most.
        similarity: the parameters of the mapping.

    Returns:
        The template; it is empty if no page was loaded.

    Raises:
        ValueError: if a number is out of range.
    """
    search = SubdigraphSearch(key, size, max_loads)
    # a single page at a time: each may end the search, and changes the next wish
    while wanted := search.wanted():
        search.add(wanted[0], fetch(wanted[0]))
    return Template.from_pages(key, search.pages, votes, similarity=similarity)


async def find_template_async(
    key: Page,
    fetch: Callable[[str], Awaitable[Page | None]],
    size: int = SIZE,
    votes: int = 2,
    max_loads: int = MAX_LOADS,
    *,
    similarity: Similarity = TEMPLEX,
) -> Template:
    """Find a template as :func:`find_template` does, with a ``fetch`` that is awaited, in callbacks and elsewhere."""
    search = SubdigraphSearch(key, size, max_loads)
    while wanted := search.wanted():
        search.add(wanted[0], await fetch(wanted[0]))
    return Template.from_pages(key, search.pages, votes, similarity=similarity)
