"""Candidates that bring no page, sites that have none, and how candidates are asked for."""

import asyncio
import threading

import pytest
from helpers.crawling import SiteSpider, StartPages
from helpers.web import BANNER, MENU, Reply, html_page
from scrapy import Request

from templex_scrapy import clean_page
from templex_scrapy.crawl.downloads import candidate_loader, candidate_requests
from templex_scrapy.crawl.page_executor import PageExecutor
from templex_scrapy.crawl.sites import template_search
from templex_scrapy.crawl.sites.template_search import MAX_FAILED_CANDIDATES

LOGIN = "<!DOCTYPE html><html><body>please log in</body></html>"


def redirect_to(url):
    return Reply("", 302, headers={"Location": url})


BAD = {
    "slow": Reply("<html><body>slow", delay=1.0),
    "404": Reply("<html><body>gone", 404),
    "500": Reply("<html><body>broken", 500),
    "pdf": Reply("%PDF-1.7 binary", content_type="application/pdf"),
    "json": Reply('{"a": 1}', content_type="application/json"),
    "pdf-as-html": Reply("%PDF-1.7 binary \x00"),
    "fragment": Reply("a fragment only"),
    "blank": Reply(""),
    "offsite": redirect_to("http://127.0.0.1:1/elsewhere"),
    "loop": redirect_to("/loop2"),
    "mailto": redirect_to("mailto:somebody@example.com"),
    "not-gzip": Reply("<html><body>cut", headers={"Content-Encoding": "gzip"}),
}


class Impatient:
    """Gives up the slow page at once, and the others after the time of a candidate."""

    def process_request(self, request):
        if request.url.endswith("/slow"):
            request.meta["download_timeout"] = 0.1


@pytest.mark.parametrize("start", range(0, len(BAD), 4))
def test_bad_candidates_cost_nothing(crawl, site, start):
    names = list(BAD)[start : start + 4]
    for name in names:
        site.add(f"/{name}", BAD[name])
    site.add("/loop2", redirect_to("/loop"))
    site.add("/page", menu=[*(f"/{name}" for name in names), *MENU])
    crawled = crawl(StartPages, f"{site.url}/page", DOWNLOADER_MIDDLEWARES={Impatient: 999})
    assert crawled.count("items/cleaned") == len(crawled.items) == 1
    assert crawled.count("candidates/failed") == len(names)
    assert {f"/{name}" for name in names} <= set(site.log)
    assert (crawled.reason, [text for text in crawled.messages() if "gzip" not in text]) == ("finished", [])
    assert sum(path.startswith("/loop") for path in site.log) <= 1 + candidate_requests.MAX_REDIRECTS


@pytest.mark.parametrize(("most", "failed"), [(5, 5), (60, MAX_FAILED_CANDIDATES)])
def test_a_search_ends_whose_requests_all_fail(crawl, site, most, failed):
    """MAX_LOADS bounds it; and of a site whose first ten links lead nowhere, the others do so as well."""
    site.add("/page", menu=[f"/gone/{i}" for i in range(40)])
    crawled = crawl(StartPages, f"{site.url}/page", TEMPLEX_MAX_LOADS=most)
    assert (crawled.count("searches/learnt"), crawled.count("items/no_template")) == (0, 1)
    assert BANNER in crawled.items[0]["html"]
    assert crawled.count("candidates/failed") == crawled.count("candidates/requested") == len(site.log) - 1 == failed
    assert crawled.count("sites/given_up") == 0, "nothing was loaded, which tells nothing of the site"


@pytest.mark.parametrize(
    ("domain", "limit", "are_sent"), [("127.0.0.1", 1, 0), ("127.0.0.1", 2, 1), ("b.example", 2, 0)]
)
def test_depth_limit_and_offsite_rules_hold_for_candidates(crawl, site, domain, limit, are_sent):
    """Start requests may leave the domains, candidates may not."""

    class Deep(StartPages):
        allowed_domains = (domain,)

        async def start(self):
            for url in self.start_urls:
                yield Request(url, meta={"depth": 1}, dont_filter=True)

    crawled = crawl(Deep, f"{site.url}/", DEPTH_LIMIT=limit)
    assert len(crawled.items) == 1
    assert (crawled.count("candidates/requested") > 0) == (len(site.log) > 1) == are_sent


