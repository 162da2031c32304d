"""The templates of a site: which fits a page, when another is looked for, which grow, which are forgotten.

No I/O but lines in the log, at debug level, for what nobody is told otherwise.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from templex_scrapy.crawl.attic import PutAway, WaitingPages
from templex_scrapy.page import Page
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

logger = logging.getLogger(__name__)

LOST = 0.35
"""A template of which a newly learnt kind of pages has a smaller share may have gone out of use on the site."""

KNOWN_AGREEMENT = 0.5
"""Share of the texts of a template that was learnt by an earlier crawl from which on a page is of its kind."""

UNUSED_PAGES = 20
"""Pages of a site for none of which such a template speaks, until it is retired."""

MAX_RETIRED = 10
"""Retired templates of a site that are kept, to serve again if its pages do not look otherwise after all."""

IN_USE_PAGES = 500
"""Pages of a site within which a template has spoken for one: then it does not make room for a new one."""

SPARE_PAGES = 8
"""Pages kept of a site, because they fit nothing well, that may stand in for a complete subdigraph."""


@dataclass(frozen=True, kw_only=True)
class SiteLimits:
    """How much may be spent on one site.

    Attributes:
        templates: templates kept, at least 1.
        searches: searches in all, at least 0.
        failures: searches in a row that may fail before no further one is begun, at least 1.
        voters: pages that a template grows to, at least 0.
        kept_bytes: bytes of compressed pages that wait to vote or to stand in, for each of the two, at least 0.
    """

    templates: int = 30
    searches: int = 40
    failures: int = 3
    voters: int = 12
    kept_bytes: int = 500_000


class SiteTemplates:
    """What is known about the templates of one site.

    The life of a template: a page fits none → :meth:`begin_search` → :meth:`learn` or :meth:`fail` → it serves pages,
    some of which join its voters (:meth:`grow`) → it is forgotten when newer ones were of more use, or retired when the
    site has changed. One search at a time: pages that arrive meanwhile wait for it, because most of them will fit what
    it brings.

    A crawl that goes through one section of a site after the other looks like a redesign for some time. So a retired
    template is kept, and serves again from the first page on that has it. What comes out is the same as if it had
    served all the time; else it would matter in which order the pages come.

    Args:
        site: the site, as :func:`templex_scrapy.page.site_of` names it.
        limits: how much may be spent on it.

    Attributes:
        searches: searches begun.
        failures: searches that brought no template.
        forgotten: templates dropped because of the limit.
        searching: whether a search is open.
        pages_under_way: pages that are being cleaned, or wait for a search; as :class:`Sites` counts them.
        is_open: whether what a store has of the site was loaded.
        is_known: whether that was learnt by an earlier crawl. Then a page that fits and has no elements of another kind
            is not worth a search if it says half of what the template says: crawl after crawl of the same pages comes
            out the same, and a language that the earlier crawl has not seen is learnt all the same.
        stored_version: which version of it, as the store counts; None if that is not known.
    """

    def __init__(self, site: str, limits: SiteLimits | None = None) -> None:
        self.site = site
        self.limits = limits or SiteLimits()
        self.searches = 0
        self.failures = 0
        self.forgotten = 0
        self.searching = False
        self.pages_under_way = 0
        self.is_open = False
        self.is_known = False
        self.stored_version: int | None = None
        self._failures_in_a_row = 0
        self._templates: list[Template] = []  # the most recently used first
        self._set: TemplateSet | None = None
        self._waiting: dict[Template, PendingPages] = {}
        self._spare = PendingPages(SPARE_PAGES, self.limits.kept_bytes)
        self._pages = 0  # pages that were to be fitted; what happens to templates is dated by them
        self._used_at: dict[Template, int] = {}
        self._doubted_at: dict[Template, int] = {}
        self._resting: dict[Template, tuple[bool, bool]] = {}  # the oldest first; as the arguments of rest()
        self._retired: list[Template] = []
        self._revived: list[Template] = []
        # for templates that may come back, by their key pages
        self._growing: dict[tuple[str, str], PendingPages] = {}
        self._doubts: dict[tuple[str, str], int] = {}  # pages since they are doubted

    @property
    def templates(self) -> tuple[Template, ...]:
        """The templates, the most recently used first."""
        return tuple(self._templates)

    @property
    def given_up(self) -> bool:
        """Whether no further search is begun, because the searches are used up or failed too often in a row."""
        return self.searches >= self.limits.searches or self._failures_in_a_row >= self.limits.failures

    @property
    def is_full(self) -> bool:
        """Whether there are as many templates as may be, all of them in use.

        A new one would take the place of one that is learnt anew with the next page of its kind, and so on.
        """
        if len(self._templates) < self.limits.templates:
            return False
        return self._pages - self._used_at[self._templates[-1]] < IN_USE_PAGES

    @property
    def may_search(self) -> bool:
        """Whether a page that no template fits is worth a search."""
        return not (self.given_up or self.is_full)

    @property
    def bytes(self) -> int:
        """Bytes that all this takes, roughly."""
        kept = sum(pages.bytes for pages in (*self._waiting.values(), *self._growing.values())) + self._spare.bytes
        return kept + sum(template.bytes for template in (*self._templates, *self._resting))

    @property
    def retired(self) -> tuple[Template, ...]:
        """The templates that rest, retired or to make room for a revived one; the one that has rested longest first."""
        return tuple(self._resting)

    def fit(self, page: Page, preserve: tuple[str, ...] = ()) -> Match | None:
        """Match a page with the templates that fit it.

        The template of the page's own kind speaks for it, and the others add the blocks that they know. Where none is
        of its kind, all that fit speak, and a template of its kind is worth a search (``same_page_type``).

        Args:
            page: a page of the site.
            preserve: CSS selectors of what must stay.

        Returns:
            The match, or None if no template fits.
        """
        if self._set is None:
            self._set = TemplateSet((*self._templates, *self._resting))
        match = self._set.match(page, preserve=preserve)
        self._use(match.template)
        if match.template is None:
            self._doubt_own(page)
            return None
        return match

    def _serve_again(self, template: Template) -> None:
        is_known, is_retired = self._resting.pop(template)
        self.is_known = self.is_known or is_known
        self._take_in(template)
        if len(self._templates) > self.limits.templates:
            # it was in use, and must not be learnt anew for that
            self._let_rest(self._templates[-1], is_retired=False)
        if is_retired:
            self._revived.append(template)

    def _use(self, template: Template | None) -> None:
        self._pages += 1
        if template in self._resting:
            self._serve_again(template)
        if template is not None:
            self._used_at[template] = self._pages
            self._templates.remove(template)
            self._templates.insert(0, template)
            self._doubted_at.pop(template, None)
        for doubtful, since in list(self._doubted_at.items()):
            if self._pages - since >= UNUSED_PAGES:
                self._retire(doubtful)

    def _retire(self, template: Template) -> None:
        self._let_rest(template, is_retired=True)
        self._retired.append(template)

    def _let_rest(self, template: Template, *, is_retired: bool) -> None:
        waiting = self._waiting.get(template)
        self._drop(template)
        if waiting is not None:
            self._growing[template.identity] = waiting
        self.rest(template, is_retired=is_retired)

    def rest(self, template: Template, *, is_known: bool = False, is_retired: bool = True) -> None:
        """Keep a template that does not serve now, in case that pages of its kind come after all.

        Args:
            template: the template.
            is_known: whether an earlier crawl learnt it.
            is_retired: whether it is retired; else it made room for another.
        """
        self._resting[template] = is_known, is_retired
        if len(self._resting) > MAX_RETIRED:
            oldest = next(iter(self._resting))
            del self._resting[oldest]
            self._growing.pop(oldest.identity, None)
        self._changed()

    def put_away(self, *, with_templates: bool = True) -> PutAway:
        """What is to be remembered of the site when there is no room for it.

        Args:
            with_templates: whether its templates belong to that; they need not where a store has them.
        """
        waiting = {template.identity: kept for template, kept in self._waiting.items()}
        return PutAway(
            searches=self.searches,
            failures=(self.failures, self._failures_in_a_row),
            templates=self.templates if with_templates else (),
            retired=self.retired if with_templates else (),
            doubted={**self._doubts, **{t.identity: self._pages - since for t, since in self._doubted_at.items()}},
            waiting=WaitingPages(self._spare, {**self._growing, **waiting}),
        )

    def bring_back(self, away: PutAway) -> None:
        """Take in what was remembered of the site."""
        self.searches = away.searches
        self.failures, self._failures_in_a_row = away.failures
        self._doubts = dict(away.doubted)
        if away.waiting is not None:
            self._spare, self._growing = away.waiting.spare, dict(away.waiting.growing)
        for template in away.retired:
            self.rest(template)
        for template in reversed(away.templates):
            self.adopt(template, grows=True)

    def settles(self, match: Match) -> bool:
        """Whether a match is as good as it gets, so that its page is not worth a search."""
        if match.same_page_type or not self.is_known:
            return match.same_page_type
        return match.fits and match.unfamiliar <= MAX_UNFAMILIAR and match.agreement >= KNOWN_AGREEMENT

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

    def learn(self, template: Template, key: Page | None = None) -> Template | None:
        """Close the search with the template it brought.

        Args:
            template: the template.
            key: its key page, as in :meth:`adopt`.

        Returns:
            The template that had to make room, if one had.
        """
        self.searching = False
        self._failures_in_a_row = 0
        return self.adopt(template, grows=True, key=key)

    def _doubt_by(self, key: Page) -> None:
        """Doubt the templates of which a newly learnt page has next to nothing.

        After a redesign this is true of all of them. A template that serves a page again is no longer doubtful.
        """
        for template in self._templates:
            if template.match(key).coverage < LOST:
                self._doubt(template, f"a page of a new kind, {key.url}, has next to nothing of it")

    def _doubt_own(self, page: Page) -> None:
        """Doubt the templates that were learnt from a page with this address, and now do not fit it."""
        for template in self._templates:
            if page.url == template.key_url or page.url in template.page_urls:
                self._doubt(template, f"{page.url} has changed")

    def _doubt(self, template: Template, why: str) -> None:
        if template not in self._doubted_at:
            self._doubted_at[template] = self._pages
            logger.debug("%r is retired unless one of the next %d pages has it: %s", template, UNUSED_PAGES, why)

    def adopt(self, template: Template, *, grows: bool = False, key: Page | None = None) -> Template | None:
        """Take in a template as the most recently used one.

        Args:
            template: the template.
            grows: whether pages may join its voters; not where it was learnt elsewhere, or earlier: then each crawl
                that uses it cleans alike, and no two workers change it at a time. One that comes back grows on.
            key: its key page, if it was just learnt. Templates that do not fit it although they should are from then
                on doubtful.

        Returns:
            The template that had to make room, if one had.
        """
        if key is not None:
            self._doubt_by(key)
        self._take_in(template, grows=grows)
        if len(self._templates) <= self.limits.templates:
            return None
        self.forgotten += 1
        oldest = self._templates[-1]
        self._drop(oldest)
        return oldest

    def _take_in(self, template: Template, *, grows: bool = False) -> None:
        self._templates.insert(0, template)
        self._used_at[template] = self._pages
        if grows or template.identity in self._growing:
            self._let_grow(template)
        if template.identity in self._doubts:
            self._doubted_at[template] = self._pages - self._doubts.pop(template.identity)
        self._changed()

    def _drop(self, template: Template) -> None:
        self._templates.remove(template)
        self._doubted_at.pop(template, None)
        self._waiting.pop(template, None)
        self._used_at.pop(template, None)
        self._changed()

    def _changed(self) -> None:
        self._set = None

    def take_retired(self) -> list[Template]:
        """The templates that were retired since this was last asked: those that no page of the site has any more."""
        retired, self._retired = self._retired, []
        return retired

    def take_revived(self) -> list[Template]:
        """The retired templates that serve again since this was last asked."""
        revived, self._revived = self._revived, []
        return revived

    def fail(self) -> None:
        """Close the search without a template."""
        self.searching = False
        self.failures += 1
        self._failures_in_a_row += 1

    def grow(self, page: Page, votes: int) -> tuple[Template, Template] | None:
        """Let a page join the voters of the template that has just served it.

        Args:
            page: the page, which is of the template's kind.
            votes: votes that make a node template where there are few voters.

        Returns:
            The template as it was and as it has become; None while more pages are waited for.
        """
        template = self._templates[0]
        waiting = self._waiting.get(template)
        if waiting is None or template.knows(page):
            return None
        waiting.add(page)
        if not waiting.is_full:
            return None
        if not waiting:
            # not even one page of this size may be kept
            del self._waiting[template]
            return None
        new = with_voters(template, waiting, votes)
        self._replace(template, new)
        return template, new

    def _let_grow(self, template: Template) -> None:
        voters = len(template.page_urls)
        wanted = next_size(voters, self.limits.voters) - voters
        waiting = self._growing.pop(template.identity, None) or PendingPages(wanted, self.limits.kept_bytes)
        if wanted > 0:
            waiting.max_pages = wanted
            self._waiting[template] = waiting

    def _replace(self, old: Template, new: Template) -> None:
        self._templates[self._templates.index(old)] = new
        self._used_at[new] = self._used_at.pop(old)
        del self._waiting[old]
        self._let_grow(new)
        if old in self._doubted_at:
            self._doubted_at[new] = self._doubted_at.pop(old)
        self._changed()

    def stand_in(self, page: Page, votes: int) -> Template | None:
        """Make a template of pages of one kind that the crawl has seen, where no complete subdigraph was found.

        Args:
            page: a page for which no template of its kind is known. If nothing comes of it, it is kept for the next.
            votes: votes that make a node template where there are few voters.

        Returns:
            The template, which is still to be adopted.
        """
        if self.is_full:
            return None
        like = self._spare.peers_of(page)
        template = template_from_peers(page, like, votes)
        if template is None:
            self._spare.add(page)
        else:
            self._spare.remove(like)
        return template
