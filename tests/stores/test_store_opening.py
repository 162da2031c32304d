"""Which store a setting means, and what is said of one that means none."""

from __future__ import annotations

import builtins
import sys
from pathlib import Path

import pytest
from store_cases import SITE, same, stored

from templex_scrapy.stores import (
    Store,
    StoreLimits,
    StoreUnavailableError,
    TemplateTooLargeError,
    check_store,
    open_directly,
    open_store,
)
from templex_scrapy.stores.memory import MemoryBackend


def test_without_a_value_and_a_job_directory_it_is_memory():
    with open_store(None) as store:
        store.save(SITE, stored(1))
        assert same(store.load(SITE), stored(1))
    assert isinstance(store._backend, MemoryBackend)
    with open_store(None, jobdir="") as store:
        assert isinstance(store._backend, MemoryBackend)


def test_without_a_value_it_is_a_file_in_the_job_directory(tmp_path):
    jobdir = tmp_path / "job"
    with open_store(None, jobdir=str(jobdir)) as store:
        store.save(SITE, stored(1))
    with open_store(None, jobdir=jobdir) as store:
        assert same(store.load(SITE), stored(1))
    assert [path.name for path in jobdir.iterdir()] == ["templex.sqlite3"]


def test_a_value_goes_before_the_job_directory(tmp_path):
    with open_store(tmp_path / "a.db", jobdir=tmp_path / "job") as store:
        store.save(SITE, stored(1))
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]


@pytest.mark.parametrize("name", ["a.db", "no extension", "mit ü.sqlite", "a:b", "redis"])
def test_a_path_is_an_sqlite_file(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    with open_store(name) as store:
        store.save(SITE, stored(1))
    assert Path(name).read_bytes().startswith(b"SQLite format 3")


@pytest.mark.parametrize("scheme", ["redis", "REDIS", "rediss"])
def test_a_redis_address_is_a_server(scheme):
    check_store(f"{scheme}://127.0.0.1:1/0")
    assert "127.0.0.1:1/0" in repr(open_store(f"{scheme}://127.0.0.1:1/0"))


WRONG = ["", "  ", "postgres://host/db", "sqlite:///a.db", "http://host", "unix:///a", "a\0b", b"a.db"]


@pytest.mark.parametrize("value", WRONG)
def test_anything_else_is_refused_with_what_is_allowed(value):
    for opening in (open_store, open_directly, check_store):
        with pytest.raises(ValueError, match=r"None, the path of an SQLite file, or the URL of a Redis server"):
            opening(value)


def test_a_folder_is_no_store(tmp_path):
    with pytest.raises(ValueError, match="is a folder; allowed: "):
        open_store(tmp_path)


@pytest.mark.parametrize("url", ["redis://host:port/0", "redis://host:99999999/0", "redis://[::1/0", "redis://h?odd=1"])
def test_an_address_that_is_none_is_refused(url):
    with pytest.raises(ValueError, match="redis://host:6379/0"):
        open_store(url)


def test_a_missing_package_is_told_of(monkeypatch):
    genuine = builtins.__import__

    def without_redis(name: str, *arguments: object) -> object:
        if name.split(".", maxsplit=1)[0] == "redis":
            raise ImportError(name)
        return genuine(name, *arguments)

    monkeypatch.delitem(sys.modules, "templex_scrapy.stores.redis")
    monkeypatch.setattr(builtins, "__import__", without_redis)
    for opening in (open_store, check_store):
        with pytest.raises(ImportError, match=r'pip install "templex-scrapy\[redis\]"'):
            opening("redis://127.0.0.1/0")


def test_a_person_is_not_shown_an_empty_store_where_there_is_none(tmp_path):
    with open_directly(tmp_path / "missing.db") as store, pytest.raises(StoreUnavailableError, match=r"missing\.db"):
        store.load(SITE)
    assert list(tmp_path.iterdir()) == []
    with open_directly(tmp_path / "new.db", create=True) as store:
        store.save(SITE, stored(1))
        assert same(store.load(SITE), stored(1))


def test_the_limits_are_kept(tmp_path):
    limits = StoreLimits(templates=2, template_bytes=20_000, memory_bytes=0, pending_bytes=0)
    for store in (open_store(None, limits=limits), open_store(tmp_path / "a.db", limits=limits)):
        for number in range(4):
            store.save(SITE, stored(number))
        assert len(store.load(SITE)) == 2
        with pytest.raises(TemplateTooLargeError):
            store.save(SITE, stored(1, notes={"long": "x" * 20_000}))
        assert store.counts.refused == 1
        store.close()


@pytest.mark.parametrize("name", ["templates", "template_bytes", "memory_bytes", "pending_bytes"])
def test_limits_are_checked(name):
    with pytest.raises(ValueError, match=f"{name} is -1"):
        StoreLimits(**{name: -1})


def test_a_store_may_be_used_with_any_backend():
    store = Store(MemoryBackend())
    assert store.limits == StoreLimits()
    assert store.counts.saved == 0
