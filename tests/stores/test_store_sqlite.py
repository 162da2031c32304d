"""Stores in SQLite files: several at once, damaged files, files of others, full and read-only disks, leases."""

from __future__ import annotations

import contextlib
import logging
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_sites import SOME
from store_cases import KEYS, SITE, Clock, later, plain, same, stored

from templex_scrapy.stores import Store, StoreUnavailableError, open_directly, open_store
from templex_scrapy.stores.sqlite import SqliteBackend
from templex_scrapy.stores.sqlite_file import APPLICATION_ID, VERSION

ALL = [stored(number) for number in range(6)]


def fill(path: Path) -> None:
    with open_store(path) as store:
        for one in ALL:
            store.save(SITE, one)
        store.lease(SITE, "me", 60)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file with templates in it."""
    path = tmp_path_factory.mktemp("filled") / "filled.db"
    fill(path)
    return path.read_bytes()


def broken(path: Path) -> list[Path]:
    """The files that were set aside."""
    return sorted(path.parent.glob(f"{path.name}.broken-[0-9]"))


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def test_templates_outlive_the_process(sqlite_path):
    fill(sqlite_path)
    with open_store(sqlite_path) as store:
        assert same(store.load(SITE), *ALL)
    assert [path.name for path in sqlite_path.parent.iterdir()] == [sqlite_path.name]


def test_nothing_is_opened_before_it_is_used(sqlite_path):
    store = open_store(sqlite_path)
    store.close()
    assert not sqlite_path.exists()


def test_the_folder_is_made(tmp_path):
    fill(tmp_path / "deep" / "folder" / "a #?%20.db")
    assert (tmp_path / "deep" / "folder" / "a #?%20.db").exists()


def test_two_stores_see_each_others_changes(new_sqlite):
    one, two = new_sqlite(), new_sqlite()
    version = one.save(SITE, stored(1))
    assert two.version(SITE) == version
    assert same(two.load(SITE), stored(1))
    two.save(SITE, stored(2))
    assert one.version(SITE) != version
    assert same(one.load(SITE), stored(1), stored(2))
    assert one.lease(SITE, "one", 60)
    assert not two.lease(SITE, "two", 60)


def test_a_truncated_file_is_set_aside_and_a_new_one_begun(tmp_path, filled, caplog):
    lengths = sorted({72, 99, 100, 101, 511, 512, 1000, *range(4096, len(filled), 4096), len(filled) - 1})
    assert len(filled) > 20_000
    for length in lengths:
        caplog.clear()
        path = tmp_path / f"{length}.db"
        path.write_bytes(filled[:length])
        with open_store(path) as store:
            found = store.load(SITE)
            store.save(SITE, stored(1))
            assert same(store.load(SITE), *({one.key: one for one in [*found, stored(1)]}.values()))
            assert store.counts.failed == 0
        # without its last bytes it is a database whose last record is damaged
        set_aside = broken(path) if length < len(filled) - 1 else [path]
        assert [one.stat().st_size for one in set_aside] == [length if length < len(filled) - 1 else len(filled)]
        assert store.counts.set_aside == 1, "the file, or the record"
        assert len(warnings(caplog)) == 1, warnings(caplog)


def test_an_empty_file_is_a_new_one(sqlite_path):
    sqlite_path.touch()
    fill(sqlite_path)
    assert broken(sqlite_path) == []


NO_STORES = [
    b"a,b\n1,2\n" * 1000,
    b"{}",
    b"\0" * 5000,
    b"SQLite",
    b"SQLite format 3\0" + b"\xff" * 5000,
    b"SQLite format 3\0" + bytes(5000),
]


@pytest.mark.parametrize("content", NO_STORES)
def test_what_is_no_store_is_left_alone(sqlite_path, content, caplog):
    """Only what bears SQLite's header and our mark is ever renamed; the crawl goes on from memory."""
    sqlite_path.write_bytes(content)
    with open_store(sqlite_path) as store:
        store.save(SITE, stored(1))
        assert same(store.load(SITE), stored(1))
    assert store.counts.set_aside == 0
    assert {path.name: path.read_bytes() for path in sqlite_path.parent.iterdir()} == {sqlite_path.name: content}
    assert f"{sqlite_path} is no store of templates, and is left alone" in warnings(caplog)[0]
    assert "could not be stored: 1" in warnings(caplog)[1]
    assert len(warnings(caplog)) == 2


