"""What a person reads at the end of a crawl."""

from __future__ import annotations

import os
import sys
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TextIO

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse

from sample_project.items import PageItem
from sample_project.words import visible_text
from templex_scrapy.crawl import Stat, counted, extra_loads, in_bytes, number, share, templates, unchanged

_WIDTH = 78
_EXCERPT = 280


@dataclass(frozen=True, kw_only=True)
class Example:
    """A page to show, before and after."""

    title: str
    url: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Report:
    """All that the summary speaks of.

    Attributes:
        spider: name of the spider.
        stats: those of the crawl; the summary leaves out what is missing in them.
        outputs: where the items are, each place with a note.
        report: address of the crawl report, if there is one.
        example: a page to show, if there is one.
    """

    spider: str
    stats: Mapping[str, Any]
    outputs: tuple[tuple[str, str], ...] = ()
    report: str = ""
    example: Example | None = None

    def render(self, *, bold: bool = False) -> str:
        """Writes the summary as plain text; with `bold`, its headings stand out on a terminal."""
        parts = [self._heading(), self._counts(), self._sizes(), self._before_and_after(), self._places()]
        lines = [line for part in parts if part for line in (*part, "")]
        return "\n".join(_emphasised(line) if bold and line.startswith("# ") else _plain(line) for line in lines)

    # Each part is a list of lines, headings marked with "# "; an empty one is left out.

    def _heading(self) -> list[str]:
        reason = self.stats.get("finish_reason", "finished")
        early = "" if reason == "finished" else f" (it ended early: {reason})"
        return ["", "=" * _WIDTH, f"# The crawl of the spider {self.spider}{early}", "=" * _WIDTH]

    def _counts(self) -> list[str]:
        # Without any of the plug-in's stats it was off, and then there is nothing to say about templates.
        none = "0" if any(name.startswith("templex/") for name in self.stats) else ""
        rows = [
            ("Pages", self._number("sample/pages", "0"), self._on_the_way()),
            ("Items stored", self._number("item_scraped_count", "0"), self._took()),
            ("Items cleaned", self._number("templex/items/cleaned", none), self._left_alone()),
            ("Templates found", none and f"{sum(templates(self.stats).values()):,}", self._searches()),
            ("Extra loads", none and self._extra_loads(), "pages fetched only to find a template"),
        ]
        return [f"  {name:<16}{value:>10}   {note}".rstrip() for name, value, note in rows if value]

    def _sizes(self) -> list[str]:
        rows = [*self._size("HTML", "bytes", in_bytes), *self._size("Words", "words", "{:,}".format)]
        return [f"# {'':<16}{'before':>10}{'after':>12}{'taken out':>13}", *rows] if rows else []

    def _before_and_after(self) -> list[str]:
        if self.example is None:
            return []
        return [
            f"# A page before and after: {textwrap.shorten(self.example.title, 48, placeholder=' ...')}",
            f"  {self.example.url}",
            *_paragraph("before", self.example.before),
            *_paragraph("after", self.example.after),
        ]

    def _places(self) -> list[str]:
        widest = max((len(place) for place, _ in self.outputs), default=0)
        rows = [f"  {place:<{widest}}   {note}".rstrip() for place, note in self.outputs]
        items = ["# The items are in", *rows] if rows else []
        report = ["# What was taken out, page by page: open", f"  {self.report}"] if self.report else []
        return [*items, "", *report] if items and report else items or report

    def _number(self, name: str, missing: str = "") -> str:
        value = self.stats.get(name)
        return missing if value is None else f"{value:,}"

    def _sum(self, names: Iterable[str]) -> int:
        return sum(int(self.stats.get(name, 0)) for name in names)

    def _on_the_way(self) -> str:
        prefix = "downloader/response_status_count/"
        codes = {name.removeprefix(prefix): int(n) for name, n in self.stats.items() if name.startswith(prefix)}
        # A site without robots.txt is no trouble.
        codes["404"] = codes.get("404", 0) - int(self.stats.get("robotstxt/response_status_count/404", 0))
        redirects = sum(count for code, count in codes.items() if code.startswith("3"))
        failed = {code: count for code, count in codes.items() if code[0] in "45" and count > 0}
        notes = [counted(redirects, "redirect")] if redirects else []
        notes += [f"{counted(count, 'page')} answered {code}" for code, count in sorted(failed.items())]
        return ", ".join(notes)

    def _took(self) -> str:
        seconds = self.stats.get("elapsed_time_seconds")
        return "" if seconds is None else f"in {seconds:.1f} s"

    def _left_alone(self) -> str:
        notes = [
            *unchanged(self.stats).items(),
            ("errors, see the log", number(self.stats, Stat.ERRORS)),
        ]
        return ", ".join(f"{count:,} {what}" for what, count in notes if count)

    def _searches(self) -> str:
        searches = self.stats.get("templex/searches")
        notes = [] if searches is None else [f"in {counted(int(searches), 'search', 'searches')}"]
        others = {what: count for what, count in templates(self.stats).items() if "search" not in what}
        return ", ".join([*notes, *(f"{count:,} {what}" for what, count in others.items())])

    def _extra_loads(self) -> str:
        return f"{extra_loads(self.stats):,}"

    def _size(self, label: str, unit: str, written: Callable[[int], str]) -> list[str]:
        before, after = self._sum([f"sample/{unit}_before"]), self._sum([f"sample/{unit}_after"])
        if not before:
            return []
        return [f"  {label:<16}{written(before):>10}{written(after):>12}{share(before, after):>13}"]


