"""Addresses of pictures, also of pictures that a script loads later."""

from __future__ import annotations

import re

from lxml.etree import _Element as Element

_LAZY = "data-src data-original data-lazy-src data-lazy data-original-src data-hi-res-src".split()
_SETS = "data-srcset data-lazy-srcset srcset".split()
_PLACEHOLDER = re.compile(r"blank|placeholder|spacer|transparent|1x1|pixel\.|loading|lazy", re.IGNORECASE)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)[wx](?:,|$)")
_BEFORE_ADDRESS = re.compile(r",*(?:\d+(?:\.\d+)?[wx],)?")  # "a.jpg 300w,b.jpg 900w"
_HIDDEN = re.compile(r"display:\s*none|visibility:\s*hidden|position:\s*absolute", re.IGNORECASE)
_FILE = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]|$)", re.IGNORECASE)


def address_of(image: Element, known: dict[Element, str]) -> str:
    """Return the address of a picture; empty if there is none.

    Args:
        image: the element.
        known: ``picture`` element → the address that it gives; filled here, so that a row of images takes linear time.
    """
    for name in _LAZY:
        # data-lazy="true" is no address
        if _is_address(address := image.get(name, "").strip()) and re.search("[./]", address):
            return address
    source = image.get("src", "").strip()
    is_data = source[:5].lower() == "data:"
    if source and not is_data and not _PLACEHOLDER.search(source):
        return source
    if address := _from_sets(image):
        return address
    # libxml2 reads an <img> behind a <source> as a part of it
    if (picture := next(image.iterancestors("picture"), None)) is not None:
        if picture not in known:
            known[picture] = next(filter(None, map(_from_sets, picture.iter("source"))), "")
        if known[picture]:
            return known[picture]
    if (behind := image.getnext()) is not None and behind.tag == "noscript":
        hidden = next(behind.iter("img"), None)
        if hidden is not None and _is_address(address := hidden.get("src", "").strip()):
            return address
    # a small picture as data is of no use to a reader
    return "" if is_data else source


def is_shown(image: Element) -> bool:
    """Return whether the picture of a ``noscript`` is for readers, and does not count visits."""
    source = image.get("src", "").strip()
    return (
        not {image.get("width", "").strip("px "), image.get("height", "").strip("px ")} & {"0", "1"}
        and not _HIDDEN.search(image.get("style", ""))
        and not _PLACEHOLDER.search(source)
        and (bool(image.get("alt", "").strip()) or _FILE.search(source) is not None)
    )


def _is_address(value: str) -> bool:
    return bool(value) and value[:5].lower() != "data:" and value[0] not in "{[" and " " not in value


def _from_sets(element: Element) -> str:
    return next(filter(None, (_largest(element.get(name, "")) for name in _SETS)), "")


def _largest(srcset: str) -> str:
    """Return the address with the highest number of a ``srcset``."""
    words = srcset.split()
    pairs = zip(words, map(_SIZE.match, words[1:]), strict=False)
    sized = [(float(size[1]), _BEFORE_ADDRESS.sub("", word, count=1)) for word, size in pairs if size]
    first = (0.0, words[0].rstrip(",") if words else "")
    return max([pair for pair in sized if _is_address(pair[1])] or [first])[1] if _is_address(first[1]) or sized else ""
