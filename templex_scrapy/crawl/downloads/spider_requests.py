"""Follow each request of the spider from the callback that makes it to the callback that receives the page."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from cachetools import LRUCache
from scrapy import Request

from templex_scrapy.crawl.downloads.page_memory import MAX_REMEMBERED
from templex_scrapy.page import site_of


@dataclass(slots=True)
class _Requested:
    """A page that the spider is to receive.

    Attributes:
        request: the request.
        site: the site of the page.
        scheduled: requests for it that wait for the downloader.
        under_way: downloads and callbacks of it.
        is_sure: whether no duplicate filter can drop it.
    """

    request: Request
    site: str
    scheduled: int = 0
    under_way: int = 0
    is_sure: bool = False


class SpiderRequests:
    """The spider's requests by fingerprint, and which pages are still to come.

    Of more than :data:`MAX_REMEMBERED` requests the oldest are forgotten: nobody waits for these pages.

    Args:
        on_lost: is called with each request whose page never comes, and with the address to which it is redirected.

    Attributes:
        knows_all: whether all requests of the scheduler were noted, as far as is known.
    """

    def __init__(self, on_lost: Callable[[Request, Sequence[str]], None] = lambda *_: None) -> None:
        self.on_lost = on_lost
        self.knows_all = True
        self._made: LRUCache[bytes, bool] = LRUCache(MAX_REMEMBERED)
        self._coming: OrderedDict[bytes, _Requested] = OrderedDict()
        self._ahead: Counter[str] = Counter()
        self._under_way: Counter[str] = Counter()

    def __contains__(self, fingerprint: bytes) -> bool:
        return fingerprint in self._made or fingerprint in self._coming

    def meet(self, fingerprint: bytes) -> None:
        """Note that a request reaches the downloader: a resumed crawl and a shared queue have some of nobody here."""
        self.knows_all = self.knows_all and fingerprint in self

    def note(self, fingerprint: bytes, request: Request) -> None:
        """Note a request on its way to the scheduler."""
        self._made[fingerprint] = True
        coming = self._coming.get(fingerprint)
        if coming is None:
            coming = self._coming[fingerprint] = _Requested(request, site_of(request.url) or "")
            if len(self._coming) > MAX_REMEMBERED:
                self._forget(next(iter(self._coming)))
        coming.scheduled += 1
        coming.is_sure = coming.is_sure or request.dont_filter
        self._ahead[coming.site] += 1

    def _take(self, coming: _Requested) -> None:
        if coming.scheduled:
            coming.scheduled -= 1
            self._ahead[coming.site] -= 1
            if not self._ahead[coming.site]:
                del self._ahead[coming.site]

    def _forget(self, fingerprint: bytes) -> None:
        coming = self._coming[fingerprint]
        while coming.scheduled:
            self._take(coming)
        while coming.under_way:
            self._leave(coming)
        del self._coming[fingerprint]

    def drop(self, fingerprint: bytes) -> None:
        """Note that the duplicate filter, the scheduler or a middleware has dropped a request."""
        coming = self._coming.get(fingerprint)
        if coming is not None:
            self._take(coming)
            self._end_if_through(fingerprint, coming)

    def start(self, fingerprint: bytes, *, is_callback: bool = False) -> None:
        """Note that a request reaches the downloader, or that the page reaches the callback."""
        coming = self._coming.get(fingerprint)
        # a callback continues the work that the download has begun, unless a middleware has answered before
        if coming is not None and not (is_callback and coming.under_way):
            self._take(coming)
            coming.under_way += 1
            self._under_way[coming.site] += 1

    def end(self, fingerprint: bytes, *, is_lost: bool = True, leads_to: Sequence[str] = ()) -> None:
        """Note that a callback is through; or, if it is lost, that it never receives a page for the request."""
        coming = self._coming.get(fingerprint)
        if coming is not None and coming.under_way:
            self._leave(coming)
            self._end_if_through(fingerprint, coming, is_lost=is_lost, leads_to=leads_to)

    def _leave(self, coming: _Requested) -> None:
        if coming.under_way:
            coming.under_way -= 1
            self._under_way[coming.site] -= 1
            if not self._under_way[coming.site]:
                del self._under_way[coming.site]

    def _end_if_through(
        self, fingerprint: bytes, coming: _Requested, *, is_lost: bool = True, leads_to: Sequence[str] = ()
    ) -> None:
        if not (coming.scheduled or coming.under_way):
            del self._coming[fingerprint]
            if is_lost:
                self.on_lost(coming.request, leads_to)

    def is_sure(self, fingerprint: bytes) -> bool:
        """Return whether the page is sure to be downloaded, as those of start URLs are."""
        coming = self._coming.get(fingerprint)
        return coming is not None and coming.is_sure

    def is_coming(self, fingerprint: bytes) -> bool:
        """Return whether the spider is to receive the page."""
        return fingerprint in self._coming

    def has_ahead(self, site: str) -> bool:
        """Return whether requests for pages of a site may be scheduled."""
        return site in self._ahead or not self.knows_all

    def are_under_way(self, site: str) -> bool:
        """Return whether pages of a site are being downloaded, or are in callbacks."""
        return site in self._under_way