def test_robots_txt_holds_for_candidates(crawl, site):
    site.add("/robots.txt", Reply("User-agent: *\nDisallow: /news/\nDisallow: /shop/\n", content_type="text/plain"))
    crawled = crawl(StartPages, f"{site.url}/", ROBOTSTXT_OBEY=True, TEMPLEX_MAX_LOADS=8)
    assert len(crawled.items) == 1
    assert not {"/news/", "/shop/"} & set(site.log)
    assert crawled.count("candidates/requested") == len(site.log) - 2
    assert crawled.count("candidates/failed") == 0, "what robots.txt disallows was not requested"


def test_robots_txt_of_a_candidate_does_not_wait_for_it(crawl, site, new_site):
    other = new_site()
    for made in (site, other):
        made.add("/robots.txt", Reply("User-agent: *\nAllow: /\n", content_type="text/plain"))
    for path in MENU[1:]:
        site.add(path, redirect_to(f"{other.url}{path}"))
    crawled = crawl(SiteSpider, f"{site.url}/", ROBOTSTXT_OBEY=True, CONCURRENT_REQUESTS=1)
    assert len(crawled.items) == 2, "the start page, twice"
    assert crawled.reason == "finished"


def test_redirected_pages_are_candidates_under_their_final_url(crawl, site):
    menu = ["/old/news", "/old/shop", "/old/about"]
    for path in ("/news/", "/shop/", "/about/"):
        site.add(path, menu=menu)
    for old in menu:
        site.add(old, redirect_to(f"{old.removeprefix('/old')}/"))
    crawled = crawl(SiteSpider, f"{site.url}/news/")
    assert crawled.count("items/cleaned") == 4
    fetches = site.fetches()
    assert fetches["/shop/"] == fetches["/about/"] == 1
    assert fetches["/news/"] <= 2, "once as a start request"


def test_a_failure_that_passes_is_not_handed_over(crawl, site):
    """A 500 that a candidate gets is the search's own: the spider asks for itself, and gets the page."""
    site.add("/shop/", lambda path: Reply("busy", 503) if site.log.count(path) == 1 else Reply(html_page(path)))
    crawled = crawl(SiteSpider, f"{site.url}/", RETRY_ENABLED=True, CONCURRENT_REQUESTS=2)
    assert "/shop/" in crawled.by_path()
    assert len(crawled.items) == 12


def test_a_candidate_is_not_redirected_to_another_site_or_to_a_link_that_acts(crawl, site, new_site):
    other = new_site()
    other.add("/")
    site.add("/page", menu=["/elsewhere", "/acting", *MENU])
    site.add("/elsewhere", redirect_to(f"{other.url}/"))
    site.add("/acting", redirect_to("/cart/clear?confirm=1"))
    crawled = crawl(StartPages, f"{site.url}/page")
    assert crawled.count("items/cleaned") == 1
    assert {"/elsewhere", "/acting"} <= set(site.log)
    assert not other.log
    assert "/cart/clear?confirm=1" not in site.log


@pytest.mark.parametrize(
    "options", [{"headers": {"Authorization": "Basic eA=="}}, {"headers": {"X-Api-Key": "k"}}, {"cookies": {"s": "1"}}]
)
def test_with_a_login_only_the_spider_requests(crawl, site, options):
    class LoggedIn(SiteSpider):
        async def start(self):
            for url in self.start_urls:
                yield Request(url, **options)

        def links(self, response):
            for request in super().links(response):
                if "/news/" not in request.url:
                    yield request.replace(**options)

    crawled = crawl(LoggedIn, f"{site.url}/")
    assert crawled.count("candidates/requested") == 0
    assert not any("/news/" in path for path in site.log)
    assert crawled.count("items/cleaned") == len(crawled.items) > 0, "pages of the crawl are candidates"


def test_slow_candidates_leave_half_of_the_downloads_to_the_spider(crawl, site, new_site):
    """Candidates of hosts that answer slowly do not hold up the pages of another host."""
    now, most, came_first = [0], [0], []
    good_is_done, are_two = threading.Event(), threading.Event()

    def slow(path):
        now[0] += 1
        most[0] = max(most[0], now[0])
        if now[0] == 2:
            are_two.set()
        came_first.append(good_is_done.wait(60) and are_two.wait(60))
        now[0] -= 1
        return Reply(html_page(path, menu=MENU))

    hosts = [new_site() for _ in range(4)]
    for host in hosts:
        host.replies = {"/": Reply(html_page("/", menu=MENU[1:])), **dict.fromkeys(MENU[1:], slow)}

    class Mixed(SiteSpider):
        def links(self, response):
            if set(site.replies) <= set(site.log):
                good_is_done.set()
            return super().links(response) if response.url.startswith(site.url) else iter(())

    urls = [*(f"{host.url}/" for host in hosts), f"{site.url}/"]
    crawl(Mixed, *urls, CONCURRENT_REQUESTS=4, CONCURRENT_REQUESTS_PER_DOMAIN=4)
    assert most[0] == 2
    assert all(came_first), "all pages of the other host came while the candidates were downloaded"


