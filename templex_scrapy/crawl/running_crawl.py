"""The running crawl, as all parts of the plug-in see it: settings, stats, signals, errors, and the work on pages.

Scrapy's engine and downloader send no events, so they are asked. All that is not public in Scrapy is here.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import inf

from scrapy import Request
from scrapy.crawler import Crawler

from templex_scrapy.crawl.page_executor import PageExecutor
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.render import CleanPage
from templex_scrapy.template import Match, Selectors

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.1
"""Seconds between two looks at the scheduler, the waiting room, and whether the crawl is being closed."""

WAIT_SECONDS = 10.0
"""Seconds that a page waits for voters at most, so that users who try a crawl soon see items."""

WAIT_ROOM = 0.9
"""Share of ``SCRAPER_SLOT_MAX_ACTIVE_SIZE`` that pages that wait for voters may fill: beyond it, Scrapy soon stops."""

MAX_WAITING = 200
"""Pages of a site that wait for voters at a time: more than a sample has."""


class WaitingRoom:
    """How long, how many and how large pages of all sites may wait; ``getint`` returns a setting of the crawl.

    Attributes:
        pages: pages of a site at a time.
        seconds: seconds that a page waits for voters.
        search_seconds: seconds that a search takes.
    """

    def __init__(self, getint: Callable[[str], int]) -> None:
        # of a crawl that Scrapy closes after ten pages without an item, five may wait
        items, pages = getint("CLOSESPIDER_ITEMCOUNT"), getint("CLOSESPIDER_PAGECOUNT_NO_ITEM")
        self.pages = min(items or MAX_WAITING, pages // 2 if pages else MAX_WAITING)
        half = getint("CLOSESPIDER_TIMEOUT_NO_ITEM") / 2 or inf
        self.seconds, self.search_seconds = min(WAIT_SECONDS, half), half / 2
        self._most = WAIT_ROOM * getint("SCRAPER_SLOT_MAX_ACTIVE_SIZE")
        self._sizes: Counter[str] = Counter()

    def fill(self, site: str, sizes: Iterable[int]) -> None:
        """Note the sizes of the responses of a site that wait, in bytes."""
        # Scrapy counts a smaller response as this size, and stops when the room is full by its count
        self._sizes[site] = sum(max(size, 1_024) for size in sizes)
        if not self._sizes[site]:
            del self._sizes[site]

    def is_short_for(self, site: str) -> bool:
        """Return whether the room is full and this site fills most of it: no other site has to give up the sample."""
        return self._sizes.total() > self._most and self._sizes[site] == max(self._sizes.values())


class RunningCrawl:
    """A running crawl.

    Attributes:
        outputs: the outputs that the items need.
        has_removed: whether something was removed from a page, or would have been but for ``TEMPLEX_PRESERVE``.
        unmatched: the user's selectors that selected nothing on such pages.
        is_starting: whether ``start()`` may yield further requests.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.settings = settings = TemplexSettings.from_crawler_settings(crawler.settings)
        self.executor = PageExecutor()
        self.room = WaitingRoom(crawler.settings.getint)
        self.outputs = ("html", *["content_hash"] * bool(settings.skip_unchanged), *settings.item_outputs.values())
        self.selectors = Selectors(settings.preserve, settings.remove)
        self.has_removed, self.unmatched = False, {*settings.preserve, *settings.remove}
        self.is_starting = True
        self._suspended = 0
        self._looked_at, self._has_requests = -inf, False
        self._reported: set[tuple[str, type[Exception]]] = set()

    def render(self, match: Match) -> CleanPage:
        """Compute the outputs of a match, and note the user's selectors that have matched."""
        clean = match.clean
        clean.compute(self.outputs)
        if match.selection is not None:
            self.has_removed = True
            self.unmatched -= match.selection.matched
        return clean

    def report(self, error: Exception, step: str, subject: object) -> None:
        """Count an error, which costs no item, of a step such as "cleaning"; log the first of each kind in full."""
        self.count(Stat.ERRORS)
        # an error on each page of a crawl of 100,000 pages would otherwise be 100,000 tracebacks
        if (step, type(error)) not in self._reported:
            self._reported.add((step, type(error)))
            logger.error(
                "%s failed with %s, which is left unchanged (further errors of this kind are only counted as %s)",
                step.capitalize(),
                subject,
                Stat.ERRORS.value,
                exc_info=error,
                extra={"spider": self.crawler.spider},
            )

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
