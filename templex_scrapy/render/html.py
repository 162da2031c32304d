"""Write HTML: a page without some nodes, the main content alone, and a page with the template marked."""

from __future__ import annotations

import copy
import re
from collections.abc import Collection, Iterable
from html import unescape
from itertools import islice

from lxml import etree
from lxml.etree import _Element as Element

from templex_scrapy.page import INLINE, Page, body_of, elements_of, nodes_of, root_of, take_tree
from templex_scrapy.render.addresses import make_absolute
from templex_scrapy.render.text import writable

TEMPLATE_CLASS = "template_node"
"""The class that :func:`annotated_html` gives to template elements (WWW15)."""

MAX_STEPS = 100
"""Elements without text that are passed in search of a word, at most."""

_REMOVED = "REMOVED"  # no page has such an element: the parser writes tags in lower case
# <div class="wrap"><div id="page"><article>: elements around the content that tell nothing of it
_WRAPPERS = frozenset({"body", "center", "div", "form", "main"})
_UNSEEN = ("link", "meta", "script", "style", "template")
_DOCTYPE = re.compile(r"<!doctype", re.IGNORECASE)
# since 2.14 libxml2 reads the content of these elements as text without references, but still escapes it
_RAW = ("iframe", "noembed", "noframes", "xmp") if etree.LIBXML_VERSION >= (2, 14) else ()
_RAW_TEXT = re.compile(
    rf"<!--.*?-->|<(script|style)[\s>].*?</\1>|(<(?:{'|'.join(_RAW)})(?:\s[^>]*)?>)([^<]+)", re.DOTALL | re.IGNORECASE
)


def cleaned_html(page: Page, roots: Collection[int], *, part: int = 0, consume_tree: bool = False) -> str:
    """Return the HTML of a page, or of the element at ``part``, without the subtrees at ``roots``.

    Neither node 0 nor the part is a root. With ``consume_tree`` the page's own tree may be used up, which saves the
    copy. The source is returned if nothing is removed from the whole page, or if the parser may have cut it.
    """
    if part:
        element = copy.deepcopy(elements_of(page)[nodes_of(page).slots[part]])
        _remove_nodes(page, element, roots, part)
        return _source(element)
    if not roots or page.is_cut:
        return page.text
    # the tree is copied if a user holds elements of the page
    body = take_tree(page) if consume_tree else None
    body = _copied_document(page) if body is None else body
    _remove_nodes(page, body, roots)
    return _document(page, body)


