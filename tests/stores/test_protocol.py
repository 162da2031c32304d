"""What every store does alike: an SQLite file, a temporary one, and a Redis server."""

import pytest
from helpers.store_contract import NOW, SharedStoreContract, StoreContract

from templex_scrapy.stores import open_store, redis, sqlite


class TestSharedStores(SharedStoreContract):
    """SQLite files and Redis servers."""

    @pytest.fixture
    def new_store(self, new_shared_store):
        return new_shared_store


def test_the_hashes_of_the_pages_that_were_saved_last_are_kept(new_shared_store, monkeypatch):
    for module in (redis, sqlite):
        monkeypatch.setattr(module, "MAX_PAGES", 2)
    store = new_shared_store()
    store.save_page_hashes({"a": "1", "b": "2"}, NOW)
    store.save_page_hashes({"a": "3"}, NOW + 1)
    store.save_page_hashes({"c": ""}, NOW + 2)
    assert [store.page_hash(page) for page in "abc"] == [("3", NOW + 1), None, ("", NOW + 2)]


class TestTemporaryStore(StoreContract):
    """The store of a crawl without one."""

    @pytest.fixture
    def new_store(self):
        return lambda: open_store(None)
