"""The sites of a crawl: which are at hand, and which are put away to make room. No I/O but lines in the log."""

from __future__ import annotations

import logging
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from templex_scrapy.crawl.attic import Attic
from templex_scrapy.crawl.site import SiteLimits, SiteTemplates

logger = logging.getLogger(__name__)


class Sites:
    """The sites of a crawl, a bounded number of them: the least recently used ones are put away.

    Args:
        limit: sites kept, at least 1. Sites with pages under way are kept beyond it, and so is the one used last.
        limits: what may be spent on each.
        max_bytes: bytes of all that is known about sites; beyond it the least recently used ones are put away as well.
        attic: where sites are put away, to come back with their next page; None: they are forgotten.
        stored: whether a store keeps the templates, so that the attic need not.

    Attributes:
        forgotten: sites dropped because of the limits, put away or not.
        brought_back: sites that came back from the attic.
        bytes: bytes of all that is known about sites, roughly, as of when each was last used.
    """

    def __init__(
        self,
        limit: int,
        limits: SiteLimits,
        max_bytes: int | None = None,
        attic: Attic | None = None,
        *,
        stored: bool = False,
    ) -> None:
        self.attic = attic
        self.brought_back = 0
        self.limit = limit
        self.limits = limits
        self.max_bytes = max_bytes
        self.forgotten = 0
        self.bytes = 0
        self._stored = stored
        self._sites: OrderedDict[str, SiteTemplates] = OrderedDict()
        self._sizes: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._sites)

    def __iter__(self) -> Iterator[SiteTemplates]:
        return iter(self._sites.values())

    def __contains__(self, site: object) -> bool:
        """Whether anything is known about a site, at hand or put away; does not make it one of those in use."""
        return site in self._sites or (self.attic is not None and site in self.attic)

    @property
    def lost(self) -> int:
        """Sites of which nothing is known any more, for want of room in the attic."""
        return 0 if self.attic is None else self.attic.lost

    def use(self, site: str) -> SiteTemplates:
        """The templates of a site, new and empty if it was not known; it becomes the most recently used one."""
        templates = self._sites.get(site)
        if templates is None:
            templates = self._sites[site] = self._bring_back(site)
        self._sites.move_to_end(site)
        self._measure(templates)
        self._make_room()
        return templates

    @contextmanager
    def in_use(self, site: str) -> Iterator[SiteTemplates]:
        """The templates of a site, as :meth:`use` gives them; it is not put away for as long as this lasts.

        Else what a search brings would be lost on the pages that wait for it, and each of them would search anew.
        """
        templates = self.use(site)
        templates.pages_under_way += 1
        try:
            yield templates
        finally:
            templates.pages_under_way -= 1
            # it may have learnt meanwhile
            self._measure(templates)
            self._make_room()

    def _bring_back(self, site: str) -> SiteTemplates:
        templates = SiteTemplates(site, self.limits)
        away = self.attic.take(site) if self.attic is not None else None
        if away is not None:
            templates.bring_back(away)
            self.brought_back += 1
            logger.debug("%s: a page has come again, what was put away is brought back", site)
        return templates

    def _make_room(self) -> None:
        while self._is_too_much():
            last = next(reversed(self._sites))
            idle = (name for name, known in self._sites.items() if not known.pages_under_way and name != last)
            longest_idle = next(idle, None)
            if longest_idle is None:
                break
            self._forget(longest_idle)

    def _forget(self, site: str) -> None:
        templates = self._sites.pop(site)
        self.bytes -= self._sizes.pop(site)
        self.forgotten += 1
        if self.attic is None or not templates.searches:
            logger.debug("%s makes room for other sites (TEMPLEX_MAX_SITES, TEMPLEX_SITE_MEMORY)", site)
            return
        logger.debug("%s is put away for other sites (TEMPLEX_MAX_SITES, TEMPLEX_SITE_MEMORY)", site)
        for lost in self.attic.put(site, templates.put_away(with_templates=not self._stored)):
            logger.debug("%s: what was put away is lost for want of room (TEMPLEX_ATTIC_MEMORY)", lost)

    def _measure(self, templates: SiteTemplates) -> None:
        size = templates.bytes
        self.bytes += size - self._sizes.get(templates.site, 0)
        self._sizes[templates.site] = size

    def _is_too_much(self) -> bool:
        return len(self._sites) > self.limit or (self.max_bytes is not None and self.bytes > self.max_bytes)
