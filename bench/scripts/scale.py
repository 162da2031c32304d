"""Large crawls without a network, with and without the plug-in: items, requests, templates, memory, throughput.

    python bench/scripts/scale.py site --pages 20000      # one site of six kinds of pages in three languages
    python bench/scripts/scale.py hosts --hosts 2000      # many sites of ten pages each
    python bench/scripts/scale.py hosts --hosts 10000 --pages 3

Each crawl runs in a process of its own, one after the other; the sorts take turns, so that a machine that is busy for
a while slows down all alike. The web is made by tests/made_web.py, in the crawl's own process; what that costs
is measured, printed, and taken off where it says so. A unit is the CPU time that Scrapy's extract_links takes for a
page in the same crawl.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import resource
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Self, cast

from isolated import ADDON, TimedExtractor, crawl_now, run_isolated
from scrapy import Request, Spider, signals
from scrapy.crawler import Crawler
from scrapy.http import HtmlResponse, Response

from templex_scrapy.stores import open_store

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from made_web import BigSite, MadeWebHandler, web_of

SETTLED = 2_000
"""Pages after which the memory has to be flat."""
EVERY = 250
"""Pages after which the memory is looked at."""
PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


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
        self.extractor = TimedExtractor()

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
    """Writes down each item and, in between, how large the process is."""

    def __init__(self, crawler: Crawler) -> None:
        self._file = Path(crawler.settings["SCALE_ITEMS"]).open("w", encoding="utf-8")  # noqa: SIM115 - closed with the spider
        self._began = time.monotonic()
        self._items = 0
        self.memory: list[tuple[int, int, float]] = []

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the extension of a crawl."""
        watch = cls(crawler)
        crawler.signals.connect(watch.item_scraped, signals.item_scraped)
        crawler.signals.connect(watch.spider_closed, signals.spider_closed)
        return watch

    def item_scraped(self, item: dict[str, str]) -> None:
        """Note an item."""
        digest = sha256(item["html"].encode()).hexdigest()[:16]
        self._file.write(f"{item['url']} {len(item['html'])} {digest}\n")
        self._items += 1
        if self._items % EVERY == 0:
            self.memory.append((self._items, _size(), time.monotonic() - self._began))

    def spider_closed(self) -> None:
        """Close the file."""
        self._file.close()


def _size() -> int:
    """Bytes of this process in memory."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE
    except OSError:
        # elsewhere than on Linux only the peak is to be had
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@dataclass(frozen=True, kw_only=True)
class Spec:
    """One crawl."""

    web: str
    addon: bool
    store: bool = False
    settings: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Crawled:
    """What came of it. An item is a line of URL, length and digest.

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
    memory: list[tuple[int, int, float]]
    stats: dict[str, float]
    learnt: list[tuple[str, str]]

    @cached_property
    def urls(self) -> Counter[str]:
        """Items of each URL."""
        return Counter(line.split()[0] for line in self.items)

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

    @property
    def units(self) -> float:
        """That, as a multiple of the time that the links take."""
        return self.bare / self.extracting

    def stat(self, name: str) -> int:
        """A stat of the plug-in."""
        return int(self.stats.get(f"templex/{name}", 0))

    def peaks(self) -> tuple[float, float]:
        """The largest size of the process, in MB, until the memory has to be flat, and after."""
        before = [size for items, size, _ in self.memory if items <= SETTLED]
        after = [size for items, size, _ in self.memory if items > SETTLED]
        return max(before, default=0) / 2**20, max(after, default=0) / 2**20


def crawl_here(spec: Spec, folder: Path) -> Crawled:
    """Run one crawl in this process."""
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    items, store = folder / "items.txt", folder / "templates.sqlite3"
    extra: dict[str, Any] = {"ADDONS": ADDON} if spec.addon else {}
    if spec.addon and spec.store:
        extra["TEMPLEX_STORE"] = str(store)
    settings = {
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), MadeWebHandler),
        "MADE_WEB": spec.web,
        "EXTENSIONS": {Watch: 0},
        "SCALE_ITEMS": str(items),
        "LOG_LEVEL": "WARNING",
        **extra,
        **spec.settings,
    }
    crawler, seconds, cpu = crawl_now(WebSpider, settings)
    stats = crawler.stats.get_stats()
    watch = cast("Watch", crawler.get_extension(Watch))
    web = web_of(spec.web)
    return Crawled(
        pages=web.size,
        items=items.read_text(encoding="utf-8").splitlines(),
        reason=str(stats["finish_reason"]),
        requests=int(stats["made_web/requests"]),
        seconds=seconds,
        cpu=cpu,
        making=stats["made_web/seconds"],
        extracting=cast("WebSpider", crawler.spider).extractor.seconds,
        memory=watch.memory,
        stats={
            name: value for name, value in stats.items() if name.startswith(("templex/", "log_count/", "spider_exc"))
        },
        learnt=_learnt(store, web) if store.exists() and isinstance(web, BigSite) else [],
    )


