"""The sites of a crawl, as many as fit into memory; the templates of the others are in the store."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cachetools import LRUCache

from templex_scrapy.learning import SiteLearning
from templex_scrapy.template import Template

logger = logging.getLogger(__name__)

SITE_BYTES = 2_000
"""Bytes of a site without templates, roughly."""

MAX_COUNTS = 100_000
"""Sites whose numbers of searches are remembered after they were dropped."""


class Site:
    """A site of a crawl, with the name that :func:`templex_scrapy.page.site_of` gives it.

    Attributes:
        lock: locks the learning, which may be used in a thread.
        turn: lets one task at a time have voters vote.
        search_ended: set when the open search ends; None if no search is open.
        users: tasks that use this object.
        waiting: pages that wait for voters.
        rounds: times that voters have arrived.
        is_loaded: whether the stored templates were loaded.
    """

    def __init__(self, name: str, learning: SiteLearning) -> None:
        self.name = name
        self.learning = learning
        self.lock = asyncio.Lock()
        self.turn = asyncio.Lock()
        self.search_ended: asyncio.Event | None = None
        self.users = 0
        self.waiting = 0
        self.rounds = 0
        self.is_loaded = False


class Sites:
    """The sites of a crawl. When the memory is full, the least recently used ones are dropped, but none in use.

    Args:
        max_bytes: bytes of all that is known about sites.
        learning: makes what is known of a new site, given how many searches were begun there, and failed in a row.
        on_drop: called with the name and the templates of each site that is dropped.
    """

    def __init__(
        self,
        max_bytes: int,
        learning: Callable[[tuple[int, int]], SiteLearning],
        on_drop: Callable[[str, list[Template]], None],
    ) -> None:
        self.max_bytes = max_bytes
        self.nbytes = 0
        self._learning = learning
        self._on_drop = on_drop
        self._sites: OrderedDict[str, Site] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._counts: LRUCache[str, tuple[int, int]] = LRUCache(MAX_COUNTS)

    def __iter__(self) -> Iterator[Site]:
        return iter(self._sites.values())

    def __len__(self) -> int:
        return len(self._sites)

    @contextmanager
    def in_use(self, name: str) -> Iterator[Site]:
        """Yield a site, new and empty if it is not known; it is not dropped while this context lasts."""
        site = self._sites.get(name)
        if site is None:
            site = self._sites[name] = Site(name, self._learning(self._counts.pop(name, (0, 0))))
        self._sites.move_to_end(name)
        site.users += 1
        try:
            yield site
        finally:
            site.users -= 1
            self._measure(site)
            self._make_room()

    def _measure(self, site: Site) -> None:
        size = site.learning.nbytes + SITE_BYTES
        self.nbytes += size - self._sizes.get(site.name, 0)
        self._sizes[site.name] = size

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
                self.nbytes -= self._sizes.pop(name)
                self._on_drop(name, site.learning.templates)
                # a site that has given up must not search again each time that it comes back
                self._counts[name] = site.learning.search_counts
                logger.debug("%s is dropped from memory; its templates are in the store", name)
