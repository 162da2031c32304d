"""Crawls in a process of their own, to be killed; their spider writes down what it is given and what it stores.

python held_crawl.py JOB...   with each job as JSON: folder, urls, settings
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess


class HeldSpider(Spider):
    """Asks for some pages; each has an item that its request's parts are written into."""

    name = "held"

    async def start(self) -> AsyncIterator[Any]:
        """The pages, by requests of many parts; the late ones when a search has begun to ask for its own."""
        self.showing = asyncio.ensure_future(self.show_stats())
        for number, url in enumerate(self.settings.getlist("HELD_URLS")):
            yield self.request(number, url)
        for number, url in enumerate(self.settings.getlist("HELD_LATE"), 100):
            while not self.crawler.stats.get_value("templex/candidates/requested"):
                await asyncio.sleep(0.01)
            yield self.request(number, url)

    def request(self, number: int, url: str) -> Request:
        """A request in which nothing is left out."""
        return Request(
            url,
            self.page,
            errback=self.failed,
            cb_kwargs={"number": number},
            meta={"note": [number]},
            headers={"X-Kind": "held"},
            dont_filter=self.settings.getbool("HELD_UNFILTERED"),
        )

    async def show_stats(self) -> None:
        """Let others see how far the crawl is."""
        path = Path(self.settings["HELD_FOLDER"], "stats")
        while True:
            path.with_suffix(".new").write_text(json.dumps(self.crawler.stats.get_stats(), default=str), "utf-8")
            path.with_suffix(".new").replace(path)
            await asyncio.sleep(0.02)

    def page(self, response: Any, number: int) -> Iterator[Any]:
        """An item for the page."""
        request = response.request
        assert request.errback == self.failed
        parts = {"note": response.meta["note"], "header": request.headers.to_unicode_dict().get("X-Kind")}
        seen = {"number": number, **parts, "dont_filter": request.dont_filter, "meta": sorted(response.meta)}
        self.write("given", {"url": response.url, **seen})
        yield {"url": response.url, "html": response.text, "number": number}

    def failed(self, failure: Any) -> None:
        """Write down what did not come."""
        self.write("failed", failure.request.url)

    def write(self, name: str, value: Any) -> None:
        """Add a line to a file of the job."""
        write(Path(self.settings["HELD_FOLDER"], name), value)


class Storing:
    """Stores each item at once, but for those that it waits for the end of the world with."""

    def __init__(self, settings: Any) -> None:
        self.folder = Path(settings["HELD_FOLDER"])
        self.stuck = settings["HELD_STUCK"]

    @classmethod
    def from_crawler(cls, crawler: Any) -> Storing:
        return cls(crawler.settings)

    async def process_item(self, item: Any) -> Any:
        """Store an item."""
        write(self.folder / "arrived", item["url"])
        if self.stuck:
            await asyncio.Event().wait()
        write(self.folder / "stored", item)
        return item


def write(path: Path, value: Any) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{json.dumps(value)}\n".encode())
    os.close(descriptor)


def main(*jobs: str) -> None:
    """Run some crawls side by side."""
    process = AsyncCrawlerProcess(
        {
            "ADDONS": {"templex_scrapy.Addon": 500},
            "ITEM_PIPELINES": {Storing: 300},
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "RETRY_ENABLED": False,
            "DOWNLOAD_DELAY": 0,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
            "LOG_LEVEL": "INFO",
        }
    )
    for job in map(json.loads, jobs):
        settings = {"JOBDIR": f"{job['folder']}/job", "HELD_FOLDER": job["folder"], "HELD_URLS": job["urls"]}
        spider = type("HeldSpider", (HeldSpider,), {"custom_settings": {**settings, **job["settings"]}})
        process.crawl(spider)
    process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
