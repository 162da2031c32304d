"""A worker for each site: a task that judges the pages, learns from them, searches, stores and sends signals.

Theory of operation. Whoever needs a page cleaned gives the worker a :class:`Job` and awaits it. The task judges the
page with the pure machine :class:`SiteLearning`, and the verdict is the next stage of the job:

==========  ==========================================================  ===============================================
stage       event                                                       then
==========  ==========================================================  ===============================================
``NEW``     the task is free                                            the page is judged
``VOTERS``  the sample is complete, or the crawl brings no more pages   the sample votes; all pages of this stage are
            of the site, or no page may wait longer                     judged again, if need be with less patience
``SEARCH``  the search ends                                             all pages of this stage are judged again
any         ``Judged``                                                  the page is out; if no template fits and enough
                                                                        pages have come, they vote before
==========  ==========================================================  ===============================================

No page may wait longer if a page has waited long enough, too many pages wait, too little room is left, or the crawl is
being closed. A site has a single search at a time. The first page of a site begins it at once, and the search takes
the pages that the crawl brings. It requests further pages only when a page waits for the template.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeVar

from templex_scrapy.crawl import signals
from templex_scrapy.crawl.downloads.candidate_loader import CandidateLoader
from templex_scrapy.crawl.page_executor import THREAD_WEIGHT
from templex_scrapy.crawl.running_crawl import POLL_SECONDS, RunningCrawl
from templex_scrapy.crawl.sites.jobs import Job, Stage
from templex_scrapy.crawl.sites.template_persistence import TemplatePersistence
from templex_scrapy.crawl.sites.template_search import TemplateSearch
from templex_scrapy.crawl.stats import Stat
from templex_scrapy.learning import (
    Event,
    Judged,
    Patience,
    SiteLearning,
    TemplateBroken,
    TemplateChanged,
    TemplateDropped,
    TemplateGrown,
    TemplateLearnt,
    TemplateTooLarge,
)
from templex_scrapy.page import canonical, release, weight
from templex_scrapy.render import CleanPage
from templex_scrapy.template import Match

logger = logging.getLogger(__name__)

_T = TypeVar("_T")


@dataclass(eq=False)
class SiteWorker:
    """The worker of a site; the task lives while there are pages to be cleaned.

    Attributes:
        name: the site, as :func:`templex_scrapy.page.site_of` gives it.
        jobs: the pages to be cleaned, in the order of arrival.
        lock: is held during each piece of work on the site.
        nbytes: bytes in memory, roughly, when it was last used.
    """

    name: str
    learning: SiteLearning
    crawl: RunningCrawl
    loader: CandidateLoader
    persistence: TemplatePersistence
    jobs: dict[Job, None] = field(default_factory=dict)
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    nbytes: int = 0
    _to_be_answered: set[str] = field(default_factory=set)  # addresses of pages that are not judged yet
    _is_loaded: bool = False
    _search: TemplateSearch | None = None
    _task: asyncio.Task[None] | None = None
    _wake: asyncio.Event = field(default_factory=asyncio.Event)
    _calm: int = 0  # polls in a row at which nothing more seemed to come

    async def clean(self, job: Job) -> CleanPage:
        """Clean a page of the site; it may wait for other pages or for a search until then."""
        job.deadline = asyncio.get_running_loop().time() + self.crawl.room.seconds
        self.jobs[job] = None
        if job.links is not None:
            self._to_be_answered.add(canonical(job.page.url) or job.page.url)
        self._wake.set()
        self._start()
        try:
            return await job.done
        finally:
            self.jobs.pop(job, None)
            self._wake.set()
            # a page that could not be judged counts for nothing
            self._answer_for(job, size=0)

    def _start(self) -> None:
        if self._task is None and self._at(Stage.NEW):
            # a task inherits the context in which it is made, which has the response of a page
            self._task = asyncio.get_running_loop().create_task(self._work(), context=contextvars.Context())

    def _at(self, stage: Stage) -> list[Job]:
        return [job for job in self.jobs if job.stage is stage and not job.done.done()]

    @property
    def is_working(self) -> bool:
        """Whether the task is alive."""
        return self._task is not None

    def answer(self, url: str, links: Collection[str] = (), *, size: int = 0) -> None:
        """Note the answer of an address of the site (:meth:`SamplePlan.answer`)."""
        address = canonical(url) or url
        # of a page that is not judged yet, a second request may be dropped
        if not self.learning.is_settled and address not in self._to_be_answered:
            self.learning.plan.answer(address, links, size=size)
        self._wake.set()

    def _answer_for(self, job: Job, *, size: int) -> None:
        """Note the answer of a page: only when the page is in the sample, since pages may come while a sample votes."""
        if job.links is not None:
            links, job.links = job.links, None
            self._to_be_answered.discard(canonical(job.page.url) or job.page.url)
            self.answer(job.page.url, links, size=size)

    async def _work(self) -> None:
        try:
            if not self._is_loaded:
                stored, began = await self.persistence.load(self.name), self.persistence.began
                self.learning.add_stored(record.template for record in stored)
                self.learning.watch(record.template for record in stored if record.learnt < began)
                self._is_loaded = True
            while self.jobs:
                self._wake.clear()
                while new := self._at(Stage.NEW):
                    await self._look_at(new[0])
                await self._go_on()
                if self.jobs and not self._at(Stage.NEW):
                    try:
                        await asyncio.wait_for(self._wake.wait(), POLL_SECONDS)
                    except TimeoutError:
                        self._calm += 1
            if self._search is not None:
                self._search.end()
                await self._search_ended(self._search)
        except BaseException as error:
            told = error if isinstance(error, Exception) else RuntimeError("the crawl has ended")
            for job in self.jobs:
                job.fail(told)
            self.jobs.clear()
            self._search, self.learning.is_searching = None, False
            if told is not error:
                raise
        finally:
            self._task = None
            self.crawl.room.fill(self.name, ())
            self._start()

    async def _look_at(self, job: Job) -> None:
        """Judge a page, and clean it unless it should wait."""
        if job.done.done():
            return  # the callback was cancelled

        def work() -> tuple[Match, CleanPage] | Patience:
            verdict = self.learning.judge(job.page, learn=job.learn, patience=job.patience)
            if not isinstance(verdict, Judged):
                release(job.page)
                return verdict
            return verdict.match, self.crawl.render(verdict.match)

        try:
            # a page that may not wait has other pages of the sample read, which may be heavy
            reads_others = job.patience is not Patience.VOTERS and self.learning.has_unread
            outcome = await self.use(THREAD_WEIGHT if reads_others else weight(job.page.text), work)
        except Exception as error:  # noqa: BLE001 - whoever waits for the page reports it
            job.fail(error)
            return
        self._answer_for(job, size=len(job.page.text) if job.learn else 0)
        if not isinstance(outcome, tuple):
            if job.stage is Stage.NEW:
                self.crawl.count(Stat.PAGES_WAITED)
            job.stage = Stage.VOTERS if outcome is Patience.VOTERS else Stage.SEARCH
            return
        match, clean = outcome
        # the page may be the third of a type, so that it can vote with the other two
        if job.learn and not match.fits and self.learning.is_due and not job.has_voted:
            job.has_voted = True
            await self._learn()
            await self._look_at(job)
            return
        # a store that is full drops the least recently used templates
        if match.template is not None:
            self.persistence.used(self.name, match.template)
        if not job.done.done():
            job.done.set_result(clean)

    async def _go_on(self) -> None:
        """Release the pages that wait, if it is time, and go on with the search."""
        waiting = self._at(Stage.VOTERS)
        # the first page of a site is a key page, whose subdigraph costs no request while the crawl goes on
        if waiting and not (self.learning.is_settled or self.learning.budget.searches):
            await self._begin_search(waiting[0])
        self.crawl.room.fill(self.name, (job.size for job in waiting))
        if waiting:
            await self._release(waiting)
        await self._step()
        if self._search is None and (searching := self._at(Stage.SEARCH)):
            await self._begin_search(searching[0])
            self._wake.set()

    async def _release(self, waiting: list[Job]) -> None:
        """Learn and judge the pages again, if the sample is complete or they must not wait any longer."""
        crawl, room = self.crawl, self.crawl.room
        must = (
            crawl.is_closing
            or room.is_short_for(self.name)
            or len(waiting) >= room.pages
            or asyncio.get_running_loop().time() >= min(job.deadline for job in waiting)
            or self._has_all()
        )
        is_complete = self.learning.is_complete
        if not (is_complete or must):
            return
        # pages that link each other vote first
        await self._step()
        # pages of types that the first sample lacks go on waiting for each other, once
        may_wait = is_complete and not must and not self.learning.is_settled
        # a crawl that is being closed requests nothing more
        longest = Patience.NONE if crawl.is_closing else Patience.VOTERS if may_wait else Patience.SEARCH
        await self._learn()
        room.fill(self.name, ())
        for job in waiting:
            job.patience = min(job.patience, longest)
            await self._look_at(job)

    def _has_all(self) -> bool:
        """Return whether nothing more comes of the site, as far as the spider's requests tell."""
        downloads, crawl = self.loader.downloads, self.crawl
        is_ahead = downloads.has_ahead(self.name)
        if downloads.is_busy(self.name) or (is_ahead and crawl.has_requests):
            self._calm = 0
            return False
        # requests that a middleware holds, or that start() is still to yield, are unknown
        return self._calm > 2 or not (is_ahead or crawl.is_starting)

    async def _learn(self) -> None:
        """Let the pages of the sample vote, if that pays; templates of other processes are loaded before."""
        learning = self.learning
        if not (learning.is_complete or learning.is_due):
            return
        stored = await self.persistence.load_changed(self.name)
        if stored is not None:
            learning.add_stored(record.template for record in stored)
        await self.use(THREAD_WEIGHT, learning.learn)

    async def use(self, page_weight: int, work: Callable[[], _T]) -> _T:
        """Do a piece of work on the site, as :meth:`PageExecutor.do` does, and store new templates."""
        async with self.lock:
            result = await self.crawl.executor.do(page_weight, work)
        for event in self.learning.take_events():
            await self._publish(event)
        return result

    async def _publish(self, event: Event) -> None:
        crawl, persistence = self.crawl, self.persistence
        match event:
            case TemplateLearnt(template, by_search):
                crawl.count(Stat.SEARCHES_LEARNT if by_search else Stat.TEMPLATES_FROM_PEERS)
                crawl.send(signals.template_learnt, template=template)
                # it serves the type until the site is learnt; the next crawl should learn the type as well
                await persistence.save(self.name, template.as_lone() if by_search else template)
            case TemplateGrown(old, new):
                crawl.count(Stat.TEMPLATES_GROWN)
                crawl.send(signals.template_grown, old=old, new=new)
                await persistence.save(self.name, new, old)
            case TemplateDropped(template):
                crawl.send(signals.template_dropped, template=template)
                await persistence.forget(self.name, template)
            case TemplateBroken(template):
                crawl.count(Stat.STORE_ERRORS)
                logger.warning("A template of %s fails, and is learnt anew: %r", self.name, template)
                await persistence.forget(self.name, template)
            case TemplateTooLarge(url):
                if not crawl.crawler.stats.get_value(Stat.TEMPLATES_TOO_LARGE.value):
                    why = "the template takes more than a fifth of TEMPLEX_MEMORY; pages of this type are not cleaned"
                    logger.warning("%s: %s", url, why)
                crawl.count(Stat.TEMPLATES_TOO_LARGE)
            case TemplateChanged(old, changed_to, pages, label):
                told = f"the label {label!r} is gone from" if label else "a new design:"
                logger.warning("%s: %s pages like %s, such as %s", self.name, told, old.key_url, pages[-1])
                crawl.count(Stat.TEMPLATES_CHANGED)
                told_to = {"old": old, "new": changed_to, "pages": pages, "label": label}
                crawl.send(signals.template_changed, site=self.name, **told_to)

    async def _begin_search(self, job: Job) -> None:
        self.learning.begin_search()
        self._search = await TemplateSearch.begin(self.crawl, self.loader, job, self._wake.set)

    async def _step(self) -> None:
        """Go on with the search, if there is one."""
        search = self._search
        if search is not None and await search.step(is_needed=bool(self._at(Stage.SEARCH)), has_all=self._has_all()):
            await self._search_ended(search)

    async def _search_ended(self, search: TemplateSearch) -> None:
        """Make the template of the complete subdigraph, and judge the waiting pages again."""
        self._search = None
        # a page does not search twice
        if search.was_needed:
            search.job.patience = Patience.NONE
        crawl, learning, subdigraph = self.crawl, self.learning, search.subdigraph
        if search.is_cut:
            crawl.count(Stat.SEARCHES_CUT_SHORT)
        template = await self.use(
            sum(weight(page.text) for page in (subdigraph.key, *subdigraph.pages)),
            lambda: learning.end_search(subdigraph.key, subdigraph.pages, loads=search.usable),
        )
        crawl.send(signals.search_ends, search=subdigraph, cut_short=search.is_cut, template=template)
        if learning.budget.given_up:
            crawl.count(Stat.SITES_GIVEN_UP)
            logger.info("%s: no further search after %d", self.name, learning.budget.searches)
        for job in self._at(Stage.SEARCH):
            if crawl.is_closing:
                job.patience = Patience.NONE
            await self._look_at(job)
