"""For the tests of users and of other stores: a small made site, and what every store of templates must do.

It needs pytest. The contract of a store of your own::

    class TestMyStore(SharedStoreContract):
        @pytest.fixture
        def new_store(self, tmp_path):
            return lambda: MyStore(tmp_path)
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from templex_scrapy.page import Page
from templex_scrapy.stores import MAX_TEMPLATES, RecordError, StoredTemplate, TemplateStore
from templex_scrapy.template import Template

_SITE = "site.test"
_NOW = 1_772_366_400.25


def made_site(
    pages: int = 4, *, host: str = "https://site.test", text: str = "Words of page {number} alone."
) -> list[Page]:
    """Return the pages of a made site: a menu that all have and that links them all, a headline, a text, a footer.

    Args:
        pages: number of pages, at least 1.
        host: scheme and host of the addresses.
        text: the paragraph of each page; ``{number}`` is its number, from 0.
    """
    menu = "".join(f'<li><a href="/{number}.html">Page {number}</a></li>' for number in range(pages))
    return [
        Page(
            f"<!DOCTYPE html><html><head><title>Page {number}</title></head><body><nav><ul>{menu}</ul></nav>"
            f"<main><h1>Headline {number}</h1><p>{text.format(number=number)}</p></main>"
            "<footer><p>Footer of the made site</p></footer></body></html>",
            f"{host}/{number}.html",
        )
        for number in range(pages)
    ]


@cache
def _template(number: int = 0, voters: int = 2, *, is_lone: bool = False) -> Template:
    pages = made_site(text=f"Kind {number}: {{number}} ü 😀")
    return Template.from_pages(pages[0], pages[1 : voters + 1], is_lone=is_lone)


def _stored(number: int = 0, voters: int = 2, *, learnt: float = _NOW, used: float = _NOW) -> StoredTemplate:
    return StoredTemplate(_template(number, voters), learnt, used)


def _same(found: list[StoredTemplate], *wanted: StoredTemplate) -> bool:
    """Return whether just these templates were found, in this order."""

    def plain(all_of_them: object) -> list[object]:
        return [(one.key, one.template.to_dict(), one.learnt, one.used) for one in all_of_them]  # type: ignore[attr-defined]

    return plain(found) == plain(wanted)


class StoreContract:
    """What every store does, for a subclass with a fixture ``new_store``: a function that opens an empty store."""

    @pytest.fixture
    def store(self, new_store: Callable[[], TemplateStore]) -> TemplateStore:
        """Open a store."""
        return new_store()

    def test_nothing_is_there_at_first(self, store: TemplateStore) -> None:
        assert store.load(_SITE) == []
        assert (store.version(_SITE), store.sites(), store.delete(_SITE), store.skipped) == (0, [], 0, 0)

    def test_templates_come_back_as_they_were_the_last_used_first(self, store: TemplateStore) -> None:
        some = [_stored(number, used=_NOW + number) for number in range(3)]
        for one in some:
            store.save(_SITE, one)
        assert _same(store.load(_SITE), *reversed(some))

    def test_the_sites_are_apart(self, store: TemplateStore) -> None:
        names = ["b.test", "a.test:8080", "bücher.test"]
        for number, name in enumerate(names):
            store.save(name, _stored(number))
        assert store.sites() == sorted(names)
        assert _same(store.load("b.test"), _stored(0))
        assert store.delete("b.test") == 1
        assert store.sites() == ["a.test:8080", "bücher.test"]
        assert (store.load("b.test"), store.version("b.test")) == ([], 0)

    @pytest.mark.parametrize("order", [(1, 3), (3, 1), (3, 3)])
    def test_of_two_with_one_key_the_one_with_more_voters_is_kept(
        self, store: TemplateStore, order: tuple[int, int]
    ) -> None:
        for when, voters in enumerate(order):
            store.save(_SITE, _stored(0, voters, learnt=_NOW + when, used=_NOW + when))
        assert _same(store.load(_SITE), _stored(0, 3, used=_NOW + 1))

    def test_a_template_that_serves_more_pages_is_kept_whatever_its_voters(self, store: TemplateStore) -> None:
        for is_lone, voters in ((True, 2), (False, 1), (True, 3)):
            store.save(_SITE, StoredTemplate(_template(0, voters, is_lone=is_lone), _NOW, _NOW))
        assert _same(store.load(_SITE), _stored(0, 1))

    def test_of_more_than_thirty_the_least_recently_used_is_dropped(self, store: TemplateStore) -> None:
        for number in range(MAX_TEMPLATES):
            store.save(_SITE, _stored(number, used=_NOW + number))
        store.touch(_SITE, {_stored(0).key: _NOW + 100})
        store.save(_SITE, _stored(99, used=_NOW))
        kept = [
            _stored(0, used=_NOW + 100),
            *(_stored(number, used=_NOW + number) for number in range(29, 1, -1)),
            _stored(99),
        ]
        assert _same(store.load(_SITE), *kept), "the new one is kept even if it is the oldest"

    def test_the_version_changes_with_the_templates_and_not_with_their_use(self, store: TemplateStore) -> None:
        seen = [store.version(_SITE)]
        for voters in (1, 2):
            store.save(_SITE, _stored(0, voters))
            seen.append(store.version(_SITE))
        store.save("other.test", _stored(1))
        store.touch(_SITE, {_stored().key: _NOW + 1})
        store.save(_SITE, _stored(0, 1, used=_NOW + 2))
        assert store.version(_SITE) == seen[-1]
        store.delete(_SITE)
        store.save(_SITE, _stored(0, 1))
        seen.append(store.version(_SITE))
        assert len(set(seen)) == len(seen), "also after all were deleted"

    def test_one_template_can_be_forgotten(self, store: TemplateStore) -> None:
        for number in range(2):
            store.save(_SITE, _stored(number))
        before = store.version(_SITE)
        store.forget(_SITE, _stored(0).key)
        assert store.version(_SITE) != before, "not the newest one"
        assert _same(store.load(_SITE), _stored(1))
        store.save(_SITE, _stored(2))
        assert store.version(_SITE) != before
        store.forget(_SITE, "0" * 32)
        assert len(store.load(_SITE)) == 2

    def test_what_is_not_stored_cannot_be_touched(self, store: TemplateStore) -> None:
        store.touch(_SITE, {"0" * 32: _NOW})
        store.touch(_SITE, {})
        assert (store.load(_SITE), store.sites()) == ([], [])

    def test_threads_share_a_store(self, store: TemplateStore) -> None:
        start = threading.Barrier(8)

        def work(number: int) -> None:
            start.wait()
            for voters in (3, 1, 2):
                store.save(_SITE, _stored(number % 4, voters))
                store.load(_SITE)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert sorted(len(one.template.page_urls) for one in store.load(_SITE)) == [3] * 4

    def test_a_template_that_cannot_be_encoded_is_an_error_of_its_own(self, store: TemplateStore) -> None:
        key, voter = (Page("<p>text", f"https://site.test/{name}") for name in ("\ud800", "b"))
        odd = Template.from_pages(key, [voter])
        with pytest.raises(RecordError, match="cannot be encoded"):
            store.save(_SITE, StoredTemplate(odd, _NOW, _NOW))
        store.save(_SITE, _stored())
        assert _same(store.load(_SITE), _stored())


class SharedStoreContract(StoreContract):
    """What a store does that several processes may use: ``new_store`` opens the same place each time."""

    @pytest.fixture
    def two_stores(self, new_store: Callable[[], TemplateStore]) -> list[TemplateStore]:
        """Open the place twice, as two processes do."""
        return [new_store(), new_store()]

    def test_two_processes_see_what_the_other_has_stored(self, two_stores: list[TemplateStore]) -> None:
        mine, yours = two_stores
        assert yours.version(_SITE) == 0
        mine.save(_SITE, _stored(0))
        version = yours.version(_SITE)
        yours.save(_SITE, _stored(1, used=_NOW + 1))
        assert mine.version(_SITE) not in {0, version}
        assert _same(mine.load(_SITE), _stored(1, used=_NOW + 1), _stored(0))
