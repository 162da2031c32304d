"""Downloads that spider and searches share, so that no page is fetched twice.

Each request of the crawl passes :meth:`SharedDownloads.join` on the way to the downloader. A request of the spider
receives the page that a search has downloaded, once. A request of a search receives the page that the spider has
downloaded or is downloading.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from weakref import WeakSet

from cachetools import LRUCache
from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from templex_scrapy.crawl.downloads.page_memory import MAX_REMEMBERED, DownloadedPage, PageMemory, is_usable
from templex_scrapy.crawl.downloads.spider_requests import SpiderRequests
from templex_scrapy.page import ParseCache, site_of

CANDIDATE_KEY = "templex_candidate"
"""The ``meta`` key that marks the requests of searches."""

SWITCH_KEY = "templex"
"""The ``meta`` key with which a request switches the plug-in off: ``meta={"templex": False}``."""

# meta keys that decide, next to headers and cookies, how a page is fetched
_FETCH_META = frozenset("proxy dont_merge_cookies bindaddress impersonate splash crawlera selenium".split())
_FETCH_META_PREFIXES = ("playwright", "zyte_api")
# answers that the spider's own request would receive as well; it must see, and may retry, all others itself
_HANDED_OVER = frozenset({200, 404, 410})
_MAX_REDIRECTS = 5


def is_candidate(request: Request) -> bool:
    """Return whether a request belongs to a search."""
    return CANDIDATE_KEY in request.meta


def is_switched_off(request: Request | None) -> bool:
    """Return whether a request switches the plug-in off."""
    return request is not None and request.meta.get(SWITCH_KEY) is False


def _fetch_options(request: Request) -> tuple[Any, ...]:
    """Return how a request is fetched, for comparison: a page may differ when it is fetched in another way."""
    # search and spider may come from different pages; which link led to a page does not change it
    headers = {name: values for name, values in request.headers.items() if name.lower() != b"referer"}
    meta = {
        key: value
        for key, value in request.meta.items()
        if key in _FETCH_META or str(key).startswith(_FETCH_META_PREFIXES)
    }
    return headers, meta


@dataclass(eq=False, kw_only=True)
class _Download:
    """A download under way."""

    candidate: bool
    fetch_options: tuple[Any, ...]
    site: str | None
    done: asyncio.Event = field(default_factory=asyncio.Event)


class Arrivals(asyncio.Event):
    """An event that is set whenever a page of a site arrives; ``count`` is the number of pages."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def set(self) -> None:
        """Count a page."""
        self.count += 1
        super().set()


