"""Changes to a tree that keep the text around them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lxml import etree

from templex_scrapy.page import join

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_ADDRESSES = frozenset("action cite data formaction href longdesc poster src srcset".split())
_SOURCE = re.compile(r"(?:(?<=^)|(?<=[\s,]))(?![\d.]+[wxh](?:[\s,]|$))[^\s,]\S*[^\s,]")  # an address in a srcset
_MAX_ADDRESSES = 5_000_000  # characters of the addresses that are made absolute

# characters that lxml reads and does not take
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def writable(text: str) -> str:
    """Return a text that lxml accepts: characters that XML cannot write become spaces or U+FFFD."""
    return _UNWRITABLE.sub(lambda found: " " if found[0].isspace() else "\ufffd", text)


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


def remove(elements: Iterable[Element]) -> None:
    """Remove elements with their subtrees; the texts behind them are kept, with a space between. A root is kept.

    O(number of elements + length of the texts): the text before a row of elements is written once.

    Args:
        elements: in document order.
    """
    gap: tuple[Element, Element | None] | None = None
    behind: list[str] = []
    for element in elements:
        parent = element.getparent()
        if parent is None:
            continue
        if element.tail:
            here = parent, element.getprevious()
            if here != gap:
                _close(gap, behind)
                gap, behind = here, []
            behind.append(element.tail)
        parent.remove(element)
    _close(gap, behind)


def _close(gap: tuple[Element, Element | None] | None, behind: list[str]) -> None:
    """Write texts into a gap in a parent, behind one of its children or at its start."""
    if gap is None:
        return
    parent, before = gap
    if before is None:
        parent.text = _joined(parent.text, behind)
    else:
        before.tail = _joined(before.tail, behind)


def _joined(before: str | None, behind: list[str]) -> str:
    pieces = [before or ""]
    for text in behind:
        if pieces[-1] and not pieces[-1][-1].isspace() and not text[0].isspace():
            pieces.append(" ")
        pieces.append(text)
    return writable("".join(pieces))
