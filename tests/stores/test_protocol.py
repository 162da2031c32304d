"""What every store does alike: an SQLite file, a temporary one, and a Redis server."""

import pytest
from helpers.store_contract import NOW, SITE, SharedStoreContract, StoreContract, stored, template
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from templex_scrapy.stores import open_store


class TestSharedStores(SharedStoreContract):
    """SQLite files and Redis servers."""

    @pytest.fixture
    def new_store(self, new_shared_store):
        return new_shared_store


def test_the_hashes_of_the_pages_that_were_saved_last_are_kept(new_shared_store):
    store = new_shared_store(max_pages=2)
    store.save_page_hashes({"a": "1", "b": "2"}, NOW)
    store.save_page_hashes({"a": "3"}, NOW + 1)
    store.save_page_hashes({"c": ""}, NOW + 2)
    assert [store.page_hash(page) for page in "abc"] == [("3", NOW + 1), None, ("", NOW + 2)]


class TestTemporaryStore(StoreContract):
    """The store of a crawl without one."""

    @pytest.fixture
    def new_store(self):
        return lambda: open_store(None)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(0, 5)), max_size=12))
def test_any_order_of_saves_keeps_the_best_of_each_key(new_shared_store, saves):
    store = new_shared_store()
    store.delete(SITE)
    for number, voters, when in saves:
        store.save(SITE, stored(number, voters, used=NOW + when))
    found = {one.key: one for one in store.load(SITE)}
    best = {stored(number).key: template(number, max(v for n, v, _ in saves if n == number)) for number, *_ in saves}
    assert {key: one.template.page_urls for key, one in found.items()} == {
        key: one.page_urls for key, one in best.items()
    }
