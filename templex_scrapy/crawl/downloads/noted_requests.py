"""The spider's requests on their way from the scheduler to the downloader, as far as they were noted."""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass

from scrapy import Request

from templex_scrapy.crawl.downloads.page_memory import MAX_REMEMBERED
from templex_scrapy.page import site_of


@dataclass(slots=True)
class _Ahead:
    """A page that the spider is to download.

    Attributes:
        site: its site.
        is_sure: whether it is sure to be downloaded, past the duplicate filter.
    """

    site: str
    is_sure: bool


class NotedRequests:
    """What the spider has requested, by fingerprint, and what of it is still to be downloaded.

    The least recently noted of more than :data:`MAX_REMEMBERED` are forgotten, and count as downloaded. A page that was
    forgotten and is linked again counts as ahead, although the duplicate filter drops its request: pages wait in vain
    then, for as long as they may.
    """

    def __init__(self) -> None:
        # None once it was downloaded
        self._noted: OrderedDict[bytes, _Ahead | None] = OrderedDict()
        self._pages_ahead: Counter[str] = Counter()

    def __contains__(self, fingerprint: bytes) -> bool:
        return fingerprint in self._noted

    def note(self, fingerprint: bytes, request: Request) -> None:
        """Note a request on its way to the scheduler."""
        is_new = fingerprint not in self._noted
        ahead = self._noted.pop(fingerprint, None)
        # a request of a callback may be for a page that was downloaded before, and be dropped by the duplicate filter
        if ahead is None and (is_new or request.dont_filter):
            ahead = _Ahead(site_of(request.url) or "", is_sure=False)
            self._pages_ahead[ahead.site] += 1
        if ahead is not None and request.dont_filter:
            ahead.is_sure = True
        self._noted[fingerprint] = ahead
        if len(self._noted) > MAX_REMEMBERED:
            self._no_longer_ahead(self._noted.popitem(last=False)[1])

    def reach_downloader(self, fingerprint: bytes) -> None:
        """Note that a request is about to be downloaded: another one for the page may be dropped from now on."""
        if fingerprint in self._noted:
            self._no_longer_ahead(self._noted[fingerprint])
            self._noted[fingerprint] = None

    def _no_longer_ahead(self, ahead: _Ahead | None) -> None:
        if ahead is not None:
            self._pages_ahead[ahead.site] -= 1
            if not self._pages_ahead[ahead.site]:
                del self._pages_ahead[ahead.site]

    def is_expected(self, fingerprint: bytes) -> bool:
        """Return whether the page is sure to be downloaded, as those of start URLs are."""
        ahead = self._noted.get(fingerprint)
        return ahead is not None and ahead.is_sure

    def has_pages_ahead(self, site: str) -> bool:
        """Return whether pages of a site are to be downloaded, unless something drops their requests."""
        return site in self._pages_ahead
