"""The lock under which a store's file is opened: no other lock gets in its way, and nobody waits for it for ever."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_cases import SITE, same, stored

from templex_scrapy.crawl.journal import Journal
from templex_scrapy.stores import Store, StoreUnavailableError, open_directly, open_store, sqlite_file
from templex_scrapy.stores.opening_lock import SUFFIX, opening_lock
from templex_scrapy.stores.sqlite import SqliteBackend

fcntl = pytest.importorskip("fcntl")

HOLDER = """
import sys, time
from pathlib import Path
from templex_scrapy.stores.opening_lock import opening_lock
with opening_lock(Path(sys.argv[1]), 1):
    print("locked", flush=True)
    time.sleep(600)
"""


@contextlib.contextmanager
def flocked(path: Path) -> Iterator[None]:
    """As ``flock path …`` does it."""
    descriptor = os.open(path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        yield
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def held(path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process that has the lock of a file."""
    command = [sys.executable, "-c", HOLDER, str(path)]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment)  # noqa: S603 - the program is this one
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == b"locked\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def save(path: Path, number: int) -> None:
    with open_directly(path, create=True) as store:
        store.save(SITE, stored(number))


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def ends(work: threading.Thread) -> None:
    """It ends by itself: what waits for ever is left behind, and the test fails."""
    work.start()
    work.join(60)
    assert not work.is_alive()


@pytest.mark.parametrize("locked", ["folder", "file"])
def test_locks_of_others_cost_nothing(sqlite_path, locked):
    """A cron job that keeps two crawls from running at once locks what both have: the folder, or the file."""
    if locked == "file":
        save(sqlite_path, 2)
    done = []

    def use() -> None:
        with open_store(sqlite_path) as store:
            store.save(SITE, stored(1))
            done.append((store.counts.outages, store.counts.failed))
        with open_directly(sqlite_path) as store:
            done.append(len(store.load(SITE)))

    with flocked(sqlite_path if locked == "file" else sqlite_path.parent):
        ends(threading.Thread(target=use, daemon=True))
    assert done == [(0, 0), 2 if locked == "file" else 1]


def test_a_locked_job_directory_costs_nothing(tmp_path):
    """Neither the store there nor the journal."""
    done = []

    def use() -> None:
        with open_store(None, jobdir=tmp_path) as store:
            store.save(SITE, stored(1))
            done.append(store.counts.outages)
        journal = Journal(tmp_path / "held.sqlite3")
        journal.add(b"a line")
        done.append(len(journal.lines()))
        journal.close()

    with flocked(tmp_path):
        ends(threading.Thread(target=use, daemon=True))
    assert done == [0, 1]


def test_a_damaged_file_is_set_aside_in_a_locked_folder(sqlite_path):
    with open_store(sqlite_path) as store:
        store.save(SITE, stored(1))
    os.truncate(sqlite_path, 5000)
    with flocked(sqlite_path.parent), open_store(sqlite_path) as store:
        store.save(SITE, stored(1))
        assert same(store.load(SITE), stored(1))
        assert (store.counts.set_aside, store.counts.failed) == (1, 0)
    assert names(sqlite_path.parent) == [sqlite_path.name, f"{sqlite_path.name}.broken-1"]


def test_a_stopped_process_is_not_waited_for_for_ever(sqlite_path):
    """One that was stopped while it opened the store, as by Ctrl-Z; when it is gone the store can be used."""
    store = Store(SqliteBackend(sqlite_path, patience=0.05))
    with held(sqlite_path) as process:
        process.send_signal(signal.SIGSTOP)
        with pytest.raises(StoreUnavailableError, match="is it stopped"):
            store.load(SITE)
        with pytest.raises(StoreUnavailableError, match="is it stopped"):
            store.save(SITE, stored(1))
    store.save(SITE, stored(1))
    store.close()
    assert names(sqlite_path.parent) == [sqlite_path.name]


