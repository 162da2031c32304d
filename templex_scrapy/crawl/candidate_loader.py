"""Bringing in the candidates of a search: from the crawl where it has them, else by requests of the search's own."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.exceptions import IgnoreRequest
from scrapy.http.request import NO_CALLBACK

from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.shared_downloads import CANDIDATE_KEY, SWITCH_KEY, Arrivals, SharedDownloads
from templex_scrapy.crawl.stats import Stat, count
from templex_scrapy.page import Page, site_of
from templex_scrapy.search import SubdigraphSearch

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

LOOK_UP_INTERVAL = 0.2
"""Seconds after which a search that waits looks whether the spider closes: no signal tells."""

MAX_REDIRECTS = 3
"""Redirects that a candidate follows: one that leads round in a circle costs no more than that."""

# what belongs to one request and would mislead another
_OWN_META = frozenset(
    {
        "_auth_proxy",
        "_dont_cache",
        "_scheme_proxy",
        "cache_timestamp",
        "download_latency",
        "playwright_include_page",
        "playwright_page",
        "playwright_page_methods",
        "playwright_security_details",
        "redirect_reasons",
        "redirect_times",
        "redirect_ttl",
        "redirect_urls",
        "retry_times",
        SWITCH_KEY,
    }
)
# links that do something: followed only where the spider follows them
_ACTS = re.compile(
    r"(?:log|sign)[-_]?(?:out|off)|unsubscribe|delete|remove|add[-_]?to[-_]?(?:cart|basket)", re.IGNORECASE
)
_CONDITIONAL_HEADERS = frozenset(
    {b"if-modified-since", b"if-none-match", b"if-match", b"if-unmodified-since", b"if-range", b"range"}
)
_BODY_HEADERS = frozenset({b"content-type", b"content-length", b"content-encoding", b"transfer-encoding"})


def derive_request(url: str, model: Request, *, timeout: float, without_headers: Mapping[bytes, Any]) -> Request:
    """A request for a candidate, fetched the way another request is: same headers, cookies, proxy, browser.

    Args:
        url: the candidate.
        model: the request to go by: the spider's own for this URL, or that of the key page.
        timeout: seconds until the download is given up; a shorter one of the model holds.
        without_headers: header name in lower case → the values that the crawl's middlewares set by themselves, or None
            for any value. They will set them again, and without them both sides' requests can be compared.
    """
    meta = {key: value for key, value in model.meta.items() if key not in _OWN_META}
    own_timeout = meta.get("download_timeout")
    meta["download_timeout"] = min(timeout, own_timeout) if isinstance(own_timeout, (int, float)) else timeout
    meta["dont_retry"] = True
    meta["redirect_ttl"] = MAX_REDIRECTS
    meta[CANDIDATE_KEY] = True
    left_out = _CONDITIONAL_HEADERS | _BODY_HEADERS
    headers = {
        name: values
        for name, values in model.headers.items()
        if name.lower() not in left_out and without_headers.get(name.lower(), b"") not in (None, values)
    }
    return Request(
        url,
        callback=NO_CALLBACK,
        headers=headers,
        cookies=model.cookies,
        meta=meta,
        encoding=model.encoding,
        priority=model.priority,
        flags=model.flags,
    )


@dataclass(frozen=True)
class Candidate:
    """A candidate that could be asked for: how, and on which site it has to be."""

    request: Request
    site: str


class CandidateLoader:
    """Loads candidates through the crawl's own downloader and its middlewares, a few at a time.

    Args:
        crawler: the crawl.
        settings: the checked settings.
        traffic: the crawl's pages in flight and page memory.
    """

    def __init__(self, crawler: Crawler, settings: TemplexSettings, traffic: SharedDownloads) -> None:
        self._crawler = crawler
        self._settings = settings
        self._turns = asyncio.Semaphore(settings.concurrent_candidates)
        self._set_by_middlewares = _headers_set_by_middlewares(crawler)
        self._offsite = crawler.get_downloader_middleware(OffsiteMiddleware)
        self._tasks: set[asyncio.Task[Page | None]] = set()
        self.traffic = traffic

    @property
    def closing(self) -> bool:
        """Whether the spider is being closed, so that nothing new may be requested."""
        engine = self._crawler.engine
        # Scrapy has no public way to tell: no signal precedes the closing, needs_backout() is true of a full downloader
        slot = getattr(engine, "_slot", None)
        return not engine.running or slot is None or slot.closing is not None

    def candidate(self, url: str, site: str, model: Request) -> Candidate:
        """A candidate, to be requested the way the model is."""
        request = derive_request(
            url,
            model,
            timeout=self._settings.candidate_timeout,
            without_headers=self._set_by_middlewares,
        )
        return Candidate(request, site)

    def delay(self, request: Request) -> float:
        """Seconds between two downloads of the request's site."""
        downloader = self._crawler.engine.downloader
        slot = downloader.slots.get(downloader.get_slot_key(request))
        return slot.delay if slot is not None else self._crawler.settings.getfloat("DOWNLOAD_DELAY")

    def at_hand(self, candidate: Candidate) -> tuple[bool, Page | None]:
        """Whether it is known what the candidate brings, and the page if it is a usable one."""
        fingerprint = self.traffic.fingerprint(self.traffic.resolve(candidate.request))
        loaded = self.traffic.memory.recall(fingerprint)
        if loaded is not None:
            return True, loaded.page(candidate.site, self.traffic.parse_cache)
        return self.traffic.memory.has_failed(fingerprint), None

    def is_requested(self, candidate: Candidate) -> bool:
        """Whether the spider has requested the page too."""
        return self.traffic.is_requested(candidate.request)

    def is_expected(self, candidate: Candidate) -> bool:
        """Whether the spider downloads the page in any case, so that fetching it would mean fetching it twice."""
        return self.traffic.is_expected(candidate.request)

    def is_bringing(self, site: str) -> bool:
        """Whether the crawl is bringing in pages of a site, and is not held up by what waits for a template."""
        slot = self._crawler.engine.scraper.slot
        return self.traffic.is_bringing(site) and slot is not None and not slot.needs_backout()

    def load(self, candidate: Candidate, is_wanted: Callable[[], bool]) -> asyncio.Task[Page | None]:
        """Start bringing in the page of a candidate.

        Args:
            candidate: the candidate.
            is_wanted: asked when its turn has come; where it is False, nothing is requested.

        Returns:
            A task for the page; None if there is no usable one, whatever the reason.
        """
        task = asyncio.ensure_future(self._load(candidate, is_wanted))
        # the loop itself holds tasks weakly, and a search that ends leaves its downloads behind
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _load(self, candidate: Candidate, is_wanted: Callable[[], bool]) -> Page | None:
        if await self._wait_for_crawl(candidate):
            return self.take(candidate)
        async with self._turns:
            if await self._wait_for_crawl(candidate):
                return self.take(candidate)
            return None if self.closing or not is_wanted() else await self._request(candidate)

    async def _wait_for_crawl(self, candidate: Candidate) -> bool:
        """Wait while the crawl is downloading the page; whether it is then known what the candidate brings."""
        while not self.at_hand(candidate)[0]:
            flight = self.traffic.flight(self.traffic.resolve(candidate.request))
            if flight is None:
                return False
            await flight.wait()
        return True

    def take(self, candidate: Candidate) -> Page | None:
        """The page that the crawl has brought in for a candidate; None if it is no usable one."""
        _, page = self.at_hand(candidate)
        if page is not None:
            count(self._crawler.stats, Stat.CANDIDATES_FROM_CRAWL)
        return page

    async def _request(self, candidate: Candidate) -> Page | None:
        stats, request = self._crawler.stats, self.traffic.resolve(candidate.request)
        if not self._is_allowed(request) or (_ACTS.search(request.url) and not self.is_requested(candidate)):
            return None
        count(stats, Stat.CANDIDATES_REQUESTED)
        try:
            response = await self._crawler.engine.download_async(request)
        except IgnoreRequest as error:
            logger.debug("Candidate %s is left out: %s", request, error)
        except Exception as error:  # noqa: BLE001 - whatever a download raises, the search goes on without the page
            logger.debug("Candidate %s cannot be loaded: %r", request, error)
        else:
            final = response.request if response.request is not None else request
            _, page = self.at_hand(Candidate(final, candidate.site))
            if page is not None:
                return page
            logger.debug("Candidate %s is no usable page: %s", request, response)
        count(stats, Stat.CANDIDATES_FAILED)
        return None

    def _is_allowed(self, request: Request) -> bool:
        spider = self._crawler.spider
        return self._offsite is None or spider is None or self._offsite.should_follow(request, spider)


