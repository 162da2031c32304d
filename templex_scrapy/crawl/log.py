"""Log the errors of the plug-in, and write the summary of a crawl."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import partial
from typing import Any

from scrapy.crawler import Crawler

from templex_scrapy.crawl.stats import Stat, downloaded, extra_loads, number
from templex_scrapy.figures import counted, share

logger = logging.getLogger(__name__)

_OTHER_ITEMS = (
    (Stat.ITEMS_UNCHANGED, "with nothing to remove"),
    (Stat.ITEMS_NO_TEMPLATE, "that fit no template"),
    (Stat.ITEMS_NOT_LEARNT, "of errors and other answers"),
    (Stat.ITEMS_KEPT_WHOLE, "of which nothing would be left"),
    (Stat.ITEMS_SWITCHED_OFF, "switched off"),
    (Stat.ITEMS_NO_PAGE, "without a page"),
    (Stat.ITEMS_SAME_CONTENT, "with the content of the last crawl"),
    (Stat.ITEMS_UNWRITABLE, "that cannot be written"),
)


class ErrorLog:
    """Report errors of the plug-in. They cost no item and no request, and never reach Scrapy."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._seen: set[tuple[str, type[Exception]]] = set()

    def report(self, error: Exception, step: str, subject: object) -> None:
        """Count an error of a step, such as "cleaning" a page; log the first of each kind with the traceback."""
        self._crawler.stats.inc_value(Stat.ERRORS.value)
        # an error on each page of a crawl of 100,000 pages would otherwise be 100,000 tracebacks
        kind = (step, type(error))
        if kind not in self._seen:
            self._seen.add(kind)
            logger.error(
                "%s failed with %s, which is left unchanged (further errors of this kind are only counted as %s)",
                step.capitalize(),
                subject,
                Stat.ERRORS.value,
                exc_info=error,
                extra={"spider": self._crawler.spider},
            )


def summary(stats: Mapping[str, Any], *, dry_run: bool = False) -> list[str]:
    """Return the summary of a crawl: two to four lines about items, templates, words and errors."""
    count = partial(number, stats)
    cleaned, removed = ("would be cleaned", "would be removed") if dry_run else ("cleaned", "removed")
    others = "".join(f", {count(stat):,} {kind}" for stat, kind in _OTHER_ITEMS if count(stat))
    searches = f"from {counted(count(Stat.SEARCHES), 'search', 'searches')}"
    sources = (
        (Stat.SEARCHES_LEARNT, searches),
        (Stat.TEMPLATES_FROM_PEERS, "from pages of one type"),
        (Stat.STORE_LOADED, "from the store"),
        (Stat.TEMPLATES_CHANGED, "changed since they were stored"),
    )
    templates = ", ".join(f"{count(stat):,} {source}" for stat, source in sources if count(stat)) or f"0 {searches}"
    loads = f"{counted(extra_loads(stats), 'additional page')} loaded"
    if requested := count(Stat.CANDIDATES_REQUESTED):
        failed = f"of which {count(Stat.CANDIDATES_FAILED):,} failed"
        loads += f" ({counted(requested, 'candidate')} requested, {failed})"
    items = f"{count(Stat.ITEMS):,}, of which {count(Stat.ITEMS_CLEANED):,} {cleaned}{others}"
    lines = [f"Items: {items}; pages downloaded: {downloaded(stats):,}", f"Templates: {templates}, {loads}"]
    before, after = count(Stat.WORDS_BEFORE), count(Stat.WORDS_AFTER)
    if before:
        difference = f"{before:,} before, {after:,} after ({share(before, after)} {removed})"
        lines.append(f"Words of the pages that fit a template: {difference}")
    if errors := count(Stat.ERRORS):
        lines.append(f"Errors: {errors:,}, see the log")
    return lines
