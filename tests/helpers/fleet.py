"""Several `scrapy crawl` processes that share a Redis server."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

# What processes of a test do without: manners towards a server that is ours, and Parquet.
BRISK = {
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "CONCURRENT_REQUESTS": 8,
    "ROBOTSTXT_OBEY": False,
    "LOG_LEVEL": "INFO",
    "LOG_FORMAT": "%(levelname)s %(name)s %(message)s",
}


@contextmanager
def made_site(pages: int, log: Path, latency: float = 0.0) -> Iterator[str]:
    """The made site in a process of its own; where a crawl of it begins."""
    program = ROOT / "tests" / "helpers" / "web.py"
    process = subprocess.Popen(  # noqa: S603 - a script of ours
        [sys.executable, program, "--pages", str(pages), "--log", log, "--latency", str(latency)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


class CrawlProcess:
    """A `scrapy crawl pages` process."""

    def __init__(self, redis_url: str, start_url: str, folder: Path, settings: dict[str, Any]) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        options = [f"-s{name}={value}" for name, value in {**BRISK, **settings}.items()]
        environment = {
            **os.environ,
            "SCRAPY_SETTINGS_MODULE": "sample_project.distributed",
            "SAMPLE_REDIS": redis_url,
            "SAMPLE_JOB": "fleet",
            "SAMPLE_OUTPUT": str(folder),
        }
        command = [sys.executable, "-m", "scrapy", "crawl", "pages", "-a", f"url={start_url}", *options]
        with (folder / "log.txt").open("wb") as log:
            self.popen = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)  # noqa: S603 - Scrapy

    @property
    def log(self) -> str:
        """What it has logged so far."""
        return (self.folder / "log.txt").read_text(encoding="utf-8", errors="replace")

    @property
    def items(self) -> dict[str, str]:
        """URL → the page as it is stored, in its database."""
        with closing(sqlite3.connect(self.folder / "pages" / "items.sqlite")) as database:
            return dict(database.execute("SELECT url, html FROM pages"))

    @property
    def stats(self) -> Counter[str]:
        """The whole numbers among the stats that Scrapy logs at the end."""
        return Counter({name: int(number) for name, number in re.findall(r"'([\w/]+)': (\d+)[,}]", self.log)})
