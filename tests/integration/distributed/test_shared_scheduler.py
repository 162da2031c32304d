"""The scheduler while its Redis server is away; the pages of the workers are done when the test says so."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from fleet import RedisServer
from redis import Redis, RedisError
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler

from sample_project.shared_scheduler import AWAY, LOST, SharedScheduler

SETTINGS = {
    "SCHEDULER_SERIALIZER": "sample_project.json_requests",
    "SCHEDULER_QUEUE_CLASS": "sample_project.shared_queue.SharedQueue",
    "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
    "SCHEDULER_PERSIST": True,
}
QUEUE = "some:requests"
SEEN = "some:dupefilter"

T = TypeVar("T")


def in_a_loop(call: Callable[[], T]) -> T:
    """Call something as Scrapy does; what it has begun ends as well."""

    async def run() -> T:
        result = call()
        await asyncio.sleep(0)
        return result

    return asyncio.run(run())


class OneWorker:
    """A worker as its scheduler sees it."""

    def __init__(self, url: str, **settings: Any) -> None:
        crawler = get_crawler(Spider, settings_dict={**SETTINGS, "REDIS_URL": url, **settings})
        self.under_way: set[Request] = set()
        self.closed_for: list[str] = []
        slot = SimpleNamespace(inprogress=self.under_way)
        crawler.engine = SimpleNamespace(_slot=slot, close_spider_async=self._close)
        self.stats = crawler.stats
        self.scheduler = SharedScheduler.from_crawler(crawler)
        self.scheduler.open(Spider.from_crawler(crawler, name="some"))

    def find(self, *names: str) -> list[bool]:
        return [self.scheduler.enqueue_request(Request(f"https://site.test/{name}")) for name in names]

    def take(self) -> str | None:
        """Begin with the next request; its name."""
        request = in_a_loop(self.scheduler.next_request)
        if request is None:
            return None
        self.under_way.add(request)
        return request.url.rpartition("/")[2]

    def finish(self) -> None:
        """End with all that was begun."""
        self.under_way.clear()

    def look(self) -> None:
        """Do what is done each second."""
        in_a_loop(self.scheduler._tend)

    async def _close(self, reason: str) -> None:
        self.closed_for.append(reason)


@pytest.fixture
def redis_folder(tmp_path: Path) -> Path:
    """The servers of these tests keep what they have."""
    return tmp_path


@pytest.fixture
def server(redis_server: RedisServer) -> Redis:
    """What is on the server."""
    return Redis.from_url(redis_server.url)


@pytest.fixture
def new_worker(redis_url: str) -> Callable[..., OneWorker]:
    return lambda **settings: OneWorker(redis_url, **settings)


@pytest.fixture
def worker(new_worker: Callable[..., OneWorker]) -> Iterator[OneWorker]:
    """A worker that has page "a" in hand."""
    one = new_worker(SHARED_QUEUE_PATIENCE=0.2)
    one.find("a")
    assert one.take() == "a"
    yield one
    assert not one.scheduler._held or one.closed_for


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


def test_what_is_found_in_an_outage_is_queued_after_it(worker: OneWorker, redis_server: RedisServer) -> None:
    redis_server.stop()
    assert worker.find("b", "c", "b") == [True, True, True]
    worker.finish()
    assert worker.take() is None
    assert worker.scheduler.has_pending_requests()
    worker.look()
    assert worker.take() is None
    redis_server.start()
    worker.look()
    assert [worker.take(), worker.take(), worker.take()] == ["b", "c", None]
    worker.finish()
    assert not worker.scheduler.has_pending_requests()
    assert worker.stats.get_value("shared_queue/outages") == 1
    assert worker.stats.get_value("scheduler/enqueued/redis") == 3


def test_a_page_is_not_ticked_off_before_its_links_are_queued(
    worker: OneWorker, redis_server: RedisServer, server: Redis
) -> None:
    """Should the worker die before that, another one gets the page."""
    redis_server.stop()
    worker.find("b")
    worker.finish()
    assert worker.take() is None
    redis_server.start()
    (hand,) = server.scan_iter("*:hand:*")
    assert (server.zcard(hand), server.zcard(QUEUE), server.scard(SEEN)) == (1, 0, 1)
    worker.look()
    assert worker.take() == "b"
    assert (server.zcard(hand), server.zcard(QUEUE), server.scard(SEEN)) == (1, 0, 2)


def test_an_outage_that_lasts_too_long_ends_the_worker_with_one_line(
    worker: OneWorker, redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    redis_server.stop()
    worker.find("b")
    worker.look()
    assert worker.closed_for == []
    time.sleep(0.25)
    for _ in range(3):
        worker.look()
    worker.finish()
    worker.scheduler.close(AWAY)
    assert worker.closed_for == [AWAY]
    (line,) = errors(caplog)
    assert "Redis has not answered for 0.2 s" in line


def test_the_next_worker_gets_what_one_had_in_hand_that_gave_up(
    worker: OneWorker, new_worker: Callable[..., OneWorker], redis_server: RedisServer, server: Redis
) -> None:
    redis_server.stop()
    worker.find("b")
    worker.finish()
    worker.scheduler.close(AWAY)
    worker.closed_for.append(AWAY)
    redis_server.start()
    server.delete(*server.scan_iter("*:alive:*"))
    after = new_worker()
    assert [after.take(), after.take()] == ["a", None]
    assert after.find("b") == [True]


def test_a_worker_that_is_stopped_in_an_outage_says_what_becomes_of_its_pages(
    worker: OneWorker, redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    redis_server.stop()
    worker.finish()
    assert worker.take() is None
    worker.scheduler.close("shutdown")
    (line,) = errors(caplog)
    assert "stays in the queue" in line


def test_a_worker_that_ends_just_as_the_server_is_back_queues_what_it_has(
    worker: OneWorker, redis_server: RedisServer, server: Redis
) -> None:
    redis_server.stop()
    worker.find("b")
    worker.finish()
    redis_server.start()
    worker.scheduler.close("shutdown")
    assert server.zcard(QUEUE) == 1
    assert list(server.scan_iter("*:hand:*")) == []


def test_a_server_that_hangs_is_away_as_well(new_worker: Callable[..., OneWorker], server: Redis) -> None:
    """What it does for a worker that waits no more is not lost."""
    worker = new_worker(REDIS_PARAMS={"socket_timeout": 0.1})
    worker.find("a")
    server.client_pause(600)
    assert worker.take() is None
    worker.find("b")
    worker.look()
    assert worker.take() is None
    time.sleep(0.7)
    worker.look()
    assert [worker.take(), worker.take(), worker.take()] == ["a", "b", None]


def test_a_worker_that_cannot_begin_fails_with_the_cause_alone(redis_server: RedisServer) -> None:
    """What Scrapy closes then has never been opened."""
    crawler = get_crawler(Spider, settings_dict={**SETTINGS, "REDIS_URL": redis_server.url})
    scheduler = SharedScheduler.from_crawler(crawler)
    redis_server.stop()
    with pytest.raises(RedisError):
        scheduler.open(Spider.from_crawler(crawler, name="some"))
    scheduler.close("shutdown")


def test_after_an_outage_nobody_takes_the_others_for_dead(
    worker: OneWorker, new_worker: Callable[..., OneWorker], redis_server: RedisServer, server: Redis
) -> None:
    """None of them could show that it lives."""
    other = new_worker()
    other.find("b")
    assert other.take() == "b"
    redis_server.stop()
    assert [worker.take(), other.take()] == [None, None]
    redis_server.start()
    server.delete(*server.scan_iter("*:alive:*"))
    for one in (worker, other, worker):
        one.look()
    assert worker.take() is None
    assert worker.stats.get_value("shared_queue/taken_back") is None


def test_a_server_that_lost_the_queue_ends_the_worker_with_one_line(
    worker: OneWorker, server: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    server.flushall()
    assert worker.take() is None
    assert worker.scheduler.has_pending_requests(), "or it would end as if all were done"
    worker.find("b")
    worker.look()
    assert worker.closed_for == [LOST]
    assert list(server.scan_iter()) == []
    (line,) = errors(caplog)
    assert "appendonly yes" in line


def test_a_request_that_cannot_be_written_is_told_and_keeps_no_others_waiting(
    worker: OneWorker, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither itself nor its fingerprint is stored."""
    odd = Request("https://site.test/b", meta={"held": object()})
    assert not worker.scheduler.enqueue_request(odd)
    assert not worker.scheduler.enqueue_request(Request("https://site.test/b", callback=print))
    assert worker.find("b") == [True]
    assert worker.stats.get_value("shared_queue/unwritable") == 2
    assert all("https://site.test/b" in line or "instance method" in line for line in errors(caplog))
    assert len(errors(caplog)) == 2


def test_what_was_seen_is_dropped_unless_it_may_come_again(worker: OneWorker) -> None:
    assert worker.find("a", "b") == [False, True]
    assert worker.scheduler.enqueue_request(Request("https://site.test/b", dont_filter=True))
