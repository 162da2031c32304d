"""Cleans pages with the templates of their site, and learns the templates that are missing while the crawl runs."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import cast

from scrapy import Request
from scrapy.http import TextResponse

from templex_scrapy.crawl.downloads.candidate_loader import CandidateLoader
from templex_scrapy.crawl.downloads.page_memory import is_usable
from templex_scrapy.crawl.running_crawl import RunningCrawl
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.sites.site_memory import Site, Sites
from templex_scrapy.crawl.sites.template_persistence import TemplatePersistence
from templex_scrapy.crawl.sites.template_search import TemplateSearches
from templex_scrapy.crawl.sites.waiting_for_voters import Patience, WaitingPages
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.learning import Budget, Judged, NeedsSearch, NeedsVoters, SiteLearning
from templex_scrapy.page import Page, is_too_large, release, site_of, weight
from templex_scrapy.render import CleanPage, find_part
from templex_scrapy.template import Match, Selectors


class PageCleaner:
    """Cleans the pages of a crawl with the templates of their sites, and searches for those that are missing.

    :class:`SiteLearning` decides what is learnt, and from which pages. The cleaner locks it, works on heavy pages in
    threads, runs one search for each site at a time, and sends the signals.

    Attributes:
        has_removed: whether something was removed from some page, or would have been but for ``TEMPLEX_PRESERVE``.
        unmatched: the selectors of ``TEMPLEX_PRESERVE`` and ``TEMPLEX_REMOVE`` that selected nothing on such pages.
    """

    def __init__(
        self,
        crawl: RunningCrawl,
        settings: TemplexSettings,
        loader: CandidateLoader,
        persistence: TemplatePersistence,
    ) -> None:
        self._crawl = crawl
        self._settings = settings
        self._parse_cache = loader.downloads.parse_cache
        self._persistence = persistence
        self._outputs = ("html", *settings.item_outputs.values())
        self._selectors = Selectors(settings.preserve, settings.remove)
        self.has_removed, self.unmatched = False, {*settings.preserve, *settings.remove}
        patience = Patience(crawl.crawler.settings.getint)
        self.sites = Sites(crawl, persistence, self._new_learning, settings.site_memory)
        self._pages = WaitingPages(crawl, loader, self.sites, patience)
        self._searches = TemplateSearches(crawl, settings, loader, self.sites, patience.search_seconds)

    def _new_learning(self, budget: Budget | None) -> SiteLearning:
        return SiteLearning(
            selectors=self._selectors,
            votes=self._settings.votes,
            max_template_bytes=self._settings.template_memory,
            budget=budget or Budget(self._settings.max_searches),
        )

    def _page(self, text: str, url: str, aliases: Collection[str] = ()) -> Page:
        """Return a page that uses what was parsed of the same source before."""
        return Page(text, url, aliases=aliases, parse_cache=self._parse_cache)

    async def contains(self, response: TextResponse, fragment: str) -> bool:
        """Return whether the page of a response contains a fragment."""
        page = self._page(response.text, response.url)
        return await self._crawl.executor.do(weight(response.text), lambda: find_part(page, fragment) is not None)

    async def clean_source(self, text: str, url: str) -> CleanPage:
        """Clean a page with the known templates; nothing is learnt from it."""
        name = self._site_of(url, text)
        if name is None:
            return await self.leave_unmatched(text, url)
        async with self.sites.with_templates(name) as site:
            # a page of which nothing is learnt never waits
            return cast("CleanPage", await self._judge(site, self._page(text, url), learn=False))

    async def clean(
        self, response: TextResponse, requests: Mapping[bytes, Request], *, wait: bool, search: bool = True
    ) -> CleanPage:
        """Clean a response's page; the verdict of :class:`SiteLearning` says what it waits for until then.

        Args:
            response: the response.
            requests: the requests that its callback has made, by fingerprint.
            wait: whether to wait for voters, so that early pages are cleaned as later ones.
            search: whether to wait for a search.
        """
        name = self._site_of(response.url, response.text)
        if name is None:
            return await self.leave_unmatched(response.text, response.url)
        async with self.sites.with_templates(name) as site:
            # an error page is cleaned, as it has the frame of the site, but its text is on all error pages
            learn, deadline = is_usable(response), self._pages.deadline()
            page = self._page(response.text, response.url)
            count_once = cache(lambda: self._crawl.count(Stat.PAGES_WAITED))
            while True:
                if learn and site.learning.is_due(wait=wait):
                    await self._pages.learn(site, deadline, wait=wait)
                match await self._judge(site, page, learn=learn, wait=wait, search=search):
                    case NeedsVoters():
                        count_once()
                        wait = await self._pages.wait(site, deadline)
                    case NeedsSearch() if site.search_ended is not None:
                        count_once()
                        await site.search_ended.wait()
                    case NeedsSearch():
                        # does not count as waiting: the page is the search's key page
                        search = not await self._search(site, response, requests)
                    # else it is judged again: it may be the third of its type, which can vote with the other two
                    case CleanPage() as clean if clean.fits or wait or not (learn and site.learning.is_due()):
                        return clean

    async def _search(self, site: Site, response: TextResponse, requests: Mapping[bytes, Request]) -> bool:
        request = response.request if response.request is not None else Request(response.url)
        # a candidate that links /old links the key page /new, to which /old redirects
        redirected = [*request.meta.get("redirect_urls", ()), request.url]
        key = self._page(response.text, response.url, [url for url in redirected if url != response.url])
        return await self._searches.search(site, key, request, requests)

    async def _judge(
        self, site: Site, page: Page, *, learn: bool, wait: bool = False, search: bool = False
    ) -> CleanPage | NeedsVoters | NeedsSearch:
        """Compare a page with the templates, and clean it unless it should wait."""

        def work() -> tuple[Match, CleanPage] | NeedsVoters | NeedsSearch:
            verdict = site.learning.judge(page, learn=learn, wait=wait, search=search)
            if not isinstance(verdict, Judged):
                release(page)
                return verdict
            return verdict.match, self._render(verdict.match)

        outcome = await self.sites.use(site, weight(page.text), work)
        if not isinstance(outcome, tuple):
            return outcome
        match, clean = outcome
        # it is read again only if it votes or is a candidate later: the pages that wait need the room
        self._parse_cache.discard(page.url, page.digest)
        # a store that is full drops the least recently used templates
        if match.template is not None:
            self._persistence.used(site.name, match.template)
        self._note(match)
        return clean

    def _site_of(self, url: str, text: str) -> str | None:
        """Return the site of a page; None if no template is matched with it."""
        if is_too_large(text):
            self._crawl.count(Stat.PAGES_TOO_LARGE)
            return None
        return site_of(url)

    async def leave_unmatched(self, text: str, url: str) -> CleanPage:
        """Return a page that no template is matched with, with its outputs."""
        page = Page(text, url)
        if is_too_large(text) or (set(self._outputs) == {"html"} and not self._selectors.remove):
            return Match(page).clean  # nothing is parsed
        match = Match(page, selectors=self._selectors)
        clean = await self._crawl.executor.do(weight(text), lambda: self._render(match))
        self._note(match)
        return clean

    def _render(self, match: Match) -> CleanPage:
        clean = match.clean
        clean.compute(self._outputs)
        return clean

    def _note(self, match: Match) -> None:
        if match.selection is not None:
            self.has_removed = True
            self.unmatched -= match.selection.matched
