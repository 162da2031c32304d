"""Spiders that crawl a site of a local server, and what comes of a crawl."""

import asyncio
import logging
import threading
from dataclasses import dataclass
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.linkextractors import LinkExtractor

from helpers.web import Reply, html_page

BASE = {
    "ADDONS": {"templex_scrapy.Addon": 500},
    "TELNETCONSOLE_ENABLED": False,
    "LOG_LEVEL": "INFO",
    "RETRY_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
}
"""The settings of a crawl."""

BREADTH_FIRST = {
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}


class SiteSpider(Spider):
    """Crawls whole sites; an item for each page."""

    name = "site"

    def parse(self, response, **_):
        yield self.item(response)
        yield from self.links(response)

    def item(self, response):
        return {"url": response.url, "html": response.text}

    def links(self, response):
        netloc = response.url.split("/")[2]
        for link in LinkExtractor(allow=rf"^https?://{netloc}/").extract_links(response):
            yield Request(link.url, callback=self.parse)


class StartPages(SiteSpider):
    """Takes its start pages only, so that every candidate is the search's own."""

    def links(self, _):
        return iter(())


def spider_of(make):
    """A spider whose items are what a function makes of a response: one, or a list of them."""

    class Items(SiteSpider):
        def parse(self, response, **_):
            made = make(response)
            yield from made if isinstance(made, list) else [made]
            yield from self.links(response)

    return Items


@dataclass
class Crawled:
    """What came of a crawl."""

    items: list[Any]
    stats: dict[str, Any]
    reason: str
    crawler: Crawler
    log: list[logging.LogRecord]

    def by_path(self, name="html"):
        """Path → field of the item."""
        adapters = [ItemAdapter(item) for item in self.items]
        return {"/" + a["url"].split("/", 3)[3]: a[name] for a in adapters}

    def count(self, name):
        return int(self.stats.get(f"templex/{name}", 0))

    def messages(self, level=logging.WARNING):
        return [record.getMessage() for record in self.log if record.levelno >= level]


class Collector(logging.Handler):
    def __init__(self):
        super().__init__(logging.INFO)
        self.records = []

    def emit(self, record):
        self.records.append(record)


def crawl(loop, spider=SiteSpider, *urls, addon=True, timeout=120, **settings):
    """Run a spider to its end on an event loop; a crawl that hangs fails the test."""
    crawler = Crawler(spider, {**BASE, **({} if addon else {"ADDONS": {}}), **settings}, init_reactor=False)
    items, reasons = [], []
    crawler.signals.connect(lambda item: items.append(item), signals.item_scraped, weak=False)  # noqa: PLW0108 - by name
    crawler.signals.connect(lambda reason: reasons.append(reason), signals.spider_closed, weak=False)  # noqa: PLW0108
    collector = Collector()
    logging.getLogger().addHandler(collector)
    level = logging.getLogger().level
    logging.getLogger().setLevel(logging.INFO)
    try:
        arguments = {"start_urls": list(urls)} if urls else {}
        loop.run_until_complete(asyncio.wait_for(crawler.crawl_async(**arguments), timeout))
    finally:
        logging.getLogger().removeHandler(collector)
        logging.getLogger().setLevel(level)
    return Crawled(items, crawler.stats.get_stats(), reasons[0] if reasons else "", crawler, collector.records)


class Late:
    """Answers of a site that come when an item is out (``came_second``); ``settings`` are for the crawl."""

    def __init__(self):
        self.came_second = []
        is_out = self._is_out = threading.Event()

        class Out:
            def process_item(self, item):
                is_out.set()
                return item

        self.settings = {"ITEM_PIPELINES": {Out: 900}}

    def reply(self, path):
        self.came_second.append(self._is_out.wait(60))
        return Reply(html_page(path))
