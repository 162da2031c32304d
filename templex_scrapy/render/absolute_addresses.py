"""Make addresses absolute, so that a part of a page can be shown anywhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from templex_scrapy.page import join
from templex_scrapy.render.writable import writable

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_ATTRIBUTES = frozenset("action cite data formaction href longdesc poster src srcset".split())
_SOURCE = re.compile(r"(?:(?<=^)|(?<=[\s,]))(?![\d.]+[wxh](?:[\s,]|$))[^\s,]\S*[^\s,]")  # an address in a srcset
_ROOM = 5_000_000  # characters of the addresses that are made absolute: a long base, written 40,000 times, fills memory


class AbsoluteAddresses:
    """Makes addresses of a page absolute, until they take much more room than the page.

    Args:
        base: the base of the addresses.
    """

    def __init__(self, base: str) -> None:
        self._base = base
        self._room = _ROOM
        self._known: dict[str, str] = {}

    def of(self, address: str) -> str:
        """Return an address as an absolute one; an address inside of the page (``#note``) is not changed."""
        address = address.strip()
        if not address or address.startswith("#") or self._room < 0:
            return address
        if address not in self._known:
            self._known[address] = join(self._base, address) or address
        self._room -= len(self._known[address])
        return self._known[address]


def make_absolute(body: Element, base: str) -> None:
    """Make the addresses of a tree absolute."""
    addresses = AbsoluteAddresses(base)
    for element in body.iter(etree.Element):
        for name, value in element.attrib.items():
            if name == "srcset":
                element.set(name, writable(_SOURCE.sub(lambda found: addresses.of(found[0]), value)))
            elif name in _ATTRIBUTES:
                element.set(name, writable(addresses.of(value)))
