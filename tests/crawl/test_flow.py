"""How items flow: exceptions, closing, held items, errbacks, items from nowhere."""

import asyncio
import logging
import threading
import weakref

import pytest
from helpers.crawling import SiteSpider, StartPages, spider_of
from helpers.web import BANNER, MENU, Reply, html_page
from scrapy import Request, signals, version_info
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse

from templex_scrapy.crawl import CrawlContext, context_of
from templex_scrapy.crawl.downloads.download_table import DownloadTable
from templex_scrapy.crawl.sites import page_cleaner
from templex_scrapy.crawl.sites.template_search import TemplateSearch
from templex_scrapy.learning import Budget, SiteLearning
from templex_scrapy.template import TemplateSet


class Raises(SiteSpider):
    def parse(self, response, **_):
        yield from super().parse(response)
        raise ValueError("after yielding: its items do not wait for voters")


def test_an_exception_comes_after_the_items_before_it(crawl, site):
    crawled = crawl(Raises, f"{site.url}/")
    assert crawled.count("items/cleaned") == len(crawled.items) == 12
    assert crawled.stats["spider_exceptions/ValueError"] == 12


def test_the_third_page_of_a_type_that_may_not_wait_votes_with_the_others(crawl, new_site, monkeypatch):
    """Also where the votes for a template of its own are used up."""
    monkeypatch.setattr(page_cleaner, "Budget", lambda searches: Budget(searches, votes=-3))
    site = new_site()
    for number in range(3):
        site.add(f"/{number}", menu=[])

    crawled = crawl(Raises, *(f"{site.url}/{number}" for number in range(3)), CONCURRENT_REQUESTS=1)
    # Scrapy before 2.18 may load the third page before the second is judged
    without, cleaned = crawled.count("items/no_template"), crawled.count("items/cleaned")
    assert (without, cleaned) == (2, 1) or (version_info < (2, 18) and (without, cleaned) == (1, 2))


def test_requests_are_queued_before_the_page_is_looked_at(crawl, site, monkeypatch):
    """A kill while the first page is matched must not cost the links behind its item."""
    queued, clean = [], CrawlContext.clean

    async def noted(self, *arguments, **options):
        queued.append(self.crawl.crawler.stats.get_value("scheduler/enqueued"))
        return await clean(self, *arguments, **options)

    monkeypatch.setattr(CrawlContext, "clean", noted)
    crawl(SiteSpider, f"{site.url}/")
    assert queued[0] == 1 + len(MENU)


def test_close_spider_in_a_callback_loses_no_item(crawl, site):
    class Closes(SiteSpider):
        def parse(self, response, **_):
            yield self.item(response)
            raise CloseSpider("enough")

    crawled = crawl(Closes, f"{site.url}/", TEMPLEX_OUTPUTS={"text": "text"})
    assert (crawled.reason, crawled.count("candidates/requested")) == ("enough", 0)
    assert [BANNER in item["text"] for item in crawled.items] == [True]


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


def test_closing_ends_a_search_that_waits(crawl, site, late):
    """The candidates are answered when the item is out."""
    site.replies |= dict.fromkeys(MENU[1:], late.reply)

    class Closing(StartPages):
        """Closes the spider when the search requests something."""

        @classmethod
        def from_crawler(cls, crawler, **options):
            spider = super().from_crawler(crawler, **options)
            crawler.signals.connect(spider.close_at_candidate, signals.request_reached_downloader)
            return spider

        def close_at_candidate(self, request):
            if "/news/0" not in request.url:
                self.closing = asyncio.create_task(self.crawler.engine.close_spider_async(reason="enough"))

    crawled = crawl(Closing, f"{site.url}/news/0.html", **late.settings)
    assert (crawled.reason, len(crawled.items)) == ("enough", 1)
    assert set(late.came_second) == {True}
    assert crawled.count("searches/cut_short") == 1


def test_items_of_start_pass(crawl, site):
    class Starts(SiteSpider):
        async def start(self):
            yield {"url": "http://nowhere.example/", "html": "<!DOCTYPE html><p>from start"}
            yield {"html": "<!DOCTYPE html><p>from start"}
            yield Request(f"{site.url}/")

    crawled = crawl(Starts)
    counts = [crawled.count(f"items/{what}") for what in ("no_template", "no_page", "cleaned")]
    assert (len(crawled.items), counts) == (13, [1, 1, 11])


def test_items_of_errbacks(crawl, site, tmp_path):
    """Items of an HTTP error know their response; those of a failed download go by their URL field."""
    store = str(tmp_path / "templates.sqlite3")
    crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=store)
    site.add("/gone", Reply("<!DOCTYPE html><html><body>gone page</body></html>", 404))

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
                yield {"url": f"{site.url}/copy", "html": html_page("/about/").replace("Story", "Late story")}

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
            site.add(path, html_page(path).replace("banner", f"banner {number}"))

    class Copy:
        async def process_spider_output(self, response, result):  # noqa: ARG002
            async for output in result:
                yield dict(output) if isinstance(output, dict) else output

    no_url = spider_of(lambda response: {"from": response.url, "html": response.text})
    crawled = crawl(no_url, *(f"{s.url}/" for s in sites), SPIDER_MIDDLEWARES={Copy: 10})
    assert (len(crawled.items), crawled.count("searches/learnt")) == (12, 2)
    for item in crawled.items:
        assert "banner" not in item["html"]
        assert f"Headline of /{item['from'].split('/', 3)[3]}<" in item["html"]


