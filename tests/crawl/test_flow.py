"""How items flow: exceptions, closing, held items, errbacks, items from nowhere."""

from __future__ import annotations

import gc
import logging
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from crawling import MENU, Crawled, Reply, Site, SiteSpider
from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, DropItem

from templex_scrapy import Template
from templex_scrapy.template.match import Match

BANNER = "repeated banner"


def test_an_exception_comes_after_the_items_before_it(crawl: Callable[..., Crawled], site: Site) -> None:
    class Raises(SiteSpider):
        def parse(self, response: Any, **_: Any) -> Any:
            yield from super().parse(response)
            raise ValueError("after yielding")

    crawled = crawl(Raises, f"{site.url}/")
    assert len(crawled.items) == 12
    assert crawled.count("items/cleaned") == 12
    assert crawled.stats["spider_exceptions/ValueError"] == 12


def test_close_spider_in_a_callback_loses_no_item(crawl: Callable[..., Crawled], site: Site) -> None:
    class Closes(SiteSpider):
        def parse(self, response: Any, **_: Any) -> Any:
            yield self.item(response)
            raise CloseSpider("enough")

    crawled = crawl(Closes, f"{site.url}/")
    assert len(crawled.items) == 1
    assert crawled.reason == "enough"
    assert crawled.count("candidates/requested") == 0


@pytest.mark.parametrize("setting", ["CLOSESPIDER_ITEMCOUNT", "CLOSESPIDER_PAGECOUNT"])
def test_closespider_settings_lose_no_item(crawl: Callable[..., Crawled], site: Site, setting: str) -> None:
    parsed: list[str] = []

    class Counting(SiteSpider):
        def item(self, response: Any) -> Any:
            parsed.append(response.url)
            return super().item(response)

    crawled = crawl(Counting, f"{site.url}/", **{setting: 3}, CONCURRENT_REQUESTS=2)
    assert crawled.reason == setting.lower()
    assert sorted(item["url"] for item in crawled.items) == sorted(parsed)


def test_closing_ends_a_search_that_waits(crawl: Callable[..., Crawled], site: Site) -> None:
    for path in MENU[1:]:
        site.add(path, Reply(delay=4.0))

    class One(SiteSpider):
        def links(self, _: Any) -> Any:
            return iter(())

    crawled = crawl(One, f"{site.url}/news/0.html", CLOSESPIDER_TIMEOUT=1.5, TEMPLEX_CANDIDATE_TIMEOUT=4)
    assert crawled.reason == "closespider_timeout"
    assert len(crawled.items) == 1
    assert crawled.count("searches/cut_short") == 1


def test_many_items_of_one_response(crawl: Callable[..., Crawled], site: Site) -> None:
    class Many(SiteSpider):
        def parse(self, response: Any, **_: Any) -> Any:
            for number in range(50):
                yield {**self.item(response), "number": number}
            yield from self.links(response)

    crawled = crawl(Many, f"{site.url}/", TEMPLEX_HELD_ITEMS=5, CONCURRENT_ITEMS=3)
    assert len(crawled.items) == 600
    assert sorted(i["number"] for i in crawled.items) == sorted(list(range(50)) * 12)
    assert crawled.count("items/cleaned") == 600


def test_async_callbacks(crawl: Callable[..., Crawled], site: Site) -> None:
    class Async(SiteSpider):
        async def parse(self, response: Any, **_: Any) -> Any:
            yield self.item(response)
            for request in self.links(response):
                yield request

    crawled = crawl(Async, f"{site.url}/")
    assert crawled.count("items/cleaned") == 12


def test_callbacks_that_return(crawl: Callable[..., Crawled], site: Site) -> None:
    class Returns(SiteSpider):
        async def parse(self, response: Any, **_: Any) -> Any:
            return [self.item(response), *self.links(response)]

    assert crawl(Returns, f"{site.url}/").count("items/cleaned") == 12


