"""Start tags as libxml2 writes them; what is read from one is kept with it.

Compiled where there is a compiler (start_tags.pxd has the types).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any, TypeVar

TEXT = "#text"
"""The tag of text nodes."""

MAX_KEPT = 2_048
"""Start tags that all pages of the process share; a page brings some 35 that no earlier page of its site has."""

MAX_KEPT_LENGTH = 500
"""Characters of a start tag that is shared; one of 250 is longer, such as an image as a ``data:`` URL."""

_ID, _CLASS = ' id="', ' class="'
_NO_NAMES = frozenset[str]()
_ATTRIBUTE = re.compile(r'\s(=?[^\s=]*)="([^"]*)"', re.ASCII)
_REFERENCE = re.compile(r"&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|(amp|lt|gt|quot));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"'}

T = TypeVar("T")

_UNREAD: Any = object()
_kept: dict[str, StartTag] = {}


def start_tag_of(tag_string: str) -> StartTag:
    """Return what is read from a start tag; most of those of a page are on the other pages of its site as well."""
    found = _kept.get(tag_string)
    if found is None:
        found = StartTag(tag_string)
        if len(tag_string) <= MAX_KEPT_LENGTH:
            # all at once: those of the site that is crawled are read again on its next page
            if len(_kept) >= MAX_KEPT:
                _kept.clear()
            # pages are read in threads as well: at worst two of them keep an object of their own
            _kept[tag_string] = found
    return found


class StartTag:
    """What is read from the start tag of an element as libxml2 writes it, once for all nodes and pages that share it.

    Attributes:
        tag_string: the start tag, or ``"#text"``.
        tag: the tag in lower case, or ``"#text"``.
        id: the value of ``id``, empty if there is none.
        classes: the class names.
        tag_and_classes: tag and class names as one string.
    """

    __slots__ = ("_attributes", "_read", "classes", "id", "tag", "tag_and_classes", "tag_string")

    def __init__(self, tag_string: str) -> None:
        self.tag_string = tag_string
        self._attributes: frozenset[tuple[str, str]] | None = None
        self._read: dict[Callable[[StartTag], Any], Any] = {}
        self.tag: str = tag_of(tag_string)
        self.id: str = _value(_ID, tag_string)
        self.classes = _NO_NAMES
        self.tag_and_classes = self.tag
        # class="b a" and class="a  b" look the same
        names = classes_of(tag_string).split()
        if names:
            self.classes = frozenset(names)
            self.tag_and_classes = " ".join([self.tag, *sorted(self.classes)])

    def read(self, function: Callable[[StartTag], T]) -> T:
        """Return what a function of the start tag returns; it is called once."""
        # None may be what the function returns
        found: T = self._read.get(function, _UNREAD)
        if found is _UNREAD:
            found = self._read[function] = function(self)
        return found

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


def read_each(start_tags: list[StartTag], function: Callable[[StartTag], T]) -> list[T]:
    """Return what a function reads from each of some start tags."""
    found: list[T] = []
    for start_tag in start_tags:
        found.append(start_tag.read(function))  # noqa: PERF401 - compiled, it is faster
    return found


def of_tags(start_tags: list[StartTag], values: dict[str, int], other: int) -> bytes:
    """Return for each of some start tags the value of its tag, or another one."""
    found = bytearray(len(start_tags))
    for index in range(len(start_tags)):
        start_tag = start_tags[index]
        found[index] = values.get(start_tag.tag, other)
    return bytes(found)


def tag_of(tag_string: str) -> str:
    """Return the tag in lower case, or ``"#text"``."""
    if tag_string == TEXT:
        return TEXT
    end = tag_string.find(" ")
    return tag_string[1 : end if end >= 0 else len(tag_string) - 1].lower()


def classes_of(tag_string: str) -> str:
    """Return the value of ``class``, empty if there is none."""
    return _value(_CLASS, tag_string)


def _value(start: str, tag_string: str) -> str:
    begin = tag_string.find(start)
    if begin < 0:
        return ""
    begin += len(start)
    # no attribute contains a quotation mark: libxml2 writes a reference
    return unescape(tag_string[begin : tag_string.find('"', begin)])


def unescape(written: str) -> str:
    """Replace the references that libxml2 writes (not those of HTML)."""
    if "&" not in written:
        return written
    return _REFERENCE.sub(_referred, written)


def _referred(match: re.Match[str]) -> str:
    hexadecimal, decimal, name = match.groups()
    if name:
        return _NAMED[name]
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    return chr(code) if code <= sys.maxunicode else "\ufffd"
