"""A page as text: blocks on lines of their own, and preformatted text line by line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, NamedTuple

from lxml import etree
from lxml.etree import _Element as Element

from templex_scrapy.page import LEFT_OUT, Page, elements_of, nodes_of
from templex_scrapy.render._text_writer import CELL, CODE, LINE, PARAGRAPH, write_nodes

_KINDS = {
    **dict.fromkeys(
        """
        applet article aside br dd details div dt fieldset figcaption footer form frameset header hr legend li main nav
        noembed noframes noscript table tr
        """.split(),
        LINE,
    ),
    **dict.fromkeys("blockquote dl figure h1 h2 h3 h4 h5 h6 ol p title ul".split(), PARAGRAPH),
    **dict.fromkeys(("listing", "plaintext", "pre", "xmp"), CODE),
    **dict.fromkeys(("option", "td", "th"), CELL),  # <td>12</td><td>.5</td> are two numbers on one line
}
_GAPS = {CELL: " ", LINE: "\n", PARAGRAPH: "\n\n", CODE: "\n\n"}
_LINE_NUMBER = re.compile(
    r"(?:^|[\s_-])(?:gutter|line-?no\w*|line-?num\w*|lineno\w*|ln|hljs-ln-n)(?:$|[\s_-])", re.IGNORECASE
)
_NUMBERS = str.maketrans("", "", "0123456789.:|")
# a page with <p>&#12;</p> or a lone surrogate is read, and "ValueError: All strings must be XML compatible" is raised
# where that text is put back into the tree
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_WRITABLE_BYTES = bytes({*b"\t\n\r", *range(ord(" "), 256)})


class RemovedParts(NamedTuple):
    """Parts of a tree that are left out: elements, the ``text`` of some elements, and the ``tail`` of others."""

    elements: set[Element]
    texts: set[Element]
    tails: set[Element]

    @classmethod
    def of(cls, page: Page, positions: Iterable[int]) -> RemovedParts:
        """Return the parts at some positions of a page."""
        arrays, elements, removed = nodes_of(page), elements_of(page), cls(set(), set(), set())
        for position in positions:
            slot = arrays.slots[position]
            if arrays.texts[position] is None:
                removed.elements.add(elements[slot])
            elif slot >= 0:
                removed.texts.add(elements[slot])
            else:
                removed.tails.add(elements[~slot])
        return removed

    def left_in(self, element: Element) -> Iterator[Element]:
        """Yield the elements in an element that are left."""
        return (child for child in element if isinstance(child.tag, str) and child not in self.elements)

    def own_texts(self, element: Element) -> Iterator[str]:
        """Yield the texts between the elements in an element that are left."""
        if element.text and element not in self.texts:
            yield element.text
        yield from (child.tail for child in element if child.tail and child not in self.tails)


def text(page: Page, roots: Collection[int], *, part: int = 0) -> str:
    """Return a page, or the part at a position, without the subtrees at ``roots`` as text, blocks on their own lines.

    O(number of nodes + length of the texts). Of a page that the parser may have cut, the whole text is returned.
    """
    if page.is_cut:
        return flat_text(page.text)
    arrays = nodes_of(page)
    removed = cache(lambda: RemovedParts.of(page, roots))

    def code(position: int) -> str:
        # from the tree: in "<b>def</b> <i>f</i>" the blank text is no node
        return code_lines(elements_of(page)[arrays.slots[position]], removed())

    return writable(write_nodes(arrays, arrays.of_tags(_KINDS), roots, part, code))


def code_lines(preformatted: Element, removed: RemovedParts) -> str:
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


def flat_text(source: str) -> str:
    """Return HTML nested to any depth as text, without scripts and the like; O(length of the source).

    The texts are taken from the parser's events, without a tree: libxml2 keeps about 2,000 levels of a tree.
    """
    target: Any = _Flattener()  # the methods that it lacks are optional
    parser = etree.HTMLParser(target=target, huge_tree=True, encoding="utf-8")
    flat: str = etree.fromstring(source.encode("utf-8", "replace"), parser)
    return flat


class _Flattener:
    """A parser target that writes the texts of a page."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._unread = 0  # levels below the start of an element without readable text

    def start(self, tag: str, _attributes: Mapping[str, str]) -> None:
        if self._unread or tag in LEFT_OUT or tag == "head":
            self._unread += 1
        else:
            self._gap(tag)

    def end(self, tag: str) -> None:
        if self._unread:
            self._unread -= 1
        else:
            self._gap(tag)

    def _gap(self, tag: str) -> None:
        if tag in _KINDS:
            self._pieces.append(_GAPS[_KINDS[tag]])

    def data(self, text: str) -> None:
        if not self._unread:
            self._pieces.append(re.sub(r"\s+", " ", text))

    def close(self) -> str:
        collapsed = "\n".join(" ".join(line.split()) for line in "".join(self._pieces).split("\n"))
        return writable(re.sub("\n{3,}", "\n\n", collapsed).strip())


def writable(text: str) -> str:
    """Return a text that lxml accepts: characters that XML cannot write become spaces or U+FFFD."""
    with suppress(UnicodeEncodeError):  # most texts are: to ask for that first takes a fifth of the time
        if not (text.encode().translate(None, _WRITABLE_BYTES) or "\ufffe" in text or "\uffff" in text):
            return text
    return _UNWRITABLE.sub(lambda sign: " " if sign[0].isspace() else "\ufffd", text)
