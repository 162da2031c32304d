"""Crawls of many sites: nothing is learnt twice, templates that do not fit into memory are in the store."""

from types import SimpleNamespace

import pytest
from many_hosts import RoundSpider

from templex_scrapy.crawl import context_of
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.sites import template_search
from templex_scrapy.crawl.sites.site_memory import Sites
from templex_scrapy.crawl.sites.template_search import TemplateSearch, TemplateSearches
from templex_scrapy.learning import SiteLearning

BROAD = {"HOSTS": 8, "ROUNDS": 3, "HOSTS_DELAY": 0.02, "TEMPLEX_MEMORY": 1_000_000, "CONCURRENT_REQUESTS": 90}


@pytest.fixture
def small_memory(monkeypatch):
    """Sites take so much that five of them fill the memory."""
    monkeypatch.setattr("templex_scrapy.crawl.sites.site_memory.SITE_BYTES", 1_000_000 // 6)


@pytest.mark.usefixtures("small_memory")
@pytest.mark.parametrize("concurrency", [90, 1])
def test_each_site_of_a_broad_crawl_is_learnt_once(crawl, concurrency):
    """Sites are dropped from memory, and their templates come back from the temporary store."""
    crawled = crawl(RoundSpider, **{**BROAD, "CONCURRENT_REQUESTS": concurrency})
    assert crawled.count("searches") == crawled.count("searches/learnt") == 8
    assert crawled.count("items/cleaned") == len(crawled.items) == 24
    assert len(list(context_of(crawled.crawler).cleaner.sites)) <= 6


@pytest.mark.usefixtures("small_memory")
def test_what_failed_is_not_tried_for_ever(crawl):
    crawled = crawl(RoundSpider, **{**BROAD, "KIND": "bad", "ROUNDS": 6, "CONCURRENT_REQUESTS": 4})
    assert crawled.count("searches") == 8, "one for each site; then its own pages vote"
    assert crawled.count("searches/learnt") == 0
    assert crawled.count("templates/from_peers") >= 8
    assert len(crawled.items) == 48


def test_open_searches_are_limited(crawl, monkeypatch):
    open_now, counts, run = [], [], TemplateSearch.run

    async def watched(self):
        open_now.append(self)
        counts.append(len(open_now))
        try:
            return await run(self)
        finally:
            open_now.remove(self)

    monkeypatch.setattr(TemplateSearch, "run", watched)
    monkeypatch.setattr(template_search, "MAX_OPEN_SEARCHES", 2)
    crawled = crawl(RoundSpider, **BROAD)
    assert max(counts) == 2
    assert crawled.count("searches/learnt") == 8


def test_a_search_that_fails_later_keeps_what_it_has_loaded(crawl, monkeypatch):
    run = TemplateSearch.run

    async def fails(self):
        await run(self)
        raise ValueError("after loading")

    monkeypatch.setattr(TemplateSearch, "run", fails)
    crawled = crawl(RoundSpider, HOSTS=1, ROUNDS=6)
    assert (crawled.count("searches/learnt"), crawled.count("errors"), len(crawled.items)) == (1, 1, 6)


def test_a_search_that_fails_at_once_does_not_block_its_site(crawl, monkeypatch):
    def fails(*_):
        raise ValueError("no delay")

    monkeypatch.setattr(TemplateSearches, "_seconds", fails)
    crawled = crawl(RoundSpider, HOSTS=1, ROUNDS=6, timeout=10)
    assert len(crawled.items) == 6


def test_templates_that_are_too_large_are_not_kept(crawl, monkeypatch):
    monkeypatch.setattr(TemplexSettings, "template_memory", 1)
    crawled = crawl(RoundSpider, HOSTS=1, ROUNDS=6)
    assert crawled.count("searches/learnt") == crawled.count("templates/from_peers") == 0
    assert crawled.count("items/no_template") == len(crawled.items) == 6


def test_sites_are_dropped_by_memory_but_not_while_they_are_in_use():
    dropped = []
    persistence = SimpleNamespace(drop=lambda name, _: dropped.append(name))
    none = None
    sites = Sites(none, persistence, lambda budget: SiteLearning(budget=budget), 1)
    with sites.in_use("a.example") as a:
        a.learning.begin_search()
        with sites.in_use("b.example"):
            pass
        assert [site.name for site in sites] == ["a.example", "b.example"]
    with sites.in_use("c.example"):
        pass
    assert ([site.name for site in sites], dropped) == (["c.example"], ["a.example", "b.example"])
    with sites.in_use("a.example") as again:
        assert again is not a
        assert again.learning.budget.searches == 1
