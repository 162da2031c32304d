"""`scrapy crawl demo`: serves a web site from this machine and crawls it. No network needed."""

from __future__ import annotations

from typing import Any, Self

from scrapy import signals
from scrapy.crawler import Crawler

from sample_project.demo_site import DemoServer, build_site
from sample_project.spiders.pages import PagesSpider


class DemoSpider(PagesSpider):
    """Crawls the bundled site of The Weir House, one item for each page."""

    name = "demo"
    custom_settings = {  # noqa: RUF012 - Scrapy's own shape
        # the site is ours and on this machine
        "AUTOTHROTTLE_ENABLED": False,
        "DOWNLOAD_DELAY": 0,
        # one at a time, so that the pages arrive in nearly the same order each time
        "CONCURRENT_REQUESTS": 1,
    }

    def __init__(self, **kwargs: Any) -> None:
        self.server = DemoServer(build_site())
        super().__init__(url=self.server.start(), **kwargs)

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make the spider; its server runs as long as the crawl."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        crawler.signals.connect(spider.server.stop, signals.spider_closed)
        return spider
