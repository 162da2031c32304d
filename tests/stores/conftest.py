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


def _stores(kind: str, request: pytest.FixtureRequest, folder: Path) -> Iterator[Callable[[], TemplateStore]]:
    opened: list[TemplateStore] = []
    prefix = f"test{next(_NUMBERS)}:"

    def make() -> TemplateStore:
        if kind == "redis":
            opened.append(RedisStore(request.getfixturevalue("redis_server").url, prefix=prefix))
        else:
            opened.append(open_store(folder / "templates.sqlite3" if kind == "sqlite" else None))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture(params=["sqlite", "temporary", _REDIS])
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[], TemplateStore]]:
    """Opens stores of one kind; all but temporary ones in the same place."""
    yield from _stores(request.param, request, tmp_path)


@pytest.fixture
def store(new_store: Callable[[], TemplateStore]) -> TemplateStore:
    """A store of each kind."""
    return new_store()


@pytest.fixture(params=["sqlite", _REDIS])
def two_stores(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[list[TemplateStore]]:
    """Two stores in one place, as two workers open them."""
    for make in _stores(request.param, request, tmp_path):
        yield [make(), make()]
