"""Whole crawls while their store fails in one way or another: all pages are crawled and cleaned all the same."""

from __future__ import annotations

import importlib.util
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import ModuleType

import pytest
from crawling import Crawled, Reply, Site, SiteSpider, page

from templex_scrapy.page import site_of
from templex_scrapy.stores import open_directly

BENCHMARKS = Path(__file__).resolve().parents[2] / "bench" / "scripts"
ITEMS = 12
"""One for each of eleven pages, and one more for the home page, which is linked as well as begun with."""


def benchmark(name: str) -> ModuleType:
    """A module of benchmarks/, which is no package."""
    spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "templates.sqlite3"


@pytest.fixture
def crawled_with(crawl: Callable[..., Crawled], site: Site) -> Callable[[Path], Crawled]:
    """Crawl the site with a store, and check that nothing is missing."""

    def run(store: Path) -> Crawled:
        crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(store))
        assert crawled.count("items/cleaned") == len(crawled.items) == ITEMS
        assert crawled.reason == "finished"
        assert crawled.count("errors") == 0
        return crawled

    return run


@pytest.fixture
def filled(crawled_with: Callable[[Path], Crawled], store: Path) -> Path:
    """The store of a crawl."""
    crawled_with(store)
    return store


@pytest.mark.parametrize("share", [0.05, 0.5, 0.95])
def test_a_truncated_file(crawled_with: Callable[[Path], Crawled], filled: Path, share: float) -> None:
    """What is left of the file is set aside, and what was lost is learnt again."""
    os.truncate(filled, int(filled.stat().st_size * share))
    again = crawled_with(filled)
    assert again.count("searches/learnt") + again.count("store/loaded") >= 1


@pytest.mark.parametrize("column", ["head", "body"])
def test_a_record_with_flipped_bits(
    crawled_with: Callable[[Path], Crawled], filled: Path, site: Site, column: str
) -> None:
    """It is set aside with a warning, and learnt again for the crawl after."""
    with closing(sqlite3.connect(filled)) as database, database:
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        (table,) = [name for name in tables if {"head", "body", "served"} <= _columns(database, name)]
        ((data, row),) = database.execute(f"SELECT {column}, rowid FROM {table}").fetchall()  # noqa: S608 - read above
        middle = len(data) // 2
        flipped = data[:middle] + bytes(byte ^ 0b0110_0110 for byte in data[middle : middle + 4]) + data[middle + 4 :]
        database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (flipped, row))  # noqa: S608
    again = crawled_with(filled)
    assert (again.count("store/loaded"), again.count("searches/learnt")) == (0, 1)
    assert any("set aside" in message for message in again.messages())
    third = crawled_with(filled)
    assert (third.count("store/loaded"), third.count("searches")) == (1, 0)
    with open_directly(filled) as opened:
        assert len(opened.load(site_of(site.url) or "")) == 1
        assert len(opened.set_aside()) == 1


def _columns(database: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in database.execute(f"PRAGMA table_info({table})")}


def test_a_store_that_cannot_be_written(
    crawled_with: Callable[[Path], Crawled], filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is there is used; that nothing can be added costs nothing."""
    connect = sqlite3.connect

    def read_only(database: object, *args: object, **options: object) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(database, *args, **options)  # type: ignore[call-overload]
        # the rights of a file are nothing to root, who may be running this
        connection.execute("PRAGMA query_only = 1")
        return connection

    monkeypatch.setattr(sqlite3, "connect", read_only)
    again = crawled_with(filled)
    assert again.count("searches") <= 1


def test_a_new_store_that_cannot_be_written(
    crawl: Callable[..., Crawled], site: Site, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> sqlite3.Connection:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(sqlite3, "connect", refuse)
    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(store))
    assert crawled.count("items/cleaned") == len(crawled.items) == ITEMS


@pytest.mark.parametrize("limit", [0, 4_096, 30_000])
def test_a_full_disk(tmp_path: Path, limit: int) -> None:
    """No file of the crawl's process may grow beyond a limit, as on a disk that is full."""
    pytest.importorskip("resource")
    script = f"""
import json, resource, signal, sys
sys.path.insert(0, {str(BENCHMARKS)!r})
from pathlib import Path
from scale import Spec, crawl_here
import scale
class Watch(scale.Watch):
    def item_scraped(self, item):
        self.lines = [*getattr(self, "lines", []), "nav-item" in item["html"]]
    def spider_closed(self):
        sys.stderr.write(json.dumps(self.lines))
        super().spider_closed()
scale.Watch = Watch
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
settings = {{"LOG_ENABLED": False}}
crawl_here(Spec(web="site:40", addon=True, store=True, settings=settings), Path({str(tmp_path)!r}))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)  # noqa: S603
    assert done.stderr.count("true") + done.stderr.count("false") == 40, done.stderr[-2000:]
    assert "true" not in done.stderr, "all pages are cleaned"


def test_a_redis_server_that_stops_and_starts_in_mid_crawl(crawl: Callable[..., Crawled], site: Site) -> None:
    """The crawl goes on from memory, and brings what it has learnt to the server that comes back."""
    fleet = benchmark("fleet")
    if not fleet.is_there():
        pytest.skip("NO REDIS SERVER: a crawl that loses its server is not tested (apt-get install redis-server)")
    server = fleet.RedisServer()
    server.start()
    more = "".join(f'<p><a href="/more/{number}.html">More {number}</a></p>' for number in range(60))
    site.add("/", body=more)
    for number in range(60):
        site.add(f"/more/{number}.html", Reply(page(f"/more/{number}.html"), delay=0.2))

    def trouble() -> None:
        fleet.wait_for(lambda: len(site.log) > 3, 20)
        server.stop()
        time.sleep(1)
        server.start()

    thread = threading.Thread(target=trouble)
    thread.start()
    try:
        crawled = crawl(
            SiteSpider, f"{site.url}/", TEMPLEX_STORE=server.url, CONCURRENT_REQUESTS_PER_DOMAIN=4, timeout=60
        )
        thread.join()
        assert crawled.count("items/cleaned") == len(crawled.items) == ITEMS + 60
        with open_directly(server.url) as opened:
            assert len(opened.load(site_of(site.url) or "")) == crawled.count("searches/learnt") == 1
    finally:
        server.stop()
