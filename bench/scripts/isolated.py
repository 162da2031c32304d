"""What the crawl scripts share: a crawl, its settings, and a process of its own for it. No program of its own."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeVar

from scrapy import Spider
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.http import TextResponse
from scrapy.link import Link
from scrapy.linkextractors import LinkExtractor

SHARED = Path(__file__).resolve().parents[3] / "shared"
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))  # for the helpers of the tests

ADDON = {"templex_scrapy.Addon": 500}
QUIET: dict[str, Any] = {
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
    "LOG_LEVEL": "ERROR",
}
"""Settings of all crawls."""

Result = TypeVar("Result")


class TimedExtractor(LinkExtractor):
    """Scrapy's link extractor with its CPU time: the unit in which crawls of the same pages are compared.

    Both crawls of a pair extract the links of each page once, so a machine that is slower for a while changes the unit
    as well.
    """

    seconds = 0.0

    def extract_links(self, response: TextResponse) -> list[Link]:
        """Extract the links of a page."""
        began = time.thread_time()
        links = super().extract_links(response)
        self.seconds += time.thread_time() - began
        return links


def crawl_now(
    spider: type[Spider],
    handler: type[BaseDownloadHandler],
    settings: dict[str, Any],
    signals: dict[Any, Any] | None = None,
    **arguments: Any,
) -> tuple[Crawler, float, float]:
    """Crawl what a download handler answers; return the crawler, and the time and the CPU time in seconds."""
    process = AsyncCrawlerProcess({**QUIET, "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), handler), **settings})
    crawler = process.create_crawler(spider)
    for signal, receiver in (signals or {}).items():
        crawler.signals.connect(receiver, signal)
    before, began = time.process_time(), time.perf_counter()
    process.crawl(crawler, **arguments)
    process.start()
    return crawler, time.perf_counter() - began, time.process_time() - before


def isolated(function: Callable[..., Result], *arguments: object) -> Result:
    """Call a function of a module in a process of its own, with the same hashes each time."""
    os.environ["PYTHONHASHSEED"] = "0"
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()
