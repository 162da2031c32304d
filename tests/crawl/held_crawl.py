"""A crawl in a process of its own, to be killed: python held_crawl.py JOBDIR OUTPUT URL...

Each item is written to OUTPUT, a line of JSON with its URL and the request's parts, as soon as it is scraped.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess


class HeldSpider(Spider):
    """Requests the pages from the first page's callback, as crawls do: start requests are repeated anyway."""

    name = "held"

    def __init__(self, urls: list[str]) -> None:
        super().__init__()
        self.urls = urls

    async def start(self) -> AsyncIterator[Any]:
        """Begin with a page that has no item."""
        yield Request(self.urls[0], self.begin, dont_filter=True)

    def begin(self, _: Any) -> Iterator[Request]:
        """Request the other pages."""
        for number, url in enumerate(self.urls[1:]):
            yield Request(url, self.page, cb_kwargs={"number": number}, meta={"note": [number]})

    def page(self, response: Any, number: int) -> Iterator[Any]:
        """An item for the page."""
        yield {"url": response.url, "html": response.text, "number": number, "note": response.meta["note"]}


class Storing:
    """Writes each item at once."""

    def __init__(self, path: str) -> None:
        self.path = Path(path)

    @classmethod
    def from_crawler(cls, crawler: Any) -> Storing:
        return cls(crawler.settings["HELD_OUTPUT"])

    def process_item(self, item: Any) -> Any:
        """Write an item."""
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, f"{json.dumps(item)}\n".encode())
        os.close(descriptor)
        return item


def main(jobdir: str, output: str, *urls: str) -> None:
    """Run the crawl."""
    process = AsyncCrawlerProcess(
        {
            "ADDONS": {"templex_scrapy.Addon": 500},
            "ITEM_PIPELINES": {Storing: 300},
            "HELD_OUTPUT": output,
            "JOBDIR": jobdir,
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "RETRY_ENABLED": False,
            "DOWNLOAD_DELAY": 0,
            "LOG_LEVEL": "WARNING",
        }
    )
    process.crawl(HeldSpider, urls=list(urls))
    process.start()


if __name__ == "__main__":
    main(*sys.argv[1:])
