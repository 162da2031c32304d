"""Listing, showing, forgetting, exporting and importing what a store has."""

from __future__ import annotations

import io
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_sites import HOST
from store_cases import KEYS, SITE, WHEN, later, plain, same, stored, template

from templex_scrapy import Page, Template
from templex_scrapy.stores import (
    LeftOut,
    NoSuchTemplateError,
    RecordError,
    Store,
    StoredTemplate,
    StoreLimits,
    jsonlines,
    open_directly,
    wire,
)
from templex_scrapy.stores import administration as admin
from templex_scrapy.stores.memory import MemoryBackend
from templex_scrapy.stores.protocol import MAX_COUNT

FULL = replace(
    stored(1, kind="news", notes={"found": "ü \ud800"}).retire("redesigned", later(9)), served=7, last_used=later(3)
)


def new() -> Store:
    return Store(MemoryBackend())


@pytest.fixture
def filled() -> Store:
    store = new()
    store.save(SITE, FULL)
    store.save(SITE, stored(2))
    store.save("b", stored(3))
    return store


def exported(store: Store, site: str | None = None) -> bytes:
    stream = io.BytesIO()
    result = admin.export_templates(store, stream, site)
    raw = stream.getvalue()
    assert (result.size, result.templates) == (len(raw), raw.count(b"\n"))
    return raw


def test_templates_are_listed(filled):
    listed = [(info.head.site, info.head.key) for info in admin.list_templates(filled).templates]
    assert listed == [("b", KEYS[3]), *((SITE, key) for key in sorted(KEYS[1:3]))]
    assert [info.head.key for info in admin.list_templates(filled, "b").templates] == [KEYS[3]]
    assert admin.list_templates(new()) == admin.Listed(templates=(), left_out=())


def test_what_there_is_not_is_told_with_what_there_is(filled):
    with pytest.raises(NoSuchTemplateError, match=f"no template of c; there are templates of b, {SITE}"):
        admin.list_templates(filled, "c")
    with pytest.raises(NoSuchTemplateError, match="no site at all"):
        admin.forget(new(), "c")
    with pytest.raises(NoSuchTemplateError, match=f"no templates of b have a key from 'x' on; there are {KEYS[3]}"):
        admin.find(filled, "b", "x")
    with pytest.raises(NoSuchTemplateError, match=f"2 templates of {SITE} have a key from '' on"):
        admin.forget(filled, SITE, "")


def test_the_beginning_of_a_key_is_enough(filled):
    assert admin.find(filled, SITE, KEYS[1][:5]).head.key == KEYS[1]


def test_a_template_is_shown(filled):
    details = admin.show(filled, SITE, KEYS[1][:5])
    assert plain(details.stored) == plain(FULL)
    assert (details.info.served, details.info.last_used, details.info.head.kind) == (7, later(3), "news")
    key_page = template(1).to_dict()
    assert details.nodes == len(key_page["labels"])
    assert 0 < details.template_nodes == len(template(1).nodes) < details.nodes


def test_templates_are_forgotten(filled):
    assert admin.forget(filled, SITE, KEYS[1]) == 1
    assert same(filled.load(SITE), stored(2))
    assert admin.forget(filled, SITE) == 1
    assert [info.site for info in filled.sites()] == ["b"]


def test_what_is_exported_can_be_imported(filled):
    raw = exported(filled)
    other = new()
    result = admin.import_templates(other, io.BytesIO(raw))
    assert (result.templates, result.refused, result.refusals) == (3, 0, ())
    assert same(other.load(SITE), FULL, stored(2))
    assert exported(other) == raw
    assert exported(other, "b") == raw.splitlines(keepends=True)[0]
    with pytest.raises(NoSuchTemplateError):
        exported(other, "c")


def test_an_import_twice_changes_nothing(filled):
    raw = exported(filled)
    version = filled.version(SITE)
    admin.import_templates(filled, io.BytesIO(raw))
    assert exported(filled) == raw
    assert filled.version(SITE) == version


def test_an_import_is_merged_with_what_is_there(filled):
    raw = exported(filled)
    grown = stored(2).grown(template(2, 3), later(1))
    filled.save(SITE, grown)
    filled.used(SITE, {KEYS[2]: 3}, later(2))
    admin.import_templates(filled, io.BytesIO(raw))
    assert same(filled.load(SITE), FULL, replace(grown, served=3, last_used=later(2)))


