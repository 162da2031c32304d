"""Items: where their page is, and how cleaned pages are written into them."""

from __future__ import annotations

import codecs
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, TypeGuard

from itemadapter import ItemAdapter
from scrapy.http import HtmlResponse, Response, TextResponse

from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.page import Page, is_too_large

_BYTE_ORDER_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def is_page(value: str | bytes, response: object) -> bool:
    """Return whether a field contains a whole page, such as that of the response, and not a fragment of one."""
    # "<!DOCTYPE html><title>T</title><p>x" is a page, although it looks like a fragment, if the server has sent it
    if isinstance(response, TextResponse) and value in (response.text, response.body):
        return True
    return Page(value, "").is_document


class UnwritableItemError(Exception):
    """An item is frozen, or lacks a field that is to be written."""


def may_take_page(item: object, settings: TemplexSettings) -> bool:
    """Return whether an item may have outputs that are made from a page; nothing is parsed for that."""
    if not ItemAdapter.is_item(item):
        return False
    adapter = ItemAdapter(item)
    value = single(adapter.get(settings.html_field))
    # {"title": "Rain"} has no page, and need not wait for a template, unless outputs are made from the response
    has_page = settings.outputs is not None if value is None else isinstance(value, (str, bytes)) and bool(value)
    return has_page and not obstacle(adapter, settings.item_outputs)


async def takes_page(
    item: object, response: TextResponse, settings: TemplexSettings, contains: Callable[[str], Awaitable[bool]]
) -> bool:
    """Return whether the outputs of an item that may take a page are made from one, so that it waits for a template.

    ``contains`` tells whether the page of the response contains a fragment.
    """
    value = single(ItemAdapter(item).get(settings.html_field))
    if value is None or is_page(value, response):
        return True
    # "<b>12 in stock</b>", which the callback has put together, is in no page and needs no template
    return is_fragment(value) and not is_too_large(response.text) and await contains(value)


def single(value: Any) -> Any:
    """Return what a list of one value contains, as ``ItemLoader`` makes it; other values as they are."""
    return value[0] if isinstance(value, (list, tuple)) and len(value) == 1 else value


def is_fragment(value: object) -> TypeGuard[str]:
    """Return whether a field may contain a part of a page."""
    return isinstance(value, str) and value.lstrip().startswith("<")


def obstacle(adapter: ItemAdapter, outputs: Collection[str]) -> str:
    """Return why the fields of outputs cannot be written into an item: it lacks some, or is frozen; or nothing."""
    if isinstance(adapter.item, dict):
        return ""
    known = set(adapter.field_names())
    if missing := [repr(field) for field in outputs if field not in known]:
        return f"they have no field {' and no field '.join(missing)}, which TEMPLEX_OUTPUTS or TEMPLEX_HTML_FIELD names"
    try:
        # the only way to learn that attrs, pydantic or a dataclass have made an item frozen is to write into it
        for name in adapter:
            adapter[name] = adapter[name]
            break
    except Exception:  # noqa: BLE001 - each kind of frozen item has an exception of its own
        return "they are frozen and cannot be written"
    return ""


def decode(value: str | bytes, url: str, response: Response | None) -> tuple[str, str | None]:
    """Return the text of a field, and the charset of bytes."""
    if isinstance(value, str):
        return value, None
    # the response knows the charset from its headers, which bytes of another page have not
    if not isinstance(response, TextResponse) or response.body != value:
        response = HtmlResponse(url, body=value)
    return response.text, response.encoding


def encode(text: str, encoding: str, before: bytes) -> bytes:
    """Return a text in the charset of the bytes that it replaces, with their byte order mark."""
    mark = next((mark for mark in _BYTE_ORDER_MARKS if before.startswith(mark)), b"")
    # "€" in a page in ISO-8859-1 becomes "&#8364;", which every HTML parser reads
    return mark + text.encode(encoding, "xmlcharrefreplace")


def write(adapter: ItemAdapter, values: Mapping[str, Any]) -> None:
    """Write all fields or none.

    Raises:
        UnwritableItemError: if a field cannot be written.
    """
    # an item with the clean "text" beside "html" with the menu would be neither the old nor the new item
    before = {field: adapter[field] for field in values if field in adapter}
    written: list[str] = []
    try:
        for field, value in values.items():
            if field not in before or before[field] != value:
                adapter[field] = value
                written.append(field)
    except Exception as error:
        for field in written:
            if field in before:
                adapter[field] = before[field]
            else:
                del adapter[field]
        raise UnwritableItemError(f"{field!r} of TEMPLEX_OUTPUTS cannot be written: {error}") from error
