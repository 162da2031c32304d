"""The search for a template from a key page: candidates are loaded until some form a complete subdigraph."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from scrapy import Request
from scrapy.http import TextResponse

from templex_scrapy.crawl.candidate_loader import Candidate, CandidateLoader, SearchDriver, SearchResult
from templex_scrapy.crawl.downloader_middleware import TemplexDownloaderMiddleware
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.shared_downloads import SharedDownloads
from templex_scrapy.crawl.stats import Stat, count
from templex_scrapy.page import Page, site_of
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.template import FEWEST_PAGES, Template, template_from_subdigraph

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

PATIENCE = 0.5
"""Seconds, beside the download delay, after which a crawl that downloads nothing of a site brings nothing of it."""

_T = TypeVar("_T")


class InTurn(Protocol):
    """Does work on pages, one piece at a time: in a thread where they are large."""

    def __call__(self, size: int, work: Callable[[], _T]) -> Awaitable[_T]:
        """Do a piece of work on pages of so many characters."""


@dataclass(frozen=True, slots=True)
class Found:
    """How a search ended.

    Attributes:
        search: the search.
        result: its result, with the complete subdigraph.
        template: what came of it; None if it failed.
    """

    search: SubdigraphSearch
    result: SearchResult
    template: Template | None


class Searcher:
    """Searches for templates with the means of a crawl.

    Args:
        crawler: the crawl.
        settings: the checked settings.
        in_turn: does the work on pages.
    """

    def __init__(self, crawler: Crawler, settings: TemplexSettings, in_turn: InTurn) -> None:
        self._crawler = crawler
        self._settings = settings
        self._in_turn = in_turn
        self._traffic_found: SharedDownloads | None = None
        self._loader_made: CandidateLoader | None = None

    @property
    def closing(self) -> bool:
        """Whether the crawl is being closed."""
        return self._loader.closing

    async def search(self, response: TextResponse, key: Page, requests: Mapping[bytes, Request]) -> Found:
        """Search for the template of a key page.

        Args:
            response: the key page's response.
            key: the key page; its tree is given up.
            requests: the requests that its callback has made, by fingerprint.
        """
        settings, loader = self._settings, self._loader
        search = await self._in_turn(
            len(key.text), lambda: SubdigraphSearch(key, size=settings.cs_size, max_loads=settings.max_loads)
        )
        key.release()
        model = response.request or Request(response.url)
        driver = SearchDriver(
            search,
            {url: self._candidate(url, requests, model) for url in search.candidates},
            loader,
            seconds=self.longest(response),
            patience=PATIENCE + 4 * loader.delay(model),
        )
        result = await driver.run()
        self._report(search, result)
        template = None
        if result.pages:
            size = len(key.text) + sum(len(page.text) for page in result.pages)
            template = await self._in_turn(size, lambda: self._template(key, result.pages))
        return Found(search, result, template)

    def longest(self, response: TextResponse) -> float:
        """Seconds that a search from a page with this response loads candidates, at most."""
        # they queue up in the downloader behind the requests of the spider
        ahead = self._settings.max_loads + self._crawler.settings.getint("CONCURRENT_REQUESTS")
        delay = self._loader.delay(response.request or Request(response.url))
        return self._settings.search_timeout + delay * ahead

    def _candidate(self, url: str, requests: Mapping[bytes, Request], key: Request) -> Candidate:
        own = requests.get(self.traffic.fingerprint(Request(url)))
        site = site_of(url) or ""
        return self._loader.candidate(url, site, key) if own is None else self._loader.candidate(own.url, site, own)

    def _template(self, key: Page, pages: tuple[Page, ...]) -> Template | None:
        template = template_from_subdigraph(key, pages, self._settings.votes)
        # one other page proves nothing about repetition: such a template would fit pages, and keep better ones away
        if len(template.page_urls) >= FEWEST_PAGES and template.match(key, preserve=self._settings.preserve).fits:
            return template
        logger.debug("Search from %s: no template, the pages are copies, or have too little in common", key.url)
        return None

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

    @property
    def traffic(self) -> SharedDownloads:
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