class SharedDownloads:
    """The downloads that spider and searches share, under way and done.

    A page is not shared with the spider if the request would send cookies (``sends_cookies``).
    """

    def __init__(
        self,
        fingerprint: Callable[[Request], bytes],
        max_bytes: int,
        parse_cache: ParseCache,
        sends_cookies: Callable[[Request], bool],
    ) -> None:
        self.fingerprint = fingerprint
        self.sends_cookies = sends_cookies
        self.memory = PageMemory(max_bytes)
        self.parse_cache = parse_cache
        self._downloads: dict[bytes, _Download] = {}
        self._redirects: LRUCache[bytes, str] = LRUCache(MAX_REMEMBERED)
        self.requests = SpiderRequests()
        self._dropped: WeakSet[Request] = WeakSet()
        self._arrivals: dict[str, Arrivals] = {}

    def watch(self, site: str) -> Arrivals:
        """Return the pages of a site that arrive until :meth:`unwatch`."""
        return self._arrivals.setdefault(site, Arrivals())

    def unwatch(self, site: str) -> None:
        """End :meth:`watch`."""
        self._arrivals.pop(site, None)

    def note(self, request: Request) -> bytes:
        """Note a request of the spider on the way to the scheduler; return the fingerprint."""
        fingerprint = self.fingerprint(request)
        self.requests.note(fingerprint, request)
        return fingerprint

    def drop(self, request: Request) -> None:
        """Note that a request of the spider was dropped before it reached the downloader."""
        self._dropped.add(request)
        self.requests.drop(self.fingerprint(request))

    def is_requested(self, request: Request) -> bool:
        """Return whether the spider has made the same request."""
        return self.fingerprint(request) in self.requests

    def is_sure(self, request: Request) -> bool:
        """Return whether the spider will download the page in any case, as it does with start URLs."""
        return self.requests.is_sure(self.fingerprint(request))

    def is_coming(self, request: Request) -> bool:
        """Return whether the spider is to receive the page, as far as the requests tell."""
        return self.requests.is_coming(self.fingerprint(self.resolve(request)))

    def resolve(self, request: Request) -> Request:
        """Return the request with the URL that it is known to redirect to, if it is."""
        for _ in range(_MAX_REDIRECTS):
            url = self._redirects.get(self.fingerprint(request))
            if url is None:
                break
            request = request.replace(url=url)
        return request

    def download_of(self, request: Request) -> asyncio.Event | None:
        """Return the event that ends the download of this page; None if it is not being downloaded."""
        download = self._downloads.get(self.fingerprint(request))
        return None if download is None else download.done

    def is_downloading(self, site: str) -> bool:
        """Return whether the spider is downloading pages of a site."""
        return any(download.site == site and not download.candidate for download in self._downloads.values())

    async def join(self, request: Request) -> Response | None:
        """Answer a request from the other side's download, or watch the download of the request.

        Must run in the task of the request's whole download, as downloader middlewares do.

        Returns:
            A response of the other side for this request; None if the request is to be downloaded.

        Raises:
            IgnoreRequest: if a search requests a page that the spider could not get.
        """
        fingerprint = self.fingerprint(request)
        task = asyncio.current_task()
        if task is not None and not is_candidate(request):
            if request.callback is not NO_CALLBACK:
                self.requests.meet(fingerprint)
            self.requests.start(fingerprint)
            # if another middleware retries, redirects or raises, our process_response is not called; every task ends
            task.add_done_callback(partial(self._leave, fingerprint))
        # the answer to a form belongs to the sender
        if request.method != "GET" or request.body:
            return None
        own = _Download(
            candidate=is_candidate(request),
            fetch_options=(*_fetch_options(request), self.sends_cookies(request)),
            site=site_of(request.url),
        )
        # neither side waits for downloads of the same side: two searches with common candidates could wait for each
        # other for ever
        if own.candidate:
            page = await self._page_for_search(fingerprint)
        else:
            page = await self._page_for_spider(fingerprint, request, own.fetch_options)
        if page is not None:
            return self._for_request(page, request)
        self._begin(fingerprint, request, own)
        return None

    async def _page_for_search(self, fingerprint: bytes) -> DownloadedPage | None:
        """Return the page that the crawl has downloaded for a candidate, or the spider is downloading."""
        download = self._downloads.get(fingerprint)
        if download is not None and not download.candidate:
            await download.done.wait()
        page = self.memory.recall(fingerprint)
        if page is None and self.memory.has_failed(fingerprint):
            raise IgnoreRequest("the spider has got no usable page there")
        return page

    async def _page_for_spider(
        self, fingerprint: bytes, request: Request, options: tuple[Any, ...]
    ) -> DownloadedPage | None:
        """Return the page that a search has downloaded, or is downloading, for a request of the spider."""
        *_, sends_cookies = options
        # with dont_filter a spider wants the page as it is now, such as a ticker that it requests every minute
        if request.dont_filter or sends_cookies:
            return None
        download = self._downloads.get(fingerprint)
        if download is not None and download.candidate and download.fetch_options == options:
            await download.done.wait()
        page = self.memory.recall(fingerprint)
        # a page that a browser has rendered for the search does not serve a spider without a browser
        return None if page is None or page.fetch_options != options else self.memory.release(fingerprint)

    def _for_request(self, page: DownloadedPage, request: Request) -> Response:
        if page.latency is not None:
            request.meta.setdefault("download_latency", page.latency)
        response = page.response
        # else the cookie middleware would put the session of a candidate into the spider's jar, or the other way round
        response.headers.pop("Set-Cookie", None)
        return response.replace(request=request)

    def _begin(self, fingerprint: bytes, request: Request, download: _Download) -> None:
        task = asyncio.current_task()
        if task is None or fingerprint in self._downloads:
            return
        self._downloads[fingerprint] = download
        task.add_done_callback(partial(self._end, fingerprint, request, download))

    def _leave(self, fingerprint: bytes, task: asyncio.Task[Any]) -> None:
        """Note how a download of the spider has ended. A response goes to a callback, which ends the request."""
        result = None if task.cancelled() or task.exception() is not None else task.result()
        # robots.txt and the pictures of pipelines reach no callback; the scheduler may have dropped the request by now
        is_spiders = self.requests.is_coming(fingerprint)
        if isinstance(result, Request) and is_spiders and result not in self._dropped:
            self.note(result)
        if not isinstance(result, Response):
            self.requests.end(fingerprint, leads_to=[result.url] if isinstance(result, Request) else [])

    def arrive(self, request: Request, response: Response) -> None:
        """End a download whose response is there, although the request is still under way."""
        fingerprint = self.fingerprint(request)
        download = self._downloads.pop(fingerprint, None)
        if download is not None:
            self._keep(fingerprint, request, download, response)
            download.done.set()

    def _end(self, fingerprint: bytes, request: Request, download: _Download, task: asyncio.Task[Any]) -> None:
        try:
            if self._downloads.get(fingerprint) is not download:
                return
            del self._downloads[fingerprint]
            if task.cancelled():
                return
            result = None if task.exception() is not None else task.result()
            if isinstance(result, Response):
                self._keep(fingerprint, request, download, result)
            elif not isinstance(result, Request):
                self.memory.keep_failure(fingerprint)
            # a redirect from /old to /new is a new request, and a retry is the same request again
            elif self.fingerprint(result) != fingerprint:
                self._redirects[fingerprint] = result.url
        finally:
            download.done.set()

    def _keep(self, fingerprint: bytes, request: Request, download: _Download, response: Response) -> None:
        # of a page with status 503 the spider may want to try again itself
        if not is_usable(response) and not (download.candidate and response.status in _HANDED_OVER):
            self.memory.keep_failure(fingerprint)
            return
        page = DownloadedPage.from_response(response, request, download.fetch_options)
        # the cookie middleware would put a candidate's cookies into the spider's jar
        is_for_spider = download.candidate and "Set-Cookie" not in response.headers
        self.memory.keep(fingerprint, page, reserved=is_for_spider)
        arrivals = self._arrivals.get(site_of(response.url) or "")
        if arrivals is not None:
            arrivals.set()
