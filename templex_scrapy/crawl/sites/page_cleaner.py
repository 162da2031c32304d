"""Cleans pages with the templates of their site, and learns the templates that are missing while the crawl runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping
from math import inf
from typing import cast

from scrapy import Request
from scrapy.http import TextResponse

from templex_scrapy.crawl.downloads.candidate_loader import CandidateLoader
from templex_scrapy.crawl.downloads.shared_downloads import SharedDownloads, is_usable
from templex_scrapy.crawl.running_crawl import RunningCrawl
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.sites.site_memory import Site, Sites
from templex_scrapy.crawl.sites.template_persistence import TemplatePersistence
from templex_scrapy.crawl.sites.template_search import TemplateSearches
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.crawl.workload import THREAD_WEIGHT
from templex_scrapy.learning import Budget, Judged, NeedsSearch, NeedsVoters, SiteLearning
from templex_scrapy.page import Page, is_too_large, site_of, weight
from templex_scrapy.render import CleanPage, find_part
from templex_scrapy.template import Match, Selectors

WAIT_SECONDS = 10.0
"""Seconds that a page waits for voters at most, so that users who try a crawl soon see items."""

WAIT_ROOM = 0.9
"""Share of ``SCRAPER_SLOT_MAX_ACTIVE_SIZE`` from which on no page waits for voters: soon Scrapy would not download."""

MAX_WAITING = 200
"""Pages of a site that wait for voters at a time: more than a sample has."""

POLL_SECONDS, POLL_ATTEMPTS = 0.1, 3
"""Seconds between two polls of a page that waits, and polls in a row without a download until it waits no longer."""


class Patience:
    """How long and how many pages may wait: extensions of Scrapy close a crawl that brings no items for long.

    Attributes:
        seconds: seconds that a page waits for voters.
        search_seconds: seconds that a search takes, and waits for that of another process.
        pages: pages of a site at a time.
    """

    def __init__(self, getint: Callable[[str], int]) -> None:
        # of a crawl that is closed after ten pages without an item, five may wait
        items, pages = getint("CLOSESPIDER_ITEMCOUNT"), getint("CLOSESPIDER_PAGECOUNT_NO_ITEM")
        self.pages = min(items or MAX_WAITING, pages // 2 if pages else MAX_WAITING)
        half = getint("CLOSESPIDER_TIMEOUT_NO_ITEM") / 2 or inf
        self.seconds, self.search_seconds = min(WAIT_SECONDS, half), half / 2


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
        downloads: SharedDownloads,
        persistence: TemplatePersistence,
    ) -> None:
        self._crawl = crawl
        self._settings = settings
        self._downloads = downloads
        self._persistence = persistence
        self.loader = CandidateLoader(crawl, downloads)
        self._outputs = ("html", *settings.item_outputs.values())
        self._selectors = Selectors(settings.preserve, settings.remove)
        self.has_removed, self.unmatched = False, {*settings.preserve, *settings.remove}
        self._patience = Patience(crawl.crawler.settings.getint)
        self.sites = Sites(crawl, persistence, self._new_learning, settings.site_memory)
        self._searches = TemplateSearches(crawl, settings, self.loader, self.sites, self._patience.search_seconds)

    def _new_learning(self, budget: Budget | None) -> SiteLearning:
        return SiteLearning(
            selectors=self._selectors,
            votes=self._settings.votes,
            max_template_bytes=self._settings.template_memory,
            budget=budget or Budget(self._settings.max_searches),
        )

    def _page(self, text: str, url: str, aliases: Collection[str] = ()) -> Page:
        """Return a page that uses what was parsed of the same source before."""
        return Page(text, url, aliases=aliases, parse_cache=self._downloads.parse_cache)

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
            return cast("CleanPage", await self._judge(site, text, url, learn=False))

    async def clean(
        self, response: TextResponse, requests: Mapping[bytes, Request], *, wait: bool, search: bool = True
    ) -> CleanPage:
        """Clean a response's page, perhaps after a search for its template.

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
            deadline = asyncio.get_running_loop().time() + self._patience.seconds
            # an error page is cleaned, as it has the frame of the site, but its text is on all error pages
            learn, has_waited = is_usable(response), False
            while True:
                if learn and (site.learning.is_complete or (not wait and site.learning.is_due())):
                    await self._learn(site, deadline)
                outcome = await self._judge(site, response.text, response.url, learn=learn, wait=wait, search=search)
                if isinstance(outcome, CleanPage):
                    # the page itself may be the third of its type, which is one that can vote with the other two
                    if learn and not outcome.fits and not wait and site.learning.is_due():
                        continue
                    return outcome
                # the page that begins the search does not wait for it: it is the search's key page
                is_first = isinstance(outcome, NeedsSearch) and site.search_ended is None
                if not has_waited and not is_first:
                    has_waited = True
                    self._crawl.count(Stat.PAGES_WAITED)
                if isinstance(outcome, NeedsVoters):
                    wait = await self._wait_for_voters(site, deadline)
                elif site.search_ended is not None:
                    await site.search_ended.wait()
                else:
                    search = not await self._search(site, response, requests)

    async def _search(self, site: Site, response: TextResponse, requests: Mapping[bytes, Request]) -> bool:
        request = response.request if response.request is not None else Request(response.url)
        # a candidate that links /old links the key page /new, to which /old redirects
        redirected = [*request.meta.get("redirect_urls", ()), request.url]
        key = self._page(response.text, response.url, [url for url in redirected if url != response.url])
        return await self._searches.search(site, key, request, requests)

    async def _wait_for_voters(self, site: Site, deadline: float) -> bool:
        """Wait until voters have arrived.

        Without them, the first pages of a type are cleaned by few votes: a banner that three of the first four pages
        have is kept on these, and removed from later pages.

        Returns:
            False if waiting is in vain: the crawl downloads nothing of the site, is being closed, or too many wait.
        """
        loop, learning = asyncio.get_running_loop(), site.learning
        rounds, polls = site.rounds, 0
        # a crawl that CLOSESPIDER_ITEMCOUNT ends after ten items should not download fifty pages that wait
        if site.waiting >= self._patience.pages:
            return False
        site.waiting += 1
        try:
            while site.rounds == rounds and not learning.is_complete:
                if self._crawl.is_closing or polls >= POLL_ATTEMPTS:
                    await self._learn(site, deadline, are_last=True)
                    return False
                if loop.time() >= deadline or self._crawl.pages_waiting > WAIT_ROOM:
                    return False
                # a spider that takes five pages brings no sixth: its items wait 0.3 seconds, not ten
                is_busy = site.search_ended is not None or self.loader.is_downloading(site.name)
                polls = 0 if is_busy else polls + 1
                await asyncio.sleep(POLL_SECONDS)
            return True
        finally:
            site.waiting -= 1

    async def _learn(self, site: Site, deadline: float, *, are_last: bool = False) -> None:
        """Let the pages that have arrived vote. One process at a time does so, with what the others have learnt."""

        def work() -> None:
            site.learning.voters_arrived(are_last=are_last)
            site.rounds += 1

        async with site.turn:
            # another page may have had them vote while this one waited for its turn
            if not site.learning.is_due(are_last=are_last):
                return
            seconds = deadline - asyncio.get_running_loop().time()
            async with self.sites.turn(site, seconds):
                await self.sites.add_changed(site)
                await self.sites.use(site, THREAD_WEIGHT, work, at_once=True)

    async def _judge(
        self, site: Site, text: str, url: str, *, learn: bool, wait: bool = False, search: bool = False
    ) -> CleanPage | NeedsVoters | NeedsSearch:
        """Compare a page with the templates, and clean it unless it should wait."""

        def work() -> tuple[Match, CleanPage] | NeedsVoters | NeedsSearch:
            verdict = site.learning.judge(self._page(text, url), learn=learn, wait=wait, search=search)
            if not isinstance(verdict, Judged):
                return verdict
            return verdict.match, self._render(verdict.match)

        outcome = await self.sites.use(site, weight(text), work)
        if not isinstance(outcome, tuple):
            return outcome
        match, clean = outcome
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
