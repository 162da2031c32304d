"""Large crawls without a network, with and without the plug-in: items, requests, templates, memory, throughput.

    python bench/scripts/scale.py site:20000      # one site of six kinds of pages in three languages
    python bench/scripts/scale.py hosts:2000:10   # many sites of ten pages each

Each crawl runs in a process of its own. tests/helpers/web.py makes the pages there, and the script measures what that
costs. A unit is the CPU time that Scrapy's extract_links takes for a page in the same crawl.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Self, cast

import isolated  # finds tests/
import psutil
from helpers.web import BigSite, MadeWebHandler, web_of
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from templex_scrapy.stores import open_store

SETTLED = 2_000
"""Pages after which the memory has to be flat."""
EVERY = 250
"""Pages between two looks at the memory."""


class WebSpider(Spider):
    """Crawls a made web by its links; an item for each page."""

    name = "scale"
    custom_settings = {  # noqa: RUF012 - Scrapy's own shape
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    }

    def __init__(self) -> None:
        super().__init__()
        self.extractor = isolated.TimedExtractor()

    async def start(self) -> AsyncIterator[Any]:
        """Begin with one more address whenever there is nothing else to do, so that the queue stays short."""
        for url in web_of(self.settings["MADE_WEB"]).start_urls:
            while self.crawler.engine.needs_backout():
                await self.crawler.signals.wait_for(signals.scheduler_empty)
            yield Request(url)

    def parse(self, response: Response) -> Iterator[Any]:
        """An item for the page, and its links."""
        if isinstance(response, HtmlResponse):
            yield {"url": response.url, "html": response.text}
            for link in self.extractor.extract_links(response):
                yield Request(link.url)


class Watch:
    """Writes down the URL of each item, and in between how many items there are and the bytes of the process."""

    def __init__(self, crawler: Crawler) -> None:
        self._file = Path(crawler.settings["SCALE_ITEMS"]).open("w", 1, encoding="utf-8")  # noqa: SIM115 - open until the process ends
        self._items = 0
        self.memory: list[tuple[int, int]] = []
        crawler.signals.connect(self.item_scraped, signals.item_scraped)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension of a crawl."""
        return cls(crawler)

    def item_scraped(self, item: dict[str, str]) -> None:
        """Note an item."""
        self._file.write(f"{item['url']}\n")
        self._items += 1
        if self._items % EVERY == 0:
            self.memory.append((self._items, psutil.Process().memory_info().rss))


@dataclass(frozen=True, kw_only=True)
class Spec:
    """One crawl."""

    web: str
    addon: bool
    store: bool = False
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Crawled:
    """The result of a crawl; ``items`` are their URLs.

    ``making`` is the CPU time of making the pages, ``extracting`` that of extracting their links.
    """

    pages: int
    items: list[str]
    reason: str
    requests: int
    seconds: float
    cpu: float
    making: float
    extracting: float
    memory: list[tuple[int, int]]
    stats: dict[str, float]
    learnt: list[tuple[str, str]]

    @cached_property
    def urls(self) -> Counter[str]:
        """Items of each URL."""
        return Counter(self.items)

    @property
    def is_complete(self) -> bool:
        """Whether there is one item for each page."""
        return len(self.urls) == self.pages == self.urls.total()

    @property
    def extra(self) -> int:
        """Requests beyond one for each page."""
        return self.requests - self.pages

    @property
    def learnt_twice(self) -> int:
        """Templates beyond one for each kind and language."""
        return len(self.learnt) - len(set(self.learnt))

    @property
    def bare(self) -> float:
        """CPU time without that of making the pages."""
        return self.cpu - self.making

    def stat(self, name: str) -> int:
        """A stat of the plug-in."""
        return int(self.stats.get(f"templex/{name}", 0))

    def peaks(self) -> tuple[float, float]:
        """The largest size of the process, in MB, until the memory has to be flat, and after."""
        sizes: tuple[list[int], list[int]] = ([0], [0])
        for items, size in self.memory:
            sizes[items > SETTLED].append(size)
        return max(sizes[0]) / 2**20, max(sizes[1]) / 2**20


