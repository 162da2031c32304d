"""How the templates of one site are learnt: which page waits, which searches, which pages vote for which.

A pure machine: no I/O, no clock, no threads. The crawl drives it, and so can anybody who has pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from templex_scrapy.learning.budget import MAX_LONE_VOTERS, Budget
from templex_scrapy.learning.sample import Sample, SampledPage, by_type, most_typical, spread
from templex_scrapy.page import Page
from templex_scrapy.template import (
    FIT_RULES,
    MAX_TEMPLATES,
    NO_SELECTORS,
    Match,
    PageFeatures,
    Selectors,
    Template,
    TemplateSet,
    votes_for,
)

# each voter costs a mapping, and the pages of a type wait for all of them
MAX_VOTERS = 12
"""Pages that vote for a template, at most. With more of them, hardly another node gets or loses its votes."""

FIRST_SAMPLE = 64
"""Pages after which a site is learnt for the first time, if the crawl has so many: a small site in whole."""

FURTHER_SAMPLE = MAX_VOTERS + 1
"""Pages of no known type after which is learnt again: a key page with all voters."""

MAX_SAMPLE_BYTES = 2_000_000
"""Bytes of the compressed pages of a sample."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The page is compared with the templates, and nothing better is to be expected."""

    match: Match


@dataclass(frozen=True, slots=True)
class NeedsVoters:
    """Further pages of the site may tell more about the page."""


@dataclass(frozen=True, slots=True)
class NeedsSearch:
    """The pages that the page links to may tell more about it."""


Verdict = Judged | NeedsVoters | NeedsSearch


@dataclass(frozen=True, slots=True)
class TemplateLearnt:
    """A template is new; a search has found it, or pages that the crawl has met have voted."""

    template: Template
    by_search: bool = False


@dataclass(frozen=True, slots=True)
class TemplateGrown:
    """A template has got further voters."""

    old: Template
    new: Template


@dataclass(frozen=True, slots=True)
class TemplateDropped:
    """A template gave way to one that was used more recently."""

    template: Template


@dataclass(frozen=True, slots=True)
class TemplateBroken:
    """A template has raised when a page was compared with it, and is set aside."""

    template: Template


Event = TemplateLearnt | TemplateGrown | TemplateDropped | TemplateBroken

_T = TypeVar("_T")


