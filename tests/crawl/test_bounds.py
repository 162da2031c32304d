"""Crawls of many sites within the bounds that the settings name: nothing is learnt twice, and nothing grows."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from crawling import Crawled, Site, SiteSpider
from many_hosts import RoundSpider
from scrapy.http import TextResponse

from templex_scrapy.crawl.persistence import TemplatePersistence
from templex_scrapy.crawl.sites import Sites
from templex_scrapy.crawl.spider_middleware import TemplexSpiderMiddleware
from templex_scrapy.crawl.template_search import Found, Searcher
from templex_scrapy.page import site_of
from templex_scrapy.stores import open_store
from templex_scrapy.stores.sqlite import SqliteStore

# further hosts than are kept at hand, and all of their pages under way at a time
BROAD = {"HOSTS": 30, "ROUNDS": 3, "HOSTS_DELAY": 0.05, "TEMPLEX_MAX_SITES": 5, "CONCURRENT_REQUESTS": 90}


@pytest.fixture(params=[False, True], ids=["no store", "store"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """Settings without and with a store."""
    return {"TEMPLEX_STORE": str(tmp_path / "templates.sqlite3")} if request.param else {}


def test_each_site_of_a_broad_crawl_is_learnt_once(crawl: Callable[..., Crawled], store: dict[str, str]) -> None:
    """More sites than may be at hand have pages that wait for a search: none of them is put away meanwhile."""
    crawled = crawl(RoundSpider, **BROAD, **store)
    assert crawled.count("searches") == crawled.count("searches/learnt") == 30
    assert crawled.count("items/cleaned") == len(crawled.items) == 90
    assert crawled.count("sites/known") == 5, "those beyond the limit go as soon as their pages are through"
    assert crawled.count("sites/forgotten") >= 25
    assert {site.pages_under_way for site in sites_of(crawled)} == {0}


def sites_of(crawled: Crawled) -> Sites:
    """What the crawl knew of sites in the end."""
    middleware = crawled.crawler.get_spider_middleware(TemplexSpiderMiddleware)
    assert middleware is not None
    return middleware.learner.sites


def test_open_searches_are_bounded(crawl: Callable[..., Crawled], monkeypatch: pytest.MonkeyPatch) -> None:
    open_now: list[str] = []
    most = [0]
    search = Searcher.search

    async def watched(self: Searcher, response: TextResponse, *about: Any) -> Found:
        open_now.append(response.url)
        most[0] = max(most[0], len(open_now))
        try:
            return await search(self, response, *about)
        finally:
            open_now.remove(response.url)

    monkeypatch.setattr(Searcher, "search", watched)
    crawled = crawl(RoundSpider, **BROAD, TEMPLEX_MAX_OPEN_SEARCHES=2)
    assert most == [2]
    assert crawled.count("searches/learnt") == 30


def test_what_failed_is_not_tried_for_ever(crawl: Callable[..., Crawled], store: dict[str, str]) -> None:
    """A site that comes back after it was put away has used up what searches it has used up."""
    settings = {**BROAD, "KIND": "bad", "ROUNDS": 8, "TEMPLEX_MAX_FAILED_SEARCHES": 2, "CONCURRENT_REQUESTS": 4}
    crawled = crawl(RoundSpider, **settings, **store)
    assert crawled.count("searches") == crawled.count("searches/failed") == 2 * 30
    assert crawled.count("sites/given_up") == 30
    assert crawled.count("templates/standing_in") == 30, "pages that may stand in are put away as well"
    assert len(crawled.items) == 8 * 30


def test_there_is_room_for_so_many_bytes_of_templates(crawl: Callable[..., Crawled], store: dict[str, str]) -> None:
    one = crawl(RoundSpider, HOSTS=1, ROUNDS=4).count("sites/bytes")
    settings = {**BROAD, "TEMPLEX_MAX_SITES": 100, "CONCURRENT_REQUESTS": 1, **store}
    crawled = crawl(RoundSpider, TEMPLEX_SITE_MEMORY=4 * one, **settings)
    assert 0 < crawled.count("sites/bytes") <= 4 * one
    assert crawled.count("sites/known") < 10
    assert crawled.count("searches") == 30, "the others come back"


def test_there_is_room_for_so_many_bytes_of_sites_that_were_put_away(crawl: Callable[..., Crawled]) -> None:
    roomy = crawl(RoundSpider, **{**BROAD, "CONCURRENT_REQUESTS": 1})
    assert (roomy.count("searches"), roomy.count("sites/lost")) == (30, 0)
    tight = crawl(RoundSpider, TEMPLEX_ATTIC_MEMORY=0, **{**BROAD, "CONCURRENT_REQUESTS": 1})
    assert tight.count("searches") > 2 * 30, "what is lost is learnt anew"
    assert tight.count("searches") == tight.count("searches/learnt") == tight.count("sites/lost") + 5


def test_templates_that_are_too_large_are_not_kept(crawl: Callable[..., Crawled]) -> None:
    """Neither those that are learnt nor those for which pages of their kind stand in."""
    for kind, learnt in (("good", "searches/learnt"), ("bad", "templates/standing_in")):
        settings = {"KIND": kind, "HOSTS": 1, "ROUNDS": 8, "CONCURRENT_REQUESTS": 1}
        assert crawl(RoundSpider, **settings).count(learnt) == 1
        crawled = crawl(RoundSpider, TEMPLEX_TEMPLATE_MEMORY=100, **settings)
        assert crawled.count("templates/too_large") >= 1
        assert (crawled.count(learnt), crawled.count("templates/known")) == (0, 0)
        assert crawled.count("items/no_template") == len(crawled.items) == 8


def test_no_pages_are_kept_where_there_is_no_room_for_them(crawl: Callable[..., Crawled]) -> None:
    """Neither to join the voters of a template nor to stand in for a complete subdigraph."""
    for kind, stat in (("good", "templates/grown"), ("bad", "templates/standing_in")):
        settings = {"KIND": kind, "HOSTS": 1, "ROUNDS": 20, "CONCURRENT_REQUESTS": 1}
        assert crawl(RoundSpider, **settings).count(stat) >= 1
        assert crawl(RoundSpider, TEMPLEX_KEPT_MEMORY=0, **settings).count(stat) == 0


@pytest.fixture
def filled(crawl: Callable[..., Crawled], site: Site, tmp_path: Path) -> Path:
    """A store with the templates of two sites and of the site of the fixtures."""
    path = tmp_path / "filled.sqlite3"
    crawl(RoundSpider, HOSTS=2, ROUNDS=5, TEMPLEX_STORE=str(path))
    crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(path))
    return path


@pytest.mark.parametrize("place", ["store", "jobdir"])
def test_pages_that_come_at_once_wait_for_what_is_stored(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    """The first of them has it loaded; the others must not take the site for one of which nothing is known."""
    settings = {"JOBDIR": str(tmp_path / "job")} if place == "jobdir" else {"TEMPLEX_STORE": str(tmp_path / "store")}
    crawl(SiteSpider, f"{site.url}/", **settings)
    load = SqliteStore.load

    def slowly(self: SqliteStore, name: str) -> Any:
        time.sleep(0.3)
        return load(self, name)

    monkeypatch.setattr(SqliteStore, "load", slowly)
    urls = [f"{site.url}/news/{number}.html" for number in range(6)]
    again = crawl(PageSpider, *urls, **settings)
    assert (again.count("searches"), again.count("candidates/requested")) == (0, 0)
    assert again.count("items/cleaned") == len(again.items) == 6


class PageSpider(SiteSpider):
    """An item for each page that it begins with, and no request."""

    def parse(self, response: Any, **_: Any) -> Any:
        yield self.item(response)


def test_no_site_waits_for_the_store_to_tell_of_another(
    crawl: Callable[..., Crawled], filled: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each has a turn of its own: on a broad crawl pages would pile up behind one for all."""
    both = threading.Barrier(2)
    load = SqliteStore.load

    def together(self: SqliteStore, name: str) -> Any:
        both.wait(10)
        return load(self, name)

    monkeypatch.setattr(SqliteStore, "load", together)
    crawled = crawl(RoundSpider, HOSTS=2, ROUNDS=1, TEMPLEX_STORE=str(filled))
    assert not both.broken
    assert (crawled.count("searches"), crawled.count("items/cleaned")) == (0, 2)


