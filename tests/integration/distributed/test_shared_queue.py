"""The queue that workers share, and what becomes of a worker's requests when it dies."""

from __future__ import annotations

import logging
import pickle
import time
from collections.abc import Callable
from types import SimpleNamespace

import pytest
from redis import Redis, ResponseError
from scrapy import Request, Spider
from scrapy.utils.test import get_crawler

from sample_project import json_requests
from sample_project.shared_queue import _TAKE, MAX_SET_ASIDE, QueueLostError, SharedQueue

Make = Callable[[], "OneWorker"]


class OneWorker:
    """A worker as its queue sees it."""

    def __init__(self, url: str, life: int) -> None:
        crawler = get_crawler(Spider, settings_dict={"SHARED_QUEUE_LIFE": life})
        self.under_way: set[Request] = set()
        crawler.engine = SimpleNamespace(_slot=SimpleNamespace(inprogress=self.under_way))
        spider = Spider.from_crawler(crawler, name="some")
        self.crawler = crawler
        self.queue = SharedQueue(Redis.from_url(url), spider, "%(spider)s:requests", json_requests)

    def push(self, *numbers: int) -> None:
        for number in numbers:
            self.queue.push(Request(f"https://site.test/{number}", priority=-number))

    def take(self) -> str | None:
        """Begin with the next request; its number."""
        request = self.queue.pop()
        if request is None:
            return None
        self.under_way.add(request)
        return request.url.rpartition("/")[2]

    def finish(self) -> None:
        """End with all that was begun."""
        self.under_way.clear()


@pytest.fixture
def new_worker(redis_url: str) -> Make:
    return lambda: OneWorker(redis_url, 1)


def test_the_request_of_highest_priority_comes_first(new_worker: Make) -> None:
    worker = new_worker()
    worker.push(3, 1, 2)
    assert [worker.take() for _ in range(4)] == ["1", "2", "3", None]


def test_each_request_goes_to_one_worker(new_worker: Make) -> None:
    one, other = new_worker(), new_worker()
    one.push(1, 2)
    assert [one.take(), other.take(), one.take(), other.take()] == ["1", "2", None, None]


def test_the_queue_is_not_empty_while_any_worker_is_at_it(new_worker: Make) -> None:
    """Its page may bring work for all."""
    one, other = new_worker(), new_worker()
    one.push(1)
    one.take()
    assert (len(one.queue), len(other.queue)) == (1, 1)
    one.finish()
    assert (len(one.queue), len(other.queue)) == (0, 0)


def test_what_a_dead_worker_had_in_hand_waits_again(new_worker: Make) -> None:
    dead, alive = new_worker(), new_worker()
    dead.push(1, 2, 3)
    assert [dead.take(), dead.take(), alive.take()] == ["1", "2", "3"]
    for _ in range(7):
        time.sleep(0.25)
        alive.queue.show_life()
    assert [alive.take(), alive.take(), alive.take()] == ["1", "2", None]
    assert alive.crawler.stats.get_value("shared_queue/taken_back") == 2


def test_what_was_done_does_not_come_back(new_worker: Make) -> None:
    dead, alive = new_worker(), new_worker()
    dead.push(1, 2)
    dead.take()
    dead.finish()
    dead.take()
    for _ in range(7):
        time.sleep(0.25)
        alive.queue.show_life()
    assert [alive.take(), alive.take()] == ["2", None]


def test_a_worker_that_ends_leaves_nothing(new_worker: Make, redis_url: str) -> None:
    one, other = new_worker(), new_worker()
    one.push(1)
    one.take()
    one.finish()
    one.queue.close()
    other.queue.show_life()
    assert len(other.queue) == 0
    assert Redis.from_url(redis_url).scard("some:requests:workers") == 1


def test_a_request_and_its_fingerprint_are_stored_both_or_neither(new_worker: Make, redis_url: str) -> None:
    worker = new_worker()
    entry = worker.queue.entry(Request("https://site.test/1"), "print")
    server = Redis.from_url(redis_url)
    server.set("some:requests", "in the way")
    with pytest.raises(ResponseError):
        worker.queue.push_entry(entry, "seen")
    server.delete("some:requests")
    assert worker.queue.push_entry(entry, "seen")
    assert not worker.queue.push_entry(entry, "seen")
    assert [worker.take(), worker.take()] == ["1", None]


