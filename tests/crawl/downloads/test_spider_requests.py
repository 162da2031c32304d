"""The spider's requests: which pages of a site are still to come, however a request ends."""

import pytest
from crawling import SiteSpider
from scrapy import FormRequest, Request
from scrapy.exceptions import IgnoreRequest
from web import Reply, page

from templex_scrapy.crawl.downloads import spider_requests
from templex_scrapy.crawl.downloads.spider_requests import SpiderRequests
from templex_scrapy.crawl.sites import site_worker

SITE = "a.example"


@pytest.fixture
def lost():
    return []


@pytest.fixture
def requests(lost):
    return SpiderRequests(lambda request, _: lost.append(request))


def note(requests, path, **options):
    requests.note(path.encode(), Request(f"http://{SITE}{path}", **options))


def state(requests):
    return requests.has_ahead(SITE), requests.are_under_way(SITE)


def test_a_page_is_ahead_then_under_way_until_its_callback_is_through(requests, lost):
    note(requests, "/1")
    assert state(requests) == (True, False)
    requests.start(b"/1")
    assert state(requests) == (False, True)
    requests.start(b"/1", is_callback=True)
    requests.end(b"/1", is_lost=False)
    requests.end(b"/1")
    assert (state(requests), requests.is_coming(b"/1"), b"/1" in requests, lost) == ((False, False), False, True, [])


def test_a_duplicate_that_is_dropped_leaves_the_first_one_ahead(requests, lost):
    note(requests, "/1", dont_filter=True)
    note(requests, "/1")
    requests.drop(b"/1")
    assert (state(requests), requests.is_sure(b"/1"), lost) == ((True, False), True, [])
    requests.start(b"/1")
    note(requests, "/1")
    requests.end(b"/1", is_lost=False)
    assert state(requests) == (True, False)
    requests.drop(b"/1")
    assert (state(requests), [request.url for request in lost]) == ((False, False), [f"http://{SITE}/1"])


def test_what_never_comes_is_told_once(requests, lost):
    for path in ("/1", "/2"):
        note(requests, path)
    requests.drop(b"/1")
    requests.start(b"/2")
    requests.end(b"/2")
    for end in (requests.drop, requests.start, requests.end):
        end(b"/1")
        end(b"/unknown")
    assert (state(requests), [request.url[-2:] for request in lost]) == ((False, False), ["/1", "/2"])


OTHERS = 16
"""Slow pages of another site, which the scheduler has while the pages of this one wait."""


def once(path, first):
    """An answer for the first request, and a page for the next ones."""
    answers = [first]
    return lambda _: answers.pop() if answers else Reply(page(path))


class Refusing:
    """A downloader middleware that stands before the add-on's or behind it."""

    def process_request(self, request):
        if request.url.endswith("/odd"):
            raise IgnoreRequest("refused")


class Raising:
    def process_response(self, request, response):
        if request.url.endswith("/odd"):
            raise KeyError("in a middleware")
        return response


class Dropping:
    """A spider middleware behind the add-on's that swallows a response."""

    def process_spider_input(self, response):
        if response.url.endswith("/odd"):
            raise ValueError("not for the spider")


WAYS = {
    "callback": (Reply(page("/odd")), {}, {}),
    "twice": (Reply(page("/odd")), {"times": 2}, {}),
    "twice_unfiltered": (Reply(page("/odd")), {"times": 2, "dont_filter": True}, {}),
    "robots": (Reply(page("/odd")), {}, {"ROBOTSTXT_OBEY": True}),
    "redirect": (Reply("", 302, headers={"Location": "/moved"}), {}, {}),
    "redirect_to_known": (Reply("", 302, headers={"Location": "/1"}), {}, {}),
    "redirect_loop": (Reply("", 302, headers={"Location": "/odd"}), {}, {"REDIRECT_MAX_TIMES": 2}),
    "retry": (once("/odd", Reply("", 503)), {}, {"RETRY_ENABLED": True}),
    "retry_in_vain": (Reply("", 503), {}, {"RETRY_ENABLED": True, "RETRY_TIMES": 1}),
    "timeout": (Reply("", delay=0.4), {"meta": {"download_timeout": 0.1}}, {}),
    "error_page": (Reply(page("/odd"), 404), {}, {}),
    "error_page_taken": (Reply(page("/odd"), 404), {}, {"HTTPERROR_ALLOW_ALL": True}),
    "other_type": (Reply("text", content_type="text/plain"), {}, {}),
    "switched_off": (Reply(page("/odd")), {"meta": {"templex": False}}, {}),
    "too_deep": (Reply(page("/odd")), {"meta": {"depth": 9}}, {"DEPTH_LIMIT": 1}),
    "raises_at_once": (Reply(page("/odd")), {"callback": "raises"}, {}),
    "raises_later": (Reply(page("/odd")), {"callback": "raises_later"}, {}),
    "no_generator": (Reply(page("/odd")), {"callback": "returns_none"}, {}),
    "errback": (Reply("", 404), {"errback": "failed"}, {}),
    "post": (Reply(page("/odd")), {"class": FormRequest, "formdata": {"q": "1"}}, {}),
    "refused_before": (Reply(page("/odd")), {}, {"DOWNLOADER_MIDDLEWARES": {Refusing: 1}}),
    "refused_behind": (Reply(page("/odd")), {}, {"DOWNLOADER_MIDDLEWARES": {Refusing: 999}}),
    "middleware_raises": (Reply(page("/odd")), {}, {"DOWNLOADER_MIDDLEWARES": {Raising: 1}}),
    "dropped_before": (Reply(page("/odd")), {}, {"SPIDER_MIDDLEWARES": {Dropping: 1}}),
    "dropped_behind": (Reply(page("/odd")), {}, {"SPIDER_MIDDLEWARES": {Dropping: 999}}),
    "cached": (Reply(page("/odd")), {}, {"HTTPCACHE_ENABLED": True}),
    "scheduler_full": (Reply(page("/odd")), {}, {"SCHEDULER": "crawling.OddlessScheduler"}),
}