class SiteLearning:
    """Learns the templates of one site, and compares pages with them.

    Each page of no mature type joins the sample. When the sample is complete, or no more pages come, the pages are
    grouped by type, and for each type up to :data:`MAX_VOTERS` pages vote for the most typical one. A type is mature
    when it has all voters; until then its template is young. What was sampled decides, and not the order of arrival.

    ============================ ============================ ===================================================
    a page is judged, and        it may wait                  it may not wait
    ============================ ============================ ===================================================
    its type is mature           ``Judged``                   ``Judged``
    the site has no template,    ``NeedsSearch``              as below
    and no search was begun
    its type is young or unknown ``NeedsVoters``, until the   ``Judged`` by the templates that it fits; by one of
                                 caller calls                 its own, if it fits none and two other pages of the
                                 :meth:`voters_arrived`, and  site are known; else ``NeedsSearch``, if it may
                                 it may not wait any longer   search, and ``Judged`` without a template if not
    ============================ ============================ ===================================================

    What is spent is bounded by the number of pages. Templates are made anew when their pages have doubled. So a page
    votes twice at most in its type, and twice in its frame, while pages come. Each time that none come, the pages of a
    type or frame vote again, up to :data:`MAX_VOTERS` of them, if it has got more pages since than have left the
    sample. A page is aligned with three templates at most. All votes for pages that are alone are at most
    :data:`~templex_scrapy.learning.budget.FREE_VOTES` and one for each page.

    Args:
        selectors: the user's selectors.
        votes: votes that a node needs where there are few voters, at least 1.
        max_template_bytes: bytes of the largest template that is kept.
        budget: what it may cost; that of before, when the site was known before.

    Attributes:
        templates: the most recently used first.
        is_searching: whether a search is open.
        nbytes: bytes in memory, roughly, as of the last call.
    """

    def __init__(
        self,
        *,
        selectors: Selectors = NO_SELECTORS,
        votes: int = 2,
        max_template_bytes: int = 10**9,
        budget: Budget | None = None,
    ) -> None:
        self._selectors = selectors
        self._votes = votes
        self._max_template_bytes = max_template_bytes
        self.budget = Budget() if budget is None else budget
        self._sample = Sample(FIRST_SAMPLE, MAX_SAMPLE_BYTES)
        self._reserve: list[SampledPage] = []  # for pages that are alone, when the sample has been used
        # templates that may get further voters, with their pages: those of a type, and those of a frame alone
        self._young: dict[Template, list[SampledPage]] = {}
        self._young_frames: dict[Template, list[SampledPage]] = {}
        self._set = TemplateSet()
        self._has_learnt = False
        self._is_decided = True  # whether the pages that have voted were the last ones
        self._new = 0  # pages since something was learnt
        self._events: list[Event] = []
        self.templates: list[Template] = []
        self.is_searching = False
        self.nbytes = 0

    @property
    def is_complete(self) -> bool:
        """Whether the sample has all the pages that are waited for."""
        return self._new >= (FURTHER_SAMPLE if self._has_learnt else FIRST_SAMPLE)

    def is_due(self, *, wait: bool = False, are_last: bool = False) -> bool:
        """Return whether it pays to learn although more pages may come.

        Args:
            wait: whether the page for whose sake it is asked may wait for them.
            are_last: whether none come; then whether there is anything to learn.
        """
        if are_last:
            return self._new > 0 or not self._is_decided
        return self.is_complete or (not wait and self._new > FIT_RULES.fewest_pages)

    def take_events(self) -> list[Event]:
        """Return what has happened since the last call."""
        events, self._events = self._events, []
        return events

    def judge(self, page: Page, *, learn: bool = True, wait: bool = False, search: bool = False) -> Verdict:
        """Compare a page with the templates, or say what may tell more about it.

        Args:
            page: a page of the site.
            learn: whether something may be learnt from the page.
            wait: whether it may wait for other pages.
            search: whether it may wait for a search.
        """
        return self._without_broken(lambda: self._judge(page, learn=learn, wait=wait, search=search), page)

    def _judge(self, page: Page, *, learn: bool, wait: bool, search: bool) -> Verdict:
        known = self._sample.find(page)
        features = PageFeatures.of(page) if known is None else known.features
        # what the parser has cut off would look as if the page lacked it: a footer behind 3,000 nested quotes
        learn = learn and self.budget.allows_learning and (known is not None or not page.is_cut)
        if learn and self._mature_type_of(features) is None:
            self._take(page, features)
            self._measure()
            if wait:
                # a spider that takes one page of a site would wait in vain for others
                is_first = search and not (self.templates or self.budget.searches)
                return NeedsSearch() if is_first else NeedsVoters()
        match = self.match(page, features)
        if learn and not match.fits:
            # two pages of any type tell frame from text: the imprint has the frame of two stories. Where not even two
            # are known, only a search brings some
            voters = self._others_of(features)
            if len(voters) < FIT_RULES.fewest_pages and search and (self.is_searching or not self.budget.given_up):
                return NeedsSearch()
            if self._learn_lone(page, voters) is not None:
                match = self.match(page, features)
                self._measure()
        return Judged(match)

    def _without_broken(self, work: Callable[[], _T], page: Page) -> _T:
        """Do some work; if a template raises, once more without those that raise when the page is compared with them.

        What a store holds may pass all checks and be no template: one record must not stop the cleaning of a site.
        """
        try:
            return work()
        except Exception:
            broken = [template for template in self.templates if _raises(template, page)]
            if not broken:
                raise
            self._stop_growing(broken)
            self._events += map(TemplateBroken, broken)
            self.templates = [template for template in self.templates if template not in broken]
            self._set = TemplateSet(self.templates)
            return work()

    def _mature_type_of(self, features: PageFeatures) -> Template | None:
        """Return the template of a page, if it gets no further voters."""
        template = self._set.type_of(features)
        return None if template in self._young or template in self._young_frames else template

    def match(self, page: Page, features: PageFeatures | None = None) -> Match:
        """Compare a page with the templates as they are; its features may be given, if they are known."""
        match = self._set.match(page, features=features, selectors=self._selectors)
        _ = match.removal  # a template that raises does so here
        if match.template is not None:
            self.templates.sort(key=lambda template: template is not match.template)
        return match

    def _take(self, page: Page, features: PageFeatures) -> None:
        if self._sample.add(page, features) is not None:
            self._new += 1
            self.budget.page_sampled()

    def begin_search(self) -> None:
        """Note that a search has begun."""
        self.is_searching = True
        self.budget.search_begun()

    def cancel_search(self, *, was_needed: bool = False) -> None:
        """Note that a search has ended without a result: another process has learnt a template, or it has failed."""
        self.is_searching = False
        self.budget.search_cancelled(was_needed=was_needed)

    def end_search(self, key: Page, pages: Sequence[Page] = (), *, loads: int = 0) -> Template | None:
        """Make the template of a key page and its complete subdigraph; until voters arrive it serves the key page only.

        Args:
            key: the key page.
            pages: the largest complete subdigraph.
            loads: candidates that were really loaded. A search that could load none does not count as failed.

        Returns:
            The template; None if the pages are too few, copies, or have too little in common with the key page.
        """
        self.is_searching = False
        template = self._learn_linked(key, pages) if self.budget.allows_learning and not key.is_cut else None
        self.budget.search_ended(has_found=template is not None, loads=loads)
        self._measure()
        return template

    def _learn_linked(self, key: Page, pages: Sequence[Page]) -> Template | None:
        for page in (key, *pages):
            self._take(page, PageFeatures.of(page))
        of_key = self._sample.find(key)
        found = [one for page in pages if (one := self._sample.find(page)) is not None and one is not of_key]
        # copies have one entry in the sample: /news and /news?print=1 would vouch for each other's story
        if of_key is None or len(found) < FIT_RULES.fewest_pages:
            return None
        template = self._voted(key, found, is_lone=True)
        if template is None or not template.match(key).fits:
            return None
        self._put(template, None, by_search=True)
        self._young[template] = [of_key]
        return template

    def voters_arrived(self, *, are_last: bool = True) -> None:
        """Learn from the pages of the sample.

        Args:
            are_last: whether no more pages are to be expected. Else a page without others of its type is not alone yet.

        Complexity:
            O(pages x types) for the types, and a mapping for each vote.
        """
        if not (self._new or (are_last and not self._is_decided)):
            return
        self._new = 0
        types = [(page, self._mature_type_of(page.features)) for page in self._sample]
        self._sample.remove([page for page, template in types if template is not None and not template.is_lone])
        young = [*self._young.items(), *self._young_frames.items()]
        self._stop_growing(template for template, pages in young if not any(page in self._sample for page in pages))
        # a contact page that comes after a thousand stories needs others to be compared with
        if not self._has_learnt or len(self._reserve) < MAX_VOTERS:
            self._reserve = spread([*self._sample, *self._reserve], MAX_VOTERS)
        few: list[SampledPage] = []
        for pages in by_type(self._sample):
            if len(pages) > FIT_RULES.fewest_pages:
                self._learn_type(pages, self._young, are_last=are_last)
            else:
                few += pages
        if are_last:
            self._learn_few(few)
        self._has_learnt, self._is_decided = True, are_last or not self._sample
        self._measure()

    def _learn_few(self, few: list[SampledPage]) -> None:
        """Make the templates of pages that have too few others of their type."""
        # imprint, contact form and jobs have a type each, and one frame: that of their language
        for pages in by_type(few, least_names=0):
            if len(pages) > FIT_RULES.fewest_pages:
                self._learn_type(pages, self._young_frames, are_last=True)
        # votes are few, so those that no template comes near get them first: of two lone pages, the one without a frame
        for lone in sorted(few, key=lambda one: (self._set.highest_likeness(one.features), one.order)):
            young = next((one for one, pages in self._young.items() if one.is_lone and lone in pages), None)
            if young is not None or self._set.type_of(lone.features) is None:
                self._learn_lone(lone.page, self._others_of(lone.features), young)

    def _learn_type(
        self, pages: list[SampledPage], young: dict[Template, list[SampledPage]], *, are_last: bool
    ) -> None:
        """Make the template of a type, or make it anew: with all voters, with twice as many pages, or with the last."""
        known = [template for template, members in young.items() if any(page in members for page in pages)]
        before = max(known, key=lambda template: len(young[template]), default=None)
        if before is not None and len(pages) <= MAX_VOTERS and len(pages) < 2 * len(young[before]):
            # else all pages before it would vote again for each page that a growing type gets
            if not are_last or set(pages) == set(young[before]):
                return
            # of a sample that is full, old pages are dropped: fewer voters would not tell more. Pages that turn out to
            # be of another type are no loss
            if len(set(pages).difference(young[before])) < sum(page not in self._sample for page in young[before]):
                return
        key = most_typical(pages)
        voters = spread([page for page in pages if page is not key], MAX_VOTERS)
        template = self._voted(key.page, voters)
        if template is None:
            return
        for one in known:
            del young[one]
        self._put(template, before)
        # a type of a blog's first ten posts gets better with the next ten; with all voters hardly
        if len(voters) < MAX_VOTERS:
            young[template] = pages
        elif young is self._young:
            self._sample.remove(pages)

    def _put(self, template: Template, before: Template | None, *, by_search: bool = False) -> None:
        """Add a template, in place of the one before it, or of another one with the same key page."""
        same = [one for one in self.templates if one is before or one.identity == template.identity]
        self._stop_growing(same)
        if same:
            self._events += (TemplateGrown(old, template) for old in same)
            self.templates[self.templates.index(same[0])] = template
            self.templates = [one for one in self.templates if one not in same]
        else:
            self.templates.insert(0, template)
            self._events.append(TemplateLearnt(template, by_search))
        # a crawl of years meets ever new designs: the template that no page has fitted for longest gives way
        for dropped in self.templates[MAX_TEMPLATES:]:
            self._stop_growing([dropped])
            self._events.append(TemplateDropped(dropped))
        del self.templates[MAX_TEMPLATES:]
        self._set = TemplateSet(self.templates)

    def _stop_growing(self, templates: Iterable[Template]) -> None:
        """Give templates no further voters: their pages have left the sample, or they are replaced or dropped."""
        for template in templates:
            self._young.pop(template, None)
            self._young_frames.pop(template, None)

    def _others_of(self, features: PageFeatures) -> list[SampledPage]:
        """Return the pages that vote for a page that is alone: any others of the site."""
        known = {one.features.text_digest: one for one in (*self._sample, *self._reserve)}
        known.pop(features.text_digest, None)
        return spread(known.values(), MAX_LONE_VOTERS)

    def _learn_lone(self, page: Page, voters: list[SampledPage], young: Template | None = None) -> Template | None:
        """Make the template of a page that is alone by as many votes as are left, unless they are those it has."""
        before = FIT_RULES.fewest_pages - 1 if young is None else len(young.page_urls)
        voters = voters[: self.budget.votes]
        if len(voters) <= before:
            return None
        self.budget.take_votes(len(voters))
        template = self._voted(page, voters, is_lone=True)
        if template is not None:
            self._put(template, young)
        return template

    def _voted(self, key: Page, voters: Iterable[SampledPage], *, is_lone: bool = False) -> Template | None:
        pages = [voter.page for voter in voters]
        template = Template.from_pages(key, pages, votes_for(len(pages), self._votes), is_lone=is_lone)
        has_voters = len(template.page_urls) >= FIT_RULES.fewest_pages
        return template if has_voters and template.nbytes <= self._max_template_bytes else None

    def add_stored(self, templates: Iterable[Template]) -> int:
        """Add templates that another crawl or another process has learnt; returns how many were not known.

        They get no further voters, so that crawls of the same pages give the same items.

        Args:
            templates: the most recently used first.
        """
        known = {template.identity: template for template in self.templates}
        new = [one for one in templates if one.identity not in known or one.tells_more_than(known[one.identity])]
        replaced = {template.identity for template in new}
        kept = [template for template in self.templates if template.identity not in replaced]
        self.templates = [*new, *kept][:MAX_TEMPLATES]
        self._stop_growing([one for one in (*self._young, *self._young_frames) if one not in self.templates])
        self._set = TemplateSet(self.templates)
        self._measure()
        return len(new)

    def _measure(self) -> None:
        young = [*self._young.values(), *self._young_frames.values()]
        others = {*self._reserve, *(page for pages in young for page in pages)}
        pages = self._sample.nbytes + sum(page.nbytes for page in others if page not in self._sample)
        self.nbytes = pages + sum(template.nbytes for template in self.templates)


def _raises(template: Template, page: Page) -> bool:
    try:
        _ = template.checksums, template.match(page).removal
    except Exception:  # noqa: BLE001 - any of them stops the cleaning
        return True
    return False
