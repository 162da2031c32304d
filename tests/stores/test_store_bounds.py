"""How much a store keeps and reads of a site: whatever somebody has written there, loading it stays within bounds."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest
from store_cases import KEYS, SITE, later, same, stored

from templex_scrapy.stores import (
    Backend,
    RecordError,
    Store,
    StoredTemplate,
    StoreLimits,
    TemplateTooLargeError,
    open_directly,
    open_store,
    wire,
)
from templex_scrapy.stores.memory import MemoryBackend
from templex_scrapy.stores.protocol import Change, Row
from templex_scrapy.stores.record import key_of
from templex_scrapy.template.template import Template

ALL = [stored(number) for number in range(6)]


@dataclass
class Put:
    """Writes a row, whatever is in it."""

    key: str
    row: Row

    def __call__(self, rows: Mapping[str, Row]) -> Change:  # noqa: ARG002 - the shape of an edit
        return Change({self.key: self.row})


def hostile(backend: Backend, number: int, nodes: int) -> str:
    """Write a small record, with digests that are right, of a template of many nodes; its key."""
    data: dict[str, Any] = json.loads(json.dumps(stored(1).template.to_dict()))
    data["urls"][0] = f"https://{SITE}/{number}"
    for name, value in {"labels": "div", "texts": None, "sizes": 1, "place": 3, "same": 3}.items():
        data[name] += [value] * nodes
    data["sizes"][0] += nodes
    plain = wire._dump(data)
    body = zlib.compress(plain, 9)
    head = replace(
        wire.encode(SITE, stored(1))[0],
        key=key_of(data),
        urls=tuple(data["urls"]),
        digest=wire._digest(body).hex(),
        size=len(body),
        inflated=len(plain),
        updated=datetime(2030, 1, 1, tzinfo=UTC),
    )
    backend.change(SITE, Put(head.key, Row(wire.encode_head(head), body)))
    return head.key


def kept(store: Store) -> set[str]:
    return {info.head.key for info in store.describe(SITE)}


def test_as_many_templates_as_a_crawl_keeps_are_kept():
    """By default, and in a store that a person fills as many as any crawl may keep."""
    assert StoreLimits().templates == 30
    with open_directly("unused") as store:
        assert store.limits.templates == 1000


def test_retired_templates_do_not_push_out_those_that_serve(backend):
    store = Store(backend, StoreLimits(templates=3))
    for one in ALL[:3]:
        store.save(SITE, one)
    store.save(SITE, ALL[3].retire("redesigned", later(100)))
    assert kept(store) == set(KEYS[:3])
    store.save(SITE, ALL[0].retire("redesigned", later(100)))
    assert kept(store) == set(KEYS[:3])
    store.save(SITE, ALL[4])
    assert kept(store) == {KEYS[1], KEYS[2], KEYS[4]}


def test_of_those_that_serve_the_least_used_makes_room_and_never_the_new_one(backend):
    store = Store(backend, StoreLimits(templates=3))
    for one in ALL[:3]:
        store.save(SITE, one)
    store.used(SITE, {KEYS[0]: 1, KEYS[2]: 1}, later(100))
    store.save(SITE, ALL[3])
    assert kept(store) == {KEYS[0], KEYS[2], KEYS[3]}


def test_no_more_records_are_read_than_may_be_kept(backend, monkeypatch):
    """The ones that serve, the most recently used first; what nobody can read comes last, and is set aside in parts."""
    full = Store(backend)
    for one in ALL[:5]:
        full.save(SITE, one)
    full.save(SITE, ALL[5].retire("redesigned", later(500)))
    full.used(SITE, {KEYS[1]: 1, KEYS[3]: 1}, later(100))
    for number in range(9):
        backend.change(SITE, Put(f"bad{number}", Row(b"bad", b"bad")))
    decoded: list[str] = []
    from_dict = Template.from_dict
    monkeypatch.setattr(Template, "from_dict", lambda data: decoded.append(data["urls"][0]) or from_dict(data))
    assert same(
        Store(backend, StoreLimits(templates=2)).load(SITE),
        *[replace(ALL[number], served=1, last_used=later(100)) for number in (1, 3)],
    )
    assert len(decoded) == 2
    assert full.set_aside() == []
    store = Store(backend, StoreLimits(templates=8))
    assert len(store.load(SITE)) == 6
    assert (store.counts.set_aside, len(store.set_aside())) == (2, 2)


def test_a_small_record_that_becomes_large_is_passed_over(backend, caplog, monkeypatch):
    """It is not decompressed, and left where it is: another crawl may allow for more."""
    store = Store(backend, StoreLimits(template_bytes=100_000))
    keys = [hostile(backend, number, 100_000) for number in range(3)]
    store.save(SITE, ALL[0])
    assert len(backend.read(SITE)[keys[0]].body) < 5_000
    inflated: list[int] = []
    inflate = wire._inflate
    monkeypatch.setattr(wire, "_inflate", lambda body, size: inflated.append(size) or inflate(body, size))
    assert same(store.load(SITE), ALL[0])
    assert (store.counts.refused, store.counts.set_aside) == (3, 0)
    assert len(inflated) == 1
    assert caplog.text.count("passed over") == 1
    assert kept(store) == {*keys, KEYS[0]}


def test_a_template_that_grows_in_memory_is_passed_over(backend):
    """Its data is small enough before compression and afterwards, and the template is not."""
    key = hostile(backend, 0, 3_000)
    ((size, memory),) = [
        (info.head.inflated, one.template.bytes)
        for info, one in zip(Store(backend).describe(SITE), Store(backend).load(SITE), strict=True)
    ]
    assert memory > 2 * size
    store = Store(backend, StoreLimits(template_bytes=2 * size))
    assert store.load(SITE) == []
    assert (store.counts.refused, kept(store)) == (1, {key})
    assert len(Store(backend, StoreLimits(template_bytes=memory)).load(SITE)) == 1


def test_what_would_not_be_loaded_is_not_saved(tmp_path):
    size = wire.encode(SITE, ALL[0])[0].inflated
    with open_store(tmp_path / "a.db", limits=StoreLimits(template_bytes=size)) as store:
        with pytest.raises(TemplateTooLargeError):
            store.save(SITE, ALL[0])
        assert store.counts.refused == 1
        assert store.load(SITE) == []


def test_what_is_larger_than_any_store_keeps_is_no_record(monkeypatch):
    """Whatever the head says, and whatever its digests."""
    backend = MemoryBackend()
    key = hostile(backend, 0, 1_000)
    row = backend.read(SITE)[key]
    head = wire.decode_head(row.head, SITE, key)
    assert wire.decode_body(head, row.body).bytes > 0
    monkeypatch.setattr(wire, "MAX_INFLATED", head.inflated - 1)
    with pytest.raises(RecordError, match="malformed"):
        wire.decode_body(head, row.body)


def test_a_body_that_is_larger_than_its_head_says_is_no_record():
    backend = MemoryBackend()
    key = hostile(backend, 0, 1_000)
    row = backend.read(SITE)[key]
    head = wire.decode_head(row.head, SITE, key)
    for inflated in (head.inflated - 1, 10, 0, -1):
        with pytest.raises(RecordError, match="malformed"):
            wire.decode_body(replace(head, inflated=inflated), row.body)


def test_a_head_is_bounded(backend):
    """One that is saved has room to grow, one that is read is not looked into if it is larger still."""
    store = Store(backend)
    long: StoredTemplate = stored(1, notes={"long": "x" * (wire.MAX_HEAD // 2)})
    with pytest.raises(TemplateTooLargeError, match="addresses and notes"):
        store.save(SITE, long)
    huge = wire.encode_head(wire.encode(SITE, stored(1, notes={"long": "x" * wire.MAX_HEAD}))[0])
    with pytest.raises(RecordError, match="a head of"):
        wire.decode_head(huge, SITE, KEYS[1])
