"""Learn the templates of a site: decide which page waits, which page searches, and which pages vote for which.

A pure machine: no I/O, no clock, no threads. The crawl drives it, and so can anybody who has pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum, IntEnum
from itertools import islice, takewhile

from templex_scrapy.learning.budget import MAX_LONE_VOTERS, Budget
from templex_scrapy.learning.drift import Drift
from templex_scrapy.learning.events import Event, TemplateBroken, TemplateDropped, TemplateGrown, TemplateLearnt
from templex_scrapy.learning.sample import Sample, SampledPage
from templex_scrapy.learning.sample_plan import SamplePlan
from templex_scrapy.learning.voting import MAX_VOTERS, Voting, shuffled, spread
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
    site_texts_of,
    sound_templates,
)

FIRST_SAMPLE = 40
"""Pages from which a site is learnt: 40 are within .004 word F1 of all pages."""

FURTHER_SAMPLE = 40
"""Pages of no known type after which is learnt again."""

MAX_ARRIVED = 200
"""Pages after which a site is learnt although some of the first sample are missing: as many as may wait."""

MAX_SAMPLE_BYTES = 6_000_000
"""Bytes of the compressed pages of a sample with their features, until it has voted: twice those of 3 MB of pages."""


class Patience(IntEnum):
    """The other pages that a page may wait for."""

    NONE = 0
    SEARCH = 1
    """Those that a search loads, to which the page links."""
    VOTERS = 2
    """Those of a search, and those that the site is learnt from."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The page is compared with the templates, and nothing better is to be expected."""

    match: Match
    templates: TemplateSet


Verdict = Judged | Patience
"""A judged page, or what may tell more about the page: other pages of the site, or those that it links to."""


class Phase(Enum):
    """How far a site is learnt.

    ==================== =========================================================== =========
    phase                event                                                       new phase
    ==================== =========================================================== =========
    SAMPLING, HAS_VOTED  ``learn()`` makes templates of a part of the first sample   HAS_VOTED
    SAMPLING, HAS_VOTED  ``learn()`` makes no template of a part of the first sample SAMPLING
    SAMPLING, HAS_VOTED  ``learn()`` when the first sample is complete               SETTLED
    any, no page sampled ``add_stored()`` of a template that serves a type           SETTLED
    any, no page sampled ``add_stored()`` of templates that serve single pages       SAMPLING
    SETTLED              the last template of the first sample or the store fails    SAMPLING
    ==================== =========================================================== =========
    """

    SAMPLING = "the first sample has made no template yet"
    HAS_VOTED = "a part of the first sample has made templates, which serve until more of the sample votes"
    SETTLED = "the templates stand, and only pages of other types are sampled"


