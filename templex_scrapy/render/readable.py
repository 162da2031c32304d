"""A tree as text or Markdown, by html-text and markdownify, with what these two do not handle."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import html_text
import lxml.html
from bs4 import Tag
from lxml import etree
from markdownify import markdownify

from templex_scrapy.page import HEADINGS, LEFT_OUT
from templex_scrapy.render.trees import make_writable, writable
from templex_scrapy.render.word_spacing import surround_with_spaces

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

READER_DEPTH = 200
"""Levels of nesting up to which the converters, which are recursive, are used."""

READER_NODES = 30_000
"""Nodes up to which a page is converted to Markdown, which takes 25 times as long as parsing it."""

_LINES = html_text.NEWLINE_TAGS | html_text.DOUBLE_NEWLINE_TAGS
_UNREAD = LEFT_OUT | {"head"}

# the converters drop the content of some elements, and libxml2 escapes that of others twice
_OTHER_BLOCKS = ("applet", "frameset", "noembed", "noframes", "noscript")
_OTHER_PREFORMATTED = ("listing", "plaintext", "xmp")

# replaces preformatted text while the rest is read; it is no character, so pages have no use for it
_MARK = "\ufdd0"
_PREFORMATTED = re.compile(f"{_MARK}[0-9]+{_MARK}")

_SPACES = re.compile(r"[\t\n\r ]+")
_LONG_TEXT = 1_000
_LONG_RUN = 100

# markdownify takes tags that it does not know for inline ones
_UNKNOWN_BLOCKS = """
    address aside center details dialog dir fieldset figure footer form header hgroup legend main menu nav search
    summary
    """.split()
_APART_IN_LINE = """
    audio button canvas embed iframe input math meter object optgroup option output progress select svg textarea video
    """.split()
_INDENTED = ("blockquote", "dd", "li")
_MAX_INDENTED = 10  # levels of these: each repeats its indentation in all of its lines
_BLOCKS = ("article", "div", "dl", "p", "section")
_CELLS = ("td", "th")
_SHOWN = (*_CELLS, *HEADINGS, "hr", "img", "video")


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


def markdown(body: Element) -> str:
    """Return a tree as Markdown.

    Args:
        body: the tree, up to :data:`READER_DEPTH` levels. It is changed.
    """
    _prepare(body)
    _bound_markdown(body)
    _shorten_spaces(body)
    _help_markdownify(body)
    # it drops images in headings and table cells unless their parents are listed
    holders = {str(holder.tag) for image in body.iter("img", "video") if (holder := image.getparent()) is not None}
    soup: Any = {"features": "html.parser", "element_classes": {Tag: _Element}}
    made = markdownify(
        _source(body), heading_style="ATX", bullets="-", keep_inline_images_in=sorted(holders), bs4_options=soup
    )
    return made.strip()


class _Element(Tag):
    """An element of Beautiful Soup's tree. markdownify looks for a ``pre`` around each; this is faster."""

    def find_parent(self, name: Any = None, *others: Any, **more: Any) -> Any:
        """Return the nearest parent that matches; None if there is none."""
        if others or more or not isinstance(name, str):
            return super().find_parent(name, *others, **more)
        return next((parent for parent in self.parents if parent.name == name), None)


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
        lines = _lines(preformatted)
        if lines:
            mark = f"{_MARK}{len(replaced)}{_MARK}"
            replaced[mark] = lines
            del preformatted[:]
            preformatted.text = mark
    return replaced


def _outermost(body: Element, tag: str) -> list[Element]:
    """Return the elements of a tag that are in no other one: what is in them is written once."""
    return [element for element in body.iter(tag) if next(element.iterancestors(tag), None) is None]


def _lines(preformatted: Element) -> str:
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


def _bound_markdown(body: Element) -> None:
    """Flatten what is nested deep, so that no text is written more than a few times as long as it is."""
    for preformatted in _outermost(body, "pre"):
        for inside in preformatted.iterdescendants("pre"):
            inside.tag = "div"
    for element in body.iter(*_INDENTED):
        if sum(1 for _ in element.iterancestors(*_INDENTED)) >= _MAX_INDENTED:
            element.tag = "div"


def _help_markdownify(body: Element) -> None:
    # it runs headings in a cell together
    in_cells = [heading for cell in body.iter(*_CELLS) for heading in cell.iter(*HEADINGS)]
    for element in [*body.iter(*_UNKNOWN_BLOCKS), *in_cells]:
        element.tag = "div"
    # it ignores an empty block, so that words on both sides of it become one
    empty = [element for element in body.iter(*_BLOCKS) if not _is_visible(element)]
    for element in empty:
        element.tag = "span"
    for element in [*body.iter(*_APART_IN_LINE), *empty]:
        surround_with_spaces(element)
    # in $9<sup>25</sup> the digits are two numbers
    for element in body.iter("sup", "sub"):
        before, parent = element.getprevious(), element.getparent()
        text = before.tail if before is not None else parent.text if parent is not None else None
        if text and element.text and text[-1].isdigit() and element.text[0].isdigit():
            element.text = f" {element.text}"


def _shorten_spaces(body: Element) -> None:
    """Shorten long runs of spaces as markdownify does, which needs quadratic time."""
    for element in body.iter():
        if element.text and len(element.text) > _LONG_TEXT and isinstance(element.tag, str):
            element.text = _SPACES.sub(_shortened, element.text)
        if element.tail and len(element.tail) > _LONG_TEXT:
            element.tail = _SPACES.sub(_shortened, element.tail)


def _shortened(run: re.Match[str]) -> str:
    # in preformatted text, a run of some length is enough
    return run[0] if len(run[0]) <= _LONG_RUN else "\n" * ("\n" in run[0]) + " " * _LONG_RUN


def _is_visible(element: Element) -> bool:
    if any(not piece.isspace() for piece in element.itertext()):
        return True
    return next(element.iter(*_SHOWN), None) is not None


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
