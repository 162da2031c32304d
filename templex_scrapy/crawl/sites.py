"""The sites of a crawl, as many as fit into memory; the templates of the others are in the store."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from templex_scrapy.crawl.site import SiteTemplates
from templex_scrapy.template import Template

logger = logging.getLogger(__name__)

SITE_BYTES = 2_000
"""Bytes of a site without templates, roughly."""

MAX_COUNTS = 100_000
"""Sites whose numbers of searches are remembered after they were dropped."""


class Sites:
    """The sites of a crawl. When the memory is full, the least recently used ones are dropped.

    Args:
        max_bytes: bytes of all that is known about sites. Sites in use are kept beyond it.
        max_searches: searches for each site.
        on_drop: called with the name and the templates of each site that is dropped.
    """

    def __init__(
        self, max_bytes: int, max_searches: int, on_drop: Callable[[str, list[Template]], None] | None = None
    ) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self._max_searches = max_searches
        self._on_drop = on_drop
        self._sites: OrderedDict[str, SiteTemplates] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self._counts: OrderedDict[str, tuple[int, int]] = OrderedDict()

    def __iter__(self) -> Iterator[SiteTemplates]:
        return iter(self._sites.values())

    def __len__(self) -> int:
        return len(self._sites)

    @contextmanager
    def in_use(self, site: str) -> Iterator[SiteTemplates]:
        """Yield a site, new and empty if it is not known; it is not dropped while this context lasts."""
        templates = self._sites.get(site)
        if templates is None:
            counts = self._counts.pop(site, (0, 0))
            templates = self._sites[site] = SiteTemplates(site, self._max_searches, counts)
        self._sites.move_to_end(site)
        templates.users += 1
        try:
            yield templates
        finally:
            templates.users -= 1
            self._measure(templates)
            self._make_room()

    def _measure(self, templates: SiteTemplates) -> None:
        size = templates.bytes + SITE_BYTES
        self.bytes += size - self._sizes.get(templates.site, 0)
        self._sizes[templates.site] = size

    def _make_room(self) -> None:
        if self.bytes <= self.max_bytes:
            return
        for site, templates in list(self._sites.items())[:-1]:
            if self.bytes <= self.max_bytes:
                break
            if not templates.users:
                del self._sites[site]
                self.bytes -= self._sizes.pop(site)
                if self._on_drop is not None:
                    self._on_drop(site, templates.templates)
                self._counts[site] = templates.search_counts
                if len(self._counts) > MAX_COUNTS:
                    self._counts.popitem(last=False)
                logger.debug("%s is dropped from memory; its templates are in the store", site)
