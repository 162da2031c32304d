"""The report of a crawl: figures, templates with the texts that they removed, and failures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from templex_scrapy.crawl import Stat, downloaded, extra_loads, number
from templex_scrapy.figures import counted, percent, share
from templex_scrapy.inspect.markup import Markup, document, element, join, link, one_line
from templex_scrapy.inspect.recorder import Recorder, SiteRecord, TemplateRecord
from templex_scrapy.inspect.removed_texts import RemovedTexts

# of many: a browser is to open the file, and somebody is to read it
DETAILED_SITES = 10  # sites with their templates, those with the most pages
SHOWN_TEMPLATES = 6  # of such a site, those with the most pages
SHOWN_TEXTS = 30  # removed texts of a template, those that take the most words
_SECTIONS = {
    "items": "Items",
    "sites": "Sites and templates",
    "failed": "Failed searches",
    "unfit": "Pages without a template",
}
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
    unfit = sum(site.unfit for site in (*sites, recorder.others))
    reasons = _table((why, f"{count:,}") for why, count in recorder.reasons.most_common())
    parts = {
        "items": _items(crawl),
        "sites": _sites(sites, has_others=bool(recorder.others.pages)),
        "failed": join(reasons if recorder.reasons else "", _problems(recorder.failures, recorder.reasons.total())),
        "unfit": _problems(recorder.unfit, unfit),
    }
    name = f"Crawl report: {one_line(crawl.spider, 80)}"
    from_sites = f"from {counted(len(sites), 'site')}{' and others' if recorder.others.pages else ''}"
    return document(
        name,
        ("base.css", "report.css"),
        _header(name, crawl, from_sites),
        *(element("section", element("h2", _SECTIONS[name]), part, id=name) for name, part in parts.items()),
        element("footer", element("p", _READING, class_="quiet")),
    )


def _header(name: str, crawl: CrawlFacts, from_sites: str) -> Markup:
    """Return the title, when the crawl ran, its figures, and links to the sections."""
    took = timedelta(seconds=round((crawl.now - crawl.began).total_seconds()))
    if crawl.reason is None:
        state, kind = "still running", "badge loud"
    elif crawl.reason == "finished":
        state, kind = "finished", "badge"
    else:
        state, kind = f"ended early: {one_line(crawl.reason, 80)}", "badge loud"
    dry = element("span", "dry run: no item was changed", class_="badge loud") if crawl.dry_run else ""
    began = f"Began {crawl.began:%Y-%m-%d %H:%M} UTC, {'running for' if crawl.reason is None else 'took'} {took} "
    when = element("p", began, element("span", state, class_=kind), " ", dry, class_="quiet")
    figures = [element("li", *map(element, ("span", "b", "span"), row)) for row in _figures(crawl, from_sites)]
    links = [element("a", title, href=f"#{part}") for part, title in _SECTIONS.items()]
    return element(
        "header", element("h1", name), when, element("ul", *figures, class_="figures"), element("nav", *links)
    )


def _figures(crawl: CrawlFacts, from_sites: str) -> Iterator[tuple[str, str, str]]:
    """Yield the numbers in the header, each with a label before it and a note behind it."""
    count = partial(number, crawl.stats)
    yield "Pages downloaded", f"{downloaded(crawl.stats):,}", from_sites
    yield "Items", f"{count(Stat.ITEMS):,}", f"{count(Stat.ITEMS_CLEANED):,} {'would be ' * crawl.dry_run}cleaned"
    templates = sum(map(count, (Stat.SEARCHES_LEARNT, Stat.TEMPLATES_FROM_PEERS, Stat.STORE_LOADED)))
    yield "Templates", f"{templates:,}", counted(count(Stat.SEARCHES), "search", "searches")
    yield "Additional pages", f"{extra_loads(crawl.stats):,}", "loaded only to find a template"
    before, after = count(Stat.WORDS_BEFORE), count(Stat.WORDS_AFTER)
    yield "Words removed", share(before, after), f"{before - after:,} of {before:,}"
    # a crawl without errors shows no zero, so that a crawl with errors looks different
    if errors := count(Stat.ERRORS):
        yield "Errors", f"{errors:,}", "see the log of the crawl"


def _items(crawl: CrawlFacts) -> Markup:
    outcomes = {stat: number(crawl.stats, stat) for stat in Stat if stat.value.startswith(f"{Stat.ITEMS.value}/")}
    total = sum(outcomes.values())
    rows = [
        (stat.doc.removeprefix("items "), f"{count:,}", percent(count / total))
        for stat, count in outcomes.items()
        if count
    ]
    return _table(rows) if rows else element("p", "There were no items.")


def _table(rows: Iterable[Iterable[str]], head: tuple[str, ...] = (), texts: tuple[int, ...] = (0, 3)) -> Markup:
    """Return a table; the columns that are not in ``texts`` are numbers."""
    lines = []
    for tag, cells in [*([("th", head)] if head else []), *(("td", row) for row in rows)]:
        elements = [element(tag, cell, class_=None if at in texts else "n") for at, cell in enumerate(cells)]
        lines.append(element("tr", *elements))
    return element("div", element("table", *lines), class_="scroll", tabindex="0")


def _sites(sites: list[SiteRecord], *, has_others: bool) -> Markup:
    if not sites:
        return element("p", "No page with items was downloaded.")
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
    cleaned = f" {'page' if template.pages == 1 else 'pages'} cleaned"
    if template.pages:
        mean, lowest = percent(template.coverage / template.pages), percent(template.lowest_coverage)
        cleaned = f"{cleaned}; coverage {mean} on average, {lowest} at the lowest"
    voters = f"{counted(template.voters, 'page')} voted on it" if template.voters else "from the store"
    return element(
        "article",
        element("p", element("b", f"{template.pages:,}"), cleaned, class_="cleaned"),
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
