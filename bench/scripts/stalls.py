"""How long large and hostile pages hold up a crawl: the longest stall of the event loop beside the plain crawl's.

    python bench/scripts/stalls.py                  # all generators of tests/hostile_pages.py
    python bench/scripts/stalls.py "deep links"     # some of them

Each crawl runs in a process of its own. A stall is the time between two turns of the event loop, or the CPU time that
the process took in it if that is less, so that other processes on the machine do not count.
"""

from __future__ import annotations

import importlib
import json
import logging
import resource
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from isolated import ADDON, Watchdog, crawl_now, run_isolated
from scrapy import Request, Spider
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.http import HtmlResponse, Response

from templex_scrapy import Page, Template
from templex_scrapy.page import is_too_large

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
hostile: Any = importlib.import_module("hostile_pages")

SITE = "https://hostile.test"
OUTPUTS = ("html", "text", "markdown", "content_html", "content_text", "content_markdown")


class HostileHandler(BaseDownloadHandler):
    """Answers with the pages of one generator, which are made before the crawl."""

    lazy = False

    async def download_request(self, request: Request) -> Response:
        """Answer a request."""
        body = self.crawler.settings["HOSTILE_PAGES"].get(request.url.removeprefix(f"{SITE}/p"))
        if body is None:
            return HtmlResponse(request.url, status=404, body=b"none")
        return HtmlResponse(request.url, body=body, encoding="utf-8")

    async def close(self) -> None:
        """Nothing is open."""


class HostileSpider(Spider):
    """An item for each page; it reads no page itself."""

    name = "hostile"

    async def start(self) -> AsyncIterator[Any]:
        """Ask for all pages."""
        for number in range(hostile.PAGES):
            yield Request(f"{SITE}/p{number}")

    def parse(self, response: Response) -> Iterator[Any]:
        """An item for the page."""
        if isinstance(response, HtmlResponse):
            yield {"url": response.url, "html": response.text}


def crawl_here(name: str, *, addon: bool) -> dict[str, Any]:
    """Crawl the site of a generator in this process."""
    logging.getLogger("scrapy").setLevel(logging.ERROR)
    pages = {str(number): hostile.page(name, number).encode("utf-8", "replace") for number in range(hostile.PAGES)}
    watchdog = Watchdog()
    settings = {
        "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), HostileHandler),
        "HOSTILE_PAGES": pages,
        "LOG_LEVEL": "ERROR",
        "ADDONS": ADDON if addon else {},
        "TEMPLEX_OUTPUTS": {output: output for output in OUTPUTS},
    }
    crawler, seconds, cpu = crawl_now(HostileSpider, settings, watchdog.handlers)
    stats = crawler.stats.get_stats()
    return {
        "stall": watchdog.longest,
        "seconds": seconds,
        "cpu": cpu,
        "items": stats.get("item_scraped_count", 0),
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "stats": {key: value for key, value in stats.items() if key.startswith("templex/")},
    }


def page_seconds(name: str) -> dict[str, float]:
    """CPU seconds for one page: learning (a third of three pages'), matching with the cleaned page, all outputs."""
    pages = [Page(hostile.page(name, number), f"{SITE}/p{number}") for number in range(4)]
    if is_too_large(pages[0].text):
        return {}
    began = time.process_time()
    template = Template.from_pages(pages[0], pages[1:3])
    learnt = time.process_time()
    clean = template.match(pages[3]).clean
    assert isinstance(clean.html, str)
    cleaned = time.process_time()
    for output in OUTPUTS:
        assert isinstance(getattr(clean, output), str)
    return {"learn": (learnt - began) / 3, "clean": cleaned - learnt, "outputs": time.process_time() - cleaned}


def main() -> None:
    """Run what the command line asks for."""
    if sys.argv[1:2] == ["--one"]:
        how, name = sys.argv[2:]
        found = page_seconds(name) if how == "page" else crawl_here(name, addon=how == "addon")
        print(json.dumps(found))
        return
    print(
        f"{'pages':32}    size | stall plain -> addon, beyond | crawl CPU plain -> addon |  learn  clean  all outputs"
    )
    worst = {"stall": 0.0, "page": 0.0}
    for name in sys.argv[1:] or hostile.BODIES:
        plain, addon, page = (run_isolated(__file__, how, name) for how in ("plain", "addon", "page"))
        beyond, total = addon["stall"] - plain["stall"], sum(page.values())
        worst = {"stall": max(worst["stall"], beyond), "page": max(worst["page"], total)}
        assert addon["items"] == plain["items"] == hostile.PAGES
        print(
            f"{name:32} {len(hostile.page(name, 0)):7} | {plain['stall']:5.2f} -> {addon['stall']:5.2f} {beyond:6.2f}"
            f" | {plain['cpu']:5.1f} -> {addon['cpu']:5.1f} {addon['rss'] - plain['rss']:+5.0f} MB"
            f" | {'left as they are' if not page else ' '.join(f'{seconds:6.2f}' for seconds in page.values())}"
            f" | cleaned {addon['stats'].get('templex/items/cleaned', 0)}",
            flush=True,
        )
    print(f"longest stall beyond the plain crawl: {worst['stall']:.2f} s; slowest page, CPU: {worst['page']:.2f} s")


if __name__ == "__main__":
    main()
