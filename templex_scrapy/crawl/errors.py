"""Errors of the plug-in itself: logged once for each kind, counted always, never passed on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from templex_scrapy.crawl.stats import Stat, count

if TYPE_CHECKING:
    import logging

    from scrapy.crawler import Crawler


class ErrorLog:
    """Reports errors that must not cost an item or a request.

    Args:
        crawler: the crawl.
        logger: where the errors are logged.
    """

    def __init__(self, crawler: Crawler, logger: logging.Logger) -> None:
        self._crawler = crawler
        self._logger = logger
        self._seen: set[tuple[str, type[Exception]]] = set()

    def report(self, error: Exception, doing: str, what: object) -> None:
        """Count an error; log it with its traceback if it is the first of its kind.

        Args:
            error: the error.
            doing: what failed, such as ``"cleaning"``.
            what: with what it failed, such as an address.
        """
        count(self._crawler.stats, Stat.ERRORS)
        kind = (doing, type(error))
        if kind not in self._seen:
            self._seen.add(kind)
            self._logger.error(
                "%s failed with %s, which stays as it is (further errors of this kind are only counted as %s)",
                doing.capitalize(),
                what,
                Stat.ERRORS.value,
                exc_info=error,
                extra={"spider": self._crawler.spider},
            )
