"""Records what happens in a crawl for the report, in bounded memory and with little work for each page."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from templex_scrapy.page import site_of
from templex_scrapy.report.page_texts import RemovedTexts, shown_url
from templex_scrapy.report.pictures import Curve
from templex_scrapy.report.records import Origin, Problem, SiteRecord, TemplateRecord

if TYPE_CHECKING:
    from templex_scrapy.archives import ObservedPage
    from templex_scrapy.render import CleanPage
    from templex_scrapy.search import SubdigraphSearch
    from templex_scrapy.template import Template

# the numbers bound the memory of a crawl of any length, and the length of its report
MAX_SITES = 100  # recorded one by one, the first ones: a crawl of 10,000 hosts has the rest in the totals
MAX_TEXT_COUNTS = 100  # templates of which removed texts are counted; each of them counts up to 4,000 texts
MAX_PROBLEMS = 60  # the last failed searches, and the last pages without a template: why is the same for most
MAX_LISTED_VOTERS = 20  # of a template that was learnt from a whole sample
FIRST_PAGES, EVERY = 20, 10  # pages of a template whose texts are read: the first ones, and then each tenth


class Recorder:
    """Records a crawl; its methods have the names of the signals that they are told of.

    Args:
        clock: returns the time in seconds.

    Attributes:
        sites: name → the sites that are recorded one by one.
        others: the sums of all other sites.
        words: words of the items before and after, over time.
        failures: the last failed searches.
        reasons: why searches failed → number of searches.
        unfit: the last pages that fit no template.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._start = clock()
        self.sites: dict[str, SiteRecord] = {}
        self.others = SiteRecord("")
        self.words = Curve(2)
        self.failures: deque[Problem] = deque(maxlen=MAX_PROBLEMS)
        self.reasons: Counter[str] = Counter()
        self.unfit: deque[Problem] = deque(maxlen=MAX_PROBLEMS)
        self._text_counts = 0

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._start

    def all_sites(self) -> Iterator[SiteRecord]:
        """Yield the recorded sites and the sums of the others."""
        yield from self.sites.values()
        yield self.others

    def _site(self, url: str) -> SiteRecord:
        name = site_of(url) or ""
        found = self.sites.get(name)
        if found is None and len(self.sites) < MAX_SITES:
            found = self.sites[name] = SiteRecord(shown_url(name) or "(no site)")
        return self.others if found is None else found

    def _template(self, key_url: str, origin: Origin) -> TemplateRecord | None:
        site = self._site(key_url)
        found = site.templates.get(shown_url(key_url))
        if found is not None:
            return found
        # a site with too many templates does not show which one it is: that of the thirteenth key page would be added
        # again with each page that it cleans
        if site is self.others or (origin is Origin.STORE and site.further_templates):
            return None
        return site.new_template(shown_url(key_url), self.seconds, origin)

    def search_ends(self, search: SubdigraphSearch, template: Template | None, cut_short: bool) -> None:  # noqa: FBT001 - a signal
        """Record the subdigraph of the template, or why there is none."""
        site = self._site(search.key.url)
        site.searches += 1
        if template is not None:
            # the search may have found the key page of a template that the site has already
            record = self._template(template.key_url, Origin.SEARCH)
            if record is not None:
                record.origin, record.loads = Origin.SEARCH, search.loads
                record.subdigraph = tuple(shown_url(page.url) for page in search.pages)
                record.links_back = search.links_back
                _read(record, template)
            return
        site.failed += 1
        site.last_failure = why = why_failed(search, cut_short=cut_short)
        self.reasons[why] += 1
        why_and_loads = f"{why} ({search.loads:,} of {len(search.candidates):,} looked at)"
        self.failures.append(Problem(shown_url(search.key.url), why_and_loads, self.seconds))

    def template_learnt(self, template: Template) -> None:
        """Record the template."""
        record = self._template(template.key_url, Origin.PEERS)
        if record is not None:
            _read(record, template)

    def template_grown(self, old: Template, new: Template) -> None:
        """Record the number of its pages, and its key page, which may be another one now."""
        site = self._site(old.key_url)
        before, now = shown_url(old.key_url), shown_url(new.key_url)
        # a template may grow into one that the site has already: the record of each stays
        if before in site.templates and now not in site.templates:
            known = site.templates[now] = site.templates.pop(before)
            known.key_url = now
        record = self._template(new.key_url, Origin.STORE)
        if record is not None:
            _read(record, new)

    def page_cleaned(self, clean: CleanPage | ObservedPage) -> TemplateRecord | None:
        """Count the page for its template; return that if the texts of the page are to be read and added to it."""
        if not clean.fits:
            self._page_unfit(clean.url)
            return None
        site = self._site(clean.url)
        site.pages += 1
        record = self._template(clean.template_url, Origin.STORE)
        if record is None:
            return None
        record.pages += 1
        record.lowest = min(record.lowest, clean.coverage)
        record.coverage.add(self.seconds, 1, clean.coverage)
        # each page that is read is parsed a second time; later ones have few texts that are new
        if not clean.removed or (record.pages > FIRST_PAGES and record.pages % EVERY):
            return None
        if record.texts is None and self._text_counts < MAX_TEXT_COUNTS:
            self._text_counts += 1
            record.texts = RemovedTexts()
        return record

    def _page_unfit(self, url: str) -> None:
        """Record the page and why it fits no template."""
        site = self._site(url)
        site.pages += 1
        site.unfit += 1
        self.unfit.append(Problem(shown_url(url), "" if site is self.others else _why_unfit(site), self.seconds))

    def item_cleaned(self, clean: CleanPage | ObservedPage) -> None:
        """Count the words of the item."""
        site, (before, after) = self._site(clean.url), clean.words
        site.words_before += before
        site.words_after += after
        self.words.add(self.seconds, before, after)


def _read(record: TemplateRecord, template: Template) -> None:
    record.nodes = len(template.nodes)
    record.voter_count = len(template.page_urls)
    record.voters = tuple(map(shown_url, template.page_urls[:MAX_LISTED_VOTERS]))


def why_failed(search: SubdigraphSearch, *, cut_short: bool) -> str:
    """Return why a search found no template, in words that many searches share."""
    if cut_short:
        return "the search was ended by its deadline or by the end of the crawl"
    # a page that was saved alone, or whose links need a script
    if not search.candidates:
        return "the key page links to no other page of its site"
    # such as copies of one page under several addresses
    if len(search.pages) >= 2:
        return "the pages that link to each other have too little in common"
    return "no two of the linked pages link to each other and differ"


def _why_unfit(site: SiteRecord) -> str:
    # such as the one page of a shop that is an article
    if site.template_count:
        which = "the template of the site" if site.template_count == 1 else f"any of {site.template_count} templates"
        return f"too little of {which} is in it"
    return f"no template: {site.last_failure}" if site.last_failure else "no template of the site yet"
