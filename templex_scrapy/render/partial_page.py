"""A page without some of its nodes, as HTML, text or Markdown; with its template marked, or its template alone.

All functions work on a copy of the page's tree unless the tree may be consumed.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING, cast

from lxml import etree

from templex_scrapy.page import LEFT_OUT, Page, cached_property, detach_tree, nodes_of, unescape
from templex_scrapy.render import readable
from templex_scrapy.render.markdown import markdown as markdown_of
from templex_scrapy.render.trees import make_absolute, remove, writable
from templex_scrapy.render.word_spacing import insert_spaces

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MARKDOWN_DEPTH = 200
"""Levels of nesting up to which Markdown is written: its writer is recursive."""

TEMPLATE_CLASS = "template_node"
"""The class that :func:`annotated_html` gives to template elements (WWW15)."""

_WRAPPERS = frozenset({"body", "center", "div", "form", "main"})  # what is around a content and says nothing of it
_DOCTYPE = re.compile(r"<!doctype", re.IGNORECASE)
# since 2.14 libxml2 reads the content of these elements as text without references, but still escapes it
_RAW = ("iframe", "noembed", "noframes", "plaintext", "xmp") if etree.LIBXML_VERSION >= (2, 14) else ()
_RAW_TEXT = re.compile(
    rf"<!--.*?-->|<(script|style)[\s>].*?</\1>|(<(?:{'|'.join(_RAW)})(?:\s[^>]*)?>)([^<]+)",
    re.DOTALL | re.IGNORECASE,
)


class _Copy:
    """A copy of a page's tree whose nodes are found by their positions in the page.

    Args:
        page: the page.
        consume_tree: whether the page's own tree is changed in place of a copy; the page parses its source again when
            it needs one.
    """

    def __init__(self, page: Page, *, consume_tree: bool = False) -> None:
        self.page = page
        is_body = page._body is page.root
        root = detach_tree(page) if consume_tree else _copied(page.root)
        self.root: Element = root
        self.body: Element = root if is_body else cast("Element", root.find("body"))

    @cached_property
    def elements(self) -> Sequence[Element]:
        """As ``Page.elements``, before anything is changed."""
        return list(self.body.iter())

    def remove(self, positions: Collection[int]) -> None:
        """Remove nodes with their subtrees; the texts behind them are kept, and words do not run together."""
        arrays = nodes_of(self.page)
        places = {position: arrays.slots[position] for position in sorted(positions)}
        elements = self._at({max(place, ~place) for place in places.values()})
        # the tail of a removed element joins the text before it, so removed texts must be gone by then
        texts = [place for position, place in places.items() if arrays.texts[position] is not None]
        for place in texts:
            if place >= 0:
                elements[place].text = None
            else:
                elements[~place].tail = None
        roots = [place for position, place in places.items() if arrays.texts[position] is None]
        insert_spaces(elements, texts, roots)
        remove(elements[place] for place in roots)

    def _at(self, places: Iterable[int]) -> dict[int, Element]:
        """Find the elements at some places without a list of all of them; there may be hundreds of thousands."""
        elements = self.body.iter()
        found, passed = {}, 0
        for place in sorted(places):
            found[place] = next(islice(elements, place - passed, None))
            passed = place + 1
        return found

    def html(self) -> str:
        """Return the whole document, with its doctype."""
        has_doctype = _DOCTYPE.search(self.page.text) is not None
        # the parser gives a page without doctype one, which would change how browsers show it
        return _source(self.root.getroottree() if has_doctype else self.root)


def _copied(root: Element) -> Element:
    """Return a copy of a root element with its document."""
    copied: Element = copy.deepcopy(root.getroottree()).getroot()
    behind = list(copied.itersiblings())
    if [comment.text for comment in behind] != [comment.text for comment in root.itersiblings()]:
        for comment in behind:  # lxml copies comments behind the root in reverse order
            copied.addnext(comment)
    return copied


def cleaned_html(page: Page, roots: Collection[int], *, part: int = 0, consume_tree: bool = False) -> str:
    """Return the HTML of a page, or of a part of it, without some subtrees.

    Args:
        page: the page.
        roots: positions of the roots of the removed subtrees; neither node 0 nor the part is among them.
        part: position of the element that is returned; 0 for the whole page.
        consume_tree: whether the page's own tree is used up, which saves the copy.

    Returns:
        Of the whole page its own source, unchanged, if nothing is removed, or if the parser may have cut the page.
    """
    if not part and (not roots or page.is_cut):
        return page.text
    copied = _Copy(page, consume_tree=consume_tree)
    element = copied.elements[nodes_of(page).slots[part]] if part else None
    copied.remove(roots)
    return copied.html() if element is None else _source(element)


def _source(tree: Element | etree._ElementTree) -> str:
    written = etree.tostring(tree, encoding="unicode", method="html", with_tail=False)
    raw_elements = list(tree.iter(*_RAW)) if _RAW else []
    if not raw_elements:
        return written
    raw = _RAW_TEXT.sub(_raw, written) if any(element.text for element in raw_elements) else written
    # nothing but end tags can follow the content of plaintext, and they would be text
    return raw if next(tree.iter("plaintext"), None) is None else raw.rpartition("</plaintext>")[0]


def _raw(found: re.Match[str]) -> str:
    _, start, text = found.groups()
    return found[0] if start is None else start + unescape(text)


def content_fragment(page: Page, roots: Collection[int]) -> str:
    """Return what is left of a page without some subtrees as one element, with absolute addresses.

    Comments, scripts and styles are left out, and so are wrappers that contain nothing but another element.

    Returns:
        Of a page that the parser may have cut its own source, unchanged.
    """
    if page.is_cut:
        return page.text
    copied = _Copy(page)
    copied.remove(roots)
    element = copied.body
    etree.strip_tags(element, etree.Comment, etree.ProcessingInstruction)
    remove(list(element.iter("link", "meta", "script", "style", "template")))
    make_absolute(element, page.base_url)
    while element.tag in _WRAPPERS and len(element) == 1:
        if (element.text or "").strip() or (element[0].tail or "").strip():
            break
        element = element[0]
    if element.tag == "body":
        element.tag = "div"
        element.attrib.clear()
    return _source(element)


def text(page: Page, roots: Collection[int], *, part: int = 0) -> str:
    """Return a page, or a part of it, without some subtrees as text, blocks on lines of their own.

    Of a page that the parser may have cut, the whole text.
    """
    if page.is_cut:
        return readable.flat_text(page.text)
    return readable.text(nodes_of(page), roots, part, lambda: _left(page, roots, part))


def markdown(page: Page, roots: Collection[int], *, part: int = 0) -> str:
    """Return the same as Markdown; as text if the page is nested too deep for the writer."""
    if page.is_cut or nodes_of(page).depth > MARKDOWN_DEPTH:
        return text(page, roots, part=part)
    element = _left(page, roots, part)
    make_absolute(element, page.base_url)
    return markdown_of(element)


def _left(page: Page, roots: Collection[int], part: int) -> Element:
    copied = _Copy(page)
    element = copied.elements[nodes_of(page).slots[part]] if part else copied.body
    copied.remove(roots)
    remove(list(element.iter(*_unread(page))))
    return element


def _unread(page: Page) -> frozenset[str]:
    """Return the tags of elements that are no nodes of a page; ``noscript`` may be one."""
    reads_noscript = any(tag_string.startswith("<noscript") for tag_string in nodes_of(page).distinct)
    return LEFT_OUT - {"noscript"} if reads_noscript else LEFT_OUT


def find_part(page: Page, fragment: str) -> int | None:
    """Return the position of the first element of a page that is written as a fragment; None if there is none.

    Fragments of several elements, and of elements that the parser moves when they are alone (``tr``), are not found.
    O(length of the page and the fragment).
    """
    wanted = nodes_of(Page(fragment, page.url))
    if len(wanted.sizes) < 2 or wanted.sizes[1] != len(wanted.sizes) - 1 or wanted.texts[1] is not None:
        return None
    arrays, size = nodes_of(page), wanted.sizes[1]
    for position, tag_string in enumerate(arrays.tag_strings):
        if (
            tag_string == wanted.tag_strings[1]
            and arrays.sizes[position] == size
            and arrays.tag_strings[position : position + size] == wanted.tag_strings[1:]
            and arrays.texts[position : position + size] == wanted.texts[1:]
        ):
            return position
    return None


def annotated_html(page: Page, nodes: Collection[int]) -> str:
    """Return the whole page, with the class ``template_node`` on the elements at some positions (WWW15).

    Returns:
        The page's own source, unchanged, if the parser may have cut the page.
    """
    if page.is_cut:
        return page.text
    copied = _Copy(page)
    for position in nodes:
        if nodes_of(page).texts[position] is None:
            element = copied.elements[nodes_of(page).slots[position]]
            classes = (element.get("class") or "").split()
            if TEMPLATE_CLASS not in classes:
                element.set("class", writable(" ".join([*classes, TEMPLATE_CLASS])))
    return copied.html()
