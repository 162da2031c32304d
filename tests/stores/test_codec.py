"""Records: what was written comes back, and nothing else is ever taken for a template."""

import zlib
from contextlib import suppress

import msgspec
import pytest
from helpers.store_contract import NOW, SITE, stored, template
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy import Page, Template
from templex_scrapy.stores import RecordError, StoredTemplate, codec
from templex_scrapy.stores.codec import RecordReader, decode, encode, merge

KEY = stored().key
RECORD = encode(template(), NOW)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def packed(data):
    return zlib.compress(msgspec.msgpack.encode(data))


@given(texts=st.lists(TEXTS, min_size=1, max_size=6), url=TEXTS, learnt=st.floats(0, codec.LATEST))
def test_what_was_encoded_comes_back(texts, url, learnt):
    body = "".join(f"<p>{text}</p>" for text in texts)
    pages = [Page(f"<body><h1>{number}</h1>{body}", f"https://site.test/{url}{number}") for number in range(3)]
    one = Template.from_pages(pages[0], pages[1:])
    found, when = decode(encode(one, learnt))
    assert (found.to_dict(), when) == (one.to_dict(), learnt)


@given(position=st.integers(0, len(RECORD) - 1), bits=st.integers(1, 255))
def test_no_flipped_bit_is_overlooked(position, bits):
    """One of the header's bits means the level of compression, which does not matter."""
    flipped = RECORD[:position] + bytes([RECORD[position] ^ bits]) + RECORD[position + 1 :]
    with suppress(RecordError):
        found, learnt = decode(flipped)
        assert (found.to_dict(), learnt) == (template().to_dict(), NOW)


@given(st.binary(max_size=200), st.integers(0, len(RECORD) - 10))
def test_no_cut_record_and_no_other_bytes_are_read(data, length):
    for record in (data, zlib.compress(data), RECORD[:length]):
        with pytest.raises(RecordError):
            decode(record)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [1, NOW],
        [2, NOW, template().to_dict()],
        [1, -1.0, template().to_dict()],
        [1, float("nan"), template().to_dict()],
        [1, float("inf"), template().to_dict()],
        [1, "now", template().to_dict()],
        [1, NOW, {}],
        [1, NOW, {**template().to_dict(), "format": 99}],
    ],
)
def test_what_is_well_packed_is_checked_all_the_same(data):
    with pytest.raises(RecordError):
        decode(packed(data))


def test_a_bomb_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(codec, "MAX_BYTES", 10_000)
    with pytest.raises(RecordError, match="more than"):
        decode(zlib.compress(b"\xc0" * 10_001))
    nested = b"\x93\x01\xcb" + bytes(8) + b"\x81\xa1a" + b"\x91" * 9_000
    with pytest.raises(RecordError):
        decode(zlib.compress(nested))


def test_a_template_that_is_too_large_is_not_encoded(monkeypatch):
    monkeypatch.setattr(codec, "MAX_BYTES", 1_000)
    with pytest.raises(RecordError, match="1,000 at most"):
        encode(template(), NOW)


def test_merging_keeps_more_voters_and_the_first_date():
    three, two = stored(0, 3, learnt=NOW + 9), stored(0, 2, learnt=NOW)
    assert merge(RECORD, two) is None
    record = merge(RECORD, three)
    assert record is not None
    found, learnt = decode(record)
    assert (len(found.page_urls), learnt) == (3, NOW)
    assert merge(record, two) is None


@pytest.mark.parametrize("held", [b"", RECORD[:-9], packed([2, NOW, {}])])
def test_merging_replaces_what_cannot_be_read(held):
    assert merge(held, stored()) == RECORD


def test_a_reader_skips_what_is_damaged_with_one_warning(caplog):
    reader = RecordReader()
    rows = [(NOW, RECORD[:9]), (NOW, RECORD), (NOW, b""), (float("inf"), encode(template(1), NOW))]
    found = reader.read(SITE, rows)
    assert [(one.key, one.used) for one in found] == [(KEY, NOW), (stored(1).key, codec.LATEST)]
    assert reader.skipped == 2
    (warning,) = caplog.records
    assert SITE in warning.getMessage()


def test_a_key_names_a_key_page():
    """However it grows, and only it."""
    assert stored(0, 1).key == stored(0, 3).key != stored(1, 3).key
    again = Page("<p>another text", template().key_url)
    assert StoredTemplate(Template.from_pages(again, []), NOW, NOW).key != KEY
