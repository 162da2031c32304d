"""The table of downloads: which pages of a site are still to come, however a request ends."""

import threading
from itertools import count

import pytest
from helpers.crawling import SiteSpider
from helpers.web import Reply, html_page
from scrapy import FormRequest, Request
from scrapy.core.scheduler import Scheduler
from scrapy.exceptions import IgnoreRequest

from templex_scrapy.crawl.addon import context_of
from templex_scrapy.crawl.downloads import download_table
from templex_scrapy.crawl.downloads.download_table import DownloadTable

SITE = "a.example"


@pytest.fixture
def lost():
    """The paths of requests whose page never comes."""
    return []


@pytest.fixture
def table(lost):
    return DownloadTable(
        lambda request: request.url.encode(),
        1_000_000,
        sends_cookies=lambda _: False,
        may_be_scheduled=lambda _: True,
        on_lost=lambda request, _: lost.append(request.url[len(f"http://{SITE}") :]),
    )


def to(path, **options):
    return Request(f"http://{SITE}{path}", **options)


def state(table):
    return table.has_ahead(SITE), table.is_busy(SITE)


def test_a_page_is_ahead_then_under_way_until_its_callback_is_through(table, lost):
    request = to("/1")
    table.schedule(request)
    table.schedule(request)
    assert state(table) == (True, False)
    table.start(request)
    assert state(table) == (False, True)
    table.start(request)
    table.end(request, is_lost=False)
    table.end(request)
    row = table.find(request)
    assert (state(table), row.request, row.is_made, lost) == ((False, False), None, True, [])


def test_a_duplicate_that_is_dropped_leaves_the_first_one_ahead(table, lost):
    request = to("/1", dont_filter=True)
    table.schedule(request)
    table.schedule(to("/1"))
    table.drop(to("/1"))
    assert (state(table), table.find(request).request, lost) == ((True, False), request, [])
    table.start(request)
    table.schedule(request)  # a middleware tries it again
    table.end(request)
    assert state(table) == (True, False)
    table.drop(request)
    assert (state(table), table.find(request).request, lost) == ((False, False), None, ["/1"])


def test_a_page_that_never_comes_is_told_once(table, lost):
    one, two = to("/1"), to("/2")
    table.schedule(one)
    table.schedule(two)
    table.drop(one)
    table.start(two)
    table.end(two)
    for end in (table.drop, table.start, table.end):
        end(one)
        end(to("/unknown"))
    assert (state(table), lost) == ((False, False), ["/1", "/2"])


def test_a_copy_of_a_request_is_the_same_request_also_if_it_is_refused(table, lost):
    """Another middleware yields ``request.replace(...)``; robots.txt forbids a page."""
    for path in ("/1", "/2"):
        table.schedule(to(path))
        table.schedule(to(path))
    table.start(to("/1"))
    table.end(to("/1"), is_lost=False)
    assert state(table) == (True, False)
    table.drop(to("/2"))
    assert state(table) == (True, False), "the duplicate filter has dropped another copy"
    table.drop(to("/2"), is_refused=True)
    assert (state(table), lost) == ((False, False), ["/2"])


def test_a_request_that_a_callback_awaits_leaves_no_trace(table):
    """``await engine.download_async(request)`` passes the downloader, and no callback ends it."""
    request = to("/1")
    table.start(request)
    table.schedule(request)
    table.start(request)
    table.start(to("/1"))
    table.end(request, is_lost=False)
    assert state(table) == (False, False)


def test_links_that_the_offsite_middleware_drops_fill_no_row(crawl, new_site, monkeypatch):
    """The engine tells nobody that it drops them."""
    monkeypatch.setattr(download_table, "MAX_REMEMBERED", 10)
    site = new_site()

    class Spider(SiteSpider):
        allowed_domains = ("127.0.0.1",)

        def links(self, response):
            yield from super().links(response)
            yield from (Request(f"http://{number}.example/") for number in range(20))

    crawled = crawl(Spider, f"{site.url}/")
    assert crawled.count("items/cleaned") == len(crawled.items)
    downloads = context_of(crawled.crawler).downloads
    assert not downloads.has_ahead("0.example")
    assert not downloads.find(Request("http://0.example/")).is_made