def test_items_of_start_pass(crawl: Callable[..., Crawled], site: Site) -> None:
    class Starts(SiteSpider):
        async def start(self) -> Any:
            yield {"url": "http://nowhere.example/", "html": "<!DOCTYPE html><p>from start"}
            yield {"html": "<!DOCTYPE html><p>from start"}
            yield Request(f"{site.url}/")

    crawled = crawl(Starts)
    assert len(crawled.items) == 13
    assert crawled.count("items/no_template") == 1
    assert crawled.count("items/no_site") == 1
    assert crawled.count("items/cleaned") == 11


def test_items_of_errbacks(crawl: Callable[..., Crawled], site: Site) -> None:
    """Items of an HTTP error know their response; those of a failed download go by their URL field."""
    site.add("/gone", Reply("<!DOCTYPE html><html><body>gone page</body></html>", 404))
    body = str(site.replies["/about/"].body)  # type: ignore[union-attr]

    class Errbacks(SiteSpider):
        def parse(self, response: Any, **_: Any) -> Any:
            yield from super().parse(response)
            if response.url == f"{site.url}/":
                yield Request(f"{site.url}/gone", errback=self.failed, priority=-9)
                yield Request("http://127.0.0.1:1/", errback=self.failed, priority=-9)

        def failed(self, failure: Any) -> Any:
            response = getattr(failure.value, "response", None)
            if response is not None:
                yield {"url": response.url, "html": response.text}
            else:
                yield {"url": f"{site.url}/copy", "html": body.replace("Story", "Late story")}

    crawled = crawl(Errbacks, f"{site.url}/", CONCURRENT_REQUESTS=1)
    pages = crawled.by_path()
    assert pages["/gone"] == "<!DOCTYPE html><html><body>gone page</body></html>"
    assert "Late story" in pages["/copy"]
    assert BANNER not in pages["/copy"]


def test_the_response_of_an_item_is_the_right_one(crawl: Callable[..., Crawled], new_site: Callable[[], Site]) -> None:
    """Items without a URL, from several sites, changed and copied on their way."""
    sites = [new_site(), new_site()]
    for number, site in enumerate(sites):
        for path in MENU:
            site.add(path)
            reply = site.replies[path]
            assert isinstance(reply, Reply)
            reply.body = str(reply.body).replace("banner", f"banner {number}")

    class NoUrl(SiteSpider):
        def item(self, response: Any) -> Any:
            return {"from": response.url, "html": response.text}

    class Copy:
        async def process_spider_output(self, response: Any, result: Any) -> Any:  # noqa: ARG002
            async for output in result:
                yield dict(output) if isinstance(output, dict) else output

    crawled = crawl(NoUrl, *(f"{s.url}/" for s in sites), SPIDER_MIDDLEWARES={Copy: 10})
    assert len(crawled.items) == 12
    for item in crawled.items:
        assert "banner" not in item["html"]
        assert f"Headline of /{item['from'].split('/', 3)[3]}<" in item["html"]


def test_dropped_items_do_not_disturb(crawl: Callable[..., Crawled], site: Site) -> None:
    class Drops:
        def process_item(self, item: Any) -> Any:
            if item["url"].endswith("3.html"):
                raise DropItem("unwanted")
            return item

    crawled = crawl(SiteSpider, f"{site.url}/", ITEM_PIPELINES={Drops: 50})
    assert len(crawled.items) == 11
    assert crawled.count("items/cleaned") == 11


