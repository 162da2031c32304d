"""Stores of each kind, and Redis servers to keep them on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from store_cases import RedisServer

from templex_scrapy.stores import Backend, Store
from templex_scrapy.stores.memory import MemoryBackend
from templex_scrapy.stores.redis import RedisBackend
from templex_scrapy.stores.sqlite import SqliteBackend

NO_REDIS = "NO REDIS SERVER: the stores on Redis are not tested (apt-get install redis-server)"


def _server(folder: Path) -> Iterator[RedisServer]:
    if shutil.which("redis-server") is None:
        pytest.skip(NO_REDIS)
    server = RedisServer(folder)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    """A Redis server that all tests share; each uses a prefix of its own."""
    yield from _server(tmp_path_factory.mktemp("redis"))


@pytest.fixture
def own_redis_server(tmp_path: Path) -> Iterator[RedisServer]:
    """A Redis server that a test may stop."""
    yield from _server(tmp_path)


@pytest.fixture(scope="session")
def numbers() -> Iterator[int]:
    """Numbers, each once."""
    return count()


@pytest.fixture
def redis_prefix(numbers: Iterator[int]) -> str:
    """A prefix for keys that no other test has."""
    return f"test{next(numbers)}:"


@pytest.fixture(params=["memory", "sqlite", "redis"])
def backend(request: pytest.FixtureRequest, tmp_path: Path, redis_prefix: str) -> Iterator[Backend]:
    """A new backend of each kind."""
    backend: Backend
    if request.param == "memory":
        backend = MemoryBackend()
    elif request.param == "sqlite":
        backend = SqliteBackend(tmp_path / "templates.db")
    else:
        backend = RedisBackend(request.getfixturevalue("redis_server").url, prefix=redis_prefix)
    yield backend
    backend.close()


@pytest.fixture
def store(backend: Backend) -> Store:
    """A new store of each kind."""
    return Store(backend)


@pytest.fixture
def sqlite_path(tmp_path: Path) -> Path:
    """Where an SQLite file may be."""
    return tmp_path / "templates.db"


@pytest.fixture
def new_sqlite(sqlite_path: Path) -> Iterator[Callable[[], Store]]:
    """Opens stores in the same SQLite file."""
    opened: list[Store] = []

    def make() -> Store:
        opened.append(Store(SqliteBackend(sqlite_path)))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