def test_with_cookies_of_the_project_only_the_spider_requests(crawl, site):
    """Its own middleware sends the cookie of a login with each request, in place of Scrapy's."""

    class OwnCookies:
        def process_request(self, request):
            request.headers["Cookie"] = "login=1"

    scrapys = "scrapy.downloadermiddlewares.cookies.CookiesMiddleware"
    crawled = crawl(StartPages, f"{site.url}/", DOWNLOADER_MIDDLEWARES={scrapys: None, OwnCookies: 700})
    assert site.log == ["/"]
    assert crawled.count("searches") == 1


def test_sessions_of_the_spider_are_left_alone(crawl, site):
    """A server that renews its session with each answer, and shows the login page for an old one."""
    valid = ["0"]

    def reply(path):
        sent = site.headers[-1][1].get("Cookie", "")
        if path != "/" and sent != f"sid={valid[0]}":
            return Reply(LOGIN)
        valid[0] = str(int(valid[0]) + 1)
        return Reply(html_page(path), headers={"Set-Cookie": f"sid={valid[0]}; Path=/"})

    site.replies = dict.fromkeys(MENU, reply)
    crawled = crawl(SiteSpider, f"{site.url}/", CONCURRENT_REQUESTS=1)
    assert len(crawled.items) == 6
    assert not any("please log in" in item["html"] for item in crawled.items)


def test_cookies_of_candidates_stay_theirs(crawl, site):
    """A server that knows each session it has given for one answer only."""
    valid = set()

    def reply(path):
        sent = site.headers[-1][1].get("Cookie")
        is_known = sent is None or sent in valid
        valid.discard(sent or "")
        valid.add(f"sid={len(site.log)}")
        return Reply(html_page(path) if is_known else LOGIN, headers={"Set-Cookie": f"sid={len(site.log)}; Path=/"})

    site.replies |= dict.fromkeys(MENU[1:], reply)

    class Backwards(SiteSpider):
        def links(self, response):
            return reversed(list(super().links(response)))

    crawled = crawl(Backwards, f"{site.url}/", CONCURRENT_REQUESTS=1)
    assert len(crawled.items) == 6
    assert not any("please log in" in item["html"] for item in crawled.items)


def test_candidates_do_not_take_cookies_from_pages_of_the_spider(crawl, site):
    site.add("/first", Reply(html_page("/first", menu=[]), headers={"Set-Cookie": "sid=1; Path=/"}))
    site.add("/page", menu=["/old", *MENU])
    site.add("/old", redirect_to("/first"))
    crawled = crawl(StartPages, f"{site.url}/first", f"{site.url}/page", CONCURRENT_REQUESTS=1)
    assert crawled.count("candidates/from_crawl") == 1
    assert len(site.log) > site.log.index("/old") + 1
    assert [path for path, headers in site.headers if "Cookie" in headers] == ["/page"]


def test_candidates_count_under_concurrent_requests(crawl, site):
    site.replies = {path: Reply(html_page(path), delay=0.02) for path in MENU}
    crawled = crawl(SiteSpider, f"{site.url}/", CONCURRENT_REQUESTS=1)
    assert crawled.count("items/cleaned") == 6
    assert site.most == 1


def test_candidates_get_a_place_in_a_downloader_that_is_always_full(crawl, site, new_site):
    """The spider has other pages to download all the time: one of its requests gives way to each candidate."""
    busy = new_site()
    for number in range(40):
        busy.add(f"/{number}", Reply("{}", content_type="application/json", delay=0.03))

    class Busy(StartPages):
        def parse(self, response, **_):
            if response.url.startswith(site.url):
                yield self.item(response)

    urls = [f"{site.url}/news/0.html", *(f"{busy.url}/{number}" for number in range(40))]
    crawled = crawl(Busy, *urls, CONCURRENT_REQUESTS=2)
    assert crawled.count("items/cleaned") == 1
    assert crawled.count("candidates/requested") == 3


