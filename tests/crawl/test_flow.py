"""How items flow: exceptions, closing, held items, errbacks, items from nowhere."""

import asyncio
import logging
import threading
import weakref

import pytest
from crawling import BANNER, MENU, Reply, SiteSpider, StartPages
from scrapy import Request
from scrapy.exceptions import CloseSpider, DropItem
from scrapy.http import HtmlResponse

from templex_scrapy import Addon, CleanPage
from templex_scrapy.crawl import CrawlContext
from templex_scrapy.crawl.sites import page_cleaner
from templex_scrapy.learning import Budget
from templex_scrapy.template import TemplateSet


def test_an_exception_comes_after_the_items_before_it(crawl, site):
    class Raises(SiteSpider):
        def parse(self, response, **_):
            yield from super().parse(response)
            raise ValueError("after yielding")

    crawled = crawl(Raises, f"{site.url}/")
    assert len(crawled.items) == 12
    assert crawled.count("items/cleaned") == 12
    assert crawled.stats["spider_exceptions/ValueError"] == 12


def test_the_third_page_of_a_type_that_may_not_wait_votes_with_the_others(crawl, new_site, monkeypatch):
    """Also where the votes for a template of its own are used up."""
    monkeypatch.setattr(page_cleaner, "Budget", lambda searches: Budget(searches, votes=-3))
    site = new_site()
    for number in range(3):
        site.add(f"/{number}", menu=[])

    class Raises(SiteSpider):
        def parse(self, response, **_):
            yield from super().parse(response)
            raise ValueError("its items do not wait for voters")

    crawled = crawl(Raises, *(f"{site.url}/{number}" for number in range(3)), CONCURRENT_REQUESTS=1)
    assert (crawled.count("items/no_template"), crawled.count("items/cleaned")) == (2, 1)


def test_requests_are_queued_before_the_page_is_looked_at(crawl, site, monkeypatch):
    """A kill while the first page is matched must not cost the links behind its item."""
    queued = []
    crawler = []

    class Links(SiteSpider):
        def parse(self, response, **_):
            crawler.append(self.crawler)
            yield from super().parse(response)

    clean = CrawlContext.clean

    async def noted(self, *arguments, **options):
        queued.append(crawler[0].stats.get_value("scheduler/enqueued"))
        return await clean(self, *arguments, **options)

    monkeypatch.setattr(CrawlContext, "clean", noted)
    crawl(Links, f"{site.url}/")
    assert queued[0] == 1 + len(MENU)


def test_close_spider_in_a_callback_loses_no_item(crawl, site):
    class Closes(SiteSpider):
        def parse(self, response, **_):
            yield self.item(response)
            raise CloseSpider("enough")

    crawled = crawl(Closes, f"{site.url}/")
    assert len(crawled.items) == 1
    assert crawled.reason == "enough"
    assert crawled.count("candidates/requested") == 0


@pytest.mark.parametrize("setting", ["CLOSESPIDER_ITEMCOUNT", "CLOSESPIDER_PAGECOUNT"])
def test_closespider_settings_lose_no_item(crawl, site, setting):
    parsed = []

    class Counting(SiteSpider):
        def item(self, response):
            parsed.append(response.url)
            return super().item(response)

    crawled = crawl(Counting, f"{site.url}/", **{setting: 3}, CONCURRENT_REQUESTS=2)
    assert crawled.reason == setting.lower()
    assert sorted(item["url"] for item in crawled.items) == sorted(parsed)


def test_closing_ends_a_search_that_waits(crawl, site):
    """The candidates are answered when the item is out."""
    is_out = threading.Event()

    def late(_):
        is_out.wait(10)
        return Reply()

    for path in MENU[1:]:
        site.add(path, late)

    class Out:
        def process_item(self, item):
            is_out.set()
            return item

    crawled = crawl(StartPages, f"{site.url}/news/0.html", CLOSESPIDER_TIMEOUT=1, ITEM_PIPELINES={Out: 900})
    assert (crawled.reason, len(crawled.items)) == ("closespider_timeout", 1)
    assert crawled.count("searches/cut_short") == 1