def test_of_too_many_rows_the_oldest_are_forgotten(table, lost, monkeypatch):
    monkeypatch.setattr(download_table, "MAX_REMEMBERED", 2)
    old, new = to("/1"), [to("/2"), to("/3")]
    table.schedule(old)
    table.start(old)
    for request in new:
        table.schedule(request)
    assert state(table) == (True, False)
    table.end(old)
    for request in new:
        table.drop(request)
    assert (state(table), lost) == ((False, False), ["/2", "/3"])


def test_requests_that_are_through_push_out_none_that_waits(table, monkeypatch):
    monkeypatch.setattr(download_table, "MAX_REMEMBERED", 2)
    table.schedule(to("/waits"))
    for number in range(5):
        other = Request(f"http://{number}.example/")
        table.schedule(other)
        table.start(other)
        table.end(other, is_lost=False)
    assert (state(table), table.find(to("/waits")).is_made) == ((True, False), True)
    assert [table.find(Request(f"http://{number}.example/")).is_made for number in range(5)] == [False] * 3 + [True] * 2


OTHERS = 600
"""Pages of another site, of which the scheduler has some while the pages of this one wait: half a minute of them."""


def once(path, first):
    """An answer for the first request, and a page for the next ones."""
    answers = [first]
    return lambda _: answers.pop() if answers else Reply(html_page(path))


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


class OddlessScheduler(Scheduler):
    """A scheduler that refuses one request, as one does that is full."""

    def enqueue_request(self, request):
        """Return False if the request is refused."""
        return not request.url.endswith("/odd") and super().enqueue_request(request)


WAYS = {
    "callback": (Reply(html_page("/odd")), {}, {}),
    "twice": (Reply(html_page("/odd")), {"times": 2}, {}),
    "twice_unfiltered": (Reply(html_page("/odd")), {"times": 2, "dont_filter": True}, {}),
    "robots": (Reply(html_page("/odd")), {}, {"ROBOTSTXT_OBEY": True}),
    "redirect": (Reply("", 302, headers={"Location": "/moved"}), {}, {}),
    "redirect_to_known": (Reply("", 302, headers={"Location": "/1"}), {}, {}),
    "redirect_loop": (Reply("", 302, headers={"Location": "/odd"}), {}, {"REDIRECT_MAX_TIMES": 2}),
    "retry": (once("/odd", Reply("", 503)), {}, {"RETRY_ENABLED": True}),
    "retry_in_vain": (Reply("", 503), {}, {"RETRY_ENABLED": True, "RETRY_TIMES": 1}),
    "timeout": (Reply("", delay=0.4), {"meta": {"download_timeout": 0.1}}, {}),
    "error_page": (Reply(html_page("/odd"), 404), {}, {}),
    "error_page_taken": (Reply(html_page("/odd"), 404), {}, {"HTTPERROR_ALLOW_ALL": True}),
    "other_type": (Reply("text", content_type="text/plain"), {}, {}),
    "switched_off": (Reply(html_page("/odd")), {"meta": {"templex": False}}, {}),
    "too_deep": (Reply(html_page("/odd")), {"meta": {"depth": 9}}, {"DEPTH_LIMIT": 1}),
    "raises_at_once": (Reply(html_page("/odd")), {"callback": "raises"}, {}),
    "raises_later": (Reply(html_page("/odd")), {"callback": "raises_later"}, {}),
    "no_generator": (Reply(html_page("/odd")), {"callback": "returns_none"}, {}),
    "errback": (Reply("", 404), {"errback": "failed"}, {}),
    "post": (Reply(html_page("/odd")), {"class": FormRequest, "formdata": {"q": "1"}}, {}),
    "refused_before": (Reply(html_page("/odd")), {}, {"DOWNLOADER_MIDDLEWARES": {Refusing: 1}}),
    "refused_behind": (Reply(html_page("/odd")), {}, {"DOWNLOADER_MIDDLEWARES": {Refusing: 999}}),
    "middleware_raises": (Reply(html_page("/odd")), {}, {"DOWNLOADER_MIDDLEWARES": {Raising: 1}}),
    "dropped_before": (Reply(html_page("/odd")), {}, {"SPIDER_MIDDLEWARES": {Dropping: 1}}),
    "dropped_behind": (Reply(html_page("/odd")), {}, {"SPIDER_MIDDLEWARES": {Dropping: 999}}),
    "cached": (Reply(html_page("/odd")), {}, {"HTTPCACHE_ENABLED": True}),
    "scheduler_full": (Reply(html_page("/odd")), {}, {"SCHEDULER": OddlessScheduler}),
}


