"""Several `scrapy crawl` processes with one queue, one filter of duplicates and one store of templates."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

from helpers.waiting import wait_for
from helpers.web import BigSite, Reply, Site

from templex_scrapy.stores import open_store

ROOT = Path(__file__).resolve().parents[3]
PAGES = 60

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


def test_two_processes_that_start_at_once_clean_every_page_once(own_redis_server, tmp_path):
    """One item and one request for each page, and few templates are learnt twice: those of pages that were alone.

    One of them requests the start URL; the other waits for its links, and an idle engine looks for them every 5 s: the
    site is so slow that one process alone would need 15 s.
    """
    url, settings = own_redis_server.url, {"CONCURRENT_REQUESTS": 2, "CONCURRENT_REQUESTS_PER_DOMAIN": 2}
    made = BigSite(PAGES, host="")

    def reply(path: str) -> Reply:
        html = made.page(path)
        return Reply("no page", 404, "text/plain", delay=0.5) if html is None else Reply(html, delay=0.5)

    with closing(Site(reply)) as server:
        start_url = f"{server.url}{next(made.start_urls)}"
        processes = [CrawlProcess(url, start_url, tmp_path / f"process{n}", settings) for n in range(2)]
        try:
            wait_for(lambda: all(process.popen.poll() is not None for process in processes), 120)
        finally:
            for process in processes:
                process.popen.kill()
                process.popen.wait()
    items = [process.items for process in processes]
    stats: Counter[str] = sum((process.stats for process in processes), Counter())
    assert all(items)
    assert len(items[0] | items[1]) == sum(map(len, items)) == PAGES
    assert stats["sample/pages"] == stats["sample/sqlite_rows"], "none is stored twice"
    assert stats["templex/items/cleaned"] == PAGES
    # on a busy machine some pages have waited ten seconds in vain for pages of their type
    assert sum("nav-item" in html for html in (items[0] | items[1]).values()) <= PAGES // 5
    site = BigSite(PAGES, server.url)
    with closing(open_store(url, strict=True)) as store:
        kinds = [site.kind(one.template.key_url) for name in store.sites() for one in store.load(name)]
    assert 0 < len(kinds) <= 2 * len(set(kinds))
    # what one process's search requests, another process's spider may request as well
    assert len(server.log) <= PAGES + stats["templex/candidates/requested"]
    assert stats["templex/errors"] == 0
    assert not any("Traceback" in process.log for process in processes)
