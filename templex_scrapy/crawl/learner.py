"""Cleaning pages with the templates of their site, and learning these while the crawl runs."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

from scrapy import Request
from scrapy.http import TextResponse
from scrapy.utils.asyncio import run_in_thread

from templex_scrapy.crawl.attic import Attic
from templex_scrapy.crawl.collector import StandingObjects, uncollected
from templex_scrapy.crawl.observer import Observer
from templex_scrapy.crawl.persistence import TemplatePersistence
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.shared_downloads import SharedDownloads, is_usable
from templex_scrapy.crawl.site import UNUSED_PAGES, SiteLimits, SiteTemplates
from templex_scrapy.crawl.sites import Sites
from templex_scrapy.crawl.stats import Stat, count
from templex_scrapy.crawl.template_search import Searcher
from templex_scrapy.page import Page, site_of
from templex_scrapy.stores import StoredTemplate, open_store
from templex_scrapy.template.cleaned import Cleaned
from templex_scrapy.template.match import Match
from templex_scrapy.template.template import Template

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

THREAD_SIZE = 1_000_000
"""Characters from which pages are worked on in a thread, so that the crawl goes on meanwhile."""

_T = TypeVar("_T")


@dataclass(slots=True)
class _Lesson:
    """What a page has brought about.

    Attributes:
        cleaned: the page after cleaning; None if no template fits, or none of its kind does and it may wait for one.
        learnt: a template for which pages of its kind stand in.
        grown: a template before and after pages have joined its voters.
        retired: templates that no page of the site has any more.
        revived: retired templates of which this page is.
        served: the template that spoke for the page, after it has grown.
    """

    cleaned: Cleaned | None = None
    learnt: Template | None = None
    grown: tuple[Template, Template] | None = None
    retired: list[Template] = field(default_factory=list)
    revived: list[Template] = field(default_factory=list)
    served: Template | None = None


class Learner:
    """Knows the templates of the sites of a crawl, cleans pages with them, and learns those that are missing.

    One search for each site at a time; pages that fit no template wait for it, and then try again.

    Args:
        crawler: the crawl.
        settings: the checked settings.

    Attributes:
        sites: the sites and their templates.
        observer: is told what happens.
    """

    def __init__(self, crawler: Crawler, settings: TemplexSettings) -> None:
        self.observer = Observer()
        self._crawler = crawler
        self._settings = settings
        self._formats = tuple(dict.fromkeys(("html", *settings.outputs.values())))
        self._searches: dict[SiteTemplates, asyncio.Event] = {}
        self._loads: WeakKeyDictionary[SiteTemplates, asyncio.Lock] = WeakKeyDictionary()
        self._searcher = Searcher(crawler, settings, self._in_turn)
        self._places = asyncio.Semaphore(settings.max_open_searches)
        # templates are shared, and a thread may be at work with one
        self._turn = asyncio.Lock()
        # signals hold what they call weakly
        self._standing_objects = StandingObjects()
        self._standing_objects.watch(crawler)
        self._keeper = self._open_store()
        self.sites = Sites(
            settings.max_sites,
            SiteLimits(
                templates=settings.max_templates,
                searches=settings.max_searches,
                failures=settings.max_failed_searches,
                voters=settings.max_voters,
                kept_bytes=settings.kept_memory,
            ),
            settings.site_memory,
            Attic(settings.attic_memory),
            stored=self._keeper is not None,
        )

    def _open_store(self) -> TemplatePersistence | None:
        jobdir = self._crawler.settings["JOBDIR"]
        if self._settings.store is None and not jobdir:
            return None
        store = open_store(self._settings.store, jobdir=jobdir)
        return TemplatePersistence(self._crawler.stats, store, is_shared=self._settings.store is not None)

    async def _load(self, templates: SiteTemplates) -> None:
        if self._keeper is not None and not templates.is_open:
            async with self._loads.setdefault(templates, asyncio.Lock()):
                if not templates.is_open:
                    await self._take_in(templates, await self._keeper.load(templates.site))
                    templates.is_open = True

    async def _take_in(self, templates: SiteTemplates, stored: list[StoredTemplate] | None) -> bool:
        """Whether templates came that were not known."""
        known = {template.identity for template in (*templates.templates, *templates.retired)}
        new = [one for one in stored or () if one.template.identity not in known]
        is_known = self._keeper.is_known if self._keeper is not None else None

        def adopt() -> None:
            for one in reversed(new):
                templates.is_known = templates.is_known or (is_known is not None and is_known(one))
                templates.adopt(one.template)

        await self._in_turn(0, adopt)
        return bool(new)

    async def close(self) -> None:
        """Note what is known in the end; write what the store is still to be told, and close it."""
        stats = self._crawler.stats
        for stat, value in (
            (Stat.SITES_KNOWN, len(self.sites)),
            (Stat.SITES_BYTES, self.sites.bytes),
            (Stat.SITES_BROUGHT_BACK, self.sites.brought_back),
            (Stat.SITES_LOST, self.sites.lost),
            (Stat.TEMPLATES_KNOWN, sum(len(site.templates) for site in self.sites)),
        ):
            stats.set_value(stat.value, value)
        stats.max_value(Stat.PAGES_KEPT_BYTES_MOST.value, self.traffic.memory.most_bytes)
        stats.max_value(Stat.PAGES_READ_BYTES_MOST.value, self.traffic.parse_cache.peak_bytes)
        if self._keeper is not None:
            await self._keeper.close()

    def may_learn(self, url: str) -> bool:
        """Whether a page that fits no template may bring one by and by."""
        site = site_of(url)
        templates = None if site is None else self.sites.use(site)
        return templates is not None and (templates.searching or templates.may_search)

    async def clean(self, source: str, url: str) -> Cleaned | None:
        """Clean a page with the templates that are known; nothing is learnt from it.

        Args:
            source: the page's source.
            url: its address.

        Returns:
            The cleaned page; None if no template fits.
        """
        if self._keeper is None and site_of(url) not in self.sites:
            return None
        async with self._at_hand(url) as templates:
            if templates is None or not (templates.templates or templates.retired):
                return None
            known, page = templates, Page(source, url, parse_cache=self.traffic.parse_cache)
            lesson = await self._in_turn(len(source), lambda: self._use(known, page))
            await self._note_old(lesson)
            return lesson.cleaned

    def _use(self, templates: SiteTemplates, page: Page) -> _Lesson:
        match = templates.fit(page, self._settings.preserve)
        cleaned = None if match is None else self._rendered(templates, match)
        return _Lesson(cleaned=cleaned, retired=templates.take_retired(), revived=templates.take_revived())

    def _rendered(self, templates: SiteTemplates, match: Match) -> Cleaned:
        # the template that speaks for the page has become the most recently used one
        return Cleaned.from_match(match.page.text, match, self._formats, templates.templates[0].key_url, spend=True)

    async def clean_response(self, response: TextResponse, *, final: bool) -> Cleaned | None:
        """Clean a response's page with the templates that are known, and let it join the voters of the one that serves.

        Args:
            response: the response.
            final: whether the page is not to wait for a template of its own kind. Then it may become the key page of
                one for which pages of its kind stand in.

        Returns:
            The cleaned page; None if no template fits, or if none of its kind does and it may wait for one.
        """
        async with self._at_hand(response.url) as templates:
            if templates is None or not (templates.templates or templates.retired or final):
                return None
            known, length = templates, len(response.text)
            lesson = await self._in_turn(length, lambda: self._lesson(known, response, final=final))
            await self._note(known, lesson)
            return lesson.cleaned

    @asynccontextmanager
    async def _at_hand(self, url: str) -> AsyncIterator[SiteTemplates | None]:
        """What is known about a site, from the store where there is one; it stays at hand for as long as this lasts."""
        site = site_of(url)
        if site is None:
            yield None
            return
        try:
            with self.sites.in_use(site) as templates:
                await self._load(templates)
                yield templates
        finally:
            self._note_sites()

    def _note_sites(self) -> None:
        stats = self._crawler.stats
        stats.max_value(Stat.SITES_BYTES_MOST.value, self.sites.bytes)
        if self.sites.forgotten:
            stats.set_value(Stat.SITES_FORGOTTEN.value, self.sites.forgotten)

    def _lesson(self, templates: SiteTemplates, response: TextResponse, *, final: bool) -> _Lesson:
        page = Page(response.text, response.url, parse_cache=self.traffic.parse_cache)
        lesson = _Lesson()
        match = templates.fit(page, self._settings.preserve)
        settled = match is not None and templates.settles(match)
        if is_usable(response):
            if match is not None and match.same_kind:
                lesson.grown = templates.grow(page, self._settings.votes)
            elif final and not settled and self._settings.max_searches:
                lesson.learnt = self._stand_in(templates, page)
                match = match if lesson.learnt is None else templates.fit(page, self._settings.preserve)
        lesson.retired = templates.take_retired()
        lesson.revived = templates.take_revived()
        if match is not None and (final or settled):
            lesson.cleaned = self._rendered(templates, match)
            lesson.served = templates.templates[0]
        return lesson

    def _stand_in(self, templates: SiteTemplates, page: Page) -> Template | None:
        template = templates.stand_in(page, self._settings.votes)
        if template is None and templates.is_full:
            count(self._crawler.stats, Stat.TEMPLATES_FULL)
            logger.debug("%s: no template of its kind is learnt, all are in use (TEMPLEX_MAX_TEMPLATES)", page.url)
        if template is None or self._is_too_large(template):
            return None
        self._adopted(templates.adopt(template, grows=True, key=page))
        return template

    def _is_too_large(self, template: Template) -> bool:
        stats = self._crawler.stats
        stats.max_value(Stat.TEMPLATES_BYTES_MOST.value, template.bytes)
        if template.bytes <= self._settings.template_memory:
            return False
        count(stats, Stat.TEMPLATES_TOO_LARGE)
        logger.debug("%r takes %d bytes and is not kept (TEMPLEX_TEMPLATE_MEMORY)", template, template.bytes)
        return True

    def _adopted(self, forgotten: Template | None) -> None:
        if forgotten is not None:
            count(self._crawler.stats, Stat.TEMPLATES_FORGOTTEN)
            self.observer.template_forgotten(forgotten)
            logger.debug("%r makes room for a newer one (TEMPLEX_MAX_TEMPLATES)", forgotten)

    async def _note(self, templates: SiteTemplates, lesson: _Lesson) -> None:
        """Note in stats, log and store what a page has brought about."""
        await self._note_old(lesson)
        await self._note_new(templates, lesson)
        if self._keeper is not None and lesson.served is not None:
            self._keeper.used(templates.site, lesson.served)

    async def _note_new(self, templates: SiteTemplates, lesson: _Lesson) -> None:
        stats, keeper = self._crawler.stats, self._keeper
        if lesson.learnt is not None:
            count(stats, Stat.TEMPLATES_STANDING_IN)
            self.observer.template_stands_in(lesson.learnt)
            logger.debug("%r: pages of its kind stand in for a complete subdigraph", lesson.learnt)
            if keeper is not None:
                await keeper.save(templates.site, lesson.learnt)
        if lesson.grown is not None:
            old, new = lesson.grown
            count(stats, Stat.TEMPLATES_GROWN)
            self.observer.template_grows(old, new)
            logger.debug("%r: %d pages have joined the voters", new, len(new.page_urls) - len(old.page_urls))
            if keeper is not None:
                await keeper.save(templates.site, new)

    async def _note_old(self, lesson: _Lesson) -> None:
        stats = self._crawler.stats
        for revived in lesson.revived:
            count(stats, Stat.TEMPLATES_REVIVED)
            self.observer.template_revived(revived)
            logger.debug("%r serves again", revived)
        for retired in lesson.retired:
            count(stats, Stat.TEMPLATES_RETIRED)
            self.observer.template_retired(retired)
            logger.debug("%r is retired: none of %d pages of the site had it", retired, UNUSED_PAGES)

    async def learn_and_clean(self, response: TextResponse, requests: Mapping[bytes, Request]) -> Cleaned | None:
        """Clean a response's page, after a search for its template if none of its kind is known.

        Args:
            response: the response.
            requests: the requests that its callback has made, by fingerprint.

        Returns:
            The cleaned page; None if no template fits in the end.
        """
        async with self._at_hand(response.url) as templates:
            return None if templates is None else await self._learn_and_clean(templates, response, requests)

    async def _learn_and_clean(
        self, templates: SiteTemplates, response: TextResponse, requests: Mapping[bytes, Request]
    ) -> Cleaned | None:
        waited = False
        while True:
            cleaned = await self.clean_response(response, final=False)
            if cleaned is not None:
                return cleaned
            search = self._searches.get(templates)
            if search is None:
                if self._may_search(templates, response) and not await self._search(templates, response, requests):
                    continue
                return await self.clean_response(response, final=True)
            if not waited:
                count(self._crawler.stats, Stat.PAGES_WAITED)
                waited = True
            # nothing but the response itself is kept meanwhile: its tree would weigh ten times the page
            await search.wait()

    @staticmethod
    def _may_search(templates: SiteTemplates, response: TextResponse) -> bool:
        return templates.may_search and is_usable(response)

    async def _search(
        self, templates: SiteTemplates, response: TextResponse, requests: Mapping[bytes, Request]
    ) -> bool:
        """Search for a template, unless another worker has brought one meanwhile; whether it was searched."""
        ended = self._searches[templates] = asyncio.Event()
        self._crawler.stats.max_value(Stat.SEARCHES_OPEN_MOST.value, len(self._searches))
        try:
            async with self._places:
                return await self._search_in_place(templates, response, requests)
        finally:
            del self._searches[templates]
            ended.set()

    async def _search_in_place(
        self, templates: SiteTemplates, response: TextResponse, requests: Mapping[bytes, Request]
    ) -> bool:
        if self._keeper is None:
            await self._search_here(templates, response, requests)
            return True
        # another worker may take as long as this one would, and has a store to tell and a thread to wait for
        keeper, deadline = self._keeper, time.monotonic() + 2 * self._searcher.longest(response)
        while True:
            async with keeper.lease(templates.site) as is_mine:
                if is_mine and await self._take_in(templates, await keeper.load_changed(templates.site)):
                    break
                if is_mine or self._searcher.closing or time.monotonic() > deadline:
                    await self._search_here(templates, response, requests)
                    return True
            patience = deadline - time.monotonic()
            if await keeper.wait_for_other(
                templates.site, patience, lambda: self._searcher.closing
            ) and await self._take_in(templates, await keeper.load(templates.site)):
                break
        count(self._crawler.stats, Stat.SEARCHES_ELSEWHERE)
        logger.debug("%s: another worker has learnt a template meanwhile", templates.site)
        return False

    async def _search_here(
        self, templates: SiteTemplates, response: TextResponse, requests: Mapping[bytes, Request]
    ) -> None:
        stats = self._crawler.stats
        templates.begin_search()
        count(stats, Stat.SEARCHES)
        self.observer.search_begins(response.url)
        try:
            key = Page.from_response(response, parse_cache=self.traffic.parse_cache)
            found = await self._searcher.search(response, key, requests)
            template = None if found.template is None or self._is_too_large(found.template) else found.template
            self.observer.search_ends(found.search, found.result, template, too_large=found.template is not template)
            if template is not None:
                learnt = template
                count(stats, Stat.SEARCHES_LEARNT)
                self._adopted(await self._in_turn(len(key.text), lambda: templates.learn(learnt, key)))
                if self._keeper is not None:
                    await self._keeper.save(templates.site, template)
        finally:
            if templates.searching:
                templates.fail()
                count(stats, Stat.SEARCHES_FAILED)
            if templates.given_up:
                count(stats, Stat.SITES_GIVEN_UP)
                logger.info("%s: no further search after %d", templates.site, templates.searches)

    @property
    def traffic(self) -> SharedDownloads:
        """What the crawl downloads.

        Raises:
            RuntimeError: if the downloader middleware is not enabled.
        """
        return self._searcher.traffic

    async def _in_turn(self, size: int, work: Callable[[], _T]) -> _T:
        async with self._turn:
            if size >= THREAD_SIZE:
                return await run_in_thread(work)
            with uncollected():
                return work()
