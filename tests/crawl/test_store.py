"""Crawls with a store: what one has learnt the next one knows, and nothing that happens to the store costs an item."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from crawling import Crawled, Site, SiteSpider

from templex_scrapy.crawl.persistence import Keeper
from templex_scrapy.page import site_of
from templex_scrapy.stores import Store, open_store


def opened(path: Path) -> Store:
    return open_store(str(path))


def test_the_next_crawl_uses_what_this_one_has_learnt(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path
) -> None:
    store = str(tmp_path / "templates.sqlite3")
    first = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=store)
    assert (first.count("searches"), first.count("store/loaded")) == (1, 0)
    assert first.count("store/saved") == 1 + first.count("templates/grown")
    site.log = []
    second = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=store)
    third = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=store)
    assert (second.count("searches"), second.count("candidates/requested"), second.count("store/loaded")) == (0, 0, 1)
    assert second.by_path() == third.by_path()
    assert second.by_path() == first.by_path()


def test_the_store_knows_how_often_a_template_has_fitted(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path
) -> None:
    path = tmp_path / "templates.sqlite3"
    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(path))
    (stored,) = opened(path).load(site_of(site.url) or "")
    assert stored.served >= len(crawled.items)
    assert stored.last_used is not None
    assert stored.last_used - stored.learnt < timedelta(minutes=10)


def test_a_job_directory_keeps_the_templates(crawl: Callable[..., Crawled], site: Site, tmp_path: Path) -> None:
    crawl(SiteSpider, f"{site.url}/", JOBDIR=str(tmp_path / "one"))
    again = crawl(SiteSpider, f"{site.url}/about/", JOBDIR=str(tmp_path / "one"))
    assert again.items
    assert (again.count("searches"), again.count("store/loaded")) == (0, 1)


def test_without_store_and_job_directory_nothing_is_written(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert crawl(SiteSpider, f"{site.url}/").count("store/saved") == 0
    assert os.listdir(tmp_path) == []  # noqa: PTH208 - nothing at all


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + bytes(100)])
def test_a_broken_store_costs_nothing(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "templates.sqlite3"
    path.write_bytes(content)
    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(path))
    assert crawled.count("items/cleaned") == len(crawled.items) == 12
    assert crawled.reason == "finished"


def test_a_store_in_a_place_that_cannot_be_costs_nothing(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("no folder")
    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(tmp_path / "file" / "templates.sqlite3"))
    assert crawled.count("items/cleaned") == len(crawled.items) == 12


def test_a_worker_waits_for_the_search_of_another(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker holds the lease, and stores its template while this one waits: no search here."""
    crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(tmp_path / "other.sqlite3"))
    name = site_of(site.url) or ""
    (learnt,) = opened(tmp_path / "other.sqlite3").load(name)
    shared = opened(tmp_path / "shared.sqlite3")
    assert shared.lease(name, "another", 60)

    waits = threading.Event()
    learnt_elsewhere = Keeper.learnt_elsewhere

    async def told(self: Keeper, *about: Any) -> bool:
        waits.set()
        return await learnt_elsewhere(self, *about)

    monkeypatch.setattr(Keeper, "learnt_elsewhere", told)

    def finish() -> None:
        waits.wait(60)
        time.sleep(1)
        shared.save(name, learnt)
        shared.release(name, "another")

    thread = threading.Thread(target=finish)
    thread.start()
    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(tmp_path / "shared.sqlite3"))
    thread.join()
    assert (crawled.count("searches"), crawled.count("searches/elsewhere")) == (0, 1)
    assert crawled.count("items/cleaned") == len(crawled.items) == 12


def test_the_lease_of_a_dead_worker_runs_out(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = opened(tmp_path / "shared.sqlite3")
    assert shared.lease(site_of(site.url) or "", "dead", 1)
    monkeypatch.setattr("templex_scrapy.crawl.persistence.POLL_SECONDS", 0.1)
    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(tmp_path / "shared.sqlite3"))
    assert (crawled.count("searches"), crawled.count("searches/learnt")) == (1, 1)
    assert crawled.count("items/cleaned") == len(crawled.items) == 12


def test_uses_are_told_in_between(crawl: Callable[..., Crawled], site: Site, tmp_path: Path) -> None:
    """The keeper counts within a bound, and tells the store whenever it is reached."""
    told: list[int] = []
    used = Store.used

    def watch(self: Store, name: str, times: dict[str, int], when: object) -> None:
        told.append(sum(times.values()))
        used(self, name, times, when)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("templex_scrapy.crawl.persistence.FLUSH_USES", 5)
        patch.setattr(Store, "used", watch)
        crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(tmp_path / "templates.sqlite3"))
    assert len(told) >= 2
    assert max(told) <= 5
