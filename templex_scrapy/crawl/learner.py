"""Cleans pages with the templates of their site, and learns the templates that are missing while the crawl runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http import TextResponse

from templex_scrapy.crawl.candidate_loader import CandidateLoader
from templex_scrapy.crawl.observer import Observers
from templex_scrapy.crawl.shared_downloads import SharedDownloads, is_usable
from templex_scrapy.crawl.site import SiteTemplates
from templex_scrapy.crawl.sites import Sites
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.crawl.template_search import SEARCH_SECONDS, SearchResult, TemplateSearch
from templex_scrapy.crawl.workload import Worker, is_too_large, weight
from templex_scrapy.page import Page, site_of
from templex_scrapy.render import CleanPage, find_part
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.template import FEWEST_PAGES, Match, Template, TemplateSet, template_from_subdigraph

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from templex_scrapy.crawl.persistence import TemplatePersistence
    from templex_scrapy.crawl.settings import TemplexSettings

logger = logging.getLogger(__name__)

HOLD_SECONDS = 30.0
"""Seconds that a page waits at most until the template of its type has all voters."""

HOLD_ROOM = 0.5
"""Share of the room for pages that wait beyond which none waits for voters, since the crawl would soon be held up."""

LOOK_INTERVAL, LOOKS = 0.1, 3
"""Seconds after which such a page looks again; after so many looks in a row without a download it waits no longer."""

MAX_OPEN_SEARCHES = 100
"""Searches under way at a time, in all sites; further ones wait."""


@dataclass(frozen=True, slots=True)
class Unsettled:
    """What is known about a page that waits.

    Attributes:
        templates: the templates it was matched with.
        growing: the one of its type, which still lacks voters; None if none is of its type.
    """

    templates: TemplateSet
    growing: Template | None


class TemplateLearner:
    """Knows the templates of the sites of a crawl, cleans pages with them, and searches for those that are missing.

    One search for each site at a time. Pages that fit no template wait for it, and then try again.

    Args:
        crawler: the crawl.
        settings: the checked settings.
        downloads: the downloads that spider and searches share.
        persistence: where templates are stored.
        observers: receive what happens.

    Attributes:
        has_removed: whether something was removed from some page, or would have been but for ``TEMPLEX_PRESERVE``.
        unmatched: the selectors of ``TEMPLEX_PRESERVE`` that selected nothing on such pages.
    """

    def __init__(
        self,
        crawler: Crawler,
        settings: TemplexSettings,
        downloads: SharedDownloads,
        persistence: TemplatePersistence,
        observers: Observers,
    ) -> None:
        self._crawler = crawler
        self._settings = settings
        self._downloads = downloads
        self._persistence = persistence
        self._observers = observers
        self.loader = CandidateLoader(crawler, downloads)
        self.worker = Worker()
        self._searches = asyncio.Semaphore(MAX_OPEN_SEARCHES)
        self._outputs = ("html", *settings.item_outputs.values())
        self.has_removed, self.unmatched = False, set(settings.preserve)
        self.sites = Sites(settings.site_memory, settings.max_searches, persistence.drop)

    def page(self, text: str, url: str, aliases: Collection[str] = ()) -> Page:
        """Return a page that uses what was parsed of the same source before."""
        return Page(text, url, aliases=aliases, parse_cache=self._downloads.parse_cache)

    async def contains(self, response: TextResponse, fragment: str) -> bool:
        """Return whether the page of a response contains a fragment."""
        page = self.page(response.text, response.url)
        return await self.worker.do(weight(response.text), lambda: find_part(page, fragment) is not None)

    async def clean_source(self, text: str, url: str) -> CleanPage:
        """Clean a page with the known templates; nothing is learnt from it."""
        async with self._site_of(url, text) as site:
            if site is None:
                return await self.leave_unmatched(text, url)
            page = self.page(text, url)
            async with site.lock:
                return await self.worker.do(
                    weight(text) * site.page_cost,
                    lambda: self._render(site.match(page, self._settings.preserve)),
                )

    async def clean_if_known(self, response: TextResponse) -> CleanPage | Unsettled:
        """Clean a response's page with the known templates, unless it is worth waiting for others, or for voters."""
        async with self._site_of(response.url, response.text) as site:
            if site is None:
                return await self.leave_unmatched(response.text, response.url)
            return await self._clean(site, response, final=not site.may_learn, hold=True)

    async def learn_and_clean(
        self,
        response: TextResponse,
        requests: Mapping[bytes, Request],
        unsettled: Unsettled | None = None,
        *,
        hold: bool = False,
    ) -> CleanPage:
        """Clean a response's page, after a search for its template if none of its type is known.

        Args:
            response: the response.
            requests: the requests that its callback has made, by fingerprint.
            unsettled: what :meth:`clean_if_known` returned for it.
            hold: whether to wait until the template has all voters, so that the first pages are cleaned as later ones.
        """
        async with self._site_of(response.url, response.text) as site:
            if site is None:
                return await self.leave_unmatched(response.text, response.url)
            final = waited = False
            may_wait = hold or unsettled is None or unsettled.growing is None
            outcome: CleanPage | Unsettled | None = unsettled if may_wait else None
            while not isinstance(outcome, CleanPage):
                if outcome is None:
                    outcome = await self._clean(site, response, final=final, hold=hold)
                elif outcome.growing is not None:
                    await self._wait_for_voters(site, outcome.growing)
                    hold, outcome = False, None
                elif outcome.templates is not site.template_set:
                    outcome = None
                elif site.search_ended is not None:
                    if not waited:
                        self._crawler.stats.inc_value(Stat.PAGES_WAITED.value)
                        waited = True
                    await site.search_ended.wait()
                elif site.given_up or not is_usable(response) or await self._search(site, response, requests):
                    final, outcome = True, None
            return outcome

    async def _wait_for_voters(self, site: SiteTemplates, template: Template) -> None:
        """Wait while a template grows, the crawl downloads pages of the site, and there is room for those that wait."""
        loop = asyncio.get_running_loop()
        deadline, looks = loop.time() + HOLD_SECONDS, 0
        while site.grows(template) and looks < LOOKS and loop.time() < deadline:
            if self.loader.closing or self.loader.pages_waiting > HOLD_ROOM:
                break
            looks = 0 if self.loader.is_downloading(site.site) else looks + 1
            await asyncio.sleep(LOOK_INTERVAL)

    @asynccontextmanager
    async def _site_of(self, url: str, text: str) -> AsyncIterator[SiteTemplates | None]:
        """Yield what is known about a page's site, with its stored templates; None for pages that are not matched."""
        name = site_of(url)
        if is_too_large(text):
            self._crawler.stats.inc_value(Stat.PAGES_TOO_LARGE.value)
            name = None
        if name is None:
            yield None
            return
        with self.sites.in_use(name) as site:
            if not site.is_loaded:
                async with site.lock:
                    if not site.is_loaded:
                        site.add_stored(await self._persistence.load(name), began=self._persistence.began)
                        site.is_loaded = True
            yield site
        await self._persistence.save_dropped()

    async def leave_unmatched(self, text: str, url: str) -> CleanPage:
        """Return a page that no template is matched with, with its outputs."""
        match = Match(Page(text, url))
        if set(self._outputs) == {"html"} or is_too_large(text):
            return match.clean  # nothing is parsed
        return await self.worker.do(weight(text), lambda: self._render(match))

    def _render(self, match: Match) -> CleanPage:
        clean = match.clean
        self._count_cuts(sum(one.mapping.cuts for one in match.alignments))
        clean.compute(self._outputs)
        if match.preserved is not None:
            self.has_removed = True
            self.unmatched -= match.preserved
        return clean

    def _count_cuts(self, cuts: int) -> None:
        if cuts:
            self._crawler.stats.inc_value(Stat.CUTS.value, cuts)

    async def _clean(
        self, site: SiteTemplates, response: TextResponse, *, final: bool, hold: bool
    ) -> CleanPage | Unsettled:
        """Clean a page with the known templates, and let it join the voters of the one of its type.

        Args:
            site: its site.
            response: its response.
            final: whether it is not worth waiting for a template of its type.
            hold: whether it is worth waiting for the voters of that.
        """
        learnt: list[tuple[Template | None, Template]] = []  # (before, after)
        dropped: list[Template] = []
        joining = 0

        def work() -> CleanPage | Unsettled:
            nonlocal joining
            page = self.page(response.text, response.url)
            templates = site.template_set
            match = site.match(page, self._settings.preserve)
            settles = site.settles(match)
            if is_usable(response):
                if match.same_page_type:
                    joining = site.join(page)
                elif final and not settles and self._settings.max_searches:
                    template = site.learn_from_peers(page, self._settings.votes)
                    if template is not None and template.bytes <= self._settings.template_memory:
                        learnt.append((None, template))
                        dropped.extend(filter(None, [site.add(template, grows=True)]))
                        match = site.match(page, self._settings.preserve)
            if match.same_page_type and match.template is not None:
                self._persistence.used(site.site, match.template)
                if hold and site.grows(match.template):
                    return Unsettled(templates, match.template)
            return self._render(match) if final or settles else Unsettled(templates, None)

        async with site.lock:
            outcome = await self.worker.do(weight(response.text) * site.page_cost, work)
            if joining:
                votes, pages_weight = self._settings.votes, weight(response.text) * joining
                learnt.append(await self.worker.do(pages_weight, lambda: site.grow(votes), at_once=True))
        await self._announce(site, learnt, dropped)
        return outcome

    async def _announce(
        self, site: SiteTemplates, learnt: list[tuple[Template | None, Template]], dropped: list[Template]
    ) -> None:
        for before, after in learnt:
            if before is None:
                self._crawler.stats.inc_value(Stat.TEMPLATES_FROM_PEERS.value)
                self._observers.notify(lambda o, new=after: o.template_learnt(new))  # type: ignore[misc]
            else:
                self._crawler.stats.inc_value(Stat.TEMPLATES_GROWN.value)
                self._observers.notify(lambda o, old=before, new=after: o.template_grown(old, new))  # type: ignore[misc]
            await self._persistence.save(site.site, after)
        self._notify_dropped(dropped)

    def _notify_dropped(self, dropped: list[Template]) -> None:
        for template in dropped:
            self._observers.notify(lambda o, old=template: o.template_dropped(old))  # type: ignore[misc]

    async def _search(self, site: SiteTemplates, response: TextResponse, requests: Mapping[bytes, Request]) -> bool:
        """Search for a template; False if another worker has learnt one meanwhile."""
        site.begin_search()
        template, was_needed = None, False
        try:
            async with self._turn_to_search(site, response) as is_ours:
                if is_ours and not await self._add_changed(site):
                    was_needed = True
                    template = await self._search_from(site, response, requests)
                    if template is not None:
                        await self._persistence.save(site.site, template)  # before another worker may search
        finally:
            async with site.lock:
                dropped = site.end_search(template, was_needed=was_needed)
            self._notify_dropped([dropped] if dropped is not None else [])
            if site.given_up:
                self._crawler.stats.inc_value(Stat.SITES_GIVEN_UP.value)
                logger.info("%s: no further search after %d", site.site, site.searches)
        return was_needed

    @asynccontextmanager
    async def _turn_to_search(self, site: SiteTemplates, response: TextResponse) -> AsyncIterator[bool]:
        """Wait until it is this worker's turn to search on a site; False if another one has brought a template."""
        loop = asyncio.get_running_loop()
        # another worker may take as long as this one would, and wait for its store
        deadline = loop.time() + 2 * self._search_seconds(response)
        while True:
            async with self._persistence.lease(site.site) as is_ours:
                if is_ours or loop.time() >= deadline or self.loader.closing:
                    async with self._searches:
                        yield True
                    return
            patience = deadline - loop.time()
            if await self._persistence.wait_for_other(site.site, patience, lambda: self.loader.closing):
                await self._add_changed(site)
                yield False
                return

    async def _add_changed(self, site: SiteTemplates) -> bool:
        """Add what other workers have stored of a site since it was loaded; whether there is something new."""
        stored = await self._persistence.load_changed(site.site)
        async with site.lock:
            return stored is not None and site.add_stored(stored, began=self._persistence.began) > 0

    def _search_seconds(self, response: TextResponse) -> float:
        """Return the seconds until a search from a page ends with what it has."""
        # candidates queue in the downloader behind the requests of the spider
        ahead = self._settings.max_loads + self._crawler.settings.getint("CONCURRENT_REQUESTS")
        return SEARCH_SECONDS + self.loader.delay(response.request or Request(response.url)) * ahead

    async def _search_from(
        self, site: SiteTemplates, response: TextResponse, requests: Mapping[bytes, Request]
    ) -> Template | None:
        self._crawler.stats.inc_value(Stat.SEARCHES.value)
        self._observers.notify(lambda o: o.search_begins(response.url))
        request = response.request if response.request is not None else Request(response.url)
        redirected = [*request.meta.get("redirect_urls", ()), request.url]
        key = self.page(response.text, response.url, [url for url in redirected if url != response.url])
        subdigraph = await self.worker.do(
            weight(key.text),
            lambda: SubdigraphSearch(key, self._settings.cs_size, self._settings.max_loads),
            at_once=True,
        )
        search = TemplateSearch(subdigraph, self.loader, self.worker, request, requests, self._search_seconds(response))
        result, template = SearchResult(pages=()), None
        try:
            result = await search.run()
            self._count_cuts(subdigraph.cuts)
            if result.cut_short:
                self._crawler.stats.inc_value(Stat.SEARCHES_CUT_SHORT.value)
            if len(result.pages) >= FEWEST_PAGES:
                pages = result.pages
                total = sum(weight(page.text) for page in (key, *pages))
                async with site.lock:
                    template = await self.worker.do(total, lambda: self._learn(key, pages), at_once=True)
        finally:
            ended = result, template
            self._observers.notify(lambda o: o.search_ends(subdigraph, *ended))
        if template is not None:
            learnt = template
            self._crawler.stats.inc_value(Stat.SEARCHES_LEARNT.value)
            self._observers.notify(lambda o: o.template_learnt(learnt))
        return template

    def _learn(self, key: Page, pages: tuple[Page, ...]) -> Template | None:
        template = template_from_subdigraph(key, pages, self._settings.votes)
        is_enough = len(template.page_urls) >= FEWEST_PAGES and template.bytes <= self._settings.template_memory
        if is_enough and template.match(key, preserve=self._settings.preserve).fits:
            return template
        logger.debug("Search from %s: no template, the pages are copies, or have too little in common", key.url)
        return None
