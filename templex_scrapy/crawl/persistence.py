"""Templates that outlive the crawl: a site's are loaded when its first page comes, and kept when they are learnt.

Everything that waits for a disk or a server does so in a thread. Whatever happens to the store, the crawl goes on with
the templates that it has.
"""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Self, TypeVar
from weakref import WeakKeyDictionary

from scrapy.utils.asyncio import run_in_thread

from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.site import SiteTemplates
from templex_scrapy.crawl.stats import Stat, count
from templex_scrapy.crawl.template_search import InTurn
from templex_scrapy.stores import Store, StoredTemplate, StoreError, TemplateTooLargeError
from templex_scrapy.template import Template

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.5
"""Seconds after which a worker that waits for another's search looks again."""

LEASE_SECONDS = 20.0
"""Seconds after which another worker may search if this one dies; one that lives renews its lease in time."""

METHOD_NOTE = "method"
"""Under which note a template tells by which method it was learnt; one by another method is learnt anew."""

FIRST_NOTE = "first learnt"
"""Under which note a template tells when it was learnt, if it was retired since and serves again."""

FLUSH_USES = 1000
"""Uses of templates that are counted before the store is told."""

_T = TypeVar("_T")


@dataclass(slots=True)
class _Record:
    """Under which key a template is stored, since when it serves, and when it was learnt at first.

    One for a template and all that it grows to: what becomes of the one counts for the others.
    """

    key: str
    learnt: datetime
    first: datetime
    voters: int = 0  # of what it has grown to so far

    @classmethod
    def of(cls, one: StoredTemplate) -> Self:
        return cls(one.key, one.learnt, _first_learnt(one))

    def stored(self, template: Template, notes: dict[str, str]) -> StoredTemplate:
        return StoredTemplate(
            key=self.key,
            template=template,
            learnt=self.learnt,
            updated=datetime.now(UTC),
            notes=notes | ({FIRST_NOTE: self.first.isoformat()} if self.first < self.learnt else {}),
        )


def _first_learnt(one: StoredTemplate) -> datetime:
    try:
        return min(datetime.fromisoformat(one.notes[FIRST_NOTE]), one.learnt)
    except (KeyError, ValueError, TypeError):
        return one.learnt


