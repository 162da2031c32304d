"""Downloaded pages as they are kept for searches and spider, and which of them a search may use."""

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from templex_scrapy.crawl.downloads.page_memory import DownloadedPage, PageMemory, is_usable


def test_the_page_memory_is_bounded_and_keeps_what_the_spider_may_want():
    memory = PageMemory(2 * 2 * 3100)
    for number in range(4):
        response = HtmlResponse(f"http://a.example/{number}", body=b"x" * 1000)
        page = DownloadedPage.from_response(response, Request(response.url), ())
        memory.keep(bytes([number]), page, reserved=number == 0)
    assert [memory.recall(bytes([number])) is not None for number in range(4)] == [True, False, True, True]
    assert memory.release(b"\0") is not None
    assert memory.release(b"\0") is None, "once"


def test_long_pages_are_kept_compressed_and_come_back_as_they_were():
    body = "<html><body>Größe ".encode("cp1252") * 5000
    response = HtmlResponse("http://a.example/b", body=body, encoding="cp1252", headers={"X-A": "1"}, flags=["f"])
    request = Request("http://a.example/a", meta={"redirect_urls": ["http://a.example/0"]})
    kept = DownloadedPage.from_response(response, request, ())
    assert kept.nbytes < len(body) / 5
    redirected = DownloadedPage.from_response(response, request.replace(url=f"{request.url}?{'x' * 9000}"), ())
    assert redirected.nbytes > kept.nbytes + 9000
    assert kept.response is not kept.response, "what is read off one of them does not stay"
    assert kept.aliases == ("http://a.example/0", "http://a.example/a")
    back = kept.response
    assert isinstance(back, HtmlResponse)
    assert all(getattr(back, name) == getattr(response, name) for name in "body text url status flags headers".split())


@pytest.mark.parametrize(
    ("options", "usable"),
    [
        ({}, True),
        ({"body": b""}, False),
        ({"status": 404}, False),
        ({"flags": ["dataloss"]}, False),
        ({"flags": ["download_stopped"]}, False),
        ({"flags": ["partial"]}, True),
    ],
)
def test_what_a_search_may_use(options, usable):
    assert is_usable(HtmlResponse("http://a.example/", **{"body": b"<html>", **options})) is usable
    assert not is_usable(None)
