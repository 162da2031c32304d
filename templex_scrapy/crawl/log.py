"""What a crawl tells its user: errors of the plug-in, a line in each interval of Scrapy's LogStats, and a summary."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.asyncio import create_looping_call

from templex_scrapy.crawl.stats import Stat, downloaded, extra_loads, number
from templex_scrapy.figures import counted, share

logger = logging.getLogger(__name__)

_UNCHANGED = (
    (Stat.ITEMS_UNCHANGED, "with nothing to remove"),
    (Stat.ITEMS_NO_TEMPLATE, "that fit no template"),
    (Stat.ITEMS_NOT_LEARNT, "of errors and other answers"),
    (Stat.ITEMS_KEPT_WHOLE, "of which nothing would be left"),
    (Stat.ITEMS_SWITCHED_OFF, "switched off"),
    (Stat.ITEMS_NO_PAGE, "without a page"),
    (Stat.ITEMS_UNWRITABLE, "that cannot be written"),
)


class ErrorLog:
    """Reports errors of the plug-in, which cost no item and no request and never reach Scrapy."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._seen: set[tuple[str, type[Exception]]] = set()

    def report(self, error: Exception, doing: str, what: object) -> None:
        """Count an error, and log the first of its kind with its traceback: ``doing`` "cleaning", ``what`` a URL."""
        self._crawler.stats.inc_value(Stat.ERRORS.value)
        # an error on each page of a crawl of 100,000 pages would otherwise be 100,000 tracebacks
        kind = (doing, type(error))
        if kind not in self._seen:
            self._seen.add(kind)
            logger.error(
                "%s failed with %s, which is left unchanged (further errors of this kind are only counted as %s)",
                doing.capitalize(),
                what,
                Stat.ERRORS.value,
                exc_info=error,
                extra={"spider": self._crawler.spider},
            )


class IntervalLog:
    """Logs a line at INFO every ``LOGSTATS_INTERVAL`` seconds; nothing if that is 0."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._seconds = crawler.settings.getfloat("LOGSTATS_INTERVAL")
        self._loop: Any = create_looping_call(self._log)
        crawler.signals.connect(self._begin, signal=signals.spider_opened)
        crawler.signals.connect(self._end, signal=signals.spider_closed)

    def _begin(self) -> None:
        if self._seconds > 0:
            self._loop.start(self._seconds, now=False)

    def _end(self) -> None:
        if self._loop.running:
            self._loop.stop()

    def _log(self) -> None:
        logger.info(line(self._crawler.stats.get_stats()), extra={"spider": self._crawler.spider})


def line(stats: Mapping[str, Any]) -> str:
    """Return ``templex: 120 items cleaned, 3 templates learnt, 4 searches, 41% of the words removed``."""
    learnt = number(stats, Stat.SEARCHES_LEARNT) + number(stats, Stat.TEMPLATES_FROM_PEERS)
    return (
        f"templex: {counted(number(stats, Stat.ITEMS_CLEANED), 'item')} cleaned, {counted(learnt, 'template')} learnt,"
        f" {counted(number(stats, Stat.SEARCHES), 'search', 'searches')},"
        f" {share(number(stats, Stat.WORDS_BEFORE), number(stats, Stat.WORDS_AFTER))} of the words removed"
    )


def summary(stats: Mapping[str, Any], *, dry_run: bool = False) -> list[str]:
    """Return what the plug-in has done in a crawl, in two to four lines."""
    cleaned, removed = ("would be cleaned", "would be removed") if dry_run else ("cleaned", "removed")
    others = "".join(f", {count:,} {what}" for stat, what in _UNCHANGED if (count := number(stats, stat)))
    searches = f"from {counted(number(stats, Stat.SEARCHES), 'search', 'searches')}"
    sources = (
        (Stat.SEARCHES_LEARNT, searches),
        (Stat.TEMPLATES_FROM_PEERS, "from pages of one type"),
        (Stat.STORE_LOADED, "from the store"),
    )
    found = [f"{count:,} {what}" for stat, what in sources if (count := number(stats, stat))] or [f"0 {searches}"]
    requested = number(stats, Stat.CANDIDATES_REQUESTED)
    failed = f", of which {number(stats, Stat.CANDIDATES_FAILED):,} failed"
    candidates = f" ({counted(requested, 'candidate')} requested{failed})" if requested else ""
    items = f"{number(stats, Stat.ITEMS):,}, of which {number(stats, Stat.ITEMS_CLEANED):,} {cleaned}{others}"
    lines = [
        f"Items: {items}; pages downloaded: {downloaded(stats):,}",
        f"Templates: {', '.join(found)}, {counted(extra_loads(stats), 'additional page')} loaded{candidates}",
    ]
    before, after = number(stats, Stat.WORDS_BEFORE), number(stats, Stat.WORDS_AFTER)
    if before:
        lines.append(
            f"Words of the pages that fit a template: {before:,} before, {after:,} after"
            f" ({share(before, after)} {removed})"
        )
    errors = number(stats, Stat.ERRORS)
    return [*lines, f"Errors: {errors:,}, see the log"] if errors else lines
