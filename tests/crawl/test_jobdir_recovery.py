"""What a crawl with a job directory keeps for the next run; killed crawls are in tests/integration/scale."""

import threading

from helpers.crawling import SiteSpider
from scrapy import Request
from scrapy.utils.test import get_crawler

from templex_scrapy.crawl.jobdir_recovery import FOLDER, MAX_TRIES, PersistedRequests


def crawler_of(tmp_path, **settings):
    crawler = get_crawler(settings_dict={"JOBDIR": str(tmp_path), **settings})
    crawler.spider = crawler._create_spider("test")
    return crawler


def test_a_recovered_request_gets_its_own_parts_back(tmp_path):
    crawler, resumed = crawler_of(tmp_path), crawler_of(tmp_path)
    callback = crawler.spider and crawler.spider.parse
    PersistedRequests(crawler).persist(Request("http://a.example/", callback, cb_kwargs={"n": 7}, meta={"a": 1}))
    second = PersistedRequests(resumed)
    (request,) = second.recover()
    assert request.dont_filter, "Scrapy's filter has seen it"
    name = second.arrived(request)
    assert (request.meta, request.cb_kwargs) == ({"a": 1}, {"n": 7})
    assert request.callback == (resumed.spider and resumed.spider.parse)
    assert not request.dont_filter
    second.done(name or "")
    second.close()
    assert not (tmp_path / FOLDER).exists()


def test_a_request_whose_file_an_orderly_end_has_deleted_is_kept_anew(tmp_path):
    PersistedRequests(crawler_of(tmp_path)).persist(Request("http://a.example/"))
    second = PersistedRequests(crawler_of(tmp_path))
    (request,) = second.recover()
    second.close()
    assert PersistedRequests(crawler_of(tmp_path)).arrived(request) is None, "it has come out of Scrapy's queue"


def test_a_page_that_kills_the_process_is_given_up(tmp_path, caplog):
    PersistedRequests(crawler_of(tmp_path)).persist(Request("http://a.example/"))
    recovered = [len(list(PersistedRequests(crawler_of(tmp_path)).recover())) for _ in range(MAX_TRIES + 2)]
    assert recovered == [1] * MAX_TRIES + [0, 0]
    assert "killed 3 times" in caplog.text


def test_start_requests_and_what_cannot_be_pickled_are_left_out(tmp_path):
    held = PersistedRequests(crawler_of(tmp_path))
    start = Request("http://a.example/", meta={"is_start_request": True}, dont_filter=True)
    assert held.persist(start) is None
    assert held.persist(start.replace(dont_filter=False)) is not None, "the duplicate filter would drop it"
    assert held.persist(Request("http://a.example/", meta={"lock": threading.Lock()})) is None
    assert held.persist(Request("http://a.example/", meta={"playwright_page": threading.Lock()})) is not None


def test_files_that_are_no_requests_are_ignored(tmp_path, caplog):
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "x-0.request").write_bytes(b"cut off")
    assert list(PersistedRequests(crawler_of(tmp_path)).recover()) == []
    assert "is no request of this spider" in caplog.text


def test_a_crawl_that_ends_leaves_nothing(crawl, site, tmp_path):
    crawled = crawl(SiteSpider, f"{site.url}/", JOBDIR=str(tmp_path))
    assert len(crawled.items) == 12
    assert not (tmp_path / FOLDER).exists()


def test_an_orderly_end_leaves_no_file_but_those_of_broken_off_pages(tmp_path):
    """What was recovered and has not arrived is in Scrapy's queue, or has failed for good."""
    first = PersistedRequests(crawler_of(tmp_path))
    names = [first.persist(Request(f"http://a.example/{number}")) for number in range(2)]
    second = PersistedRequests(crawler_of(tmp_path))
    recovered = list(second.recover())
    assert len(recovered) == 2
    second.leave(second.arrived(recovered[0]) or "")
    second.close()
    assert len(list((tmp_path / FOLDER).iterdir())) == 1
    assert None not in names
