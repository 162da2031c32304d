"""Read the nodes of a tree.

libxml2 writes the tree as XML in a fraction of the time that Python takes to visit each element; one pass over these
bytes finds the nodes.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from html import unescape
from typing import TYPE_CHECKING

from lxml import etree

from templex_scrapy import cython
from templex_scrapy.page.byte_search import find_byte
from templex_scrapy.page.node_arrays import NodeArrays, integers
from templex_scrapy.page.start_tags import TEXT, StartTag, start_tag_of

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

LEFT_OUT = frozenset({"script", "style", "iframe", "noscript", "template"})
"""Tags of elements that are no nodes, and whose content is none."""

_FRAMES = frozenset({"iframe", "noscript"})
_FEW_WORDS = 100  # a page that shows its text only in noscript has fewer words outside
_MANY_WORDS = 50  # and at least so many inside
# what libxml2 writes for a character that XML cannot represent
_UNWRITABLE = "&#xFFFD;"

cython.declare(
    _NEW="int", _LEFT="int", _FRAME="int", _LESS="unsigned char", _GREATER="unsigned char", _SLASH="unsigned char",
    _BLANK="unsigned char", _EXCLAMATION="unsigned char", _QUESTION="unsigned char", _BRACKET="unsigned char",
    _TAB="unsigned char", _NEWLINE="unsigned char", _AMPERSAND="unsigned char", _ASCII="unsigned char",
)  # fmt: skip
_LESS, _GREATER, _SLASH, _BLANK, _EXCLAMATION, _QUESTION, _BRACKET, _TAB, _NEWLINE = b"<>/ !?[\t\n"
_AMPERSAND, _ASCII = b"&\x7f"
# in place of the number of a start tag: it is new on the page; the element is left out; that is a frame
_NEW, _LEFT, _FRAME = -3, -1, -2


def read_nodes(body: Element) -> NodeArrays:
    """Read the nodes below a body; O(length of the source).

    Some pages, such as Discourse forums, show their text only to browsers without scripts. A page with few words
    and more of them in ``noscript`` elements is read with these.
    """
    arrays = _read(body, LEFT_OUT)
    if arrays.frame_parents and (words := arrays.words_before[-1]) < _FEW_WORDS:
        # "Please enable JavaScript" is no text that the page lacks
        unscripted = _read(body, LEFT_OUT - {"noscript"})
        if unscripted.words_before[-1] >= words + max(_MANY_WORDS, words + 1):
            return unscripted
    return arrays


def _read(body: Element, left_out: frozenset[str]) -> NodeArrays:
    elements: list[Element] = []

    def text_at(rendered: str, place: int) -> str:
        if _UNWRITABLE not in rendered:
            return unescape(rendered)
        if not elements:
            elements.extend(body.iter())
        element = elements[place if place >= 0 else ~place]
        return (element.text if place >= 0 else element.tail) or ""

    return scan(_rendered(body), left_out, text_at)


def _rendered(body: Element) -> bytes:
    """Return an element as libxml2 writes it in XML."""
    # under an XHTML doctype libxml2 adds attributes: id for name, xml:lang for lang
    docinfo = body.getroottree().docinfo
    if "XHTML" not in docinfo.doctype.upper():
        return _as_xml(body)
    names = docinfo.public_id, docinfo.system_url
    try:
        docinfo.public_id, docinfo.system_url = names
    except ValueError:  # lxml reads "-//A&B//DTD XHTML" and does not write it; a copied element has no doctype
        return _as_xml(copy.deepcopy(body))
    docinfo.public_id = docinfo.system_url = None
    try:
        return _as_xml(body)
    finally:
        docinfo.public_id, docinfo.system_url = names


def _as_xml(body: Element) -> bytes:
    return etree.tostring(body, encoding="utf-8", xml_declaration=False, with_tail=False)


@cython.ccall
@cython.locals(
    xml=bytes, data="const unsigned char*", size="Py_ssize_t", ids="int[::1]", sizes="int[::1]", parents="int[::1]",
    slots="int[::1]", start_tags=list, texts=list, text=str, known=dict, token=bytes, start="Py_ssize_t",
    end="Py_ssize_t", first="Py_ssize_t", behind="Py_ssize_t", mark="unsigned char", most="int", count="int",
    depth="int", level="int", passed="int", parent="int", element="int", place="int", index="int", is_empty="bint",
)  # fmt: skip
def scan(xml: bytes, left_out: Collection[str], text_at: Callable[[str, int], str]) -> NodeArrays:  # noqa: C901, PLR0912, PLR0915 - calls would double the time
    """Read the nodes of an element.

    Args:
        xml: the element as libxml2 writes it, in UTF-8.
        left_out: tags of elements that are no nodes, and whose content is none.
        text_at: reads a text with references, given the slot (see :class:`NodeArrays`).
    """
    data, size = xml, len(xml)  # compiled, a pointer to the bytes
    # elements, and texts before and behind each
    most = 2 * xml.count(b"<") + 1
    texts: list[str | None] = [None] * most
    all_ids, all_sizes, all_parents, all_slots = integers(most), integers(most), integers(most), integers(most)
    ids, sizes, parents, slots = all_ids, all_sizes, all_parents, all_slots  # compiled, these are views
    start_tags = [start_tag_of(TEXT)]
    known: dict[bytes, int] = {}  # a start tag without the end → the index; _LEFT, _FRAME
    frame_parents: list[int] = []
    continued: list[int] = []
    behind = -1  # where a text, and the comments behind it, end
    count = depth = level = passed = 0  # passed: level in an element that is left out
    parent = element = place = -1  # place: slot of a text here
    start = find_byte(data, _LESS, 0, size)
    while start >= 0:
        mark = data[start + 1]
        if mark == _EXCLAMATION or mark == _QUESTION:  # noqa: PLR1714, SIM109 - compares bytes
            end = _end_of_no_tag(xml, start)
            # a CDATA section is no element; a comment is one, and the text behind it is the tail
            if data[start + 2] != _BRACKET:
                element += 1
                if not passed:
                    place = ~element
                    # "1<!-- ad -->2" is one line to a reader, and two texts
                    if start == behind:
                        behind = end
        else:
            end = find_byte(data, _GREATER, start, size) + 1
            is_empty = data[end - 2] == _SLASH
            if mark == _SLASH:
                if passed:
                    passed -= 1
                else:
                    sizes[parent] = count - parent
                    place = ~slots[parent]
                    parent = parents[parent]
                    level -= 1
            else:
                element += 1
                # what is in a <noscript> is counted, so that slots fit the tree, and is no node
                if passed:
                    passed += not is_empty
                else:
                    # <p/> is a <p> without content
                    token = data[start : end - 2 if is_empty else end - 1]
                    index = known.get(token, _NEW)
                    if index == _NEW:
                        index = known[token] = _add_start_tag(token, start_tags, left_out)
                    if index < 0:
                        if index == _FRAME:
                            frame_parents.append(parent)
                        place = ~element
                        passed = not is_empty
                    else:
                        ids[count], sizes[count], parents[count], slots[count] = index, 1, parent, element
                        if is_empty:
                            place = ~element
                        else:
                            parent, place = count, element
                            level += 1
                            if level > depth:  # noqa: PLR1730 - a call takes three times as long
                                depth = level
                        count += 1
        if not end:
            break  # libxml2 ends each tag
        start = find_byte(data, _LESS, end, size)
        if passed or start == end or start < 0:
            continue
        # most are line breaks between tags: no string is made of them
        first = end
        while data[first] == _BLANK or data[first] == _NEWLINE or data[first] == _TAB:
            first += 1
        if first == start:
            continue
        text = data[end:start].decode("utf-8")
        if find_byte(data, _AMPERSAND, end, start) >= 0:
            text = text_at(text, place)
            if text.isspace():
                continue
        elif data[first] > _ASCII and text.isspace():  # "&nbsp;" alone, as in empty cells
            continue
        if end == behind:
            continued.append(count)
        behind = start
        texts[count] = text
        sizes[count], parents[count], slots[count] = 1, parent, place
        count += 1
    return NodeArrays(
        start_tags=start_tags,
        ids=all_ids[:count],
        texts=texts[:count],
        sizes=all_sizes[:count],
        parents=all_parents[:count],
        slots=all_slots[:count],
        frame_parents=frame_parents,
        continued=continued,
        depth=depth,
    )


def _end_of_no_tag(xml: bytes, start: int) -> int:
    """Return the position behind a comment, a CDATA section or a processing instruction."""
    for begin, end in ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")):
        if xml.startswith(begin, start):
            return xml.find(end, start + len(begin)) + len(end)
    return xml.find(b">", start) + 1


@cython.cfunc
@cython.returns("int")
@cython.locals(token=bytes, start_tags=list, start_tag=StartTag)
def _add_start_tag(token: bytes, start_tags: list[StartTag], left_out: Collection[str]) -> int:
    """Add a start tag that is new on the page and return the index; ``_FRAME`` or ``_LEFT`` if it is left out."""
    start_tag = start_tag_of(token.decode("utf-8") + ">")
    if start_tag.tag in left_out:
        return _FRAME if start_tag.tag in _FRAMES else _LEFT
    start_tags.append(start_tag)
    return len(start_tags) - 1
