"""Addresses of a tree that are right wherever it is shown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lxml import etree

from templex_scrapy.page import join
from templex_scrapy.render.writable import writable

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_ADDRESSES = frozenset("action cite data formaction href longdesc poster src srcset".split())
_SOURCE = re.compile(r"(?:(?<=^)|(?<=[\s,]))(?![\d.]+[wxh](?:[\s,]|$))[^\s,]\S*[^\s,]")  # an address in a srcset
_MAX_ADDRESSES = 5_000_000  # characters of the addresses that are made absolute


def make_absolute(body: Element, base: str) -> None:
    """Make the addresses of a tree absolute; those inside of the page (``#note``) are not changed.

    Stops where the addresses would take much more than they do: a long base, written 40,000 times, fills the memory.
    """
    room = _MAX_ADDRESSES
    for element in body.iter(etree.Element):
        for name, value in element.attrib.items():
            if name not in _ADDRESSES or room < 0:
                continue
            if name == "srcset":
                written = _SOURCE.sub(lambda found: _absolute(base, found[0]), value)
            else:
                written = _absolute(base, value)
            if written != value:
                room -= len(written)
                element.set(name, writable(written))


def _absolute(base: str, address: str) -> str:
    address = address.strip()
    return address if not address or address.startswith("#") else join(base, address) or address
