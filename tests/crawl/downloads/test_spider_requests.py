"""The spider's requests on their way to the downloader: which pages of a site are still to come."""

import asyncio
from functools import partial

import pytest
from scrapy import FormRequest, Request
from scrapy.utils.request import fingerprint

from templex_scrapy.crawl.downloads import noted_requests
from templex_scrapy.crawl.downloads.noted_requests import NotedRequests
from templex_scrapy.crawl.downloads.shared_downloads import CANDIDATE_KEY, SharedDownloads
from templex_scrapy.page import ParseCache

SITE = "a.example"


def note(noted, path, **options):
    noted.note(path.encode(), Request(f"http://{SITE}{path}", **options))


@pytest.fixture
def noted():
    return NotedRequests()


def test_pages_are_ahead_until_the_last_one_reaches_the_downloader(noted):
    for path in ("/1", "/2", "/1"):
        note(noted, path)
    noted.reach_downloader(b"/1")
    assert noted.has_pages_ahead(SITE)
    noted.reach_downloader(b"/2")
    assert not noted.has_pages_ahead(SITE)
    assert not noted.has_pages_ahead("b.example")


def test_a_page_that_was_downloaded_is_ahead_again_only_past_the_duplicate_filter(noted):
    note(noted, "/1")
    noted.reach_downloader(b"/1")
    note(noted, "/1")
    assert b"/1" in noted
    assert not noted.has_pages_ahead(SITE)
    note(noted, "/1", dont_filter=True)
    assert noted.has_pages_ahead(SITE)
    assert noted.is_expected(b"/1")
    noted.reach_downloader(b"/1")
    noted.reach_downloader(b"/1")
    assert not noted.has_pages_ahead(SITE)
    assert not noted.is_expected(b"/1")


def test_a_filtered_request_does_not_make_a_sure_one_unsure(noted):
    note(noted, "/1", dont_filter=True)
    note(noted, "/1")
    assert noted.is_expected(b"/1")


def test_what_is_forgotten_is_no_longer_ahead(noted, monkeypatch):
    monkeypatch.setattr(noted_requests, "MAX_REMEMBERED", 2)
    for path in ("/1", "/2", "/1", "/3"):
        note(noted, path)
    assert b"/2" not in noted, "/1 was noted again"
    noted.reach_downloader(b"/1")
    noted.reach_downloader(b"/2")
    assert noted.has_pages_ahead(SITE)
    noted.reach_downloader(b"/3")
    assert not noted.has_pages_ahead(SITE)


@pytest.mark.parametrize("request_of", [Request, partial(FormRequest, formdata={"q": "1"})])
def test_every_request_of_the_spider_reaches_the_downloader_and_no_candidate_does(request_of):
    downloads = SharedDownloads(fingerprint, 10**6, ParseCache(0), lambda _: False)
    request = request_of(f"http://{SITE}/search")
    downloads.note(request)
    asyncio.run(downloads.join(request.replace(meta={CANDIDATE_KEY: True})))
    assert downloads.has_pages_ahead(SITE)
    asyncio.run(downloads.join(request))
    assert not downloads.has_pages_ahead(SITE)
