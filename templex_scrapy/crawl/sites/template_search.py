"""The searches for templates: candidates are loaded until some of them form a complete subdigraph."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache, partial
from math import inf
from typing import Self

from scrapy import Request

from templex_scrapy.crawl import signals
from templex_scrapy.crawl.downloads.candidate_loader import CandidateLoader
from templex_scrapy.crawl.downloads.candidate_requests import Candidate
from templex_scrapy.crawl.running_crawl import RunningCrawl
from templex_scrapy.crawl.sites.jobs import Job
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.page import Page, release, site_of, weight
from templex_scrapy.search import SubdigraphSearch

SEARCH_SECONDS = 60.0
"""Seconds until a search ends, whether complete or not; the site's download delays are added."""

PATIENCE = 0.5
"""Seconds, beside the download delay, after which a crawl that downloads nothing of a site is not waited for."""

MAX_FAILED_CANDIDATES = 6
"""Candidates in a row that are no usable pages, after which a search ends: the rest leads nowhere, too."""

MAX_ORDERED = 500
"""Candidates among which those that the spider requests come first; a page may have tens of thousands of links."""

ORDERED_AT_ONCE = 50
"""Candidates that are made in one turn of the executor, some 20 ms: each turn comes behind pages of all other sites."""


class TemplateSearch:
    """A search from a key page. The worker of the site calls :meth:`step` again and again.

    The pages that the spider requests are taken in the order of the ranking, so that the complete subdigraph does not
    depend on their order of arrival. A search that a page needs loads other candidates as well, once the crawl
    downloads nothing more of the site, or half of the time is over: each costs an additional request.

    Attributes:
        job: the key page.
        usable: candidates that were usable pages.
        is_cut: whether the deadline or the end of the crawl has ended it.
        was_needed: whether a page has waited for it, so that it could request candidates.
    """

    def __init__(
        self,
        crawl: RunningCrawl,
        loader: CandidateLoader,
        job: Job,
        request: Request,
        subdigraph: SubdigraphSearch,
        wake: Callable[[], None],
    ) -> None:
        self.job, self.subdigraph = job, subdigraph
        self._crawl, self._loader, self._wake = crawl, loader, wake
        self._site = site_of(subdigraph.key.url) or ""
        self._candidate = cache(lambda url: loader.candidate(url, subdigraph.key, request, job.requests))
        # with a DOWNLOAD_DELAY of 5 s and 16 requests of the spider in the queue, the first candidate takes 85 s
        delay = crawl.delay(request)
        ahead = subdigraph.max_loads + crawl.crawler.settings.getint("CONCURRENT_REQUESTS")
        self._seconds = min(SEARCH_SECONDS + delay * ahead, crawl.room.search_seconds)
        self._patience = PATIENCE + 4 * delay
        self.usable, self.is_cut, self.was_needed = 0, False, False
        self._running: dict[asyncio.Task[Page | None], str] = {}
        self._failures = 0
        self._has_ended = False
        self._deadline = inf  # until a page needs the search
        self._last_seen = 0.0  # when the crawl last downloaded a page of the site

    @classmethod
    async def begin(cls, crawl: RunningCrawl, loader: CandidateLoader, job: Job, wake: Callable[[], None]) -> Self:
        """Begin a search from the page of a job; ``wake`` is called when a candidate is loaded."""
        request = job.request or Request(job.page.url)
        # a candidate that links /old links the key page /new, to which /old redirects
        redirected = [*request.meta.get("redirect_urls", ()), request.url]
        key = Page(job.page.text, job.page.url, aliases=[url for url in redirected if url != job.page.url])
        crawl.count(Stat.SEARCHES)
        crawl.send(signals.search_begins, key_url=key.url)
        subdigraph = await crawl.executor.do(
            weight(key.text), lambda: SubdigraphSearch(key, crawl.settings.cs_size, crawl.settings.max_loads)
        )
        return cls(crawl, loader, job, request, subdigraph, wake)

    async def step(self, *, is_needed: bool, has_all: bool) -> bool:
        """Take the pages that are there; if a page needs the template, request others. Return whether it has ended.

        ``has_all``: whether the crawl brings no more pages of the site.
        """
        self.was_needed |= is_needed
        for task in [task for task in self._running if task.done()]:
            self._failures = self._failures + 1 if task.result() is None else 0
            await self._add(self._running.pop(task), task.result())
        await self._take_what_is_there(in_order=not is_needed)
        if self._is_done or self._crawl.is_closing:
            return self.end()
        if not is_needed:
            return False
        now = asyncio.get_running_loop().time()
        if self._deadline == inf:
            await self._order()
            self._deadline, self._last_seen = now + self._seconds, now
        # a crawl that is full of pages no longer waits for the network, but for us
        if self._loader.downloads.is_downloading(self._site) and self._crawl.pages_waiting < 1:
            self._last_seen = now
        # a crawl of /forum/ may download for hours without a page that links the key page, which is in /shop/
        is_vain = now >= min(self._deadline - self._seconds / 2, self._last_seen + self._patience)
        if now >= self._deadline or not self._start_loading(is_patient=not (has_all or is_vain)):
            return self.end()
        return False

    def end(self) -> bool:
        """End the search, whether complete or not; return True."""
        self._has_ended = True
        # more time would not help a search that has looked at all candidates
        is_late = asyncio.get_running_loop().time() >= self._deadline
        self.is_cut = bool(self.subdigraph.wanted()) and (self._crawl.is_closing or is_late)
        return True

    @property
    def _is_done(self) -> bool:
        # of a site whose links answer 403 six times, the seventh does so as well
        return self.subdigraph.done or self._failures >= MAX_FAILED_CANDIDATES

    async def _order(self) -> None:
        """Put the candidates first that the spider requests."""
        candidates: list[Candidate] = []
        urls = self.subdigraph.candidates[:MAX_ORDERED]
        for begin in range(0, len(urls), ORDERED_AT_ONCE):
            batch = urls[begin : begin + ORDERED_AT_ONCE]
            candidates += await self._crawl.executor.do(0, partial(list, map(self._candidate, batch)))
        # the spider will download /news/ anyway: if the search loads it first, the site answers no additional request
        requested = {url for url, candidate in zip(urls, candidates, strict=True) if candidate.is_requested}
        # else 60 links such as /?add-to-cart=5, which are never requested, could be all that the search looks at
        allowed = {url for url, candidate in zip(urls, candidates, strict=True) if candidate.may_request}
        self.subdigraph.reorder(requested, {*urls} - requested - allowed)

    def _not_begun(self) -> list[str]:
        loading = set(self._running.values())
        return [url for url in self.subdigraph.wanted() if url not in loading]

    async def _take_what_is_there(self, *, in_order: bool) -> None:
        for url in self._not_begun():
            candidate = self._candidate(url)
            if self._is_done:
                return
            if self._loader.is_at_hand(candidate):
                await self._add(url, self._loader.take(candidate))
            elif in_order and self._loader.is_coming(candidate):
                return

    async def _add(self, url: str, page: Page | None) -> None:
        def add() -> None:
            self.subdigraph.add(url, page)
            if page is not None:
                release(page)  # only the links are needed, and a search may look at 1,000 pages

        self.usable += page is not None
        await self._crawl.executor.do(0 if page is None else weight(page.text), add)

    def _start_loading(self, *, is_patient: bool) -> bool:
        """Load as many candidates at a time as are sure to be needed; return whether there is anything to wait for."""
        # a subdigraph of three that has two pages needs a single page: a second request would be for nothing
        missing = self.subdigraph.size - len(self.subdigraph.pages)
        # of a site that answers each request with 403, six requests at most are made
        missing = min(missing, MAX_FAILED_CANDIDATES - self._failures)
        expects = False
        for url in self._not_begun():
            if len(self._running) >= missing:
                break
            candidate = self._candidate(url)
            # a page that the spider does not request costs the site an additional request: the search waits until the
            # crawl brings no more pages; a page of start_urls comes in any case
            can_wait = not candidate.is_requested or self._loader.is_sure(candidate)
            if is_patient and (can_wait or not candidate.may_request):
                expects = True
            elif candidate.may_request:
                load = self._loader.load(candidate, lambda: not (self._has_ended or self._is_done))
                task = asyncio.ensure_future(load)
                task.add_done_callback(lambda _: self._wake())
                self._running[task] = url
        return expects or bool(self._running)
