"""Tell which page an item is of, and write outputs of the page into the fields of the item."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Self

from itemadapter import ItemAdapter
from scrapy.http import HtmlResponse, Response, TextResponse
from w3lib.encoding import read_bom

from templex_scrapy.crawl.downloads.page_memory import is_html
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.page import Page


class UnwritableItemError(Exception):
    """An item is frozen, or lacks a field that is to be written."""


PageKind = Enum("PageKind", ["NONE", "RESPONSE", "OWN", "PART"])
"""Which page an item is of; :class:`ItemPage` has the table of cases."""


@dataclass(frozen=True)
class ItemPage:
    """The page that an item is of. The first row that holds decides; nothing is parsed for that.

    =====================================================================  ==========================================
    HTML field of the item                                                 page of the item
    =====================================================================  ==========================================
    missing or None, if TEMPLEX_OUTPUTS is set and the response is HTML    ``RESPONSE``: that of the response
    text or body of the response                                           ``RESPONSE``
    an HTML document, if the response or the item has a URL                ``OWN``: that of the field
    other text that begins with ``<``                                      ``PART``: that part of the response's page
    anything else                                                          ``NONE``
    =====================================================================  ==========================================

    The caller looks whether the response's page contains a ``PART``; if not, the item has no page.
    """

    item: object
    value: Any = None  # of the HTML field; of a list with a single value, as ItemLoader makes it, that value
    kind: PageKind = PageKind.NONE
    text: str = ""  # source of the page or the part
    encoding: str = ""  # charset of a value in bytes
    url: str = ""
    obstacle: str = ""  # why outputs cannot be written into the item

    @classmethod
    def of(cls, item: object, response: Response | None, settings: TemplexSettings) -> Self:
        """Decide which page an item is of; ``response`` is None if the item comes from none."""
        if not ItemAdapter.is_item(item):
            return cls(item)
        adapter = ItemAdapter(item)
        value = adapter.get(settings.html_field)
        if isinstance(value, (list, tuple)) and len(value) == 1:
            value = value[0]
        url: Any = adapter.get(settings.url_field) if response is None else response.url
        text, encoding, kind = value, "", PageKind.NONE
        if value is None and settings.outputs is not None and is_html(response):
            text = response.text
        elif isinstance(value, bytes):
            # the response knows the charset from its headers, which bytes of another page have not
            is_body = isinstance(response, TextResponse) and response.body == value
            source: Any = response if is_body else HtmlResponse("", body=value)
            text, encoding = source.text, source.encoding
        if not isinstance(text, str):
            return cls(item, value)
        # first of all: "<title>T</title><p>x" looks like a fragment, but is a page if the server has sent it
        if isinstance(response, TextResponse) and text == response.text:
            kind = PageKind.RESPONSE
        elif isinstance(url, str) and Page(text, url).is_document:
            kind = PageKind.OWN
        elif isinstance(value, str) and value.lstrip().startswith("<"):
            kind = PageKind.PART
        obstacle = "" if kind is PageKind.NONE else _obstacle(adapter, settings.item_outputs)
        return cls(item, value, kind, text, encoding, url, obstacle)

    def encoded(self, markup: str) -> str | bytes:
        """Return markup as bytes with charset and byte order mark of the HTML field, if the field contains bytes."""
        if not isinstance(self.value, bytes):
            return markup
        if markup == self.text:
            return self.value
        # "€" in a page in ISO-8859-1 becomes "&#8364;", which every HTML parser reads
        return (read_bom(self.value)[1] or b"") + markup.encode(self.encoding, "xmlcharrefreplace")


def missing_fields(adapter: ItemAdapter, names: Collection[str]) -> list[str]:
    """Return those of the names that are no field of an item; a dict may have any field."""
    known = names if isinstance(adapter.item, dict) else set(adapter.field_names())
    return [name for name in names if name not in known]


def _obstacle(adapter: ItemAdapter, outputs: Collection[str]) -> str:
    """Return why outputs cannot be written into an item: it lacks fields, or is frozen; or nothing."""
    if isinstance(adapter.item, dict):
        return ""
    if missing := " and no field ".join(map(repr, missing_fields(adapter, outputs))):
        return f"they have no field {missing}, which TEMPLEX_OUTPUTS or TEMPLEX_HTML_FIELD names"
    try:
        # the only way to learn that attrs, pydantic or a dataclass have made an item frozen is to write into it
        for name in adapter:
            adapter[name] = adapter[name]
            break
    except Exception:  # noqa: BLE001 - each kind of frozen item raises another exception
        return "they are frozen and cannot be written"
    return ""


def write(adapter: ItemAdapter, values: Mapping[str, Any]) -> None:
    """Write all fields or none.

    Raises:
        UnwritableItemError: if a field cannot be written.
    """
    # an item with the clean "text" beside "html" with the menu would be neither the old nor the new item
    before = {field: adapter[field] for field in values if field in adapter}
    changed: list[str] = []
    try:
        for field, value in values.items():
            if field not in before or before[field] != value:
                adapter[field] = value
                changed.append(field)
    except Exception as error:
        for field in changed:
            if field in before:
                adapter[field] = before[field]
            else:
                del adapter[field]
        raise UnwritableItemError(f"{field!r} of TEMPLEX_OUTPUTS cannot be written: {error}") from error
