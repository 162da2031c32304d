"""The downloader middleware: a page that a search has requested is not downloaded again for the spider."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Self

from scrapy import Request
from scrapy.exceptions import IgnoreRequest, NotConfigured
from scrapy.http import Response

from templex_scrapy.crawl.errors import ErrorLog
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.shared_downloads import SharedDownloads, is_candidate
from templex_scrapy.crawl.stats import Stat, count

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class TemplexDownloaderMiddleware:
    """Shares downloads between spider and searches.

    It belongs after ``RobotsTxtMiddleware`` (100) and before everything that changes requests: what it answers itself
    has been allowed, and it compares requests as the spider made them.

    Args:
        crawler: the crawl it belongs to.
        settings: the checked settings.

    Attributes:
        traffic: the pages in flight and the page memory.
    """

    def __init__(self, crawler: Crawler, settings: TemplexSettings) -> None:
        self._crawler = crawler
        self._errors = ErrorLog(crawler, logger)
        self.traffic = SharedDownloads(
            crawler.request_fingerprinter.fingerprint, settings.page_memory, settings.reading_memory
        )

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl.

        Raises:
            NotConfigured: if ``TEMPLEX_ENABLED`` is False.
            TemplexSettingsError: if a setting is wrong.
        """
        settings = TemplexSettings.from_crawler_settings(crawler.settings)
        if not settings.enabled:
            raise NotConfigured
        return cls(crawler, settings)

    async def process_request(self, request: Request) -> Response | None:
        """Answer a request with a page that is there, or let it pass.

        Raises:
            IgnoreRequest: if a search asks for what the spider could not get.
        """
        try:
            response = await self.traffic.join(request)
        except IgnoreRequest:
            raise
        except Exception as error:  # noqa: BLE001 - reported; whatever is wrong here, the page can still be downloaded
            self._errors.report(error, "sharing the download", request)
            return None
        if response is not None:
            self._count(request, response)
        return response

    def _count(self, request: Request, response: Response) -> None:
        if not is_candidate(request):
            count(self._crawler.stats, Stat.PAGES_HANDED_OVER)
        if response.status == 200:
            count(self._crawler.stats, Stat.PAGES_COUNTED_TWICE)
