"""Stores on Redis: servers that stop and start, keys of others, leases, and what is shown of an address."""

from __future__ import annotations

import logging
import threading

import pytest
from store_cases import KEYS, SITE, RedisServer, later, same, stored, template, wait_for

from templex_scrapy.stores import Store, StoreUnavailableError, open_directly, open_store
from templex_scrapy.stores.redis import RedisBackend, redacted


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def try_again(store: Store) -> None:
    """As if the time until the next try were over."""
    for breaker in (store._backend._reading, store._backend._writing):
        breaker._until = 0


def test_all_keys_begin_with_the_prefix(own_redis_server):
    with open_directly(own_redis_server.url) as store:
        store.save(SITE, stored(1))
        store.used(SITE, {KEYS[1]: 1}, later(1))
        store.lease(SITE, "me", 60)
    keys = own_redis_server.client.keys()
    assert len(keys) == 6
    assert all(key.startswith(b"templex:") for key in keys)


def test_nothing_of_a_forgotten_site_stays(redis_server, redis_prefix):
    store = Store(RedisBackend(redis_server.url, prefix=redis_prefix))
    store.save(SITE, stored(1))
    store.used(SITE, {KEYS[1]: 1}, later(1))
    store.forget(SITE)
    store.lease(SITE, "me", 60)
    store.release(SITE, "me")
    assert redis_server.client.keys(f"{redis_prefix}*") == []


def test_a_server_that_stops_and_starts_in_mid_crawl(own_redis_server, caplog):
    """It keeps nothing on disk: what a worker still has, the server gets back."""
    with open_store(own_redis_server.url) as store:
        store.save(SITE, stored(1))
        store.save("b", stored(2))
        assert same(store.load(SITE), stored(1))
        own_redis_server.kill()
        assert same(store.load(SITE), stored(1))
        grown = stored(1).grown(template(1, 3), later(1))
        store.save(SITE, grown)
        store.save(SITE, stored(3))
        store.used(SITE, {KEYS[3]: 4}, later(5))
        assert {one.key for one in store.load(SITE)} == {KEYS[1], KEYS[3]}
        assert store.version(SITE) is None
        assert store.lease(SITE, "me", 60)
        store.release(SITE, "me")
        assert (store.counts.pending, store.counts.failed, store.counts.outages) == (3, 3, 1)
        own_redis_server.start()
        try_again(store)
        assert store.version(SITE)
        assert (store.counts.pending, store.counts.lost) == (0, 0)
        assert len(warnings(caplog)) == 1
    with open_directly(own_redis_server.url) as store:
        found = {one.key: one for one in store.load(SITE)}
        assert same([found[KEYS[1]]], grown)
        assert found[KEYS[3]].served == 4
        assert same(store.load("b"), stored(2))


def test_the_store_comes_back_by_itself(own_redis_server):
    own_redis_server.kill()
    with open_store(own_redis_server.url) as store:
        store.save(SITE, stored(1))
        assert store.version(SITE) is None
        own_redis_server.start()
        wait_for(lambda: store.version(SITE) is not None)
        assert own_redis_server.client.exists(f"templex:heads:{SITE}")


def test_what_others_stored_meanwhile_is_merged(own_redis_server):
    with open_store(own_redis_server.url) as away, open_directly(own_redis_server.url) as other:
        away.save(SITE, stored(1))
        away._backend._writing.failed()
        away._backend._reading.failed()
        away.save(SITE, stored(1).retire("redesigned", later(9)))
        away.save(SITE, stored(2))
        away.used(SITE, {KEYS[1]: 2}, later(2))
        other.save(SITE, stored(1).grown(template(1, 3), later(1)))
        other.save(SITE, stored(3))
        other.used(SITE, {KEYS[1]: 3}, later(1))
        try_again(away)
        found = {one.key: one for one in away.load(SITE)}
        assert set(found) == {KEYS[1], KEYS[2], KEYS[3]}
        one = found[KEYS[1]]
        assert (len(one.urls), one.retired.reason, one.served, one.last_used) == (4, "redesigned", 5, later(2))
        assert {key.key: key.served for key in other.load(SITE)}[KEYS[1]] == 5


def test_a_server_that_is_not_there_fails_quickly():
    with open_directly("redis://127.0.0.1:1/0") as store:
        for operation in (
            lambda: store.load(SITE),
            lambda: store.save(SITE, stored(1)),
            lambda: store.used(SITE, {KEYS[1]: 1}, later(1)),
            lambda: store.forget(SITE),
            lambda: store.describe(SITE),
            lambda: list(store.sites()),
            lambda: store.lease(SITE, "me", 1),
            lambda: store.release(SITE, "me"),
            lambda: store.version(SITE),
            store.set_aside,
        ):
            with pytest.raises(StoreUnavailableError, match=r"redis://127\.0\.0\.1:1/0 cannot be used"):
                operation()


def test_a_server_that_does_not_answer_is_not_waited_for(own_redis_server):
    """Each try takes its time out once, and there is one for reading and one for writing before the next pause."""
    with open_store(f"{own_redis_server.url}?socket_timeout=0.05") as store:
        store.save(SITE, stored(1))
        own_redis_server.pause()
        store._backend._reading._first = store._backend._writing._first = 1000
        assert same(store.load(SITE), stored(1))
        store.save(SITE, stored(2))
        for _ in range(100):
            assert same(store.load(SITE), stored(1), stored(2))
        assert (store.counts.outages, store.counts.failed) == (1, 1)
        own_redis_server.resume()
        try_again(store)
        assert store.version(SITE)
        assert store.counts.pending == 0


