"""Whole crawls of a good site: cleaned items, the plain crawl's items, and no request more than it makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from crawling import MENU, Crawled, Site, SiteSpider
from scrapy import Request

from templex_scrapy.crawl.stats import Stat

BANNER, FOOTER = "repeated banner", "Repeated footer"


def test_items_come_out_without_the_template_and_with_all_content(crawl: Callable[..., Crawled], site: Site) -> None:
    crawled = crawl(SiteSpider, f"{site.url}/")
    assert len(crawled.items) == 12
    for path, html in crawled.by_path().items():
        assert BANNER not in html, path
        assert FOOTER not in html, path
        assert f"Headline of {path}" in html
        assert f"Story {path}: " in html
    assert crawled.reason == "finished"
    assert crawled.messages() == []


def test_requests_and_items_are_those_of_the_plain_crawl(crawl: Callable[..., Crawled], site: Site) -> None:
    plain = crawl(SiteSpider, f"{site.url}/", addon=False)
    fetches, site.log = site.fetches(), []
    clean = crawl(SiteSpider, f"{site.url}/")
    assert Counter(i["url"] for i in clean.items) == Counter(i["url"] for i in plain.items)
    assert site.fetches() == fetches
    assert clean.count("searches") == 1
    assert clean.count("candidates/requested") == clean.count("pages/handed_over")


def test_disabled_means_absent(crawl: Callable[..., Crawled], site: Site) -> None:
    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_ENABLED=False)
    assert all(BANNER in item["html"] for item in crawled.items)
    assert not any(name.startswith("templex/") for name in crawled.stats)


def test_searches_can_be_ruled_out(crawl: Callable[..., Crawled], site: Site) -> None:
    crawled = crawl(SiteSpider, f"{site.url}/", TEMPLEX_MAX_SEARCHES=0)
    assert crawled.count("items/no_template") == 12
    assert crawled.count("searches") == 0


def test_all_stats_are_documented(crawl: Callable[..., Crawled], site: Site) -> None:
    crawled = crawl(SiteSpider, f"{site.url}/")
    names = {name for name in crawled.stats if name.startswith("templex/")}
    assert names
    assert names <= {stat.value for stat in Stat}
    assert all(stat.doc for stat in Stat)


def test_two_sections_with_templates_of_their_own(crawl: Callable[..., Crawled], new_site: Callable[[], Site]) -> None:
    site = new_site()
    shop = ["/shop/a", "/shop/b", "/shop/c", "/shop/d"]
    for path in MENU:
        site.add(path, body=f'<a href="{shop[0]}">shop</a>' * (path == "/"))
    for path in shop:
        links = "".join(f'<td class="cell"><a class="tile" href="{other}">Tile {other}</a></td>' for other in shop)
        story = f"<section class='product'><h3 class='name'>Product {path}</h3><em>Only {path}</em></section>"
        site.add(
            path,
            f"<!DOCTYPE html><html><body><table class='grid'><tr class='row'>{links}</tr></table>{story}"
            f"<div class='legal'><span class='small'>Shop terms repeated</span></div></body></html>",
        )
    crawled = crawl(SiteSpider, f"{site.url}/")
    assert crawled.count("searches/learnt") == 2
    for path in shop:
        html = crawled.by_path()[path]
        assert "Shop terms" not in html
        assert f"Product {path}" in html


def test_fragments_come_out_as_of_the_downloader(crawl: Callable[..., Crawled], site: Site) -> None:
    class Fragments(SiteSpider):
        def links(self, response: Any) -> Any:
            for request in super().links(response):
                yield request.replace(url=f"{request.url}#part")

    crawled = crawl(Fragments, f"{site.url}/", CONCURRENT_REQUESTS=2)
    assert crawled.count("pages/handed_over") > 0
    assert not any("#" in item["url"] for item in crawled.items), "Scrapy's HTTP handler drops fragments"


def test_cookies_and_headers_of_the_spider_decide(crawl: Callable[..., Crawled], site: Site) -> None:
    """A page fetched in another way is another page: it is not handed over."""

    class Headers(SiteSpider):
        def parse(self, response: Any, **_: Any) -> Any:
            yield self.item(response)
            if response.url == f"{site.url}/news/0.html":
                for path in MENU:
                    yield Request(site.url + path, headers={"X-Member": "yes"}, callback=self.later)

        def later(self, response: Any) -> Any:
            yield self.item(response)

    crawled = crawl(Headers, f"{site.url}/news/0.html")
    assert len(crawled.items) == 6
    members = [path for path, headers in site.headers if headers.get("X-Member") == "yes"]
    assert Counter(members) == Counter(MENU), "candidates are asked for as the spider asks for them"
