"""What is made of a page whose nodes are judged: cleaned, readable, annotated, or its template alone.

Every function works on a copy of the page's tree; the page stays as it is.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, cast

import html_text
from lxml import etree
from markdownify import markdownify

from templex_scrapy.page import Page

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

TEMPLATE_CLASS = "template_node"
"""The class that :func:`annotate` gives to template elements (WWW15)."""

HIDDEN = "visibility: hidden"
VISIBLE = "visibility: visible"

_DOCTYPE = re.compile(r"<!doctype", re.IGNORECASE)
# characters that lxml reads and does not take
_UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

_READER_DEPTH = 200
"""Levels that the converters to text and Markdown, which are recursive, are given."""


class _Copy:
    """A copy of a page's tree in which nodes are found by their positions in the page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        tree = copy.deepcopy(page.root.getroottree())
        self.root: Element = tree.getroot()
        self.body: Element = self.root if page.body is page.root else cast("Element", self.root.find("body"))
        self.elements: Sequence[Element] = list(self.body.iter())

    def element(self, position: int) -> Element:
        return self.elements[self.page.outline.places[position]]

    def remove(self, position: int) -> None:
        """Take a node out with all it holds; the text behind it stays."""
        place = self.page.outline.places[position]
        if self.page.outline.texts[position] is None:
            _remove(self.elements[place])
        elif place >= 0:
            self.elements[place].text = None
        else:
            self.elements[~place].tail = None

    def html(self) -> str:
        """The whole document, with its doctype."""
        has_doctype = _DOCTYPE.search(self.page.text) is not None
        # the parser gives a page without doctype one, which would change how browsers show it
        return etree.tostring(self.root.getroottree() if has_doctype else self.root, encoding="unicode", method="html")


def _remove(element: Element) -> None:
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is None:
            parent.text = _joined(parent.text, element.tail)
        else:
            before.tail = _joined(before.tail, element.tail)
    parent.remove(element)


def _joined(before: str | None, after: str) -> str:
    """Two texts without what stood between them; their words stay apart."""
    apart = " " if before and not before[-1].isspace() and not after[0].isspace() else ""
    return _UNWRITABLE.sub("\ufffd", f"{before or ''}{apart}{after}")


def _stripped(page: Page, roots: Iterable[int]) -> _Copy:
    copied = _Copy(page)
    texts = page.outline.texts
    # the tail of an element that goes joins the text before it, so texts that go must be gone by then
    for position in sorted(roots, key=lambda position: (texts[position] is None, position)):
        copied.remove(position)
    return copied


def strip(page: Page, roots: Collection[int]) -> str:
    """The page's HTML without some subtrees.

    Args:
        page: the page.
        roots: positions of the roots of what goes; node 0 is not among them.

    Returns:
        The page's own source, unchanged, if nothing goes.
    """
    return _stripped(page, roots).html() if roots else page.text


def text(page: Page, roots: Collection[int]) -> str:
    """What is left of the page, as text for reading: blocks on lines of their own, no markup."""
    left = _stripped(page, roots).body
    if page.outline.depth > _READER_DEPTH:
        return "\n".join(line for line in (piece.strip() for piece in _texts(left)) if line)
    return html_text.extract_text(_source(left))


def markdown(page: Page, roots: Collection[int]) -> str:
    """What is left of the page, as Markdown; of a page nested too deep for the converter, as text."""
    if page.outline.depth > _READER_DEPTH:
        return text(page, roots)
    left = _stripped(page, roots).body
    for element in list(left.iter("script", "style", "template", "noscript")):
        _remove(element)
    return markdownify(_source(left), heading_style="ATX", bullets="-").strip()


def _source(element: Element) -> str:
    return etree.tostring(element, encoding="unicode", method="html", with_tail=False)


def _texts(element: Element) -> Iterable[str]:
    for piece in element.iter():
        if isinstance(piece.tag, str) and piece.tag not in {"script", "style", "template", "noscript"}:
            yield piece.text or ""
        if piece is not element:
            yield piece.tail or ""


def annotate(page: Page, nodes: Collection[int]) -> str:
    """The whole page, with the class ``template_node`` on the elements at these positions (WWW15)."""
    copied = _Copy(page)
    for position in nodes:
        if page.outline.texts[position] is None:
            element = copied.element(position)
            classes = (element.get("class") or "").split()
            if TEMPLATE_CLASS not in classes:
                element.set("class", " ".join([*classes, TEMPLATE_CLASS]))
    return copied.html()


def hide(page: Page, nodes: Collection[int]) -> str:
    """The template view: the whole page, in which what is not at these positions is hidden but keeps its room (WWW15).

    Bare text is wrapped in a ``span`` where it differs from the element that it is in.
    """
    copied = _Copy(page)
    outline = page.outline
    shown = set(nodes)
    for position in range(len(outline.labels) - 1, -1, -1):
        parent = outline.parents[position]
        visible, around = position in shown, parent < 0 or parent in shown
        if visible == around:
            continue
        style = VISIBLE if visible else HIDDEN
        if outline.texts[position] is None:
            _add_style(copied.element(position), style)
        else:
            _wrap(copied, position, style)
    return copied.html()


def _add_style(element: Element, style: str) -> None:
    own = (element.get("style") or "").strip().rstrip(";")
    element.set("style", f"{own}; {style}" if own else style)


def _wrap(copied: _Copy, position: int, style: str) -> None:
    place = copied.page.outline.places[position]
    holder = copied.elements[place if place >= 0 else ~place]
    span = etree.Element("span", style=style)
    if place >= 0:
        span.text, holder.text = _joined(None, holder.text or " "), None
        holder.insert(0, span)
    else:
        span.text = _joined(None, holder.tail or " ")
        holder.tail = None
        holder.addnext(span)
