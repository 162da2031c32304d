"""Record a crawl for the report, in bounded memory and with little work for each page."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from templex_scrapy.figures import one_line
from templex_scrapy.inspect.reasons import why_no_template
from templex_scrapy.inspect.removed_texts import RemovedTexts
from templex_scrapy.page import site_of
from templex_scrapy.template import MAX_TEMPLATES

if TYPE_CHECKING:
    from templex_scrapy.archives import ObservedPage
    from templex_scrapy.render import CleanPage
    from templex_scrapy.search import SubdigraphSearch
    from templex_scrapy.template import Template

MAX_SITES = 100  # recorded separately, the first ones: a crawl of 10,000 hosts has the rest in the totals
MAX_TEXT_COUNTS = 100  # templates whose removed texts are counted; each counts up to 4,000 texts
MAX_PROBLEMS = 60  # the last failed searches, and the last pages without a template
MAX_CHANGES = 12  # of a site
READ_PAGES = 40  # pages of a template whose texts are read, the first ones: later pages have few new texts
_MAX_URL = 300  # characters: some shops write the whole state of their filters into a URL


@dataclass(slots=True)
class TemplateRecord:
    """A template of a site.

    Attributes:
        texts: the removed texts, if they are counted.
        voters: pages that voted; 0 if the template is from the store and has not grown.
        pages: pages that the template cleaned.
        coverage: sum of the coverage of these pages.
    """

    texts: RemovedTexts | None
    voters: int = 0
    pages: int = 0
    coverage: float = 0.0


@dataclass(slots=True)
class SiteRecord:
    """A site, or the sums of several sites: pages with items, those that fit no template, and searches.

    Attributes:
        templates: URL of a key page → template.
        changes: what has changed since an earlier crawl, the first changes.
    """

    name: str
    pages: int = 0
    unfit: int = 0
    searches: int = 0
    failed: int = 0
    last_failure: str = ""
    words_before: int = 0
    words_after: int = 0
    templates: dict[str, TemplateRecord] = field(default_factory=dict)
    changes: list[str] = field(default_factory=list)


class Recorder:
    """Records a crawl; the methods have the names of the signals that they receive.

    Attributes:
        sites: name → the sites that are recorded separately.
        others: the sums of all other sites.
        failures: the last key pages whose searches failed, and the reasons.
        reasons: why searches failed → number of searches.
        unfit: the last pages that fit no template, and the reasons.
    """

    def __init__(self) -> None:
        self.sites: dict[str, SiteRecord] = {}
        self.others = SiteRecord("")
        self.failures: deque[tuple[str, str]] = deque(maxlen=MAX_PROBLEMS)
        self.reasons: Counter[str] = Counter()
        self.unfit: deque[tuple[str, str]] = deque(maxlen=MAX_PROBLEMS)
        self._text_counts = 0

    def _site(self, url: str) -> SiteRecord:
        name = site_of(url) or ""
        if name not in self.sites and len(self.sites) < MAX_SITES:
            self.sites[name] = SiteRecord(shown_url(name) or "(no site)")
        return self.sites.get(name, self.others)

    def _template(self, key_url: str) -> TemplateRecord:
        """Return the record of a template; a record that is not kept if the site has too many."""
        site, url = self._site(key_url), shown_url(key_url)
        if url not in site.templates:
            if site is self.others or len(site.templates) >= MAX_TEMPLATES:
                return TemplateRecord(None)
            self._text_counts += 1
            site.templates[url] = TemplateRecord(RemovedTexts() if self._text_counts <= MAX_TEXT_COUNTS else None)
        return site.templates[url]

    def search_ends(self, search: SubdigraphSearch, template: Template | None, cut_short: bool) -> None:  # noqa: FBT001 - a signal
        """Count the search, and why it failed."""
        site = self._site(search.key.url)
        site.searches += 1
        if template is None:
            site.failed += 1
            site.last_failure = why = why_no_template(search, cut_short=cut_short)
            self.reasons[why] += 1
            tried = f"{why} ({search.loads:,} of {len(search.candidates):,} linked pages tried)"
            self.failures.append((shown_url(search.key.url), tried))

    def template_learnt(self, template: Template) -> None:
        """Record the voters of a template."""
        self._template(template.key_url).voters = len(template.page_urls)

    def template_grown(self, old: Template, new: Template) -> None:
        """Record the voters of a template, and the key page, which may be another page now."""
        templates, before, now = self._site(old.key_url).templates, shown_url(old.key_url), shown_url(new.key_url)
        # a template may grow into another that the site has already: the record of each stays
        if before in templates and now not in templates:
            templates[now] = templates.pop(before)
        self.template_learnt(new)

    def template_changed(self, old: Template, new: Template | None, pages: tuple[str, ...], label: str) -> None:
        """Record that pages no longer fit a template of an earlier crawl."""
        site, like = self._site(old.key_url), f"pages like {shown_url(old.key_url)}, such as {shown_url(pages[-1])}"
        now = f"; their template is now that of {shown_url(new.key_url)}" if new is not None else ""
        if len(site.changes) < MAX_CHANGES:
            gone = f"The label {one_line(label, 80)!r} is gone from"
            site.changes.append(f"{gone} {like}." if label else f"A new design: {like}{now}.")

    def page_cleaned(self, clean: CleanPage | ObservedPage) -> RemovedTexts | None:
        """Count the page, for the template if it fits one; return where texts of the page are still to be counted."""
        site = self._site(clean.url)
        site.pages += 1
        if clean.fits:
            record = self._template(clean.template_url)
            record.pages += 1
            record.coverage += clean.coverage
            return record.texts if clean.removed and record.pages <= READ_PAGES else None
        site.unfit += 1
        why = f"no template: {site.last_failure}" if site.last_failure else "no template of the site yet"
        # such as the only article of a shop
        if site.templates:
            why = "the page has too little of the templates of the site"
        self.unfit.append((shown_url(clean.url), "" if site is self.others else why))
        return None

    def item_cleaned(self, clean: CleanPage | ObservedPage) -> None:
        """Count the words of the item."""
        site, (before, after) = self._site(clean.url), clean.words
        site.words_before += before
        site.words_after += after


def shown_url(url: str) -> str:
    """Return a URL on one line, shortened."""
    return one_line(url, _MAX_URL)