def _learnt(path: Path, web: BigSite) -> list[tuple[str, str]]:
    with closing(open_store(path, strict=True)) as store:
        return sorted(web.kind(one.template.key_url) for site in store.sites() for one in store.load(site))


def crawl(spec: Spec) -> Crawled:
    """Run one crawl in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        answer = run_isolated(__file__, json.dumps(asdict(spec)), folder)
    answer["learnt"] = [(kind, language) for kind, language in answer["learnt"]]
    return Crawled(**answer)


def _describe(title: str, crawled: Crawled) -> str:
    before, after = crawled.peaks()
    rate = crawled.pages / crawled.seconds
    per_page = 1000 * crawled.bare / crawled.pages
    flat = f"{after / before:.3f}" if after else "  -  "
    return (
        f"{title:14} items {crawled.urls.total():7,} {'one per page' if crawled.is_complete else 'NOT ONE PER PAGE':16}"
        f" {crawled.reason:9} extra {crawled.extra:4} = {1000 * crawled.extra / crawled.pages:.2f} per 1000"
        f" | {crawled.seconds:7.1f} s {rate:5.0f} pages/s, CPU {per_page:.2f} ms a page"
        f" = {crawled.units:.2f} units (+ {1000 * crawled.making / crawled.pages:.2f} making it)"
        f" | peak MB {before:.0f} until {SETTLED:,}, {after:.0f} after = {flat}"
    )


def report(pairs: list[tuple[Crawled, Crawled]]) -> None:
    """Print what came of the crawls without and with the plug-in."""
    for plain, clean in pairs:
        print(_describe("without", plain))
        print(_describe("with", clean))
    plain, clean = pairs[-1]
    print(
        f"searches {clean.stat('searches')}, learnt {clean.stat('searches/learnt')},"
        f" failed {clean.stat('searches/failed')},"
        f" kinds of stored templates {len(set(clean.learnt))}, learnt twice {clean.learnt_twice};"
        f" items cleaned {clean.stat('items/cleaned'):,}, no template {clean.stat('items/no_template')},"
        f" waited {clean.stat('pages/waited')}, errors {clean.stat('errors')}"
    )
    wall = statistics.median(c.seconds / p.seconds for p, c in pairs)
    cpu = statistics.median(c.cpu / p.cpu for p, c in pairs)
    bare = statistics.median(c.bare / p.bare for p, c in pairs)
    units = statistics.median(c.units / p.units for p, c in pairs)
    print(
        f"with / without, median of {len(pairs)}: time {wall:.2f} x, CPU {cpu:.2f} x,"
        f" CPU without the time to make pages {bare:.2f} x, the same in units {units:.2f} x"
    )
    for title, crawled in ("with", clean), ("without", plain):
        steps = crawled.memory[:: max(1, len(crawled.memory) // 8)]
        print(f"memory {title}: {', '.join(f'{items:,}: {size >> 20} MB' for items, size, _ in steps)}")


def main() -> None:
    """Run what the command line asks for."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(asdict(crawl_here(Spec(**json.loads(sys.argv[2])), Path(sys.argv[3])))))
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["site", "hosts"])
    parser.add_argument("--pages", type=int, help="pages of the one site (20,000), or of each host (10)")
    parser.add_argument("--hosts", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=1, help="crawls of each sort")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the crawls")
    parser.add_argument("--no-store", action="store_true", help="no template store")
    options = parser.parse_args()
    sizes = f"{options.pages or 20_000}" if options.what == "site" else f"{options.hosts}:{options.pages or 10}"
    spec = Spec(
        web=f"{options.what}:{sizes}",
        addon=False,
        store=options.what == "site" and not options.no_store,
        settings=dict(one.split("=", 1) for one in options.set),
    )
    pairs = [(crawl(spec), crawl(Spec(**{**asdict(spec), "addon": True}))) for _ in range(options.rounds)]
    report(pairs)


if __name__ == "__main__":
    main()
