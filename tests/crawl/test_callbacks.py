"""Cleaned pages in callbacks."""

import asyncio

import pytest
from helpers.crawling import SiteSpider
from helpers.web import BANNER
from scrapy import Request
from scrapy.http import HtmlResponse

from templex_scrapy import clean_page


class Fields(SiteSpider):
    """Takes fields by selectors from cleaned pages."""

    async def parse(self, response, **_):
        page = await clean_page(response)
        again = await clean_page(response)
        yield {
            "url": response.url,
            "title": page.css("h1::text").get(),
            "words": page.xpath("string(//body)").get(),
            "same": page is again,
            "fits": page.fits,
        }
        for request in self.links(response):
            yield request


def test_fields_by_selectors_come_from_the_cleaned_page(crawl, site):
    crawled = crawl(Fields, f"{site.url}/")
    assert len(crawled.items) == 12
    assert all(item["title"].startswith("Headline of") for item in crawled.items)
    assert not any(BANNER in item["words"] for item in crawled.items)
    assert all(item["same"] and item["fits"] for item in crawled.items)
    assert crawled.count("items/cleaned") == 12
    assert not crawled.messages()
    assert crawled.count("searches") == 1


def test_items_of_the_same_response_use_the_same_page(crawl, site, computed):
    class Both(SiteSpider):
        async def parse(self, response, **_):
            page = await clean_page(response)
            yield {"url": response.url, "html": response.text, "title": page.css("h1::text").get()}

    crawled = crawl(Both, *(f"{site.url}/news/{n}.html" for n in range(4)))
    assert crawled.count("items/cleaned") == 4
    assert sorted(computed) == sorted(item["url"] for item in crawled.items)


def test_outside_of_a_crawl_it_says_so():
    with pytest.raises(RuntimeError, match="works in callbacks"):
        asyncio.run(clean_page(HtmlResponse("http://a.example/", body=b"<html>")))


def test_a_request_that_switches_the_plug_in_off_causes_no_search(crawl, site):
    class Off(Fields):
        async def start(self):
            for url in self.start_urls:
                yield Request(url, meta={"templex": False})

        def links(self, _):
            return iter(())

    crawled = crawl(Off, f"{site.url}/")
    assert [item["fits"] for item in crawled.items] == [False]
    assert BANNER in crawled.items[0]["words"]
    assert crawled.count("searches") == 0
