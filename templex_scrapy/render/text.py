"""A page as text: blocks on lines of their own, and preformatted text line by line."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from lxml import etree

from templex_scrapy.page import LEFT_OUT, Page, elements_of, nodes_of
from templex_scrapy.render._text_writer import CELL, CODE, LINE, PARAGRAPH, write_nodes
from templex_scrapy.render.tree_copy import Removed
from templex_scrapy.render.writable import writable

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_LINES = frozenset(
    """
    applet article aside br dd details div dt fieldset figcaption footer form frameset header hr legend li main nav
    noembed noframes noscript table tr
    """.split()
)
_PARAGRAPHS = frozenset("blockquote dl figure h1 h2 h3 h4 h5 h6 ol p title ul".split())
_CELLS = frozenset({"option", "td", "th"})  # <td>12</td><td>.5</td> are two numbers on one line
_PREFORMATTED = frozenset({"listing", "plaintext", "pre", "xmp"})
_KINDS = {
    tag: kind
    for tags, kind in ((_LINES, LINE), (_PARAGRAPHS, PARAGRAPH), (_PREFORMATTED, CODE), (_CELLS, CELL))
    for tag in tags
}
_GAPS = {tag: {LINE: "\n", CELL: " "}.get(kind, "\n\n") for tag, kind in _KINDS.items()}
_LINE_NUMBER = re.compile(
    r"(?:^|[\s_-])(?:gutter|line-?no\w*|line-?num\w*|lineno\w*|ln|hljs-ln-n)(?:$|[\s_-])", re.IGNORECASE
)
_NUMBERS = str.maketrans("", "", "0123456789.:|")
_UNREAD = LEFT_OUT | {"head"}


def text(page: Page, roots: Collection[int], *, part: int = 0) -> str:
    """Return a page, or a part of it, without some subtrees as text, blocks on lines of their own.

    O(number of nodes + length of the texts). Of a page that the parser may have cut, the whole text is returned.

    Args:
        page: the page.
        roots: positions of the roots of the subtrees.
        part: position of the part.
    """
    if page.is_cut:
        return flat_text(page.text)
    arrays = nodes_of(page)
    removed = cache(lambda: Removed.of(page, roots))

    def code(position: int) -> str:
        # from the tree: in "<b>def</b> <i>f</i>" the blank text is no node
        return lines(elements_of(page)[arrays.slots[position]], removed())

    return writable(write_nodes(arrays, arrays.of_tags(_KINDS), roots, part, code))


def flat_text(source: str) -> str:
    """Return HTML nested to any depth as text, without scripts and the like; O(length of the source).

    The texts are taken from the parser's events, without a tree: libxml2 keeps about 2,000 levels of a tree.
    """
    target: Any = _Flattener()  # the methods that it lacks are optional
    parser = etree.HTMLParser(target=target, huge_tree=True, encoding="utf-8")
    flat: str = etree.fromstring(source.encode("utf-8", "replace"), parser)
    return flat


def lines(preformatted: Element, removed: Removed) -> str:
    """Return the text of an element line by line, with all spaces, without removed parts and line numbers."""
    pieces: list[str] = []
    walker = etree.iterwalk(preformatted, events=("start", "end", "comment", "pi"))
    unread: Element | None = None
    for event, element in walker:
        is_inside = event == "start" and element is not preformatted
        if is_inside and (element in removed.elements or element.tag in LEFT_OUT or is_line_number(element)):
            unread = element
            walker.skip_subtree()
            continue
        if element.tag == "br":
            pieces.append("\n" * (event == "end"))
        # <pre><div>def f():</div><div>    return 1</div></pre>: highlighters make an element of each line
        elif element is not unread and element.tag in _KINDS and pieces and not pieces[-1].endswith("\n"):
            pieces.append("\n")
        if event != "start":
            text_here = None if element is preformatted or element in removed.tails else element.tail
        else:
            text_here = None if element in removed.texts else element.text
        if text_here:
            pieces.append(text_here)
    return "\n".join(line.rstrip() for line in writable("".join(pieces)).splitlines()).strip("\n")


def is_line_number(element: Element) -> bool:
    """Return whether an element has the class and the content of line numbers beside code."""
    names = element.get("class")
    if not names or _LINE_NUMBER.search(names) is None:
        return False
    return not "".join(element.itertext()).translate(_NUMBERS).strip()


class _Flattener:
    """A parser target that writes the texts of a page."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._unread = 0  # levels below the start of an element without readable text

    def start(self, tag: str, _attributes: Mapping[str, str]) -> None:
        """Take a start tag."""
        if self._unread or tag in _UNREAD:
            self._unread += 1
        else:
            self._pieces.append(_GAPS.get(tag, ""))

    def end(self, tag: str) -> None:
        """Take an end tag."""
        if self._unread:
            self._unread -= 1
        else:
            self._pieces.append(_GAPS.get(tag, ""))

    def data(self, text: str) -> None:
        """Take a text, or a part of one."""
        if not self._unread:
            self._pieces.append(re.sub(r"\s+", " ", text))

    def close(self) -> str:
        """Return the text."""
        lines = (" ".join(line.split()) for line in "".join(self._pieces).split("\n"))
        return writable(re.sub("\n{3,}", "\n\n", "\n".join(lines)).strip())
