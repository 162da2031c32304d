"""Give each page of a crawl to the worker of its site, and say whether the worker may learn from the page."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from scrapy import Request
from scrapy.http import TextResponse

from templex_scrapy.crawl.downloads.page_memory import is_usable
from templex_scrapy.crawl.sites.jobs import Job, Tools
from templex_scrapy.crawl.sites.site_memory import Sites
from templex_scrapy.crawl.sites.site_worker import SiteWorker
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.learning import Budget, Patience, SiteLearning
from templex_scrapy.page import Page, canonical, is_too_large, site_of, weight
from templex_scrapy.render import CleanPage, find_part
from templex_scrapy.template import Match


class PageCleaner:
    """Cleans the pages of a crawl: each by the worker of its site.

    Attributes:
        sites: the sites.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools, self._crawl = tools, tools.crawl
        self._parse_cache = tools.loader.downloads.parse_cache

        def new_worker(name: str, budget: Budget | None) -> SiteWorker:
            learning = SiteLearning(
                selectors=tools.selectors,
                votes=tools.settings.votes,
                max_template_bytes=tools.settings.template_memory,
                budget=budget or Budget(tools.settings.max_searches),
            )
            return SiteWorker(name, learning, tools)

        self.sites = Sites(tools.persistence, new_worker, tools.settings.site_memory)

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
        requests: Mapping[bytes, Request],
        patience: Patience,
        links: Collection[str] | None = None,
    ) -> CleanPage:
        """Clean a response's page.

        Args:
            response: the response.
            requests: the requests that the callback has made, by fingerprint.
            patience: how long the page may wait.
            links: the addresses of these in the order of the ranking; None if the callback is not through.
        """
        # an error page has the frame of the site, so it is cleaned; but all error pages have the same text
        learn = is_usable(response)
        return await self._clean(
            Job(self.page(response), patience, learn, response.request, requests, links, len(response.body))
        )

    async def _clean(self, job: Job) -> CleanPage:
        page, name = job.page, site_of(job.page.url)
        if is_too_large(page.text):
            self._crawl.count(Stat.PAGES_TOO_LARGE)
            name = None
        if name is None:
            return await self.leave_unmatched(page.text, page.url)
        site = self.sites[name]
        clean = await site.clean(job)
        self.sites.make_room(site)
        # it is read again only if it votes or is a candidate later: the pages that wait need the room
        self._parse_cache.discard(page.url, page.digest)
        await self._tools.persistence.save_dropped()
        return clean

    async def leave_unmatched(self, text: str, url: str) -> CleanPage:
        """Return a page with outputs, without a comparison with templates."""
        page = Page(text, url)
        if is_too_large(text) or (set(self._tools.outputs) == {"html"} and not self._tools.selectors.remove):
            return Match(page).clean  # nothing is parsed
        match = Match(page, selectors=self._tools.selectors)
        clean = await self._crawl.executor.do(weight(text), lambda: self._tools.render(match))
        self._tools.note(match)
        return clean

    def expect(self, url: str) -> None:
        """Note that the crawl starts at an address."""
        name = site_of(url)
        if name is not None:
            self.sites[name].learning.plan.expect(canonical(url) or url)

    def answer(self, url: str, links: Collection[str] = ()) -> None:
        """Note that an address has brought no page that counts, and the addresses that the callback requests."""
        name = site_of(url)
        if name is not None and (links or self.sites.get(url) is not None):
            self.sites[name].answer(url, links)
