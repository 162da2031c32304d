"""The webs that large crawls are made on are what they claim to be."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest
from made_web import LANGUAGES, SECTIONS, BigSite, ManySites

from templex_scrapy import Page


def crawled(web: BigSite | ManySites) -> dict[str, str]:
    """All pages that links lead to from the start, without the links' targets that are no pages."""
    pages: dict[str, str] = {}
    waiting = list(web.start_urls)
    while waiting:
        url = waiting.pop()
        if url in pages:
            continue
        html = web.page(url)
        assert html is not None, f"a link leads to {url}, which is no page"
        pages[url] = html
        base = re.match(r"https?://[^/]+", url)
        assert base is not None
        waiting.extend(base[0] + path for path in re.findall(r'<a [^>]*href="([^"]*)"', html))
    return pages


@pytest.mark.parametrize("size", [33, 34, 63, 100, 333, 2_000])
def test_links_lead_to_exactly_so_many_pages(size: int) -> None:
    assert len(crawled(BigSite(size))) == size


def test_six_kinds_of_pages_and_the_home_pages_in_three_languages() -> None:
    site = BigSite(400)
    kinds = Counter(site.kind(url) for url in crawled(site))
    assert {kind for kind, _ in kinds} == {"home", "list", *SECTIONS}
    assert len(kinds) == 7 * len(LANGUAGES)


def test_each_host_has_ten_pages_and_a_menu_of_its_own() -> None:
    web = ManySites(3)
    pages = crawled(web)
    assert Counter(url.split("/")[2] for url in pages) == dict.fromkeys(
        ("host000000.test", "host000001.test", "host000002.test"), 10
    )
    menus = [Page(pages[url], url).root.xpath("string(.//ul)") for url in web.start_urls]
    assert all(one != other for one, other in pairwise(menus))