class OddSpider(SiteSpider):
    """Requests an odd page, four others, and the slow pages of another site."""

    def links(self, response):
        if response.url == f"{self.site.url}/":
            options = dict(WAYS[self.way][1])
            made, times = options.pop("class", Request), options.pop("times", 1)
            for name in ("callback", "errback"):
                if name in options:
                    options[name] = getattr(self, options[name])
            for _ in range(times):
                yield made(f"{self.site.url}/odd", **options)
            yield from (response.follow(f"/{number}") for number in range(4))
            yield from (Request(f"{self.other.url}/{number}", priority=-99) for number in range(OTHERS))

    def raises(self, _):
        raise KeyError("in the callback")

    def raises_later(self, response):
        yield self.item(response)
        raise KeyError("in the callback")

    def returns_none(self, _):
        return None

    def failed(self, _):
        yield Request(f"{self.site.url}/moved")


class Seen:
    """Notes how many pages of the other site were asked for when an item comes out."""

    def __init__(self, crawler):
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler):
        return cls(crawler)

    def process_item(self, item):
        self.crawler.spider.asked[item["url"]] = len(self.crawler.spider.other.log)
        return item


def crawl_with(crawl, new_site, way, **more):
    """Crawl five pages and an odd one: their URLs, and how many pages of the other site were asked for before each."""
    reply, _, settings = WAYS[way]
    site, other, asked = new_site(), new_site(), {}
    for path in ("/", "/moved", *map("/{}".format, range(4))):
        site.add(path, menu=["/", *map("/{}".format, range(4))])
    site.replies |= {"/odd": reply, "/robots.txt": Reply("User-agent: *\nDisallow: /odd", content_type="text/plain")}

    def answer(_):
        are_out = sum(url.startswith(site.url) for url in list(asked)) >= 5
        return Reply(page("/"), delay=0.05 if are_out else 0.15)

    other.replies |= {f"/{number}": answer for number in range(OTHERS)}
    spider = type("Odd", (OddSpider,), {"site": site, "other": other, "asked": asked, "way": way})
    few = {"CONCURRENT_REQUESTS": 2, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    crawled = crawl(spider, f"{site.url}/", timeout=15, ITEM_PIPELINES={Seen: 900}, **few, **settings, **more)
    assert crawled.reason == "finished"
    assert crawled.count("items/cleaned") >= 5
    return {url: count for url, count in asked.items() if url.startswith(site.url)}


@pytest.mark.parametrize("way", WAYS)
def test_no_page_waits_for_a_request_that_has_ended(crawl, new_site, tmp_path, monkeypatch, way):
    """Pages come out while the crawl goes on with another site, and long before they would have waited enough."""
    monkeypatch.setattr(site_worker, "WAIT_SECONDS", 60.0)
    asked = crawl_with(crawl, new_site, way, HTTPCACHE_DIR=str(tmp_path))
    assert len(asked) >= 5
    assert max(asked.values()) < OTHERS, asked


def test_a_request_that_is_forgotten_ends_with_the_crawl_at_the_latest(crawl, new_site, monkeypatch):
    monkeypatch.setattr(site_worker, "WAIT_SECONDS", 60.0)
    monkeypatch.setattr(spider_requests, "MAX_REMEMBERED", 2)
    assert len(crawl_with(crawl, new_site, "callback")) == 6
