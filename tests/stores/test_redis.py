"""Stores on a Redis server: keys, foreign data, a server that is away, comes back, or hangs."""

import time
from contextlib import closing

import pytest
from helpers.store_contract import NOW, SITE, same, stored

from templex_scrapy.stores import StoreError, redis
from templex_scrapy.stores.redis import RedisStore

pytestmark = pytest.mark.redis


@pytest.fixture
def store(own_redis_server):
    with closing(RedisStore(own_redis_server.url)) as opened:
        yield opened


def test_all_keys_begin_with_the_prefix_and_the_version(store, own_redis_server):
    store.save(SITE, stored())
    names = ["records:site.test", "used:site.test", "versions"]
    assert sorted(own_redis_server.client.keys()) == [f"templex:1:{name}".encode() for name in names]
    store.delete(SITE)
    assert own_redis_server.client.keys() == []


def test_damaged_records_are_skipped_and_replaced(store, own_redis_server):
    store.save(SITE, stored())
    store.save(SITE, stored(1))
    own_redis_server.client.hset("templex:1:records:site.test", stored().key, b"damaged")
    own_redis_server.client.zadd("templex:1:used:site.test", {"without a record": NOW, b"\xff": NOW})
    own_redis_server.client.hset("templex:1:versions", SITE, "damaged")
    assert same(store.load(SITE), stored(1))
    assert (store.skipped, store.version(SITE)) == (1, 0)
    store.save(SITE, stored())
    assert {one.key for one in store.load(SITE)} == {stored(1).key, stored().key}
    assert store.version(SITE) > 0


def test_a_server_that_is_killed_and_comes_back(store, own_redis_server):
    store.save(SITE, stored())
    version = store.version(SITE)
    own_redis_server.kill()
    for use in (lambda: store.load(SITE), lambda: store.save(SITE, stored())):
        with pytest.raises(StoreError, match=f"redis://127.0.0.1:{own_redis_server.port}/0 cannot be used"):
            use()
    own_redis_server.start()
    assert (store.load(SITE), store.version(SITE)) == ([], 0), "it keeps nothing on disk"
    store.save(SITE, stored())
    assert same(store.load(SITE), stored())
    assert store.version(SITE) not in {0, version}


def test_a_lost_connection_is_made_again_at_once(store, own_redis_server):
    store.save(SITE, stored())
    own_redis_server.client.client_kill_filter(_type="normal", skipme=True)
    assert same(store.load(SITE), stored())


def test_a_server_that_hangs_is_waited_for_a_short_time(own_redis_server, monkeypatch):
    monkeypatch.setattr(redis, "SERVER_TIMEOUT", 0.05)
    store = RedisStore(own_redis_server.url)
    own_redis_server.pause()
    began = time.monotonic()
    with pytest.raises(StoreError, match="cannot be used"):
        store.load(SITE)
    assert time.monotonic() - began < 3
