"""The running crawl: stats, signals, the work on pages, and the state of Scrapy's engine and downloader.

Engine and downloader send no events, so that they are asked. All that is not public in Scrapy is here.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from scrapy import Request
from scrapy.crawler import Crawler

from templex_scrapy.crawl.page_executor import PageExecutor
from templex_scrapy.crawl.stats import Stat

POLL_SECONDS = 0.1
"""Seconds between two looks at the scheduler, the waiting room, and whether the crawl is being closed."""


class RunningCrawl:
    """A running crawl, as all parts of the plug-in see it.

    Attributes:
        crawler: Scrapy's side of it.
        executor: does the work on pages.
        is_starting: whether ``start()`` may yield further requests.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.executor = PageExecutor()
        self._suspended = 0
        self._looked_at, self._has_requests = -inf, False
        self.is_starting = True

    def count(self, stat: Stat, by: int = 1) -> None:
        """Add to a stat."""
        self.crawler.stats.inc_value(stat.value, by)

    def send(self, signal: object, **arguments: object) -> None:
        """Send a signal of the add-on."""
        self.crawler.signals.send_catch_log(signal, spider=self.crawler.spider, **arguments)

    @property
    def is_closing(self) -> bool:
        """Whether the spider is being closed, so that nothing new may be requested."""
        engine = self.crawler.engine
        # Scrapy has no public way to tell: no signal precedes the closing
        slot = getattr(engine, "_slot", None)
        return not engine.running or slot is None or slot.closing is not None

    @property
    def is_full(self) -> bool:
        """Whether the downloader has no room."""
        downloader = self.crawler.engine.downloader
        return len(downloader.active) - self._suspended >= downloader.total_concurrency

    @property
    def has_requests(self) -> bool:
        """Whether requests wait for the downloader, as of the last :data:`POLL_SECONDS`."""
        now = time.monotonic()
        # a scheduler may ask a server, once for all that want to know
        if now >= self._looked_at + POLL_SECONDS:
            slot = getattr(self.crawler.engine, "_slot", None)
            self._looked_at = now
            self._has_requests = slot is not None and slot.scheduler.has_pending_requests()
        return self._has_requests

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Exclude a request from the active downloads while it waits for a search."""
        self._suspended += 1
        try:
            yield
        finally:
            self._suspended -= 1

    @property
    def pages_waiting(self) -> float:
        """Size of the pages that wait, as a share of the size that Scrapy allows; at 1 Scrapy downloads no more."""
        slot = self.crawler.engine.scraper.slot
        return 1.0 if slot is None else slot.active_size / slot.max_active_size

    def delay(self, request: Request) -> float:
        """Return the seconds between two downloads of the request's site."""
        downloader = self.crawler.engine.downloader
        # AutoThrottle changes the delay of a slot while the crawl runs
        slot = downloader.slots.get(downloader.get_slot_key(request))
        return slot.delay if slot is not None else self.crawler.settings.getfloat("DOWNLOAD_DELAY")
