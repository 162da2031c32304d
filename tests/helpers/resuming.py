"""Crawls that are killed, interrupted or closed early, and resumed with JOBDIR: which pages are lost.

Scrapy writes the table of contents of its queue on disk when a crawl is closed: a crawl by links that is killed before
forgets its queue. A crawl of a list of addresses begins again with all of them. A kill may tear the last record of the
queue: with such a file plain Scrapy loses pages or waits without end, so the next run starts without the file. The
pages that the spider had been given and that were not stored at a kill are *caught*: with the plug-in first of all the
pages whose items were held, which the next run asks for again.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import re
import shutil
import signal
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from isolated import ADDON, crawl_now
from scrapy import Request, signals
from scrapy.http import Response
from scrapy.settings.default_settings import DOWNLOADER_MIDDLEWARES_BASE, EXTENSIONS_BASE, SPIDER_MIDDLEWARES_BASE

from helpers.waiting import wait_for
from helpers.web import SITE, BigSite, MadeWebHandler
from sample_project.items import PageItem
from sample_project.pipelines import SqlitePipeline
from sample_project.spiders.pages import PagesSpider
from templex_scrapy.crawl import running_crawl

_PROCESSES = multiprocessing.get_context("forkserver")
# imports take most of the time of a small crawl
_COMPONENTS = (*DOWNLOADER_MIDDLEWARES_BASE, *SPIDER_MIDDLEWARES_BASE, *EXTENSIONS_BASE, "templex_scrapy.crawl.addon.A")
_PROCESSES.set_forkserver_preload(["scrapy.core.engine", *(path.rpartition(".")[0] for path in _COMPONENTS)])

PAGES = 48


class ResumeSpider(PagesSpider):
    """Crawls the made site, by links or from a list; an item for each page.

    The file ``given.txt`` gets a line for each page that the spider is given, before anything is done with it.
    """

    name = "resume"

    def __init__(self) -> None:
        super().__init__(url=f"{SITE}/en/")

    async def start(self) -> AsyncIterator[Any]:
        """Begin with the home page, or with all pages of the list, as Scrapy itself would: past the filter."""
        for url in self.settings.getlist("RESUME_LIST") or self.start_urls:
            yield Request(url, dont_filter=True)

    def parse(self, response: Response) -> Iterator[Any]:
        with Path(self.settings["RESUME_FOLDER"], "given.txt").open("a", encoding="utf-8") as given:
            given.write(f"{response.url}\n")
        for output in super().parse(response):
            if isinstance(output, PageItem) or not self.settings.getlist("RESUME_LIST"):
                yield output


def crawl_here(folder: str, settings: dict[str, Any]) -> None:
    """Run the crawl in this process, and write down why it ended."""
    settings = {
        "JOBDIR": f"{folder}/job",
        "RESUME_FOLDER": folder,
        "MADE_WEB": f"site:{PAGES}",
        "MADE_WEB_LATENCY": 0.03,
        # what is stored there no kill takes away
        "ITEM_PIPELINES": {SqlitePipeline: 300},
        "SQLITE_PATH": f"{folder}/items.sqlite",
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "LOG_FILE": f"{folder}/log.txt",
        "LOG_LEVEL": "INFO",
        "ADDONS": ADDON,
        **settings,
    }

    # on a busy machine a page would be cleaned before others of its type have come
    running_crawl.WAIT_SECONDS = 200.0

    def closed(reason: str) -> None:
        Path(folder, "reason.txt").write_text(reason, encoding="utf-8")

    crawl_now(ResumeSpider, MadeWebHandler, settings, {signals.spider_closed: closed})


class Job:
    """A crawl that is run, ended and resumed, by links or of a list of all pages."""

    def __init__(self, folder: Path, *, as_list: bool = False) -> None:
        self.folder = folder
        self.kills = 0  # a run may end by itself before its moment comes
        self.caught: set[str] = set()
        self._settings: dict[str, Any] = {"RESUME_LIST": sorted(BigSite(PAGES).urls) if as_list else []}

    def start(self, **settings: Any) -> BaseProcess:
        """Run it in a process of its own, with settings for this run."""
        (self.folder / "reason.txt").unlink(missing_ok=True)
        (self.folder / "given.txt").unlink(missing_ok=True)
        process = _PROCESSES.Process(target=crawl_here, args=(str(self.folder), {**self._settings, **settings}))
        process.start()
        return process

    def run(self, **settings: Any) -> str:
        """Run it to its end; why it ended."""
        process = self.start(**settings)
        process.join(300)
        process.kill()
        return self.reason

    def signal_after(self, given: int, number: signal.Signals, **settings: Any) -> None:
        """Run it and send a signal when the spider has been given so many pages, if it comes to that."""
        process = self.start(**settings)
        try:
            wait_for(lambda: not process.is_alive() or len(self.given) >= given, 300)
            running = process.is_alive()
            if running:
                os.kill(process.pid or os.getpid(), number)
            process.join(300)
            if number == signal.SIGKILL:
                self.kills += running
                self.caught |= set(self.given) - set(self.items)
                self.remove_queue()
        finally:
            process.kill()

    def kill_and_resume(self, kills: int) -> None:
        """Kill it so often, at moments by chance, counted in pages of each run, and let the last run end by itself."""
        chance = random.Random(kills)
        for _ in range(kills):
            self.signal_after(chance.randint(1, PAGES // 2), signal.SIGKILL)
        self.run()

    def remove_queue(self) -> None:
        """Remove Scrapy's queue after a kill, which may have torn it."""
        shutil.rmtree(self.folder / "job" / "requests.queue", ignore_errors=True)

    @property
    def reason(self) -> str:
        """Why the last run ended; empty for one that was killed."""
        path = self.folder / "reason.txt"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    @property
    def given(self) -> Counter[str]:
        """The pages that the spider was given in this run, so far."""
        path = self.folder / "given.txt"
        return Counter(path.read_text(encoding="utf-8").split()) if path.exists() else Counter()

    @property
    def items(self) -> dict[str, str]:
        """URL → the page as it was stored last."""
        path = self.folder / "items.sqlite"
        if not path.exists():
            return {}
        with closing(sqlite3.connect(path)) as database:
            return dict(database.execute("SELECT url, html FROM pages"))

    @property
    def uncleaned(self) -> list[str]:
        """The pages that were stored with their menu."""
        return sorted(url for url, html in self.items.items() if "nav-item" in html)

    @property
    def errors(self) -> int:
        """Errors of the plug-in that were logged."""
        log = (self.folder / "log.txt").read_text(encoding="utf-8")
        return len(re.findall(r"\[templex_scrapy[.\w]*\] (?:ERROR|CRITICAL)", log))
