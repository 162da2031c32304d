"""Addresses of links and pictures, also of pictures that a script loads later."""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree
from lxml.etree import _Element as Element

from templex_scrapy.page import join
from templex_scrapy.render.text import writable

_ATTRIBUTES = frozenset("action cite data formaction href longdesc poster src srcset".split())
_SOURCE = re.compile(r"(?:(?<=^)|(?<=[\s,]))(?![\d.]+[wxh](?:[\s,]|$))[^\s,]\S*[^\s,]")  # an address in a srcset
_ROOM = 5_000_000  # characters of the addresses that are made absolute: 40,000 times a long base fills memory
_LAZY = "data-src data-original data-lazy-src data-lazy data-original-src data-hi-res-src".split()
_SETS = "data-srcset data-lazy-srcset srcset".split()
_PLACEHOLDER = re.compile(r"blank|placeholder|spacer|transparent|1x1|pixel\.|loading|lazy", re.IGNORECASE)
_SIZE = re.compile(r"(\d+(?:\.\d+)?)[wx](?:,|$)")
_BEFORE_ADDRESS = re.compile(r",*(?:\d+(?:\.\d+)?[wx],)?")  # "a.jpg 300w,b.jpg 900w"
_HIDDEN = re.compile(r"display:\s*none|visibility:\s*hidden|position:\s*absolute", re.IGNORECASE)
_FILE = re.compile(r"\.(?:avif|gif|jpe?g|png|svg|webp)(?:[?#]|$)", re.IGNORECASE)


def absolute_from(base: str) -> Callable[[str], str]:
    """Return a function that makes addresses of a page absolute, until they take much more room than the page.

    An address inside of the page (``#note``) is not changed.
    """
    known: dict[str, str] = {}
    room = _ROOM

    def absolute(address: str) -> str:
        nonlocal room
        address = address.strip()
        if not address or address.startswith("#") or room < 0:
            return address
        if address not in known:
            known[address] = join(base, address) or address
        room -= len(known[address])
        return known[address]

    return absolute


def make_absolute(body: Element, base: str) -> None:
    """Make the addresses of a tree absolute."""
    absolute = absolute_from(base)
    for element in body.iter(etree.Element):
        for name, value in element.attrib.items():
            if name == "srcset":
                element.set(name, writable(_SOURCE.sub(lambda source: absolute(source[0]), value)))
            elif name in _ATTRIBUTES:
                element.set(name, writable(absolute(value)))


def picture_address(image: Element, known: dict[Element, str]) -> str:
    """Return the address of a picture; empty if there is none.

    ``known`` keeps the address that each ``picture`` element gives, so that a row of images takes linear time.
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
    addresses = [*(address for _, address in sorted(sized, reverse=True)), *(word.rstrip(",") for word in words[:1])]
    return next(filter(_is_address, addresses), "")
