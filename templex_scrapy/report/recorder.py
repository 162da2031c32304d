"""Takes down what the report tells, while the crawl runs; in a bounded amount of memory, however long it runs."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from templex_scrapy.crawl.observer import Observer
from templex_scrapy.page import site_of
from templex_scrapy.report.bounded import Bins, Spread
from templex_scrapy.report.excerpt import address, excerpt_of
from templex_scrapy.report.sites import End, Origin, SiteRecord, TemplateRecord
from templex_scrapy.report.subdigraph import Subdigraph

if TYPE_CHECKING:
    from templex_scrapy.crawl.candidate_loader import SearchResult
    from templex_scrapy.render import CleanPage
    from templex_scrapy.search import SubdigraphSearch
    from templex_scrapy.template import Template

MAX_SITES = 300
"""Sites that are told one by one: the first ones that come."""

MAX_COUNTED_SITES = 50_000
"""Further sites that are counted."""

FAILURES = 60
"""Failed searches that are listed."""

UNFIT = 60
"""Pages that fit nothing that are listed."""


MAX_SAMPLE = 500_000
"""Characters of the largest page that becomes a sample: it is parsed once more, and the crawl waits for it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A search that failed: its key page, why it did, when (seconds after the start), and what it had looked at."""

    key_url: str
    why: str
    at: float
    loads: int
    candidates: int


@dataclass(frozen=True, slots=True)
class Unfit:
    """A page that fits nothing, why, and when (seconds after the start)."""

    url: str
    why: str
    at: float


class Recorder(Observer):
    """Takes down what happens.

    Memory: the sites, their templates, samples and lists have limits; time series have a fixed number of bins.

    Args:
        clock: tells the time in seconds.

    Attributes:
        sites: the sites that are told one by one, by name.
        savings: over time, items whose page fits a template, and their bytes and words before and after.
        pages: over time, pages that a template served and pages that fit none.
        failures: failed searches.
        reasons: why → number of searches that failed for it.
        unfit: pages that fit no template.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = clock()
        self.sites: dict[str, SiteRecord] = {}
        self._others = SiteRecord("")
        self._other_sites: set[int] = set()
        self.savings = Bins(5)
        self.pages = Bins(2)
        self.failures: Spread[Failure] = Spread(FAILURES)
        self.reasons: Counter[str] = Counter()
        self.unfit: Spread[Unfit] = Spread(UNFIT)

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    @property
    def is_empty(self) -> bool:
        """Whether nothing has happened so far."""
        return not self.sites

    @property
    def further_sites(self) -> int:
        """Number of sites that are not told one by one, as far as they are counted."""
        return len(self._other_sites)

    @property
    def others(self) -> SiteRecord:
        """What was counted of all these sites together."""
        return self._others

    def _site(self, url: str) -> SiteRecord:
        name = site_of(url) or ""
        found = self.sites.get(name)
        if found is None and len(self.sites) < MAX_SITES:
            found = self.sites[name] = SiteRecord(address(name) or "(no site)")
        if found is None:
            found = self._others
            if len(self._other_sites) < MAX_COUNTED_SITES:
                self._other_sites.add(hash(name))
        return found

    def search_ends(
        self, search: SubdigraphSearch, result: SearchResult, template: Template | None, *, too_large: bool = False
    ) -> None:
        """Take down the template, or why there is none."""
        site, at = self._site(search.key.url), self.seconds
        site.searches += 1
        if template is not None:
            if site is not self._others:
                subdigraph = Subdigraph.of(search.key, result.pages)
                site.add_template(address(search.key.url), at, Origin.SEARCH, subdigraph, search.loads)
            return
        site.failed += 1
        site.last_failure = why = why_failed(search, result, too_large=too_large)
        self.reasons[why] += 1
        self.failures.offer(lambda: Failure(address(search.key.url), why, at, search.loads, len(search.candidates)))

    def template_stands_in(self, template: Template) -> None:
        """Take down the template."""
        site = self._site(template.key_url)
        if site is not self._others:
            record = site.add_template(address(template.key_url), self.seconds, Origin.STAND_IN)
            if record is not None:
                record.kin = tuple(map(address, template.page_urls))

    def template_grows(self, old: Template, new: Template) -> None:
        """Count the pages that have joined."""
        record = self._known(new)
        if record is not None:
            record.joined += len(new.page_urls) - len(old.page_urls)

    def template_retired(self, template: Template) -> None:
        """Take down when."""
        self._end(template, "retired, since no page had it any more,")

    def template_revived(self, template: Template) -> None:
        """Take down that its end was none."""
        record = self._known(template)
        if record is not None:
            record.end = None

    def template_forgotten(self, template: Template) -> None:
        """Take down when."""
        self._end(template, "made room for another")

    def _end(self, template: Template, what: str) -> None:
        record = self._known(template)
        if record is not None:
            record.end = End(what, self.seconds)

    def _known(self, template: Template) -> TemplateRecord | None:
        return self._site(template.key_url).current.get(address(template.key_url))

    def page_cleaned(self, cleaned: CleanPage) -> None:
        """Count the page for its template, and perhaps keep it as a sample."""
        site, at = self._site(cleaned.url), self.seconds
        site.pages += 1
        self.pages.add(at, 1, 0)
        if site is self._others:
            return
        record = self._template(site, address(cleaned.template_url), at)
        if record is not None:
            record.serve(at, cleaned.coverage)
        if cleaned.removed and len(cleaned.source) <= MAX_SAMPLE:
            site.samples.offer(lambda: excerpt_of(cleaned))

    def _template(self, site: SiteRecord, key_url: str, at: float) -> TemplateRecord | None:
        known = site.current.get(key_url)
        # one whose coming was not seen has come from the store
        return known if known is not None or site.further_templates else site.add_template(key_url, at, Origin.STORE)

    def page_unfit(self, url: str) -> None:
        """Take down the page and why nothing fits."""
        site, at = self._site(url), self.seconds
        site.pages += 1
        site.unfit += 1
        self.pages.add(at, 0, 1)
        self.unfit.offer(lambda: Unfit(address(url), "" if site is self._others else _why_unfit(site), at))

    def item_cleaned(self, cleaned: CleanPage) -> None:
        """Add up what was saved."""
        site = self._site(cleaned.url)
        sizes = (_bytes(cleaned.source), _bytes(cleaned.html), *cleaned.words)
        site.bytes_before += sizes[0]
        site.bytes_after += sizes[1]
        site.words_before += sizes[2]
        site.words_after += sizes[3]
        self.savings.add(self.seconds, 1, *sizes)


def why_failed(search: SubdigraphSearch, result: SearchResult, *, too_large: bool = False) -> str:
    """Why a search brought no template, in a few words that many searches share."""
    if too_large:
        return "the template takes more memory than TEMPLEX_TEMPLATE_MEMORY allows"
    if result.cut_short:
        return "the crawl was closing"
    if not search.candidates:
        return "the key page links to no other page of its site"
    if len(result.pages) >= 2:
        return "the pages that link each other have too little in common"
    if result.timed_out:
        return "the time was up before two pages were found that link each other"
    return "no two of the linked pages link each other and differ"


def _why_unfit(site: SiteRecord) -> str:
    if site.templates:
        number = len(site.templates) + site.further_templates
        what = "the site's template" if number == 1 else f"each of the site's {number} templates"
        return f"it has too little of {what}"
    return f"no template: {site.last_failure}" if site.last_failure else "no template of the site yet"


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
