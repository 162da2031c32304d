"""Stores of each kind, and Redis servers."""

import pytest
from helpers.redis_server import running

from templex_scrapy.stores.redis import RedisStore
from templex_scrapy.stores.sqlite import SqliteStore


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    """A Redis server that all tests share."""
    yield from running(tmp_path_factory.mktemp("redis"))


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=pytest.mark.redis)])
def new_shared_store(request, tmp_path):
    """Opens stores of one kind in the same place, which is empty at first."""
    opened = []
    server = request.getfixturevalue("redis_server") if request.param == "redis" else None
    if server is not None:
        server.client.flushall()

    def make():
        opened.append(RedisStore(server.url) if server is not None else SqliteStore(tmp_path / "templates.sqlite3"))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
