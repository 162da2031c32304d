"""Loads the candidates of searches: from the crawl where it has them, else through its downloader."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from scrapy import Request
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.exceptions import IgnoreRequest

from templex_scrapy.crawl.downloads.candidate_requests import (
    CANDIDATE_TIMEOUT,
    derive_request,
    headers_of_middlewares,
    may_request,
)
from templex_scrapy.crawl.downloads.shared_downloads import SharedDownloads
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.page import Page

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

CONCURRENT_CANDIDATES = 8
"""Candidates downloaded at a time, in all searches, and at most half of ``CONCURRENT_REQUESTS``: they may drip in."""

POLL_SECONDS = 0.05
"""Seconds between two polls for room in the downloader: it sends no event."""


@dataclass(frozen=True)
class Candidate:
    """A candidate of a search: its request, and the site that its page must be on.

    Attributes:
        is_requested: whether the spider has requested the page, too.
        may_request: whether the search may request it, and not only wait for the crawl.
    """

    request: Request
    site: str
    is_requested: bool
    may_request: bool


class CandidateLoader:
    """Loads candidates, a few at a time.

    Attributes:
        downloads: the downloads that spider and searches share.
        sent: requests of candidates that have reached the downloader, kept off by no middleware and no shared page.
    """

    def __init__(self, crawler: Crawler, downloads: SharedDownloads) -> None:
        self._crawler = crawler
        self._turns = asyncio.Semaphore(
            max(1, min(CONCURRENT_CANDIDATES, crawler.settings.getint("CONCURRENT_REQUESTS") // 2))
        )
        self._tasks: set[asyncio.Task[Page | None]] = set()
        self._suspended = 0
        self._wanting: deque[asyncio.Event] = deque()
        self.downloads = downloads
        self.sent: WeakSet[Request] = WeakSet()

    @cached_property
    def _headers(self) -> dict[bytes, Any]:
        return headers_of_middlewares(self._crawler)

    @cached_property
    def _has_jar(self) -> bool:
        # a middleware of the project may send the cookies of a login with each request, candidates included
        return type(self._crawler.get_downloader_middleware(CookiesMiddleware)) is CookiesMiddleware

    @cached_property
    def _offsite(self) -> OffsiteMiddleware | None:
        return self._crawler.get_downloader_middleware(OffsiteMiddleware)

    @contextmanager
    def suspended(self) -> Iterator[None]:
        """Exclude a request from the active downloads while it waits for a search."""
        self._suspended += 1
        try:
            yield
        finally:
            self._suspended -= 1

    @property
    def _is_busy(self) -> bool:
        downloader = self._crawler.engine.downloader
        return len(downloader.active) - self._suspended >= downloader.total_concurrency

    async def _wait_for_slot(self, is_wanted: Callable[[], bool]) -> None:
        """Wait until the downloader has room.

        The engine fills the downloader whenever it has room, so a candidate would wait for the end of a long crawl. The
        next request of the spider gives way to it (:meth:`give_way`), so that there are no more downloads at a
        time than the settings allow.
        """
        given = asyncio.Event()
        self._wanting.append(given)
        try:
            while self._is_busy and is_wanted() and not (given.is_set() or self.closing):
                await asyncio.sleep(POLL_SECONDS)
        finally:
            if given in self._wanting:
                self._wanting.remove(given)

    async def give_way(self) -> None:
        """Let a waiting candidate be downloaded before a request of the spider, which then waits for room."""
        if self._wanting:
            self._wanting.popleft().set()
            deadline = asyncio.get_running_loop().time() + CANDIDATE_TIMEOUT
            with self.suspended():
                # not for ever: the candidate may wait for a middleware that fetches its token with this very request
                while asyncio.get_running_loop().time() < deadline:
                    await asyncio.sleep(POLL_SECONDS)  # the candidate begins its download meanwhile
                    if not self._is_busy:
                        break

    @property
    def closing(self) -> bool:
        """Whether the spider is being closed, so that nothing new may be requested."""
        engine = self._crawler.engine
        # Scrapy has no public way to tell: no signal precedes the closing
        slot = getattr(engine, "_slot", None)
        return not engine.running or slot is None or slot.closing is not None

    def candidate(
        self, url: str, site: str, key_request: Request, spider_request: Request | None, *, nofollow: bool
    ) -> Candidate:
        """Make a candidate; ``spider_request`` is the request that the key page's callback has made for its URL."""
        # a page that the spider fetches with a browser or through a proxy must be fetched so by the search, too
        model = key_request if spider_request is None else spider_request
        requested_url = url if spider_request is None else spider_request.url
        request = derive_request(requested_url, model, key_url=key_request.url, without_headers=self._headers)
        is_requested = self.downloads.is_requested(request)
        may = self._is_allowed(request) and may_request(
            request,
            (key_request, model),
            self._crawler,
            has_jar=self._has_jar,
            is_requested=is_requested,
            nofollow=nofollow,
        )
        if may and is_requested:
            # a page fetched without cookies may show "please log in", and the spider would receive that
            may = not self.downloads.sends_cookies(spider_request or request.replace(meta=key_request.meta))
        return Candidate(request, site, is_requested=is_requested, may_request=may)

    def _is_allowed(self, request: Request) -> bool:
        """Return whether Scrapy's middlewares on lengths and sites would let a request of the spider pass."""
        # candidates pass no spider middleware, and the offsite one refuses them only when they are sent
        spider, max_length = self._crawler.spider, self._crawler.settings.getint("URLLENGTH_LIMIT")
        if 0 < max_length < len(request.url):
            return False
        return self._offsite is None or spider is None or self._offsite.should_follow(request, spider)

    def delay(self, request: Request) -> float:
        """Return the seconds between two downloads of the request's site."""
        downloader = self._crawler.engine.downloader
        # AutoThrottle changes the delay of a slot while the crawl runs
        slot = downloader.slots.get(downloader.get_slot_key(request))
        return slot.delay if slot is not None else self._crawler.settings.getfloat("DOWNLOAD_DELAY")

    def is_at_hand(self, candidate: Candidate) -> bool:
        """Return whether it is known what the candidate's URL brings."""
        fingerprint = self.downloads.fingerprint(self.downloads.resolve(candidate.request))
        memory = self.downloads.memory
        return memory.recall(fingerprint) is not None or memory.has_failed(fingerprint)

    def _page(self, request: Request, site: str) -> Page | None:
        downloaded = self.downloads.memory.recall(self.downloads.fingerprint(request))
        return None if downloaded is None else downloaded.page(site, self.downloads.parse_cache)

    def take(self, candidate: Candidate) -> Page | None:
        """Return the page that the crawl has downloaded for a candidate; None if it is not usable."""
        page = self._page(self.downloads.resolve(candidate.request), candidate.site)
        if page is not None:
            self._crawler.stats.inc_value(Stat.CANDIDATES_FROM_CRAWL.value)
        return page

    def is_downloading(self, site: str) -> bool:
        """Return whether the crawl is downloading pages of a site, and has room for more."""
        # downloads that are full of items no longer wait for the network, but for us
        return self.downloads.is_downloading(site) and self.pages_waiting < 1

    @property
    def pages_waiting(self) -> float:
        """Size of the pages that wait for something, as a share of what Scrapy allows; at 1 it downloads no more."""
        slot = self._crawler.engine.scraper.slot
        return 1.0 if slot is None else slot.active_size / slot.max_active_size

    def load(self, candidate: Candidate, is_wanted: Callable[[], bool]) -> asyncio.Task[Page | None]:
        """Start to load a candidate. Nothing is requested if ``is_wanted`` is false when its turn has come.

        Returns:
            A task for the page; None if there is no usable page, whatever the reason.
        """
        task = asyncio.ensure_future(self._load(candidate, is_wanted))
        # the event loop has only weak references to tasks
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _load(self, candidate: Candidate, is_wanted: Callable[[], bool]) -> Page | None:
        # the spider may be downloading the same /news/ just now
        if await self._wait_for_crawl(candidate):
            return self.take(candidate)
        async with self._turns:
            await self._wait_for_slot(is_wanted)
            # the spider may have requested the page while the candidate waited
            if await self._wait_for_crawl(candidate):
                return self.take(candidate)
            return None if self.closing or not is_wanted() else await self._request(candidate)

    async def _wait_for_crawl(self, candidate: Candidate) -> bool:
        """Wait while the crawl is downloading the page; whether it is then known what the URL brings."""
        while not self.is_at_hand(candidate):
            download = self.downloads.download_of(self.downloads.resolve(candidate.request))
            if download is None:
                return False
            await download.wait()
        return True

    async def _request(self, candidate: Candidate) -> Page | None:
        request = self.downloads.resolve(candidate.request)
        try:
            response = await self._crawler.engine.download_async(request)
        except IgnoreRequest as error:
            logger.debug("Candidate %s is left out: %s", request, error)
        except Exception as error:  # noqa: BLE001 - whatever a download raises, the search continues without the page
            logger.debug("Candidate %s cannot be loaded: %r", request, error)
        else:
            page = self._page(response.request if response.request is not None else request, candidate.site)
            if page is not None:
                return page
            logger.debug("Candidate %s is no usable page: %s", request, response)
        # a page that robots.txt forbids was not requested, so that it has not failed either
        if request in self.sent:
            self._crawler.stats.inc_value(Stat.CANDIDATES_FAILED.value)
        return None