class Keeper:
    """Loads the templates of sites from a store, saves new ones, and keeps two workers from learning the same.

    Args:
        crawler: the crawl, for its stats.
        store: where the templates are kept.
        settings: the checked settings.
        in_turn: does the work on templates.
    """

    def __init__(self, crawler: Crawler, store: Store, settings: TemplexSettings, in_turn: InTurn) -> None:
        # a job directory serves one crawl at a time, and the lease of one that was killed must not hold up the next
        self._shared = settings.store is not None
        self._crawler = crawler
        self._store = store
        self._in_turn = in_turn
        self._method = settings.method
        self._site_memory = settings.site_memory
        self._began = datetime.now(UTC)
        self._owner = f"{os.getpid()}-{secrets.token_hex(8)}"
        # weak, because templates come and go with their sites
        self._records: WeakKeyDictionary[Template, _Record] = WeakKeyDictionary()
        self._uses: Counter[tuple[str, str]] = Counter()
        self._turns: WeakKeyDictionary[SiteTemplates, asyncio.Lock] = WeakKeyDictionary()

    async def open(self, templates: SiteTemplates) -> None:
        """Load what is stored of a site, once; who comes meanwhile waits for it."""
        if templates.is_open:
            return
        async with self._turns.setdefault(templates, asyncio.Lock()):
            if not templates.is_open:
                await self._load(templates)
                templates.is_open = True

    async def _load(self, templates: SiteTemplates) -> bool:
        """Whether templates came that were not known."""
        site = templates.site
        nothing: tuple[int | None, list[StoredTemplate]] = None, []
        read = partial(self._read, site, templates.stored_version)
        templates.stored_version, stored = await self._in_thread(read, nothing)
        return await self._in_turn(0, lambda: self._take_in(templates, stored))

    def _take_in(self, templates: SiteTemplates, stored: list[StoredTemplate]) -> bool:
        new = self._fitting(templates, stored)
        serving = [one for one in new if one.retired is None]
        templates.is_known = templates.is_known or any(map(self._is_earlier, serving))
        # what is adopted last comes first, and of the retired ones it goes last
        for one in reversed(new):
            self._records[one.template] = _Record.of(one)
            if one.retired is not None:
                templates.rest(one.template, is_known=self._is_earlier(one))
                continue
            count(self._crawler.stats, Stat.STORE_LOADED)
            if templates.adopt(one.template) is not None:
                count(self._crawler.stats, Stat.TEMPLATES_FORGOTTEN)
        if new:
            logger.debug("%s: %d of %d templates from the store serve", templates.site, len(serving), len(new))
        return bool(serving)

    def _read(self, site: str, known_version: int | None) -> tuple[int | None, list[StoredTemplate]]:
        """The version of a site and what is stored of it; nothing if that is known."""
        version = self._store.version(site)
        unchanged = version is not None and version == known_version
        return version, [] if unchanged else self._store.load(site)

    def _fitting(self, templates: SiteTemplates, stored: list[StoredTemplate]) -> list[StoredTemplate]:
        """What is new of what is stored, the most recently used first, and only what there is room for.

        The store has already left out what is too large, or too many for a site.
        """
        at_hand = (*templates.templates, *templates.retired)
        known = {record.key for template in at_hand if (record := self._records.get(template))}
        new = [one for one in stored if one.key not in known and self._is_by_method(one)]
        # those that serve have the first claim to the room
        new.sort(key=lambda one: one.retired is not None)
        room = self._site_memory - templates.bytes
        taken = accumulate(one.template.bytes for one in new)
        fitting = [one for one, size in zip(new, taken, strict=True) if size <= room]
        if len(fitting) < len(new):
            count(self._crawler.stats, Stat.STORE_LEFT_OUT, len(new) - len(fitting))
            logger.debug("%s: no room for %d of %d stored templates", templates.site, len(new) - len(fitting), len(new))
        return fitting

    def _is_earlier(self, one: StoredTemplate) -> bool:
        return _first_learnt(one) < self._began

    def _is_by_method(self, one: StoredTemplate) -> bool:
        return one.notes.get(METHOD_NOTE, self._method) == self._method

    async def learnt_elsewhere(self, templates: SiteTemplates, patience: float, is_closing: Callable[[], bool]) -> bool:
        """Take the lease of a site, or wait while another worker has it.

        Args:
            templates: the site's templates.
            patience: seconds for which the other's search is waited for, above 0.
            is_closing: whether the crawl is being closed; then nothing is waited for.

        Returns:
            True if another worker has brought templates meanwhile; False if this one has the lease and is to search.
        """
        if not self._shared:
            return False
        deadline = asyncio.get_running_loop().time() + patience
        is_told = False
        while not await self._lease(templates):
            if await self._load(templates):
                return True
            if is_closing() or asyncio.get_running_loop().time() > deadline:
                return False
            if not is_told:
                logger.debug("%s: another worker is learning a template, which is waited for", templates.site)
                is_told = True
            await asyncio.sleep(POLL_SECONDS)
        # the other may have finished just before the lease was free
        if await self._load(templates):
            await self.release(templates)
            return True
        return False

    async def _lease(self, templates: SiteTemplates) -> bool:
        take = partial(self._store.lease, templates.site, self._owner, LEASE_SECONDS)
        return await self._in_thread(take, default=True)

    @asynccontextmanager
    async def leased(self, templates: SiteTemplates) -> AsyncIterator[None]:
        """Renew the lease of a site for as long as this lasts, and then give it up."""
        if not self._shared:
            yield
            return

        async def renew() -> None:
            while True:
                await asyncio.sleep(LEASE_SECONDS / 4)
                await self._lease(templates)

        renewing = asyncio.ensure_future(renew())
        try:
            yield
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
            await self.release(templates)

    async def release(self, templates: SiteTemplates) -> None:
        """Give up the lease of a site."""
        await self._in_thread(partial(self._store.release, templates.site, self._owner), None)

    async def save(self, templates: SiteTemplates, template: Template) -> None:
        """Store a template that was learnt."""
        stored = StoredTemplate.of(template, datetime.now(UTC), notes=self._notes())
        # at once: pages may join it while the store is asked
        record = self._records[template] = _Record.of(stored)
        stored = await self._in_thread(partial(self._store.learnt_anew, templates.site, stored), stored)
        record.learnt = stored.learnt
        await self._put(templates, stored)

    def follow(self, old: Template, new: Template) -> None:
        """Take notice that a template has grown; it is for :meth:`save_grown` to store it."""
        record = self._records.get(old)
        if record is not None:
            self._records[new] = record
            record.voters = len(new.page_urls)

    async def save_grown(self, templates: SiteTemplates, template: Template) -> None:
        """Store a template that further pages have joined, as :meth:`follow` was told."""
        record = self._records.get(template)
        # it may have grown further while the store was asked about something else, and what is stored later wins
        if record is not None and len(template.page_urls) >= record.voters:
            await self._put(templates, record.stored(template, self._notes()))

    async def retire(self, templates: SiteTemplates, template: Template, reason: str) -> None:
        """Store that a template serves no longer."""
        record = self._records.get(template)
        if record is not None:
            stored = record.stored(template, self._notes())
            await self._put(templates, stored.retire(reason, datetime.now(UTC)))

    async def revive(self, templates: SiteTemplates, template: Template) -> None:
        """Store that a retired template serves again: as one that has been learnt anew, with all that have voted."""
        record = self._records.get(template)
        if record is None:
            return
        # at once: it may grow while the store is asked, and what it grows to is to be stored as revived, too
        record.learnt = datetime.now(UTC)
        ours = record.stored(template, self._notes())
        stored = await self._in_thread(partial(self._revived, templates.site, ours), ours)
        record.learnt, record.first = stored.learnt, _first_learnt(stored)
        await self._put(templates, stored)

    def _revived(self, site: str, ours: StoredTemplate) -> StoredTemplate:
        # pages may have joined it elsewhere
        known = [one for one in self._store.load(site) if one.key == ours.key]
        fullest = max([ours, *known], key=lambda one: len(one.urls))
        first = min(_first_learnt(one) for one in [ours, *known])
        notes = {**fullest.notes, FIRST_NOTE: first.isoformat()}
        serving = replace(fullest, learnt=ours.learnt, updated=ours.updated, retired=None, notes=notes)
        return self._store.learnt_anew(site, serving)

    def _notes(self) -> dict[str, str]:
        return {METHOD_NOTE: self._method}

    async def _put(self, templates: SiteTemplates, stored: StoredTemplate) -> None:
        await self._in_thread(partial(self._store.save, templates.site, stored), None)
        count(self._crawler.stats, Stat.STORE_SAVED)

    async def used(self, templates: SiteTemplates, template: Template) -> None:
        """Note that a template of the site has fitted a page."""
        record = self._records.get(template)
        if record is not None:
            self._uses[templates.site, record.key] += 1
            if self._uses.total() >= FLUSH_USES:
                await self._flush()

    async def _flush(self) -> None:
        uses, self._uses = self._uses, Counter()
        by_site: dict[str, dict[str, int]] = {}
        for (site, key), times in uses.items():
            by_site.setdefault(site, {})[key] = times
        for site, counts in by_site.items():
            await self._in_thread(partial(self._store.used, site, counts, datetime.now(UTC)), None)

    async def close(self) -> None:
        """Write what waits and close the store."""
        await self._flush()
        await self._in_thread(self._store.close, None)
        stats, counts = self._crawler.stats, self._store.counts
        count(stats, Stat.STORE_ERRORS, counts.errors)
        for stat, value in (
            (Stat.STORE_OUTAGES, counts.outages),
            (Stat.STORE_LOST, counts.lost),
            (Stat.STORE_REFUSED, counts.refused),
            (Stat.STORE_SET_ASIDE, counts.set_aside),
            (Stat.STORE_NEWER, counts.newer),
            (Stat.STORE_MEMORY, counts.memory),
            (Stat.STORE_EVICTED, counts.evicted),
        ):
            stats.set_value(stat.value, value)

    async def _in_thread(self, work: Callable[[], _T], default: _T) -> _T:
        try:
            return await run_in_thread(work)
        except StoreError as error:
            # what is too large is counted as refused
            count(self._crawler.stats, Stat.STORE_ERRORS, by=not isinstance(error, TemplateTooLargeError))
            logger.warning("The template store: %s; the crawl goes on without", error)
            return default
