"""Make and load the candidates of searches: from pages that the crawl has, else through the crawl's downloader.

Theory of operation. The engine fills the downloader with the spider's requests whenever there is room, so a candidate
would wait for the end of a long crawl. Therefore a request of the spider gives way to each candidate:

1. A candidate that is to be downloaded takes a turn, of which there are few, and joins a queue. If the downloader has
   room, the download begins at once.
2. Else the next request of the spider that reaches the downloader calls the first candidate of the queue. This request
   is suspended meanwhile: it does not count as a download, so there are no more downloads at a time than allowed.
3. When the downloader has room again, whichever download has ended, the request continues; at the latest after
   :data:`CANDIDATE_TIMEOUT`.

The downloader sends no event. So a candidate in the queue and a suspended request look at it every
:data:`ROOM_SECONDS`.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any
from weakref import WeakSet

from scrapy import Request
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.exceptions import IgnoreRequest

from templex_scrapy.crawl.downloads.acting_links import acts
from templex_scrapy.crawl.downloads.candidate_requests import (
    CANDIDATE_TIMEOUT,
    Candidate,
    derive_request,
    is_followed,
    is_nofollow,
    may_be_sent,
    shows_login,
)
from templex_scrapy.crawl.downloads.download_table import DownloadTable, Row
from templex_scrapy.crawl.running_crawl import RunningCrawl
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.page import Page, ParseCache, site_of

logger = logging.getLogger(__name__)

CONCURRENT_CANDIDATES = 8
"""Candidates downloaded at a time, in all searches, and at most half of ``CONCURRENT_REQUESTS``: they may drip in."""

ROOM_SECONDS = 0.05
"""Seconds between two looks for room in the downloader."""


class CandidateLoader:
    """Makes candidates, decides which of them may be requested, and loads them, a few at a time."""

    def __init__(self, crawl: RunningCrawl, downloads: DownloadTable, parse_cache: ParseCache) -> None:
        self._crawl = crawl
        half = crawl.crawler.settings.getint("CONCURRENT_REQUESTS") // 2
        self._turns = asyncio.Semaphore(max(1, min(CONCURRENT_CANDIDATES, half)))
        self._queue: deque[asyncio.Event] = deque()  # an event calls the candidate that waits for room
        self.downloads, self.parse_cache = downloads, parse_cache
        self._sent: WeakSet[Request] = WeakSet()

    # Scrapy makes the middlewares after the add-on, so that they are looked up at the first candidate
    @cached_property
    def _headers(self) -> dict[bytes, Any]:
        """Header name in lower case → values that the crawl's middlewares set themselves; None for any value."""
        settings, headers = self._crawl.crawler.settings, Request("data:,").headers
        headers.update({k: v for k, v in settings.getdict("DEFAULT_REQUEST_HEADERS").items() if v is not None})
        if settings["USER_AGENT"]:
            headers["User-Agent"] = settings["USER_AGENT"]
        expected: dict[bytes, Any] = {name.lower(): values for name, values in headers.items()}
        # the referer is the page that links the candidate, which may be another page for the spider
        expected[b"accept-encoding"] = expected[b"referer"] = expected[b"proxy-authorization"] = None
        if settings.getbool("COOKIES_ENABLED"):
            expected[b"cookie"] = None
        if getattr(self._crawl.crawler.spider, "http_user", ""):
            expected[b"authorization"] = None
        return expected

    def candidate(self, url: str, key: Page, key_request: Request, requests: Mapping[bytes, Request]) -> Candidate:
        """Make the candidate for a link of a key page; ``requests`` are those of the key page's callback."""
        spider_request = requests.get(self.downloads.fingerprint(Request(url)))
        # a page that the spider fetches with a browser or through a proxy must be fetched so by the search, too
        model = key_request if spider_request is None else spider_request
        requested_url = url if spider_request is None else spider_request.url
        request = derive_request(requested_url, model, key_url=key_request.url, without_headers=self._headers)
        is_requested = self.downloads.find(request).is_made
        # a candidate is a level below the key page, where the spider's own request would be dropped
        is_too_deep = 0 < self._crawl.crawler.settings.getint("DEPTH_LIMIT") <= key_request.meta.get("depth", 0)
        is_too_long = 0 < self._crawl.crawler.settings.getint("URLLENGTH_LIMIT") < len(request.url)
        # a middleware of the project may send the cookies of a login with each request, candidates included
        has_jar = type(self._crawl.crawler.get_downloader_middleware(CookiesMiddleware)) is CookiesMiddleware
        may_request = (
            (is_requested or not (is_nofollow(key, url) or acts(request.url) or is_too_deep))
            # candidates pass no spider middleware, and the offsite middleware refuses them only when they are sent
            and not is_too_long
            and is_followed(self._crawl.crawler, request)
            and not any(shows_login(shown, self._crawl.crawler, has_jar=has_jar) for shown in (key_request, model))
            and may_be_sent(request)
            # a page fetched without cookies may show "please log in", and the spider would receive that
            and not (
                is_requested and self.downloads.sends_cookies(spider_request or request.replace(meta=key_request.meta))
            )
        )
        return Candidate(request, site_of(key.url) or "", is_requested=is_requested, may_request=may_request)

    async def give_way(self) -> None:
        """Hold up a request of the spider for the first candidate of the queue, if there is one."""
        if self._queue:
            self._queue.popleft().set()
            # not for ever: the candidate may wait for a middleware that fetches a token with this very request
            deadline = asyncio.get_running_loop().time() + CANDIDATE_TIMEOUT
            with self._crawl.suspended():
                await asyncio.sleep(ROOM_SECONDS)  # the download of the candidate begins meanwhile
                while self._crawl.is_full and asyncio.get_running_loop().time() < deadline:
                    await asyncio.sleep(ROOM_SECONDS)

    async def _wait_for_room(self, is_wanted: Callable[[], bool]) -> bool:
        """Wait in the queue; return whether the candidate may still be downloaded."""
        called = asyncio.Event()
        self._queue.append(called)
        while self._crawl.is_full and is_wanted() and not called.is_set() and not self._crawl.is_closing:
            await asyncio.sleep(ROOM_SECONDS)
        if not called.is_set():
            self._queue.remove(called)
        return is_wanted() and not self._crawl.is_closing

    def note_sent(self, request: Request) -> None:
        """Note that a candidate's request has reached the downloader, kept off by no middleware and no shared page."""
        self._sent.add(request)
        self._crawl.count(Stat.CANDIDATES_REQUESTED)

    def _row(self, candidate: Candidate) -> Row:
        """Return the row of a candidate, or of the page that it is known to redirect to."""
        return self.downloads.find(self.downloads.resolve(candidate.request))

    def is_at_hand(self, candidate: Candidate) -> bool:
        """Return whether the page of a candidate is there, or is known not to come."""
        row = self._row(candidate)
        return row.has_failed or self.downloads.pages.recall(row.key) is not None

    def is_coming(self, candidate: Candidate) -> bool:
        """Return whether the spider is to receive the page of a candidate."""
        return self._row(candidate).request is not None

    def is_sure(self, candidate: Candidate) -> bool:
        """Return whether the spider is to receive the page, and no duplicate filter can drop the request."""
        request = self.downloads.find(candidate.request).request
        return request is not None and request.dont_filter

    def take(self, candidate: Candidate) -> Page | None:
        """Return the page that the crawl has downloaded for a candidate; None if it is not usable."""
        page = self._page(self.downloads.resolve(candidate.request), candidate.site)
        if page is not None:
            self._crawl.count(Stat.CANDIDATES_FROM_CRAWL)
        return page

    def _page(self, request: Request, site: str) -> Page | None:
        downloaded = self.downloads.pages.recall(self.downloads.find(request).key)
        return None if downloaded is None else downloaded.page(site, self.parse_cache)

    async def load(self, candidate: Candidate, is_wanted: Callable[[], bool]) -> Page | None:
        """Load a candidate if it is wanted when the turn comes; return None if there is no usable page."""
        while not self.is_at_hand(candidate):
            download = self._row(candidate).download
            if download is not None:
                # the spider is downloading the same /news/ just now; other candidates take their turns meanwhile
                await download.done.wait()
                continue
            async with self._turns:
                if not await self._wait_for_room(is_wanted):
                    return None
                # the spider may have requested the page while the candidate waited
                if self._row(candidate).download is None and not self.is_at_hand(candidate):
                    return await self._request(candidate)
        return self.take(candidate)

    async def _request(self, candidate: Candidate) -> Page | None:
        request = self.downloads.resolve(candidate.request)
        try:
            response = await self._crawl.crawler.engine.download_async(request)
        except IgnoreRequest as error:
            logger.debug("Candidate %s is left out: %s", request, error)
        except Exception as error:  # noqa: BLE001 - whatever a download raises, the search continues without it
            logger.debug("Candidate %s cannot be loaded: %r", request, error)
        else:
            page = self._page(response.request if response.request is not None else request, candidate.site)
            if page is not None:
                return page
            logger.debug("Candidate %s is no usable page: %s", request, response)
        # a page that robots.txt forbids was not requested, so that it has not failed either
        if request in self._sent:
            self._crawl.count(Stat.CANDIDATES_FAILED)
        return None
