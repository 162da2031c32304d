"""What the report keeps of each site, within bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from templex_scrapy.report.bounded import Bins, Spread
from templex_scrapy.report.excerpt import Excerpt
from templex_scrapy.report.subdigraph import Subdigraph

MAX_TEMPLATES = 12
"""Templates that are told one by one of a site."""

SAMPLES = 2
"""Sample pages that are kept of a site."""


class Origin(StrEnum):
    """Where a template comes from."""

    SEARCH = "search"
    """From a search, which found a complete subdigraph."""

    STAND_IN = "stand-in"
    """From pages of its kind, which stand in for a complete subdigraph."""

    STORE = "store"
    """From the store."""


@dataclass(frozen=True, slots=True)
class End:
    """Why a template serves no longer, and since when, in seconds after the start."""

    what: str
    at: float


@dataclass(slots=True, kw_only=True)
class TemplateRecord:
    """A template of a site and what it did.

    Attributes:
        number: its number on the site, from 1.
        key_url: address of its key page.
        since: seconds after the start at which it came.
        origin: where it comes from.
        subdigraph: its pages, if it comes from a search.
        loads: pages that the search looked at.
        kin: addresses of the pages that stand in for a complete subdigraph.
        pages: number of pages that it served.
        joined: number of pages that have joined its voters.
        coverage: over time, number of pages and sum of their coverage.
        coverage_sum: sum of the coverage of all pages.
        lowest: the lowest coverage of a page.
        end: why it serves no longer; None if it still does.
    """

    number: int
    key_url: str
    since: float
    origin: Origin
    subdigraph: Subdigraph | None = None
    loads: int = 0
    kin: tuple[str, ...] = ()
    pages: int = 0
    joined: int = 0
    coverage: Bins = field(default_factory=lambda: Bins(2, bins=40))
    coverage_sum: float = 0.0
    lowest: float = 1.0
    end: End | None = None

    def serve(self, at: float, coverage: float) -> None:
        """Count a page that the template fits."""
        self.pages += 1
        self.coverage_sum += coverage
        self.lowest = min(self.lowest, coverage)
        self.coverage.add(at, 1, coverage)


@dataclass(slots=True)
class SiteRecord:
    """A site.

    Attributes:
        site: its name, as ``templex_scrapy.page.site_of`` gives it.
        pages: pages with items.
        unfit: those that fit no template.
        searches: searches that have ended.
        failed: those that brought no template.
        last_failure: why the last of these failed.
        bytes_before: bytes of the pages in cleaned items, as they came; the other three accordingly.
        templates: the templates that are told one by one, in the order in which they came.
        current: key page → the last of these that has it.
        further_templates: number of templates beyond these.
        samples: sample pages from which something was taken out.
    """

    site: str
    pages: int = 0
    unfit: int = 0
    searches: int = 0
    failed: int = 0
    last_failure: str = ""
    bytes_before: int = 0
    bytes_after: int = 0
    words_before: int = 0
    words_after: int = 0
    templates: list[TemplateRecord] = field(default_factory=list)
    current: dict[str, TemplateRecord] = field(default_factory=dict)
    further_templates: int = 0
    samples: Spread[Excerpt] = field(default_factory=lambda: Spread(SAMPLES))

    def add_template(
        self, key_url: str, at: float, origin: Origin, subdigraph: Subdigraph | None = None, loads: int = 0
    ) -> TemplateRecord | None:
        """Take in a template; None if the site has too many to tell one by one."""
        if len(self.templates) >= MAX_TEMPLATES:
            self.further_templates += 1
            self.current.pop(key_url, None)
            return None
        record = TemplateRecord(
            number=len(self.templates) + 1,
            key_url=key_url,
            since=at,
            origin=origin,
            subdigraph=subdigraph,
            loads=loads,
        )
        self.templates.append(record)
        self.current[key_url] = record
        return record
