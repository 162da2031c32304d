"""`scrapy crawl pages -a url=https://example.com/`: whole sites, for one process or for many that share a queue."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from sample_project.items import PageItem


class PagesSpider(Spider):
    """Crawls the hosts of some URLs, one item for each HTML page.

    It has no state: the queue has what is to be done, the duplicate filter what is done, so any number of processes can
    run it. `-s CLOSESPIDER_ITEMCOUNT=100` ends the crawl after about 100 items.

    Args:
        url: where to begin; several with commas between them.
    """

    name = "pages"

    def __init__(self, url: str = "", **kwargs: Any) -> None:
        if not url:
            raise SystemExit("the spider needs a URL to begin with: scrapy crawl pages -a url=https://example.com/")
        super().__init__(start_urls=url.split(","), **kwargs)
        self._links = LinkExtractor(allow_domains=sorted({urlsplit(one).netloc for one in self.start_urls}))

    async def start(self) -> AsyncIterator[Any]:
        """Begin at the URLs; of several processes that do so, one gets each past the duplicate filter.

        The others wait for `SAMPLE_START_SECONDS`, until it has put links into the queue that they share.
        """
        for url in self.start_urls:
            yield Request(url)
        await asyncio.sleep(self.settings.getfloat("SAMPLE_START_SECONDS"))

    def parse(self, response: Response) -> Iterator[Any]:
        """Make the item of a page and follow its links."""
        if not isinstance(response, HtmlResponse):
            return
        self.crawler.stats.inc_value("sample/pages")
        yield PageItem.from_response(response)
        for link in self._links.extract_links(response):
            yield Request(link.url)
