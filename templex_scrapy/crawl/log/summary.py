"""A summary of what the plug-in has done in a crawl, from its stats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from templex_scrapy.crawl.stats import Stat

_UNCHANGED = (
    (Stat.ITEMS_UNCHANGED, "with nothing to remove"),
    (Stat.ITEMS_NO_TEMPLATE, "that fit no template"),
    (Stat.ITEMS_KEPT_WHOLE, "of which nothing would be left"),
    (Stat.ITEMS_SWITCHED_OFF, "switched off"),
    (Stat.ITEMS_NO_PAGE, "without a page"),
    (Stat.ITEMS_UNWRITABLE, "that cannot be written"),
)


def summary(stats: Mapping[str, Any], *, dry_run: bool = False) -> list[str]:
    """Return what the plug-in has done in a crawl, in two to four lines.

    Args:
        stats: the crawl's stats.
        dry_run: whether items were only counted.
    """
    cleaned, removed = ("would be cleaned", "would be removed") if dry_run else ("cleaned", "removed")
    lines = [
        f"Items: {number(stats, Stat.ITEMS):,}, of which {number(stats, Stat.ITEMS_CLEANED):,} {cleaned}"
        + "".join(f", {count:,} {what}" for what, count in unchanged(stats).items())
        + f"; pages downloaded: {downloaded(stats):,}",
        "Templates: " + ", ".join(_templates(stats)),
    ]
    before, after = number(stats, Stat.WORDS_BEFORE), number(stats, Stat.WORDS_AFTER)
    if before:
        lines.append(
            f"Words of the pages that fit a template: {before:,} before, {after:,} after"
            f" ({share(before, after)} {removed})"
        )
    errors = number(stats, Stat.ERRORS)
    return [*lines, f"Errors: {errors:,}, see the log"] if errors else lines


def _templates(stats: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{count:,} {what}" for what, count in templates(stats).items())
    yield f"{counted(extra_loads(stats), 'additional page')} loaded"


def templates(stats: Mapping[str, Any]) -> dict[str, int]:
    """Return where templates come from → number of them, where there are any; the searches if there is nothing else."""
    searches = counted(number(stats, Stat.SEARCHES), "search", "searches")
    found = {
        f"from {searches}": number(stats, Stat.SEARCHES_LEARNT),
        "from pages of one type": number(stats, Stat.TEMPLATES_FROM_PEERS),
        "from the store": number(stats, Stat.STORE_LOADED),
    }
    return {what: count for what, count in found.items() if count} or dict(list(found.items())[:1])


def unchanged(stats: Mapping[str, Any]) -> dict[str, int]:
    """Return why items were not changed → number of them, where there are any."""
    return {what: count for stat, what in _UNCHANGED if (count := number(stats, stat))}


def extra_loads(stats: Mapping[str, Any]) -> int:
    """Return the number of pages that were downloaded for searches alone."""
    return max(0, number(stats, Stat.CANDIDATES_REQUESTED) - number(stats, Stat.PAGES_HANDED_OVER))


def downloaded(stats: Mapping[str, Any]) -> int:
    """Return the number of pages downloaded, without redirects, errors and robots.txt as far as stats tell.

    Scrapy counts a page twice that a search loads and the spider receives, and the other way round.
    """
    received = int(stats.get("response_received_count", 0))
    counted = min(received, int(stats.get("downloader/response_status_count/200", received)))
    robots = int(stats.get("robotstxt/response_status_count/200", 0))
    return max(counted - robots - number(stats, Stat.PAGES_COUNTED_TWICE), 0)


def number(stats: Mapping[str, Any], stat: Stat) -> int:
    """Return the value of a stat; 0 where it is missing."""
    return int(stats.get(stat.value, 0))


def share(before: int, after: int) -> str:
    """Return the share that was removed, as people read it."""
    return percent((before - after) / before if before else 0.0)


def percent(part: float) -> str:
    """Return a share as people read it; a small one is not shown as 0%."""
    return "<1%" if 0 < part < 0.005 else f"{part:.0%}"


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with what it counts."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