def test_a_middleware_that_downloads_something_for_one_request_at_a_time(crawl, site, monkeypatch):
    """Its download may give way to a candidate that waits for the middleware."""
    monkeypatch.setattr(candidate_loader, "CANDIDATE_TIMEOUT", 0.2)
    site.add("/token", Reply("token", content_type="text/plain"))

    class Tokens:
        def __init__(self, crawler):
            self.crawler, self.lock = crawler, asyncio.Lock()

        @classmethod
        def from_crawler(cls, crawler):
            return cls(crawler)

        async def process_request(self, request):
            if not request.url.endswith("/token"):
                async with self.lock:
                    await self.crawler.engine.download_async(Request(f"{site.url}/token"))

    urls = [f"{site.url}/news/{number}.html" for number in range(6)]
    crawled = crawl(StartPages, *urls, CONCURRENT_REQUESTS=2, DOWNLOADER_MIDDLEWARES={Tokens: 543})
    assert (crawled.reason, len(crawled.items)) == ("finished", 6)


class MenuAndPage(StartPages):
    """Requests the menu of a page, and awaits the clean page, whose candidates are the pages of the menu."""

    async def parse(self, response, **_):
        if "/news/0.html" in response.url:
            for path in MENU:
                yield response.follow(path)
            yield {"url": response.url, "html": (await clean_page(response)).html}


def test_a_page_that_the_spider_downloads_counts_once(crawl, site):
    """CLOSESPIDER_PAGECOUNT counts responses: a candidate that waits for such a page is none."""
    site.replies |= {path: Reply(html_page(path), delay=0.3) for path in MENU}
    crawled = crawl(MenuAndPage, f"{site.url}/news/0.html", CLOSESPIDER_PAGECOUNT=len(MENU) + 2)
    assert (crawled.reason, crawled.stats["response_received_count"]) == ("finished", len(MENU) + 1)


def test_a_page_that_redirects_is_requested_once(crawl, site):
    """A candidate waits for the spider's download of the page."""
    site.add(MENU[1], Reply("", 302, headers={"Location": "/target.html"}, delay=0.5))
    site.add("/target.html")
    crawled = crawl(MenuAndPage, f"{site.url}/news/0.html")
    assert crawled.count("searches") == len(crawled.items) == 1
    assert (site.log.count(MENU[1]), crawled.count("candidates/requested")) == (1, 0)


def test_a_search_requests_pages_when_half_of_its_time_is_over(crawl, site, late, monkeypatch):
    """The crawl downloads a page of the site all the time, but no candidate."""
    monkeypatch.setattr(template_search, "PATIENCE", 3600.0)
    monkeypatch.setattr(template_search, "SEARCH_SECONDS", 3.0)
    site.add("/other", late.reply)

    class Awaiting(StartPages):
        async def parse(self, response, **_):
            if not response.url.endswith("/other"):
                yield {"url": response.url, "html": (await clean_page(response)).html}

    crawled = crawl(Awaiting, f"{site.url}/news/0.html", f"{site.url}/other", **late.settings)
    assert crawled.count("candidates/requested") > 0
    assert late.came_second == [True]


def test_the_candidates_of_a_page_are_ordered_in_a_few_turns(crawl, site, monkeypatch):
    """Each turn comes behind the light pages of all other sites."""
    weights, do = [], PageExecutor.do
    monkeypatch.setattr(PageExecutor, "do", lambda self, weight, work: weights.append(weight) or do(self, weight, work))
    site.add("/page", menu=[*(f"/nothing/{number}" for number in range(200)), *MENU])
    crawled = crawl(StartPages, f"{site.url}/page")
    assert crawled.count("searches") == 1
    assert 0 < weights.count(0) <= 5 + crawled.count("candidates/failed"), "a candidate that fails takes a turn as well"


def test_what_may_not_be_requested_takes_no_place_of_others(crawl, site):
    """Links that act, and links that are too long."""
    acting = [f"/?add-to-cart={number}" for number in range(70)]
    site.add("/page", menu=[*acting, f"/?{'x' * 100}", *MENU])
    crawled = crawl(StartPages, f"{site.url}/page", URLLENGTH_LIMIT=100)
    assert crawled.count("items/cleaned") == 1
    assert not any("add-to-cart" in path or "xxx" in path for path in site.log)
