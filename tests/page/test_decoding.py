"""Bytes are decoded as Scrapy decodes a response without headers; stored ones by what they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import version_info
from scrapy.http import HtmlResponse

from templex_scrapy.page.decoding import decode, decode_stored

URL = "https://a.example/"
BODIES = [
    b"",
    b"caf\xc3\xa9 <p>x",
    '<meta charset="latin-1"><p>é'.encode("latin-1"),
    '<meta charset="utf-8"><p>Grüße'.encode("latin-1"),
    '<meta charset="utf-8"><p>Grüße'.encode("utf-16"),
    b"\xef\xbb\xbf<meta charset='latin-1'><p>Gr\xc3\xbc\xc3\x9fe",
    b'<?xml version="1.0" encoding="iso-8859-2"?><html><p>\xb1\xe6\xea',
    '<meta http-equiv="Content-Type" content="text/html; charset=gb2312"><p>汉字镕'.encode("gb18030"),
    '<meta charset="shift_jis"><p>①日本語のページ'.encode("cp932"),
    b'<meta charset="no-such-charset"><p>Gr\xc3\xbc\xc3\x9fe',
    b'<meta charset="utf-7"><p>+ADw-script+AD4-',
    b"<p>a\x00b\x00</p>\x00",
    b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
]


@pytest.mark.parametrize("body", BODIES)
def test_known_bodies(body):
    assert decode(body) == HtmlResponse(URL, body=body).text


@pytest.mark.skipif(version_info < (2, 19), reason="Scrapy before 2.19 takes what it cannot tell for cp1252")
@pytest.mark.parametrize(
    "body",
    [
        "<p>日本語のページです。".encode("shift_jis"),
        "<p>Привет, мир и все люди".encode("cp1251"),
        "<p>Grüße".encode("cp1252"),
        "<p>Grüße".encode("utf-16-le"),
    ],
)
def test_what_nobody_declares_is_guessed_alike(body):
    assert decode(body) == HtmlResponse(URL, body=body).text


@given(st.text(), st.sampled_from(["utf-8", "utf-16", "latin-1", "cp1252", "shift_jis", "big5", "koi8-r"]))
def test_any_text_in_a_declared_charset(text, charset):
    body = f'<meta charset="{charset}"><p>{text}'.encode(charset, "replace")
    assert decode(body) == HtmlResponse(URL, body=body).text


META = '<meta charset="{}"><p>'


@pytest.mark.parametrize("charset", ["gb2312", "latin-1", "utf-16", "iso-2022-jp", "no-such"])
def test_stored_utf_8_is_read_as_utf_8_whatever_is_declared(charset):
    text = f"{META.format(charset)}Wetter: дождь, 雨 \ufffd"
    assert decode_stored(text.encode()) == decode_stored(text.encode(), charset) == text


@pytest.mark.parametrize("head", ["", META.format("utf-16"), META.format("utf-8")])
@pytest.mark.parametrize(("before", "behind"), [(b"\xe9", b""), (b"", b"\xd0"), (b"\xe9", b"\xe2\x82")])
def test_a_bad_byte_of_a_stored_page_costs_one_character(head, before, behind):
    text = decode_stored(head.encode() + before + "дождь".encode() + behind)
    assert text.replace("\ufffd", "").strip() == f"{head}дождь"
    assert text.count("\ufffd") == bool(before) + bool(behind)


@pytest.mark.parametrize("charset", [None, "iso-8859-8-i"])
def test_stored_logical_hebrew_is_read(charset):
    text = f"{META.format('ISO-8859-8-I')}שלום"
    assert decode_stored(text.encode("iso8859_8"), charset) == text


@pytest.mark.parametrize(
    ("body", "charset", "expected"),
    [
        ("<p>Grüße é".encode("latin-1"), "latin-1", "<p>Grüße é"),
        (f"{META.format('latin-1')}Grüße é".encode("latin-1"), None, f"{META.format('latin-1')}Grüße é"),
        ("<p>rain".encode("utf-16-le"), "utf-16-le", "<p>rain"),
        ("<p>雨".encode("iso-2022-jp"), "iso-2022-jp", "<p>雨"),
        ("<p>ü".encode("utf-16"), "utf-8", "<p>ü"),
        # as many good characters as bad bytes: no UTF-8
        (b"<p>\xc3\xa9\xe9", None, None),
    ],
)
def test_other_stored_bytes_are_decoded_as_they_are_declared(body, charset, expected):
    assert decode_stored(body, charset) == (decode(body) if expected is None else expected)