def test_lines_are_json_that_others_can_read(filled):
    lines = [json.loads(line) for line in exported(filled).splitlines()]
    assert [line["site"] for line in lines] == ["b", SITE, SITE]
    (full,) = [line for line in lines if line["key"] == KEYS[1]]
    assert full["learnt"] == WHEN.isoformat()
    assert full["retired"] == [later(9).isoformat(), "redesigned"]
    assert full["template"]["urls"] == list(FULL.urls)


def test_strange_texts_survive():
    pages = [Page(f"<p>\ud83d ü</p><ul><li>{number}</ul>", f"{HOST}{number}") for number in range(3)]
    one = StoredTemplate.of(Template.from_pages(pages[0], pages[1:]), WHEN)
    site, again = jsonlines.read_line(jsonlines.write_line(SITE, one))
    assert (site, plain(again)) == (SITE, plain(one))


GOOD = json.loads(jsonlines.write_line(SITE, FULL))
REFUSED = {
    "no JSON": b"{",
    "no object": b"[1]",
    "another version": json.dumps({**GOOD, "templex_template": 2}).encode(),
    "no site": json.dumps({**GOOD, "site": ""}).encode(),
    "another key": json.dumps({**GOOD, "key": KEYS[2]}).encode(),
    "a negative count": json.dumps({**GOOD, "served": -1}).encode(),
    "a count that no place can keep": json.dumps({**GOOD, "served": 10**30}).encode(),
    "a count that not every place can keep": json.dumps({**GOOD, "served": MAX_COUNT + 1}).encode(),
    "a count of many digits": json.dumps({**GOOD, "served": 1})
    .replace('"served": 1', f'"served": {"9" * 5000}')
    .encode(),
    "no count": json.dumps({**GOOD, "served": True}).encode(),
    "no time": json.dumps({**GOOD, "learnt": "yesterday"}).encode(),
    "a time without zone": json.dumps({**GOOD, "updated": "2026-01-01T00:00:00"}).encode(),
    "no template": json.dumps({**GOOD, "template": {}}).encode(),
    "deep": b"[" * 100_000,
    "binary": bytes(range(256)).replace(b"\n", b""),
}


def test_lines_that_are_no_template_are_refused_and_the_others_stored(store):
    lines = [*REFUSED.values(), jsonlines.write_line("good", FULL).strip(), b"", b"  "]
    result = admin.import_templates(store, io.BytesIO(b"\n".join(lines)))
    assert (result.templates, result.refused) == (1, len(REFUSED))
    assert [refusal.line for refusal in result.refusals] == list(range(1, len(REFUSED) + 1))
    assert all(refusal.reason for refusal in result.refusals)
    assert same(store.load("good"), FULL)


def test_refusals_are_told_of_up_to_a_number():
    result = admin.import_templates(new(), io.BytesIO(b"x\n" * 1000))
    assert (result.refused, len(result.refusals)) == (1000, admin.MAX_REFUSALS)


def test_a_line_that_is_too_long_is_refused_alone(monkeypatch):
    good = jsonlines.write_line(SITE, FULL)
    for module in (admin, jsonlines):
        monkeypatch.setattr(module, "MAX_LINE", len(good))
    for size in (len(good), len(good) + 1, 5 * len(good)):
        store = new()
        result = admin.import_templates(store, io.BytesIO(good + b"x" * size + b"\n" + good))
        assert (result.templates, result.refused, result.refusals[0].line) == (2, 1, 2)
        assert same(store.load(SITE), FULL)


def test_a_template_that_is_too_large_is_refused(filled):
    store = Store(MemoryBackend(), StoreLimits(template_bytes=100))
    result = admin.import_templates(store, io.BytesIO(exported(filled)))
    assert (result.templates, result.refused) == (0, 3)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(st.sampled_from(sorted(GOOD)), values)
def test_a_changed_line_is_refused_or_is_a_template_of_the_same_pages(name, value):
    try:
        _, one = jsonlines.read_line(json.dumps({**GOOD, name: value}).encode())
    except RecordError:
        return
    with tempfile.TemporaryDirectory() as folder:
        for store in (new(), open_directly(Path(folder, "a.db"), create=True)):
            store.save(SITE, one)
            assert [found.urls for found in store.load(SITE)] == [FULL.urls]
            store.used(SITE, {one.key: 1}, later(1))
            store.save(SITE, one.grown(template(1, 3), later(2)))
            assert store.describe(SITE)[0].served == min(one.served + 1, MAX_COUNT)
            store.close()


