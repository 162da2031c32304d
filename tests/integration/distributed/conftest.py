"""Workers on one Redis server; the machinery is that of bench/scripts/workers.py."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench" / "scripts"))

from fleet import Fleet, RedisServer, is_there, made_site

NO_REDIS = "NO REDIS SERVER: crawls by several workers are not tested (apt-get install redis-server)"


@pytest.fixture
def redis_folder() -> Path | None:
    """Where the server of this test keeps what it has; None for a server that keeps nothing."""
    return None


@pytest.fixture
def redis_server(redis_folder: Path | None) -> Iterator[RedisServer]:
    """A Redis server of this test alone, which it may stop and start."""
    if not is_there():
        pytest.skip(NO_REDIS)
    server = RedisServer(redis_folder)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def redis_url(redis_server: RedisServer) -> str:
    """Where the server of this test is."""
    return redis_server.url


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """The file with a line for each request to the site."""
    return tmp_path / "asked.txt"


@pytest.fixture
def new_fleet(redis_url: str, log: Path, tmp_path: Path) -> Iterator[Callable[..., Fleet]]:
    """Makes fleets that crawl a site of so many pages; whatever still runs at the end is killed."""
    with ExitStack() as stack:

        def make(pages: int, latency: float = 0.05, **settings: Any) -> Fleet:
            fleet = Fleet(
                redis_url, stack.enter_context(made_site(pages, log, latency)), tmp_path / "workers", settings
            )
            stack.callback(fleet.stop)
            return fleet

        yield make
