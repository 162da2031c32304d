"""`scrapy crawl pages -a url=https://example.com/`: whole sites, for one worker or for many that share a queue."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.linkextractors import LinkExtractor

from sample_project.following import FollowingSpider, is_web_address


class PagesSpider(FollowingSpider):
    """Crawls the hosts of some addresses, one item for each HTML page.

    It keeps nothing in itself: what is to be done is in the queue, what was seen in the filter of duplicates, and so
    any number of workers can run it.

    Args:
        url: where to begin; several with commas between them.
    """

    name = "pages"

    def __init__(self, url: str | None = None, **kwargs: Any) -> None:
        start_urls = _checked(url)
        super().__init__(LinkExtractor(allow_domains=sorted({urlsplit(one).netloc for one in start_urls})), **kwargs)
        self.start_urls = start_urls

    @classmethod
    def check_arguments(cls, url: str | None = None) -> None:
        """Raises ValueError, with what is allowed, for a wrong spider argument."""
        _checked(url)

    async def start(self) -> AsyncIterator[Any]:
        """Begins at the addresses; of several workers that do so, one gets each past the filter of duplicates."""
        for url in self.start_urls:
            yield Request(url)


def _checked(url: str | None) -> list[str]:
    urls = [one.strip() for one in (url or "").split(",") if one.strip()]
    for one in urls:
        if not is_web_address(one):
            message = f"url={one!r} is no address of a web page; it has to begin with https:// or http://"
            raise ValueError(message)
    if not urls:
        message = "The spider needs an address to begin with: scrapy crawl pages -a url=https://example.com/"
        raise ValueError(message)
    return urls
