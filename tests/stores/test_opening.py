"""Which store a setting means, and what it says to those that mean none."""

import sys

import pytest
from helpers.store_contract import SITE, same, stored

from templex_scrapy.stores import StoreError, check_store, open_store
from templex_scrapy.stores.redis import RedisStore
from templex_scrapy.stores.sqlite import SqliteStore


def test_what_the_setting_may_be(tmp_path):
    path = tmp_path / "templates.db"
    assert repr(open_store(path)) == repr(open_store(str(path))) == f"<SqliteStore {path}>"
    assert repr(open_store(None, jobdir=tmp_path)) == f"<SqliteStore {tmp_path / 'templex.sqlite3'}>"
    assert repr(open_store(path, jobdir=tmp_path)) == f"<SqliteStore {path}>"
    assert isinstance(open_store(None), SqliteStore)
    for url in ("redis://localhost:6379/0", "REDIS://localhost", "rediss://user:secret@db.test:6380/1"):
        assert isinstance(open_store(url), RedisStore)
    assert list(tmp_path.iterdir()) == [], "nothing is made before the first use"


def test_a_class_path_opens_a_store_of_ones_own(tmp_path):
    path = tmp_path / "own.db"
    assert repr(open_store(f"templex_scrapy.stores.sqlite.SqliteStore://{path}")) == f"<SqliteStore {path}>"


CLASS = "cannot be loaded and called with one argument"


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("", "is not a store; allowed: None, the path"),
        ("  ", "is not a store"),
        ("http://localhost/", "http:// is not a store"),
        ("redis://localhost:port/", "not the URL of a Redis server"),
        ("redis://localhost?size=9", "not the URL of a Redis server"),
        (".", "is a folder"),
        ("no/such/folder/templates.db", "the folder 'no/such/folder' does not exist"),
        ("no.such.Store://x", CLASS),
        ("templex_scrapy.stores.NoStore://x", CLASS),
        ("os.path.join.x://", CLASS),
    ],
)
def test_what_it_may_not_be(where, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=message):
        check_store(where)
    assert list(tmp_path.iterdir()) == []


def test_no_secret_is_shown():
    shown = repr(open_store("rediss://me:secret@db.test:6380/1?password=secret"))
    assert shown == "<RedisStore rediss://db.test:6380/1>"
    with pytest.raises(ValueError, match=r"^redis://db\.test:port is not the URL"):
        open_store("redis://me:secret@db.test:port")


def test_a_missing_extra_is_named(monkeypatch):
    monkeypatch.delitem(sys.modules, "templex_scrapy.stores.redis")
    monkeypatch.setitem(sys.modules, "redis", None)
    with pytest.raises(ImportError, match=r'needs the package redis: pip install "templex-scrapy\[redis\]"'):
        open_store("redis://localhost")


def test_who_looks_into_a_store_makes_nothing(tmp_path):
    path = tmp_path / "no" / "templates.db"
    with pytest.raises(StoreError, match="there is no template store"):
        open_store(path, strict=True).sites()
    assert list(tmp_path.iterdir()) == []
    empty = tmp_path / "empty.db"
    empty.touch()
    with pytest.raises(StoreError, match="is empty"):
        open_store(empty, strict=True).sites()
    assert empty.stat().st_size == 0


def test_who_looks_into_a_store_may_change_it(tmp_path):
    """The store of a job directory, which is made if it is missing."""
    store = open_store(None, jobdir=tmp_path / "a" / "b")
    store.save(SITE, stored())
    looking = open_store(tmp_path / "a" / "b" / "templex.sqlite3", strict=True)
    assert same(looking.load(SITE), stored())
    assert looking.delete(SITE) == 1
    assert store.load(SITE) == []
    store.close()
    looking.close()
