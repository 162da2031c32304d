"""Stores of each kind, and Redis servers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from store_cases import RedisServer

from templex_scrapy.stores import TemplateStore, open_store
from templex_scrapy.stores.redis import RedisStore

_NUMBERS = count()


def _server(folder: Path) -> Iterator[RedisServer]:
    if shutil.which("redis-server") is None:
        pytest.skip("NO REDIS SERVER: stores on Redis are not tested (apt-get install redis-server)")
    server = RedisServer(folder)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis server that all tests share."""
    yield from _server(tmp_path_factory.mktemp("redis"))


@pytest.fixture
def own_redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis server that a test may stop."""
    yield from _server(tmp_path)


_REDIS = pytest.param("redis", marks=pytest.mark.redis)


@pytest.fixture(params=["sqlite", _REDIS])
def new_shared_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], TemplateStore]]:
    """Opens stores of one kind in the same place."""
    opened: list[TemplateStore] = []
    prefix = f"test{next(_NUMBERS)}:"

    def make() -> TemplateStore:
        if request.param == "redis":
            opened.append(RedisStore(request.getfixturevalue("redis_server").url, prefix=prefix))
        else:
            opened.append(open_store(tmp_path / "templates.sqlite3"))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
