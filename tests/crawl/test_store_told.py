"""Crawls with a store: what it may keep is what the crawl may keep, and the stats tell what became of it."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from crawling import Crawled, Site, SiteSpider

from templex_scrapy.crawl import learner
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.page import site_of
from templex_scrapy.stores import Store, StoreLimits, open_store

NOWHERE = "redis://localhost:1/0"
"""A server that is away."""

WENT_WELL = {"errors": 0, "outages": 0, "lost": 0, "refused": 0, "set_aside": 0, "newer": 0}


def told(crawled: Crawled) -> dict[str, int]:
    """What the stats tell of the store's trouble."""
    return {name: crawled.count(f"store/{name}") for name in WENT_WELL}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "templates.sqlite3"


@pytest.fixture
def crawled_with(crawl: Callable[..., Crawled], site: Site) -> Callable[..., Crawled]:
    def run(store: Path | str, **settings: Any) -> Crawled:
        crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(store), **settings)
        assert crawled.count("items/cleaned") == len(crawled.items) == 12
        return crawled

    return run


def test_the_store_keeps_what_the_crawl_keeps() -> None:
    """By default, and where the settings ask for more or less."""
    assert TemplexSettings().store_limits == StoreLimits()
    settings = TemplexSettings(max_templates=70, template_memory=900, store_memory=4000)
    assert settings.store_limits == StoreLimits(templates=70, template_bytes=900, memory_bytes=4000, pending_bytes=1000)


def test_the_limits_reach_the_store(
    crawled_with: Callable[..., Crawled], store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Store] = []

    def watched(*about: Any, **more: Any) -> Store:
        opened.append(open_store(*about, **more))
        return opened[-1]

    monkeypatch.setattr(learner, "open_store", watched)
    crawled_with(store, TEMPLEX_MAX_TEMPLATES=70, TEMPLEX_STORE_MEMORY=8000)
    assert [(one.limits.templates, one.limits.memory_bytes) for one in opened] == [(70, 8000)]


def test_without_trouble_the_stats_tell_of_none(crawled_with: Callable[..., Crawled], store: Path) -> None:
    first, second = crawled_with(store), crawled_with(store)
    assert told(first) == told(second) == WENT_WELL
    assert first.count("store/memory") > 0


def test_a_server_that_is_away_is_told_of(crawled_with: Callable[..., Crawled]) -> None:
    crawled = crawled_with(NOWHERE)
    stats = told(crawled)
    assert stats.pop("errors") > 0
    assert stats.pop("lost") > 0
    assert stats == {"outages": 1, "refused": 0, "set_aside": 0, "newer": 0}


def test_a_file_that_is_no_store_is_told_of_and_left_alone(crawled_with: Callable[..., Crawled], store: Path) -> None:
    store.write_text("dear text, " * 100)
    stats = told(crawled_with(store))
    assert (stats["outages"], stats["errors"] > 0, stats["lost"] > 0, stats["set_aside"]) == (1, True, True, 0)
    assert {path.name: path.read_text() for path in store.parent.iterdir()} == {store.name: "dear text, " * 100}


def test_a_file_that_is_set_aside_is_told_of(crawled_with: Callable[..., Crawled], store: Path) -> None:
    crawled_with(store)
    os.truncate(store, 5000)
    assert told(crawled_with(store)) == {**WENT_WELL, "set_aside": 1}


def test_a_template_that_is_refused_is_told_of_and_stays(
    crawl: Callable[..., Crawled], crawled_with: Callable[..., Crawled], site: Site, store: Path
) -> None:
    """What one crawl has stored may be too large for the next one, and not for the one after."""
    most = crawled_with(store).count("templates/bytes_most")
    lower = {"TEMPLEX_TEMPLATE_MEMORY": most // 2, "TEMPLEX_STORE": str(store)}
    again = crawl(SiteSpider, f"{site.url}/", **lower)
    assert told(again) == {**WENT_WELL, "refused": 1}
    assert again.count("store/loaded") == 0
    assert crawled_with(store).count("store/loaded") == 1


def test_a_template_retired_by_a_clock_that_was_ahead_is_revived_once(
    crawled_with: Callable[..., Crawled], site: Site, store: Path
) -> None:
    crawled_with(store)
    with open_store(store) as opened:
        name = site_of(site.url) or ""
        for one in opened.load(name):
            opened.save(name, one.retire("redesigned", datetime.now(UTC) + timedelta(days=300)))
    again, third = crawled_with(store), crawled_with(store)
    assert (again.count("searches"), again.count("store/loaded"), again.count("templates/revived")) == (0, 0, 1)
    assert (third.count("searches"), third.count("store/loaded"), third.count("templates/revived")) == (0, 1, 0)
