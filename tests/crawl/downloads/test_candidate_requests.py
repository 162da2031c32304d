"""What a search may request, and how."""

import pytest
from scrapy import FormRequest, Request
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.test import get_crawler

from templex_scrapy import Page
from templex_scrapy.crawl.downloads.candidate_requests import (
    CANDIDATE_TIMEOUT,
    MAX_REDIRECTS,
    derive_request,
    is_nofollow,
    is_same_or_safer,
    shows_login,
)
from templex_scrapy.crawl.downloads.download_table import CANDIDATE_KEY
from templex_scrapy.crawl.downloads.page_memory import MAX_PAGE_BYTES

KEY = "https://a.example/"


def derived(model, **without_headers):
    headers = {name.encode(): value for name, value in without_headers.items()}
    return derive_request("https://a.example/b", model, key_url=KEY, without_headers=headers)


def test_a_candidate_is_derived_from_a_request():
    model = FormRequest(
        "https://a.example/search",
        formdata={"q": "x"},
        headers={"X-Own": "1", "If-None-Match": "e", "Accept": "theirs", "Cookie": "set=by; middleware=1"},
        cookies={"session": "s"},
        meta={"proxy": "http://p:1", "_auth_proxy": "http://p:1", "redirect_urls": ["x"], "retry_times": 2, "depth": 3},
        callback=print,
        errback=print,
        cb_kwargs={"a": 1},
        priority=5,
    )
    request = derived(model, accept=[b"theirs"], cookie=None)
    assert (type(request), request.method, request.body, request.url) == (Request, "GET", b"", "https://a.example/b")
    assert (request.callback, request.errback, request.cb_kwargs) == (NO_CALLBACK, None, {})
    assert dict(request.headers.items()) == {b"X-Own": [b"1"]}
    assert request.cookies == {}
    assert request.priority == 5
    assert request.meta == {
        "proxy": "http://p:1",
        "depth": 3,
        "dont_retry": True,
        "download_timeout": CANDIDATE_TIMEOUT,
        "download_maxsize": MAX_PAGE_BYTES,
        "redirect_ttl": MAX_REDIRECTS,
        "cookiejar": (CANDIDATE_KEY, None),
        CANDIDATE_KEY: KEY,
    }
    assert not request.dont_filter


def test_objects_of_a_download_handler_are_left_out():
    own = {"playwright_page": object(), "playwright_page_methods": [object()], "templex": False, "playwright": True}
    meta = derived(Request(KEY, meta=own)).meta
    assert meta["playwright"] is True
    assert not {"playwright_page", "playwright_page_methods", "templex"} & meta.keys()


@pytest.mark.parametrize(("key", "value"), [("download_timeout", 2), ("download_maxsize", 1000)])
def test_smaller_limits_of_the_spider_apply(key, value):
    assert derived(Request(KEY, meta={key: value})).meta[key] == value


@pytest.mark.parametrize(
    ("options", "has_jar"),
    [
        ({"cookies": {"session": "s"}}, True),
        ({"headers": {"Cookie": "a=b"}}, False),
        ({"headers": {"Cookie": "a=b"}, "meta": {"dont_merge_cookies": True}}, True),
        ({"meta": {"proxy": "http://user:password@proxy:1"}}, True),
        *(
            ({"headers": {name: "x"}}, True)
            for name in """
            Authorization Proxy-Authorization X-Api-Key x-api_key Ocp-Apim-Subscription-Key X-Token X-Bearer
            X-Forwarded-User Cf-Access-Client-Id Api-Id X-Pwd X-CSRF Authority X-Amz-Date Client Id
            """.split()
        ),
    ],
)
def test_requests_that_show_a_login(options, *, has_jar):
    assert shows_login(Request(KEY, **options), get_crawler(), has_jar=has_jar)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"headers": {"Accept-Language": "en", "Cookie": "of=the jar", "User-Agent": "x", "Referer": KEY}},
        {"headers": {"Sec-Fetch-Mode": "navigate", "Sec-CH-UA": "x", "DNT": "1", "Range": "bytes=0-", "From": "a@b.c"}},
        {"headers": {"X-Requested-With": "XMLHttpRequest", "Cache-Control": "no-cache", "If-None-Match": "e"}},
        {"meta": {"proxy": "http://proxy:1"}},
    ],
)
def test_requests_that_show_no_login(options):
    assert not shows_login(Request(KEY, **options), get_crawler(), has_jar=True)


@pytest.mark.parametrize(
    ("url", "key", "expected"),
    [
        ("https://a.example/x", KEY, True),
        ("http://a.example/x", KEY, False),
        ("https://a.example/x", "http://a.example/", True),
        ("https://a.example:8443/x", KEY, False),
        ("https://b.example/x", KEY, False),
    ],
)
def test_candidates_stay_on_the_site_and_encrypted(url, key, *, expected):
    assert is_same_or_safer(url, key) is expected


def test_links_marked_nofollow():
    html = '<a href="/a" rel="noopener NoFollow">a</a> <a href="/b" rel="next">b</a> <a href="/nofollow">c</a>'
    found = Page(html, KEY)
    assert [url for url in found.links if is_nofollow(found, url)] == ["https://a.example/a"]
