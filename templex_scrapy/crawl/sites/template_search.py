"""The searches for templates: candidates are loaded until some of them form a complete subdigraph."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from scrapy import Request

from templex_scrapy.crawl import signals
from templex_scrapy.crawl.downloads.candidate_loader import CandidateLoader
from templex_scrapy.crawl.downloads.candidate_requests import Candidate, CandidateRequests
from templex_scrapy.crawl.downloads.shared_downloads import Arrivals
from templex_scrapy.crawl.running_crawl import RunningCrawl
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.sites.site_memory import Site, Sites
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.page import Page, release, site_of, weight
from templex_scrapy.search import SubdigraphSearch

logger = logging.getLogger(__name__)

MAX_OPEN_SEARCHES = 100
"""Searches under way at a time, in all sites; further ones wait."""

SEARCH_SECONDS = 60.0
"""Seconds until a search ends with what it has; the time that the site's download delay imposes is added."""

PATIENCE = 0.5
"""Seconds, beside the download delay, after which a crawl that downloads nothing of a site is not waited for."""

MAX_FAILED_CANDIDATES = 10
"""Candidates that fail until a search ends that has loaded none: the rest of such a site's links leads nowhere, too."""

MAX_ORDERED = 500
"""Candidates among which those that the spider requests come first; a page may have tens of thousands of links."""

POLL_SECONDS = 0.2
"""Seconds between two polls for whether the spider is being closed: Scrapy sends no signal before."""


@dataclass(eq=False)
class TemplateSearches:
    """The searches of a crawl: one for each site at a time, also where several processes share a store.

    Attributes:
        longest: seconds that a search takes at most.
    """

    crawl: RunningCrawl
    settings: TemplexSettings
    loader: CandidateLoader
    sites: Sites
    longest: float

    def __post_init__(self) -> None:
        self._open = asyncio.Semaphore(MAX_OPEN_SEARCHES)
        self._candidates = CandidateRequests(self.crawl.crawler, self.loader.downloads)

    async def search(self, site: Site, key: Page, key_request: Request, requests: Mapping[bytes, Request]) -> bool:
        """Search for a template, on a site without an open search; False if another process has learnt one meanwhile.

        ``requests`` are those that the callback of the key page has made, by fingerprint.
        """
        site.search_ended, was_needed = asyncio.Event(), True
        try:
            seconds = self._seconds(key_request)
            async with site.lock:
                site.learning.begin_search()
            # twice: a process that has the turn may wait for its other searches before it begins this one
            async with self.sites.turn(site, 2 * seconds) as is_ours, self._open:
                was_needed = not await self.sites.add_changed(site) and is_ours
                if was_needed:
                    await self._run(site, key, key_request, requests, seconds)
            return was_needed
        finally:
            # without an await, which could be cancelled: other pages of the site wait for this event
            site.search_ended.set()
            site.search_ended = None
            if site.learning.is_searching:
                site.learning.cancel_search(was_needed=was_needed)
            if site.learning.budget.given_up:
                self.crawl.count(Stat.SITES_GIVEN_UP)
                logger.info("%s: no further search after %d", site.name, site.learning.budget.searches)

    def _seconds(self, key_request: Request) -> float:
        """Return the seconds until a search ends with what it has."""
        # with a DOWNLOAD_DELAY of 5 s and 16 requests of the spider in the queue, the first candidate takes 85 s
        ahead = self.settings.max_loads + self.crawl.crawler.settings.getint("CONCURRENT_REQUESTS")
        return min(SEARCH_SECONDS + self.crawl.delay(key_request) * ahead, self.longest)

    async def _run(
        self, site: Site, key: Page, key_request: Request, requests: Mapping[bytes, Request], seconds: float
    ) -> None:
        self.crawl.count(Stat.SEARCHES)
        self.crawl.send(signals.search_begins, key_url=key.url)
        subdigraph = await self.crawl.executor.do(
            weight(key.text),
            lambda: SubdigraphSearch(key, self.settings.cs_size, self.settings.max_loads),
            at_once=True,
        )
        search = TemplateSearch(
            crawl=self.crawl,
            loader=self.loader,
            subdigraph=subdigraph,
            candidate=cache(lambda url: self._candidates.candidate(url, key, key_request, requests)),
            seconds=seconds,
            patience=PATIENCE + 4 * self.crawl.delay(key_request),
        )
        cut_short = False
        try:
            cut_short = await search.run()
        except asyncio.CancelledError:
            cut_short = True
            raise
        finally:
            # also if the crawl was cancelled: the pages loaded so far may be enough for a template
            if cut_short:
                self.crawl.count(Stat.SEARCHES_CUT_SHORT)
            total = sum(weight(page.text) for page in (key, *subdigraph.pages))
            template = await self.sites.use(
                site, total, lambda: site.learning.end_search(key, subdigraph.pages, loads=search.usable), at_once=True
            )
            self.crawl.send(signals.search_ends, search=subdigraph, cut_short=cut_short, template=template)


