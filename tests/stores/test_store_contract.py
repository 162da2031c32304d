"""What every store does, wherever it keeps its templates."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from store_cases import KEYS, SITE, WHEN, later, plain, same, stored, template

from templex_scrapy.stores import Backend, Head, Store, StoreLimits, StoreUnavailableError, TemplateTooLargeError, wire
from templex_scrapy.stores.protocol import MAX_COUNT, MAX_SET_ASIDE, Change, Row, Use
from templex_scrapy.stores.record import ticks

FULL = stored(0, kind="news", notes={"found": "by links"}, learnt=later(1)).retire("redesigned", later(2))


@dataclass(frozen=True)
class Raw:
    """Writes bytes as they are, as whatever damaged a record did."""

    key: str
    row: Row

    def __call__(self, rows: Mapping[str, Row]) -> Change:
        return Change({self.key: self.row}, drop=frozenset(rows.keys() & {self.key}))


def damage(backend: Backend, key: str, *, head: bytes | None = None, body: bytes | None = None, site: str = SITE):
    """Put other bytes in the place of a record."""
    row = backend.read(site).get(key, Row(b"", b""))
    put = Row(row.head if head is None else head, row.body if body is None else body)
    backend.change(site, Raw(key, put))


def test_an_unknown_site_has_nothing(store):
    assert store.load(SITE) == []
    assert store.describe(SITE) == []
    assert store.version(SITE) == 0
    assert store.forget(SITE) == 0
    assert list(store.sites()) == []


def test_what_was_saved_is_loaded(store):
    others = [stored(1), replace(stored(2), served=7, last_used=later(9))]
    for one in [FULL, *others]:
        store.save(SITE, one)
    store.save("other.test:8000", FULL)
    assert same(store.load(SITE), FULL, *others)
    assert same(store.load("other.test:8000"), FULL)
    assert (store.counts.saved, store.counts.loaded) == (4, 4)


@pytest.mark.parametrize(
    "site", ["a", "mit ü and spaces", "half \ud800", "a:b:c", "", "'; DROP TABLE templates; --", "*"]
)
def test_any_name_is_a_site(store, site):
    store.save(site, FULL)
    assert same(store.load(site), FULL)
    assert store.lease(site, f"me{site}", 60)
    assert [info.templates + info.retired for info in store.sites()] == [1]
    assert store.forget(site) == 1


def test_loaded_templates_serve(store):
    store.save(SITE, stored(1))
    (found,) = store.load(SITE)
    assert found.template.nodes == template(1).nodes


def test_the_most_recently_used_comes_first(store):
    for number in range(4):
        store.save(SITE, stored(number, learnt=later(number)))
    store.used(SITE, {KEYS[1]: 1}, later(100))
    store.used(SITE, {KEYS[0]: 1}, later(200))
    assert [found.key for found in store.load(SITE)] == [KEYS[0], KEYS[1], KEYS[3], KEYS[2]]


def test_a_second_save_is_merged_and_keeps_the_counts(store):
    store.save(SITE, stored(1))
    store.used(SITE, {KEYS[1]: 5}, later(50))
    grown = stored(1).grown(template(1, 3), later(10))
    store.save(SITE, grown)
    store.save(SITE, replace(stored(1), served=99))
    assert same(store.load(SITE), replace(grown, served=5, last_used=later(50)))


def test_retiring_leaves_the_newer_data(store):
    grown = stored(1).grown(template(1, 3), later(10))
    store.save(SITE, grown)
    store.save(SITE, stored(1).retire("redesigned", later(20)))
    assert same(store.load(SITE), grown.retire("redesigned", later(20)))


def test_uses_add_up(store):
    store.save(SITE, stored(1))
    version = store.version(SITE)
    store.used(SITE, {KEYS[1]: 2, KEYS[2]: 3, "unknown": 1}, later(5))
    store.used(SITE, {KEYS[1]: 3}, later(4))
    store.used(SITE, {KEYS[1]: 0, KEYS[3]: -1}, later(6))
    store.used("unknown", {KEYS[1]: 3}, later(4))
    assert same(store.load(SITE), replace(stored(1), served=5, last_used=later(5)))
    assert store.version(SITE) == version


def test_a_forgotten_template_takes_its_counts_with_it(store):
    store.save(SITE, replace(stored(1), served=3, last_used=later(1)))
    assert store.forget(SITE, "unknown") == 0
    assert store.forget(SITE, KEYS[1]) == 1
    assert list(store.sites()) == []
    store.save(SITE, stored(1))
    assert same(store.load(SITE), stored(1))


def test_forgetting_a_site_leaves_the_others(store):
    for site in (SITE, "b", "c"):
        store.save(site, stored(1))
        store.save(site, stored(2))
    assert store.forget(SITE) == 2
    assert [info.site for info in store.sites()] == ["b", "c"]
    assert store.load(SITE) == []


def test_the_version_grows_by_one_with_each_change_and_only_then(store):
    seen = [store.save(SITE, stored(1)), store.version(SITE)]
    assert seen[0] == seen[1] > 0
    versions = [store.save(SITE, stored(1)), store.save(SITE, stored(2)), store.save("b", stored(2))]
    assert versions[0] == seen[0]
    assert versions[1] == seen[0] + 1 == store.version(SITE)
    store.forget(SITE, KEYS[1])
    assert store.version(SITE) == seen[0] + 2
    store.forget(SITE)
    assert store.version(SITE) == 0


def test_a_site_that_was_forgotten_never_has_a_version_twice(store):
    seen = []
    for _ in range(5):
        seen.append(store.save(SITE, stored(1)))
        store.forget(SITE)
    assert all(before < after for before, after in pairwise(seen))


def test_the_least_useful_templates_make_room(backend):
    store = Store(backend, StoreLimits(templates=3))
    for number in range(3):
        store.save(SITE, stored(number, learnt=later(number)))
    store.used(SITE, {KEYS[0]: 1}, later(50))
    store.save(SITE, stored(3, learnt=later(-5)))
    assert {found.key for found in store.load(SITE)} == {KEYS[0], KEYS[2], KEYS[3]}
    store.save(SITE, stored(2, learnt=later(2)).retire("gone", later(99)))
    store.save(SITE, stored(4, learnt=later(-9)))
    assert {found.key for found in store.load(SITE)} == {KEYS[0], KEYS[3], KEYS[4]}


def test_a_template_that_is_too_large_is_refused(backend):
    store = Store(backend, StoreLimits(template_bytes=500))
    with pytest.raises(TemplateTooLargeError, match="500"):
        store.save(SITE, stored(1))
    assert store.counts.refused == 1
    assert store.load(SITE) == []


def test_sites_are_listed_without_reading_templates(store, monkeypatch):
    store.save("b.test", replace(stored(1), served=3, last_used=later(9)))
    store.save("b.test", FULL)
    store.save("a.test", stored(2))
    monkeypatch.setattr(wire, "decode_body", None)
    first, second = store.sites()
    assert (first.site, first.templates, first.retired, first.served, first.last_used) == ("a.test", 1, 0, 0, None)
    assert (second.site, second.templates, second.retired, second.served) == ("b.test", 1, 1, 3)
    assert second.last_used == later(9)
    sizes = [len(wire.encode("b.test", one)[1]) for one in (stored(1), FULL)]
    assert second.size == sum(sizes)


def test_templates_are_described(store):
    store.save(SITE, FULL)
    (info,) = store.describe(SITE)
    head = info.head
    assert (head.key, head.kind, head.learnt, head.retired) == (FULL.key, "news", FULL.learnt, FULL.retired)
    assert head.urls == FULL.urls
    assert head.notes == {"found": "by links"}


def test_a_lease_is_held_by_one(store):
    assert store.lease(SITE, "a", 60)
    assert not store.lease(SITE, "b", 60)
    assert store.lease("other", "b", 60)
    assert store.lease(SITE, "a", 60)
    store.release(SITE, "b")
    assert not store.lease(SITE, "b", 60)
    store.release(SITE, "a")
    assert store.lease(SITE, "b", 60)


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf")])
def test_a_lease_lasts_for_some_time(store, seconds):
    with pytest.raises(ValueError, match="above 0"):
        store.lease(SITE, "a", seconds)


def test_counts_of_any_size_are_no_matter(store):
    """A count is no reason to lose a template, or to take a file for damaged."""
    store.save(SITE, replace(stored(1), served=10**30))
    store.save(SITE, replace(stored(2), served=-(10**30)))
    store.used(SITE, dict.fromkeys(KEYS[:3], 10**30), later(1))
    store.used(SITE, {KEYS[1]: 1}, later(1))
    assert {info.head.key: info.served for info in store.describe(SITE)} == dict.fromkeys(KEYS[1:3], MAX_COUNT)
    assert len(store.load(SITE)) == 2


@pytest.mark.parametrize("number", [2**53, 2**63, 10**30, -(10**30)])
def test_a_row_that_no_place_can_keep_is_no_damage(backend, number):
    """Whatever it is given, a place raises no error but the one; what was there stays."""
    Store(backend).save(SITE, stored(1))
    for work in (
        lambda: backend.change(SITE, Raw("key", Row(b"head", b"body", number, number))),
        lambda: backend.used(SITE, {KEYS[1]: Use(number, number)}),
    ):
        with contextlib.suppress(StoreUnavailableError):
            work()
    (found,) = Store(backend).load(SITE)
    assert plain(found)["template"] == plain(stored(1))["template"]


DAMAGES = {
    "no head": {"head": b""},
    "no body": {"body": b""},
    "another's head": {"head": wire.encode_head(wire.encode(SITE, stored(2))[0])},
    "another's body": {"body": wire.encode(SITE, stored(2))[1]},
    "another site": {"head": wire.encode_head(wire.encode("b", stored(1))[0])},
    "text": {"head": b"hello", "body": b"world"},
    "a pickle": {"head": b"\x80\x04N.", "body": b"\x80\x04N."},
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_record_is_set_aside_with_one_warning(store, backend, caplog, name):
    for number in range(3):
        store.save(SITE, stored(number))
    for key in KEYS[1:3]:
        damage(backend, key, **DAMAGES[name])
    wanted = backend.read(SITE)[KEYS[1]]
    with caplog.at_level(logging.DEBUG):
        found = store.load(SITE)
    assert stored(0).key in {one.key for one in found}
    assert KEYS[1] not in {one.key for one in found}
    assert len([record for record in caplog.records if record.levelno == logging.WARNING]) == 1
    assert store.counts.set_aside == len(store.set_aside()) >= 1
    (kept,) = [aside for aside in store.set_aside() if aside.key == KEYS[1]]
    assert (kept.site, kept.key, kept.head, kept.body) == (SITE, KEYS[1], wanted.head, wanted.body)
    assert kept.why
    assert kept.at > ticks(WHEN)
    assert same(store.load(SITE), *found)


def test_what_is_set_aside_is_bounded(store, backend):
    for number in range(MAX_SET_ASIDE + 5):
        damage(backend, f"key{number}", head=b"x")
        store.load(SITE)
    kept = [aside.key for aside in store.set_aside()]
    assert kept == [f"key{number}" for number in range(5, MAX_SET_ASIDE + 5)]
    assert store.version(SITE) == 0


def test_a_damaged_record_makes_room_for_a_good_one(store, backend):
    damage(backend, KEYS[1], head=b"x", body=b"y")
    store.save(SITE, stored(1))
    assert same(store.load(SITE), stored(1))
    assert [aside.key for aside in store.set_aside()] == [KEYS[1]]


def newer(key: str) -> bytes:
    return wire.MAGIC + bytes([wire.FORMAT + 1]) + key.encode() * 2


def test_a_newer_record_is_passed_over_and_stays(store, backend, caplog):
    """Workers of both versions may share a store: the older must not take from the newer what it needs."""
    store.save(SITE, stored(0))
    for key in KEYS[1:3]:
        damage(backend, key, head=newer(key), body=b"of the future")
    for _ in range(2):
        assert same(store.load(SITE), stored(0))
    assert [record.levelno for record in caplog.records].count(logging.WARNING) == 1
    assert (store.counts.newer, store.counts.set_aside) == (4, 0)
    assert backend.read(SITE)[KEYS[1]].body == b"of the future"


def test_a_newer_record_in_the_way_is_set_aside(store, backend):
    damage(backend, KEYS[1], head=newer(KEYS[1]), body=b"of the future")
    store.save(SITE, stored(1))
    assert same(store.load(SITE), stored(1))
    assert [aside.body for aside in store.set_aside()] == [b"of the future"]


def test_what_cannot_be_read_does_not_count_as_a_template(backend):
    store = Store(backend, StoreLimits(templates=2))
    damage(backend, KEYS[0], head=newer(KEYS[0]))
    damage(backend, KEYS[1], head=b"x")
    for number in (2, 3, 4):
        store.save(SITE, stored(number, learnt=later(number)))
    assert set(backend.heads(SITE)) == {KEYS[0], KEYS[1], KEYS[3], KEYS[4]}


def test_a_template_may_be_changed_by_its_user_without_the_store_knowing(store):
    one = stored(1, notes={"a": "b"})
    store.save(SITE, one)
    assert isinstance(one.notes, dict)
    one.notes["a"] = "c"
    assert [plain(found)["notes"] for found in store.load(SITE)] == [{"a": "b"}]


def test_describing_leaves_out_what_cannot_be_read(store, backend):
    store.save(SITE, stored(1))
    damage(backend, KEYS[2], head=b"x")
    assert [info.head.key for info in store.describe(SITE)] == [KEYS[1]]
    assert all(isinstance(info.head, Head) for info in store.describe(SITE))


def test_what_is_learnt_anew_serves_whatever_clock_it_was_retired_by(store):
    """A clock that was ahead would have kept it retired, and each crawl would have searched again."""
    store.save(SITE, stored(1).retire("redesigned", later(10**7)))
    anew = stored(1, learnt=later(60))
    dated = store.learnt_anew(SITE, anew)
    store.save(SITE, dated)
    assert same(store.load(SITE), dated)
    grown = dated.grown(template(1, 3), later(70))
    store.save(SITE, grown)
    assert same(store.load(SITE), grown)
    assert store.load(SITE)[0].retired is None


def test_what_is_learnt_anew_keeps_its_date_where_that_is_right(store):
    assert store.learnt_anew(SITE, stored(1)) == stored(1)
    store.save(SITE, stored(1).retire("redesigned", later(10)))
    assert store.learnt_anew(SITE, stored(1, learnt=later(11))) == stored(1, learnt=later(11))
    last = datetime.max.replace(tzinfo=UTC)
    store.save(SITE, stored(2).retire("hostile", last))
    assert store.learnt_anew(SITE, stored(2)) == stored(2)
