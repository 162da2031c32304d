"""Pages that are held when a crawl with a job directory is killed come again, and nothing of that costs an item."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any, cast

import pytest
from crawling import Crawled, Reply, Site, SiteSpider, page
from scrapy import FormRequest, Request, Spider
from scrapy.http import HtmlResponse
from scrapy.utils.test import get_crawler

from templex_scrapy.crawl import jobdir_recovery as held
from templex_scrapy.crawl.jobdir_recovery import HELD_KEY, JOBDIR_FILE, MAX_TRIES, HeldPage, HeldPages
from templex_scrapy.crawl.journal import Journal, JournalError
from templex_scrapy.crawl.json_requests import dumps
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.spider_middleware import TemplexSpiderMiddleware

LISTED = [f"/p{i}" for i in range(4)]
"""Pages that the spider asks for, and that do not link each other."""
LINKED = [f"/m{i}" for i in range(4)]
"""Pages that the others link, and that the search asks for."""
ITEMS = 12
"""What a crawl of the site brings by links."""


class Gate:
    """A site whose linked pages come when they are let go; until then no search can end."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.opened = threading.Event()
        for path in LISTED:
            site.add(path, menu=LINKED)
        for path in LINKED:
            site.add(path, self._when_opened(path))

    def _when_opened(self, path: str) -> Callable[[int], Reply]:
        def reply(_: int) -> Reply:
            self.opened.wait(20)
            return Reply(page(path, menu=LINKED))

        return reply

    def urls(self, *paths: str) -> list[str]:
        return [self.site.url + path for path in paths]


@pytest.fixture
def gate(site: Site) -> Iterator[Gate]:
    gate = Gate(site)
    yield gate
    gate.opened.set()


class Job:
    """A crawl in a process of its own."""

    def __init__(self, folder: Path, urls: list[str], **settings: Any) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.data = json.dumps({"folder": str(folder), "urls": urls, "settings": settings})

    def lines(self, name: str) -> list[Any]:
        path = self.folder / name
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def stat(self, name: str) -> int:
        path = self.folder / "stats"
        return int(json.loads(path.read_text("utf-8")).get(f"templex/{name}", 0)) if path.exists() else 0

    @property
    def stored(self) -> dict[str, str]:
        return {item["url"]: item["html"] for item in self.lines("stored")}

    @property
    def left(self) -> list[str]:
        """What is in the job directory of the held pages."""
        return sorted(file.name for file in (self.folder / "job").iterdir() if "held" in file.name)


def run(*jobs: Job, until: Callable[[], bool] | None = None, signals: tuple[int, ...] = (signal.SIGKILL,)) -> str:
    """Run crawls, to their end or until they get signals; what they log."""
    script = str(Path(__file__).with_name("held_crawl.py"))
    for job in jobs:
        for name in ("given", "stats", "arrived"):
            (job.folder / name).unlink(missing_ok=True)
    log = jobs[0].folder / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen([sys.executable, script, *(job.data for job in jobs)], stderr=stream)  # noqa: S603
    try:
        if until is not None:
            _wait(lambda: process.poll() is not None or until())
            assert process.poll() is None, log.read_text("utf-8")
            for number in signals:
                process.send_signal(number)
                time.sleep(0.05)
        process.wait(30)
    finally:
        process.kill()
    return log.read_text("utf-8")


