"""A CSS selector for one element of a page."""

from __future__ import annotations

import re

from templex_scrapy.page import NodeArrays

_MAX_CLASSES = 2  # "div.card.wide": each further one makes it likelier that another page lacks it
_NAME = re.compile(r"-?[A-Za-z_][A-Za-z_-]*")  # ids and classes with figures are often of one page only


def selector_of(arrays: NodeArrays, position: int) -> str:
    """Return a CSS selector for an element: its tag with id or classes, or in the nearest element that has some.

    It is empty if none has: a selector of tags alone would preserve too much.
    """
    simple, is_named = _simple_selector(arrays, position)
    if is_named:
        return simple
    around = (_simple_selector(arrays, at) for at in arrays.ancestors(position))
    return next((f"{selector} {simple}" for selector, is_named in around if is_named), "")


def _simple_selector(arrays: NodeArrays, position: int) -> tuple[str, bool]:
    """Return a selector of one element, and whether it has the id or a class."""
    start_tag = arrays.start_tag(position)
    # libxml2 keeps tags such as <o:p>, which no plain selector names
    tag = start_tag.tag if _NAME.fullmatch(start_tag.tag.rstrip("123456")) else "*"
    if _NAME.fullmatch(start_tag.id):
        return f"{tag}#{start_tag.id}", True
    names = [f".{name}" for name in sorted(start_tag.classes) if _NAME.fullmatch(name)]
    return tag + "".join(names[:_MAX_CLASSES]), bool(names)