class OddSpider(SiteSpider):
    """Requests an odd page, four others, and pages of another site until five items are out."""

    def links(self, response):
        if response.url.startswith(self.other.url) and not self.are_out.is_set():
            yield Request(f"{self.other.url}/{next(self.numbers)}", priority=-99)
        if response.url == f"{self.site.url}/":
            options = dict(WAYS[self.way][1])
            made, times = options.pop("class", Request), options.pop("times", 1)
            for name in ("callback", "errback"):
                if name in options:
                    options[name] = getattr(self, options[name])
            for _ in range(times):
                yield made(f"{self.site.url}/odd", **options)
            yield from (response.follow(f"/{number}") for number in range(4))
            yield from (Request(f"{self.other.url}/{next(self.numbers)}", priority=-99) for _ in range(4))

    def raises(self, _):
        raise KeyError("in the callback")

    def raises_later(self, response):
        yield self.item(response)
        raise KeyError("in the callback")

    def returns_none(self, _):
        return None

    def failed(self, _):
        yield Request(f"{self.site.url}/moved")


def crawl_with(crawl, new_site, way, **more):
    """Crawl five pages and an odd one; return the URLs of the items, and the number of pages of the other site."""
    reply, _, settings = WAYS[way]
    site, other, items, are_out = new_site(), new_site(), set(), threading.Event()
    for path in ("/", "/moved", *map("/{}".format, range(4))):
        site.add(path, menu=["/", *map("/{}".format, range(4))])
    site.replies |= {"/odd": reply, "/robots.txt": Reply("User-agent: *\nDisallow: /odd", content_type="text/plain")}

    class Seen:
        def process_item(self, item):
            if item["url"].startswith(site.url):
                items.add(item["url"])
            if len(items) == 5:
                are_out.set()
            return item

    other.replies = dict.fromkeys(map("/{}".format, range(OTHERS)), Reply(html_page("/"), delay=0.05))
    attributes = {"site": site, "other": other, "way": way, "are_out": are_out, "numbers": count()}
    spider = type("Odd", (OddSpider,), attributes)
    few = {"CONCURRENT_REQUESTS": 2, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    crawled = crawl(spider, f"{site.url}/", ITEM_PIPELINES={Seen: 900}, **few, **settings, **more)
    assert crawled.reason == "finished"
    assert crawled.count("items/cleaned") >= 5
    return items, len(other.log)


@pytest.mark.parametrize("way", WAYS)
def test_no_page_waits_for_a_request_that_has_ended(crawl, new_site, tmp_path, way):
    """Pages come out while the crawl goes on with another site."""
    items, others = crawl_with(crawl, new_site, way, HTTPCACHE_DIR=str(tmp_path))
    assert len(items) >= 5
    assert others < OTHERS


def test_a_request_that_is_forgotten_ends_with_the_crawl_at_the_latest(crawl, new_site, monkeypatch):
    monkeypatch.setattr(download_table, "MAX_REMEMBERED", 2)
    monkeypatch.setitem(globals(), "OTHERS", 6)
    items, others = crawl_with(crawl, new_site, "callback")
    assert len(items) == 6
    assert others >= OTHERS
