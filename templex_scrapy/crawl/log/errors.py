"""Errors of the plug-in itself: all are counted, the first of each kind is logged, and none reaches Scrapy."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from templex_scrapy.crawl.stats import Stat

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class ErrorLog:
    """Reports errors of the plug-in, which cost no item and no request."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._seen: set[tuple[str, type[Exception]]] = set()

    def report(self, error: Exception, doing: str, what: object) -> None:
        """Count an error, and log the first of its kind with its traceback.

        Args:
            error: the error.
            doing: what failed, such as ``"cleaning"``.
            what: with what it failed, such as a URL.
        """
        self._crawler.stats.inc_value(Stat.ERRORS.value)
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
