"""Records: what was written comes back, and nothing else is ever taken for a template."""

import zlib

import msgspec
import pytest
from helpers.store_contract import NOW, SITE, stored, template
from hypothesis import given
from hypothesis import strategies as st

from templex_scrapy import Page, Template
from templex_scrapy.stores import RecordError, StoredTemplate, codec, key_of
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
    found, when = decode(encode(one, learnt), key_of(one))
    assert (found.to_dict(), when) == (one.to_dict(), learnt)
    assert key_of(found) == key_of(one)


@given(position=st.integers(0, len(RECORD) - 1), bits=st.integers(1, 255))
def test_no_flipped_bit_is_overlooked(position, bits):
    """One of the header's bits means the level of compression, which does not matter."""
    flipped = RECORD[:position] + bytes([RECORD[position] ^ bits]) + RECORD[position + 1 :]
    try:
        found, learnt = decode(flipped, KEY)
    except RecordError:
        return
    assert (found.to_dict(), learnt) == (template().to_dict(), NOW)


@given(st.integers(0, len(RECORD) - 1))
def test_no_cut_record_is_read(length):
    with pytest.raises(RecordError):
        decode(RECORD[:length], KEY)


@given(st.binary(max_size=200))
def test_no_other_bytes_are_read(data):
    for record in (data, zlib.compress(data), RECORD + data[:1] + b"x"):
        with pytest.raises(RecordError):
            decode(record, KEY)


def changed(key, value):
    return {**template().to_dict(), key: value}


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
        [1, NOW, changed("format", 99)],
        [1, NOW, changed("votes", "2")],
        [1, NOW, changed("sizes", [])],
        [1, NOW, template(1).to_dict()],
    ],
)
def test_what_is_well_packed_is_checked_all_the_same(data):
    with pytest.raises(RecordError):
        decode(packed(data), KEY)


def test_a_bomb_is_not_unpacked(monkeypatch):
    monkeypatch.setattr(codec, "MAX_BYTES", 10_000)
    with pytest.raises(RecordError, match="more than"):
        decode(zlib.compress(b"\xc0" * 10_001), KEY)
    nested = b"\x93\x01\xcb" + bytes(8) + b"\x81\xa1a" + b"\x91" * 9_000
    with pytest.raises(RecordError):
        decode(zlib.compress(nested), KEY)


def test_a_template_that_is_too_large_is_not_encoded(monkeypatch):
    monkeypatch.setattr(codec, "MAX_BYTES", 1_000)
    with pytest.raises(RecordError, match="1,000 at most"):
        encode(template(), NOW)


def test_merging_keeps_more_voters_and_the_first_date():
    three, two = stored(0, 3, learnt=NOW + 9), stored(0, 2, learnt=NOW)
    assert merge(RECORD, two) is None
    record = merge(RECORD, three)
    assert record is not None
    found, learnt = decode(record, KEY)
    assert (len(found.page_urls), learnt) == (3, NOW)
    assert merge(record, two) is None


@pytest.mark.parametrize("held", [b"", RECORD[:-1], packed([2, NOW, {}])])
def test_merging_replaces_what_cannot_be_read(held):
    assert merge(held, stored()) == RECORD


def test_a_reader_skips_what_is_damaged_with_one_warning(caplog):
    reader = RecordReader()
    other = encode(template(1), NOW)
    rows = [(KEY, NOW, RECORD[:9]), (KEY, NOW, RECORD), (KEY, NOW, other), (stored(1).key, float("inf"), other)]
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
