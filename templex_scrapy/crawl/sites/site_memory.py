"""The sites of a crawl, as many as fit into memory; the templates of the others are in the store.

What is known of a site is changed by one task at a time, in a thread if it is much work. What was learnt is then
stored, and the signals are sent.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from cachetools import LRUCache

from templex_scrapy.crawl import signals
from templex_scrapy.crawl.running_crawl import RunningCrawl
from templex_scrapy.crawl.sites.template_persistence import TemplatePersistence
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.learning import Budget, Event, SiteLearning, TemplateBroken, TemplateDropped, TemplateGrown
from templex_scrapy.page import site_of

logger = logging.getLogger(__name__)

# more than the first sample has, which waits for voters; each page of a crawl keeps some 100 kB while it waits
MAX_UNDER_WAY = 100
"""Tasks on pages of a site, beyond which its downloads wait for one of them to be done."""

SITE_BYTES = 2_000
"""Bytes of a site without templates, roughly."""

MAX_BUDGETS = 100_000
"""Sites whose budgets are remembered after they were dropped."""

_T = TypeVar("_T")


@dataclass(eq=False, slots=True)
class Site:
    """A site of a crawl, with the name that :func:`templex_scrapy.page.site_of` gives it.

    Attributes:
        learning: what is known of it.
        lock: locks the learning, which may be used in a thread.
        voting_ended: set when the voters that have arrived have voted; None if none vote.
        search_ended: set when the open search ends; None if no search is open.
        users: tasks that use this object.
        waiting: pages that wait for voters.
        rounds: times that voters have arrived.
        is_loaded: whether the stored templates were loaded.
        nbytes: bytes in memory, roughly, when it was last used.
    """

    name: str
    learning: SiteLearning
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    voting_ended: asyncio.Event | None = None
    search_ended: asyncio.Event | None = None
    users: int = 0
    waiting: int = 0
    rounds: int = 0
    is_loaded: bool = False
    nbytes: int = 0


class Sites:
    """The sites of a crawl. When the memory is full, the least recently used ones are dropped, but none in use."""

    def __init__(
        self,
        crawl: RunningCrawl,
        persistence: TemplatePersistence,
        new_learning: Callable[[Budget | None], SiteLearning],
        max_bytes: int,
    ) -> None:
        self._crawl = crawl
        self._persistence = persistence
        self._new_learning = new_learning
        self.max_bytes = max_bytes
        self.nbytes = 0
        self._sites: OrderedDict[str, Site] = OrderedDict()
        self._budgets: LRUCache[str, Budget] = LRUCache(MAX_BUDGETS)

    def __iter__(self) -> Iterator[Site]:
        return iter(self._sites.values())

    @contextmanager
    def in_use(self, name: str) -> Iterator[Site]:
        """Yield a site, new and empty if it is not known; it is not dropped while this context lasts."""
        site = self._sites.get(name)
        if site is None:
            site = self._sites[name] = Site(name, self._new_learning(self._budgets.pop(name, None)))
        self._sites.move_to_end(name)
        site.users += 1
        try:
            yield site
        finally:
            site.users -= 1
            self._measure(site)
            self._make_room()

    def _measure(self, site: Site) -> None:
        before, site.nbytes = site.nbytes, site.learning.nbytes + SITE_BYTES
        self.nbytes += site.nbytes - before

    def _make_room(self) -> None:
        if self.nbytes <= self.max_bytes:
            return
        # a crawl of one site that is larger than the memory would load its templates for each page again
        for name, site in list(self._sites.items())[:-1]:
            if self.nbytes <= self.max_bytes:
                break
            # a page of it may wait for a search at this moment
            if not site.users:
                del self._sites[name]
                self.nbytes -= site.nbytes
                self._persistence.drop(name, site.learning.templates)
                # a site that has given up must not search again each time that it comes back
                self._budgets[name] = site.learning.budget
                logger.debug("%s is dropped from memory; its templates are in the store", name)

    @asynccontextmanager
    async def with_templates(self, name: str) -> AsyncIterator[Site]:
        """Yield a site as :meth:`in_use` does, with its stored templates."""
        with self.in_use(name) as site:
            if not site.is_loaded:
                async with site.lock:
                    # a crawl begins with many pages of a site at once, and the first one loads its templates
                    if not site.is_loaded:
                        site.learning.add_stored(one.template for one in await self._persistence.load(name))
                        site.is_loaded = True
            yield site
        await self._persistence.save_dropped()

    async def use(self, site: Site, page_weight: int, work: Callable[[], _T], *, at_once: bool = False) -> _T:
        """Do a piece of work on what is known of a site, as :meth:`PageExecutor.do` does; store what is new."""
        async with site.lock:
            result = await self._crawl.executor.do(page_weight, work, at_once=at_once)
            events = site.learning.take_events()
        await self._publish(site.name, events)
        return result

    async def catch_up(self, url: str) -> None:
        """Wait for work on the pages of a site if many are under way, so that no more of them pile up."""
        site = self._sites.get(site_of(url) or "")
        # requests that wait while the pages of their site vote take the place of those of other sites
        if site is not None and site.users > MAX_UNDER_WAY:
            async with site.lock:
                pass

    def turn(self, site: Site, seconds: float) -> AbstractAsyncContextManager[bool]:
        """Wait until it is the turn of this process to learn a site; False if another one has brought a template."""
        return self._persistence.turn(site.name, seconds)

    async def add_changed(self, site: Site) -> bool:
        """Add what other processes have stored of a site since it was loaded; whether there is something new."""
        stored = await self._persistence.load_changed(site.name)
        if stored is None:
            return False
        async with site.lock:
            return site.learning.add_stored(one.template for one in stored) > 0

    async def _publish(self, name: str, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, TemplateBroken):
                await self._persistence.set_aside(name, event.template)
            elif isinstance(event, TemplateDropped):
                self._crawl.send(signals.template_dropped, template=event.template)
            elif isinstance(event, TemplateGrown):
                self._crawl.count(Stat.TEMPLATES_GROWN)
                self._crawl.send(signals.template_grown, old=event.old, new=event.new)
                await self._persistence.replace(name, event.old, event.new)
            else:
                stat = Stat.SEARCHES_LEARNT if event.by_search else Stat.TEMPLATES_FROM_PEERS
                self._crawl.count(stat)
                self._crawl.send(signals.template_learnt, template=event.template)
                await self._persistence.save(name, event.template)
