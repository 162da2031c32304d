"""What the report says at one moment of a crawl: copied from the recorder, so that it can be written in a thread."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from templex_scrapy.crawl.stats import Stat
from templex_scrapy.crawl.summary import counted, downloaded, extra_loads, in_bytes, number, share, templates, unchanged
from templex_scrapy.report.excerpt import Excerpt, plain, shortened
from templex_scrapy.report.recorder import Failure, Recorder, Unfit
from templex_scrapy.report.sites import End, Origin, SiteRecord, TemplateRecord
from templex_scrapy.report.subdigraph import Subdigraph

LISTED_SITES = 100
"""Sites in the table of sites: those with the most pages."""

DETAILED_SITES = 20
"""Sites that are shown with their templates and samples."""

Rows = tuple[tuple[float, tuple[float, ...]], ...]
"""The end of each bin, in seconds, and its sums."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that stands out, what it counts, and a note."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateView:
    """A template, as in ``TemplateRecord``; ``coverage`` has the mean coverage of a page by the end of each bin."""

    number: int
    key_url: str
    since: float
    origin: Origin
    end: End | None
    joined: int
    subdigraph: Subdigraph | None
    loads: int
    kin: tuple[str, ...]
    pages: int
    mean: float
    lowest: float
    coverage: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, record: TemplateRecord) -> TemplateView:
        """Copy a record."""
        return cls(
            number=record.number,
            key_url=record.key_url,
            since=record.since,
            origin=record.origin,
            end=record.end,
            joined=record.joined,
            subdigraph=record.subdigraph,
            loads=record.loads,
            kin=record.kin,
            pages=record.pages,
            mean=record.coverage_sum / record.pages if record.pages else 0.0,
            lowest=record.lowest,
            coverage=tuple((end, total / pages) for end, (pages, total) in record.coverage.rows() if pages),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteView:
    """A site, as in ``SiteRecord``."""

    site: str
    pages: int
    unfit: int
    searches: int
    failed: int
    last_failure: str
    bytes: tuple[int, int]
    words: tuple[int, int]
    template_count: int
    templates: tuple[TemplateView, ...] = ()
    samples: tuple[Excerpt, ...] = ()

    @classmethod
    def of(cls, record: SiteRecord, *, is_detailed: bool) -> SiteView:
        """Copy a record."""
        ranked = sorted(record.templates, key=lambda template: (-template.pages, template.number))
        return cls(
            site=record.site,
            pages=record.pages,
            unfit=record.unfit,
            searches=record.searches,
            failed=record.failed,
            last_failure=record.last_failure,
            bytes=(record.bytes_before, record.bytes_after),
            words=(record.words_before, record.words_after),
            template_count=len(ranked) + record.further_templates,
            templates=tuple(map(TemplateView.of, ranked)) if is_detailed else (),
            samples=tuple(record.samples) if is_detailed else (),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All that the report says.

    Attributes:
        spider: the spider's name.
        reason: why the crawl ended; None while it runs.
        began: when it began.
        seconds: how long it took, or has taken so far.
        dry_run: whether items were left as they are.
        figures: the totals.
        items: what became of the items → number of them.
        savings: over time, items and their bytes and words before and after.
        pages: over time, pages that a template served and pages that fit none.
        sites: those with the most pages, first.
        further_sites: number of sites that are not among them, and whether there are more.
        failures: some of the searches that failed.
        reasons: why → number of searches.
        unfit: some of the pages that fit nothing.
        unfit_count: number of all of these.
    """

    spider: str
    reason: str | None
    began: datetime
    seconds: float
    dry_run: bool
    figures: tuple[Figure, ...]
    items: tuple[tuple[str, int], ...]
    savings: Rows
    pages: Rows
    sites: tuple[SiteView, ...]
    further_sites: int
    failures: tuple[Failure, ...]
    reasons: tuple[tuple[str, int], ...]
    unfit: tuple[Unfit, ...]
    unfit_count: int

    @property
    def detailed(self) -> tuple[SiteView, ...]:
        """The sites that are shown with their templates."""
        return self.sites[:DETAILED_SITES]


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """What the report says of the crawl as a whole; see :class:`Snapshot`."""

    spider: str
    began: datetime
    dry_run: bool
    stats: Mapping[str, Any]
    reason: str | None = None


def snapshot(recorder: Recorder, crawl: Crawl) -> Snapshot:
    """Copy what the report says now; O(number of sites that are told one by one)."""
    ranked = sorted(recorder.sites.values(), key=lambda site: (-site.pages, site.site))
    listed = ranked[:LISTED_SITES]
    return Snapshot(
        spider=shortened(plain(crawl.spider), 80),
        reason=None if crawl.reason is None else shortened(plain(crawl.reason), 80),
        began=crawl.began,
        seconds=recorder.seconds,
        dry_run=crawl.dry_run,
        figures=tuple(_figures(crawl, recorder)),
        items=tuple(_items(crawl)),
        savings=tuple(recorder.savings.rows()),
        pages=tuple(recorder.pages.rows()),
        sites=tuple(SiteView.of(site, is_detailed=place < DETAILED_SITES) for place, site in enumerate(listed)),
        further_sites=len(ranked) - len(listed) + recorder.further_sites,
        failures=tuple(recorder.failures),
        reasons=tuple(recorder.reasons.most_common()),
        unfit=tuple(recorder.unfit),
        unfit_count=recorder.unfit.seen,
    )


def _figures(crawl: Crawl, recorder: Recorder) -> Iterator[Figure]:
    stats = crawl.stats
    sites = len(recorder.sites) + recorder.further_sites
    yield Figure("Pages downloaded", f"{downloaded(stats):,}", f"from {counted(sites, 'site')}")
    items, cleaned = number(stats, Stat.ITEMS), number(stats, Stat.ITEMS_CLEANED)
    yield Figure("Items", f"{items:,}", f"{cleaned:,} {'would be cleaned' if crawl.dry_run else 'cleaned'}")
    known = templates(stats)
    notes = [f"{count:,} {what}" for what, count in known.items()]
    yield Figure("Templates", f"{sum(known.values()):,}", ", ".join([*notes, *_idle(sum(known.values()), recorder)]))
    yield Figure("Extra loads", f"{extra_loads(stats):,}", "pages fetched only to find a template")
    before, after = number(stats, Stat.BYTES_BEFORE), number(stats, Stat.BYTES_AFTER)
    yield Figure("HTML taken out", in_bytes(before - after), f"{share(before, after)} of {in_bytes(before)}")
    before, after = number(stats, Stat.WORDS_BEFORE), number(stats, Stat.WORDS_AFTER)
    yield Figure("Words taken out", f"{before - after:,}", f"{share(before, after)} of {before:,}")


def _idle(templates: int, recorder: Recorder) -> Iterator[str]:
    """How many templates served no page, where there are any and all are told one by one."""
    sites = [*recorder.sites.values(), recorder.others]
    used = sum(template.pages > 0 for site in sites for template in site.templates)
    if recorder.further_sites or any(site.further_templates for site in sites) or not 0 < used < templates:
        return
    yield f"{templates - used:,} of them served no page"


def _items(crawl: Crawl) -> Iterator[tuple[str, int]]:
    yield "would be cleaned" if crawl.dry_run else "cleaned", number(crawl.stats, Stat.ITEMS_CLEANED)
    yield from unchanged(crawl.stats).items()