def test_a_stopped_process_is_waited_for_once(sqlite_path, monkeypatch):
    """A crawl asks again and again; each of its pages would wait."""
    tries = []
    store = Store(SqliteBackend(sqlite_path, patience=0.05))

    def noting(path: Path, patience: float) -> contextlib.AbstractContextManager[None]:
        tries.append(patience)
        return opening_lock(path, patience)

    monkeypatch.setattr(sqlite_file, "opening_lock", noting)
    with held(sqlite_path):
        for _ in range(3):
            with pytest.raises(StoreUnavailableError, match="is it stopped"):
                store.load(SITE)
    store.save(SITE, stored(1))
    store.close()
    store.load(SITE)
    store.close()
    assert tries == [0.05, 0, 0, 0, 0.05]


def test_one_at_a_time_has_the_lock(sqlite_path):
    order = []

    def wait() -> None:
        with opening_lock(sqlite_path, 60):
            order.append("second")

    second = threading.Thread(target=wait)
    with opening_lock(sqlite_path, 60):
        second.start()
        second.join(0.1)
        order.append("first")
    second.join(60)
    assert order == ["first", "second"]
    assert names(sqlite_path.parent) == []


def test_many_that_want_the_lock_get_it_one_after_the_other(sqlite_path):
    inside, most = [], []

    def work() -> None:
        for _ in range(20):
            with opening_lock(sqlite_path, 60):
                inside.append(1)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert most == [1] * 160
    assert names(sqlite_path.parent) == []


def test_what_a_killed_process_leaves_is_removed(sqlite_path):
    with held(sqlite_path) as process:
        process.kill()
        process.wait()
        assert names(sqlite_path.parent) == [f"{sqlite_path.name}{SUFFIX}"]
    with open_store(sqlite_path) as store:
        store.save(SITE, stored(1))
        assert store.counts.outages == 0
    assert names(sqlite_path.parent) == [sqlite_path.name]


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_link(path: Path) -> None:
    (path.parent / "target").touch()
    path.symlink_to("target")


KINDS = {
    "a file": lambda path: path.write_bytes(b"dear"),
    "a folder": Path.mkdir,
    "a pipe": make_pipe,
    "a link": make_link,
    "a link to nowhere": lambda path: path.symlink_to("no/where"),
}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_something_else_of_that_name_is_left_alone(sqlite_path, make):
    beside = sqlite_path.with_name(f"{sqlite_path.name}{SUFFIX}")
    make(beside)
    before = beside.lstat()
    with open_store(sqlite_path) as store:
        store.save(SITE, stored(1))
        assert (store.counts.outages, store.counts.failed) == (0, 0)
    assert os.path.samestat(beside.lstat(), before)
    assert beside.lstat().st_size == before.st_size


def test_a_file_system_without_such_locks(sqlite_path, monkeypatch):
    def flock(*_arguments: object) -> None:
        raise OSError("not supported")

    monkeypatch.setattr(fcntl, "flock", flock)
    with open_store(sqlite_path) as store:
        store.save(SITE, stored(1))
        assert (store.counts.outages, store.counts.failed) == (0, 0)
    assert names(sqlite_path.parent) == [sqlite_path.name]


def test_a_file_system_that_never_finds_a_file_again(sqlite_path, monkeypatch):
    monkeypatch.setattr(os.path, "samestat", lambda *_files: False)
    with opening_lock(sqlite_path, 0.05):
        pass


def test_waiting_ends_when_the_lock_is_given_up(sqlite_path):
    """As long as it is not stopped, the other process is waited for."""
    with held(sqlite_path) as process:
        opened = threading.Thread(target=save, args=(sqlite_path, 1))
        opened.start()
        opened.join(0.1)
        assert opened.is_alive()
        process.kill()
        opened.join(60)
    assert not opened.is_alive()
    with open_directly(sqlite_path) as store:
        assert same(store.load(SITE), stored(1))