def _headers_set_by_middlewares(crawler: Crawler) -> dict[bytes, Any]:
    """Header name in lower case → values that the crawl's middlewares set by themselves; None: any value."""
    settings, headers = crawler.settings, Request("data:,")
    headers.headers.update({k: v for k, v in settings.getdict("DEFAULT_REQUEST_HEADERS").items() if v is not None})
    if settings["USER_AGENT"]:
        headers.headers["User-Agent"] = settings["USER_AGENT"]
    own: dict[bytes, Any] = {name.lower(): values for name, values in headers.headers.items()}
    own[b"accept-encoding"] = own[b"referer"] = own[b"proxy-authorization"] = None
    if settings.getbool("COOKIES_ENABLED"):
        own[b"cookie"] = None
    if getattr(crawler.spider, "http_user", ""):
        own[b"authorization"] = None
    return own


@dataclass(frozen=True, kw_only=True)
class SearchResult:
    """How a search ended.

    Attributes:
        pages: the largest complete subdigraph found.
        timed_out: whether the deadline ended it.
        cut_short: whether the closing of the spider ended it.
    """

    pages: tuple[Page, ...]
    timed_out: bool = False
    cut_short: bool = False


class SearchDriver:
    """Drives one search: gives it what the crawl brings, and requests what it still lacks.

    Candidates that the spider requests as well are loaded first: they are handed to it later. Those that would cost the
    site a request more are loaded only when the crawl brings no further pages of the site, or has brought many in vain.

    Args:
        search: the search.
        candidates: how each of its candidates is asked for.
        loader: brings the pages.
        seconds: time until the search takes what it has, above 0.
        patience: time after which a crawl that downloads nothing of the site is expected to bring nothing, above 0.
    """

    def __init__(
        self,
        search: SubdigraphSearch,
        candidates: Mapping[str, Candidate],
        loader: CandidateLoader,
        *,
        seconds: float,
        patience: float,
    ) -> None:
        self._search = search
        self._candidates = candidates
        self._loader = loader
        self._seconds = seconds
        self._patience = patience
        self._site = site_of(search.key.url) or ""
        self._requested = {url for url, candidate in candidates.items() if loader.is_requested(candidate)}
        self._running: dict[asyncio.Future[Page | None], str] = {}
        search.reorder(self._requested)

    async def run(self) -> SearchResult:
        """Search until the subdigraph closes, the candidates, the loads or the time run out, or the spider closes.

        While the spider closes nothing is requested or waited for: the search takes what the crawl has brought.
        """
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._seconds
        arrived = self._loader.traffic.watch(self._site)
        last_seen = loop.time()
        try:
            while not self._search.done and loop.time() < deadline:
                arrived.clear()
                self._take_what_is_there()
                if self._loader.closing:
                    break
                if self._loader.is_bringing(self._site):
                    last_seen = loop.time()
                is_patient = arrived.count < self._search.max_loads and loop.time() < last_seen + self._patience
                if not self._start_loading(is_patient=is_patient):
                    break
                await self._wait(arrived, deadline - loop.time())
        finally:
            self._loader.traffic.unwatch(self._site)
        unfinished = bool(self._search.wanted())
        return SearchResult(
            pages=self._search.pages,
            timed_out=unfinished and not self._loader.closing,
            cut_short=unfinished and self._loader.closing,
        )

    def _take_what_is_there(self) -> None:
        loading = set(self._running.values())
        for url in self._search.wanted():
            if self._search.done:
                return
            if url not in loading and self._loader.at_hand(self._candidates[url])[0]:
                self._add(url, self._loader.take(self._candidates[url]))

    def _add(self, url: str, page: Page | None) -> None:
        self._search.add(url, page)
        if page is not None:
            page.release()

    def _start_loading(self, *, is_patient: bool) -> bool:
        """Load as many candidates at a time as are sure to be needed; whether there is anything to wait for."""
        missing = self._search.size - len(self._search.pages)
        loading = set(self._running.values())
        expects = False
        for url in self._search.wanted():
            if len(self._running) >= missing:
                break
            if url in loading:
                continue
            if is_patient and (url not in self._requested or self._loader.is_expected(self._candidates[url])):
                expects = True
                continue
            self._running[self._loader.load(self._candidates[url], lambda: not self._search.done)] = url
        return expects or bool(self._running)

    async def _wait(self, arrived: Arrivals, seconds: float) -> None:
        arrival = asyncio.ensure_future(arrived.wait())
        pending: list[asyncio.Future[Any]] = [arrival, *self._running]
        try:
            await asyncio.wait(
                pending,
                timeout=min(seconds, LOOK_UP_INTERVAL),
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            arrival.cancel()
        for task in [task for task in self._running if task.done()]:
            self._add(self._running.pop(task), task.result())