def _wait(until: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not until():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_pages_held_by_a_search_come_again_after_a_kill(gate: Gate, tmp_path: Path) -> None:
    """With all that belonged to their requests, and nothing else."""
    urls = gate.urls(*LISTED)
    killed = Job(tmp_path / "killed", urls)
    run(killed, until=lambda: killed.stat("pages/waited") == len(LISTED) - 1)
    assert killed.stored == {}
    gate.opened.set()
    log = run(again := Job(tmp_path / "killed", []))
    assert "4 pages that were held when the crawl was killed are asked for again" in log
    whole = Job(tmp_path / "whole", urls)
    run(whole)
    assert again.stored == whole.stored
    assert set(whole.stored) == set(urls)
    assert not any("repeated banner" in html for html in again.stored.values())

    def given(job: Job) -> list[Any]:
        return sorted(job.lines("given"), key=lambda one: str(one["url"]))

    assert given(again) == given(whole)
    assert again.left == []


def test_a_start_page_that_was_held_is_not_asked_for_twice(gate: Gate, tmp_path: Path) -> None:
    """The spider begins again with its start pages, as plain Scrapy has it."""
    job = Job(tmp_path / "job", gate.urls(*LISTED), HELD_UNFILTERED=True)
    run(job, until=lambda: job.stat("pages/waited") == len(LISTED) - 1)
    gate.opened.set()
    run(job)
    assert sorted(one["url"] for one in job.lines("given")) == gate.urls(*LISTED)
    assert set(job.stored) == set(gate.urls(*LISTED))
    assert job.left == []


def test_what_a_kill_has_torn_of_scrapys_queue_does_not_matter(gate: Gate, tmp_path: Path) -> None:
    """It may leave empty files, which Scrapy cannot open any more."""
    one_queue = {"SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue"}
    job = Job(tmp_path / "job", gate.urls(*LISTED), **one_queue)
    run(job, until=lambda: job.stat("pages/waited") == len(LISTED) - 1)
    for name in ("0", "0s"):
        (job.folder / "job" / "requests.queue" / name).write_bytes(b"")
    gate.opened.set()
    run(again := Job(tmp_path / "job", [], **one_queue))
    assert set(again.stored) == set(gate.urls(*LISTED))


def test_items_in_the_pipelines_are_not_through(gate: Gate, tmp_path: Path) -> None:
    """The search has ended, and the process is killed before what was held is stored."""
    gate.opened.set()
    stuck = Job(tmp_path / "job", gate.urls(*LISTED), HELD_STUCK=True)
    run(stuck, until=lambda: len(stuck.lines("arrived")) == len(LISTED))
    again = Job(tmp_path / "job", [])
    run(again)
    assert set(again.stored) == set(gate.urls(*LISTED))
    assert again.left == []


def test_a_page_handed_over_by_a_search_is_the_spiders_own(gate: Gate, tmp_path: Path) -> None:
    """The search has loaded it, the spider asks for it, gets it and waits for the same search."""
    gate.site.add("/m0", menu=LINKED)
    late = gate.urls("/m0")
    killed = Job(tmp_path / "job", gate.urls("/p0"), HELD_LATE=late)
    run(killed, until=lambda: killed.stat("pages/waited") == killed.stat("pages/handed_over") == 1)
    gate.opened.set()
    again = Job(tmp_path / "job", [])
    run(again)
    assert set(again.stored) == {*gate.urls("/p0"), *late}
    assert {one["url"]: one["number"] for one in again.lines("given")} == {gate.urls("/p0")[0]: 0, late[0]: 100}


def test_two_spiders_in_one_process_have_a_journal_each(gate: Gate, tmp_path: Path) -> None:
    one, other = Job(tmp_path / "one", gate.urls("/p0", "/p1")), Job(tmp_path / "other", gate.urls("/p2", "/p3"))
    run(one, other, until=lambda: one.stat("pages/waited") == other.stat("pages/waited") == 1)
    gate.opened.set()
    run(again := Job(tmp_path / "one", []), Job(tmp_path / "other", []))
    assert set(again.stored) == set(gate.urls("/p0", "/p1"))
    assert set(other.stored) == set(gate.urls("/p2", "/p3"))


def test_an_interrupt_leaves_nothing_to_come_again(gate: Gate, tmp_path: Path) -> None:
    job = Job(tmp_path / "job", gate.urls(*LISTED))
    run(job, until=lambda: job.stat("pages/waited") == len(LISTED) - 1, signals=(signal.SIGINT,))
    assert set(job.stored) == set(gate.urls(*LISTED))
    assert job.left == []


@pytest.mark.parametrize("stuck", [False, True])
def test_two_interrupts_are_as_good_as_a_kill(gate: Gate, tmp_path: Path, *, stuck: bool) -> None:
    """Generators are closed on the way out, which does not mean that their items are through."""
    job = Job(tmp_path / "job", gate.urls(*LISTED), HELD_STUCK=stuck)
    if stuck:
        gate.opened.set()
    run(
        job,
        until=lambda: len(job.lines("arrived")) == len(LISTED) or job.stat("pages/waited") == len(LISTED) - 1,
        signals=(signal.SIGINT, signal.SIGINT),
    )
    gate.opened.set()
    run(again := Job(tmp_path / "job", []))
    assert set(again.stored) == set(gate.urls(*LISTED))
    assert again.left == []


def test_a_crawl_that_ends_leaves_no_file(crawl: Callable[..., Crawled], site: Site, tmp_path: Path) -> None:
    for settings in ({}, {"CLOSESPIDER_ITEMCOUNT": 2}):
        crawled = crawl(SiteSpider, f"{site.url}/", JOBDIR=str(tmp_path), **settings)
        assert crawled.count("searches") or crawled.count("store/loaded")
        assert not list(tmp_path.glob("*held*"))


def test_without_a_job_directory_nothing_is_noted(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    crawled = crawl(SiteSpider, f"{site.url}/")
    assert len(crawled.items) == ITEMS
    assert crawled.count("held/unprotected") == 0
    assert list(tmp_path.iterdir()) == []


class Single(SiteSpider):
    """Follows no links."""

    def links(self, response: Any) -> Iterator[Any]:  # noqa: ARG002 - the base class's shape
        return iter(())


class Unwritable(SiteSpider):
    """Its requests hold what is no data."""

    def links(self, response: Any) -> Iterator[Any]:
        for number, request in enumerate(super().links(response)):
            if number % 2:
                yield request.replace(meta={"object": object()})
            else:
                yield request.replace(callback=partial(self.parse))


def test_requests_that_are_no_data_are_counted(crawl: Callable[..., Crawled], site: Site, tmp_path: Path) -> None:
    crawled = crawl(Unwritable, f"{site.url}/", JOBDIR=str(tmp_path))
    assert len(crawled.items) == ITEMS
    assert crawled.count("held/unprotected") == ITEMS - 1
    assert crawled.count("errors") == 0


@pytest.mark.parametrize("place", ["garbage", "foreign", "folder", "failing"])
def test_a_file_that_cannot_be_used_costs_one_warning(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    path = tmp_path / JOBDIR_FILE
    if place == "garbage":
        path.write_bytes(os.urandom(4000))
    elif place == "foreign":
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE theirs (something)")
    elif place == "folder":
        path.mkdir()
    else:

        def fails(*_: object) -> int:
            raise JournalError("database or disk is full")

        monkeypatch.setattr(Journal, "add", fails)
    crawled = crawl(SiteSpider, f"{site.url}/", JOBDIR=str(tmp_path))
    assert len(crawled.items) == crawled.count("items/cleaned") == ITEMS
    warnings = [one for one in crawled.log if one.levelname == "WARNING" and one.name.startswith("templex_scrapy")]
    assert len(warnings) == 1
    assert crawled.count("held/unprotected") == (0 if place == "garbage" else ITEMS)
    assert crawled.count("errors") == 0


def noted(folder: Path, *lines: bytes) -> None:
    """A job directory with these lines in it."""
    journal = Journal(folder / JOBDIR_FILE)
    for line in lines:
        journal.add(line)
    journal.close()


def line(url: str, **changes: Any) -> bytes:
    """A line for a page that SiteSpider asks for."""
    return json.dumps({**json.loads(dumps(Request(url).to_dict())), **changes}).encode()


def test_lines_that_are_no_requests_are_set_aside(crawl: Callable[..., Crawled], site: Site, tmp_path: Path) -> None:
    """One warning for all of them, and what is a request among them is made."""
    url = f"{site.url}/shop/"
    hostile = [
        b"",
        b"no JSON",
        b"\xff\xfe",
        b"[" * 100_000,
        b"[]",
        b"{}",
        b'{"url": 5}',
        line(url).replace(b"://", b" "),
        line(url, callback="no_such_method"),
        line(url, callback="name"),
        line(url, _class="os.system"),
        line(url, _class="no.such.module"),
        line(url, headers=[1]),
        line(url, body="!"),
        line(url, priority="high"),
        line(url, meta=7),
    ]
    noted(tmp_path, *hostile, line(url, callback="parse"))
    crawled = crawl(Single, JOBDIR=str(tmp_path))
    assert [item["url"] for item in crawled.items] == [url]
    assert (crawled.count("held/set_aside"), crawled.count("held/asked_again")) == (len(hostile), 1)
    (warning,) = [message for message in crawled.messages() if "are no requests" in message]
    assert str(len(hostile)) in warning
    again = crawl(Single, JOBDIR=str(tmp_path))
    assert (again.count("held/set_aside"), again.count("held/asked_again")) == (0, 0)


@pytest.mark.parametrize("reply", [Reply("gone", 404), Reply("busy", 503), Reply("", 200, "image/png")])
def test_a_page_that_is_gone_is_not_waited_for(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path, reply: Reply
) -> None:
    site.add("/late", reply)
    noted(tmp_path, line(f"{site.url}/late"), line("http://127.0.0.1:9/"))
    crawled = crawl(SiteSpider, f"{site.url}/", JOBDIR=str(tmp_path))
    assert crawled.reason == "finished"
    assert len(crawled.items) >= ITEMS
    assert any("asked for again have not come" in message for message in crawled.messages())
    assert not list(tmp_path.glob("*held*"))


def test_what_is_not_asked_for_before_the_crawl_is_closed_comes_later(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path
) -> None:
    """Once: it is either in Scrapy's queue or in the journal."""
    paths = [f"/news/{i}.html" for i in range(6)]
    noted(
        tmp_path,
        *(line(site.url + path, meta={"is_start_request": True} if i % 2 else {}) for i, path in enumerate(paths)),
    )
    got: list[str] = []
    for settings in ({"CLOSESPIDER_ITEMCOUNT": 1, "CONCURRENT_REQUESTS": 1}, {}):
        crawled = crawl(Single, JOBDIR=str(tmp_path), **settings)
        got += crawled.by_path()
    assert sorted(got) == paths
    assert not list(tmp_path.glob("*held*"))


class Endless(Single):
    """Its start never ends by itself, and does not repeat what it once asked for."""

    came = False

    async def start(self) -> Any:
        for number in range(200):
            yield {"number": number}
            await asyncio.sleep(0.02)
            if self.came:
                self.crawler.stats.set_value("came", value=True)
                return

    def item(self, response: Any) -> Any:
        self.came = True
        return super().item(response)


def test_start_requests_that_do_not_come_again_are_made_in_the_end(
    crawl: Callable[..., Crawled], site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A start() that goes on for ever is given some time."""
    monkeypatch.setattr(held, "START_PATIENCE", 0.2)
    noted(tmp_path, line(f"{site.url}/shop/", meta={"is_start_request": True}))
    crawled = crawl(Endless, JOBDIR=str(tmp_path))
    assert crawled.stats["came"]
    assert crawled.items[-1]["url"] == f"{site.url}/shop/"


class Plain(Spider):
    name = "plain"

    def page(self, response: Any) -> None:
        """A callback."""

    def failed(self, failure: Any) -> None:
        """An errback."""


class Runs:
    """The runs of one crawl, each of which is killed."""

    def __init__(self, jobdir: Path) -> None:
        self.crawler = get_crawler(Plain, settings_dict={"JOBDIR": str(jobdir)})
        self.crawler.spider = self.spider = Plain.from_crawler(self.crawler)

    def begin(self) -> HeldPages:
        """The next run."""
        pages = HeldPages(self.crawler)
        pages.read()
        return pages

    @staticmethod
    def kill(pages: HeldPages) -> None:
        """End a run without any word."""
        assert pages._journal is not None
        if pages._journal._connection is not None:
            pages._journal._connection.close()

    def held(self, *requests: Request) -> None:
        """A run in which these pages are held when it is killed."""
        pages = self.begin()
        for request in requests:
            HeldPage(pages, request).is_held()
        self.kill(pages)


def made(pages: HeldPages) -> list[Request]:
    """The requests that are made again."""
    requests: list[Request] = []
    pages.ask_again(requests.append)
    return requests


def asked(pages: HeldPages) -> list[str]:
    """Their addresses."""
    return [request.url for request in made(pages)]


@pytest.fixture
def runs(tmp_path: Path) -> Runs:
    return Runs(tmp_path / "job")


def test_a_request_comes_back_as_it_was(runs: Runs) -> None:
    """Past the filter on its way, and with its own looks when its page comes."""
    request = FormRequest(
        "https://site.test/?q=1",
        runs.spider.page,
        errback=runs.spider.failed,
        formdata={"a": "b"},
        headers={"X-Odd": "\xe9"},
        cookies={"c": "1"},
        meta={"depth": 3},
        priority=-2,
        cb_kwargs={"n": 1},
        flags=["f"],
    )
    runs.held(request)
    pages = runs.begin()
    (again,) = made(pages)
    assert again.dont_filter
    assert again.priority > request.priority
    assert HeldPage(pages, again)._line is not None
    assert type(again) is FormRequest
    assert again.to_dict(spider=runs.spider) == request.to_dict(spider=runs.spider)


def test_the_mark_goes_along_with_a_redirect(runs: Runs) -> None:
    runs.held(Request("http://site.test/"))
    pages = runs.begin()
    (again,) = made(pages)
    moved = again.replace(url="https://site.test/")
    HeldPage(pages, moved).is_through()
    assert not moved.dont_filter
    assert HELD_KEY not in moved.meta
    pages.close("finished")
    assert made(runs.begin()) == []


def test_a_queue_that_refuses_a_request_does_not_stop_the_crawl(runs: Runs, caplog: pytest.LogCaptureFixture) -> None:
    """As Scrapy's does where a kill has left an empty file; the page is asked for in another run."""
    runs.held(Request("https://site.test/"))
    pages = runs.begin()

    def refuse(_: Request) -> None:
        raise ValueError("unpack requires a buffer of 4 bytes")

    assert pages.ask_again(refuse)
    assert not pages.ask_again(refuse)
    assert "1 pages that were held cannot be asked for again" in caplog.text
    pages.close("finished")
    assert asked(runs.begin()) == ["https://site.test/"]


def test_who_else_brings_the_page_takes_its_line(runs: Runs) -> None:
    """It need not be the request that was made again; but it has to be for the same callback."""
    runs.held(Request("https://site.test/", runs.spider.page, cb_kwargs={"n": 1}))
    for other, asked in (
        (Request("https://site.test/", runs.spider.page, cb_kwargs={"n": 1}, meta={"own": True}), 0),
        (Request("https://site.test/", runs.spider.page), 1),
        (Request("https://site.test/", runs.spider.failed, cb_kwargs={"n": 1}), 1),
        (Request("https://site.test/other", runs.spider.page, cb_kwargs={"n": 1}), 1),
    ):
        pages = runs.begin()
        HeldPage(pages, other)
        assert len(made(pages)) == asked
        runs.kill(pages)


def test_a_page_that_is_always_under_way_when_the_process_dies_is_given_up(
    runs: Runs, caplog: pytest.LogCaptureFixture
) -> None:
    """It might be what kills it. Runs that are killed before it comes in say nothing about it."""
    runs.held(Request("https://site.test/deadly"), Request("https://site.test/slow"))
    for _ in range(MAX_TRIES):
        pages = runs.begin()
        deadly, _ = made(pages)
        HeldPage(pages, deadly).is_held()
        runs.kill(pages)
    pages = runs.begin()
    assert asked(pages) == ["https://site.test/slow"]
    (warning,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert "https://site.test/deadly" in warning
    assert runs.crawler.stats.get_value("templex/held/given_up") == 1


def test_what_is_through_does_not_come_again(runs: Runs) -> None:
    pages = runs.begin()
    first, second = (HeldPage(pages, Request(f"https://site.test/{i}")) for i in range(2))
    first.is_held()
    second.is_held()
    first.is_held()
    first.is_through()
    runs.kill(pages)
    assert asked(runs.begin()) == ["https://site.test/1"]


@pytest.mark.parametrize("how", ["cancelled", "closed", "ended"])
def test_only_what_has_come_out_is_through(runs: Runs, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    """An item whose generator is closed or cancelled has not, as when a second interrupt ends the process.

    Neither has one whose generator nobody asks any more, as when Scrapy's queue refuses the links of the page.
    """

    async def unfit(*_: object, **__: object) -> None:
        """No template fits."""

    middleware = TemplexSpiderMiddleware(runs.crawler, TemplexSettings())
    monkeypatch.setattr(middleware.learner, "clean_response", unfit)
    monkeypatch.setattr(middleware.learner, "learn_and_clean", unfit)
    request = Request("https://site.test/")
    response = HtmlResponse(request.url, body=page("/").encode(), encoding="utf-8", request=request)

    async def results() -> AsyncIterator[Any]:
        yield {"html": response.text}
        if how != "ended":
            yield {"html": "no page, and not held"}
            await asyncio.Event().wait()

    async def use() -> None:
        middleware.process_spider_input(response)
        outputs = middleware.process_spider_output(response, results())
        await anext(outputs)
        middleware.item_is_through(response)
        if how == "cancelled":
            task = asyncio.ensure_future(anext(outputs))
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
        elif how == "closed":
            await cast("AsyncGenerator[Any]", outputs).aclose()
        else:
            assert [output async for output in outputs] == []

    asyncio.run(use())
    middleware._held.close("finished")
    assert asked(runs.begin()) == ([] if how == "ended" else [request.url])


def test_pages_that_are_not_held_leave_no_trace(runs: Runs, tmp_path: Path) -> None:
    pages = runs.begin()
    HeldPage(pages, Request("https://site.test/")).is_through()
    pages.close("finished")
    assert not list(tmp_path.rglob("*held*"))


def test_what_a_browser_puts_into_meta_does_not_matter(runs: Runs) -> None:
    runs.held(Request("https://site.test/", meta={"playwright": True, "playwright_page": object()}))
    (again,) = made(runs.begin())
    assert again.meta["playwright"] is True
    assert "playwright_page" not in again.meta
