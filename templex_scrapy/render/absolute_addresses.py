"""Make addresses absolute, so that a part of a page can be shown anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable

from lxml import etree
from lxml.etree import _Element as Element

from templex_scrapy.page import join
from templex_scrapy.render.writable import writable

_ATTRIBUTES = frozenset("action cite data formaction href longdesc poster src srcset".split())
_SOURCE = re.compile(r"(?:(?<=^)|(?<=[\s,]))(?![\d.]+[wxh](?:[\s,]|$))[^\s,]\S*[^\s,]")  # an address in a srcset
_ROOM = 5_000_000  # characters of the addresses that are made absolute: a long base, written 40,000 times, fills memory


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
