"""Responses that give up their tree."""

import asyncio
import copy
import pickle

import pytest
from helpers.crawling import SiteSpider
from helpers.web import MENU
from scrapy import Request
from scrapy.http import HtmlResponse

from templex_scrapy.crawl.response_state import ReleasableResponse

BODY = "<html><body><p>Café</p></body></html>".encode("cp1252")


def made(response=HtmlResponse):
    headers = {"Content-Type": "text/html; charset=cp1252"}
    request = Request("http://a.example/", meta={"a": 1})
    return response("http://a.example/", 404, headers, BODY, ["cached"], request, protocol="h2")


@pytest.mark.parametrize("parsed", [False, True])
@pytest.mark.parametrize(
    "copied",
    [
        lambda response: response.replace(cls=HtmlResponse),
        copy.deepcopy,
        lambda response: pickle.loads(pickle.dumps(response)),  # noqa: S301 - our own
    ],
)
def test_it_is_copied_as_others_are(copied, *, parsed):
    one = ReleasableResponse.of(made())
    if parsed:
        assert one.css("p::text").get() == "Café"
    one.release()
    other, plain = copied(one), made()
    for name in plain.attributes:
        if name != "request":
            assert getattr(other, name) == getattr(plain, name)
    assert (other.text, other.css("p::text").get()) == (plain.text, "Café")


def test_what_middlewares_have_made_of_the_response_is_kept():
    class Open(HtmlResponse):
        own: str

    response = made(Open)
    response.own = "own"
    response.css("p").drop()
    one = ReleasableResponse.of(response)
    assert (one.own, one.css("p").get()) == ("own", None)
    one.release()
    assert one.css("p::text").get() == "Café"


@pytest.mark.parametrize("cached", [False, True])
def test_the_tree_stays_until_the_callback_has_ended(crawl, new_site, tmp_path, *, cached):
    """With what the callback has changed in it, and with the selectors in items also later."""
    site, ended = new_site(), []
    for path in MENU:
        site.add(path)

    class Slow(SiteSpider):
        async def parse(self, response, **_):
            tree = response.selector
            response.css("footer").drop()
            for number in range(120):
                yield {"url": response.url, "html": response.text, "number": number, "head": response.css("h1")}
                if number % 40 == 0:
                    await asyncio.sleep(0.01)
                assert response.selector is tree
                assert not response.css("footer")
            for request in self.links(response):
                yield request
                assert response.selector is tree
            ended.append(response.url)

    for _ in range(1 + cached):
        ended.clear()
        crawled = crawl(Slow, f"{site.url}/", CONCURRENT_ITEMS=3, HTTPCACHE_ENABLED=cached, HTTPCACHE_DIR=str(tmp_path))
        assert (len(ended), crawled.count("items/cleaned")) == (6, 6 * 120)
        assert sorted(item["number"] for item in crawled.items) == sorted(6 * list(range(120)))
        assert all(item["head"].css("::text").get().startswith("Headline of") for item in crawled.items)
    assert crawled.stats.get("httpcache/hit", 0) == 6 * cached
