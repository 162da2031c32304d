"""The sites of a crawl, as many as fit into memory; the templates of the others are in the store."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cachetools import LRUCache

from templex_scrapy.crawl.sites.site_worker import SiteWorker
from templex_scrapy.crawl.sites.template_persistence import TemplatePersistence
from templex_scrapy.learning import Budget
from templex_scrapy.page import site_of

logger = logging.getLogger(__name__)

# more than the first sample has, which waits for voters; each page of a crawl keeps some 100 kB while it waits
MAX_UNDER_WAY = 100
"""Tasks on pages of a site, beyond which the site's downloads wait until a task is done."""

SITE_BYTES = 4_500
"""Bytes of a site without templates, roughly."""

MAX_BUDGETS = 100_000
"""Sites whose budgets are remembered after they were dropped."""


class Sites:
    """The sites of a crawl. When the memory is full, the least recently used ones are dropped, but none in use.

    Args:
        new_worker: makes the worker of a site, given the name and the budget that is left.
        max_bytes: bytes of the memory.
    """

    def __init__(
        self,
        persistence: TemplatePersistence,
        new_worker: Callable[[str, Budget | None], SiteWorker],
        max_bytes: int,
    ) -> None:
        self._persistence = persistence
        self._new_worker = new_worker
        self.max_bytes = max_bytes
        self.nbytes = 0
        self._sites: OrderedDict[str, SiteWorker] = OrderedDict()
        self._budgets: LRUCache[str, Budget] = LRUCache(MAX_BUDGETS)

    def __iter__(self) -> Iterator[SiteWorker]:
        return iter(self._sites.values())

    def get(self, url: str) -> SiteWorker | None:
        """Return the site of a page, if it is known."""
        return self._sites.get(site_of(url) or "")

    @contextmanager
    def in_use(self, name: str) -> Iterator[SiteWorker]:
        """Yield a site, new and empty if it is not known; it is not dropped while this context lasts."""
        site = self._sites.get(name)
        if site is None:
            site = self._sites[name] = self._new_worker(name, self._budgets.pop(name, None))
        self._sites.move_to_end(name)
        site.users += 1
        try:
            yield site
        finally:
            site.users -= 1
            before, site.nbytes = site.nbytes, site.learning.nbytes + site.learning.plan.nbytes + SITE_BYTES
            self.nbytes += site.nbytes - before
            self._make_room()

    def _make_room(self) -> None:
        if self.nbytes <= self.max_bytes:
            return
        # a site alone larger than the memory would have to load the templates for each page again
        for name, site in list(self._sites.items())[:-1]:
            if self.nbytes <= self.max_bytes:
                break
            # a page of it may wait for a search at this moment
            if not (site.users or site.is_working):
                del self._sites[name]
                self.nbytes -= site.nbytes
                self._persistence.drop(name, site.learning.templates)
                # a site that has given up must not search again each time that it comes back
                self._budgets[name] = site.learning.budget
                logger.debug("%s is dropped from memory; the templates are in the store", name)

    async def catch_up(self, url: str) -> None:
        """Wait for work on the pages of a site if many are under way, so that no more of them pile up."""
        site = self.get(url)
        # requests that wait while the pages of their site vote take the place of those of other sites
        if site is not None and site.users > MAX_UNDER_WAY:
            async with site.lock:
                pass
