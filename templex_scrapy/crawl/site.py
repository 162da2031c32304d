"""What a crawl knows about one site: its templates by last use, the pages that wait to vote, and its searches."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from templex_scrapy.page import Page
from templex_scrapy.stores import MAX_TEMPLATES, StoredTemplate
from templex_scrapy.template import (
    MAX_UNFAMILIAR,
    Match,
    PendingPages,
    Template,
    TemplateSet,
    next_size,
    template_from_peers,
    with_voters,
)

MAX_VOTERS = 12
"""Pages that a template grows to: pages of its type join its voters until there are so many."""

MAX_FAILURES = 3
"""Searches that fail in a row until no further one is begun."""

MAX_PENDING_BYTES = 500_000
"""Bytes of the compressed pages that wait to join one template, or to be the peers of a key page."""

MAX_PEERS = 8
"""Pages of no known type that a site keeps, as peers of a page whose links form no complete subdigraph."""

KNOWN_AGREEMENT = 0.5
"""Share of a stored template's texts that a page must have to need no template of its own."""

ALIGNMENTS = 8
"""Alignments with templates that take as long as the rest of the work on a page."""


class SiteTemplates:
    """The templates of one site.

    A page that fits none becomes a key page (:meth:`begin_search`, :meth:`end_search`).
    Pages of a template's type join its voters (:meth:`join`, :meth:`grow`).

    Args:
        site: the site, as :func:`templex_scrapy.page.site_of` names it.
        max_searches: searches for it in all.
        searches: searches that were begun, and how many of them failed in a row, when the site was in use before.

    Attributes:
        templates: the templates, the most recently used first.
        lock: held while templates are used or changed, perhaps in a thread.
        search_ended: set when the open search ends; None if no search is open.
        users: tasks that use this object.
        is_loaded: whether the stored templates were loaded.
        is_known: whether an earlier crawl learnt some of them. Then a page that fits, has no other tags and classes and
            half of the template's texts needs no search: crawls of the same pages give the same items.
    """

    def __init__(self, site: str, max_searches: int, searches: tuple[int, int] = (0, 0)) -> None:
        self.site = site
        self.templates: list[Template] = []
        self.lock = asyncio.Lock()
        self.search_ended: asyncio.Event | None = None
        self.users = 0
        self.is_loaded = False
        self.is_known = False
        self.searches, self._failures = searches
        self._max_searches = max_searches
        self._pending: dict[Template, PendingPages] = {}
        self._peers = PendingPages(MAX_PEERS, MAX_PENDING_BYTES)
        self._set: TemplateSet | None = None

    @property
    def given_up(self) -> bool:
        """Whether no further search is begun: they are used up, or failed too often in a row."""
        return self.searches >= self._max_searches or self._failures >= MAX_FAILURES

    @property
    def may_learn(self) -> bool:
        """Whether a page that fits no template may bring one soon."""
        return self.search_ended is not None or not self.given_up

    @property
    def page_cost(self) -> int:
        """Work on a page, as a multiple of that on a site with one template; to align it takes a fraction of that."""
        return 1 + len(self.templates) // ALIGNMENTS

    @property
    def template_set(self) -> TemplateSet:
        """The templates that pages are matched with; another object as soon as one of them changes."""
        if self._set is None:
            self._set = TemplateSet(self.templates)
        return self._set

    @property
    def search_counts(self) -> tuple[int, int]:
        """Searches begun, and how many failed in a row."""
        return self.searches, self._failures

    @property
    def bytes(self) -> int:
        """Bytes in memory, roughly."""
        pending = sum(pages.bytes for pages in self._pending.values()) + self._peers.bytes
        return pending + sum(template.bytes for template in self.templates)

    def match(self, page: Page, preserve: tuple[str, ...]) -> Match:
        """Match a page with the templates; the one of its type becomes the most recently used one."""
        match = self.template_set.match(page, preserve=preserve)
        if match.template is not None:
            self.templates.remove(match.template)
            self.templates.insert(0, match.template)
        return match

    def settles(self, match: Match) -> bool:
        """Return whether a match is good enough, so that its page needs no search."""
        if match.same_page_type or not self.is_known:
            return match.same_page_type
        return match.fits and match.unfamiliar <= MAX_UNFAMILIAR and match.agreement >= KNOWN_AGREEMENT

    def begin_search(self) -> None:
        """Open a search."""
        self.search_ended = asyncio.Event()
        self.searches += 1

    def end_search(self, template: Template | None, *, was_needed: bool = True) -> Template | None:
        """Close the search.

        Args:
            template: its template, if it found one.
            was_needed: False if another worker has learnt one meanwhile: then it does not count as failed.

        Returns:
            The template that was dropped for the new one, if any.
        """
        if self.search_ended is not None:
            self.search_ended.set()
            self.search_ended = None
        if not was_needed:
            self.searches -= 1
            return None
        if template is None:
            self._failures += 1
            return None
        self._failures = 0
        return self.add(template, grows=True)

    def add(self, template: Template, *, grows: bool) -> Template | None:
        """Add a template as the most recently used one.

        Args:
            template: the template.
            grows: whether pages may join its voters. Those of an earlier crawl stay as they are, so that crawls of the
                same pages give the same items.

        Returns:
            The template that was dropped for it, if any.
        """
        self.templates.insert(0, template)
        if grows:
            self._await_voters(template)
        dropped = self.templates.pop() if len(self.templates) > MAX_TEMPLATES else None
        if dropped is not None:
            self._pending.pop(dropped, None)
        self._set = None  # last: it may be asked for while this runs in a thread
        return dropped

    def join(self, page: Page) -> int:
        """Let a page wait to join the voters of the most recently used template.

        Returns:
            The pages that wait, if they are enough for the template to grow; else 0.
        """
        pending = self._pending.get(self.templates[0])
        if pending is None or self.templates[0].knows(page):
            return 0
        pending.add(page)
        if not pending.is_full:
            return 0
        if not pending:
            del self._pending[self.templates[0]]  # not even one page of this size may wait
        return len(pending)

    def grow(self, votes: int) -> tuple[Template, Template]:
        """Let the pages that wait join the voters of the most recently used template; return it before and after."""
        template = self.templates[0]
        grown = with_voters(template, self._pending.pop(template), votes)
        self.templates[0] = grown
        self._set = None
        self._await_voters(grown)
        return template, grown

    def grows(self, template: Template) -> bool:
        """Return whether pages are still to join the voters of a template, which may have grown meanwhile."""
        return any(growing.identity == template.identity for growing in self._pending)

    def learn_from_peers(self, page: Page, votes: int) -> Template | None:
        """Make a template of a page and pages of its type, or keep the page for the next one of its type."""
        peers = self._peers.peers_of(page)
        template = template_from_peers(page, peers, votes)
        if template is None:
            self._peers.add(page)
        else:
            self._peers.remove(peers)
        return template

    def _await_voters(self, template: Template) -> None:
        voters = len(template.page_urls)
        wanted = next_size(voters, MAX_VOTERS) - voters
        if wanted > 0:
            self._pending[template] = PendingPages(wanted, MAX_PENDING_BYTES)

    def add_stored(self, stored: Iterable[StoredTemplate], *, began: float) -> int:
        """Add templates from a store, the most recently used first; returns how many were not known.

        Args:
            stored: the stored templates.
            began: when the crawl began, in seconds since 1970; templates learnt earlier do not grow.
        """
        known = {template.identity for template in self.templates}
        new = [one for one in stored if one.template.identity not in known]
        for one in reversed(new):
            self.is_known = self.is_known or one.learnt < began
            self.add(one.template, grows=one.learnt >= began)
        return len(new)
