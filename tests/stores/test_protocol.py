"""What every store does alike: an SQLite file, a temporary one, and a Redis server."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_cases import NOW, SITE, same, stored, template

from templex_scrapy import Page, Template
from templex_scrapy.stores import RecordError, StoredTemplate, TemplateStore
from templex_scrapy.template import MAX_TEMPLATES


def test_nothing_is_there_at_first(store: TemplateStore) -> None:
    assert store.load(SITE) == []
    assert (store.version(SITE), store.sites(), store.delete(SITE), store.skipped) == (0, [], 0, 0)


def test_templates_come_back_as_they_were_the_last_used_first(store: TemplateStore) -> None:
    some = [stored(number, used=NOW + number) for number in range(3)]
    for one in some:
        store.save(SITE, one)
    assert same(store.load(SITE), *reversed(some))


def test_the_sites_are_apart(store: TemplateStore) -> None:
    names = ["b.test", "a.test:8080", "bücher.test"]
    for number, name in enumerate(names):
        store.save(name, stored(number))
    assert store.sites() == sorted(names)
    assert same(store.load("b.test"), stored(0))
    assert store.delete("b.test") == 1
    assert store.sites() == ["a.test:8080", "bücher.test"]
    assert (store.load("b.test"), store.version("b.test")) == ([], 0)


@pytest.mark.parametrize("order", [(1, 3), (3, 1), (3, 3)])
def test_of_two_with_one_key_the_one_with_more_voters_is_kept(store: TemplateStore, order: tuple[int, int]) -> None:
    for when, voters in enumerate(order):
        store.save(SITE, stored(0, voters, learnt=NOW + when, used=NOW + when))
    assert same(store.load(SITE), stored(0, 3, used=NOW + 1))


def test_of_more_than_thirty_the_least_recently_used_is_dropped(store: TemplateStore) -> None:
    for number in range(MAX_TEMPLATES):
        store.save(SITE, stored(number, used=NOW + number))
    store.touch(SITE, {stored(0).key: NOW + 100})
    store.save(SITE, stored(99, used=NOW))
    kept = [stored(0, used=NOW + 100), *(stored(number, used=NOW + number) for number in range(29, 1, -1)), stored(99)]
    assert same(store.load(SITE), *kept), "the new one is kept even if it is the oldest"


def test_the_version_changes_with_the_templates_and_not_with_their_use(store: TemplateStore) -> None:
    seen = [store.version(SITE)]
    for voters in (1, 2):
        store.save(SITE, stored(0, voters))
        seen.append(store.version(SITE))
    store.save("other.test", stored(1))
    store.touch(SITE, {stored().key: NOW + 1})
    store.save(SITE, stored(0, 1, used=NOW + 2))
    assert store.version(SITE) == seen[-1]
    store.delete(SITE)
    store.save(SITE, stored(0, 1))
    seen.append(store.version(SITE))
    assert len(set(seen)) == len(seen), "also after all were deleted"


def test_one_template_can_be_forgotten(store: TemplateStore) -> None:
    for number in range(2):
        store.save(SITE, stored(number))
    before = store.version(SITE)
    store.forget(SITE, stored(0).key)
    assert same(store.load(SITE), stored(1))
    store.save(SITE, stored(2))
    assert store.version(SITE) != before
    store.forget(SITE, "0" * 32)
    assert len(store.load(SITE)) == 2


def test_what_is_not_stored_cannot_be_touched(store: TemplateStore) -> None:
    store.touch(SITE, {"0" * 32: NOW})
    store.touch(SITE, {})
    assert (store.load(SITE), store.sites()) == ([], [])


def test_a_lease_belongs_to_one_worker(two_stores: list[TemplateStore]) -> None:
    mine, yours = two_stores
    assert mine.lease(SITE, 60)
    assert not yours.lease(SITE, 60)
    assert yours.lease("other.test", 60)
    assert mine.lease(SITE, 60), "it is renewed"
    yours.release(SITE)
    assert not yours.lease(SITE, 60), "it was not theirs to give back"
    mine.release(SITE)
    mine.release(SITE)
    assert yours.lease(SITE, 60)


def test_a_lease_expires_unless_it_is_renewed(two_stores: list[TemplateStore]) -> None:
    mine, yours = two_stores
    assert mine.lease(SITE, 0.05)
    assert mine.lease("renewed.test", 0.05)
    assert mine.lease("renewed.test", 60)
    time.sleep(0.06)
    assert yours.lease(SITE, 60)
    assert not yours.lease("renewed.test", 60)
    mine.release(SITE)
    assert not mine.lease(SITE, 60), "what has expired was not given back"


def test_two_workers_see_what_the_other_has_stored(two_stores: list[TemplateStore]) -> None:
    mine, yours = two_stores
    assert yours.version(SITE) == 0
    mine.save(SITE, stored(0))
    version = yours.version(SITE)
    yours.save(SITE, stored(1, used=NOW + 1))
    assert mine.version(SITE) not in {0, version}
    assert same(mine.load(SITE), stored(1, used=NOW + 1), stored(0))


def test_threads_share_a_store(store: TemplateStore) -> None:
    start = threading.Barrier(8)

    def work(number: int) -> None:
        start.wait()
        for voters in (3, 1, 2):
            store.save(SITE, stored(number % 4, voters))
            store.load(SITE)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert sorted(len(one.template.page_urls) for one in store.load(SITE)) == [3] * 4


def test_a_template_that_cannot_be_encoded_is_an_error_of_its_own(store: TemplateStore) -> None:
    key, voter = (Page("<p>text", f"https://site.test/{name}") for name in ("\ud800", "b"))
    odd = Template.from_pages(key, [voter])
    with pytest.raises(RecordError, match="cannot be encoded"):
        store.save(SITE, StoredTemplate(odd, NOW, NOW))
    store.save(SITE, stored())
    assert same(store.load(SITE), stored())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(0, 5)), max_size=12))
def test_any_order_of_saves_keeps_the_best_of_each_key(
    new_store: Callable[[], TemplateStore], saves: list[tuple[int, int, int]]
) -> None:
    store = new_store()
    store.delete(SITE)
    for number, voters, when in saves:
        store.save(SITE, stored(number, voters, used=NOW + when))
    found = {one.key: one for one in store.load(SITE)}
    best = {stored(number).key: template(number, max(v for n, v, _ in saves if n == number)) for number, *_ in saves}
    assert {key: one.template.page_urls for key, one in found.items()} == {
        key: one.page_urls for key, one in best.items()
    }