@pytest.mark.parametrize("served", [MAX_COUNT - 1, MAX_COUNT])
def test_the_highest_count_can_be_imported_and_is_not_lost(store, served):
    line = json.dumps({**GOOD, "served": served, "retired": None}).encode()
    assert admin.import_templates(store, io.BytesIO(line)).templates == 1
    for _ in range(3):
        store.used(SITE, {KEYS[1]: 1}, later(20))
    assert [info.served for info in store.describe(SITE)] == [MAX_COUNT]
    assert json.loads(exported(store))["served"] == MAX_COUNT


TIMES = ["0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999999+00:00"]
TIMES.append("9999-12-31T23:59:59-23:59")


@pytest.mark.parametrize("time", TIMES)
@pytest.mark.parametrize("name", ["learnt", "updated", "retired", "last_used"])
def test_any_time_is_refused_or_can_be_lived_with(store, name, time):
    """The first and the last moments there are, and those that have none in UTC."""
    line = json.dumps({**GOOD, "retired": None, name: [time, "why"] if name == "retired" else time}).encode()
    store.save(SITE, stored(2))
    result = admin.import_templates(store, io.BytesIO(line))
    assert result.templates == (0 if time[-6:] in {"+23:59", "-23:59"} else 1)
    for one in store.load(SITE):
        store.used(SITE, {one.key: 1}, later(1))
        store.save(SITE, one.grown(template(1, 3) if one.key == KEYS[1] else template(2, 3), later(2)))
    assert sorted(len(one.urls) for one in store.load(SITE)) == [4] * (1 + result.templates)
    assert len(exported(store).splitlines()) == 1 + result.templates


def spoil(store: Store, site: str, key: str, **parts: bytes) -> None:
    """Put other bytes in the place of a record's."""
    rows = store._backend.read(site)
    store._backend.replace(site, {**rows, key: replace(rows[key], **parts)})


def test_what_cannot_be_read_is_told_of():
    """A list looks at heads alone, an export at all."""
    store = Store(MemoryBackend(), sets_aside=False)
    for number in range(4):
        store.save(SITE, stored(number))
    store.save("b", stored(4))
    spoil(store, SITE, KEYS[0], head=b"damaged")
    spoil(store, SITE, KEYS[1], body=b"damaged")
    spoil(store, "b", KEYS[4], head=wire.MAGIC + b"\x09" + b"." * 20)
    listed = admin.list_templates(store)
    assert {info.head.key for info in listed.templates} == set(KEYS[1:4])
    newer = LeftOut("b", KEYS[4], "a record of version 9; this version reads 1")
    assert set(listed.left_out) == {newer, LeftOut(SITE, KEYS[0], "no record of a template")}
    stream = io.BytesIO()
    result = admin.export_templates(store, stream)
    assert {one.key for one in result.left_out} == {KEYS[0], KEYS[1], KEYS[4]}
    assert (result.sites, result.templates, stream.getvalue().count(b"\n")) == (1, 2, 2)


def test_where_nothing_can_be_read_that_is_the_reason(filled):
    spoil(filled, "b", KEYS[3], head=b"damaged")
    for work in (
        lambda: admin.find(filled, "b", ""),
        lambda: admin.show(filled, "b", KEYS[3]),
        lambda: exported(filled, "b"),
    ):
        with pytest.raises(NoSuchTemplateError, match=rf"1 record cannot be read \(.*\): {KEYS[3]} of b \(no record"):
            work()
    assert admin.list_templates(filled, "b").templates == ()
    admin.forget(filled, SITE)
    with pytest.raises(NoSuchTemplateError, match="cannot be read"):
        exported(filled)


@pytest.mark.parametrize("key", [KEYS[3][:7], None])
def test_what_cannot_be_read_can_be_forgotten(filled, key):
    spoil(filled, "b", KEYS[3], head=b"damaged")
    assert admin.forget(filled, "b", key) == 1
    assert [info.site for info in filled.sites()] == [SITE]


def test_records_beyond_those_that_are_read_are_told_of(filled):
    narrow = Store(filled._backend, StoreLimits(templates=1))
    result = admin.export_templates(narrow, io.BytesIO())
    assert [(one.site, one.why) for one in result.left_out] == [(SITE, "beyond the 1 that are read")]


def test_a_damaged_template_cannot_be_shown(filled):
    backend = filled._backend
    rows = backend.read("b")
    backend.replace("b", {key: replace(row, body=b"damaged") for key, row in rows.items()})
    with pytest.raises(NoSuchTemplateError, match="cannot be read"):
        admin.show(filled, "b", KEYS[3])
