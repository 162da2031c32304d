"""How long large and hostile pages hold up a crawl: the longest stall of the event loop beside the plain crawl's.

    python bench/scripts/stalls.py                  # all generators of tests/hostile_pages.py
    python bench/scripts/stalls.py "deep links"     # some of them

Each crawl runs in a process of its own. A stall is the time between two turns of the event loop, or the CPU time that
the process took in it if that is less, so that other processes on the machine do not count.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from isolated import ADDON, crawl_now, run_isolated
from scrapy import Request, Spider
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.http import HtmlResponse, Response

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
hostile: Any = importlib.import_module("hostile_pages")

SITE = "https://hostile.test"
OUTPUTS = ("html", "text", "markdown", "content_html", "content_text", "content_markdown")


class HostileHandler(BaseDownloadHandler):
    """Answers with the pages of one generator, which are made before the crawl."""

    async def download_request(self, request: Request) -> Response:
        """Answer a request."""
        body = self.crawler.settings["HOSTILE_PAGES"].get(request.url.removeprefix(f"{SITE}/p"))
        if body is None:
            return HtmlResponse(request.url, status=404, body=b"none")
        return HtmlResponse(request.url, body=body, encoding="utf-8")


class HostileSpider(Spider):
    """An item for each page; it reads no page itself. ``longest`` is the longest stall, in seconds."""

    name = "hostile"
    longest = 0.0

    async def start(self) -> AsyncIterator[Any]:
        """Ask for all pages."""
        self.watching = asyncio.ensure_future(self.watch())
        for number in range(hostile.PAGES):
            yield Request(f"{SITE}/p{number}")

    def parse(self, response: Response) -> Iterator[Any]:
        """An item for the page."""
        if isinstance(response, HtmlResponse):
            yield {"url": response.url, "html": response.text}

    async def watch(self) -> None:
        """Measure the stalls until the crawl ends."""
        while self.crawler.crawling:
            before, cpu_before = time.perf_counter(), time.process_time()
            await asyncio.sleep(0.01)
            stall = min(time.perf_counter() - before - 0.01, time.process_time() - cpu_before)
            self.longest = max(self.longest, stall)


def crawl_here(name: str, *, addon: bool) -> list[float]:
    """Crawl the site of a generator in this process; return the longest stall, and the number of items."""
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    pages = {str(number): hostile.page(name, number).encode("utf-8", "replace") for number in range(hostile.PAGES)}
    settings = {
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), HostileHandler),
        "HOSTILE_PAGES": pages,
        "LOG_LEVEL": "ERROR",
        "ADDONS": ADDON if addon else {},
        "TEMPLEX_OUTPUTS": {output: output for output in OUTPUTS},
    }
    crawler, *_ = crawl_now(HostileSpider, settings)
    assert isinstance(crawler.spider, HostileSpider)
    return [crawler.spider.longest, crawler.stats.get_value("item_scraped_count", 0)]


def main() -> None:
    """Run what the command line asks for."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(crawl_here(sys.argv[3], addon=sys.argv[2] == "addon")))
        return
    worst = 0.0
    for name in sys.argv[1:] or hostile.BODIES:
        (plain, items), (addon, same) = (run_isolated(__file__, how, name) for how in ("plain", "addon"))
        assert same == items == hostile.PAGES
        worst = max(worst, addon - plain)
        size = len(hostile.page(name, 0))
        print(f"{name:32} {size:7} characters, longest stall {plain:5.2f} s -> {addon:5.2f} s", flush=True)
    print(f"longest stall beyond the plain crawl: {worst:.2f} s")


if __name__ == "__main__":
    main()
