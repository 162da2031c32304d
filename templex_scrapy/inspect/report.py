"""The report of a crawl: figures, templates with the texts that they removed, and failures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from templex_scrapy.crawl import Stat, downloaded, extra_loads, number
from templex_scrapy.figures import counted, one_line, percent, share
from templex_scrapy.inspect.markup import Markup, document, element, join, link
from templex_scrapy.inspect.recorder import Recorder, SiteRecord, TemplateRecord
from templex_scrapy.inspect.removed_texts import RemovedTexts

# of many: a browser is to open the file, and somebody is to read it
DETAILED_SITES = 10  # sites with their templates, those with the most pages
SHOWN_TEMPLATES = 6  # of such a site, those with the most pages
SHOWN_TEXTS = 30  # removed texts of a template, those that take the most words
_READING = (
    "A page fits a template if it has enough of the template's nodes: the coverage. A text in red is removed from some"
    " pages and kept on others, so that it may belong to the content; the selector in TEMPLEX_PRESERVE keeps it on all"
    " pages. Of many sites, templates and pages the report shows some."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlFacts:
    """The crawl as a whole; ``reason`` is why it ended, None while it runs."""

    spider: str
    began: datetime
    now: datetime
    stats: Mapping[str, Any]
    dry_run: bool = False
    reason: str | None = None


def report_html(recorder: Recorder, crawl: CrawlFacts) -> str:
    """Return the report as a document, to be encoded as UTF-8."""
    sites = sorted(recorder.sites.values(), key=lambda site: (-site.pages, site.name))
    name = f"Crawl report: {one_line(crawl.spider, 80)}"
    from_sites = f"from {counted(len(sites), 'site')}{' and others' if recorder.others.pages else ''}"
    return document(
        name,
        ("base.css", "report.css"),
        element("h1", name),
        element("p", *_when(crawl), class_="quiet"),
        element("ul", *_figures(crawl, from_sites), class_="figures"),
        element("h2", "Items"),
        _items(crawl),
        element("h2", "Sites and templates"),
        _sites(sites, has_others=bool(recorder.others.pages)),
        element("h2", "Failed searches"),
        _table((why, f"{count:,}") for why, count in recorder.reasons.most_common()) if recorder.reasons else "",
        _problems(recorder.failures, recorder.reasons.total()),
        element("h2", "Pages without a template"),
        _problems(recorder.unfit, sum(site.unfit for site in (*sites, recorder.others))),
        element("footer", element("p", _READING, class_="quiet")),
    )


def _when(crawl: CrawlFacts) -> Iterator[str]:
    took = timedelta(seconds=round((crawl.now - crawl.began).total_seconds()))
    yield f"Began {crawl.began:%Y-%m-%d %H:%M} UTC, {'running for' if crawl.reason is None else 'took'} {took} "
    if crawl.reason == "finished":
        yield element("span", "finished", class_="badge")
    else:
        state = "still running" if crawl.reason is None else f"ended early: {one_line(crawl.reason, 80)}"
        yield element("span", state, class_="badge loud")
    if crawl.dry_run:
        yield " "
        yield element("span", "dry run: no item was changed", class_="badge loud")


def _figures(crawl: CrawlFacts, from_sites: str) -> Iterator[Markup]:
    count = partial(number, crawl.stats)
    templates = sum(map(count, (Stat.SEARCHES_LEARNT, Stat.TEMPLATES_FROM_PEERS, Stat.STORE_LOADED)))
    before, after = count(Stat.WORDS_BEFORE), count(Stat.WORDS_AFTER)
    cleaned = f"{count(Stat.ITEMS_CLEANED):,} {'would be ' * crawl.dry_run}cleaned"
    rows = [
        ("Pages downloaded", f"{downloaded(crawl.stats):,}", from_sites),
        ("Items", f"{count(Stat.ITEMS):,}", cleaned),
        ("Templates", f"{templates:,}", counted(count(Stat.SEARCHES), "search", "searches")),
        ("Additional pages", f"{extra_loads(crawl.stats):,}", "loaded only to find a template"),
        ("Words removed", share(before, after), f"{before - after:,} of {before:,}"),
    ]
    # a crawl without errors shows no zero, so that a crawl with errors looks different
    if errors := count(Stat.ERRORS):
        rows.append(("Errors", f"{errors:,}", "see the log of the crawl"))
    yield from (element("li", *map(element, ("span", "b", "span"), row)) for row in rows)


def _items(crawl: CrawlFacts) -> Markup:
    outcomes = {stat: number(crawl.stats, stat) for stat in Stat if stat.value.startswith(f"{Stat.ITEMS.value}/")}
    total = sum(outcomes.values())
    shown = ((stat.doc.removeprefix("items "), count) for stat, count in outcomes.items() if count)
    return _table((doc, f"{count:,}", percent(count / total)) for doc, count in shown)


def _table(rows: Iterable[Iterable[str]], head: tuple[str, ...] = (), texts: tuple[int, ...] = (0, 3)) -> Markup:
    """Return a table; the columns that are not in ``texts`` are numbers."""
    lines = []
    for tag, cells in [*([("th", head)] if head else []), *(("td", row) for row in rows)]:
        elements = [element(tag, cell, class_=None if at in texts else "n") for at, cell in enumerate(cells)]
        lines.append(element("tr", *elements))
    return element("div", element("table", *lines), class_="scroll", tabindex="0")


def _sites(sites: list[SiteRecord], *, has_others: bool) -> Markup:
    rows = [
        (
            element("bdi", site.name),
            f"{site.pages:,}",
            share(site.words_before, site.words_after),
            f"{len(site.templates):,}",
            f"{site.unfit:,}",
            f"{site.failed:,} of {site.searches:,}",
        )
        for site in sites
    ]
    head = ("Site", "Pages", "Words removed", "Templates", "Without template", "Failed searches")
    others = element("p", "Further sites are part of the totals.", class_="quiet") if has_others else ""
    return join(_table(rows, head, texts=(0,)), others, *map(_site, sites[:DETAILED_SITES]))


def _site(site: SiteRecord) -> Markup:
    ranked = sorted(site.templates.items(), key=lambda pair: -pair[1].pages)
    words = f"{counted(site.pages, 'page')}; {site.words_before:,} words before, {site.words_after:,} after"
    parts = [element("h3", element("bdi", site.name)), element("p", words, class_="quiet")]
    parts += (element("p", element("span", "changed", class_="badge loud"), " ", change) for change in site.changes)
    parts += (_template(*pair) for pair in ranked[:SHOWN_TEMPLATES])
    if not ranked:
        parts.append(element("p", f"No template{site.last_failure and f': {site.last_failure}'}."))
    if more := ranked[SHOWN_TEMPLATES:]:
        parts.append(element("p", f"{counted(len(more), 'more template')}.", class_="quiet"))
    return join(*parts)


def _template(key_url: str, template: TemplateRecord) -> Markup:
    coverage = template.pages and f"; coverage {percent(template.coverage / template.pages)} on average"
    voters = f"{counted(template.voters, 'page')} voted on it" if template.voters else "from the store"
    return element(
        "article",
        element("p", element("b", counted(template.pages, "page")), f" cleaned{coverage or ''}"),
        element("p", "Key page: ", link(key_url), f"; {voters}", class_="quiet"),
        _removed_texts(template.texts) if template.texts is not None and template.texts.pages else "",
    )


def _removed_texts(texts: RemovedTexts) -> Markup:
    rows, doubtful = [], 0
    for text, selector, removed, kept in texts.largest(SHOWN_TEXTS):
        doubtful += kept > 0
        shown = element("bdi", text, class_="doubtful" if kept else None)
        rows.append((shown, f"{removed:,}", f"{kept:,}", element("code", selector)))
    title = f"Removed texts{f', {doubtful} of them kept on other pages' if doubtful else ''}"
    note = f"Counted on {counted(texts.pages, 'page')}. Those that take the most words come first."
    return element(
        "details",
        element("summary", title),
        _table(rows, ("Text", "Removed", "Kept", "Selector for TEMPLEX_PRESERVE")),
        element("p", note, class_="quiet"),
        open="" if doubtful else None,
    )


def _problems(problems: Iterable[tuple[str, str]], total: int) -> Markup:
    rows = [(link(url), why) for url, why in problems]
    if not rows:
        return element("p", "None.")
    last = f"The last {len(rows)} of {total:,}" if total > len(rows) else counted(total, "page")
    return element("details", element("summary", last), _table(rows, ("Page", "Reason"), texts=(0, 1)))
