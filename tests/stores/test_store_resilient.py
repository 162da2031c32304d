"""A store whose place goes away: how often it is asked, what waits, what is lost and what is said."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_cases import KEYS, SITE, Clock, later, same, stored

from templex_scrapy.stores import Store, StoreCounts, StoreUnavailableError
from templex_scrapy.stores.edits import Forget, Save
from templex_scrapy.stores.memory import MemoryBackend
from templex_scrapy.stores.pending import Pending
from templex_scrapy.stores.protocol import Row, Use
from templex_scrapy.stores.resilient import Breaker, ResilientBackend
from templex_scrapy.stores.wire import encode, encode_head


class Away(MemoryBackend):
    """Counts how often it is asked, and fails while it is away."""

    def __init__(self) -> None:
        super().__init__()
        self.away = True
        self.asked = 0

    def version(self, site):
        self.asked += 1
        if self.away:
            raise StoreUnavailableError("nobody there")
        return super().version(site)

    def change(self, site, edit):
        self.version(site)
        return super().change(site, edit)

    def read(self, site):
        self.version(site)
        return super().read(site)

    heads = used = read


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def away() -> Away:
    return Away()


def resilient(away: Away, clock: Clock, **more: int) -> Store:
    counts = StoreCounts()
    return Store(ResilientBackend(away, MemoryBackend(), counts, clock=clock, **more), counts=counts)


def test_the_pauses_grow_and_are_bounded(clock):
    breaker = Breaker(clock, first=1, longest=60)
    pauses = []
    for _ in range(9):
        assert not breaker.is_open
        breaker.failed()
        begun = clock.now
        while breaker.is_open:
            clock.now += 0.5
        pauses.append(clock.now - begun)
    assert pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    breaker.worked()
    assert not breaker.is_broken
    breaker.failed()
    clock.now += 1
    assert not breaker.is_open


def test_a_place_that_is_away_is_not_asked_all_the_time(away, clock):
    store = resilient(away, clock)
    for _ in range(1000):
        store.version(SITE)
        clock.now += 0.1
    assert 6 < away.asked < 20
    assert store.counts.errors == away.asked


def test_an_outage_is_told_of_once_and_its_end_too(away, clock, caplog):
    caplog.set_level(logging.INFO)
    store = resilient(away, clock)
    for number in range(5):
        store.save(SITE, stored(number))
        clock.now += 100
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    away.away = False
    assert len(store.load(SITE)) == 5
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO"]
    assert (store.counts.outages, store.counts.failed, store.counts.pending, store.counts.lost) == (1, 5, 0, 0)


def test_what_waits_is_bounded_and_what_is_lost_is_counted(away, clock):
    store = resilient(away, clock, max_pending=5000)
    for number in range(6):
        store.save(SITE, stored(number))
    counts = store.counts
    assert counts.pending + counts.lost == 6
    assert counts.lost > 0
    away.away = False
    clock.now += 100
    assert {one.key for one in store.load(SITE)} == set(KEYS[-counts.failed + counts.lost :])


def test_what_cannot_be_written_at_the_end_is_told_of(away, clock, caplog):
    store = resilient(away, clock)
    store.save(SITE, stored(1))
    store.close()
    assert store.counts.lost == 1
    assert "could not be stored: 1 (nobody there)" in caplog.text


def test_what_waits_is_written_at_the_end(away, clock):
    store = resilient(away, clock)
    store.save(SITE, stored(1))
    away.away = False
    store.close()
    assert same(Store(away).load(SITE), stored(1))
    assert store.counts.pending == store.counts.lost == 0


def test_a_site_that_was_forgotten_meanwhile_stays_forgotten(away, clock):
    away.away = False
    store = resilient(away, clock)
    store.save(SITE, stored(1))
    away.away = True
    store.load(SITE)
    assert store.forget(SITE) == 1
    assert store.load(SITE) == []
    away.away = False
    clock.now += 100
    assert store.load(SITE) == []
    assert Store(away).load(SITE) == []


def test_other_errors_are_not_hidden(clock):
    class Faulty(MemoryBackend):
        def read(self, site):
            raise ZeroDivisionError(site)

    store = Store(ResilientBackend(Faulty(), MemoryBackend(), StoreCounts(), clock=clock))
    with pytest.raises(ZeroDivisionError):
        store.load(SITE)


def save_edit(number: int) -> Save:
    head, body = encode(SITE, stored(number))
    return Save(head, Row(encode_head(head), body), 20)


operations = st.lists(
    st.one_of(
        st.integers(0, 3).map(save_edit),
        st.none().map(Forget) | st.sampled_from(KEYS[:4]).map(Forget),
        st.builds(lambda key, times: {key: Use(times, 1)}, st.sampled_from(KEYS[:4]), st.integers(1, 3)),
    ),
    max_size=12,
)


@given(operations)
def test_the_size_of_what_waits_is_kept_right(edits):
    pending = Pending(10**9)
    for edit in edits:
        if isinstance(edit, dict):
            pending.add_uses(SITE, edit)
        else:
            pending.add_edit(SITE, edit)
    assert bool(pending) == (len(pending) > 0)
    while pending:
        pending.remove_first()
    assert pending._size == 0


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=12), st.integers(0, 4000))
def test_memory_is_bounded(saves, most):
    counts = StoreCounts()
    memory = MemoryBackend(most, counts)
    store = Store(memory)
    for site, number in saves:
        store.save(site, stored(number))
        sizes = {
            name: sum(len(row.head) + len(row.body) for row in memory.read(name).values()) for name in memory.sites()
        }
        assert counts.memory == sum(sizes.values())
        assert counts.memory <= most or list(sizes) == [site]
        assert stored(number).key in {one.key for one in store.load(site)}
    assert len(memory.sites()) + counts.evicted >= len({site for site, _ in saves})
    for site in memory.sites():
        store.forget(site)
    assert counts.memory == 0


def test_the_sites_not_asked_for_for_longest_are_forgotten():
    size = len(b"".join(part for row in [save_edit(1).row] for part in (row.head, row.body)))
    counts = StoreCounts()
    memory = MemoryBackend(3 * size + size // 2, counts)
    store = Store(memory)
    for site in "abc":
        store.save(site, stored(1))
    store.load("a")
    store.save("d", stored(1))
    assert memory.sites() == ["a", "c", "d"]
    assert counts.evicted == 1
    assert store.version("b") == 0


def test_leases_in_memory_expire(clock):
    store = Store(MemoryBackend(clock=clock))
    assert store.lease(SITE, "one", 10)
    clock.now += 9.9
    assert not store.lease(SITE, "two", 10)
    clock.now += 0.1
    assert store.lease(SITE, "two", 10)
    store.used(SITE, {KEYS[1]: 1}, later(1))