@pytest.mark.parametrize("what", ["heads", "bodies", "served", "last_used", "lease"])
def test_a_key_of_another_type_is_renamed(redis_server, redis_prefix, what):
    store = Store(RedisBackend(redis_server.url, prefix=redis_prefix))
    key = f"{redis_prefix}{what}:{SITE}"
    redis_server.client.rpush(key, "a list of somebody else")
    store.save(SITE, stored(1))
    store.used(SITE, {KEYS[1]: 1}, later(1))
    assert store.lease(SITE, "me", 60)
    assert not store.lease(SITE, "you", 60)
    assert [one.key for one in store.load(SITE)] == [KEYS[1]]
    store.release(SITE, "me")
    assert redis_server.client.lrange(f"{key}.broken-1", 0, -1) == [b"a list of somebody else"]


@pytest.mark.parametrize("what", ["versions", "set_aside"])
def test_a_common_key_of_another_type_is_renamed(redis_server, redis_prefix, what):
    store = Store(RedisBackend(redis_server.url, prefix=redis_prefix))
    redis_server.client.set(f"{redis_prefix}{what}", "somebody else's")
    redis_server.client.hset(f"{redis_prefix}heads:{SITE}", "key", "damaged")
    assert store.load(SITE) == []
    assert store.save(SITE, stored(1))
    assert store.version(SITE)
    assert len(store.set_aside()) == 1
    assert [info.site for info in store.sites()] == [SITE]
    assert redis_server.client.get(f"{redis_prefix}{what}.broken-1") == b"somebody else's"


def test_values_that_are_no_numbers_are_no_matter(redis_server, redis_prefix):
    client = redis_server.client
    store = Store(RedisBackend(redis_server.url, prefix=redis_prefix))
    for value in (b"many", b"-7", b"1e400", b"nan", b"", b"\xff", b"9" * 40, b"1.5", b"0x10"):
        store.save(SITE, stored(1))
        for what in ("served", "last_used"):
            client.hset(f"{redis_prefix}{what}:{SITE}", KEYS[1], value)
        client.hset(f"{redis_prefix}versions", SITE, value)
        client.hset(f"{redis_prefix}heads:{SITE}", value or b"x", value)
        client.lpush(f"{redis_prefix}set_aside", value)
        assert [one.key for one in store.load(SITE)] == [KEYS[1]]
        store.used(SITE, {KEYS[1]: 1}, later(1))
        store.save(SITE, stored(1).retire("x", later(5)))
        assert len(store.describe(SITE)) == 1
        assert list(store.sites())
        store.version(SITE)
        store.set_aside()
        store.forget(SITE)


def test_a_lease_expires(redis_server, redis_prefix):
    store = Store(RedisBackend(redis_server.url, prefix=redis_prefix))
    assert store.lease(SITE, "one", 0.2)
    assert not store.lease(SITE, "two", 0.2)
    wait_for(lambda: store.lease(SITE, "two", 60))
    assert not store.lease(SITE, "one", 0.2)
    store.release(SITE, "one")
    assert redis_server.client.pttl(f"{redis_prefix}lease:{SITE}") > 50_000


def test_writers_that_meet_all_get_their_turn(redis_server, redis_prefix):
    stores = [Store(RedisBackend(redis_server.url, prefix=redis_prefix)) for _ in range(4)]

    def work(store: Store, number: int) -> None:
        for turn in range(10):
            store.save(SITE, stored(number, learnt=later(turn)))
            store.used(SITE, {KEYS[number]: 1}, later(turn))

    threads = [threading.Thread(target=work, args=(store, number)) for number, store in enumerate(stores)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = {one.key: one.served for one in stores[0].load(SITE)}
    assert found == dict.fromkeys(KEYS[:4], 10)


def test_a_server_without_memory_refuses_and_the_crawl_goes_on(own_redis_server):
    with open_store(own_redis_server.url) as store:
        store.save(SITE, stored(1))
        own_redis_server.client.config_set("maxmemory", "1")
        store.save(SITE, stored(2))
        assert same(store.load(SITE), stored(1), stored(2))
        assert store.counts.failed == 1
        own_redis_server.client.config_set("maxmemory", "0")
        try_again(store)
        assert store.version(SITE)
        assert store.counts.pending == 0


def test_bytes_stay_bytes_whatever_the_address_asks_for(redis_server, redis_prefix):
    store = Store(RedisBackend(f"{redis_server.url}?decode_responses=true&protocol=3", prefix=redis_prefix))
    store.save(SITE, stored(1))
    assert same(store.load(SITE), stored(1))
    assert [info.site for info in store.sites()] == [SITE]


def test_passwords_are_not_shown(caplog):
    url = "redis://user:secret@127.0.0.1:1/3?password=secret"
    assert redacted(url) == "redis://127.0.0.1:1/3"
    store = open_store(url)
    assert "secret" not in repr(store)
    store.save(SITE, stored(1))
    store.close()
    assert caplog.text.count("127.0.0.1:1/3") > 1
    assert "secret" not in caplog.text
    with pytest.raises(ValueError, match="no URL of a Redis server") as raised:
        open_store("redis://user:secret@host:port/")
    assert "secret" not in str(raised.value)


def test_a_password_is_asked_for(own_redis_server: RedisServer):
    own_redis_server.client.config_set("requirepass", "secret")
    with open_directly(own_redis_server.url) as store, pytest.raises(StoreUnavailableError, match="cannot be used"):
        store.load(SITE)
    with open_directly(own_redis_server.url.replace("redis://", "redis://:secret@")) as store:
        assert store.load(SITE) == []