class Summary:
    """Extension that writes the summary when everything else is done."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._example: Example | None = None
        self._rank: tuple[bool, float, str] = (False, 0.0, "")

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Makes the extension of a crawl."""
        summary = cls(crawler)
        crawler.signals.connect(summary.spider_opened, signals.spider_opened)
        crawler.signals.connect(summary.item_scraped, signals.item_scraped)
        # The last signal of a crawl: feeds are stored, pipelines are closed.
        crawler.signals.connect(summary.engine_stopped, signals.engine_stopped)
        return summary

    def spider_opened(self, spider: Spider) -> None:
        """Tells a waiting person that something is going on."""
        write_to(self._stream(), f"Crawling with the spider {spider.name}; Ctrl-C ends it and keeps what there is.\n")

    def item_scraped(self, item: object, response: Response | None) -> None:
        """Keeps the page that shows best what cleaning does: much was taken out, and much is left, headline first."""
        if not isinstance(item, PageItem) or not isinstance(response, TextResponse) or not item.words_before:
            return
        share_taken_out = 1 - item.words_after / item.words_before
        headline = response.xpath("normalize-space(//h1)").get(default="")
        begins_well = bool(headline) and " ".join(item.text.split()).startswith(headline)
        rank = (begins_well, share_taken_out * item.words_after, item.url)
        if share_taken_out > 0 and rank > self._rank:
            self._rank = rank
            before = visible_text(response.text)
            self._example = Example(
                title=item.title, url=item.url, before=before[:_EXCERPT], after=item.text[:_EXCERPT]
            )

    def engine_stopped(self) -> None:
        """Writes the summary."""
        spider = self._crawler.spider
        if spider is None:
            return
        stats = self._crawler.stats.get_stats()
        report = Report(
            spider=spider.name,
            stats=stats,
            outputs=tuple(_outputs(self._crawler, spider.name, stats)),
            report=_report(self._crawler, spider.name),
            example=self._example,
        )
        stream = self._stream()
        write_to(stream, report.render(bold=stream.isatty() and "NO_COLOR" not in os.environ))

    def _stream(self) -> TextIO:
        # Where a feed goes to standard output, the summary must not get into it.
        feeds = [str(uri) for uri in self._crawler.settings.getdict("FEEDS")]
        return sys.stderr if any(uri.startswith("stdout:") for uri in feeds) else sys.stdout


def write_to(stream: TextIO, text: str) -> None:
    """Writes a text; what the terminal's encoding does not have becomes a question mark."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()


def _outputs(crawler: Crawler, name: str, stats: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for uri in crawler.settings.getdict("FEEDS"):
        place = str(uri).replace("%(name)s", name)
        if Path(place).is_file():
            yield _short(place), in_bytes(Path(place).stat().st_size)
        else:
            yield place, ""
    database = str(crawler.settings.get("SQLITE_PATH") or "").replace("%(name)s", name)
    rows = stats.get("sample/sqlite_rows")
    if rows is not None and Path(database).is_file():
        yield _short(database), f"{in_bytes(Path(database).stat().st_size)}, {counted(rows, 'row')}"


def _report(crawler: Crawler, name: str) -> str:
    path = Path(str(crawler.settings.get("TEMPLEX_REPORT") or "").replace("%(name)s", name))
    return path.absolute().as_uri() if path.is_file() else ""


def _short(place: str) -> str:
    path = Path(place)
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else place


def _paragraph(label: str, text: str) -> list[str]:
    lines = textwrap.wrap(" ".join(text.split()) + " ...", _WIDTH - 12)
    return [f"  {label if n == 0 else '':<7}| {line}" for n, line in enumerate(lines)]


def _plain(line: str) -> str:
    return "  " + line[2:] if line.startswith("# ") else line


def _emphasised(line: str) -> str:
    return f"  \x1b[1m{line[2:]}\x1b[0m"
