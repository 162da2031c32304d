"""The templates of a crawl in their store: loaded and saved in a thread, since a disk or a server may be slow.

When the store fails, the crawl continues with the templates that it has in memory.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

from templex_scrapy.crawl.running_crawl import RunningCrawl
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.stores import RecordError, StoredTemplate, StoreError, TemplateStore, keeps_page_hashes, key_of
from templex_scrapy.template import Template

logger = logging.getLogger(__name__)

RETRY_SECONDS = 10.0
"""Seconds for which a store that failed is left alone."""

MAX_UNSAVED = 100
"""Templates that wait for a store that fails; of more the oldest are not stored."""

MAX_NOTES = 100
"""Uses of templates and content hashes of pages that are kept in memory before the store receives them."""

_T = TypeVar("_T")


class TemplatePersistence:
    """Loads and saves the templates of sites. If two processes learn the same, the better template is kept.

    Args:
        is_shared: whether other crawls may use the store at the same time.
        is_temporary: whether the store ends with the crawl, so that only templates that leave the memory are stored.
    """

    def __init__(
        self, crawl: RunningCrawl, store: TemplateStore, *, is_shared: bool, is_temporary: bool = False
    ) -> None:
        self.began = time.time()
        self._crawl, self._store = crawl, store
        self._is_shared, self._is_temporary = is_shared, is_temporary
        self._dropped: set[str] = set()  # sites whose templates left the memory
        self._saving = asyncio.Lock()
        self._retry_at = 0.0
        self._has_warned = False
        self._versions: dict[str, int] = {}  # of sites, as last loaded; for a shared store only
        self._unsaved: dict[tuple[str, str], Template] = {}
        self._uses: dict[str, dict[str, float]] = {}
        self._page_hashes: dict[str, str] = {}  # content hashes
        self._last_close: float | None = None  # of a crawl that was not killed; None if no page was compared

    async def load(self, site: str) -> list[StoredTemplate]:
        """Return the stored templates of a site, the most recently used first; none if the store fails."""
        if self._is_temporary:
            if site not in self._dropped:
                return []
            await self._save_all()
        await self._save_notes(MAX_NOTES)
        nothing: tuple[int, list[StoredTemplate]] = 0, []
        # the version first: a template that is stored in between is loaded twice, and not missed
        version, stored = await self._ask(lambda: (self._store.version(site), self._store.load(site)), nothing)
        if self._is_shared:
            self._versions[site] = version
        # not those that this crawl has stored itself, and loads again
        self._crawl.count(Stat.STORE_LOADED, sum(record.learnt < self.began for record in stored))
        return stored

    async def load_changed(self, site: str) -> list[StoredTemplate] | None:
        """Load the templates again; None if nothing was stored since the site was last loaded."""
        known = self._versions.get(site, 0)
        if not self._is_shared or await self._ask(partial(self._store.version, site), known) == known:
            return None
        return await self.load(site)

    async def save(self, site: str, template: Template, before: Template | None = None) -> None:
        """Store a template, in place of the template before, unless the store is temporary; if it fails, later."""
        if not self._is_temporary:
            self._unsaved[site, key_of(template)] = template
            await self._save_all()
            if before is not None and key_of(before) != key_of(template):
                await self.forget(site, before)

    async def forget(self, site: str, template: Template) -> None:
        """Remove a template that others have replaced, or that raises."""
        if not self._is_temporary:
            self._unsaved.pop((site, key_of(template)), None)
            await self._ask(partial(self._store.forget, site, key_of(template)), None)

    def drop(self, site: str, templates: Iterable[Template]) -> None:
        """Note the templates of a site that leaves the memory, the most recently used first."""
        if self._is_temporary:
            self._dropped.add(site)
            self._unsaved |= {(site, key_of(template)): template for template in reversed(list(templates))}

    async def save_dropped(self) -> None:
        """Store the templates that have left the memory."""
        if self._is_temporary and self._unsaved:
            await self._save_all()

    async def _save_all(self) -> None:
        async with self._saving:
            while self._unsaved:
                (site, key), template = next(iter(self._unsaved.items()))
                del self._unsaved[site, key]
                version = await self._ask(partial(self._put, site, template), None)
                if version is None:
                    # unless it has grown meanwhile: then the newer template waits
                    self._unsaved.setdefault((site, key), template)
                    for oldest in list(self._unsaved)[:-MAX_UNSAVED]:
                        del self._unsaved[oldest]
                    return
                if version > 0:
                    self._versions[site] = version
                self._crawl.count(Stat.STORE_ERRORS if version < 0 else Stat.STORE_SAVED)

    def _put(self, site: str, template: Template) -> int:
        """Store a template; return the new version, 0 if somebody else has changed the site, -1 if it has no record."""
        now = time.time()
        # templates that another process has stored since are still to be loaded: their version must stay unknown
        is_current = self._is_shared and self._store.version(site) == self._versions.get(site, 0)
        try:
            self._store.save(site, StoredTemplate(template, learnt=now, used=now))
        except RecordError as error:
            logger.warning("%s; it is not stored", error)
            return -1
        return self._store.version(site) if is_current else 0

    def used(self, site: str, template: Template) -> None:
        """Note that a template has fitted a page; this is stored later."""
        if not self._is_temporary:
            # a write for each page would cost more than the page
            self._uses.setdefault(site, {})[key_of(template)] = time.time()

    async def _save_notes(self, least: int) -> None:
        """Store when templates were last used and the content hashes of pages, if these are enough."""
        if len(self._page_hashes) + sum(map(len, self._uses.values())) < least:
            return
        uses, self._uses, pages, self._page_hashes = self._uses, {}, self._page_hashes, {}

        def save() -> None:
            if pages and keeps_page_hashes(self._store):
                self._store.save_page_hashes(pages, time.time())
            for site, times in uses.items():
                self._store.touch(site, times)

        await self._ask(save, None)

    async def has_same_content(self, url: str, content_hash: str) -> bool:
        """Return whether the content of a page has the hash that an earlier crawl stored; False if the store fails."""
        # a page that a browser fills is empty whatever it shows
        if not content_hash or not keeps_page_hashes(self._store):
            return False
        await self._save_notes(MAX_NOTES)
        if self._last_close is None:
            last = await self._ask(partial(self._store.page_hash, self._page("")), None)
            self._last_close = 0.0 if last is None else last[1]
        known = await self._ask(partial(self._store.page_hash, self._page(url)), None)
        # the items of a crawl that was killed may never have reached a feed
        return known is not None and known[0] == content_hash and known[1] <= self._last_close

    def page_is_through(self, url: str, content_hash: str) -> None:
        """Note the content hash of a page whose items are stored, and "" if some failed; this is stored later."""
        self._page_hashes[self._page(url)] = content_hash

    def _page(self, url: str) -> str:
        # another spider makes other items of the same page
        return f"{getattr(self._crawl.crawler.spider, 'name', '')} {url}"

    async def close(self) -> None:
        """Store the waiting templates, and close the store."""
        self._retry_at = 0.0  # a last try
        await self._save_all()
        if self._page_hashes:
            self._page_hashes[self._page("")] = "closed"
        await self._save_notes(1)
        # also if the last try has failed: a file that is not closed leaves a journal behind
        self._retry_at = 0.0
        await self._ask(self._store.close, None)
        self._crawl.count(Stat.STORE_ERRORS, self._store.skipped)

    async def _ask(self, work: Callable[[], _T], default: _T) -> _T:
        """Ask the store in a thread; return the default if it fails, or has failed just now."""
        # a server that is down takes two seconds to fail, for each page
        if time.monotonic() < self._retry_at:
            return default
        try:
            return await asyncio.to_thread(work)
        except StoreError as error:
            self._crawl.count(Stat.STORE_ERRORS)
            self._retry_at = time.monotonic() + RETRY_SECONDS
            level = logging.DEBUG if self._has_warned else logging.WARNING
            self._has_warned = True
            logger.log(level, "%s; the crawl continues with the templates in memory", error)
            return default
