"""Templates as bytes: what was written comes back, and nothing else is ever read as a template."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_sites import HOST
from store_cases import SITE, WHEN, later, stored, template

from templex_scrapy import Page, Template
from templex_scrapy.stores import NewerRecordError, RecordError, Retired, StoredTemplate, TemplateTooLargeError, wire
from templex_scrapy.stores.record import Head
from templex_scrapy.stores.wire import decode_body, decode_head, encode, encode_head, merge

ONE = stored(1, kind="news", notes={"b": "two", "a": "\ud800 half"}).retire("gone", later(5))
HEAD, BODY = encode(SITE, ONE)
RAW = encode_head(HEAD)


def read(raw: bytes, body: bytes) -> tuple[Head, dict[str, Any]]:
    head = decode_head(raw, SITE, ONE.key)
    return head, decode_body(head, body).to_dict()


def test_what_was_written_comes_back():
    assert read(RAW, BODY) == (HEAD, ONE.template.to_dict())


def test_strange_texts_come_back():
    """Half surrogate pairs, also two that would make a whole one, and control characters."""
    pages = [Page(f"<p>\ud83d \x00 &#12;</p><ul><li>{n}</ul>", f"{HOST}{n}\ud83d") for n in range(3)]
    odd = Template.from_pages(pages[0], pages[1:])
    head, body = encode("\udcff", StoredTemplate.of(odd, WHEN, kind="\ud83d\ude00"))
    again = decode_head(encode_head(head), "\udcff", head.key)
    assert again == head
    assert decode_body(again, body).to_dict() == odd.to_dict()


def test_the_same_template_gives_the_same_bytes():
    again = Template.from_dict(ONE.template.to_dict())
    assert encode(SITE, replace(ONE, template=again)) == (HEAD, BODY)


@pytest.mark.parametrize("part", ["head", "body"])
def test_every_flipped_bit_is_found(part):
    raw = bytearray(RAW if part == "head" else BODY)
    for position in range(len(raw)):
        for bit in range(8):
            raw[position] ^= 1 << bit
            with pytest.raises(RecordError):
                read(*((bytes(raw), BODY) if part == "head" else (RAW, bytes(raw))))
            raw[position] ^= 1 << bit


@pytest.mark.parametrize("part", ["head", "body"])
def test_every_truncation_is_found(part):
    raw = RAW if part == "head" else BODY
    for size in range(len(raw)):
        with pytest.raises(RecordError):
            read(*((raw[:size], BODY) if part == "head" else (RAW, raw[:size])))


@given(st.binary(max_size=200), st.binary(max_size=200), st.booleans())
def test_random_bytes_are_no_template(raw, body, begins_well):
    raw = RAW[:6] + raw if begins_well else raw
    for pair in ((raw, BODY), (RAW, body)):
        if pair != (RAW, BODY):
            with pytest.raises(RecordError):
                read(*pair)


def test_a_record_of_another_site_or_key_is_none():
    for site, key in ((f"{SITE}:81", ONE.key), (SITE, stored(2).key)):
        with pytest.raises(RecordError, match="belongs to another"):
            decode_head(RAW, site, key)


def test_a_body_of_another_template_is_none():
    with pytest.raises(RecordError, match="changed"):
        decode_body(HEAD, encode(SITE, stored(2))[1])


def test_a_record_of_a_later_version_is_told_apart():
    later_version = RAW[:5] + bytes([wire.FORMAT + 1]) + b"whatever comes then"
    for raw in (later_version + b"." * 20, encode_head(replace(HEAD, data_format=99))):
        with pytest.raises(NewerRecordError):
            decode_head(raw, SITE, ONE.key)


def forged(data: object) -> tuple[Head, bytes]:
    """A record whose digests are right, around data of any kind."""
    plain = json.dumps(data).encode() if not isinstance(data, bytes) else data
    body = zlib.compress(plain)
    digest = wire._digest(body).hex()
    return replace(HEAD, digest=digest, size=len(body), inflated=len(plain)), body


def test_a_bomb_is_not_inflated(monkeypatch):
    head, body = forged(b" " * 3_000_000)
    monkeypatch.setattr(wire, "MAX_INFLATED", 2_000_000)
    for size in (3_000_000, 2_000_000, 10, 0, -1, 10**30):
        with pytest.raises(RecordError):
            decode_body(replace(head, inflated=size), body)


def test_what_follows_the_compressed_data_is_found():
    plain = json.dumps(ONE.template.to_dict()).encode()
    body = zlib.compress(plain) + b"more"
    head = replace(HEAD, digest=wire._digest(body).hex(), size=len(body), inflated=len(plain))
    with pytest.raises(RecordError):
        decode_body(head, body)


def test_a_template_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(wire, "MAX_INFLATED", 1000)
    with pytest.raises(TemplateTooLargeError, match="1,000"):
        encode(SITE, ONE)


GOOD = ONE.template.to_dict()
values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 2000) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(st.sampled_from(sorted(GOOD)), values)
def test_forged_data_makes_no_template_of_another_name(name, value):
    """With right digests, data that is not as it should be raises the one error, or is a template of these pages."""
    head, body = forged({**GOOD, name: value})
    try:
        read_back = decode_body(head, body)
    except RecordError:
        return
    assert (read_back.key_url, *read_back.page_urls) == HEAD.urls


@pytest.mark.parametrize("plain", [b"[" * 100_000, b"1" * 10_000, b"\xff\xfe", b"null", b'{"format": 1}', b"NaN", b""])
def test_forged_data_of_other_forms_raises_the_one_error(plain):
    with pytest.raises(RecordError):
        decode_body(*forged(plain))


@given(st.sampled_from(sorted(vars(HEAD))), values)
def test_forged_heads_raise_the_one_error_or_are_well_formed(name, value):
    data = {**json.loads(RAW[wire._START :].decode("utf-8", "surrogatepass")), name: value}
    plain = json.dumps(data).encode()
    raw = RAW[:6] + wire._digest(plain) + plain
    try:
        head = decode_head(raw, SITE, ONE.key)
    except RecordError:
        return
    assert decode_head(encode_head(head), SITE, ONE.key) == head
    merge(head, HEAD)


def test_times_keep_their_moment_and_need_a_zone():
    east = datetime(2026, 3, 1, 14, 0, tzinfo=timezone(timedelta(hours=2)))
    one = StoredTemplate.of(template(), east)
    head, _ = encode(SITE, one)
    assert decode_head(encode_head(head), SITE, one.key).learnt == east
    with pytest.raises(ValueError, match="no time zone"):
        StoredTemplate.of(template(), datetime(2026, 3, 1))  # noqa: DTZ001 - that is the point


def test_the_key_is_that_of_the_key_page():
    assert stored(1, voters=2).key == stored(1, voters=3).key != stored(2).key


def test_a_template_that_has_grown_wins_whatever_the_clock_says():
    first = stored(1, voters=2)
    grown = first.grown(template(1, 3), later(-1000))
    assert grown.updated > first.updated
    assert merge(encode(SITE, first)[0], encode(SITE, grown)[0]) == encode(SITE, grown)[0]
    with pytest.raises(ValueError, match="another key page"):
        first.grown(template(2), later(1))


heads = st.builds(
    lambda learnt, voters, updated, retired: encode(
        SITE,
        replace(
            stored(1, voters, later(learnt)),
            updated=later(learnt + updated),
            retired=None if retired is None else Retired(later(retired), "why"),
        ),
    )[0],
    st.integers(0, 3),
    st.integers(2, 3),
    st.integers(0, 2),
    st.none() | st.integers(0, 6),
)


@given(st.lists(heads, min_size=3, max_size=3))
def test_the_order_of_merging_does_not_matter(three):
    results = [merge(merge(a, b), c) for a, b, c in permutations(three)]
    results += [merge(a, merge(b, c)) for a, b, c in permutations(three)]
    assert all(result == results[0] for result in results)
    assert merge(results[0], three[0]) == results[0]


def test_a_retired_template_stays_so_until_it_is_learnt_anew():
    retired, _ = encode(SITE, stored(1).retire("redesigned", later(10)))
    grown, _ = encode(SITE, stored(1).grown(template(1, 3), later(20)))
    anew, _ = encode(SITE, stored(1, learnt=later(11)))
    assert merge(retired, grown) == replace(grown, retired=retired.retired)
    assert merge(retired, anew) == anew
