"""Whole crawls by several workers while the Redis server that holds their queue goes away."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from fleet import Fleet, RedisServer, wait_for

PAGES = 60
SLOW = 0.1
"""Seconds that the site takes for a page, so that there is a middle of the crawl."""


class Chain(BaseHTTPRequestHandler):
    """A site in which each page is linked from one page only: a link that is lost takes all pages behind it along."""

    log: Path

    def do_GET(self) -> None:
        """Serve a page and write down that it was asked for."""
        time.sleep(SLOW)
        number = int(self.path.strip("/") or 0)
        link = f'<a class="next" href="/{number + 1}">next</a>' if number + 1 < PAGES else ""
        text = " ".join(f"word{number}x{place}" for place in range(40))
        body = f"<html><body><p class='head'>The same on each page</p><p>{text}</p>{link}</body></html>".encode()
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"{self.path}\n")
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Keep the terminal quiet."""


@contextmanager
def chain_site(log: Path) -> Iterator[str]:
    """The chain, served for a while; where it begins."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Logged", (Chain,), {"log": log}))
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/0"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def redis_folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    """The servers of these tests keep what they have, but for those marked `forgets`."""
    return None if "forgets" in request.node.name else tmp_path


def wait_for_the_middle(log: Path) -> None:
    wait_for(lambda: log.exists() and len(log.read_text(encoding="utf-8").split()) > PAGES / 3, 60)


def wait_for_the_end(fleet: Fleet, seconds: float) -> None:
    wait_for(lambda: all(worker.process.poll() is not None for worker in fleet.workers), seconds)


@pytest.fixture(params=["chain", "many links"])
def fleet(
    request: pytest.FixtureRequest, new_fleet: Callable[..., Fleet], redis_url: str, log: Path, tmp_path: Path
) -> Iterator[Fleet]:
    """Workers on sites of two kinds."""
    if request.param == "many links":
        yield new_fleet(PAGES, SLOW)
        return
    with chain_site(log) as url:
        fleet = Fleet(redis_url, url, tmp_path / "workers", {})
        yield fleet
        fleet.stop()


def test_redis_stops_and_starts_in_mid_crawl(fleet: Fleet, redis_server: RedisServer, log: Path) -> None:
    """The workers wait for it, and no page is lost."""
    fleet.start(2)
    wait_for_the_middle(log)
    redis_server.stop()
    time.sleep(4)
    redis_server.start()
    result = fleet.finish(log, 60)
    assert len(result.items) == PAGES
    assert result.twice == 0
    assert [(worker.process.returncode, worker.reason) for worker in fleet.workers] == [(0, "finished")] * 2
    assert result.stats["shared_queue/outages"] >= 2
    assert result.stats["templex/items"] == PAGES
    assert "Traceback" not in result.log
    assert "ERROR" not in result.log


def test_an_outage_that_lasts_too_long_ends_the_workers_and_the_next_one_goes_on(
    new_fleet: Callable[..., Fleet], redis_server: RedisServer, log: Path
) -> None:
    """They end with one line each; what they had in hand is not lost."""
    fleet = new_fleet(PAGES, SLOW, SHARED_QUEUE_PATIENCE=1, SHARED_QUEUE_LIFE=2)
    fleet.start(2)
    wait_for_the_middle(log)
    redis_server.stop()
    wait_for_the_end(fleet, 60)
    for worker in fleet.workers:
        assert worker.reason == "queue_away"
        errors = [line for line in worker.log.splitlines() if line.startswith("ERROR")]
        assert [line.partition(":")[0] for line in errors] == [
            "ERROR sample_project.shared_scheduler Redis has not answered for 1 s"
        ]
        assert "Traceback" not in worker.log
    assert sum(len(worker.items) for worker in fleet.workers) < PAGES
    redis_server.start()
    fleet.start(1)
    result = fleet.finish(log, 60)
    assert len(result.items) == PAGES
    assert fleet.workers[-1].reason == "finished"


def test_a_server_that_forgets_ends_the_workers(
    new_fleet: Callable[..., Fleet], redis_server: RedisServer, log: Path
) -> None:
    """A queue that is gone is no queue that is empty: they do not end as if all were done."""
    fleet = new_fleet(PAGES, SLOW)
    fleet.start(2)
    wait_for_the_middle(log)
    redis_server.stop()
    redis_server.start()
    result = fleet.finish(log, 60)
    assert [worker.reason for worker in fleet.workers] == ["queue_lost"] * 2
    assert result.log.count("Redis has lost the queue") == 2
    assert "Traceback" not in result.log


@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_ends_a_worker_that_waits(
    new_fleet: Callable[..., Fleet], redis_server: RedisServer, log: Path, times: int
) -> None:
    fleet = new_fleet(PAGES, SLOW)
    fleet.start(1)
    wait_for_the_middle(log)
    (worker,) = fleet.workers
    redis_server.stop()
    wait_for(lambda: "Redis does not answer" in worker.log, 20)
    for _ in range(times):
        worker.interrupt()
        time.sleep(0.05)
    wait_for_the_end(fleet, 20)
    assert "Traceback" not in worker.log
    assert worker.reason in ({"shutdown"} if times == 1 else {"shutdown", None})