def test_what_was_taken_when_the_answer_was_lost_waits_again(new_worker: Make, redis_url: str) -> None:
    """It is in this worker's hand, which does not know of it, and no worker would ever end."""
    worker = new_worker()
    worker.push(1, 2)
    known = worker.take()
    (waiting,) = Redis.from_url(redis_url).zrange("some:requests", 0, -1)
    worker.queue._run(_TAKE, worker.queue._hand)
    assert worker.take() is None
    worker.queue.give_back_unknown()
    assert Redis.from_url(redis_url).zrange("some:requests", 0, -1) == [waiting]
    assert [known, worker.take(), worker.take()] == ["1", "2", None]


def test_a_worker_may_leave_the_others_alone(new_worker: Make) -> None:
    """After an outage all of them seem dead."""
    dead, alive = new_worker(), new_worker()
    dead.push(1)
    dead.take()
    time.sleep(1.5)
    alive.queue.show_life(look_after_others=False)
    assert alive.take() is None
    alive.queue.show_life()
    assert alive.take() == "1"


def test_a_server_with_an_older_state_gets_back_what_is_in_hand(new_worker: Make, redis_url: str) -> None:
    """The links of a page may be gone that has been pushed and not been ticked off; those of others are not."""
    worker, other = new_worker(), new_worker()
    other.push(0)
    assert other.take() == "0"
    server = Redis.from_url(redis_url)
    worker.push(1)
    assert worker.take() == "1"
    older = {key: server.dump(key) for key in server.scan_iter()}
    worker.push(2)
    for key, value in older.items():
        server.restore(key, 0, value, replace=True)
    server.delete("some:requests")
    worker.finish()
    other.finish()
    assert (worker.take(), other.take(), worker.take()) == ("1", None, None)
    assert worker.crawler.stats.get_value("shared_queue/begun_again") == 1
    assert other.crawler.stats.get_value("shared_queue/begun_again") is None


@pytest.mark.parametrize(
    "ask",
    [
        lambda worker: worker.push(2),
        lambda worker: worker.take(),
        lambda worker: len(worker.queue),
        lambda worker: worker.queue.show_life(),
    ],
    ids=["push", "pop", "len", "show_life"],
)
def test_a_server_that_lost_the_queue_is_told_from_an_empty_queue(
    new_worker: Make, redis_url: str, ask: Callable[[OneWorker], object]
) -> None:
    worker = new_worker()
    worker.push(1)
    Redis.from_url(redis_url).flushall()
    with pytest.raises(QueueLostError, match="some:requests"):
        ask(worker)


NO_REQUESTS = [
    b"",
    b"nonsense",
    b"[" * 100_000,
    b"{}",
    b"\xff\xfe",
    pickle.dumps(Request("https://site.test/").to_dict()),
    *(
        json_requests.dumps({**Request("https://site.test/").to_dict(), **wrong})
        for wrong in (
            {"url": "no address"},
            {"url": 5},
            {"priority": "high"},
            {"meta": [1]},
            {"callback": "gone"},
            {"_class": "no.such.Request"},
            {"_class": "json.dumps"},
        )
    ),
]


@pytest.mark.parametrize("entry", NO_REQUESTS, ids=lambda entry: repr(entry[-40:]))
def test_what_is_no_request_is_set_aside_and_the_workers_end(new_worker: Make, redis_url: str, entry: bytes) -> None:
    """It neither hides the requests behind it nor keeps anybody waiting."""
    one, other = new_worker(), new_worker()
    one.push(1)
    server = Redis.from_url(redis_url)
    server.zadd("some:requests", {entry: -5})
    assert [one.take(), one.take()] == ["1", None]
    one.finish()
    assert (len(one.queue), len(other.queue)) == (0, 0)
    assert server.lrange("some:requests:unreadable", 0, -1) == [entry]
    assert one.crawler.stats.get_value("shared_queue/unreadable") == 1


def test_of_what_is_no_request_so_much_is_kept_and_told(
    new_worker: Make, redis_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    worker = new_worker()
    server = Redis.from_url(redis_url)
    server.zadd("some:requests", {f"nonsense {number}": number for number in range(MAX_SET_ASIDE + 10)})
    assert worker.take() is None
    assert worker.crawler.stats.get_value("shared_queue/unreadable") == MAX_SET_ASIDE + 10
    kept = server.lrange("some:requests:unreadable", 0, -1)
    assert kept == [b"nonsense %d" % number for number in reversed(range(10, MAX_SET_ASIDE + 10))]
    told = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(told) == 1
    assert "some:requests:unreadable" in told[0]


def test_a_cleared_queue_is_empty(new_worker: Make) -> None:
    worker = new_worker()
    worker.push(1, 2)
    worker.take()
    worker.queue.clear()
    worker.finish()
    assert (worker.take(), len(worker.queue)) == (None, 0)
