"""Processes on one Redis server, and a made site that they crawl."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "bench" / "scripts"))

from fleet import Fleet, made_site
from store_cases import RedisServer

NO_REDIS = "NO REDIS SERVER: crawls by several processes are not tested (apt-get install redis-server)"


@pytest.fixture
def redis_url(tmp_path: Path) -> Iterator[str]:
    """A Redis server of this test alone."""
    if shutil.which("redis-server") is None:
        pytest.skip(NO_REDIS)
    server = RedisServer(tmp_path)
    server.start()
    yield server.url
    server.kill()


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
                redis_url, stack.enter_context(made_site(pages, log, latency)), tmp_path / "processes", settings
            )
            stack.callback(fleet.stop)
            return fleet

        yield make
