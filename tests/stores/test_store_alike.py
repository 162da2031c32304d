"""Any sequence of operations does the same in memory, in an SQLite file, on a Redis server, and through outages."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test
from store_cases import KEYS, SITE, Clock, RedisServer, later, plain, stored

from templex_scrapy.stores import Store, StoreCounts, StoreLimits, StoreUnavailableError
from templex_scrapy.stores.memory import MemoryBackend
from templex_scrapy.stores.protocol import Change, Row
from templex_scrapy.stores.redis import RedisBackend
from templex_scrapy.stores.resilient import ResilientBackend
from templex_scrapy.stores.sqlite import SqliteBackend

some = settings(max_examples=max(settings().max_examples // 5, 20), stateful_step_count=30)
sites = st.sampled_from([SITE, "b"])
keys = st.sampled_from(KEYS)
small = st.integers(0, 4)


class Put:
    """Puts a row as it is, whatever it holds."""

    def __init__(self, key: str, row: Row) -> None:
        self.key = key
        self.row = row

    def __call__(self, rows: Mapping[str, Row]) -> Change:
        return Change({self.key: self.row}, drop=frozenset(rows.keys() & {self.key}))


class Alike(RuleBasedStateMachine):
    """Does the same with all stores, and compares what they answer; the versions of each with what they were."""

    stores: dict[str, Store]

    def each(self, work: Callable[[Store], Any]) -> Any:
        answers = {name: work(store) for name, store in self.stores.items()}
        first = next(iter(answers.values()))
        assert all(answer == first for answer in answers.values()), answers
        return first

    @rule(
        site=sites,
        number=st.integers(0, 5),
        voters=st.integers(2, 3),
        learnt=small,
        served=small,
        retired=st.none() | small,
    )
    def save(self, site, number, voters, learnt, served, retired):
        one = replace(stored(number, voters, later(learnt)), served=served, last_used=later(served) if served else None)
        if retired is not None:
            one = one.retire("why", later(retired))
        self.each(lambda store: self.change(store, site, lambda: store.save(site, one)))

    @rule(site=sites, uses=st.dictionaries(keys, st.integers(-1, 3)), when=small)
    def used(self, site, uses, when):
        self.each(lambda store: store.used(site, uses, later(when)))

    @rule(site=sites, key=st.none() | keys)
    def forget(self, site, key):
        self.each(lambda store: self.change(store, site, lambda: store.forget(site, key)))

    @rule(site=sites)
    def load(self, site):
        self.each(lambda store: self.change(store, site, lambda: [plain(one) for one in store.load(site)]))

    @rule(site=sites)
    def describe(self, site):
        self.each(lambda store: store.describe(site))
        self.each(lambda store: list(store.sites()))

    @rule(site=sites, owner=st.sampled_from("ab"))
    def lease(self, site, owner):
        self.each(lambda store: store.lease(site, owner, 1000))

    @rule(site=sites, owner=st.sampled_from("ab"))
    def release(self, site, owner):
        self.each(lambda store: store.release(site, owner))

    def change(self, store: Store, site: str, work: Callable[[], Any]) -> tuple[Any, Any]:
        """What a change answers, and by how much it changes the version, if the version is known."""
        before = store.version(site)
        answer = work()
        after = store.version(site)
        assert before is not None
        assert after is not None
        return (None if answer == after else answer), after - before if before and after else (
            bool(before),
            bool(after),
        )

    def teardown(self):
        for store in getattr(self, "stores", {}).values():
            store.close()


numbers = count()


def kinds_alike(server: RedisServer, folder: Path) -> type[Alike]:
    class Kinds(Alike):
        """Memory, SQLite and Redis, with room for few templates, and records that were damaged."""

        @initialize()
        def begin(self):
            number = next(numbers)
            self.path = folder / f"{number}.db"
            self.backends = {
                "memory": MemoryBackend(),
                "sqlite": SqliteBackend(self.path),
                "redis": RedisBackend(server.url, prefix=f"alike{number}:"),
            }
            limits = StoreLimits(templates=3)
            self.stores = {name: Store(backend, limits) for name, backend in self.backends.items()}

        @rule(site=sites, key=keys, other=keys, head=st.booleans(), newer=st.booleans())
        def damage(self, site, key, other, head, newer):
            rows = self.backends["memory"].read(site)
            old = rows.get(other, Row(b"", b""))
            row = Row(b"tmplx\x09" + b"." * 20 if newer else old.head if head else b"?", old.body, 1, 1)
            for backend in self.backends.values():
                backend.change(site, Put(key, row))

        @rule()
        def asides(self):
            self.each(lambda store: [(one.site, one.key, one.why, one.head, one.body) for one in store.set_aside()])

        @rule()
        def open_again(self):
            self.stores["sqlite"].close()
            self.backends["sqlite"] = SqliteBackend(self.path)
            self.stores["sqlite"] = Store(self.backends["sqlite"], StoreLimits(templates=3))

    return Kinds


class Flaky(MemoryBackend):
    """Goes away and comes back; may lose all it has meanwhile."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = self.writes = True

    def __getattribute__(self, name: str) -> Any:
        works = {
            "read": "reads",
            "heads": "reads",
            "version": "reads",
            "sites": "reads",
            "change": "writes",
            "used": "writes",
            "lease": "writes",
            "release": "writes",
        }
        if name in works and not getattr(self, works[name]):
            raise StoreUnavailableError("away")
        return super().__getattribute__(name)


