"""What a person reads at the end of a crawl: figures, one page before and after, and where everything is."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse

from sample_project.items import PageItem
from templex_scrapy.crawl import TemplexSettings, summary

_EXCERPT = 280  # characters of a page
_TEXTS = "//body//text()[not(ancestor::script or ancestor::style or ancestor::noscript or ancestor::template)]"


class Summary:
    """An extension that prints the summary when everything else is done."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._rank: tuple[bool, float, str] = (False, 0.0, "")
        self._example: list[str] = []

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
        self._print(f"Crawling with the spider {spider.name}; Ctrl-C ends it and keeps what there is.")

    def item_scraped(self, item: object, response: Response | None) -> None:
        """Keep the page that shows best what cleaning does: much is removed, and much is left, headline first."""
        if not isinstance(item, PageItem) or not isinstance(response, TextResponse) or not item.words_before:
            return
        removed = 1 - item.words_after / item.words_before
        headline = response.xpath("normalize-space(//h1)").get(default="")
        begins_well = bool(headline) and " ".join(item.text.split()).startswith(headline)
        rank = (begins_well, removed * item.words_after, item.url)
        if removed > 0 and rank > self._rank:
            self._rank = rank
            self._example = list(_before_and_after(item, " ".join(response.xpath(_TEXTS).getall())))

    def engine_stopped(self) -> None:
        """Print the summary."""
        spider, stats = self._crawler.spider, self._crawler.stats.get_stats()
        if spider is not None:
            reason = stats.get("finish_reason", "finished")
            early = "" if reason == "finished" else f", which ended early ({reason})"
            figures = summary(stats, dry_run=TemplexSettings.from_crawler_settings(self._crawler.settings).dry_run)
            places = _places(self._crawler, spider.name)
            self._print("", f"The crawl of the spider {spider.name}{early}", *figures, *self._example, "", *places)

    def _print(self, *lines: str) -> None:
        """Print lines; what the encoding of the terminal lacks becomes a question mark."""
        # a feed on standard output must not be mixed with the summary
        feeds = self._crawler.settings.getdict("FEEDS")
        stream = sys.stderr if any(str(uri).startswith("stdout:") for uri in feeds) else sys.stdout
        encoding = stream.encoding or "utf-8"
        stream.write("\n".join([*lines, ""]).encode(encoding, "replace").decode(encoding))
        stream.flush()


def _before_and_after(item: PageItem, before: str) -> Iterator[str]:
    yield ""
    yield f"A page before and after: {item.title}"
    yield f"  {item.url}"
    for label, text in (("before", before), ("after", item.text)):
        shown = f"{' '.join(text.split())[:_EXCERPT]} ..."
        yield from textwrap.wrap(shown, 78, initial_indent=f"  {label:<7}| ", subsequent_indent="         | ")


def _places(crawler: Crawler, spider: str) -> Iterator[str]:
    settings = crawler.settings
    for place in [*settings.getdict("FEEDS"), settings.get("SQLITE_PATH"), settings.get("TEMPLEX_REPORT")]:
        path = Path(str(place).replace("%(name)s", spider))
        if path.is_file():
            yield path.absolute().as_uri()
