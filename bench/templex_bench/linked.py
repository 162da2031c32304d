"""How similar a key page and the pages that it links to are, by hyperlink distance (thesis, Table 7.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from templex_bench.suites import KeyPage
from templex_bench.suites.saved import spread
from templex_scrapy.mapping import map_pages
from templex_scrapy.page import Page
from templex_scrapy.search import hyperlink_distance, rank_links

MOST = 40
"""Linked pages of a key page to look at, as in the thesis; spread over the ranks, so that all distances occur."""


def linked_pages(key: KeyPage, fetch: Callable[[str], Page | None]) -> Iterator[dict[str, object]]:
    """Compare a key page with the saved pages that it links to; copies of it are left out.

    Each row has ``url``, ``distance``, ``similarity`` (share of the nodes of both pages that are mapped) and ``recall``
    (share of the key page's gold template that is mapped, as in Table 7.4; None without a gold standard).
    """
    page, template = key.page, key.gold.template
    there = [url for url in rank_links(page) if fetch(url) is not None]
    for url in spread(there, MOST):
        other = fetch(url)
        if other is None or other.digest == page.digest:
            continue
        mapped = map_pages(page, other).keys()
        yield {
            "url": url,
            "distance": hyperlink_distance(page.url, url),
            "similarity": 2 * len(mapped) / (len(page) + len(other)),
            "recall": len(mapped & template) / len(template) if template else None,
        }