@dataclass(eq=False, kw_only=True)
class TemplateSearch:
    """One search from a key page.

    Candidates that the spider requests as well are loaded first: the spider receives them later. Those that cost the
    site an additional request are loaded only when the crawl downloads no further pages of the site, or has downloaded
    many in vain.

    Attributes:
        candidate: returns the candidate for a link of the key page.
        seconds: seconds until the search ends with what it has.
        patience: seconds after which a crawl that downloads nothing of the site is not waited for.
        usable: candidates that were usable pages.
    """

    crawl: RunningCrawl
    loader: CandidateLoader
    subdigraph: SubdigraphSearch
    candidate: Callable[[str], Candidate]
    seconds: float
    patience: float
    _running: dict[asyncio.Future[Page | None], str] = field(default_factory=dict, init=False)
    usable: int = field(default=0, init=False)
    _failures: int = field(default=0, init=False)
    _has_ended: bool = field(default=False, init=False)

    @property
    def _site(self) -> str:
        return site_of(self.subdigraph.key.url) or ""

    async def _order(self) -> None:
        """Put the candidates first that the spider requests."""
        first = {}
        for url in self.subdigraph.candidates[:MAX_ORDERED]:
            first[url] = await self.crawl.executor.do(0, partial(self.candidate, url), at_once=True)
        # the spider will download /news/ anyway: if the search loads it first, the site answers no additional request
        requested = {url for url, candidate in first.items() if candidate.is_requested}
        # else 60 links such as /?add-to-cart=5, which are never requested, could be all that the search looks at
        barred = {url for url, one in first.items() if not one.may_request and not one.is_requested}
        self.subdigraph.reorder(requested, barred)

    async def run(self) -> bool:
        """Search until the subdigraph is complete, candidates, loads or time run out, or the spider is closed.

        Returns:
            Whether the deadline or the end of the crawl has cut it short.
        """
        await self._order()
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self.seconds
        arrivals = self.loader.downloads.watch(self._site)
        last_seen = loop.time()
        try:
            while not self._is_done and loop.time() < deadline:
                arrivals.clear()
                await self._take_what_is_there()
                if self.crawl.is_closing:
                    break
                if self.loader.is_downloading(self._site):
                    last_seen = loop.time()
                # a crawl of /forum/ may download for hours without a page that links the key page, which is in /shop/
                is_patient = arrivals.count < self.subdigraph.max_loads and loop.time() < last_seen + self.patience
                if not self._start_loading(is_patient=is_patient):
                    break
                await self._wait(arrivals, deadline - loop.time())
        finally:
            self._has_ended = True
            self.loader.downloads.unwatch(self._site)
        # a search that has looked at all candidates would have found no more with more time
        is_cut = bool(self.subdigraph.wanted()) and (self.crawl.is_closing or loop.time() >= deadline)
        logger.debug(
            "Search from %s: %d of %d pages that link each other, %d of %d candidates loaded",
            self.subdigraph.key.url,
            len(self.subdigraph.pages),
            self.subdigraph.size,
            self.subdigraph.loads,
            len(self.subdigraph.candidates),
        )
        return is_cut

    @property
    def _is_done(self) -> bool:
        # of a site whose first ten links answer 403, the eleventh does so as well
        return self.subdigraph.done or (self._failures >= MAX_FAILED_CANDIDATES and not self.usable)

    async def _take_what_is_there(self) -> None:
        loading = set(self._running.values())
        for url in self.subdigraph.wanted():
            if self._is_done:
                return
            if url not in loading and self.loader.is_at_hand(self.candidate(url)):
                await self._add(url, self.loader.take(self.candidate(url)))

    async def _add(self, url: str, page: Page | None) -> None:
        def add() -> None:
            self.subdigraph.add(url, page)
            if page is not None:
                release(page)  # only its links are needed, and a search may look at 1,000 pages

        self.usable += page is not None
        self._failures += page is None
        await self.crawl.executor.do(0 if page is None else weight(page.text), add, at_once=True)

    def _start_loading(self, *, is_patient: bool) -> bool:
        """Load as many candidates at a time as are sure to be needed; whether there is anything to wait for."""
        # of a subdigraph of three that has two pages one more is needed: a second request would be for nothing
        missing = self.subdigraph.size - len(self.subdigraph.pages)
        # of a site that answers each request with 403, ten requests at most are made
        if not self.usable:
            missing = min(missing, MAX_FAILED_CANDIDATES - self._failures)
        loading = set(self._running.values())
        expects = False
        for url in self.subdigraph.wanted():
            if len(self._running) >= missing:
                break
            if url in loading:
                continue
            candidate = self.candidate(url)
            # a page that the spider does not request costs the site an additional request: the search waits until the
            # crawl brings no more pages; one of start_urls comes in any case
            can_wait = not candidate.is_requested or self.loader.downloads.is_expected(candidate.request)
            if is_patient and (can_wait or not candidate.may_request):
                expects = True
            elif candidate.may_request:
                self._running[self.loader.load(candidate, self._is_open)] = url
        return expects or bool(self._running)

    def _is_open(self) -> bool:
        return not self._has_ended and not self._is_done

    async def _wait(self, arrivals: Arrivals, seconds: float) -> None:
        arrival = asyncio.ensure_future(arrivals.wait())
        pending: list[asyncio.Future[Any]] = [arrival, *self._running]
        try:
            await asyncio.wait(pending, timeout=min(seconds, POLL_SECONDS), return_when=asyncio.FIRST_COMPLETED)
        finally:
            arrival.cancel()
        for task in [task for task in self._running if task.done()]:
            await self._add(self._running.pop(task), task.result())
