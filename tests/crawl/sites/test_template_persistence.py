"""The crawl's side of the store: a store that fails costs nothing."""

import asyncio
import sqlite3
import time
from contextlib import closing
from functools import wraps

import pytest
from helpers.made_sites import site
from scrapy.utils.test import get_crawler

from templex_scrapy import Page, Template
from templex_scrapy.crawl.running_crawl import RunningCrawl
from templex_scrapy.crawl.sites import template_persistence
from templex_scrapy.crawl.sites.template_persistence import TemplatePersistence
from templex_scrapy.stores import StoredTemplate, StoreError, key_of, open_store

SITE = "site.test"


def template(number=0, voters=2):
    pages = site(lambda page: f"<h1>Kind {number}</h1><p>Words of {page}</p>")
    return Template.from_pages(pages[0], pages[1 : voters + 1])


class Crawl(RunningCrawl):
    is_closing = False


class Process:
    """One crawl with a store, whose calls fail while ``is_away``, or if they are among ``fails``."""

    def __init__(self, path, *, is_shared=True, is_temporary=False):
        self.is_away, self.fails = False, set()
        self.calls = []
        self.crawl = Crawl(get_crawler())
        store = open_store(path)
        for name in ("load", "version", "save", "touch", "close"):
            setattr(store, name, self._watched(name, getattr(store, name)))
        self.templates = TemplatePersistence(self.crawl, store, is_shared=is_shared, is_temporary=is_temporary)

    def _watched(self, name, method):
        def call(*arguments):
            self.calls.append(name)
            if self.is_away or name in self.fails:
                raise StoreError("the store is away")
            return method(*arguments)

        return call

    def count(self, name):
        return int(self.crawl.crawler.stats.get_value(f"templex/store/{name}", 0))

    @property
    def counts(self):
        return self.count("loaded"), self.count("saved"), self.count("errors")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "templates.sqlite3"


@pytest.fixture
def store(path):
    """The store as another process has it open."""
    with closing(open_store(path)) as opened:
        yield opened


def stored(number=0, voters=2, when=1e9):
    return StoredTemplate(template(number, voters), when, when)


def voters(found):
    return [len(one.template.page_urls) for one in found or []]


def asynchronous(test):
    """Run a test in an event loop."""

    @wraps(test)
    def in_loop(**fixtures):
        async def all_of_it():
            await asyncio.wait_for(test(**fixtures), 30)

        asyncio.run(all_of_it())

    return in_loop


@asynchronous
async def test_what_one_crawl_has_saved_the_next_one_knows(path):
    first, second = Process(path), Process(path)
    assert await first.templates.load(SITE) == []
    await first.templates.save(SITE, template(0))
    await first.templates.save(SITE, template(0, 3))
    await first.templates.save(SITE, template(1))
    first.templates.used(SITE, template(0, 3))
    one, _ = await first.templates.load(SITE)
    assert one.learnt >= first.templates.began
    await first.templates.close()
    assert (first.counts, second.counts) == ((0, 3, 0), (0, 0, 0))
    second.templates.began = time.time()
    found = await second.templates.load(SITE)
    assert voters(found) == [3, 2], "the last used first"
    assert all(one.learnt < second.templates.began for one in found)
    await second.templates.save(SITE, template(1, 3))
    found = await second.templates.load(SITE)
    assert all(one.learnt < second.templates.began for one in found), "however it grows"
    await second.templates.close()


@asynchronous
async def test_only_what_has_changed_is_loaded_again(path, store):
    process = Process(path)
    assert await process.templates.load_changed(SITE) is None
    store.save(SITE, stored())
    assert voters(await process.templates.load_changed(SITE)) == [2]
    assert await process.templates.load_changed(SITE) is None
    await process.templates.save(SITE, template(1))
    assert await process.templates.load_changed(SITE) is None, "what it has stored itself"
    assert sorted(voters(await process.templates.load(SITE))) == [2, 2]
    store.save(SITE, stored(0, 3))
    assert sorted(voters(await process.templates.load_changed(SITE))) == [2, 3]
    alone = Process(path, is_shared=False)
    assert (await alone.templates.load_changed(SITE), alone.calls) == (None, [])


@asynchronous
async def test_a_temporary_store_gets_what_leaves_the_memory(path):
    process = Process(path, is_shared=False, is_temporary=True)
    assert await process.templates.load(SITE) == []
    await process.templates.save(SITE, template(0))
    process.templates.used(SITE, template(0))
    assert process.calls == [], "it is in memory"
    process.templates.drop(SITE, [template(0), template(1)])
    assert voters(await process.templates.load(SITE)) == [2, 2]
    process.templates.drop(SITE, [template(1, 3), template(0)])
    await process.templates.save_dropped()
    assert process.counts == (0, 4, 0)
    assert voters(await process.templates.load(SITE)) == [3, 2], "the last used first"
    await process.templates.close()


