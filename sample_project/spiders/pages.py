"""`scrapy crawl pages -a url=https://example.com/`: whole sites, for one process or for many that share a queue."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, ClassVar
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor

from sample_project.items import PageItem


def check_urls(url: str | None = None) -> list[str]:
    """Return the URLs to begin with.

    Raises:
        ValueError: if there are none, or one is not the URL of a web page.
    """
    urls = [one.strip() for one in (url or "").split(",") if one.strip()]
    if not urls:
        raise ValueError("the spider needs a URL to begin with: scrapy crawl pages -a url=https://example.com/")
    for one in urls:
        if not _is_web_url(one):
            raise ValueError(f"url={one!r} is not the URL of a web page; it begins with https:// or http://")
    return urls


def _is_web_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


class PagesSpider(Spider):
    """Crawls the hosts of some URLs, one item for each HTML page.

    It has no state: the queue has what is to be done, the duplicate filter what is done, so any number of processes can
    run it. `-s CLOSESPIDER_ITEMCOUNT=100` ends the crawl after about 100 items.

    Args:
        url: where to begin; several with commas between them.
    """

    name = "pages"

    check_arguments: ClassVar[Callable[..., object]] = check_urls

    def __init__(self, url: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.start_urls = check_urls(url)
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
