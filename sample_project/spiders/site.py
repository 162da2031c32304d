"""`scrapy crawl site -a url=https://example.com/ [-a max_pages=100]`: any site, the whole host."""

from __future__ import annotations

import logging
import re
from collections import deque
from collections.abc import AsyncIterator, Iterator
from typing import Any, Self
from urllib.parse import urldefrag, urlsplit

from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DontCloseSpider
from scrapy.http import HtmlResponse, Response
from scrapy.linkextractors import LinkExtractor
from twisted.python.failure import Failure
from w3lib.url import canonicalize_url

from sample_project.following import is_web_address
from sample_project.items import PageItem

_EXAMPLE = "scrapy crawl site -a url=https://example.com/ -a max_pages=100"


class SiteSpider(Spider):
    """Crawls the host of an address, one item for each HTML page.

    With `max_pages` the spider keeps the links that it has found, and asks for no more pages than are still
    wanted, rather than closing in mid-crawl: exactly so many items come out, if the site has
    them, and all are cleaned.

    Args:
        url: where to begin; every page of the same host is crawled.
        max_pages: number of items to make, at most; without it, the whole host.
    """

    name = "site"

    def __init__(self, url: str | None = None, max_pages: str | int | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._start_url, self._max_pages = _checked(url, max_pages)
        self._links = LinkExtractor()
        self._host = ""
        self._found = {canonicalize_url(self._start_url)}
        self._waiting = deque([self._start_url])
        self._done: set[str] = set()
        self._asked = 0

    @classmethod
    def check_arguments(cls, url: str | None = None, max_pages: str | None = None) -> None:
        """Raises ValueError, with what is allowed, for a wrong spider argument."""
        _checked(url, max_pages)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Makes the spider."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.go_on_when_idle, signals.spider_idle)
        return spider

    async def start(self) -> AsyncIterator[Any]:
        """Begins at the address that was given."""
        for request in self._requests():
            yield request

    def parse(self, response: Response) -> Iterator[Any]:
        """Makes the item of a page and follows its links."""
        self._asked -= 1
        # The first answer decides: https://example.com often moves on to https://www.example.com.
        self._host = self._host or _host(response.url)
        if isinstance(response, HtmlResponse) and _host(response.url) == self._host:
            yield from self._item(response)
            self._find_links(response)
        yield from self._requests()

    def failed(self, failure: Failure) -> Iterator[Request]:
        """Asks for another page instead of one that did not come."""
        self._asked -= 1
        level = logging.INFO if self._host else logging.WARNING
        # Scrapy hands the request over in this attribute, which Twisted's type does not know.
        request: Request = getattr(failure, "request")  # noqa: B009
        self.logger.log(level, "No page: %s: %s", request.url, failure.getErrorMessage())
        yield from self._requests()

    def go_on_when_idle(self) -> None:
        """Asks for what is still wanted after requests that vanished without an answer.

        A redirect to a page that has been crawled ends in Scrapy's filter for duplicates, and nobody is told.
        """
        self._asked = 0
        requests = list(self._requests())
        for request in requests:
            self.crawler.engine.crawl(request)
        if requests:
            raise DontCloseSpider

    def _item(self, response: HtmlResponse) -> Iterator[PageItem]:
        address = canonicalize_url(response.url)
        if address not in self._done:
            self._done.add(address)
            self.crawler.stats.inc_value("sample/pages")
            yield PageItem.from_response(response)

    def _find_links(self, response: HtmlResponse) -> None:
        for link in self._links.extract_links(response):
            address = canonicalize_url(link.url)
            if address not in self._found and _host(link.url) == self._host:
                self._found.add(address)
                # Asked for as the page writes it: some servers mind the order of the query.
                self._waiting.append(urldefrag(link.url).url)

    def _requests(self) -> Iterator[Request]:
        while self._waiting and (self._max_pages is None or len(self._done) + self._asked < self._max_pages):
            url = self._waiting.popleft()
            if canonicalize_url(url) not in self._done:
                self._asked += 1
                yield Request(url, errback=self.failed)


def _host(url: str) -> str:
    return urlsplit(url).netloc.lower()


def _checked(url: str | None, max_pages: str | int | None) -> tuple[str, int | None]:
    if not url:
        message = f"The spider needs an address to begin with: {_EXAMPLE}"
        raise ValueError(message)
    if not is_web_address(url):
        message = f"url={url!r} is no address of a web page; it has to begin with https:// or http://: {_EXAMPLE}"
        raise ValueError(message)
    if max_pages is None:
        return url, None
    if not re.fullmatch(r"[0-9]{1,9}", str(max_pages)) or int(max_pages) < 1:
        message = f"max_pages={max_pages!r} is no number of pages; it has to be 1 or more: {_EXAMPLE}"
        raise ValueError(message)
    return url, int(max_pages)
