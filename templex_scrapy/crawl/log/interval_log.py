"""One line in the log with each interval of Scrapy's LogStats: what the plug-in has done so far."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.utils.asyncio import create_looping_call

from templex_scrapy.crawl.log.summary import counted, number, share
from templex_scrapy.crawl.stats import Stat

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class IntervalLog:
    """Log a line at INFO every ``LOGSTATS_INTERVAL`` seconds; nothing if that is 0."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._loop: Any = create_looping_call(self._log)
        if crawler.settings.getfloat("LOGSTATS_INTERVAL") > 0:
            crawler.signals.connect(self.spider_opened, signal=signals.spider_opened)
            crawler.signals.connect(self.spider_closed, signal=signals.spider_closed)

    def spider_opened(self) -> None:
        """Begin to log."""
        self._loop.start(self._crawler.settings.getfloat("LOGSTATS_INTERVAL"), now=False)

    def spider_closed(self) -> None:
        """Stop logging."""
        if self._loop.running:
            self._loop.stop()

    def _log(self) -> None:
        logger.info(line(self._crawler.stats.get_stats()), extra={"spider": self._crawler.spider})


def line(stats: Mapping[str, Any]) -> str:
    """Return ``templex: 120 items cleaned, 3 templates learnt, 4 searches, 41% of the words removed``."""
    templates = number(stats, Stat.SEARCHES_LEARNT) + number(stats, Stat.TEMPLATES_FROM_PEERS)
    return ", ".join(
        [
            f"templex: {counted(number(stats, Stat.ITEMS_CLEANED), 'item')} cleaned",
            f"{counted(templates, 'template')} learnt",
            counted(number(stats, Stat.SEARCHES), "search", "searches"),
            f"{share(number(stats, Stat.WORDS_BEFORE), number(stats, Stat.WORDS_AFTER))} of the words removed",
        ]
    )
