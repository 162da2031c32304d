"""The summary that a person reads at the end of a crawl."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TextIO

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse

from sample_project.items import PageItem
from sample_project.words import visible_text
from templex_scrapy.crawl import Stat, extra_loads, number, templates, unchanged
from templex_scrapy.figures import share

_WIDTH = 78
_EXCERPT = 280


@dataclass(frozen=True, kw_only=True)
class Example:
    """A page to show, before and after."""

    title: str
    url: str
    before: str
    after: str

    def lines(self) -> Iterator[str]:
        """The page as the summary shows it."""
        yield f"# A page before and after: {textwrap.shorten(self.title, 48, placeholder=' ...')}"
        yield f"  {self.url}"
        for label, text in (("before", self.before), ("after", self.after)):
            for row, line in enumerate(textwrap.wrap(" ".join(text.split()) + " ...", _WIDTH - 12)):
                yield f"  {'' if row else label:<7}| {line}"


def summary(spider: str, stats: Mapping[str, Any], example: Example | None, places: list[tuple[str, str]]) -> list[str]:
    """Return the lines of the summary; headings begin with "# ".

    Args:
        spider: name of the spider.
        stats: the stats of the crawl.
        example: a page to show, if there is one.
        places: where the items and the report are, each with a note.
    """
    reason = stats.get("finish_reason", "finished")
    early = "" if reason == "finished" else f" (it ended early: {reason})"
    rule = "=" * _WIDTH
    lines = ["", rule, f"# The crawl of the spider {spider}{early}", rule, "", *_counts(stats), "", *_sizes(stats)]
    if example is not None:
        lines += ["", *example.lines()]
    if places:
        width = max(len(place) for place, _ in places)
        lines += ["", "# Look at", *(f"  {place:<{width}}   {note}".rstrip() for place, note in places)]
    return lines


def _counts(stats: Mapping[str, Any]) -> Iterator[str]:
    searches = [what for what in templates(stats) if "search" in what]
    others = [f"{count:,} {what}" for what, count in templates(stats).items() if "search" not in what]
    errors = number(stats, Stat.ERRORS)
    notes = [f"{count:,} {what}" for what, count in unchanged(stats).items()]
    rows = [
        ("Pages", stats.get("sample/pages", 0), ""),
        ("Items stored", stats.get("item_scraped_count", 0), f"in {stats.get('elapsed_time_seconds', 0):.1f} s"),
        ("Items cleaned", number(stats, Stat.ITEMS_CLEANED),
         ", ".join([*notes, *([f"{errors:,} errors, see the log"] if errors else [])])),
        ("Templates", sum(templates(stats).values()), ", ".join([*searches, *others])),
        ("Extra loads", extra_loads(stats), "pages requested only to find a template"),
    ]  # fmt: skip
    for name, value, note in rows:
        yield f"  {name:<16}{value:>10,}   {note}".rstrip()


def _sizes(stats: Mapping[str, Any]) -> Iterator[str]:
    yield f"# {'':<16}{'before':>10}{'after':>12}{'removed':>13}"
    for label, unit, written in (("HTML", "bytes", _in_bytes), ("Words", "words", "{:,}".format)):
        before, after = (int(stats.get(f"sample/{unit}_{when}", 0)) for when in ("before", "after"))
        yield f"  {label:<16}{written(before):>10}{written(after):>12}{share(before, after):>13}"


class Summary:
    """An extension that prints the summary when everything else is done."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._example: Example | None = None
        self._rank: tuple[bool, float, str] = (False, 0.0, "")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension of a crawl."""
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_opened, signals.spider_opened)
        crawler.signals.connect(extension.item_scraped, signals.item_scraped)
        # the last signal of a crawl: feeds are stored, pipelines are closed
        crawler.signals.connect(extension.engine_stopped, signals.engine_stopped)
        return extension

    def spider_opened(self, spider: Spider) -> None:
        """Print that the crawl has begun."""
        write_to(self._stream(), f"Crawling with the spider {spider.name}; Ctrl-C ends it and keeps what there is.\n")

    def item_scraped(self, item: object, response: Response | None) -> None:
        """Keep the page that shows best what cleaning does: much is removed, and much is left, headline first."""
        if not isinstance(item, PageItem) or not isinstance(response, TextResponse) or not item.words_before:
            return
        removed = 1 - item.words_after / item.words_before
        headline = response.xpath("normalize-space(//h1)").get(default="")
        begins_well = bool(headline) and " ".join(item.text.split()).startswith(headline)
        rank = (begins_well, removed * item.words_after, item.url)
        if removed > 0 and rank > self._rank:
            before = visible_text(response.text)
            self._rank = rank
            self._example = Example(
                title=item.title, url=item.url, before=before[:_EXCERPT], after=item.text[:_EXCERPT]
            )

    def engine_stopped(self) -> None:
        """Print the summary."""
        spider = self._crawler.spider
        if spider is not None:
            stream, stats = self._stream(), self._crawler.stats.get_stats()
            lines = summary(spider.name, stats, self._example, list(_places(self._crawler, spider.name)))
            bold = ("\x1b[1m", "\x1b[0m") if stream.isatty() and "NO_COLOR" not in os.environ else ("", "")
            shown = (f"  {bold[0]}{line[2:]}{bold[1]}" if line.startswith("# ") else line for line in lines)
            write_to(stream, "\n".join([*shown, ""]))

    def _stream(self) -> TextIO:
        # a feed on standard output must not be mixed with the summary
        feeds = [str(uri) for uri in self._crawler.settings.getdict("FEEDS")]
        return sys.stderr if any(uri.startswith("stdout:") for uri in feeds) else sys.stdout


def write_to(stream: TextIO, text: str) -> None:
    """Write a text; what the encoding of the terminal lacks becomes a question mark."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()


def _places(crawler: Crawler, spider: str) -> Iterator[tuple[str, str]]:
    report = crawler.settings.get("TEMPLEX_REPORT")
    for place in [*crawler.settings.getdict("FEEDS"), crawler.settings.get("SQLITE_PATH"), report]:
        path = Path(str(place or "").replace("%(name)s", spider))
        if place is not None and place == report and path.is_file():
            yield path.absolute().as_uri(), "what was removed, page by page"
        elif path.is_file():
            shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
            yield str(shown), _in_bytes(path.stat().st_size)
        elif place:
            yield str(place), ""


def _in_bytes(size: float) -> str:
    """Return a number of bytes as people read it."""
    if size < 1000:
        return f"{size:.0f} B"
    for unit in ("kB", "MB"):
        size /= 1000
        if size < 1000:
            return f"{size:.{1 if unit == 'kB' else 2}f} {unit}"
    return f"{size / 1000:.2f} GB"
