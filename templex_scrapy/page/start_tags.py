"""Start tags as libxml2 writes them, with the values that are read from each."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any, TypeVar

from templex_scrapy import cython

TEXT = "#text"
"""The tag of text nodes."""

MAX_KEPT = 2_048
"""Start tags that all pages of the process share; a page brings some 35 that no earlier page of its site has."""

MAX_KEPT_LENGTH = 500
"""Characters of a start tag that is shared; one of 250 is longer, such as an image as a ``data:`` URL."""

_ID, _CLASS = ' id="', ' class="'
_NO_NAMES = frozenset[str]()
_ATTRIBUTE = re.compile(r'\s(=?[^\s=]*)="([^"]*)"', re.ASCII)

T = TypeVar("T")

_UNREAD: Any = object()
_kept: dict[str, StartTag] = {}


@cython.locals(start_tag="StartTag")
def start_tag_of(tag_string: str) -> StartTag:
    """Return the object of a start tag, which the pages of a site share."""
    start_tag = _kept.get(tag_string)
    if start_tag is None:
        start_tag = StartTag(tag_string)
        if len(tag_string) <= MAX_KEPT_LENGTH:
            # all at once: the next page of the site that is crawled reads its start tags again
            if len(_kept) >= MAX_KEPT:
                _kept.clear()
            # threads read pages as well: at worst two threads keep an object each
            _kept[tag_string] = start_tag
    return start_tag


class StartTag:
    """The start tag of an element as libxml2 writes it, shared by all nodes and pages that have it.

    Attributes:
        tag_string: the start tag, or ``"#text"``.
        tag: the tag in lower case, or ``"#text"``.
        id: the value of ``id``, empty if there is none.
        classes: the class names.
        tag_and_classes: tag and class names as one string.
        value: a cache of one entry for ``NodeValues.value``: the scope (site, directory or page) and the value in it.
    """

    __slots__ = ("_attributes", "_read", "classes", "id", "tag", "tag_and_classes", "tag_string", "value")

    def __init__(self, tag_string: str) -> None:
        self.tag_string = tag_string
        self._attributes: frozenset[tuple[str, str]] | None = None
        self._read: dict[Callable[[StartTag], Any], Any] = {}
        self.value: tuple[str | None, str | None] = None, None
        self.tag: str = TEXT if tag_string == TEXT else tag_string[1:-1].partition(" ")[0].lower()
        self.id: str = _value(_ID, tag_string)
        self.classes = _NO_NAMES
        self.tag_and_classes = self.tag
        # class="b a" and class="a  b" look the same
        names = _value(_CLASS, tag_string).split()
        if names:
            self.classes = frozenset(names)
            self.tag_and_classes = " ".join([self.tag, *sorted(self.classes)])

    def read(self, function: Callable[[StartTag], T]) -> T:
        """Return what a function reads from the start tag; it is called once."""
        # the result may be None
        result: T = self._read.get(function, _UNREAD)
        if result is _UNREAD:
            result = self._read[function] = function(self)
        return result

    @property
    def attributes(self) -> frozenset[tuple[str, str]]:
        """The (name, value) pairs without ``id`` and ``class``."""
        # read on use: it is slow, and most elements differ in tag and classes
        if self._attributes is None:
            self._attributes = frozenset(
                (name, unescape(value))
                for name, value in _ATTRIBUTE.findall(self.tag_string)
                if name not in {"id", "class"}
            )
        return self._attributes


@cython.cfunc
@cython.returns(str)
@cython.locals(start=str, tag_string=str, begin="Py_ssize_t")
def _value(start: str, tag_string: str) -> str:
    begin = tag_string.find(start)
    if begin < 0:
        return ""
    begin += len(start)
    # no attribute contains a quotation mark: libxml2 writes a reference
    return unescape(tag_string[begin : tag_string.find('"', begin)])