def test_a_damaged_database_of_another_program_is_left_alone(sqlite_path):
    make_foreign(sqlite_path, application=12345)
    content = sqlite_path.read_bytes()[:6000]
    sqlite_path.write_bytes(content)
    with open_store(sqlite_path) as store:
        store.save(SITE, stored(1))
    assert {path.name: path.read_bytes() for path in sqlite_path.parent.iterdir()} == {sqlite_path.name: content}


LOOKS = {
    "load": lambda store: store.load(SITE),
    "sites": lambda store: list(store.sites()),
    "describe": lambda store: store.describe(SITE),
    "forget": lambda store: store.forget(SITE),
    "save": lambda store: store.save(SITE, stored(1)),
}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
@pytest.mark.parametrize("create", [False, True])
@pytest.mark.parametrize("content", ["damaged", *NO_STORES], ids=lambda content: str(content)[:20])
def test_a_person_who_looks_renames_nothing(sqlite_path, filled, look, create, content):
    content = filled[:9000] if content == "damaged" else content
    sqlite_path.write_bytes(content)
    with (
        open_directly(sqlite_path, create=create) as store,
        pytest.raises(StoreUnavailableError, match=r"left|damaged"),
    ):
        look(store)
    assert {path.name: path.read_bytes() for path in sqlite_path.parent.iterdir()} == {sqlite_path.name: content}


def test_a_person_who_looks_does_not_notice_damage_in_use_by_renaming(sqlite_path, filled):
    sqlite_path.write_bytes(filled)
    with open_directly(sqlite_path) as store:
        assert same(store.load(SITE), *ALL)
        os.truncate(sqlite_path, 5000)
        with pytest.raises(StoreUnavailableError, match="damaged"):
            [store.load(SITE) for _ in range(3)]
    assert broken(sqlite_path) == []


def test_a_person_who_looks_sets_no_record_aside(sqlite_path, filled):
    """That is left to a crawl, which learns it anew; and what cannot be written to can be read all the same."""
    sqlite_path.write_bytes(filled)
    with contextlib.closing(sqlite3.connect(sqlite_path)) as connection:
        connection.execute("UPDATE templates SET body = x'00' WHERE key = ?", (KEYS[0],))
        connection.commit()
    with open_directly(sqlite_path) as store:
        assert same(store.load(SITE), *ALL[1:])
        assert (store.counts.set_aside, store.set_aside()) == (0, [])
    with open_store(sqlite_path) as store:
        assert same(store.load(SITE), *ALL[1:])
        assert (store.counts.set_aside, len(store.set_aside())) == (1, 1)


def test_looking_into_an_empty_file_leaves_it_empty(sqlite_path):
    sqlite_path.touch()
    with open_directly(sqlite_path) as store, pytest.raises(StoreUnavailableError, match="is empty"):
        store.load(SITE)
    assert sqlite_path.read_bytes() == b""


def test_every_damaged_file_gets_a_name_of_its_own(sqlite_path, filled):
    lengths = [9000, 10_000, 11_000]
    for length in lengths:
        sqlite_path.write_bytes(filled[:length])
        fill(sqlite_path)
    assert [path.read_bytes() for path in broken(sqlite_path)] == [filled[:length] for length in lengths]


def test_a_file_damaged_in_use_is_set_aside(sqlite_path, filled):
    sqlite_path.write_bytes(filled)
    with open_store(sqlite_path) as store:
        assert same(store.load(SITE), *ALL)
        with sqlite_path.open("r+b") as file:
            file.truncate(5000)
        for number in range(6):
            store.save(SITE, stored(number))
            store.load(f"{number}.test")
        assert same(store.load(SITE), *ALL)
    assert len(broken(sqlite_path)) == 1


