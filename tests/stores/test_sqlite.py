"""Stores in SQLite files: whose file it is, damage, several processes."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from helpers.store_contract import SITE, same, stored

from templex_scrapy.stores import StoreError, open_store, sqlite
from templex_scrapy.stores.sqlite import SqliteStore

ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "templates.db"


@pytest.fixture
def new(path):
    """Opens stores in one file."""
    opened = []

    def make():
        opened.append(SqliteStore(path))
        return opened[-1]

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def filled(path):
    """A file with the templates of ten sites, closed."""
    with closing(SqliteStore(path)) as store:
        for number in range(10):
            store.save(f"{number}.test", stored(number))
    assert {file.name for file in path.parent.iterdir()} == {path.name}
    return path


def test_a_file_has_our_mark_and_a_journal(filled):
    with closing(sqlite3.connect(filled)) as database:
        pragmas = [database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")]
        assert pragmas == [sqlite.APPLICATION_ID, 1]
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_temporary_store_belongs_to_one_crawl_and_leaves_no_file(tmp_path, monkeypatch):
    monkeypatch.setenv("SQLITE_TMPDIR", str(tmp_path))
    one, other = open_store(None), open_store(None)
    for number in range(1000):  # more than SQLite keeps in memory
        one.save(f"{number}.test", stored(number % 5))
    assert same(one.load("0.test"), stored(0))
    assert other.sites() == []
    one.close()
    other.close()
    assert list(tmp_path.iterdir()) == []


def other_database(path):
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE diary (day)")


def marked_database(path, application=0, version=0):
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"PRAGMA application_id = {application}")
        database.execute(f"PRAGMA user_version = {version}")


def damaged_database(path):
    other_database(path)
    os.truncate(path, 5000)


@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_bytes(b"dear text"),
        lambda path: path.write_bytes(b"dear text, " * 1000),
        lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(1)),
        lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(2000)),
        other_database,
        damaged_database,
        lambda path: marked_database(path, application=7),
        lambda path: marked_database(path, version=7),
        lambda path: marked_database(path, sqlite.APPLICATION_ID, sqlite.VERSION + 1),
    ],
)
def test_the_file_of_another_program_or_version_is_left_alone(new, path, make):
    make(path)
    before = path.read_bytes()
    store = new()
    for use in (lambda: store.load(SITE), lambda: store.save(SITE, stored())):
        with pytest.raises(StoreError, match=r"left alone|cannot be used"):
            use()
    store.close()
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def overwrite(path, start, length):
    with path.open("r+b") as file:
        file.seek(start)
        file.write(b"\xaa" * length)


DAMAGES = [
    lambda path: os.truncate(path, path.stat().st_size // 2 // 4096 * 4096),
    lambda path: os.truncate(path, 5000),
    lambda path: overwrite(path, 100, 400),
    lambda path: overwrite(path, 4096, path.stat().st_size - 4096),
]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_an_error_and_is_left_alone(filled, damage, strict):
    damage(filled)
    before = filled.read_bytes()
    with closing(SqliteStore(filled, strict=strict)) as store, pytest.raises(StoreError, match="cannot be used"):
        [store.load(f"{number}.test") for number in range(10)]
    assert filled.read_bytes() == before


def test_a_damaged_record_is_skipped_and_replaced(filled, new):
    with closing(sqlite3.connect(filled)) as database, database:
        database.execute("UPDATE templates SET record = substr(record, 1, 99) WHERE site = '3.test'")
        database.execute("UPDATE templates SET record = 'text', used = 'now' WHERE site = '4.test'")
    store = new()
    assert (store.load("3.test"), store.load("4.test"), store.skipped) == ([], [], 2)
    store.save("3.test", stored(3, 1))
    assert same(store.load("3.test"), stored(3, 1))


def test_a_damaged_byte_that_makes_a_value_null_costs_no_other_record(filled, new):
    with closing(sqlite3.connect(filled)) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = replace(sql, 'NOT NULL', '')")
    with closing(sqlite3.connect(filled)) as database, database:
        database.execute("UPDATE templates SET record = NULL WHERE site = '0.test'")
        database.execute("UPDATE templates SET used = NULL WHERE site = '1.test'")
    store = new()
    assert (store.load("0.test"), store.skipped) == ([], 1)
    assert same(store.load("1.test"), stored(1, used=0.0))
    store.save("0.test", stored(0))
    store.touch("1.test", {stored(1).key: 7.0})
    assert same(store.load("0.test"), stored(0))
    assert same(store.load("1.test"), stored(1, used=7.0))


def test_a_locked_file_is_waited_for_and_used_again(new, filled, monkeypatch):
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    store = new()
    with closing(sqlite3.connect(filled, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert same(store.load("3.test"), stored(3)), "it can be read"
        with pytest.raises(StoreError, match="locked"):
            store.save(SITE, stored())
        other.execute("ROLLBACK")
    store.save(SITE, stored())
    assert same(store.load(SITE), stored())


PROGRAM = """
import sys
from helpers.store_contract import stored
from templex_scrapy.stores import open_store
store = open_store(sys.argv[1])
for turn in range(int(sys.argv[2])):
    store.save(f"{turn % 7}.test", stored(turn % 3, 1 + turn % 3))
    store.load(f"{turn % 5}.test")
    print(turn, flush=True)
store.close()
"""


def start(path, turns):
    folders = os.pathsep.join(map(str, (ROOT, ROOT / "tests")))
    return subprocess.Popen(  # noqa: S603 - our own script
        [sys.executable, "-c", PROGRAM, str(path), str(turns)],
        env={**os.environ, "PYTHONPATH": folders},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.subprocess
def test_processes_share_a_file(filled):
    """They open the file at the same time, and one of them is killed."""
    processes, doomed = [start(filled, 60) for _ in range(2)], start(filled, 10**9)
    assert doomed.stdout is not None
    doomed.stdout.readline()
    doomed.send_signal(signal.SIGKILL)
    doomed.wait()
    assert [process.wait(60) for process in processes] == [0, 0]
    with closing(SqliteStore(filled, strict=True)) as store:
        for site in range(7):
            assert any(one.key != stored(site).key for one in store.load(f"{site}.test"))
        assert store.skipped == 0