def test_many_items_of_one_response(crawl, site):
    class Many(SiteSpider):
        def parse(self, response, **_):
            for number in range(50):
                yield {**self.item(response), "number": number}
            yield from self.links(response)

    crawled = crawl(Many, f"{site.url}/", CONCURRENT_ITEMS=3)
    assert len(crawled.items) == 600
    assert sorted(i["number"] for i in crawled.items) == sorted(list(range(50)) * 12)
    assert crawled.count("items/cleaned") == 600


def test_asynchronous_callbacks_yield_or_return(crawl, site):
    class Async(SiteSpider):
        async def parse(self, response, **_):
            yield self.item(response)
            for request in self.links(response):
                yield request.replace(callback=self.returns)

        async def returns(self, response):
            return [self.item(response), *(request.replace(callback=self.returns) for request in self.links(response))]

    assert crawl(Async, f"{site.url}/").count("items/cleaned") == 12


def test_items_of_start_pass(crawl, site):
    class Starts(SiteSpider):
        async def start(self):
            yield {"url": "http://nowhere.example/", "html": "<!DOCTYPE html><p>from start"}
            yield {"html": "<!DOCTYPE html><p>from start"}
            yield Request(f"{site.url}/")

    crawled = crawl(Starts)
    assert len(crawled.items) == 13
    assert crawled.count("items/no_template") == 1
    assert crawled.count("items/no_page") == 1
    assert crawled.count("items/cleaned") == 11


def test_items_of_errbacks(crawl, site, tmp_path):
    """Items of an HTTP error know their response; those of a failed download go by their URL field."""
    store = str(tmp_path / "templates.sqlite3")
    crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=store)
    site.add("/gone", Reply("<!DOCTYPE html><html><body>gone page</body></html>", 404))
    body = str(site.replies["/about/"].body)

    class Errbacks(SiteSpider):
        def parse(self, response, **_):
            yield from super().parse(response)
            if response.url == f"{site.url}/":
                yield Request(f"{site.url}/gone", errback=self.failed, priority=-9)
                yield Request("http://127.0.0.1:1/", errback=self.failed, priority=-9)

        def failed(self, failure):
            response = getattr(failure.value, "response", None)
            if response is not None:
                yield {"url": response.url, "html": response.text}
            else:
                yield {"url": f"{site.url}/copy", "html": body.replace("Story", "Late story")}

    crawled = crawl(Errbacks, f"{site.url}/", TEMPLEX_STORE=store)
    pages = crawled.by_path()
    assert pages["/gone"] == "<!DOCTYPE html><html><body>gone page</body></html>"
    assert "Late story" in pages["/copy"]
    assert BANNER not in pages["/copy"]


def test_the_response_of_an_item_is_the_right_one(crawl, new_site):
    """Items without a URL, from several sites, changed and copied on their way."""
    sites = [new_site(), new_site()]
    for number, site in enumerate(sites):
        for path in MENU:
            site.add(path)
            reply = site.replies[path]
            assert isinstance(reply, Reply)
            reply.body = str(reply.body).replace("banner", f"banner {number}")

    class NoUrl(SiteSpider):
        def item(self, response):
            return {"from": response.url, "html": response.text}

    class Copy:
        async def process_spider_output(self, response, result):  # noqa: ARG002
            async for output in result:
                yield dict(output) if isinstance(output, dict) else output

    crawled = crawl(NoUrl, *(f"{s.url}/" for s in sites), SPIDER_MIDDLEWARES={Copy: 10})
    assert len(crawled.items) == 12
    for item in crawled.items:
        assert "banner" not in item["html"]
        assert f"Headline of /{item['from'].split('/', 3)[3]}<" in item["html"]


def test_dropped_items_do_not_disturb(crawl, site):
    class Drops:
        def process_item(self, item):
            if item["url"].endswith("3.html"):
                raise DropItem("unwanted")
            return item

    crawled = crawl(SiteSpider, f"{site.url}/", ITEM_PIPELINES={Drops: 50})
    assert len(crawled.items) == 11
    assert crawled.count("items/cleaned") == 11


