"""A tree as text, by html-text, with what that does not handle."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import html_text
import lxml.html
from lxml import etree

from templex_scrapy.page import LEFT_OUT
from templex_scrapy.render.trees import make_writable, writable

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

READER_DEPTH = 200
"""Levels of nesting up to which the converters, which are recursive, are used."""

_LINES = html_text.NEWLINE_TAGS | html_text.DOUBLE_NEWLINE_TAGS
_UNREAD = LEFT_OUT | {"head"}

# html-text drops the content of some elements, and libxml2 escapes that of others twice
_OTHER_BLOCKS = ("applet", "frameset", "noembed", "noframes", "noscript")
_OTHER_PREFORMATTED = ("listing", "plaintext", "xmp")

# replaces preformatted text while the rest is read; it is no character, so pages have no use for it
_MARK = "\ufdd0"
_PREFORMATTED = re.compile(f"{_MARK}[0-9]+{_MARK}")


def text(body: Element) -> str:
    """Return a tree as text: blocks on lines of their own, preformatted text line by line.

    Args:
        body: the tree, up to :data:`READER_DEPTH` levels, without elements that are no nodes. It is changed.
    """
    _prepare(body)
    etree.strip_tags(body, etree.Comment, etree.ProcessingInstruction)  # html-text needs quadratic time
    replaced = _cut_preformatted(body)
    read = html_text.extract_text(_source(body))
    # each text is used once, also on a page that has such marks itself
    return _PREFORMATTED.sub(lambda found: replaced.pop(found[0], found[0]), read) if replaced else read


def flat_text(source: str) -> str:
    """Return HTML nested to any depth as text, without scripts and the like; O(length of the source).

    The texts are taken from the parser's events, without a tree: libxml2 keeps about 2,000 levels of a tree.
    """
    target: Any = _Flattener()  # the methods that it lacks are optional
    parser = etree.HTMLParser(target=target, huge_tree=True, encoding="utf-8")
    flat = etree.fromstring(source.encode("utf-8", "replace"), parser)
    return html_text.etree_to_text(flat)


def _prepare(body: Element) -> None:
    make_writable(body)
    for element in body.iter(*_OTHER_BLOCKS):
        element.tag = "div"
    for element in body.iter(*_OTHER_PREFORMATTED):
        element.tag = "pre"


def _source(element: Element) -> str:
    return etree.tostring(element, encoding="unicode", method="html", with_tail=False)


def _cut_preformatted(body: Element) -> dict[str, str]:
    """Replace preformatted texts, of which html-text would join the lines, by marks."""
    replaced: dict[str, str] = {}
    for preformatted in _outermost(body, "pre"):
        written = lines(preformatted)
        if written:
            mark = f"{_MARK}{len(replaced)}{_MARK}"
            replaced[mark] = written
            del preformatted[:]
            preformatted.text = mark
    return replaced


def _outermost(body: Element, tag: str) -> list[Element]:
    """Return the elements of a tag that are in no other one: what is in them is written once."""
    return [element for element in body.iter(tag) if next(element.iterancestors(tag), None) is None]


def lines(preformatted: Element) -> str:
    """Return the text of an element line by line, with all of its spaces."""
    pieces: list[str] = []
    for event, element in etree.iterwalk(preformatted, events=("start", "end", "comment", "pi")):
        if element.tag == "br":
            pieces.append("\n" * (event == "end"))
        elif element.tag in _LINES and pieces and not pieces[-1].endswith("\n"):
            pieces.append("\n")
        if event != "start":
            text_here = element.tail if element is not preformatted else None
        else:
            text_here = element.text if element.tag not in LEFT_OUT else None
        if text_here:
            pieces.append(text_here)
    return "\n".join(line.rstrip() for line in "".join(pieces).splitlines()).strip("\n")


class _Flattener:
    """A parser target: an element for each start and end tag, all on one level, with the text behind it.

    html-text reads it like the tree, since only the order of tags and texts matters to it.
    """

    def __init__(self) -> None:
        self._flat = lxml.html.Element("body")
        self._last = etree.SubElement(self._flat, "span")
        self._pieces: list[str] = []
        self._unread = 0  # levels below the start of an element without readable text

    def start(self, tag: str, _attributes: Mapping[str, str]) -> None:
        """Take a start tag."""
        if self._unread or tag in _UNREAD:
            self._unread += 1
        else:
            self._mark(tag)

    def end(self, tag: str) -> None:
        """Take an end tag."""
        if self._unread:
            self._unread -= 1
        else:
            self._mark(tag)

    def data(self, text: str) -> None:
        """Take a text, or a part of one."""
        if not self._unread:
            self._pieces.append(text)

    def close(self) -> Element:
        """Return the flat tree."""
        self._flush()
        return self._flat

    def _mark(self, tag: str) -> None:
        self._flush()
        self._last = etree.SubElement(self._flat, tag if tag in _LINES else "span")

    def _flush(self) -> None:
        if self._pieces:
            self._last.tail = writable("".join(self._pieces))
            self._pieces.clear()
