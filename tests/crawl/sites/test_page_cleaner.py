"""Crawls of many sites: nothing is learnt twice, templates that do not fit into memory are in the store."""

import asyncio
from types import SimpleNamespace

import pytest
from helpers.web import html_page
from scrapy import Request, Spider
from scrapy.http import HtmlResponse

from templex_scrapy.crawl import context_of
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.sites.page_cleaner import MAX_UNDER_WAY, PageCleaner
from templex_scrapy.template import NO_SELECTORS

SECTIONS = ["/", *(f"/{number}" for number in range(5))]


class Hosts:
    """A download handler: ``good*`` hosts have menus; those of others link to nothing but pages that are missing.

    Settings:
        HOSTS_DELAY: seconds that each page takes.
    """

    lazy = False

    def __init__(self, crawler):
        self._delay = crawler.settings.getfloat("HOSTS_DELAY")

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    async def download_request(self, request):
        await asyncio.sleep(self._delay)
        host, path = request.url.split("/")[2], "/" + request.url.split("/", 3)[3]
        if "missing" in path:
            return HtmlResponse(request.url, status=404, request=request)
        is_good = host.startswith("good")
        menu = SECTIONS if is_good else [f"/missing{path[1:]}-{number}" for number in range(5)]
        body = html_page(path, menu=menu).replace("repeated", host)
        return HtmlResponse(request.url, body=body, encoding="utf-8", request=request)

    async def close(self):
        """Nothing is open."""


class RoundSpider(Spider):
    """Asks for a page of each host, then for the next of each: ``ROUNDS`` times, ``HOSTS`` hosts of a ``KIND``."""

    name = "rounds"
    custom_settings = {"DOWNLOAD_HANDLERS": {"http": Hosts}}  # noqa: RUF012 - Scrapy's own way

    async def start(self):
        settings = self.settings
        for path in range(settings.getint("ROUNDS", 1)):
            for host in range(settings.getint("HOSTS", 1)):
                yield Request(f"http://{settings.get('KIND', 'good')}{host}.example/{path}")

    def parse(self, response):
        yield {"url": response.url, "html": response.text}


BROAD = {"HOSTS": 8, "ROUNDS": 3, "HOSTS_DELAY": 0.02, "TEMPLEX_MEMORY": 1_000_000, "CONCURRENT_REQUESTS": 90}


@pytest.fixture
def small_memory(monkeypatch):
    """Sites take so much that five of them fill the memory."""
    monkeypatch.setattr("templex_scrapy.crawl.sites.page_cleaner.SITE_BYTES", 1_000_000 // 6)


@pytest.mark.usefixtures("small_memory")
@pytest.mark.parametrize("concurrency", [90, 1])
def test_each_site_of_a_broad_crawl_is_learnt_once(crawl, concurrency):
    """Sites are dropped from memory, and their templates come back from the temporary store."""
    crawled = crawl(RoundSpider, **{**BROAD, "CONCURRENT_REQUESTS": concurrency})
    assert crawled.count("searches") == 8
    assert crawled.count("items/cleaned") == len(crawled.items) == 24
    cleaner = context_of(crawled.crawler).cleaner
    assert cleaner.site("next.test").jobs == {}, "the tasks of the last pages have ended only now"
    assert len(cleaner._sites.keys() - {"next.test"}) <= 6


@pytest.mark.usefixtures("small_memory")
def test_what_failed_is_not_tried_for_ever(crawl):
    crawled = crawl(RoundSpider, **{**BROAD, "KIND": "bad", "ROUNDS": 6, "CONCURRENT_REQUESTS": 4})
    assert crawled.count("searches") == 8, "one for each site; then its own pages vote"
    assert crawled.count("searches/learnt") == 0
    assert crawled.count("templates/from_peers") >= 8
    assert len(crawled.items) == 48


def test_templates_that_are_too_large_are_not_kept(crawl, monkeypatch):
    monkeypatch.setattr(TemplexSettings, "template_memory", 1)
    crawled = crawl(RoundSpider, HOSTS=1, ROUNDS=6)
    assert crawled.count("searches/learnt") == crawled.count("templates/from_peers") == 0
    assert crawled.count("items/no_template") == len(crawled.items) == 6


@pytest.fixture
def dropped():
    """The names of sites that were dropped."""
    return []


@pytest.fixture
def cleaner(dropped):
    """A cleaner with room for no site."""
    settings = SimpleNamespace(votes=2, template_memory=1, max_searches=1, site_memory=1)
    persistence = SimpleNamespace(drop=lambda name, _: dropped.append(name))
    crawl = SimpleNamespace(settings=settings, selectors=NO_SELECTORS)
    return PageCleaner(crawl, SimpleNamespace(parse_cache=None), persistence)


def test_sites_are_dropped_by_memory_but_not_while_they_work(cleaner, dropped):
    a = cleaner.site("a.example")
    a.learning.begin_search()
    a.jobs["job"] = None
    assert cleaner.site("b.example").name == "b.example"
    assert list(cleaner._sites) == ["a.example", "b.example"]
    a.jobs.clear()
    assert cleaner.site("c.example").jobs == {}
    assert (list(cleaner._sites), dropped) == (["c.example"], ["a.example", "b.example"])
    again = cleaner.site("a.example")
    assert again is not a
    assert again.learning.budget.searches == 1


@pytest.mark.parametrize(
    ("pages", "url", "waits"),
    [
        (MAX_UNDER_WAY, "http://a.example/1", False),
        (MAX_UNDER_WAY + 1, "http://a.example/1", True),
        (MAX_UNDER_WAY + 1, "http://b.example/1", False),
    ],
)
def test_a_download_waits_for_work_on_its_site_if_many_pages_are_under_way(cleaner, pages, url, waits):
    async def crawl():
        site = cleaner.site("a.example")
        site.jobs.update(dict.fromkeys(range(pages)))
        async with site.lock:
            download = asyncio.create_task(cleaner.catch_up(url))
            await asyncio.sleep(0.01)
            has_waited = not download.done()
        await download
        return has_waited

    assert asyncio.run(crawl()) == waits
