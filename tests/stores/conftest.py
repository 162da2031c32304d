"""Stores of each kind, and Redis servers."""

from itertools import count

import pytest
from helpers.redis_server import running

from templex_scrapy.stores.redis import RedisStore
from templex_scrapy.stores.sqlite import SqliteStore

_NUMBERS = count()


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    """A Redis server that all tests share."""
    yield from running(tmp_path_factory.mktemp("redis"))


_REDIS = pytest.param("redis", marks=pytest.mark.redis)


@pytest.fixture(params=["sqlite", _REDIS])
def new_shared_store(request, tmp_path):
    """Opens stores of one kind in the same place."""
    opened = []
    prefix = f"test{next(_NUMBERS)}:"

    def make(**options):
        if request.param == "redis":
            opened.append(RedisStore(request.getfixturevalue("redis_server").url, prefix=prefix, **options))
        else:
            opened.append(SqliteStore(tmp_path / "templates.sqlite3", **options))
        return opened[-1]

    yield make
    for store in opened:
        store.close()
