"""What a crawl has done, in a few lines, read off its stats."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from templex_scrapy.crawl.stats import Stat

_UNCHANGED = (
    (Stat.ITEMS_NOTHING_TO_REMOVE, "with nothing to take out"),
    (Stat.ITEMS_NO_TEMPLATE, "that no template fits"),
    (Stat.ITEMS_KEPT_WHOLE, "of which nothing would be left"),
    (Stat.ITEMS_SWITCHED_OFF, "switched off"),
    (Stat.ITEMS_FRAGMENT, "that are fragments"),
    (Stat.ITEMS_NO_FIELD, "without the HTML field"),
    (Stat.ITEMS_NO_PAGE, "that are no page"),
    (Stat.ITEMS_NO_SITE, "of no known site"),
    (Stat.ITEMS_UNWRITABLE, "that cannot be written"),
    (Stat.ITEMS_ERROR, "left alone after an error"),
)


def summary(stats: Mapping[str, Any], *, dry_run: bool = False) -> list[str]:
    """What the plug-in has done in a crawl.

    Args:
        stats: the crawl's stats.
        dry_run: whether items were left as they are, and only counted.

    Returns:
        Three or four lines.
    """
    would, gone = ("would be cleaned", "would be taken out") if dry_run else ("cleaned", "taken out")
    lines = [
        f"Items: {number(stats, Stat.ITEMS):,}, of which {number(stats, Stat.ITEMS_CLEANED):,} {would}"
        + "".join(f", {count:,} {what}" for what, count in unchanged(stats).items())
        + f"; pages downloaded: {downloaded(stats):,}",
        "Templates: " + ", ".join(_templates(stats)),
    ]
    sizes = [
        ("HTML", number(stats, Stat.BYTES_BEFORE), number(stats, Stat.BYTES_AFTER), in_bytes),
        ("words", number(stats, Stat.WORDS_BEFORE), number(stats, Stat.WORDS_AFTER), "{:,}".format),
    ]
    told = [
        f"{what} {written(before)} before, {written(after)} after ({share(before, after)} {gone})"
        for what, before, after, written in sizes
        if before
    ]
    lines += ["Pages that a template fits: " + "; ".join(told)] if told else []
    errors = number(stats, Stat.ERRORS)
    lines += [f"Errors: {errors:,}, see the log"] if errors else []
    return lines


def _templates(stats: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{count:,} {what}" for what, count in templates(stats).items())
    yield f"{counted(extra_loads(stats), 'page')} loaded for nothing else"


def templates(stats: Mapping[str, Any]) -> dict[str, int]:
    """Where templates came from → number of them, where there are any; the searches too where there is nothing else."""
    searches = counted(number(stats, Stat.SEARCHES), "search", "searches")
    others = {
        "from pages of one kind": number(stats, Stat.TEMPLATES_STANDING_IN),
        "from the store": number(stats, Stat.STORE_LOADED),
    }
    found = {f"from {searches}": number(stats, Stat.SEARCHES_LEARNT), **others}
    shown = {what: count for what, count in found.items() if count}
    return shown or dict(list(found.items())[:1])


def unchanged(stats: Mapping[str, Any]) -> dict[str, int]:
    """Why items stay as they are → number of them, where there are any."""
    return {what: count for stat, what in _UNCHANGED if (count := number(stats, stat))}


def extra_loads(stats: Mapping[str, Any]) -> int:
    """Number of pages that were downloaded for searches alone: what the spider wanted later anyway is none."""
    return max(0, number(stats, Stat.CANDIDATES_REQUESTED) - number(stats, Stat.PAGES_HANDED_OVER))


def downloaded(stats: Mapping[str, Any]) -> int:
    """Number of pages that came, without redirects, errors and robots.txt as far as the stats tell them apart.

    Scrapy counts a page that a search loaded once more when it is handed to the spider, and the other way round.
    """
    received = int(stats.get("response_received_count", 0))
    counted = min(received, int(stats.get("downloader/response_status_count/200", received)))
    robots = int(stats.get("robotstxt/response_status_count/200", 0))
    return max(counted - robots - number(stats, Stat.PAGES_COUNTED_TWICE), 0)


def number(stats: Mapping[str, Any], stat: Stat) -> int:
    """The value of a stat; 0 where it is missing."""
    return int(stats.get(stat.value, 0))


def share(before: int, after: int) -> str:
    """The share that was taken out, as people read it."""
    return percent((before - after) / before if before else 0.0)


def percent(part: float) -> str:
    """A share as people read it; what is little is not nothing."""
    return "<1%" if 0 < part < 0.005 else f"{part:.0%}"


def in_bytes(size: float) -> str:
    """A number of bytes as people read it."""
    if size < 1000:
        return f"{size:.0f} B"
    for unit in ("kB", "MB"):
        size /= 1000
        if size < 1000:
            return f"{size:.{1 if unit == 'kB' else 2}f} {unit}"
    return f"{size / 1000:.2f} GB"


def counted(count: int, one: str, many: str = "") -> str:
    """A number with what it counts."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
