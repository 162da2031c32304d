"""What the plug-in reads of Scrapy's engine and downloader, which send no events; all that is not public is here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class EngineState:
    """The state of a running crawl: whether it is being closed, and how much it downloads and holds."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._suspended = 0

    @property
    def is_closing(self) -> bool:
        """Whether the spider is being closed, so that nothing new may be requested."""
        engine = self._crawler.engine
        # Scrapy has no public way to tell: no signal precedes the closing
        slot = getattr(engine, "_slot", None)
        return not engine.running or slot is None or slot.closing is not None

    @property
    def is_full(self) -> bool:
        """Whether the downloader has no room."""
        downloader = self._crawler.engine.downloader
        return len(downloader.active) - self._suspended >= downloader.total_concurrency

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
        """Size of the pages that wait for something, as a share of what Scrapy allows; at 1 it downloads no more."""
        slot = self._crawler.engine.scraper.slot
        return 1.0 if slot is None else slot.active_size / slot.max_active_size

    def delay(self, request: Request) -> float:
        """Return the seconds between two downloads of the request's site."""
        downloader = self._crawler.engine.downloader
        # AutoThrottle changes the delay of a slot while the crawl runs
        slot = downloader.slots.get(downloader.get_slot_key(request))
        return slot.delay if slot is not None else self._crawler.settings.getfloat("DOWNLOAD_DELAY")
