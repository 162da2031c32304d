"""Stores that several processes share, and their deaths."""

from __future__ import annotations

import multiprocessing
import random
import time
from collections.abc import Callable, Iterator
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest
import store_workers
from store_cases import KEYS, SITE, later, same, stored, wait_for
from store_workers import noted

from templex_scrapy.stores import open_directly, open_store

Start = Callable[..., SpawnProcess]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts processes; those that are left at the end are killed."""
    spawn = multiprocessing.get_context("spawn")
    started: list[SpawnProcess] = []

    def begin(work: Callable[..., None], *arguments: object) -> SpawnProcess:
        process = spawn.Process(target=work, args=arguments)
        process.start()
        started.append(process)
        return process

    yield begin
    for process in started:
        process.kill()
        process.join()


@pytest.fixture(params=["sqlite", "redis"])
def place(request: pytest.FixtureRequest, sqlite_path: Path) -> str:
    """What several processes can open: a new file, or a server of the test's own."""
    return str(sqlite_path) if request.param == "sqlite" else request.getfixturevalue("own_redis_server").url


def finish(*processes: SpawnProcess) -> None:
    for process in processes:
        process.join(60)
        assert process.exitcode == 0


def test_what_several_learn_at_the_same_time_is_learnt_once(place, start, tmp_path):
    log = tmp_path / "log"
    sites = [f"site{number}" for number in range(10)]
    finish(*[start(store_workers.learn, place, str(log), owner, sites, 30.0) for owner in "abcd"])
    assert sorted(noted(log)) == sites
    with open_directly(place) as store:
        assert [(info.site, info.templates) for info in store.sites()] == [(site, 1) for site in sites]


def test_the_lease_of_a_killed_process_expires(place, start, tmp_path):
    log, taken = tmp_path / "log", tmp_path / "taken"
    dying = start(store_workers.take_and_hang, place, str(taken), 2.0)
    wait_for(taken.exists)
    with open_directly(place) as store:
        assert not store.lease(SITE, "the test", 1)
    others = [start(store_workers.learn, place, str(log), owner, [SITE], 30.0) for owner in "ab"]
    dying.kill()
    finish(*others)
    assert noted(log) == [SITE]


def test_two_writers_lose_nothing_of_each_other(place, start):
    finish(*[start(store_workers.write, place, number, 50) for number in range(3)])
    with open_directly(place) as store:
        for site in range(5):
            last = later(45 + site)
            wanted = [stored(number, learnt=last) for number in range(3)]
            found = store.load(f"site{site}")
            assert {one.key: (one.served, one.last_used, one.learnt) for one in found} == {
                one.key: (10, last, last) for one in wanted
            }


def test_two_stores_of_one_process_lose_nothing_when_another_process_looks(sqlite_path, start):
    """As two crawls of one process with one store do, while another one ends: it is not the last to close the file."""
    with open_directly(sqlite_path, create=True) as one, open_directly(sqlite_path) as two:
        one.save(SITE, stored(1))
        assert same(two.load(SITE), stored(1))
        finish(start(store_workers.look, str(sqlite_path), 1))
        one.save(SITE, stored(2))
        finish(start(store_workers.look, str(sqlite_path), 2))
        two.save(SITE, stored(3))
        finish(start(store_workers.look, str(sqlite_path), 3))
    assert [path.name for path in sqlite_path.parent.iterdir()] == [sqlite_path.name]


def test_killed_writers_leave_a_store_that_works(place, start, tmp_path):
    """What a killed process was told to be saved is there, whole, and the others go on."""
    chance = random.Random(3)
    log = tmp_path / "log"
    survivor = start(store_workers.write_for_ever, place, str(log), 0)
    for number in range(1, 6):
        writer = start(store_workers.write_for_ever, place, str(log), number)
        wait_for(lambda begin=f"{number}-": any(line.startswith(begin) for line in noted(log)))
        time.sleep(chance.random() / 10)
        writer.kill()
        writer.join()
    count = len(noted(log))
    wait_for(lambda: len(noted(log)) > count + 5)
    assert survivor.is_alive()
    survivor.kill()
    survivor.join()
    with open_store(place) as store:
        for name in noted(log):
            assert same(store.load(name), stored(int(name.partition("-")[0]) % 6)), name
        assert store.counts.outages == store.counts.set_aside == 0
    assert list(tmp_path.glob("*.broken*")) == []


def test_processes_that_find_the_same_damaged_file_set_it_aside_once(sqlite_path, start):
    with open_store(sqlite_path) as store:
        for number in range(6):
            store.save(SITE, stored(number))
    raw = sqlite_path.read_bytes()
    sqlite_path.write_bytes(raw[:9000])
    finish(*[start(store_workers.open_damaged, str(sqlite_path), number) for number in range(4)])
    assert [path.name for path in sqlite_path.parent.iterdir() if path.suffix.startswith(".broken")] == [
        f"{sqlite_path.name}.broken-1"
    ]
    with open_directly(sqlite_path) as store:
        assert {info.site for info in store.sites()} == {f"site{number}" for number in range(4)}
        assert {one.key for info in store.sites() for one in store.load(info.site)} == set(KEYS[:4])