@asynchronous
async def test_a_store_that_fails_is_told_of_once_and_tried_again(path, caplog):
    process = Process(path)
    process.is_away = True
    assert await process.templates.load(SITE) == []
    assert await process.templates.load("other.test") == []
    await process.templates.save(SITE, template(0))
    assert await process.templates.load_changed(SITE) is None
    assert process.calls == ["version"], "it is left alone for a time"
    process.templates._retry_at = 0.0
    await process.templates.save(SITE, template(1))
    assert process.counts == (0, 0, 2)
    process.is_away = False
    process.templates._retry_at = 0.0
    await process.templates.save(SITE, template(1, 3))
    assert process.counts == (0, 2, 2), "what could not be stored is stored now"
    assert sorted(voters(await process.templates.load(SITE))) == [2, 3]
    await process.templates.close()
    (warning,) = [record for record in caplog.records if record.levelname == "WARNING"]
    assert warning.getMessage() == "the store is away; the crawl continues with the templates in memory"


@asynchronous
async def test_what_waits_is_stored_at_the_end(path, store):
    process = Process(path)
    store.save(SITE, stored(2))
    process.is_away = True
    await process.templates.save(SITE, template(0))
    process.templates.used(SITE, template(2))
    process.is_away = False
    await process.templates.close()
    assert process.counts == (0, 1, 1)
    assert [call for call in process.calls if call != "version"][-3:] == ["save", "touch", "close"]
    assert [one.used > time.time() - 60 for one in store.load(SITE)] == [True, True]


@asynchronous
async def test_a_template_that_has_grown_on_another_key_page_replaces_the_old_one(path, store):
    process = Process(path)
    await process.templates.save(SITE, template(0))
    await process.templates.save(SITE, template(1, 5), template(0))
    await process.templates.close()
    assert [one.key for one in store.load(SITE)] == [key_of(template(1, 5))]


@asynchronous
async def test_what_waits_is_bounded_and_a_store_that_stays_away_is_closed(path, monkeypatch):
    monkeypatch.setattr(template_persistence, "MAX_UNSAVED", 2)
    process, gone = Process(path), Process(path)
    process.is_away = gone.is_away = True
    for number in range(4):
        await process.templates.save(f"{number}.test", template(number))
    await gone.templates.save(SITE, template(0))
    gone.templates.used(SITE, template(0))
    process.is_away = False
    await process.templates.close()
    await gone.templates.close()
    assert process.count("saved") == 2
    assert gone.calls == ["version", "version", "close"]


@asynchronous
async def test_a_template_that_cannot_be_stored_does_not_stop_the_others(path):
    key, voter = (Page("<p>text", f"https://site.test/{name}") for name in ("\ud800", "b"))
    process = Process(path)
    await process.templates.save(SITE, Template.from_pages(key, [voter]))
    await process.templates.save(SITE, template(0))
    assert process.counts == (0, 1, 1)


@asynchronous
async def test_uses_are_told_now_and_then(path, store, monkeypatch):
    monkeypatch.setattr(template_persistence, "MAX_NOTES", 2)
    process = Process(path)
    for number in range(2):
        store.save(SITE, stored(number))
        assert "touch" not in process.calls
        process.templates.used(SITE, template(number))
        await process.templates.load("other.test")
    assert process.calls.count("touch") == 1
    assert all(one.used > 1e9 for one in store.load(SITE))


@asynchronous
async def test_content_hashes_are_stored_after_a_hundred_pages_whatever_happens_to_uses(path, store):
    process = Process(path)
    process.templates.used(SITE, template())
    for number in range(99):
        assert not await process.templates.has_same_content(f"http://{SITE}/{number}", "hash")
        assert store.page_hash(process.templates._page(f"http://{SITE}/0")) is None
        process.templates.page_is_through(f"http://{SITE}/{number}", "hash")
    process.fails = {"touch"}
    await process.templates.has_same_content(f"http://{SITE}/99", "hash")
    assert store.page_hash(process.templates._page(f"http://{SITE}/98"))[0] == "hash"


@asynchronous
async def test_damaged_records_are_counted(path, store):
    store.save(SITE, stored())
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE templates SET record = 'damaged'")
    process = Process(path)
    assert await process.templates.load(SITE) == []
    await process.templates.close()
    assert process.counts == (0, 0, 1)
