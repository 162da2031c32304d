"""`scrapy crawl pages -a url=https://example.com/`: whole sites, for one worker or for many that share a queue."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from sample_project.items import PageItem


class PagesSpider(Spider):
    """Crawls the hosts of some addresses, one item for each HTML page.

    It keeps nothing in itself: what is to be done is in the queue, what was seen in the filter of duplicates, and so
    any number of workers can run it.

    Args:
        url: where to begin; several with commas between them.
    """

    name = "pages"

    def __init__(self, url: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = _checked(url)
        self._links = LinkExtractor(allow_domains=sorted({urlsplit(one).netloc for one in self.start_urls}))

    @classmethod
    def check_arguments(cls, url: str | None = None) -> None:
        """Raises ValueError, with what is allowed, for a wrong spider argument."""
        _checked(url)

    async def start(self) -> AsyncIterator[Any]:
        """Begins at the addresses; of several workers that do so, one gets each past the filter of duplicates."""
        for url in self.start_urls:
            yield Request(url)

    def parse(self, response: Response) -> Iterator[Any]:
        """Makes the item of a page and follows its links."""
        if not isinstance(response, HtmlResponse):
            return
        self.crawler.stats.inc_value("sample/pages")
        yield PageItem.from_response(response)
        for link in self._links.extract_links(response):
            yield Request(link.url)


def _checked(url: str | None) -> list[str]:
    urls = [one.strip() for one in (url or "").split(",") if one.strip()]
    for one in urls:
        if urlsplit(one).scheme not in {"http", "https"} or not urlsplit(one).netloc:
            message = f"url={one!r} is no address of a web page; it has to begin with https:// or http://"
            raise ValueError(message)
    if not urls:
        message = "The spider needs an address to begin with: scrapy crawl pages -a url=https://example.com/"
        raise ValueError(message)
    return urls