class Outages(Alike):
    """A store that goes away at any time, for writing alone or altogether, and one that does not."""

    @initialize()
    def begin(self):
        self.clock = Clock()
        self.flaky = Flaky()
        counts = StoreCounts()
        self.resilient = ResilientBackend(self.flaky, MemoryBackend(), counts, clock=self.clock)
        self.stores = {"plain": Store(MemoryBackend()), "resilient": Store(self.resilient, counts=counts)}

    @rule(reads=st.booleans(), writes=st.booleans(), pause=st.sampled_from([0, 0.5, 100]))
    def outage(self, reads, writes, pause):
        self.flaky.reads = reads
        self.flaky.writes = writes and reads
        self.clock.now += pause

    @rule()
    def restart_with_nothing(self):
        """A server without a disk. It goes down before, so that it is noticed; leases are gone with the rest."""
        self.flaky.reads = self.flaky.writes = False
        self.stores["resilient"].version(SITE)
        self.flaky.__init__()
        self.clock.now += 100
        for store in self.stores.values():
            for site in (SITE, "b"):
                for owner in "ab":
                    store.release(site, owner)

    @rule()
    def come_back(self):
        self.flaky.reads = self.flaky.writes = True
        self.clock.now += 100
        self.stores["resilient"].version(SITE)
        direct = Store(self.flaky)
        for site in (SITE, "b"):
            assert [plain(one) for one in direct.load(site)] == [plain(one) for one in self.stores["plain"].load(site)]
        assert self.stores["resilient"].counts.pending == 0
        assert self.stores["resilient"].counts.lost == 0

    def change(self, _store: Store, _site: str, work: Callable[[], Any]) -> Any:
        answer = work()
        return None if isinstance(answer, int) and answer > 100 else answer  # a version, or none

    @rule(site=sites, uses=st.dictionaries(keys, st.integers(-1, 3)), when=small)
    def used(self, site, uses, when):
        """Only of what is stored: what a template has not served before it was saved need not be remembered."""
        known = {info.head.key for info in self.stores["plain"].describe(site)}
        super().used(site, {key: times for key, times in uses.items() if key in known}, when)

    # leases that are taken while nobody can be asked bind one process alone
    lease = release = None


@pytest.mark.usefixtures("redis_server")
def test_memory_sqlite_and_redis_do_the_same(redis_server):
    with tempfile.TemporaryDirectory() as folder:
        run_state_machine_as_test(kinds_alike(redis_server, Path(folder)), settings=some)


def test_outages_change_nothing():
    run_state_machine_as_test(Outages, settings=some)
