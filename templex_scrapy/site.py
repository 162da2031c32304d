"""The templates of a site: which fits a page, when another is looked for, which are forgotten. No I/O, no Scrapy."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from templex_scrapy.match import Match, combine
from templex_scrapy.page import Page
from templex_scrapy.template import Template


@dataclass(frozen=True, kw_only=True)
class SiteLimits:
    """How much may be spent on one site.

    Attributes:
        templates: templates kept, at least 1.
        searches: searches in all, at least 0.
        failures: searches in a row that may fail before no further one is begun, at least 1.
    """

    templates: int = 10
    searches: int = 20
    failures: int = 3


class SiteTemplates:
    """What is known about the templates of one site.

    The life of a template: a page fits none → :meth:`begin_search` → :meth:`learn` or :meth:`fail` → it serves pages →
    it is forgotten when newer ones were of more use. One search at a time: pages that arrive meanwhile wait for it,
    because most of them will fit what it brings.

    Args:
        site: the site, as :func:`templex_scrapy.links.site_of` names it.
        limits: how much may be spent on it.

    Attributes:
        searches: searches begun.
        failures: searches that brought no template.
        forgotten: templates dropped because of the limit.
        searching: whether a search is open.
        is_open: whether what a store has of the site was loaded.
        stored_version: which version of it, as the store counts; None if that is not known.
    """

    def __init__(self, site: str, limits: SiteLimits | None = None) -> None:
        self.site = site
        self.limits = limits or SiteLimits()
        self.searches = 0
        self.failures = 0
        self.forgotten = 0
        self.searching = False
        self.is_open = False
        self.stored_version: int | None = None
        self._failures_in_a_row = 0
        self._templates: list[Template] = []  # the most recently used first

    @property
    def templates(self) -> tuple[Template, ...]:
        """The templates, the most recently used first."""
        return tuple(self._templates)

    @property
    def given_up(self) -> bool:
        """Whether no further search is begun, because the searches are used up or failed too often in a row."""
        return self.searches >= self.limits.searches or self._failures_in_a_row >= self.limits.failures

    def fit(self, page: Page, preserve: tuple[str, ...] = ()) -> Match | None:
        """Match a page with the templates that fit it.

        The template of the page's own kind speaks for it, and the others add the blocks that they know. Where none is
        of its kind, all that fit speak, and a template of its kind is worth a search (``same_kind``).

        Args:
            page: a page of the site.
            preserve: CSS selectors of what must stay.

        Returns:
            The match, or None if no template fits.
        """
        fitting: list[tuple[Match, Template]] = []
        for template in sorted(self._templates, key=lambda template: template.unfamiliar(page)):
            match = template.match(page, preserve=preserve)
            if match.same_kind:
                self._use(template)
                return Template.recall(match, [other for other in self._templates if other is not template])
            if match.fits:
                fitting.append((match, template))
        if not fitting:
            return None
        self._use(max(fitting, key=lambda found: found[0].coverage)[1])
        return combine([match for match, _ in fitting])

    def _use(self, template: Template) -> None:
        self._templates.remove(template)
        self._templates.insert(0, template)

    def begin_search(self) -> None:
        """Open a search.

        Raises:
            RuntimeError: if one is open, or the site was given up.
        """
        if self.searching or self.given_up:
            message = f"{self.site}: {'a search is open' if self.searching else 'no search is left'}"
            raise RuntimeError(message)
        self.searching = True
        self.searches += 1

    def learn(self, template: Template) -> Template | None:
        """Close the search with the template it brought.

        Returns:
            The template that had to make room, if one had.
        """
        self.searching = False
        self._failures_in_a_row = 0
        return self.adopt(template)

    def adopt(self, template: Template) -> Template | None:
        """Take in a template that was learnt elsewhere, or earlier, as the most recently used one.

        Returns:
            The template that had to make room, if one had.
        """
        self._templates.insert(0, template)
        if len(self._templates) <= self.limits.templates:
            return None
        self.forgotten += 1
        return self._templates.pop()

    def fail(self) -> None:
        """Close the search without a template."""
        self.searching = False
        self.failures += 1
        self._failures_in_a_row += 1


class Sites:
    """The sites of a crawl, a bounded number of them: the least recently used ones are forgotten.

    Args:
        limit: sites kept, at least 1. Sites with an open search are kept beyond it.
        limits: what may be spent on each.

    Attributes:
        forgotten: sites dropped because of the limit.
    """

    def __init__(self, limit: int, limits: SiteLimits) -> None:
        self.limit = limit
        self.limits = limits
        self.forgotten = 0
        self._sites: OrderedDict[str, SiteTemplates] = OrderedDict()

    def __len__(self) -> int:
        return len(self._sites)

    def __iter__(self) -> Iterator[SiteTemplates]:
        return iter(self._sites.values())

    def known(self, site: str) -> SiteTemplates | None:
        """What is known about a site, or None; does not make it one of those in use."""
        return self._sites.get(site)

    def use(self, site: str) -> SiteTemplates:
        """The templates of a site, new and empty if it was not known; it becomes the most recently used one."""
        templates = self._sites.setdefault(site, SiteTemplates(site, self.limits))
        self._sites.move_to_end(site)
        surplus = len(self._sites) - self.limit
        if surplus > 0:
            idle = [name for name, known in self._sites.items() if not known.searching and name != site]
            for name in idle[:surplus]:
                del self._sites[name]
                self.forgotten += 1
        return templates