def test_a_file_that_was_removed_is_made_again_with_what_is_known(sqlite_path):
    with open_store(sqlite_path) as store:
        store.save(SITE, stored(1))
        sqlite_path.unlink()
        store.save(SITE, stored(2))
        assert same(store.load(SITE), stored(1), stored(2))
    with open_store(sqlite_path) as store:
        assert same(store.load(SITE), stored(1), stored(2))


def test_a_file_is_set_aside_once_and_all_that_use_it_go_on(sqlite_path, filled):
    sqlite_path.write_bytes(filled)
    stores = [open_store(sqlite_path) for _ in range(3)]
    for store in stores:
        assert same(store.load(SITE), *ALL)
    with sqlite_path.open("r+b") as file:
        file.seek(100)  # behind the header
        file.write(b"\xff" * (len(filled) - 100))
    for number, store in enumerate(stores):
        store.save(f"{number}.test", stored(number))
        store.load(SITE)
    for store in stores:
        store.version(SITE)
        store.close()
    assert len(broken(sqlite_path)) == 1
    with open_store(sqlite_path) as store:
        assert [info.site for info in store.sites()] == ["0.test", "1.test", "2.test", SITE]


@SOME
@given(st.data())
def test_flipped_bits_in_the_file_never_yield_another_template(filled, tmp_path_factory, data):
    """Any damage to the file leaves the store working; what is loaded is what was saved, or missing."""
    path = tmp_path_factory.mktemp("flipped") / "a.db"
    raw = bytearray(filled)
    for _ in range(data.draw(st.sampled_from([1, 3, 30]))):
        position = data.draw(st.integers(0, len(raw) - 1) | st.integers(0, 200))
        raw[position] ^= data.draw(st.integers(1, 255))
    check_damaged(path, bytes(raw))


def check_damaged(path: Path, raw: bytes) -> None:
    path.write_bytes(raw)
    saved = {one.key: plain(one)["template"] for one in ALL}
    with open_store(path) as store:
        for one in store.load(SITE):
            assert plain(one)["template"] == saved[one.key]
        store.save("new.test", stored(1))
        store.used(SITE, {KEYS[1]: 1}, later(1))
        store.lease(SITE, "me", 1)
        list(store.sites())
        store.set_aside()
        store.version(SITE)
        assert same(store.load("new.test"), stored(1)) or store.load("new.test") == []
        store.forget(SITE)
    shutil.rmtree(path.parent)


def test_random_pages_never_yield_another_template(filled, tmp_path):
    """Whole pages of the file swapped or overwritten, as a failing disk does it."""
    chance = random.Random(4)
    pages = [filled[start : start + 4096] for start in range(0, len(filled), 4096)]
    for number in range(60):
        changed = list(pages)
        for _ in range(2):
            changed[chance.randrange(len(pages))] = chance.choice([*pages, chance.randbytes(4096), bytes(4096)])
        (tmp_path / str(number)).mkdir()
        check_damaged(tmp_path / str(number) / "a.db", b"".join(changed))


def make_foreign(path: Path, *, application: int = 0, version: int = 0) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE items (a)")
        connection.execute("INSERT INTO items VALUES (7)")
        connection.execute(f"PRAGMA application_id = {application}")
        connection.execute(f"PRAGMA user_version = {version}")
        connection.commit()


@pytest.mark.parametrize(
    ("application", "version", "reason"),
    [(0, 0, "another program"), (12345, VERSION, "another program"), (APPLICATION_ID, VERSION + 1, "later version")],
)
def test_a_database_that_is_not_ours_is_left_alone(sqlite_path, caplog, application, version, reason):
    make_foreign(sqlite_path, application=application, version=version)
    before = sqlite_path.read_bytes()
    with open_store(sqlite_path) as store:
        store.save(SITE, stored(1))
        assert same(store.load(SITE), stored(1))
        assert store.counts.failed == 1
    assert sqlite_path.read_bytes() == before
    assert [path.name for path in sqlite_path.parent.iterdir()] == [sqlite_path.name]
    assert reason in warnings(caplog)[0]
    assert "could not be stored: 1" in warnings(caplog)[1]
    assert len(warnings(caplog)) == 2
    with pytest.raises(StoreUnavailableError, match=reason):
        open_directly(sqlite_path).load(SITE)


