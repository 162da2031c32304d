"""What the report knows of a site and of its templates."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from templex_scrapy.render import MenuLink
from templex_scrapy.report.page_texts import Excerpt, PageTexts, RemovedTexts
from templex_scrapy.report.pictures import Curve

MAX_LISTED_TEMPLATES = 12  # of a site that are recorded one by one: the report shows half as many
_SAMPLES = {1, 10, 30, 100, 1_000, 10_000}  # of the pages that are read, which become the sample: early ones lose less


class Origin(StrEnum):
    """Where a template comes from."""

    SEARCH = "search"
    PEERS = "peers"
    STORE = "store"


@dataclass(slots=True, kw_only=True)
class TemplateRecord:
    """A template of a site.

    Attributes:
        number: its number on the site, from 1.
        key_url: URL of its key page.
        since: seconds from the start of the crawl to its first use.
        origin: where it comes from.
        nodes: number of template nodes in the key page; 0 if unknown.
        voters: URLs of the first pages that voted.
        voter_count: number of all pages that voted.
        subdigraph: URLs of the pages of its complete subdigraph, if a search found it.
        links_back: for each of them whether it links to the key page, which links to all of them.
        loads: pages that the search has loaded.
        pages: pages that it cleaned.
        coverage: number of these pages, and the sum of their coverage, over time.
        lowest: lowest coverage of a page.
        read: number of pages whose texts were read.
        texts: its removed texts, if they are counted.
        sample: one of these pages.
        menu: the links of their main menu, as far as they are shown.
    """

    number: int
    key_url: str
    since: float
    origin: Origin
    nodes: int = 0
    voters: tuple[str, ...] = ()
    voter_count: int = 0
    subdigraph: tuple[str, ...] = ()
    links_back: tuple[bool, ...] = ()
    loads: int = 0
    pages: int = 0
    coverage: Curve = field(default_factory=lambda: Curve(2))
    lowest: float = 1.0
    read: int = 0
    texts: RemovedTexts | None = None
    sample: Excerpt | None = None
    menu: tuple[MenuLink, ...] = ()

    @property
    def mean_coverage(self) -> float:
        """The mean coverage of its pages."""
        _, (pages, total) = self.coverage.points[-1]
        return total / pages if pages else 0.0

    def add_texts(self, page: PageTexts) -> None:
        """Add the texts of one of its pages."""
        self.read += 1
        self.menu = self.menu or page.menu
        if self.texts is not None:
            self.texts.add(page.removed, page.kept)
        if self.read in _SAMPLES:
            self.sample = page.excerpt


@dataclass(slots=True)
class SiteRecord:
    """A site: its pages with items, searches, words of its items and templates.

    Attributes:
        unfit: pages that fit no template.
        failed: searches that found no template.
        templates: URL of a key page → its template, as far as they are recorded one by one.
        further_templates: number of the others.
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
    further_templates: int = 0

    @property
    def menu(self) -> tuple[MenuLink, ...]:
        """The links of the first main menu that was found: that of a site is the same on all of its pages."""
        return next((one.menu for one in self.templates.values() if one.menu), ())

    @property
    def template_count(self) -> int:
        """Number of its templates."""
        return len(self.templates) + self.further_templates

    def new_template(self, key_url: str, at: float, origin: Origin) -> TemplateRecord | None:
        """Add a template; None if the site has too many."""
        if len(self.templates) >= MAX_LISTED_TEMPLATES:
            self.further_templates += 1
            return None
        record = TemplateRecord(number=len(self.templates) + 1, key_url=key_url, since=at, origin=origin)
        self.templates[key_url] = record
        return record


@dataclass(frozen=True, slots=True)
class Problem:
    """A page whose search found no template, or that fits none: why, and when."""

    url: str
    why: str
    at: float