def broken(*_, **__):
    raise ZeroDivisionError("broken on purpose")


def test_our_own_errors_cost_no_item(crawl, site, monkeypatch):
    monkeypatch.setattr(TemplateSet, "match", broken)
    crawled = crawl(SiteSpider, f"{site.url}/")
    assert len(crawled.items) == 12
    assert all(BANNER in item["html"] for item in crawled.items)
    errors = [record for record in crawled.log if record.levelno >= logging.ERROR]
    assert crawled.count("errors") >= len(errors) > 0
    assert len({error.args[0] for error in errors}) == len(errors), "each kind once"
    assert all(error.exc_info is not None for error in errors)


@pytest.mark.parametrize(
    ("owner", "name"),
    [(TemplateSearch, "step"), (TemplateSearch, "_order"), (SiteLearning, "learn"), (SiteLearning, "end_search")],
)
def test_errors_of_searches_and_votes_cost_no_item(crawl, site, monkeypatch, owner, name):
    monkeypatch.setattr(owner, name, broken)
    assert len(crawl(StartPages, f"{site.url}/news/0.html", f"{site.url}/news/1.html").items) == 2


PIPELINES = {"templex_scrapy.crawl.pipeline.TemplexPipeline": 900}


def test_a_missing_add_on_stops_the_start(crawl, site):
    with pytest.raises(RuntimeError, match="the add-on is missing"):
        crawl(SiteSpider, f"{site.url}/", addon=False, ITEM_PIPELINES=PIPELINES)
    assert not site.log


def test_the_project_may_place_the_components(crawl, site):
    crawled = crawl(SiteSpider, f"{site.url}/", ITEM_PIPELINES=PIPELINES)
    assert crawled.crawler.settings.getdict("ITEM_PIPELINES") == PIPELINES
    assert crawled.count("items/cleaned") == 12


def test_a_page_keeps_no_tree_when_its_callback_is_through(crawl, site):
    """It is parsed again for what comes later, and responses of a class of their own stay as they are."""
    trees, kept, left = {}, {}, {}

    class Own(HtmlResponse):
        pass

    class Classes:
        def process_response(self, request, response):
            return response.replace(cls=Own) if request.url.endswith("/1.html") else response

    class Trees(SiteSpider):
        def item(self, response):
            trees[response.url], kept[response.url] = weakref.ref(response.selector), response
            return super().item(response)

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
    """After the crawl no download and no response is kept, and what was read of no page that was cleaned."""
    context = context_of(crawl(SiteSpider, f"{site.url}/").crawler)
    downloads = context.downloads
    assert (downloads._totals, downloads._coming) == ({}, {})
    assert not any(row.request or row.download for row in downloads._others.values())
    assert not any(worker.jobs for worker in context.cleaner._sites.values())
    assert context.crawl.room._sizes == {}
    assert context.loader.parse_cache.nbytes == 0
    assert downloads.pages.recall(downloads.fingerprint(Request(f"{site.url}/"))) is not None


def test_each_callback_ends_once(crawl, site, monkeypatch):
    """Else the second end would be that of another request with the same fingerprint, such as a start page's."""
    ended, end = [], DownloadTable.end
    monkeypatch.setattr(
        DownloadTable, "end", lambda table, request, **how: (ended.append(request), end(table, request, **how))
    )
    assert len(crawl(SiteSpider, f"{site.url}/").items) == len(ended) == len(set(ended))


def test_items_of_a_failed_download_do_not_get_the_page_that_linked_it(crawl, site):
    class Errbacks(SiteSpider):
        def parse(self, response, **_):
            yield Request("http://127.0.0.1:1/", errback=self.failed)
            yield {"url": response.url}

        def failed(self, failure):
            yield {"url": failure.request.url}

    class Slow:
        async def process_item(self, item):
            await asyncio.sleep(0.3)
            return item

    crawled = crawl(Errbacks, f"{site.url}/", TEMPLEX_OUTPUTS={"text": "text"}, ITEM_PIPELINES={Slow: 900})
    assert {item["url"]: "text" in item for item in crawled.items} == {
        f"{site.url}/": True,
        "http://127.0.0.1:1/": False,
    }


@pytest.mark.parametrize(("output", "threads"), [("date", 1), ("metadata", 1), ("author", 0)])
def test_the_data_of_dates_is_loaded_beside_the_event_loop(crawl, site, monkeypatch, output, threads):
    loading = []
    monkeypatch.setattr("templex_scrapy.crawl.context.load_dates", lambda: loading.append(threading.current_thread()))
    crawl(SiteSpider, f"{site.url}/", TEMPLEX_OUTPUTS={"said": output})
    assert len(loading) == threads
    assert threading.main_thread() not in loading