def test_a_file_of_ours_with_other_tables_is_damaged(sqlite_path):
    make_foreign(sqlite_path, application=APPLICATION_ID, version=VERSION)
    fill(sqlite_path)
    assert len(broken(sqlite_path)) == 1


def test_a_trigger_that_somebody_put_in_does_not_run(sqlite_path, filled):
    sqlite_path.write_bytes(filled)
    with contextlib.closing(sqlite3.connect(sqlite_path)) as connection:
        connection.execute("CREATE TRIGGER t AFTER INSERT ON templates BEGIN DELETE FROM templates; END")
    fill(sqlite_path)
    assert len(broken(sqlite_path)) == 1
    with open_store(sqlite_path) as store:
        assert same(store.load(SITE), *ALL)


def test_columns_of_other_types_are_no_matter(sqlite_path, filled):
    sqlite_path.write_bytes(filled)
    with contextlib.closing(sqlite3.connect(sqlite_path)) as connection:
        odd = ["'many'", "1e300", "-5", "x'00'", str(2**63 - 1), "''"]
        for key, value in zip(KEYS, odd, strict=True):
            update = f"UPDATE templates SET served = {value}, last_used = {value} WHERE key = ?"  # noqa: S608
            connection.execute(update, (key,))
        connection.execute("UPDATE versions SET version = ?", (2**63 - 1,))
        connection.execute("UPDATE templates SET head = 'text', body = 5 WHERE key = ?", (KEYS[0],))
        connection.commit()
    with open_store(sqlite_path) as store:
        assert same(store.load(SITE), *ALL[1:])
        store.used(SITE, dict.fromkeys(KEYS, 1), later(1))
        store.save(SITE, stored(0))
        assert len(store.load(SITE)) == len(ALL)


def test_another_process_that_writes_too_long_is_not_waited_for(sqlite_path, filled):
    sqlite_path.write_bytes(filled)
    store = Store(SqliteBackend(sqlite_path, patience=0.05))
    assert same(store.load(SITE), *ALL)
    with contextlib.closing(sqlite3.connect(sqlite_path, isolation_level=None)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailableError, match="locked"):
            store.save(SITE, stored(1).retire("x", later(1)))
        assert same(store.load(SITE), *ALL)
    store.save(SITE, stored(1).retire("x", later(1)))
    store.close()
    assert broken(sqlite_path) == []


def test_a_lease_expires(sqlite_path):
    clock = Clock()
    one, two = (Store(SqliteBackend(sqlite_path, clock=clock)) for _ in range(2))
    assert one.lease(SITE, "one", 10)
    clock.now += 9
    assert not two.lease(SITE, "two", 10)
    assert one.lease(SITE, "one", 10)
    clock.now += 9
    assert not two.lease(SITE, "two", 10)
    clock.now += 1
    assert two.lease(SITE, "two", 10)
    assert not one.lease(SITE, "one", 10)
    one.close()
    two.close()