def test_nobody_waits_for_ever_for_the_search_of_another(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that hangs renews its lease for ever; after twice the time that a search may take this one searches."""
    path = str(tmp_path / "shared.sqlite3")
    shared = open_store(path)
    assert shared.lease(site_of(site.url) or "", 3600)
    monkeypatch.setattr("templex_scrapy.crawl.persistence.POLL_SECONDS", 0.05)
    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=path, TEMPLEX_SEARCH_TIMEOUT=0.5)
    shared.close()
    assert (crawled.count("searches"), crawled.count("searches/elsewhere")) == (1, 0)
    assert len(crawled.items) == 12


def test_a_slow_site_is_waited_for_longer(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search may take longer where each of its pages has to wait for the download delay."""
    told: list[float] = []

    async def tell(_: TemplatePersistence, site: str, patience: float, _is_closing: Any) -> bool:
        told.append(patience)
        shared.release(site)
        return False

    monkeypatch.setattr(TemplatePersistence, "wait_for_other", tell)
    settings = {"TEMPLEX_SEARCH_TIMEOUT": 5, "TEMPLEX_MAX_LOADS": 10, "CONCURRENT_REQUESTS": 4}
    for delay in (0, 0.1):
        store = str(tmp_path / f"{delay}.sqlite3")
        shared = open_store(store)
        shared.lease(site_of(site.url) or "", 60)
        crawl(SiteSpider, f"{site.url}/", **settings, TEMPLEX_STORE=store, DOWNLOAD_DELAY=delay)
        shared.close()
    assert told == pytest.approx([2 * 5, 2 * (5 + 0.1 * (10 + 4))], rel=0.05)