def test_our_own_errors_cost_no_item(crawl, site, monkeypatch):
    def broken(*_, **__):
        raise ZeroDivisionError("broken on purpose")

    monkeypatch.setattr(TemplateSet, "match", broken)
    crawled = crawl(SiteSpider, f"{site.url}/")
    assert len(crawled.items) == 12
    assert all(BANNER in item["html"] for item in crawled.items)
    assert crawled.count("errors") >= 1
    errors = [record for record in crawled.log if record.levelno >= logging.ERROR]
    assert errors
    assert len({error.args[0] for error in errors if isinstance(error.args, tuple)}) == len(errors), "each kind once"
    assert all(error.exc_info is not None for error in errors)


def test_a_page_of_which_nothing_would_be_left_stays_whole(crawl, site, monkeypatch):
    monkeypatch.setattr(CleanPage, "kept_whole", property(lambda _: True))
    crawled = crawl(SiteSpider, f"{site.url}/")
    assert crawled.count("items/kept_whole") == 12
    assert all(BANNER in item["html"] for item in crawled.items)


def test_wrong_settings_stop_the_start(crawl, site):
    with pytest.raises(ValueError, match="did you mean TEMPLEX_VOTES"):
        crawl(SiteSpider, f"{site.url}/", TEMPLEX_VOTE=2)
    assert not site.log


def test_a_missing_add_on_stops_the_start(crawl, site):
    pipelines = {"templex_scrapy.crawl.pipeline.TemplexPipeline": 100}
    with pytest.raises(RuntimeError, match="the add-on is missing"):
        crawl(SiteSpider, f"{site.url}/", addon=False, ITEM_PIPELINES=pipelines)
    assert not site.log


def test_the_project_may_place_the_components(crawl, site):
    crawled = crawl(SiteSpider, f"{site.url}/", ITEM_PIPELINES={"templex_scrapy.crawl.pipeline.TemplexPipeline": 900})
    assert crawled.crawler.settings.getdict("ITEM_PIPELINES") == {"templex_scrapy.crawl.pipeline.TemplexPipeline": 900}
    assert crawled.count("items/cleaned") == 12


def test_a_page_keeps_no_tree_when_its_callback_is_through(crawl, site):
    """It is parsed again for what comes later, and responses of a class of their own stay as they are."""
    trees = {}
    kept = {}

    class Own(HtmlResponse):
        pass

    class Classes:
        def process_response(self, request, response):
            return response.replace(cls=Own) if request.url.endswith("/1.html") else response

    class Trees(SiteSpider):
        def item(self, response):
            trees[response.url], kept[response.url] = weakref.ref(response.selector), response
            return super().item(response)

    left = {}

    class Later:
        def process_item(self, item):
            left[item["url"]] = trees[item["url"]]() is not None
            assert kept[item["url"]].css("h1::text").get().startswith("Headline of")
            return item

    crawled = crawl(Trees, f"{site.url}/", ITEM_PIPELINES={Later: 900}, DOWNLOADER_MIDDLEWARES={Classes: 500})
    assert crawled.count("items/cleaned") == 12
    assert {url for url, is_left in left.items() if is_left} == {f"{site.url}/news/1.html"}
    assert type(kept[f"{site.url}/news/1.html"]) is Own


def test_nothing_is_left_behind(crawl, site):
    """After the crawl no download and no response is kept."""
    crawled = crawl(SiteSpider, f"{site.url}/")
    addon = crawled.crawler.get_addon(Addon)
    assert addon is not None
    downloads = addon.context.downloads
    assert not downloads._downloads
    assert not downloads._arrivals
    assert not any(one.users for one in addon.context.cleaner.sites)
    assert downloads.memory.recall(downloads.fingerprint(Request(f"{site.url}/"))) is not None


def test_items_of_a_failed_download_do_not_get_the_page_that_linked_it(crawl, site):
    class Errbacks(SiteSpider):
        def parse(self, response, **_):
            yield Request("http://127.0.0.1:1/", errback=self.failed)
            yield {"url": response.url}

        def failed(self, failure):
            yield {"url": failure.request.url}

    class Slow:
        async def process_item(self, item):
            await asyncio.sleep(0.5)
            return item

    pipelines = {Slow: 900}
    crawled = crawl(Errbacks, f"{site.url}/", TEMPLEX_OUTPUTS={"text": "text"}, ITEM_PIPELINES=pipelines)
    failed = next(item for item in crawled.items if item["url"] == "http://127.0.0.1:1/")
    assert "text" not in failed
    assert all("text" in item for item in crawled.items if item is not failed)