def content_fragment(page: Page, roots: Collection[int]) -> str:
    """Return a page without some subtrees as a single element with absolute addresses.

    Comments, scripts and styles are left out, and so are wrappers that contain nothing but another element. The source
    is returned if the parser may have cut the page.
    """
    if page.is_cut:
        return page.text
    element = copy.deepcopy(body_of(page))
    _remove_nodes(page, element, roots)
    etree.strip_tags(element, etree.Comment, etree.ProcessingInstruction)
    _insert_spaces((), list(element.iter(*_UNSEEN)))
    etree.strip_elements(element, *_UNSEEN, with_tail=False)
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

    The source is returned if the parser may have cut the page.
    """
    if page.is_cut:
        return page.text
    body, arrays = _copied_document(page), nodes_of(page)
    marked = _elements(body, {arrays.slots[position] for position in nodes if arrays.texts[position] is None})
    for element in marked.values():
        classes = (element.get("class") or "").split()
        if TEMPLATE_CLASS not in classes:
            element.set("class", writable(" ".join([*classes, TEMPLATE_CLASS])))
    return _document(page, body)


def _copied_document(page: Page) -> Element:
    """Return the body in a copy of the whole document."""
    root = root_of(page)
    copied: Element = copy.deepcopy(root.getroottree()).getroot()
    behind = list(copied.itersiblings())
    if [comment.text for comment in behind] != [comment.text for comment in root.itersiblings()]:
        for comment in behind:  # lxml copies comments behind the root in reverse order
            copied.addnext(comment)
    body = None if body_of(page) is root else copied.find("body")
    return copied if body is None else body


def _elements(top: Element, slots: Iterable[int], passed: int = 0) -> dict[int, Element]:
    """Return the elements at some slots; a list of all elements would have tens of thousands."""
    rest, elements = top.iter(), {}
    for slot in sorted(slots):
        elements[slot] = next(islice(rest, slot - passed, None))
        passed = slot + 1
    return elements


def _remove_nodes(page: Page, top: Element, positions: Iterable[int], part: int = 0) -> None:
    """Remove nodes with their subtrees from a copy of a part; the texts behind them are kept, and words stay apart."""
    arrays, ordered = nodes_of(page), sorted(positions)
    slots = arrays.slots
    owners = _elements(top, {max(slots[position], ~slots[position]) for position in ordered}, slots[part])
    roots: list[Element] = []
    texts: list[tuple[Element, str]] = []
    for position in ordered:
        slot = slots[position]
        if arrays.texts[position] is None:
            roots.append(owners[slot])
        else:
            owner, name = (owners[slot], "text") if slot >= 0 else (owners[~slot], "tail")
            setattr(owner, name, None)
            texts.append((owner, name))
    _insert_spaces(texts, roots)
    for element in roots:
        element.clear(keep_tail=True)
        element.tag = _REMOVED
    # in linear time, unlike removing <br> by <br> with the text behind
    etree.strip_tags(top, _REMOVED)


def _document(page: Page, body: Element) -> str:
    tree = body.getroottree()
    # libxml2 adds a doctype to a page without doctype, and browsers would show the page differently
    return _source(tree if _DOCTYPE.search(page.text) is not None else tree.getroot())


def _source(tree: Element | etree._ElementTree) -> str:
    raw = list(tree.iter("plaintext", *_RAW))
    for element in raw:
        # no end tag ends plaintext: what follows would be text
        if element.tag == "plaintext":
            element.tag = "pre"
    html = etree.tostring(tree, encoding="unicode", method="html", with_tail=False)
    if any(element.text for element in raw):
        return _RAW_TEXT.sub(lambda match: match[0] if match[2] is None else match[2] + unescape(match[3]), html)
    return html


def _insert_spaces(texts: Iterable[tuple[Element, str]], roots: Collection[Element]) -> None:
    """Insert a space where words would run together, in place of a removed text or behind a removed element.

    In ``<b>Name</b> on <i>5 November</i>`` the text " on " has the only spaces between two words. Removed texts are the
    ``text`` or ``tail`` of elements; ``roots`` are still in the tree. O(texts and roots), :data:`MAX_STEPS` times at
    worst.
    """
    removed = frozenset(roots)
    first: Element | None = None
    for element in roots:
        first = element if first is None else first
        tail = element.tail
        if not tail and element.getnext() in removed:
            continue  # the last of a row of removed elements is judged for all of them
        # 12<div>an advertisement</div>.75
        is_before_word = _is_at_word(element.getparent(), element, removed, step=1)
        if is_before_word and _is_at_word(first.getparent(), first.getprevious(), removed, step=-1):
            element.tail = f" {writable(tail or '')}"
        first = None
    for owner, name in texts:
        # <b>Name</b> on <i>5 November</i>; <i>Name</i><b> on <u>5 November</u></b>
        parent, before = (owner, None) if name == "text" else (owner.getparent(), owner)
        if all(_is_at_word(parent, before, removed, step=step) for step in (1, -1)):
            setattr(owner, name, " ")


def _is_at_word(parent: Element | None, before: Element | None, removed: Collection[Element], *, step: int) -> bool:
    """Return whether a word that is kept begins right behind a gap (step 1), or ends right in front of it (-1).

    The gap is in ``parent``, behind the child ``before``, or at the start if that is None.
    """
    for _ in range(MAX_STEPS):
        if parent is None:
            return False
        if text := parent.text if before is None else before.tail:
            return not text[0 if step > 0 else -1].isspace()
        sibling = before
        if step > 0:
            sibling = next(parent.iterchildren(), None) if before is None else before.getnext()
        here = parent if sibling is None else sibling
        is_passed = sibling is not None and (here in removed or here.tag in _UNSEEN or not isinstance(here.tag, str))
        if not is_passed and here.tag not in INLINE:
            return False  # a line begins or ends here
        if sibling is None or is_passed:
            parent, before = here.getparent(), here if step > 0 else here.getprevious()
        else:
            parent, before = here, None if step > 0 else next(here.iterchildren(reversed=True), None)
    return False
