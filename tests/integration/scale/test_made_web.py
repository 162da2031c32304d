"""The webs that large crawls are made on are what they claim to be."""

from __future__ import annotations

import re

import pytest
from made_web import BigSite, ManySites


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


@pytest.mark.parametrize("size", [33, 34, 333])
def test_links_lead_to_exactly_so_many_pages(size: int) -> None:
    assert len(crawled(BigSite(size))) == size
    assert len(crawled(ManySites(3))) == 3 * 10
