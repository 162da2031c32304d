"""Stores of each kind, and Redis servers."""

import shutil
from itertools import count

import pytest
from redis_server import RedisServer

from templex_scrapy.stores import open_store
from templex_scrapy.stores.redis import RedisStore

_NUMBERS = count()


def _server(folder):
    if shutil.which("redis-server") is None:
        pytest.skip("NO REDIS SERVER: stores on Redis are not tested (apt-get install redis-server)")
    server = RedisServer(folder)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    """A Redis server that all tests share."""
    yield from _server(tmp_path_factory.mktemp("redis"))


@pytest.fixture
def own_redis_server(tmp_path):
    """A Redis server that a test may stop."""
    yield from _server(tmp_path)


_REDIS = pytest.param("redis", marks=pytest.mark.redis)


@pytest.fixture(params=["sqlite", _REDIS])
def new_shared_store(request, tmp_path):
    """Opens stores of one kind in the same place."""
    opened = []
    prefix = f"test{next(_NUMBERS)}:"

    def make():
        if request.param == "redis":
            opened.append(RedisStore(request.getfixturevalue("redis_server").url, prefix=prefix))
        else:
            opened.append(open_store(tmp_path / "templates.sqlite3"))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
