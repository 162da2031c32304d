"""How much alike a key page and the pages that it links to are, by hyperlink distance (thesis, Table 7.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from templex_bench.gold import KeyPage
from templex_bench.gold.saved import spread
from templex_scrapy.mapping import map_pages
from templex_scrapy.page import Page
from templex_scrapy.search import hyperlink_distance, rank_links

MOST = 40
"""Linked pages of a key page to look at, as in the thesis; spread over the ranks, so that all distances occur."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedPage:
    """A page that a key page links to.

    Attributes:
        suite: name of the suite.
        site: name of the site.
        key_url: address of the key page.
        url: address of the linked page.
        distance: hyperlink distance from the key page to it.
        similarity: nodes mapped by the equal top-down mapping, of the nodes of both pages, in [0, 1]:
            2 x mapped / (nodes of one + nodes of the other).
        recall: share of the nodes of the key page's gold template that are mapped, in [0, 1], which is what Table 7.4
            shows; None without a gold standard.
    """

    suite: str
    site: str
    key_url: str
    url: str
    distance: int
    similarity: float
    recall: float | None


def linked_pages(suite: str, site: str, key: KeyPage, fetch: Callable[[str], Page | None]) -> Iterator[LinkedPage]:
    """The linked pages that can be had, copies of the key page left out."""
    page, template = key.page, key.gold.template
    there = [url for url in rank_links(page) if fetch(url) is not None]
    for url in spread(there, MOST):
        other = fetch(url)
        if other is None or other.digest == page.digest:
            continue
        mapped = map_pages(page, other).keys()
        yield LinkedPage(
            suite=suite,
            site=site,
            key_url=page.url,
            url=url,
            distance=hyperlink_distance(page.url, url),
            similarity=2 * len(mapped) / (len(page) + len(other)),
            recall=len(mapped & template) / len(template) if template else None,
        )
