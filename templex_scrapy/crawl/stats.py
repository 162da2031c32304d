"""The stats that the plug-in keeps, each with what it counts, and what people read from them."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import partial
from typing import Any, Self

from templex_scrapy.figures import counted, share


class Stat(Enum):
    """A stat: the value is the name in Scrapy's stats collector, ``doc`` says what is counted."""

    doc: str

    def __new__(cls, name: str, doc: str) -> Self:
        """Keep the name as value and the description beside it."""
        stat = object.__new__(cls)
        stat._value_ = f"templex/{name}"
        stat.doc = doc
        return stat

    ITEMS = "items", "items that reached the pipeline"
    ITEMS_CLEANED = "items/cleaned", "items from whose page something was removed"
    ITEMS_UNCHANGED = "items/unchanged", "items whose page fits a template and has nothing to remove"
    ITEMS_NO_TEMPLATE = ("items/no_template", "items whose page matched no template or was too large; unchanged")
    ITEMS_NOT_LEARNT = (
        "items/not_learnt",
        "items of errors, incomplete pages and answers such as JSON that fit no template; nothing is learnt from them",
    )
    ITEMS_NO_PAGE = (
        "items/no_page",
        "items left as they were: no page or fragment in the HTML field, and no response to take a page from",
    )
    ITEMS_SWITCHED_OFF = "items/switched_off", 'items of responses with meta["templex"] = False'
    ITEMS_KEPT_WHOLE = "items/kept_whole", "items whose whole page was kept, because nothing would have been left of it"
    ITEMS_UNWRITABLE = (
        "items/unwritable",
        "items left as they were because they are frozen or lack a field of TEMPLEX_OUTPUTS",
    )
    ITEMS_SAME_CONTENT = (
        "items/same_content",
        "items whose page has the content of the last crawl, marked or dropped as TEMPLEX_SKIP_UNCHANGED says",
    )
    WORDS_BEFORE = "words/before", "words of the pages that fit a template"
    WORDS_AFTER = "words/after", "words of the same pages after cleaning"
    PAGES_WAITED = "pages/waited", "pages whose items waited for a search or for voters"
    PAGES_HANDED_OVER = "pages/handed_over", "pages that a search had downloaded and the spider's own request received"
    PAGES_COUNTED_TWICE = (
        "pages/counted_twice",
        "pages with status 200 that Scrapy's stats count twice, because spider and search share them",
    )
    PAGES_TOO_LARGE = "pages/too_large", "pages left as they were because of their size"
    SEARCHES = "searches", "searches begun, one for each key page"
    SEARCHES_LEARNT = "searches/learnt", "searches that found a template"
    SEARCHES_CUT_SHORT = "searches/cut_short", "searches ended by their deadline or by the end of the crawl"
    SITES_GIVEN_UP = (
        "sites/given_up",
        "sites without further searches: all are used up, three in a row failed, or six in a row loaded no page",
    )
    TEMPLATES_FROM_PEERS = ("templates/from_peers", "templates made of pages that the crawl met, without a search")
    TEMPLATES_GROWN = "templates/grown", "times that a template was made anew with more voters"
    TEMPLATES_CHANGED = (
        "templates/changed",
        "templates of earlier crawls that pages no longer fit, and labels that are gone from their pages",
    )
    TEMPLATES_TOO_LARGE = (
        "templates/too_large",
        "templates that were not made or kept, because a fifth of TEMPLEX_MEMORY has no room for one",
    )
    CANDIDATES_FROM_CRAWL = "candidates/from_crawl", "candidates that the crawl downloaded itself"
    CANDIDATES_REQUESTED = "candidates/requested", "candidates that searches requested"
    CANDIDATES_FAILED = "candidates/failed", "requested candidates that were no usable page"
    STORE_LOADED = "store/loaded", "templates of earlier crawls that were loaded from the store"
    STORE_SAVED = "store/saved", "templates written to the store"
    STORE_ERRORS = "store/errors", "failed calls of the store; the crawl continues with the templates in memory"
    JOBDIR_RECOVERED = "jobdir/recovered", "pages requested again because the crawl was killed while they waited"
    ERRORS = "errors", "errors of the plug-in itself; the first of each kind is logged with its traceback"