def test_a_clock_that_is_set_back_does_not_make_a_lease_last(sqlite_path):
    clock = Clock()
    store = Store(SqliteBackend(sqlite_path, clock=clock))
    assert store.lease(SITE, "one", 10)
    clock.now -= 0.5
    assert not store.lease(SITE, "two", 10)
    clock.now -= 3600
    assert store.lease(SITE, "two", 10)
    store.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of half a megabyte."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = shutil.which("mount") or "mount"
    made = subprocess.run([mount, "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)], check=False)  # noqa: S603
    if made.returncode != 0:
        pytest.skip("NO DISK OF THE TEST'S OWN: full and read-only disks are not tested (mount is not allowed)")
    yield disk
    subprocess.run([shutil.which("umount") or "umount", "-l", str(disk)], check=True)  # noqa: S603


def remount(disk: Path, how: str) -> None:
    mount = shutil.which("mount") or "mount"
    subprocess.run([mount, "-o", f"remount,{how}", str(disk)], check=True)  # noqa: S603


def test_a_full_disk(small_disk, caplog):
    path = small_disk / "a.db"
    filler = small_disk / "filler"
    with open_store(path) as store:
        store.save(SITE, stored(0))
        with contextlib.suppress(OSError):
            filler.write_bytes(b"x" * 600_000)
        for number in range(1, 6):
            for site in (SITE, "b", "c"):
                store.save(site, stored(number))
        assert store.counts.failed > 0
        assert same(store.load(SITE), *ALL)
        assert len(warnings(caplog)) == 1
        filler.unlink()
        store._backend._writing._until = 0
        store.save(SITE, stored(1).retire("x", later(5)))
        assert (store.counts.pending, store.counts.lost, store.counts.outages) == (0, 0, 1)
    with open_store(path) as store:
        assert {one.key for one in store.load(SITE)} == set(KEYS)
        assert same(store.load("b"), *ALL[1:])


def test_a_full_disk_from_the_start(small_disk):
    with contextlib.suppress(OSError):
        (small_disk / "filler").write_bytes(b"x" * 600_000)
    with open_store(small_disk / "a.db") as store:
        store.save(SITE, stored(0))
        assert same(store.load(SITE), stored(0))
    assert (store.counts.failed, store.counts.lost) == (1, 1)


def test_a_read_only_disk(small_disk, caplog):
    path = small_disk / "a.db"
    fill(path)
    remount(small_disk, "ro")
    with open_store(path) as store:
        assert same(store.load(SITE), *ALL)
        store.save(SITE, stored(0).retire("x", later(5)))
        store.used(SITE, {KEYS[1]: 1}, later(1))
        assert store.lease(SITE, "me", 5)
        assert {one.key: one.served for one in store.load(SITE)}[KEYS[1]] == 1
        assert (store.counts.failed, store.counts.outages) == (2, 1)
        assert len(warnings(caplog)) == 1
    with open_directly(path) as store:
        assert same(store.load(SITE), *ALL)
        with pytest.raises(StoreUnavailableError, match="cannot be"):
            store.forget(SITE)


def test_a_read_only_disk_without_a_file(small_disk):
    remount(small_disk, "ro")
    with open_store(small_disk / "folder" / "a.db") as store:
        store.save(SITE, stored(0))
        assert same(store.load(SITE), stored(0))


def test_a_damaged_file_on_a_read_only_disk(small_disk, filled):
    path = small_disk / "a.db"
    path.write_bytes(filled[:9000])
    remount(small_disk, "ro")
    with open_store(path) as store:
        store.save(SITE, stored(0))
        assert {one.key for one in store.load(SITE)} >= {KEYS[0]}
    assert broken(path) == []


LIMITED = """
import resource, sys
from store_cases import SITE, stored, same
from templex_scrapy.stores import open_store
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
with open_store(sys.argv[1]) as store:
    for number in range(6):
        for site in (SITE, *"abcdefgh"):
            store.save(site, stored(number))
    assert store.counts.failed, store.counts
    for site in (SITE, *"abcdefgh"):
        assert same(store.load(site), *[stored(number) for number in range(6)])
"""


def test_files_that_may_not_grow(sqlite_path):
    """As a full disk, where no disk can be made for the test."""
    places = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]
    code = f"import sys; sys.path[:0] = {places!r}{LIMITED}"
    done = subprocess.run([sys.executable, "-c", code, str(sqlite_path)], capture_output=True, check=False)  # noqa: S603
    assert done.returncode == 0, done.stderr.decode()
    with open_store(sqlite_path) as store:
        assert {one.key for one in store.load(SITE)} <= set(KEYS)
    assert broken(sqlite_path) == []
