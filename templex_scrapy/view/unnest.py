"""Elements that hold in a tree what they do not hold in a browser.

Some of HTML's empty elements are unknown to libxml2, which takes what follows them for their content, up to the end of
the element that they are in. Others hold what is shown only because they themselves cannot be, as in the view.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from templex_scrapy.page import NodeArrays

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

EMPTY = frozenset({"bgsound", "embed", "image", "isindex", "keygen", "source", "track", "wbr"})
"""Elements that are empty to browsers, or as libxml2 writes them, whatever it makes of what follows them."""

OUTER = frozenset({"applet", "object"})
"""Elements whose content is shown in the place of what they cannot show."""

UNNESTED = EMPTY | OUTER

# XML, and so lxml, has no way to write these
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def writable(text: str) -> str:
    """A text as lxml takes it; characters that XML does not know are replaced."""
    return _UNWRITABLE.sub("\ufffd", text)


def holders(arrays: NodeArrays) -> list[int]:
    """Of each node the one that it is in, -1 for the root, once all elements are unnested; O(number of nodes)."""
    found: list[int] = []
    for parent in arrays.parents:
        holds = parent < 0 or arrays.start_tag(parent).tag not in UNNESTED
        found.append(parent if holds else found[parent])
    return found


def unnest(element: Element) -> None:
    """Put what an element holds behind it, in place; an element without a parent stays as it is."""
    parent = element.getparent()
    if parent is None:
        return
    children, text, tail = list(element), element.text, element.tail
    element.text, element.tail = None, writable(text or "")
    for place, child in enumerate(children, parent.index(element) + 1):
        parent.insert(place, child)
    last = children[-1] if children else element
    last.tail = writable((last.tail or "") + (tail or ""))
