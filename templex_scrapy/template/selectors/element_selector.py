"""A CSS selector for one element of a page."""

from __future__ import annotations

import re
from array import array

from templex_scrapy.page import NodeArrays, StartTag

_MAX_CLASSES = 2  # "div.card.wide": each further one makes it likelier that another page lacks it
# ids and classes with figures are often of one page only, and a long one would be repeated for each text in its element
_NAME = re.compile(r"-?[A-Za-z_][A-Za-z_-]{0,99}")


def selector_of(arrays: NodeArrays, position: int) -> str:
    """Return a CSS selector for an element: its tag with id or classes, or in the nearest element that has some.

    It is empty if none has: a selector of tags alone would preserve too much. O(number of nodes) for all of a page.
    """
    simple, is_named = arrays.start_tag(position).read(_simple_selector)
    if is_named:
        return simple
    around = arrays.computed(_named)[position]
    return f"{arrays.start_tag(around).read(_simple_selector)[0]} {simple}" if around >= 0 else ""


def _named(arrays: NodeArrays) -> array[int]:
    """Return for each node the nearest element, at or around it, with an id or a class to select it by; or -1."""
    is_named = [named for _, named in arrays.of_start_tags(_simple_selector)]
    found = array("i", [-1]) * len(arrays.ids)
    for position, (number, parent) in enumerate(zip(arrays.ids, arrays.parents, strict=True)):
        if is_named[number]:
            found[position] = position
        elif parent >= 0:
            found[position] = found[parent]
    return found


def _simple_selector(start_tag: StartTag) -> tuple[str, bool]:
    """Return a selector of one element, and whether it has the id or a class."""
    # libxml2 keeps tags such as <o:p>, which no plain selector names
    tag = start_tag.tag if _NAME.fullmatch(start_tag.tag.rstrip("123456")) else "*"
    if _NAME.fullmatch(start_tag.id):
        return f"{tag}#{start_tag.id}", True
    names = [f".{name}" for name in sorted(start_tag.classes) if _NAME.fullmatch(name)]
    return tag + "".join(names[:_MAX_CLASSES]), bool(names)
