"""What the crawl scripts share: a crawl in a process of its own, and its settings. No program of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

from scrapy import Spider
from scrapy.crawler import AsyncCrawlerProcess, Crawler
from scrapy.http import TextResponse
from scrapy.link import Link
from scrapy.linkextractors import LinkExtractor

ADDON = {"templex_scrapy.Addon": 500}
QUIET: dict[str, Any] = {
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 16,
}
"""Settings of all crawls."""


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
    spider: type[Spider], settings: dict[str, Any], handlers: dict[Any, Any] | None = None, **arguments: Any
) -> tuple[Crawler, float, float]:
    """Crawl in this process; return the crawler, and the time and the CPU time in seconds."""
    process = AsyncCrawlerProcess({**QUIET, **settings})
    crawler = process.create_crawler(spider)
    for signal, handler in (handlers or {}).items():
        crawler.signals.connect(handler, signal)
    before, began = time.process_time(), time.perf_counter()
    process.crawl(crawler, **arguments)
    process.start()
    return crawler, time.perf_counter() - began, time.process_time() - before


def run_isolated(script: str, *arguments: str) -> Any:
    """Run a script with ``--one`` and these arguments in a process of its own; return the JSON in its last line."""
    done = subprocess.run(  # noqa: S603 - a script of ours
        [sys.executable, script, "--one", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    if done.returncode or not done.stdout:
        message = f"{script} {' '.join(arguments)} failed"
        raise RuntimeError(message)
    return json.loads(done.stdout.splitlines()[-1])