def crawl_here(spec: Spec, folder: Path) -> Crawled:
    """Run one crawl in this process."""
    items, store = folder / "items.txt", folder / "templates.sqlite3"
    settings = {
        "MADE_WEB": spec.web,
        "EXTENSIONS": {Watch: 0},
        "SCALE_ITEMS": str(items),
        **({"ADDONS": isolated.ADDON} if spec.addon else {}),
        **({"TEMPLEX_STORE": str(store)} if spec.addon and spec.store else {}),
        **spec.settings,
    }
    crawler, seconds, cpu = isolated.crawl_now(WebSpider, MadeWebHandler, settings)
    stats, web = crawler.stats.get_stats(), web_of(spec.web)
    return Crawled(
        pages=web.size,
        items=items.read_text(encoding="utf-8").splitlines(),
        reason=str(stats["finish_reason"]),
        requests=int(stats["made_web/requests"]),
        seconds=seconds,
        cpu=cpu,
        making=stats["made_web/seconds"],
        extracting=cast("WebSpider", crawler.spider).extractor.seconds,
        memory=cast("Watch", crawler.get_extension(Watch)).memory,
        stats={name: stats[name] for name in stats if name.startswith(("templex/", "log_count/", "spider_exc"))},
        learnt=_learnt(store, web) if store.exists() and isinstance(web, BigSite) else [],
    )


def _learnt(path: Path, web: BigSite) -> list[tuple[str, str]]:
    with closing(open_store(path, strict=True)) as store:
        return sorted(web.kind(stored.template.key_url) for site in store.sites() for stored in store.load(site))


def crawl(spec: Spec) -> Crawled:
    """Run one crawl in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        return isolated.isolated(crawl_here, spec, Path(folder))


def _describe(title: str, crawled: Crawled) -> str:
    before, after = crawled.peaks()
    return (
        f"{title:8} items {crawled.urls.total():7,} {'one per page' if crawled.is_complete else 'NOT ONE PER PAGE':16}"
        f" {crawled.reason:9} extra {crawled.extra:4} = {1000 * crawled.extra / crawled.pages:.2f} per 1000"
        f" | {crawled.seconds:7.1f} s {crawled.pages / crawled.seconds:5.0f} pages/s,"
        f" CPU {1000 * crawled.bare / crawled.pages:.2f} ms a page = {crawled.bare / crawled.extracting:.2f} units"
        f" (+ {1000 * crawled.making / crawled.pages:.2f} making it)"
        f" | peak MB {before:.0f} until {SETTLED:,}, {after:.0f} after = {after / before if after else 0:.3f}"
    )


def report(plain: Crawled, clean: Crawled) -> None:
    """Print the results of a crawl without and with the plug-in."""
    print(_describe("without", plain), _describe("with", clean), sep="\n")
    stats = "searches searches/learnt items/cleaned items/no_template pages/waited errors".split()
    print(
        ", ".join(f"{name} {clean.stat(name):,}" for name in stats),
        f"; kinds of stored templates {len(set(clean.learnt))}, learnt twice {clean.learnt_twice}",
    )
    print(
        f"with / without: time {clean.seconds / plain.seconds:.2f} x, CPU {clean.cpu / plain.cpu:.2f} x,"
        f" without the time to make pages {clean.bare / plain.bare:.2f} x,"
        f" the same in units {clean.bare / clean.extracting / (plain.bare / plain.extracting):.2f} x"
    )
    for title, crawled in ("with", clean), ("without", plain):
        steps = crawled.memory[:: max(1, len(crawled.memory) // 8)]
        print(f"memory {title}: {', '.join(f'{items:,}: {size >> 20} MB' for items, size in steps)}")


if __name__ == "__main__":
    _web = sys.argv[1]
    report(*(crawl(Spec(web=_web, addon=addon, store=_web.startswith("site"))) for addon in (False, True)))
