"""Changes to a tree that keep the text around them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

# characters that lxml reads and does not take
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def writable(text: str) -> str:
    """Return a text that lxml accepts: characters that XML cannot write become spaces or U+FFFD."""
    return _UNWRITABLE.sub(lambda found: " " if found[0].isspace() else "\ufffd", text)


def make_writable(body: Element) -> None:
    """Make all texts of a tree writable: lxml moves the tail of a removed element to another one."""
    for element in body.iter():
        if element.text and isinstance(element.tag, str) and _UNWRITABLE.search(element.text):
            element.text = writable(element.text)
        if element.tail and _UNWRITABLE.search(element.tail):
            element.tail = writable(element.tail)


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
