"""What every store of templates does: subclass a contract, with a fixture ``new_store`` that opens an empty store."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from helpers.made_sites import made_site
from templex_scrapy import Page, Template
from templex_scrapy.stores import MAX_TEMPLATES, RecordError, StoredTemplate, TemplateStore, keeps_page_hashes

SITE = "site.test"
NOW = 1_772_366_400.25


@cache
def template(number: int = 0, voters: int = 2, *, is_lone: bool = False) -> Template:
    pages = made_site(text=f"Kind {number}: {{number}} ü 😀")
    return Template.from_pages(pages[0], pages[1 : voters + 1], is_lone=is_lone)


def stored(number: int = 0, voters: int = 2, *, learnt: float = NOW, used: float = NOW) -> StoredTemplate:
    return StoredTemplate(template(number, voters), learnt, used)


def same(found: list[StoredTemplate], *wanted: StoredTemplate) -> bool:
    """Return whether just these templates were found, in this order."""

    def plain(all_of_them: object) -> list[object]:
        return [(one.key, one.template.to_dict(), one.learnt, one.used) for one in all_of_them]  # type: ignore[attr-defined]

    return plain(found) == plain(wanted)


class StoreContract:
    """What every store does, for a subclass with a fixture ``new_store``: a function that opens an empty store."""

    @pytest.fixture
    def store(self, new_store: Callable[[], TemplateStore]) -> TemplateStore:
        return new_store()

    def test_nothing_is_there_at_first(self, store: TemplateStore) -> None:
        assert store.load(SITE) == []
        assert (store.version(SITE), store.sites(), store.delete(SITE), store.skipped) == (0, [], 0, 0)

    def test_hashes_of_pages_are_kept(self, store: TemplateStore) -> None:
        """For TEMPLEX_SKIP_UNCHANGED; a store need not be a PageHashStore."""
        if not keeps_page_hashes(store):
            pytest.skip("the store keeps no hashes of pages")
        assert store.page_hash("https://site.test/ü\ud800") is None
        store.save_page_hashes({}, NOW)
        store.save_page_hashes({"https://site.test/ü\ud800": "1:ab", "https://site.test/b": "1:cd"}, NOW)
        assert store.page_hash("https://site.test/ü\ud800") == ("1:ab", NOW)
        store.save_page_hashes({"https://site.test/ü\ud800": "1:ef"}, NOW + 1)
        assert store.page_hash("https://site.test/ü\ud800") == ("1:ef", NOW + 1)

    def test_templates_come_back_as_they_were_the_last_used_first(self, store: TemplateStore) -> None:
        some = [stored(number, used=NOW + number) for number in range(3)]
        for one in some:
            store.save(SITE, one)
        assert same(store.load(SITE), *reversed(some))

    def test_the_sites_are_apart(self, store: TemplateStore) -> None:
        names = ["b.test", "a.test:8080", "bücher.test"]
        for number, name in enumerate(names):
            store.save(name, stored(number))
        assert store.sites() == sorted(names)
        assert same(store.load("b.test"), stored(0))
        assert store.delete("b.test") == 1
        assert store.sites() == ["a.test:8080", "bücher.test"]
        assert (store.load("b.test"), store.version("b.test")) == ([], 0)

    @pytest.mark.parametrize("order", [(1, 3), (3, 1), (3, 3)])
    def test_of_two_with_one_key_the_one_with_more_voters_is_kept(
        self, store: TemplateStore, order: tuple[int, int]
    ) -> None:
        for when, voters in enumerate(order):
            store.save(SITE, stored(0, voters, learnt=NOW + when, used=NOW + when))
        assert same(store.load(SITE), stored(0, 3, used=NOW + 1))

    def test_a_template_that_serves_more_pages_is_kept_whatever_its_voters(self, store: TemplateStore) -> None:
        for is_lone, voters in ((True, 2), (False, 1), (True, 3)):
            store.save(SITE, StoredTemplate(template(0, voters, is_lone=is_lone), NOW, NOW))
        assert same(store.load(SITE), stored(0, 1))

    def test_of_more_than_thirty_the_least_recently_used_is_dropped(self, store: TemplateStore) -> None:
        for number in range(MAX_TEMPLATES):
            store.save(SITE, stored(number, used=NOW + number))
        store.touch(SITE, {stored(0).key: NOW + 100})
        store.save(SITE, stored(99, used=NOW))
        kept = [
            stored(0, used=NOW + 100),
            *(stored(number, used=NOW + number) for number in range(29, 1, -1)),
            stored(99),
        ]
        assert same(store.load(SITE), *kept), "the new one is kept even if it is the oldest"

    def test_the_version_changes_with_the_templates_and_not_with_their_use(self, store: TemplateStore) -> None:
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

    def test_one_template_can_be_forgotten(self, store: TemplateStore) -> None:
        for number in range(2):
            store.save(SITE, stored(number))
        before = store.version(SITE)
        store.forget(SITE, stored(0).key)
        assert store.version(SITE) != before, "not the newest one"
        assert same(store.load(SITE), stored(1))
        store.save(SITE, stored(2))
        assert store.version(SITE) != before
        store.forget(SITE, "0" * 32)
        assert len(store.load(SITE)) == 2

    def test_what_is_not_stored_cannot_be_touched(self, store: TemplateStore) -> None:
        store.touch(SITE, {"0" * 32: NOW})
        store.touch(SITE, {})
        assert (store.load(SITE), store.sites()) == ([], [])

    def test_threads_share_a_store(self, store: TemplateStore) -> None:
        start = threading.Barrier(8)

        def work(number: int) -> None:
            start.wait()
            for voters in (3, 1, 2):
                store.save(SITE, stored(number % 4, voters))
                store.load(SITE)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert sorted(len(one.template.page_urls) for one in store.load(SITE)) == [3] * 4

    def test_a_template_that_cannot_be_encoded_is_an_error_of_its_own(self, store: TemplateStore) -> None:
        key, voter = (Page("<p>text", f"https://site.test/{name}") for name in ("\ud800", "b"))
        odd = Template.from_pages(key, [voter])
        with pytest.raises(RecordError, match="cannot be encoded"):
            store.save(SITE, StoredTemplate(odd, NOW, NOW))
        store.save(SITE, stored())
        assert same(store.load(SITE), stored())


class SharedStoreContract(StoreContract):
    """What a store does that several processes may use: ``new_store`` opens the same place each time."""

    @pytest.fixture
    def two_stores(self, new_store: Callable[[], TemplateStore]) -> list[TemplateStore]:
        """Open the place twice, as two processes do."""
        return [new_store(), new_store()]

    def test_two_processes_see_what_the_other_has_stored(self, two_stores: list[TemplateStore]) -> None:
        mine, yours = two_stores
        assert yours.version(SITE) == 0
        mine.save(SITE, stored(0))
        version = yours.version(SITE)
        yours.save(SITE, stored(1, used=NOW + 1))
        assert mine.version(SITE) not in {0, version}
        assert same(mine.load(SITE), stored(1, used=NOW + 1), stored(0))
