"""Page objects and callbacks that declare CleanPage."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import attrs
import pytest
from helpers.crawling import Crawled, SiteSpider
from helpers.web import Reply, Site

from templex_scrapy import CleanPage

web_poet = pytest.importorskip("web_poet", reason="needs scrapy-poet: the extra 'poet'")
pytest.importorskip("scrapy_poet", reason="needs scrapy-poet: the extra 'poet'")

BANNER = "repeated banner"
POET = {"ADDONS": {"scrapy_poet.Addon": 300, "templex_scrapy.Addon": 500}}


@attrs.define
class Article(web_poet.WebPage[dict[str, Any]]):  # type: ignore[name-defined,misc]
    """A page object with its own response and the cleaned page."""

    clean: CleanPage

    @web_poet.field
    def title(self) -> str | None:
        return self.clean.css("h1::text").get()

    @web_poet.field
    def text(self) -> str:
        return self.clean.text

    @web_poet.field
    def banner(self) -> bool:
        return BANNER in self.response.text


class Callbacks(SiteSpider):
    """Declares CleanPage in the callback."""

    def parse(self, response: Any, page: CleanPage) -> Any:
        yield {"url": response.url, "title": page.css("h1::text").get(), "text": page.text, "html": response.text}
        yield from self.links(response)


class PageObjects(SiteSpider):
    """Declares a page object."""

    async def parse(self, response: Any, article: Article) -> Any:
        yield {"url": response.url, **(await article.to_item())}
        for request in self.links(response):
            yield request


class Texts(SiteSpider):
    """Takes the text of the cleaned page."""

    def parse(self, _: Any, page: CleanPage) -> Any:
        yield {"text": page.text}


@pytest.mark.parametrize("spider", [Callbacks, PageObjects])
@pytest.mark.parametrize("concurrency", [1, 16])
def test_pages_are_cleaned_before_the_callback(
    crawl: Callable[..., Crawled], site: Site, spider: type[SiteSpider], concurrency: int
) -> None:
    crawled = crawl(spider, f"{site.url}/", CONCURRENT_REQUESTS=concurrency, **POET)
    assert len(crawled.items) == 12
    assert all(item["title"].startswith("Headline of") for item in crawled.items)
    assert not any(BANNER in item["text"] for item in crawled.items)
    assert crawled.count("searches") == 1
    assert crawled.count("candidates/failed") == 0
    assert crawled.count("items/cleaned") == 12


def test_two_uses_of_one_page_cost_one_cleaning(crawl: Callable[..., Crawled], site: Site, computed: list[str]) -> None:
    crawled = crawl(Callbacks, f"{site.url}/", **POET)
    assert crawled.count("items/cleaned") == 12
    assert len(computed) == 12


def test_an_error_that_is_no_page_is_no_download_error(crawl: Callable[..., Crawled], site: Site) -> None:
    """Scrapy drops it, or hands it to a callback that has asked for it, with its text."""
    site.add("/picture", Reply(b"\x89PNG", 410, "image/png"))
    starts = f"{site.url}/gone", f"{site.url}/picture"
    dropped = crawl(Callbacks, *starts, **POET)
    assert dropped.messages(logging.ERROR) == []
    assert dropped.stats["httperror/response_ignored_count"] == 2
    taken = crawl(Texts, starts[0], HTTPERROR_ALLOW_ALL=True, **POET)
    assert taken.items == [{"text": "not found"}]