_OTHER_ITEMS = (
    (Stat.ITEMS_UNCHANGED, "with nothing to remove"),
    (Stat.ITEMS_NO_TEMPLATE, "that fit no template"),
    (Stat.ITEMS_NOT_LEARNT, "of errors and other answers"),
    (Stat.ITEMS_KEPT_WHOLE, "of which nothing would be left"),
    (Stat.ITEMS_SWITCHED_OFF, "switched off"),
    (Stat.ITEMS_NO_PAGE, "without a page"),
    (Stat.ITEMS_SAME_CONTENT, "with the content of the last crawl"),
    (Stat.ITEMS_UNWRITABLE, "that cannot be written"),
)


def number(stats: Mapping[str, Any], stat: Stat) -> int:
    """Return the value of a stat; 0 where it is missing."""
    return int(stats.get(stat.value, 0))


def extra_loads(stats: Mapping[str, Any]) -> int:
    """Return the number of pages that were downloaded for searches alone."""
    return max(0, number(stats, Stat.CANDIDATES_REQUESTED) - number(stats, Stat.PAGES_HANDED_OVER))


def downloaded(stats: Mapping[str, Any]) -> int:
    """Return the number of pages downloaded, without redirects, errors and robots.txt as far as stats tell."""
    received = int(stats.get("response_received_count", 0))
    # of ten pages received, three may be answers 404 or 500
    pages = min(received, int(stats.get("downloader/response_status_count/200", received)))
    robots = int(stats.get("robotstxt/response_status_count/200", 0))
    # Scrapy counts a page twice that a search loads and the spider receives, and the other way round
    return max(pages - robots - number(stats, Stat.PAGES_COUNTED_TWICE), 0)


def summary(stats: Mapping[str, Any], *, dry_run: bool = False) -> list[str]:
    """Return the summary of a crawl: two to four lines about items, templates, words and errors."""
    count = partial(number, stats)
    cleaned, removed = ("would be cleaned", "would be removed") if dry_run else ("cleaned", "removed")
    others = "".join(f", {count(stat):,} {kind}" for stat, kind in _OTHER_ITEMS if count(stat))
    searches = f"from {counted(count(Stat.SEARCHES), 'search', 'searches')}"
    sources = (
        (Stat.SEARCHES_LEARNT, searches),
        (Stat.TEMPLATES_FROM_PEERS, "from pages of one type"),
        (Stat.STORE_LOADED, "from the store"),
        (Stat.TEMPLATES_CHANGED, "changed since they were stored"),
    )
    templates = ", ".join(f"{count(stat):,} {source}" for stat, source in sources if count(stat)) or f"0 {searches}"
    loads = f"{counted(extra_loads(stats), 'additional page')} loaded"
    if requested := count(Stat.CANDIDATES_REQUESTED):
        failed = f"of which {count(Stat.CANDIDATES_FAILED):,} failed"
        loads += f" ({counted(requested, 'candidate')} requested, {failed})"
    items = f"{count(Stat.ITEMS):,}, of which {count(Stat.ITEMS_CLEANED):,} {cleaned}{others}"
    lines = [f"Items: {items}; pages downloaded: {downloaded(stats):,}", f"Templates: {templates}, {loads}"]
    before, after = count(Stat.WORDS_BEFORE), count(Stat.WORDS_AFTER)
    if before:
        difference = f"{before:,} before, {after:,} after ({share(before, after)} {removed})"
        lines.append(f"Words of the pages that fit a template: {difference}")
    if errors := count(Stat.ERRORS):
        lines.append(f"Errors: {errors:,}, see the log")
    return lines
