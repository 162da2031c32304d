"""What watches a crawl: the summary at its end, and as the settings ask for it the live line and the report."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from scrapy import signals

from templex_scrapy.crawl.observer import Observer, Observers
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.summary import summary

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


def watch(crawler: Crawler, settings: TemplexSettings) -> Observer:
    """Set up what watches a crawl.

    Args:
        crawler: the crawl.
        settings: the checked settings.

    Returns:
        Who is to be told what happens.

    Raises:
        TemplexSettingsError: if the report cannot be written where it is to be.
    """
    if settings.progress:
        from templex_scrapy.crawl.progress import show_progress  # noqa: PLC0415 - it needs an extra

        show_progress(crawler)
    observers: list[Observer] = []

    def spider_closed() -> None:
        for line in summary(crawler.stats.get_stats(), dry_run=settings.dry_run):
            logger.info(line, extra={"spider": crawler.spider})

    # told in the order in which they are connected: first the summary, and then where the report is
    crawler.signals.connect(spider_closed, signal=signals.spider_closed, weak=False)
    if settings.report is not None:
        from templex_scrapy.report.writer import record  # noqa: PLC0415 - it needs an extra

        observers.append(record(crawler, settings.report, dry_run=settings.dry_run))
    return Observers(observers) if observers else Observer()