class SiteLearning:
    """Learns the templates of a site, and compares pages with them.

    First learn, then clean: the :attr:`plan` chooses the first sample, and the pages wait until the sample is
    complete. The sample is grouped by type. For each type up to :data:`MAX_VOTERS` pages vote for the most typical
    page. From then on these templates stand: the items depend on the pages of the sample and on no other page. Pages
    of other types are sampled later, and wait for each other.

    ============================ ============================ ===================================================
    the site, and the page       it may wait for voters       it may not
    ============================ ============================ ===================================================
    is learnt; of a known type   ``Judged``                   ``Judged``
    is not learnt, or the page   ``VOTERS``, until the        ``Judged`` by the templates that it fits; by one of
    is of no known type          caller calls :meth:`learn`   its own, if it fits none and two other pages of the
                                                              site are known; else ``SEARCH``, if it may
                                                              search, and ``Judged`` without a template if not
    ============================ ============================ ===================================================

    The pages of a sample may vote before it is complete, when they can wait no longer: each time that it has
    grown by half. The votes are bounded by that: :data:`MAX_VOTERS` for a type, :data:`MAX_LONE_VOTERS` for a page that
    is alone, and of these at most :data:`~templex_scrapy.learning.budget.FREE_VOTES` and one for each page.

    Args:
        selectors: the user's selectors.
        votes: votes that a node needs where there are few voters, at least 1.
        max_template_bytes: bytes of the largest template that is kept.
        budget: the searches and votes that are left; the budget of before, if the site was known before.
        max_pages: pages of the first sample.
        max_bytes: bytes of the compressed pages of a sample.
        hold: whether the pages stay in memory anyway, so that the sample need not compress them.

    Attributes:
        plan: the addresses of the first sample.
        templates: the most recently used first.
        alone: addresses of the pages of types that the samples have only once or twice.
        nbytes: bytes in memory, roughly, as of the last call.
    """

    def __init__(
        self,
        *,
        selectors: Selectors = NO_SELECTORS,
        votes: int = 2,
        max_template_bytes: int = 10**9,
        budget: Budget | None = None,
        max_pages: int = FIRST_SAMPLE,
        max_bytes: int = MAX_SAMPLE_BYTES,
        hold: bool = False,
    ) -> None:
        self._selectors = selectors
        self._max_pages = max_pages
        self.budget = Budget() if budget is None else budget
        self.plan = SamplePlan(max_pages)
        self.phase = Phase.SAMPLING
        self._sample = Sample(max(max_pages, MAX_ARRIVED), max_bytes, self.plan.rank, hold=hold)
        self._new_pages = 0  # of the sample, since something was learnt
        self._reserve: list[SampledPage] = []  # pages of the first sample, which vote for pages that come alone later
        self._events: list[Event] = []
        self._voting = Voting(votes, max_template_bytes, self._events.append)
        self._drift = Drift()
        self.templates: list[Template] = []
        self._template_set = TemplateSet()  # of the templates
        self._standing = TemplateSet()  # those of the first sample, or of an earlier crawl: they stay
        self._provisional: list[Template] = []  # made before the site is settled: a sample that votes replaces them
        self.alone: list[str] = []
        self.is_searching = False
        self.nbytes = 0  # kept here, since the event loop asks while a thread changes the sample

    @property
    def is_settled(self) -> bool:
        """Whether the first sample was complete, or an earlier crawl has learnt types."""
        return self.phase is Phase.SETTLED

    @property
    def is_complete(self) -> bool:
        """Whether the sample has all the pages that are waited for."""
        if self.is_settled:
            return self._new_pages >= FURTHER_SAMPLE
        return self._new_pages > 0 and (self.plan.is_complete or len(self._sample) >= MAX_ARRIVED)

    @property
    def has_unread(self) -> bool:
        """Whether pages of the sample are still to be read, which takes as long as to clean them."""
        return self._sample.has_unread

    @property
    def is_due(self) -> bool:
        """Whether so many pages have come since something was learnt that it pays to learn although more may come."""
        return self._new_pages > 0 and (self.is_settled or 3 * self._new_pages >= len(self._sample))

    def take_events(self) -> list[Event]:
        """Return the events since the last call."""
        events = self._events.copy()
        self._events.clear()
        return events

    def judge(self, page: Page, *, learn: bool = True, patience: Patience = Patience.NONE) -> Verdict:
        """Compare a page with the templates, or say which pages may tell more about it."""
        try:
            return self._judge(page, learn=learn, patience=patience)
        except Exception as error:  # noqa: BLE001 - raised again if no template is at fault
            self._set_aside(page, error)
            return self._judge(page, learn=learn, patience=patience)

    def _judge(self, page: Page, *, learn: bool, patience: Patience) -> Verdict:
        may_learn = learn and self.budget.max_searches > 0
        is_new_site = not (self.is_settled or self._standing.templates)
        if may_learn and is_new_site and patience is Patience.VOTERS:
            self._take(page)  # it is read when it votes
            return patience
        features = PageFeatures.of(page)
        may_learn = may_learn and not page.is_cut
        templates = self._templates_for(features) if self.is_settled else self._standing
        is_known = templates.type_of(features) is not None
        if may_learn and not is_known:
            # a page that has voted already tells nothing new
            if features.text_digest not in self._voting.voted:
                self._take(page, features)
            if patience is Patience.VOTERS:
                return patience
        match = self.match(page, features)
        if may_learn and not match.fits:
            # two pages of any type tell frame from text: the imprint has the frame of two stories. Where not even two
            # are known, only a search brings some
            voters = self._voters_for(features)
            may_search = patience >= Patience.SEARCH and (self.is_searching or not self.budget.given_up)
            if len(voters) < FIT_RULES.fewest_pages and may_search:
                return Patience.SEARCH
            voters = voters[: self.budget.votes]
            if len(voters) >= FIT_RULES.fewest_pages:
                self.budget.votes -= len(voters)
                for template in self._voting.of_page(page, voters, is_lone=True):
                    self._put(template)
                    match = self.match(page, features)
                    self._measure()
        if learn:
            self._events += self._drift.see(match)
        return Judged(match, self._templates_for(features))

    def _set_aside(self, page: Page, error: Exception) -> None:
        """Set templates aside that raise at a page. A site without standing templates is a new one."""
        sound = sound_templates(self.templates, page, error)
        broken = [template for template in self.templates if template not in sound]
        self._events += map(TemplateBroken, broken)
        self._drift = Drift()  # pages that a broken template served are no new design
        self.templates = sound
        self._template_set = TemplateSet(sound)
        self._standing = TemplateSet(template for template in self._standing.templates if template not in broken)
        if self.is_settled and not self._standing.templates:
            self.phase = Phase.SAMPLING

    def match(self, page: Page, features: PageFeatures | None = None) -> Match:
        """Compare a page with the templates as they are; ``features`` are those of the page, if they are known."""
        features = PageFeatures.of(page) if features is None else features
        match = self._templates_for(features).match(page, features=features, selectors=self._selectors)
        _ = match.removal  # a template that raises does so here
        if match.template is not None:
            self.templates.sort(key=lambda template: template is not match.template)
        return match

    def _templates_for(self, features: PageFeatures) -> TemplateSet:
        # templates that are learnt later change nothing for pages of the types that the first sample has
        is_standing = self._standing.type_of(features) is not None
        return self._standing if is_standing else self._template_set

    def _take(self, page: Page, features: PageFeatures | None = None) -> None:
        before = self._sample.size_when_added
        if self._sample.add(page, features):
            self._new_pages += 1
            self.budget.votes += 1
        # _measure() would ask each page of the sample, for each page that arrives
        self.nbytes += self._sample.size_when_added - before

    def begin_search(self) -> None:
        """Note that a search has begun."""
        self.is_searching = True
        self.budget.searches += 1

    def end_search(self, key: Page, pages: Sequence[Page] = (), *, loads: int = 0) -> Template | None:
        """Make the template of a complete subdigraph with the key page. The template serves until the sample votes.

        If the sample has voted, the template is kept only if the key page fits no other, and serves no further page.

        Args:
            key: the key page.
            pages: the largest complete subdigraph. If they are too few, copies, or unlike the key page, none is made.
            loads: candidates that were really loaded. A search that could load none does not count as failed.
        """
        self.is_searching = False
        template = self._learn_linked(key, pages) if self.budget.max_searches > 0 and not key.is_cut else None
        self.budget.search_ended(has_found=template is not None, loads=loads)
        self._measure()
        return template

    def _learn_linked(self, key: Page, pages: Sequence[Page]) -> Template | None:
        sampled = [SampledPage(page, PageFeatures.of(page), hold=self._sample.hold) for page in (key, *pages)]
        # copies have the same text: /news and /news?print=1 would vouch for each other's story
        by_text = {page.features.text_digest: page for page in reversed(sampled)}
        of_key = by_text.pop(sampled[0].features.text_digest)
        if len(by_text) < FIT_RULES.fewest_pages:
            return None
        # a search that ends late must not change what serves pages: the next crawl would clean them differently
        is_late = self.phase is not Phase.SAMPLING
        for template in self._voting.of_page(key, list(reversed(by_text.values())), is_lone=is_late):
            if template.match(key).fits:
                self._voting.linked |= {of_key.features.text_digest, *by_text}
                self._reserve = spread([*self._reserve, of_key, *by_text.values()], MAX_VOTERS)
                if not (is_late and isinstance(now := self.judge(key, learn=False), Judged) and now.match.fits):
                    self._put(template, by_search=True)
                return template
        return None

    def learn(self) -> None:
        """Learn from the pages of the sample: O(pages x types) for the types, and a mapping for each vote."""
        if not self._new_pages:
            return
        # the template of another process may raise as soon as it is asked for types, which the votes do
        for first in islice(self._sample, 1):
            try:
                self._template_set.type_of(first.features)
            except Exception as error:  # noqa: BLE001 - raised again if no template is at fault
                self._set_aside(first.page, error)
        is_complete, self._new_pages = self.is_complete, 0
        if self.is_settled:
            self._learn_further()
        else:
            self._learn_first(is_complete=is_complete)
        self._measure()

    def _learn_first(self, *, is_complete: bool) -> None:
        """Learn from the first sample, or from the part that has arrived."""
        # the plan is forgotten if the templates of the first sample failed
        is_planned = self.plan.is_complete and len(self.plan) > 0
        planned = takewhile(lambda page: not is_planned or self.plan.rank(page.url) < self.plan.end, self._sample)
        pages = shuffled(islice(planned, self._max_pages))
        self._voting.site_texts = site_texts_of([page.texts for page in pages])
        if not pages:
            return
        templates, few = self._voting.of_sample(pages)
        self.alone = [page.url for page in few][-FURTHER_SAMPLE:]
        # a template takes the place of one that has been made before with the same pages
        before, self._provisional = self._provisional, []
        for template in templates:
            urls = {template.key_url, *template.page_urls}
            old = next((old for old in before if old.key_url in urls and old.is_lone == template.is_lone), None)
            if old is not None:
                before.remove(old)
            self._put(template, old)
        self._drop(before)
        self.phase = Phase.HAS_VOTED if self._provisional else Phase.SAMPLING
        self._reserve = spread(pages, MAX_VOTERS)
        if is_complete:
            self.phase = Phase.SETTLED
            self._standing = self._template_set = TemplateSet(self.templates)
            self._provisional.clear()
            self.plan.forget()
            self._keep_lone(pages)

    def _learn_further(self) -> None:
        """Learn from pages of types that are new to a settled site."""
        pages = shuffled(self._sample)
        templates, few = self._voting.of_sample(pages, reserve=self._reserve, known=self.templates)
        self.alone = list(dict.fromkeys([*self.alone, *(page.url for page in few)]))[-FURTHER_SAMPLE:]
        for template in templates:
            self._put(template)
        self._voting.voted = frozenset(page.features.text_digest for page in pages)
        self._keep_lone(pages)

    def _keep_lone(self, pages: list[SampledPage]) -> None:
        """Leave those of the pages that are alone of their type in the sample: they may get company."""
        types = {page: self._template_set.type_of(page.features) for page in pages}
        lone = [page for page, template in types.items() if template is None or template.is_lone]
        in_company = {page.url for page in pages}.difference(page.url for page in lone)
        self._drop([template for template in self.templates if template.is_lone and template.key_url in in_company])
        self._sample.keep(lone[:FURTHER_SAMPLE])

    def _put(self, template: Template, before: Template | None = None, *, by_search: bool = False) -> None:
        """Add a template, in place of ``before`` or of another template with the same key page."""
        same = [old for old in self.templates if old is before or old.identity == template.identity]
        if same:
            self._events += (TemplateGrown(old, template) for old in same if old != template)
            self.templates[self.templates.index(same[0])] = template
            self.templates = [kept for kept in self.templates if kept not in same or kept is template]
        else:
            self.templates.insert(0, template)
            self._events.append(TemplateLearnt(template, by_search))
        if not self.is_settled:
            self._provisional.append(template)
        # a crawl of years meets ever new designs: the template that no page has fitted for longest gives way
        self._drop(self.templates[MAX_TEMPLATES:])

    def _drop(self, templates: list[Template]) -> None:
        dropped = [template for template in templates if template in self.templates]
        self._events += map(TemplateDropped, dropped)
        self.templates = [template for template in self.templates if template not in dropped]
        self._template_set = TemplateSet(self.templates)

    def _voters_for(self, features: PageFeatures) -> list[SampledPage]:
        """Return the pages that vote for a page that is alone: any others of the site."""
        # to read all pages that wait would take long
        sampled = self._sample.read(more=MAX_LONE_VOTERS)
        known = {page.features.text_digest: page for page in (*sampled, *self._reserve)}
        known.pop(features.text_digest, None)
        return spread(shuffled(known.values()), MAX_LONE_VOTERS)

    def watch(self, templates: Iterable[Template]) -> None:
        """Report from now on, as events, that pages no longer fit templates of an earlier crawl."""
        self._drift = Drift(templates)

    def add_stored(self, templates: Iterable[Template]) -> int:
        """Add templates that another crawl or another process has learnt; returns how many were not known.

        They get no further voters, so that crawls of the same pages give the same items. The last used come first.
        """
        known = {template.identity: template for template in self.templates}
        new = [new for new in templates if new.identity not in known or new.tells_more_than(known[new.identity])]
        replaced = {template.identity for template in new}
        kept = [template for template in self.templates if template.identity not in replaced]
        self.templates = [*new, *kept][:MAX_TEMPLATES]
        self._template_set = TemplateSet(self.templates)
        # a crawl that has begun to learn goes on
        if new and not len(self._sample):
            self._standing = self._template_set
            self._voting.site_texts = next(filter(None, (template.site_texts for template in self.templates)), {})
            # the template of a search serves only the key page
            self.phase = Phase.SETTLED if self._standing.serves_types else Phase.SAMPLING
        self._measure()
        return len(new)

    def _measure(self) -> None:
        reserve = sum(page.nbytes for page in self._reserve if page not in self._sample)
        self.nbytes = self._sample.nbytes + reserve + sum(template.nbytes for template in self.templates)
