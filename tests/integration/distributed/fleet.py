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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waiting import wait_for

from templex_scrapy.stores import open_store

ROOT = Path(__file__).resolve().parents[3]
JOB = "fleet"

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
    program = ROOT / "tests" / "made_web.py"
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
        self._log = folder / "log.txt"
        options = [f"-s{name}={value}" for name, value in {**BRISK, **settings}.items()]
        environment = {
            **os.environ,
            "SCRAPY_SETTINGS_MODULE": "sample_project.distributed",
            "SAMPLE_REDIS": redis_url,
            "SAMPLE_JOB": JOB,
            "SAMPLE_OUTPUT": str(folder),
        }
        with self._log.open("wb") as log:
            self.popen = subprocess.Popen(  # noqa: S603 - Scrapy
                [sys.executable, "-m", "scrapy", "crawl", "pages", "-a", f"url={start_url}", *options],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    @property
    def log(self) -> str:
        """What it has logged so far."""
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def items(self) -> dict[str, str]:
        """URL → the page as it is stored, in its database: what is there no kill takes away."""
        path = self.folder / "pages" / "items.sqlite"
        if not path.exists():
            return {}
        with closing(sqlite3.connect(path)) as database:
            return dict(database.execute("SELECT url, html FROM pages"))

    @property
    def stats(self) -> Counter[str]:
        """The whole numbers among the stats that Scrapy logs at the end; nothing of a process that was killed."""
        return Counter({name: int(number) for name, number in re.findall(r"'([\w/]+)': (\d+)[,}]", self.log)})


@dataclass(kw_only=True)
class FleetResult:
    """What came of a crawl by several processes."""

    items: dict[str, list[str]]
    asked: Counter[str]
    learnt: list[str]
    stats: Counter[str]
    log: str

    @property
    def twice(self) -> int:
        """Pages stored again: by another process, or by the same one."""
        by_another = sum(map(len, self.items.values())) - len(self.items)
        return by_another + self.stats["sample/pages"] - self.stats["sample/sqlite_rows"]


class Fleet:
    """Processes on one crawl, to be watched and killed."""

    def __init__(self, redis_url: str, start_url: str, folder: Path, settings: dict[str, Any]) -> None:
        self._redis_url = redis_url
        self._start_url = start_url
        self._folder = folder
        self._settings = settings
        self.processes: list[CrawlProcess] = []

    def start(self, number: int) -> None:
        """Start so many processes more."""
        for _ in range(number):
            folder = self._folder / f"process{len(self.processes)}"
            self.processes.append(CrawlProcess(self._redis_url, self._start_url, folder, self._settings))

    def stop(self) -> None:
        """Kill all, whether they still run or not."""
        for process in self.processes:
            process.popen.kill()
            process.popen.wait()

    def finish(self, log: Path, seconds: float) -> FleetResult:
        """Wait until all processes have ended."""
        wait_for(lambda: all(process.popen.poll() is not None for process in self.processes), seconds)
        stored = [process.items for process in self.processes]
        items: dict[str, list[str]] = {}
        for one in stored:
            for url, html in one.items():
                items.setdefault(url, []).append(html)
        with closing(open_store(self._redis_url, strict=True)) as store:
            learnt = [one.template.key_url for site in store.sites() for one in store.load(site)]
        asked = Counter(log.read_text(encoding="utf-8").split())
        return FleetResult(
            items=items,
            asked=asked,
            learnt=learnt,
            stats=sum((process.stats for process in self.processes), Counter()),
            log="".join(process.log for process in self.processes),
        )
