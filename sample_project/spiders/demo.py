"""`scrapy crawl demo`: serves a web site from this machine and crawls it. No network needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.linkextractors import LinkExtractor

from sample_project.demo_site import DemoServer, build_site
from sample_project.following import FollowingSpider


class DemoSpider(FollowingSpider):
    """Crawls the bundled site of The Weir House, one item for each page.

    Args:
        dress: the design that the site wears, "river" or "mill" (`-a dress=mill`).
    """

    name = "demo"
    custom_settings = {  # noqa: RUF012  (Scrapy's own shape)
        # The site is ours and on this machine: no need to hold back.
        "AUTOTHROTTLE_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        # One at a time, so that the pages arrive in nearly the same order each time and nearly the same comes out.
        "CONCURRENT_REQUESTS": 1,
    }

    def __init__(self, dress: str = "river", **kwargs: Any) -> None:
        super().__init__(LinkExtractor(), **kwargs)
        self._server = DemoServer(build_site(dress))

    @classmethod
    def check_arguments(cls, dress: str = "river") -> None:
        """Raises ValueError, with what is allowed, for a wrong spider argument."""
        build_site(dress)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Makes the spider; its server runs as long as the crawl."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.start_server, signals.spider_opened)
        crawler.signals.connect(spider.stop_server, signals.spider_closed)
        return spider

    def start_server(self) -> None:
        """Starts to serve the site."""
        self._server.start()

    def stop_server(self) -> None:
        """Stops to serve the site."""
        self._server.stop()

    async def start(self) -> AsyncIterator[Any]:
        """Begins at the home page."""
        yield Request(self._server.url)
