"""Style sheets and pictures of a page: which ones there are, and in what form the view takes them.

The view itself requests nothing. The caller loads the files and hands them over by URL.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from templex_scrapy.page import Page, join, site_of

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_STYLE_SHEETS = 20
MAX_PICTURES = 60
MAX_PICTURE = 500_000
"""Bytes of a picture. Larger ones are left out."""

STYLE_SHEET = "text/css"
"""The media type of a style sheet."""

_PICTURES = {
    ".avif": "image/avif",
    ".gif": "image/gif",
    ".jpeg": "image/jpeg",
    ".jpg": "image/jpeg",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
}
_SHEET_NAME = re.compile(r"\.css(?:$|[?@])|[?@].*=")
# lazy loaders keep the address in an attribute of their own
_SOURCES = ("src", "data-src", "data-lazy-src", "data-original")


def resource_urls(page: Page) -> list[str]:
    """Absolute http and https URLs of the first style sheets and pictures of a page, each once."""
    base = page.base_url
    sheets = (sheet_url(element, base) for element in page.root.iter("link"))
    pictures = (picture_url(element, base) for element in page.root.iter("img", "image"))
    return [*_distinct(sheets)[:MAX_STYLE_SHEETS], *_distinct(pictures)[:MAX_PICTURES]]


def _distinct(urls: Iterable[str | None]) -> list[str]:
    return list(dict.fromkeys(url for url in urls if url is not None and site_of(url)))


def sheet_url(link: Element, base: str) -> str | None:
    """Return the absolute URL of the style sheet that a ``link`` element names, None for other links.

    Args:
        link: the element.
        base: the base URL of the page.
    """
    relations = (link.get("rel") or "").lower().split()
    href = link.get("href")
    is_sheet = "stylesheet" in relations and "alternate" not in relations and link.get("disabled") is None
    return join(base, href) if is_sheet and href else None


def picture_url(image: Element, base: str) -> str | None:
    """Return the absolute URL of the picture of an ``img`` element, None without one and for ``data:`` URLs.

    Args:
        image: the element.
        base: the base URL of the page.
    """
    written = ((image.get(name) or "").strip() for name in _SOURCES)
    url = next((one for one in written if one and not one.lower().startswith("data:")), None)
    return None if url is None else join(base, url)


def media_type_of(path: str) -> str | None:
    """Return the media type of a saved picture or style sheet by its name, None for other and for hidden files.

    Args:
        path: the path below the folder of the site, with ``/``. A file saved with the query of its URL has it behind
            ``?`` or ``@``.
    """
    *folders, name = path.lower().split("/")
    if any(part.startswith(".") for part in (*folders, name)):
        return None
    named = next((media_type for ending, media_type in _PICTURES.items() if name.endswith(ending)), None)
    return named or (STYLE_SHEET if _SHEET_NAME.search(name) else None)


def data_url(body: bytes, media_type: str) -> str | None:
    """Return a picture as a ``data:`` URL, None for what browsers do not show as a picture and for large ones."""
    media_type = "image/jpeg" if media_type == "image/jpg" else media_type
    if media_type not in _PICTURES.values() or not 0 < len(body) <= MAX_PICTURE:
        return None
    return f"data:{media_type};base64,{base64.b64encode(body).decode()}"
