"""Crawls of a real local HTTP server, run in this process on one asyncio reactor."""

import asyncio
import logging

import pytest
from helpers.crawling import BASE, Collector, Crawled, Late, SiteSpider
from helpers.web import MENU
from scrapy import signals
from scrapy.crawler import Crawler

from templex_scrapy import CleanPage
from templex_scrapy.crawl import running_crawl
from templex_scrapy.crawl.sites import site_worker, template_search


@pytest.fixture
def site(new_site):
    """A site of menu pages, and articles that the menu does not list."""
    site = new_site()
    for path in MENU:
        site.add(
            path, body="".join(f'<p><a href="/news/{i}.html">Story {i}</a></p>' for i in range(6)) * (path == "/news/")
        )
    for i in range(6):
        site.add(f"/news/{i}.html")
    return site


@pytest.fixture
def late():
    """Answers that come when an item is out."""
    return Late()


@pytest.fixture
def computed(monkeypatch):
    """URLs of the pages that are cleaned, one for each cleaning."""
    urls = []
    compute = CleanPage.compute

    def counted(self, names):
        urls.append(self.url)
        compute(self, names)

    monkeypatch.setattr(CleanPage, "compute", counted)
    return urls


@pytest.fixture
def crawl(event_loop_of_reactor, monkeypatch):
    """Run a spider to its end; a crawl that hangs fails the test."""
    # a crawl of a few pages would take a second, in which it waits for more of them
    monkeypatch.setattr(site_worker, "POLL_SECONDS", 0.03)
    monkeypatch.setattr(template_search, "PATIENCE", 0.15)
    # on a busy machine a crawl may take longer than ten seconds; a page that waits for nothing fails the test
    monkeypatch.setattr(running_crawl, "WAIT_SECONDS", 3600.0)

    def run(spider=SiteSpider, *urls, addon=True, timeout=120, **settings):
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
            event_loop_of_reactor.run_until_complete(asyncio.wait_for(crawler.crawl_async(**arguments), timeout))
        finally:
            logging.getLogger().removeHandler(collector)
            logging.getLogger().setLevel(level)
        return Crawled(items, crawler.stats.get_stats(), reasons[0] if reasons else "", crawler, collector.records)

    return run
