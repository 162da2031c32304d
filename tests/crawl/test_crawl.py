"""Whole crawls of a good site: cleaned items, the plain crawl's items, and no request more than it makes."""

from collections import Counter

import pytest
from helpers.crawling import SiteSpider, StartPages, spider_of
from helpers.web import BANNER, FOOTER, MENU
from scrapy import Request

from templex_scrapy.crawl.stats import Stat


def test_items_and_requests_are_those_of_the_plain_crawl_without_the_template(crawl, site):
    """The plain crawl is one with the add-on switched off."""
    plain = crawl(SiteSpider, f"{site.url}/", TEMPLEX_ENABLED=False)
    assert all(BANNER in item["html"] for item in plain.items)
    assert not any(name.startswith("templex/") for name in plain.stats)
    fetches, site.log = site.fetches(), []
    clean = crawl(SiteSpider, f"{site.url}/")
    assert Counter(i["url"] for i in clean.items) == Counter(i["url"] for i in plain.items)
    assert len(clean.items) == 12
    for path, html in clean.by_path().items():
        assert [text in html for text in (BANNER, FOOTER, f"Headline of {path}", f"Story {path}: ")] == [0, 0, 1, 1], (
            path
        )
    assert site.fetches() == fetches
    assert clean.count("searches") == 1
    assert clean.count("candidates/requested") == clean.count("pages/handed_over")
    assert (clean.reason, clean.messages()) == ("finished", [])
    assert {name for name in clean.stats if name.startswith("templex/")} <= {stat.value for stat in Stat}


def test_cookies_and_headers_of_the_spider_decide(crawl, site):
    """A page fetched in another way is another page: it is not handed over."""

    class Headers(SiteSpider):
        def links(self, response):
            if response.url == f"{site.url}/news/0.html":
                for path in MENU:
                    yield Request(site.url + path, headers={"X-Member": "yes"})

    crawled = crawl(Headers, f"{site.url}/news/0.html")
    assert len(crawled.items) == 6
    members = [path for path, headers in site.headers if headers.get("X-Member") == "yes"]
    assert Counter(members) == Counter(MENU), "candidates are asked for as the spider asks for them"


@pytest.mark.parametrize(
    ("limit", "most", "body"), [("SIZE", 5_000, f"<p>{'long ' * 1500}</p>"), ("TAGS", 200, "<br>" * 200)]
)
def test_pages_that_are_too_large_are_left_as_they_are(crawl, site, monkeypatch, limit, most, body):
    monkeypatch.setattr(f"templex_scrapy.page.size_limits.MAX_PAGE_{limit}", most)
    site.add("/about/", body=body)
    crawled = crawl(SiteSpider, f"{site.url}/")
    assert (crawled.count("items/cleaned"), crawled.count("items/no_template")) == (11, 1)
    assert crawled.count("pages/too_large") >= 1
    assert BANNER in crawled.by_path()["/about/"]


@pytest.mark.parametrize(
    "limits",
    [
        {"CONCURRENT_REQUESTS": 1},
        {"CONCURRENT_REQUESTS": 2, "CONCURRENT_REQUESTS_PER_DOMAIN": 2, "DOWNLOAD_DELAY": 0.02},
        {"CONCURRENT_REQUESTS": 32, "CONCURRENT_REQUESTS_PER_DOMAIN": 32},
        # held responses fill the scraper: the search must not need the scheduler
        {"CONCURRENT_REQUESTS": 1, "CONCURRENT_ITEMS": 1, "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1},
    ],
)
def test_concurrency_delay_and_room(crawl, site, limits):
    crawled = crawl(SiteSpider, f"{site.url}/", **limits)
    assert crawled.count("items/cleaned") == len(crawled.items) == 12
    assert max((site.fetches() - Counter({"/": 1})).values()) == 1


def test_missing_pages_are_asked_for_once(crawl, site):
    for path in MENU:
        site.add(path, menu=["/gone/1", "/gone/2", *MENU])
    crawled = crawl(SiteSpider, f"{site.url}/")
    assert site.fetches()["/gone/1"] == site.fetches()["/gone/2"] == 1
    assert crawled.count("items/cleaned") == 6  # the start page comes twice, as in any crawl


def test_start_urls_are_not_fetched_twice(crawl, site):
    crawled = crawl(StartPages, *(site.url + path for path in MENU))
    assert crawled.count("items/cleaned") == 5
    assert site.fetches() == Counter(MENU)


def test_a_spider_that_follows_nothing_costs_a_few_requests(crawl, site):
    crawled = crawl(StartPages, f"{site.url}/news/0.html")
    assert (crawled.count("items/cleaned"), crawled.count("searches/learnt")) == (1, 1)
    assert (crawled.count("candidates/requested"), len(site.log)) == (3, 4)


def test_pages_without_items_cause_no_search(crawl, site):
    class NoItems(SiteSpider):
        def parse(self, response, **_):
            yield from self.links(response)

    no_pages = spider_of(lambda response: {"url": response.url, "title": response.css("title::text").get()})
    for spider in (NoItems, no_pages):
        crawled = crawl(spider, f"{site.url}/")
        assert crawled.count("searches") == crawled.count("candidates/requested") == 0


def test_pages_without_items_serve_as_candidates(crawl, site):
    articles = spider_of(lambda r: {"url": r.url, "html": r.text} if r.url.endswith(".html") else None)
    crawled = crawl(articles, f"{site.url}/news/", CONCURRENT_REQUESTS=1)
    assert crawled.count("items/cleaned") == 6
    assert max((site.fetches() - Counter({"/news/": 1})).values()) == 1


def test_the_switch_of_a_request(crawl, site):
    class Switched(SiteSpider):
        def links(self, response):
            for request in super().links(response):
                yield request.replace(meta={"templex": not request.url.endswith(".html")})

    crawled = crawl(Switched, f"{site.url}/")
    for path, html in crawled.by_path().items():
        assert (BANNER in html) == path.endswith(".html"), path
    assert crawled.count("items/switched_off") == 6
    # Scrapy's filter of duplicates does not know start requests, so the spider itself asks for that page twice
    assert {path for path, times in site.fetches().items() if times > 1} <= {"/"}


@pytest.mark.parametrize(
    ("settings", "kept", "removed", "warning"),
    [
        ({"PRESERVE": ["footer p", "#typo", ".stok"]}, [FOOTER, "Headline of"], [BANNER], "'#typo', '.stok'"),
        ({"PRESERVE": ["#typo"], "MAX_SEARCHES": 0}, [FOOTER, BANNER], [], None),  # nothing is cleaned: not to blame
        ({"REMOVE": ["h1", "#typo"]}, [], [BANNER, "Headline of"], "'#typo'"),
        ({"REMOVE": ["h1", "#typo"], "MAX_SEARCHES": 0}, [BANNER], ["Headline of"], "'#typo'"),  # without a template
    ],
)
def test_what_the_user_preserves_and_removes(crawl, site, settings, kept, removed, warning):
    crawled = crawl(SiteSpider, f"{site.url}/", **{f"TEMPLEX_{name}": value for name, value in settings.items()})
    for html in crawled.by_path().values():
        assert all(text in html for text in kept)
        assert not any(text in html for text in removed)
    said = f"TEMPLEX_{next(iter(settings))}: nothing on the cleaned pages matches {warning}"
    assert crawled.messages() == ([] if warning is None else [said])
    is_learnt = "MAX_SEARCHES" not in settings
    assert (crawled.count("items/no_template"), crawled.count("searches")) == (0 if is_learnt else 12, is_learnt)