def test_our_own_errors_cost_no_item(
    crawl: Callable[..., Crawled], site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError("broken on purpose")

    monkeypatch.setattr(Template, "match", broken)
    crawled = crawl(SiteSpider, f"{site.url}/")
    assert len(crawled.items) == 12
    assert all(BANNER in item["html"] for item in crawled.items)
    assert crawled.count("errors") >= 1
    errors = [record for record in crawled.log if record.levelno >= logging.ERROR]
    assert errors
    assert len({error.args[0] for error in errors if isinstance(error.args, tuple)}) == len(errors), "each kind once"
    assert all(error.exc_info is not None for error in errors)


def test_a_broken_output_costs_no_item(
    crawl: Callable[..., Crawled], site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(*_: Any, **__: Any) -> str:
        return " "

    monkeypatch.setattr(Match, "strip", nothing)
    crawled = crawl(SiteSpider, f"{site.url}/")
    assert crawled.count("items/kept_whole") == 12
    assert all(BANNER in item["html"] for item in crawled.items)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"TEMPLEX_VOTE": 2}, "did you mean TEMPLEX_VOTES"),
        ({"TEMPLEX_METHOD": "magic"}, "TEMPLEX_METHOD = 'magic' is not allowed"),
        ({"TEMPLEX_REPORT": ""}, "the path of an HTML file"),
        ({"TEMPLEX_STORE": "ftp://there"}, "redis://"),
    ],
)
@pytest.mark.parametrize("by_addon", [True, False])
def test_wrong_settings_stop_the_start(
    crawl: Callable[..., Crawled], site: Site, settings: dict[str, Any], message: str, *, by_addon: bool
) -> None:
    if not by_addon:
        settings = {**settings, "ITEM_PIPELINES": {"templex_scrapy.crawl.pipeline.TemplexPipeline": 100}}
    with pytest.raises(ValueError, match=message):
        crawl(SiteSpider, f"{site.url}/", addon=by_addon, **settings)
    assert not site.log


def test_a_missing_component_is_said_and_costs_nothing(crawl: Callable[..., Crawled], site: Site) -> None:
    crawled = crawl(
        SiteSpider, f"{site.url}/", addon=False, ITEM_PIPELINES={"templex_scrapy.crawl.pipeline.TemplexPipeline": 100}
    )
    assert len(crawled.items) == 12
    assert any("TemplexSpiderMiddleware is not enabled" in str(r.exc_info) for r in crawled.log if r.exc_info)


def test_the_project_may_place_the_components(crawl: Callable[..., Crawled], site: Site) -> None:
    crawled = crawl(SiteSpider, f"{site.url}/", ITEM_PIPELINES={"templex_scrapy.crawl.pipeline.TemplexPipeline": 900})
    assert crawled.crawler.settings.getdict("ITEM_PIPELINES") == {"templex_scrapy.crawl.pipeline.TemplexPipeline": 900}
    assert crawled.count("items/cleaned") == 12


def test_pages_go_without_the_collector(crawl: Callable[..., Crawled], site: Site) -> None:
    """A response and its selector hold each other, and the collector looks seldom; a tree that is asked for is back."""
    trees: list[weakref.ref[Any]] = []
    first: list[Any] = []

    class Reads(SiteSpider):
        def parse(self, response: Any, **_: Any) -> Any:
            trees.append(weakref.ref(response.selector))
            first.append(response)
            del first[1:]
            yield from super().parse(response)

    gc.disable()
    try:
        crawl(Reads, f"{site.url}/")
        alive = sum(tree() is not None for tree in trees)
    finally:
        gc.enable()
    assert len(trees) == 12
    assert alive == 0
    assert first[0].css("h1::text").get().startswith("Headline")


def test_nothing_is_left_behind(crawl: Callable[..., Crawled], site: Site) -> None:
    """After the crawl no search, no download and no page's tree is kept."""
    from templex_scrapy.crawl.downloader_middleware import TemplexDownloaderMiddleware  # noqa: PLC0415
    from templex_scrapy.crawl.spider_middleware import TemplexSpiderMiddleware  # noqa: PLC0415

    kept: dict[str, Any] = {}

    class Looks(SiteSpider):
        def closed(self: Spider, reason: str) -> None:  # noqa: ARG002
            kept["spider"] = self.crawler.get_spider_middleware(TemplexSpiderMiddleware)
            kept["downloader"] = self.crawler.get_downloader_middleware(TemplexDownloaderMiddleware)

    crawl(Looks, f"{site.url}/")
    traffic = kept["downloader"].traffic
    assert not traffic._flights
    assert not traffic._arrivals
    assert not kept["spider"].learner._searches
    assert 0 < traffic.memory.bytes <= traffic.memory.max_bytes
