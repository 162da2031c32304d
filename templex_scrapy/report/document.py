"""The report as one HTML file without scripts. It loads nothing, and all that pages decide is escaped text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import unquote

from jinja2 import Environment, PackageLoader, StrictUndefined

from templex_scrapy.crawl import Stat, downloaded, extra_loads, number
from templex_scrapy.figures import counted, percent, share
from templex_scrapy.report import pictures
from templex_scrapy.report.page_texts import one_line
from templex_scrapy.report.recorder import Recorder
from templex_scrapy.report.records import SiteRecord, TemplateRecord
from templex_scrapy.template import FIT_RULES

# of many: a browser is to open the file, and somebody is to read it
DETAILED_SITES = 10  # sites with their templates, those with the most pages
SHOWN_TEMPLATES = 6  # of such a site, those with the most pages
SHOWN_TEXTS = 30  # removed texts of a template, those that take the most words


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawl:
    """What the report says of the crawl as a whole; ``reason`` is why it ended, None while it runs."""

    spider: str
    began: datetime
    dry_run: bool
    stats: Mapping[str, Any]
    reason: str | None = None


def document(recorder: Recorder, crawl: Crawl) -> str:
    """Return the source of the report, to be written as UTF-8."""
    sites = sorted(recorder.sites.values(), key=lambda site: (-site.pages, site.name))
    written = (
        _environment()
        .get_template("report.html.j2")
        .render(
            spider=one_line(crawl.spider, 80),
            reason=None if crawl.reason is None else one_line(crawl.reason, 80),
            crawl=crawl,
            recorder=recorder,
            figures=list(_figures(crawl, recorder)),
            items=list(_items(crawl)),
            detailed=sites[:DETAILED_SITES],
            further=sites[DETAILED_SITES:],
            words=pictures.words_chart(recorder.words, recorder.seconds) if len(recorder.words.points) > 1 else None,
        )
    )
    # lone surrogates, which URLs may contain, have no form in UTF-8
    return written.encode("utf-8", "replace").decode("utf-8")


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("templex_scrapy.report"),
        autoescape=True,
        undefined=StrictUndefined,  # a misspelt name would show nothing
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(percent=percent, duration=duration, number=lambda value: f"{value:,}", readable=readable)
    environment.globals.update(
        counted=counted,
        share=share,
        pictures=pictures,
        is_web=is_web,
        coverage_chart=_coverage_chart,
        shown_templates=lambda site: _ranked(site)[:SHOWN_TEMPLATES],
        shown_texts=lambda texts: texts.largest(SHOWN_TEXTS),
    )
    return environment


def _ranked(site: SiteRecord) -> list[TemplateRecord]:
    return sorted(site.templates.values(), key=lambda one: (-one.pages, one.number))


def _coverage_chart(site: SiteRecord, seconds: float) -> pictures.Chart | None:
    # by number, so that a line keeps its colour from report to report
    shown = sorted(_ranked(site)[: pictures.MAX_LINES], key=lambda one: one.number)
    curves = {f"template {one.number}": one.coverage for one in shown if one.pages}
    return pictures.coverage_chart(curves, seconds, site.name, FIT_RULES.coverage) if curves else None


def _figures(crawl: Crawl, recorder: Recorder) -> Iterator[tuple[str, str, str]]:
    """Yield the numbers in the header: what each counts, the number, and a note."""
    stats = crawl.stats
    more = " and others" if recorder.others.pages else ""
    yield "Pages downloaded", f"{downloaded(stats):,}", f"from {counted(len(recorder.sites), 'site')}{more}"
    cleaned = "would be cleaned" if crawl.dry_run else "cleaned"
    yield "Items", f"{number(stats, Stat.ITEMS):,}", f"{number(stats, Stat.ITEMS_CLEANED):,} {cleaned}"
    templates = sum(site.template_count for site in recorder.all_sites())
    searches = sum(site.searches for site in recorder.all_sites())
    yield "Templates", f"{templates:,}", counted(searches, "search", "searches")
    yield "Additional pages", f"{extra_loads(stats):,}", "loaded only to find a template"
    before, after = number(stats, Stat.WORDS_BEFORE), number(stats, Stat.WORDS_AFTER)
    yield "Words removed", share(before, after), f"{before - after:,} of {before:,}"
    # a crawl without errors shows no zero, so that one with errors is seen to be another
    if errors := number(stats, Stat.ERRORS):
        yield "Errors", f"{errors:,}", "see the log of the crawl"


def _items(crawl: Crawl) -> Iterator[tuple[str, int]]:
    """Yield what became of the items → number of items, as far as there are any."""
    for stat in Stat:
        count = number(crawl.stats, stat)
        if stat.value.startswith(f"{Stat.ITEMS.value}/") and count:
            yield stat.doc.removeprefix("items "), count


def duration(seconds: float) -> str:
    """Return a duration in hours, minutes and seconds: ``0:07``."""
    whole = timedelta(seconds=round(seconds))
    text = str(whole)
    return text.removeprefix("0:").removeprefix("0") if whole < timedelta(hours=1) else text


def readable(url: str) -> str:
    """Return a URL with percent signs decoded, where they stand for letters."""
    # %C3%A9 is é, and %FF, which is no UTF-8, would become U+FFFD
    decoded = unquote(url)
    return url if "\ufffd" in decoded else one_line(decoded)


def is_web(url: str) -> bool:
    """Return whether a URL is complete and may be a link."""
    # javascript: runs in the reader's browser, and a shortened URL leads somewhere else
    return url.startswith(("http://", "https://")) and not url.endswith("…")
