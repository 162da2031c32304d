"""Several `scrapy crawl` processes that share a Redis server: what bench/scripts/workers.py and the tests run.

No program of its own: see bench/scripts/workers.py.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import redis

from templex_scrapy.stores import open_store

ROOT = Path(__file__).resolve().parents[2]
JOB = "fleet"

# What workers of a test do without: manners towards a server that is ours, and Parquet.
BRISK = {
    "AUTOTHROTTLE_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "CONCURRENT_REQUESTS": 8,
    "ROBOTSTXT_OBEY": False,
    "LOG_LEVEL": "INFO",
    "LOG_FORMAT": "%(levelname)s %(name)s %(message)s",
}


def is_there() -> bool:
    """Whether a Redis server can be started here."""
    return shutil.which("redis-server") is not None


class RedisServer:
    """A Redis server on a free port; it can be stopped and started again.

    Raises:
        RuntimeError: if the program is missing.
    """

    def __init__(self, folder: Path | None = None) -> None:
        program = shutil.which("redis-server")
        if program is None:
            raise RuntimeError("redis-server is missing: apt-get install redis-server")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self._port}/0"
        self._program = program
        self._keeps = ["--appendonly", "no"]
        if folder is not None:
            self._keeps = ["--dir", str(folder), "--appendonly", "yes", "--appendfsync", "always"]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = ["--bind", "127.0.0.1", "--port", str(self._port), "--save", "", *self._keeps]
        self._process = subprocess.Popen([self._program, *options], stdout=subprocess.DEVNULL)  # noqa: S603 - found above
        wait_for(self._answers, 20)

    def stop(self) -> None:
        """End it at once, as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def _answers(self) -> bool:
        try:
            return bool(redis.Redis(port=self._port).ping())
        except redis.RedisError:
            return False


@contextmanager
def redis_server() -> Iterator[str]:
    """A Redis server for a while; its URL."""
    server = RedisServer()
    server.start()
    try:
        yield server.url
    finally:
        server.stop()


@contextmanager
def made_site(pages: int, log: Path, latency: float = 0.0) -> Iterator[str]:
    """The made site in a process of its own; where a crawl of it begins."""
    program = Path(__file__).with_name("made_web.py")
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


def wait_for(condition: Callable[[], bool], seconds: float) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            message = f"it did not happen within {seconds} s"
            raise TimeoutError(message)
        time.sleep(0.05)


class Worker:
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
            self.process = subprocess.Popen(  # noqa: S603 - Scrapy
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
        """The whole numbers among the stats that Scrapy logs at the end; nothing of a worker that was killed."""
        return Counter({name: int(number) for name, number in re.findall(r"'([\w/]+)': (\d+)[,}]", self.log)})

    def interrupt(self) -> None:
        """Ask it to end, as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)

    @property
    def reason(self) -> str | None:
        """Why it ended, as Scrapy logs it."""
        found = re.search(r"'finish_reason': '(\w+)'", self.log)
        return found and found[1]

    def kill(self) -> None:
        """End it at once, as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@dataclass(kw_only=True)
class FleetResult:
    """What came of a crawl by several workers."""

    items: dict[str, list[str]]
    asked: Counter[str]
    seconds: float
    learnt: list[str]
    each: list[int]
    stats: Counter[str]
    log: str

    @property
    def twice(self) -> int:
        """Pages stored again: by another worker, or by the same one."""
        by_another = sum(map(len, self.items.values())) - len(self.items)
        return by_another + self.stats["sample/pages"] - self.stats["sample/sqlite_rows"]


class Fleet:
    """Workers on one crawl, to be watched and killed."""

    def __init__(self, redis_url: str, start_url: str, folder: Path, settings: dict[str, Any]) -> None:
        self._redis_url = redis_url
        self._start_url = start_url
        self._folder = folder
        self._settings = settings
        self._began = time.monotonic()
        self.workers: list[Worker] = []

    def start(self, number: int) -> None:
        """Start so many workers more."""
        for _ in range(number):
            folder = self._folder / f"worker{len(self.workers)}"
            self.workers.append(Worker(self._redis_url, self._start_url, folder, self._settings))

    def stop(self) -> None:
        """Kill those that still run."""
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.kill()

    def finish(self, log: Path, seconds: float) -> FleetResult:
        """Wait until all workers have ended.

        Raises:
            TimeoutError: if they take longer.
        """
        wait_for(lambda: all(worker.process.poll() is not None for worker in self.workers), seconds)
        took = time.monotonic() - self._began
        stored = [worker.items for worker in self.workers]
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
            seconds=took,
            learnt=learnt,
            each=[len(one) for one in stored],
            stats=sum((worker.stats for worker in self.workers), Counter()),
            log="".join(worker.log for worker in self.workers),
        )
