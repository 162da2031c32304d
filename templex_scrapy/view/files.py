"""Files that a page asks for: which they are, and how the view takes them, which itself asks for nothing."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from templex_scrapy.links import base_url, join
from templex_scrapy.page import Page
from templex_scrapy.view.styles import stylesheet_urls

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_STYLESHEETS = 20
MAX_PICTURES = 60
MAX_PICTURE = 500_000
"""Bytes of a picture beyond which it is left out."""

_KINDS = {
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}
# where the address is that a script of the page would put into ``src`` later
_SOURCES = ("src", "data-src", "data-lazy-src", "data-original")


def asked_for(page: Page) -> list[str]:
    """Absolute URLs of the first style sheets and pictures of a page, each once."""
    base = base_url(page)
    addresses = (picture_address(element, base) for element in page.root.iter("img"))
    pictures = list(dict.fromkeys(address for address in addresses if address is not None))
    return [*stylesheet_urls(page)[:MAX_STYLESHEETS], *pictures[:MAX_PICTURES]]


def picture_address(element: Element, base: str) -> str | None:
    """The absolute address of the picture of an ``img`` element; None if it has none, or brings the picture along.

    Args:
        element: the element.
        base: the address that the page's relative links start from.
    """
    written = ((element.get(name) or "").strip() for name in _SOURCES)
    address = next((one for one in written if one and not one.lower().startswith("data:")), None)
    return None if address is None else join(base, address)


def kind_of(name: str) -> str | None:
    """The media type of a picture by the name of its file; None for what is no picture."""
    return next((kind for ending, kind in _KINDS.items() if name.lower().endswith(ending)), None)


def as_picture(body: bytes, kind: str) -> str | None:
    """A picture as a ``data:`` URL, as :func:`templex_scrapy.view.view` takes it.

    Args:
        body: the picture.
        kind: its media type.

    Returns:
        None for what is no picture that browsers know, or is too large.
    """
    if kind not in _KINDS.values() or not 0 < len(body) <= MAX_PICTURE:
        return None
    return f"data:{kind};base64,{base64.b64encode(body).decode()}"


def put_pictures(elements: Iterator[Element], base: str, files: Mapping[str, str]) -> None:
    """Put the pictures that are at hand into ``img`` elements, in place.

    Args:
        elements: the elements.
        base: the address that the page's relative links start from.
        files: absolute URL → ``data:`` URL, and what else the page asks for.
    """
    for element in elements:
        file = files.get(picture_address(element, base) or "", "")
        if file.startswith("data:image/"):
            element.set("src", file)
