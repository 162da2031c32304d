"""One line in the log with each interval of Scrapy's LogStats: what the plug-in has done so far."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

from templex_scrapy.crawl import signals as templex_signals
from templex_scrapy.crawl.log.summary import counted, number, share
from templex_scrapy.crawl.stats import Stat

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class IntervalLog:
    """Log a line at INFO every ``LOGSTATS_INTERVAL`` seconds; nothing if that is 0."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._interval = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        self._templates = 0
        self._open_searches = 0
        self._loop: Any = None
        if self._interval > 0:
            crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
            crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)
            crawler.signals.connect(self.search_begins, signal=templex_signals.search_begins)
            crawler.signals.connect(self.search_ends, signal=templex_signals.search_ends)
            crawler.signals.connect(self.template_learnt, signal=templex_signals.template_learnt)

    def spider_opened(self) -> None:
        """Begin to log."""
        self._loop = create_looping_call(self._log)
        self._loop.start(self._interval, now=False)

    def spider_closed(self) -> None:
        """Stop logging."""
        if self._loop is not None and self._loop.running:
            self._loop.stop()

    def search_begins(self) -> None:
        """Count the search."""
        self._open_searches += 1

    def search_ends(self) -> None:
        """Count the search no longer."""
        self._open_searches -= 1

    def template_learnt(self) -> None:
        """Count the template."""
        self._templates += 1

    def line(self) -> str:
        """Return ``templex: 120 items cleaned, 3 templates learnt, 2 searches open, 41% of the words removed``."""
        stats = self._crawler.stats.get_stats()
        return ", ".join(
            [
                f"templex: {counted(number(stats, Stat.ITEMS_CLEANED), 'item')} cleaned",
                f"{counted(self._templates, 'template')} learnt",
                f"{counted(self._open_searches, 'search', 'searches')} open",
                f"{share(number(stats, Stat.WORDS_BEFORE), number(stats, Stat.WORDS_AFTER))} of the words removed",
            ]
        )

    def _log(self) -> None:
        logger.info(self.line(), extra={"spider": self._crawler.spider})
