"""Cleaning pages with the templates of their site, and learning these while the crawl runs."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from scrapy import Request
from scrapy.http import TextResponse
from scrapy.utils.asyncio import run_in_thread

from templex_scrapy.candidates import Candidate, CandidateLoader, SearchDriver, SearchResult
from templex_scrapy.detectors.conex import detect_content
from templex_scrapy.downloadermiddleware import TemplexDownloaderMiddleware
from templex_scrapy.keeper import Keeper
from templex_scrapy.links import site_of
from templex_scrapy.outputs import Cleaned
from templex_scrapy.page import Page
from templex_scrapy.settings import TemplexSettings
from templex_scrapy.site import SiteLimits, Sites, SiteTemplates
from templex_scrapy.stats import Stat, count
from templex_scrapy.stores import open_store
from templex_scrapy.subdigraph import SubdigraphSearch
from templex_scrapy.template import Template
from templex_scrapy.traffic import PageTraffic, is_usable

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

THREAD_SIZE = 1_000_000
"""Characters from which pages are worked on in a thread, so that the crawl goes on meanwhile."""

FEWEST_PAGES = 2
"""Pages beside the key page without which nothing is template."""

PATIENCE = 0.5
"""Seconds, beside the download delay, after which a crawl that downloads nothing of a site brings nothing of it."""

_T = TypeVar("_T")


class Learner:
    """Knows the templates of the sites of a crawl, cleans pages with them, and learns those that are missing.

    One search for each site at a time; pages that fit no template wait for it, and then try again.

    Args:
        crawler: the crawl.
        settings: the checked settings.

    Attributes:
        sites: the sites and their templates.
    """

    def __init__(self, crawler: Crawler, settings: TemplexSettings) -> None:
        self._crawler = crawler
        self._settings = settings
        self._formats = tuple(dict.fromkeys(("html", *settings.outputs.values())))
        self._searches: dict[SiteTemplates, asyncio.Event] = {}
        self._traffic_found: PageTraffic | None = None
        self._loader_made: CandidateLoader | None = None
        # templates are shared, and a thread may be at work with one
        self._turn = asyncio.Lock()
        self._keeper = self._open_store()
        self.sites = Sites(
            settings.max_sites,
            SiteLimits(
                templates=settings.max_templates,
                searches=settings.max_searches,
                failures=settings.max_failed_searches,
            ),
        )

    def _open_store(self) -> Keeper | None:
        jobdir = self._crawler.settings["JOBDIR"]
        if self._settings.store is None and not jobdir:
            return None
        store = open_store(self._settings.store, jobdir=jobdir)
        # the longest that a search may take, and what comes before and after
        return Keeper(self._crawler, store, 2 * self._settings.search_timeout)

    async def close(self) -> None:
        """Write what the store is still to be told, and close it."""
        if self._keeper is not None:
            await self._keeper.close()

    def may_learn(self, url: str) -> bool:
        """Whether a page that fits no template may bring one by and by."""
        templates = self._use(url)
        return templates is not None and (templates.searching or not templates.given_up)

    async def clean(self, source: str, url: str) -> Cleaned | None:
        """Clean a page with the templates that are known.

        Args:
            source: the page's source.
            url: its address.

        Returns:
            The cleaned page; None if no template fits.
        """
        templates = self.sites.known(site_of(url) or "")
        if self._keeper is not None and (templates is None or not templates.is_open):
            templates = self._use(url)
            if templates is not None:
                await self._keeper.open(templates)
        if templates is None or not templates.templates:
            return None
        self.sites.use(templates.site)
        known = templates
        cleaned = await self._in_turn(len(source), lambda: self._clean(known, source, url))
        if self._keeper is not None and cleaned is not None:
            await self._keeper.used(known)
        return cleaned

    def _clean(self, templates: SiteTemplates, source: str, url: str) -> Cleaned | None:
        match = templates.fit(Page(source, url), self._settings.preserve)
        return None if match is None else Cleaned.from_match(source, match, self._formats)

    async def learn_and_clean(self, response: TextResponse, requests: Mapping[bytes, Request]) -> Cleaned | None:
        """Clean a response's page, after a search for its template if none of its kind is known.

        Args:
            response: the response.
            requests: the requests that its callback has made, by fingerprint.

        Returns:
            The cleaned page; None if no template fits in the end.
        """
        templates = self._use(response.url)
        waited = False
        while templates is not None:
            cleaned = await self.clean(response.text, response.url)
            search = self._searches.get(templates)
            settled = cleaned is not None and cleaned.same_kind
            if settled or (search is None and not self._may_search(templates, response)):
                return cleaned
            if search is None:
                if not await self._search(templates, response, requests):
                    continue
                return await self.clean(response.text, response.url)
            if not waited:
                count(self._crawler.stats, Stat.PAGES_WAITED)
                waited = True
            # nothing but the response itself is kept meanwhile: its tree would weigh ten times the page
            await search.wait()
        return None

    def _use(self, url: str) -> SiteTemplates | None:
        site = site_of(url)
        if site is None:
            return None
        forgotten = self.sites.forgotten
        templates = self.sites.use(site)
        if self.sites.forgotten > forgotten:
            count(self._crawler.stats, Stat.SITES_FORGOTTEN, self.sites.forgotten - forgotten)
        return templates

    def _may_search(self, templates: SiteTemplates, response: TextResponse) -> bool:
        return not templates.given_up and is_usable(response) and not self._loader.closing

    async def _search(
        self, templates: SiteTemplates, response: TextResponse, requests: Mapping[bytes, Request]
    ) -> bool:
        """Search for a template, unless another worker has brought one meanwhile; whether it was searched."""
        ended = self._searches[templates] = asyncio.Event()
        try:
            if self._keeper is None:
                await self._search_here(templates, response, requests)
                return True
            if await self._keeper.learnt_elsewhere(templates, lambda: self._loader.closing):
                count(self._crawler.stats, Stat.SEARCHES_ELSEWHERE)
                return False
            try:
                await self._search_here(templates, response, requests)
            finally:
                await self._keeper.release(templates)
            return True
        finally:
            del self._searches[templates]
            ended.set()

    async def _search_here(
        self, templates: SiteTemplates, response: TextResponse, requests: Mapping[bytes, Request]
    ) -> None:
        stats = self._crawler.stats
        templates.begin_search()
        count(stats, Stat.SEARCHES)
        try:
            template = await self._look_for_template(response, requests)
            if template is not None:
                count(stats, Stat.SEARCHES_LEARNT)
                if templates.learn(template) is not None:
                    count(stats, Stat.TEMPLATES_FORGOTTEN)
                if self._keeper is not None:
                    await self._keeper.save(templates, template)
        finally:
            if templates.searching:
                templates.fail()
                count(stats, Stat.SEARCHES_FAILED)
            if templates.given_up:
                count(stats, Stat.SITES_GIVEN_UP)
                logger.info("%s: no further search after %d", templates.site, templates.searches)

    async def _look_for_template(self, response: TextResponse, requests: Mapping[bytes, Request]) -> Template | None:
        settings, loader = self._settings, self._loader
        key = Page.from_response(response)
        search = await self._in_turn(
            len(key.text), lambda: SubdigraphSearch(key, size=settings.cs_size, max_loads=settings.max_loads)
        )
        key.release()
        model = response.request or Request(response.url)
        delay = loader.delay(model)
        # the candidates queue up in the downloader behind the requests of the spider
        ahead = settings.max_loads + self._crawler.settings.getint("CONCURRENT_REQUESTS")
        driver = SearchDriver(
            search,
            {url: self._candidate(url, requests, model) for url in search.candidates},
            loader,
            seconds=settings.search_timeout + delay * ahead,
            patience=PATIENCE + 4 * delay,
        )
        result = await driver.run()
        self._report(search, result)
        if not result.pages:
            return None
        size = len(key.text) + sum(len(page.text) for page in result.pages)
        return await self._in_turn(size, lambda: self._template(key, result.pages))

    def _candidate(self, url: str, requests: Mapping[bytes, Request], key: Request) -> Candidate:
        own = requests.get(self.traffic.fingerprint(Request(url)))
        site = site_of(url) or ""
        return self._loader.candidate(url, site, key) if own is None else self._loader.candidate(own.url, site, own)

    def _template(self, key: Page, pages: tuple[Page, ...]) -> Template | None:
        content = detect_content(key) if self._settings.method == "hybrid" else frozenset()
        template = Template.from_pages(key, pages, votes=self._settings.votes, content=content)
        # one other page proves nothing about repetition: such a template would fit pages, and keep better ones away
        if len(template.page_urls) < FEWEST_PAGES:
            return None
        return template if template.match(key, preserve=self._settings.preserve).fits else None

    def _report(self, search: SubdigraphSearch, result: SearchResult) -> None:
        stats = self._crawler.stats
        count(stats, Stat.CANDIDATES_ADDED, search.loads)
        if search.cuts:
            count(stats, Stat.SEARCHES_CLIQUE_CUT, search.cuts)
        for stat, happened in (
            (Stat.SEARCHES_TIMED_OUT, result.timed_out),
            (Stat.SEARCHES_CUT_SHORT, result.cut_short),
        ):
            if happened:
                count(stats, stat)
        logger.debug(
            "Search from %s: %d of %d pages that link each other, %d of %d candidates looked at",
            search.key.url,
            len(result.pages),
            search.size,
            search.loads,
            len(search.candidates),
        )

    async def _in_turn(self, size: int, work: Callable[[], _T]) -> _T:
        async with self._turn:
            if size >= THREAD_SIZE:
                return await run_in_thread(work)
            with _uncollected():
                return work()

    @property
    def traffic(self) -> PageTraffic:
        """What the crawl downloads.

        Raises:
            RuntimeError: if the downloader middleware is not enabled.
        """
        if self._traffic_found is None:
            middleware = self._crawler.get_downloader_middleware(TemplexDownloaderMiddleware)
            if middleware is None:
                raise RuntimeError(
                    "TemplexDownloaderMiddleware is not enabled: use ADDONS = {'templex_scrapy.Addon': 500}, which"
                    " enables all that belongs together"
                )
            self._traffic_found = middleware.traffic
        return self._traffic_found

    @property
    def _loader(self) -> CandidateLoader:
        if self._loader_made is None:
            self._loader_made = CandidateLoader(self._crawler, self._settings, self.traffic)
        return self._loader_made


@contextmanager
def _uncollected() -> Iterator[None]:
    """Hold back the garbage collector for the time of one page.

    The thousands of small objects that a page is compared by die by reference counting. They only make the collector
    start, which then walks through all that the crawl holds, in vain.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
