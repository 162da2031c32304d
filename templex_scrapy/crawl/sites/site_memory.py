"""The sites of a crawl, as many as fit into memory; the templates of the others are in the store."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator

from cachetools import LRUCache

from templex_scrapy.crawl.sites.site_worker import SiteWorker
from templex_scrapy.crawl.sites.template_persistence import TemplatePersistence
from templex_scrapy.learning import Budget
from templex_scrapy.page import site_of

logger = logging.getLogger(__name__)

# more than the first sample has, which waits for voters; each page of a crawl keeps some 100 kB while it waits
MAX_UNDER_WAY = 100
"""Pages of a site that are to be cleaned, beyond which the site's downloads wait until the worker pauses."""

SITE_BYTES = 4_500
"""Bytes of a site without templates, roughly."""

MAX_BUDGETS = 100_000
"""Sites whose budgets are remembered after they were dropped."""


class Sites:
    """The sites of a crawl. When the memory is full, the least recently used ones are dropped, but none at work.

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

    def __getitem__(self, name: str) -> SiteWorker:
        """Return a site, new and empty if it is not known."""
        site = self._sites.get(name)
        if site is None:
            site = self._sites[name] = self._new_worker(name, self._budgets.pop(name, None))
        self._sites.move_to_end(name)
        self.make_room(site)
        return site

    def make_room(self, used: SiteWorker) -> None:
        """Note how large a site is that was used, and drop others if the memory is full."""
        if self._sites.get(used.name) is not used:
            return
        before, used.nbytes = used.nbytes, used.learning.nbytes + used.learning.plan.nbytes + SITE_BYTES
        self.nbytes += used.nbytes - before
        # a site alone larger than the memory would have to load the templates for each page again
        for name, site in list(self._sites.items())[:-1] if self.nbytes > self.max_bytes else ():
            if self.nbytes <= self.max_bytes:
                break
            if not site.jobs and not site.is_working:
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
        if site is not None and len(site.jobs) > MAX_UNDER_WAY:
            async with site.lock:
                pass
