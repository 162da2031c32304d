"""Clean the pages of a crawl: each page goes to the worker of the site."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Collection, Mapping

from cachetools import LRUCache
from scrapy import Request
from scrapy.http import TextResponse

from templex_scrapy.crawl.downloads.candidate_loader import CandidateLoader
from templex_scrapy.crawl.downloads.page_memory import is_usable
from templex_scrapy.crawl.running_crawl import RunningCrawl
from templex_scrapy.crawl.sites.jobs import Job
from templex_scrapy.crawl.sites.site_worker import SiteWorker
from templex_scrapy.crawl.sites.template_persistence import TemplatePersistence
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.learning import Budget, Patience, SiteLearning
from templex_scrapy.page import Page, canonical, is_too_large, site_of, weight
from templex_scrapy.render import CleanPage, find_part
from templex_scrapy.template import Match

logger = logging.getLogger(__name__)

MAX_UNDER_WAY = 100
"""Pages of a site that are to be cleaned, beyond which the site's downloads wait until the worker pauses.

The first sample has fewer. Each page keeps some 100 kB while it waits.
"""

SITE_BYTES = 4_500
"""Bytes of a site without templates, roughly."""

MAX_BUDGETS = 100_000
"""Sites whose budgets are remembered after they were dropped."""


class PageCleaner:
    """Cleans pages, and keeps as many sites as fit into memory; the templates of the others are in the store."""

    def __init__(self, crawl: RunningCrawl, loader: CandidateLoader, persistence: TemplatePersistence) -> None:
        self._crawl, self._loader, self._persistence = crawl, loader, persistence
        self._parse_cache = loader.parse_cache
        self._nbytes = 0
        self._sites: OrderedDict[str, SiteWorker] = OrderedDict()
        self._budgets: LRUCache[str, Budget] = LRUCache(MAX_BUDGETS)

    def known_site(self, url: str) -> SiteWorker | None:
        """Return the worker of the site of a page, if it is known."""
        return self._sites.get(site_of(url) or "")

    def site(self, name: str) -> SiteWorker:
        """Return the worker of a site, new if the site is not known."""
        worker = self._sites.get(name)
        if worker is None:
            settings = self._crawl.settings
            learning = SiteLearning(
                selectors=self._crawl.selectors,
                votes=settings.votes,
                max_template_bytes=settings.template_memory,
                budget=self._budgets.pop(name, None) or Budget(settings.max_searches),
            )
            worker = self._sites[name] = SiteWorker(name, learning, self._crawl, self._loader, self._persistence)
        self._sites.move_to_end(name)
        self._make_room(worker)
        return worker

    def _make_room(self, used: SiteWorker) -> None:
        """Note how large a site is that was used; if the memory is full, drop the least recently used idle ones."""
        if self._sites.get(used.name) is not used:
            return
        before, used.nbytes = used.nbytes, used.learning.nbytes + used.learning.plan.nbytes + SITE_BYTES
        self._nbytes += used.nbytes - before
        limit = self._crawl.settings.site_memory
        # a site alone larger than the memory would have to load the templates for each page again
        for name, worker in list(self._sites.items())[:-1] if self._nbytes > limit else ():
            if self._nbytes <= limit:
                break
            if not worker.jobs and not worker.is_working:
                del self._sites[name]
                self._nbytes -= worker.nbytes
                self._persistence.drop(name, worker.learning.templates)
                # a site that has given up must not search again each time that it comes back
                self._budgets[name] = worker.learning.budget
                logger.debug("%s is dropped from memory; the templates are in the store", name)

    async def catch_up(self, url: str) -> None:
        """Wait for work on the pages of a site if many are under way, so that no more of them pile up."""
        site = self.known_site(url)
        # requests that wait while the pages of their site vote take the place of those of other sites
        if site is not None and len(site.jobs) > MAX_UNDER_WAY:
            async with site.lock:
                pass

    def page(self, response: TextResponse) -> Page:
        """Return the page of a response; the same source is parsed once."""
        return Page(response.text, response.url, parse_cache=self._parse_cache)

    async def contains(self, response: TextResponse, fragment: str) -> bool:
        """Return whether the page of a response contains a fragment."""
        page = self.page(response)
        return await self._crawl.executor.do(weight(response.text), lambda: find_part(page, fragment) is not None)

    async def clean_source(self, text: str, url: str) -> CleanPage:
        """Clean a page with the known templates; nothing is learnt from it."""
        page = Page(text, url, parse_cache=self._parse_cache)
        return await self._clean(Job(page, Patience.NONE, learn=False))

    async def clean(
        self,
        response: TextResponse,
        patience: Patience = Patience.SEARCH,
        requests: Mapping[bytes, Request] | None = None,
        links: Collection[str] | None = None,
    ) -> CleanPage:
        """Clean the page of a response; :class:`Job` tells of the arguments."""
        # an error page has the frame of the site, so it is cleaned; but all error pages have the same text
        learn, size = is_usable(response), len(response.body)
        # the same mapping: a callback that goes on fills it while the search looks for the spider's own requests
        made = {} if requests is None else requests
        return await self._clean(Job(self.page(response), patience, learn, response.request, made, links, size))

    async def _clean(self, job: Job) -> CleanPage:
        page, name = job.page, site_of(job.page.url)
        if is_too_large(page.text):
            self._crawl.count(Stat.PAGES_TOO_LARGE)
        if name is None or is_too_large(page.text):
            return await self.leave_unmatched(page.text, page.url)
        site = self.site(name)
        clean = await site.clean(job)
        self._make_room(site)
        # it is read again only if it votes or is a candidate later: the pages that wait need the room
        self._parse_cache.discard(page.url, page.digest)
        await self._persistence.save_dropped()
        return clean

    async def leave_unmatched(self, text: str, url: str) -> CleanPage:
        """Return a page with outputs, without a comparison with templates."""
        page = Page(text, url)
        if is_too_large(text) or (set(self._crawl.outputs) == {"html"} and not self._crawl.selectors.remove):
            return Match(page).clean  # nothing is parsed
        match = Match(page, selectors=self._crawl.selectors)
        return await self._crawl.executor.do(weight(text), lambda: self._crawl.render(match))

    def expect(self, url: str) -> None:
        """Note that the crawl starts at an address."""
        name = site_of(url)
        if name is not None:
            self.site(name).learning.plan.expect(canonical(url) or url)

    def answer(self, url: str, links: Collection[str] = ()) -> None:
        """Note that an address has brought no page that counts, and the addresses that the callback requests."""
        name = site_of(url)
        if name is not None and (links or name in self._sites):
            self.site(name).answer(url, links)
