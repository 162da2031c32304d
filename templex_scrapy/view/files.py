"""Files that a page asks for: which they are, and how the view takes them, which itself asks for nothing."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from templex_scrapy.page import Page, join, site_of
from templex_scrapy.view.styles import stylesheet_urls

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_STYLESHEETS = 20
MAX_PICTURES = 60
MAX_PICTURE = 500_000
"""Bytes of a picture beyond which it is left out."""

SHEET = "text/css"
"""The media type of a style sheet: browsers of today take nothing else for one that is declared as something else."""

_KINDS = {
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}
_SAME_KINDS = {"image/jpg": "image/jpeg"}
_SHEET_NAME = re.compile(r"\.css(?:$|[?@])|[?@].*=")
# where the address is that a script of the page would put into ``src`` later
_SOURCES = ("src", "data-src", "data-lazy-src", "data-original")


def asked_for(page: Page) -> list[str]:
    """Absolute http and https URLs of the first style sheets and pictures of a page, each once.

    What a page names by another scheme, such as a file of the machine that it is read on, is not told.
    """
    base = page.base_url
    addresses = (picture_address(element, base) for element in page.root.iter("img", "image"))
    pictures = list(dict.fromkeys(address for address in addresses if address is not None))
    sheets, pictures = ([url for url in urls if site_of(url)] for urls in (stylesheet_urls(page), pictures))
    return [*sheets[:MAX_STYLESHEETS], *pictures[:MAX_PICTURES]]


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
    """The media type of a picture or a style sheet by the name of its file; None for what is neither, or hidden.

    A file that was saved with the query of its address, behind ``?`` or ``@``, may have any name before that.

    Args:
        name: the file's name, or its path below the folder of the site, with ``/`` between the parts. Parts that begin
            with a dot are hidden.
    """
    *folders, name = name.lower().split("/")
    if any(part.startswith(".") for part in (*folders, name)):
        return None
    named = next((kind for ending, kind in _KINDS.items() if name.endswith(ending)), None)
    return named or (SHEET if _SHEET_NAME.search(name) else None)


def as_picture(body: bytes, kind: str) -> str | None:
    """A picture as a ``data:`` URL, as :func:`templex_scrapy.view.view` takes it.

    Args:
        body: the picture.
        kind: its media type, in lower case.

    Returns:
        None for what is no picture that browsers know, or is too large.
    """
    kind = _SAME_KINDS.get(kind, kind)
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
