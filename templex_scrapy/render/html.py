"""Write HTML: a page without some nodes, the main content alone, and a page with its template marked."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

from lxml import etree

from templex_scrapy.page import Page, nodes_of, unescape
from templex_scrapy.render.absolute_addresses import make_absolute
from templex_scrapy.render.tree_copy import TreeCopy, copy_document, copy_part, own_document, remove
from templex_scrapy.render.writable import writable

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

TEMPLATE_CLASS = "template_node"
"""The class that :func:`annotated_html` gives to template elements (WWW15)."""

# <div class="wrap"><div id="page"><article>: elements around the content that tell nothing of it
_WRAPPERS = frozenset({"body", "center", "div", "form", "main"})
_DOCTYPE = re.compile(r"<!doctype", re.IGNORECASE)
# since 2.14 libxml2 reads the content of these elements as text without references, but still escapes it
_RAW = ("iframe", "noembed", "noframes", "plaintext", "xmp") if etree.LIBXML_VERSION >= (2, 14) else ()
_RAW_TEXT = re.compile(
    rf"<!--.*?-->|<(script|style)[\s>].*?</\1>|(<plaintext(?:\s[^>]*)?)></plaintext>"
    rf"|(<(?:{'|'.join(_RAW)})(?:\s[^>]*)?>)([^<]+)",
    re.DOTALL | re.IGNORECASE,
)


def cleaned_html(page: Page, roots: Collection[int], *, part: int = 0, consume_tree: bool = False) -> str:
    """Return the HTML of a page, or of a part of it, without some subtrees.

    Args:
        page: the page.
        roots: positions of the roots of the removed subtrees; neither node 0 nor the part is among them.
        part: position of the element that is returned; 0 for the whole page.
        consume_tree: whether the page's own tree may be used up, which saves the copy.

    Returns:
        The source, unchanged, if nothing is removed from the whole page, or if the parser may have cut the page.
    """
    if part:
        copied = copy_part(page, part)
    elif not roots or page.is_cut:
        return page.text
    else:
        copied = own_document(page) if consume_tree else copy_document(page)
    copied.remove(roots)
    return _source(copied.top) if part else _document(page, copied)


def _document(page: Page, copied: TreeCopy) -> str:
    tree = copied.top.getroottree()
    # libxml2 adds a doctype to a page without doctype, and browsers would show the page differently
    return _source(tree if _DOCTYPE.search(page.text) is not None else tree.getroot())


def _source(tree: Element | etree._ElementTree) -> str:
    written = etree.tostring(tree, encoding="unicode", method="html", with_tail=False)
    raw_elements = list(tree.iter(*_RAW)) if _RAW else []
    if not raw_elements:
        return written
    raw = _RAW_TEXT.sub(_raw, written) if any(one.text or one.tag == "plaintext" for one in raw_elements) else written
    # nothing but end tags can follow the content of plaintext, and they would be text
    return raw.rpartition("</plaintext>")[0] if any(one.text for one in tree.iter("plaintext")) else raw


def _raw(found: re.Match[str]) -> str:
    _, empty, start, text = found.groups()
    # behind <plaintext/> libxml2 reads HTML, as nowhere else behind plaintext
    return f"{empty}/>" if empty else found[0] if start is None else start + unescape(text)


def content_fragment(page: Page, roots: Collection[int]) -> str:
    """Return a page without some subtrees as a single element with absolute addresses.

    Comments, scripts and styles are left out, and so are wrappers that contain nothing but another element.

    Returns:
        The source, unchanged, if the parser may have cut the page.
    """
    if page.is_cut:
        return page.text
    copied = copy_part(page)
    copied.remove(roots)
    element = copied.top
    etree.strip_tags(element, etree.Comment, etree.ProcessingInstruction)
    remove(list(element.iter("link", "meta", "script", "style", "template")))
    make_absolute(element, page.base_url)
    while element.tag in _WRAPPERS and len(element) == 1:
        if (element.text or "").strip() or (element[0].tail or "").strip():
            break
        element = element[0]
    # within another page browsers take over the attributes of a second body, such as onload
    if element.tag == "body":
        element.tag = "div"
        element.attrib.clear()
    return _source(element)


def annotated_html(page: Page, nodes: Collection[int]) -> str:
    """Return the whole page, with the class ``template_node`` on the elements at some positions (WWW15).

    Returns:
        The page's own source, unchanged, if the parser may have cut the page.
    """
    if page.is_cut:
        return page.text
    copied, arrays = copy_document(page), nodes_of(page)
    marked = copied.elements({arrays.slots[position] for position in nodes if arrays.texts[position] is None})
    for element in marked.values():
        classes = (element.get("class") or "").split()
        if TEMPLATE_CLASS not in classes:
            element.set("class", writable(" ".join([*classes, TEMPLATE_CLASS])))
    return _document(page, copied)
