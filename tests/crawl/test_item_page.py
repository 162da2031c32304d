"""Which page an item is of: each row of the table."""

import dataclasses

import pytest
from scrapy.http import HtmlResponse, JsonResponse, Response

from templex_scrapy.crawl.item_page import ItemPage, PageKind
from templex_scrapy.crawl.settings import TemplexSettings

URL = "http://a.example/"
SENT = "<title>T</title><p>é"
DOCUMENT = "<!DOCTYPE html><p>é"
HTML = HtmlResponse(URL, body=SENT.encode("latin-1"), encoding="latin-1")
JSON, BINARY = JsonResponse(URL, body=b'{"a": 1}'), Response(URL, body=b"%PDF")
DEFAULT, TEXTS = TemplexSettings(), TemplexSettings(outputs={"text": "text"})
FROZEN = dataclasses.make_dataclass("Frozen", ["url", "html"], frozen=True)


@pytest.mark.parametrize(
    ("kind", "value", "response", "settings"),
    [
        *(("RESPONSE", value, HTML, DEFAULT) for value in (SENT, [SENT], (SENT,), HTML.body)),
        ("RESPONSE", JSON.text, JSON, DEFAULT),
        ("RESPONSE", "", HtmlResponse(URL), DEFAULT),
        ("RESPONSE", None, HTML, TEXTS),
        *(("NONE", None, response, TEXTS) for response in (JSON, BINARY, None)),
        ("NONE", None, HTML, DEFAULT),
        *(("OWN", DOCUMENT, response, DEFAULT) for response in (HTML, JSON, BINARY, None)),
        ("OWN", DOCUMENT.encode(), HTML, DEFAULT),
        ("PART", "\n<p>é", HTML, DEFAULT),
        *(("NONE", value, HTML, DEFAULT) for value in ("", "<p>é".encode(), "text", 42, [], [SENT, SENT])),
    ],
)
def test_the_page_of_an_item(kind, value, response, settings):
    page = ItemPage.of({"url": URL, "html": value}, response, settings)
    assert (page.kind, page.obstacle) == (PageKind[kind], "")
    if kind != "NONE":
        assert page.url == URL
        assert page.text in {SENT, DOCUMENT, "\n<p>é", "", JSON.text}


def test_a_document_without_an_address_is_no_page_of_its_own():
    assert ItemPage.of({"html": DOCUMENT}, None, DEFAULT).kind is not PageKind.OWN


def test_a_value_that_cannot_be_compared_is_no_page():
    """As an array of numpy is: ``array == text`` has no truth."""

    class Array:
        def __eq__(self, other):
            raise ValueError

        __hash__ = None

    assert ItemPage.of({"html": Array()}, HTML, DEFAULT).kind is PageKind.NONE


def test_items_that_cannot_be_written_say_why():
    page, none = (ItemPage.of(FROZEN(URL, value), HTML, DEFAULT) for value in (DOCUMENT, "text"))
    assert (page.kind, none.kind) == (PageKind.OWN, PageKind.NONE)
    assert (page.obstacle, none.obstacle) == ("they are frozen and cannot be written", "")


@pytest.mark.parametrize("charset", ["utf-8-sig", "utf-16", "utf-32"])
def test_bytes_keep_their_charset_and_byte_order_mark(charset):
    value = DOCUMENT.encode(charset)
    page = ItemPage.of({"html": value}, HTML, DEFAULT)
    assert page.encoded(DOCUMENT) is value
    assert page.encoded("<p>ü") == "<p>ü".encode(charset)
