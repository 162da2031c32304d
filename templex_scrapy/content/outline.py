"""The outline of a page: its blocks, links, controls and boxes, whatever its texts are."""

from __future__ import annotations

import re

from templex_scrapy import cython
from templex_scrapy.content.box_names import (
    COMMENTS,
    DECLARED,
    EDGE,
    INSIDE,
    NAMED,
    OF_LINKS,
    REVIEWS,
    SECTION,
    declared_by,
)
from templex_scrapy.page import HEADINGS, INLINE, TEXT, NodeArrays, counts_before, integers, nodes_with

cython.declare(
    _LINK="int",
    _IN_BLOCK="int",
    _NO_TEXT="int",
    _TABLE="int",
    _CELL="int",
    _LIST="int",
    _CONTROL="int",
    _HEADING="int",
    _OF_VALUES="int",
)

# bits of tags
_LINK, _IN_BLOCK, _NO_TEXT, _TABLE, _CELL, _LIST, _CONTROL, _HEADING = (1 << bit for bit in range(8))
_OF_VALUES = _CELL | _LIST

# "by <a>Ann</a><br>on Tuesday" is one block
_OF_A_BLOCK = INLINE | {TEXT, "br", "img"}
# <tr><th>Weight</th><td>1.2 kg</td></tr> is read as a line, <ul><li>Home</li><li>News</li></ul> is not
_TEXT_TAGS = _OF_A_BLOCK | frozenset("svg caption col colgroup dd dl dt table tbody td tfoot th thead tr".split())
_OF_LISTS = dict.fromkeys(_TEXT_TAGS | frozenset("code hr li ol p pre ul".split()), 0)
# "Search <input>" is no label
_CONTROLS = frozenset(
    "aside audio button canvas dialog embed form frame input meter nav object option progress select textarea"
    " video".split()
)
_OF_TAGS = {"a": _LINK, "table": _TABLE, "dd": _CELL, "td": _CELL, "dl": _LIST}
_OF_TAGS |= dict.fromkeys(("h1", "h2", "h3"), _HEADING)
_BITS = {
    tag: _OF_TAGS.get(tag, 0)
    | (tag in _OF_A_BLOCK and _IN_BLOCK)
    | (tag not in _TEXT_TAGS and _NO_TEXT)
    | (tag in _CONTROLS and _CONTROL)
    for tag in _TEXT_TAGS | _CONTROLS | _OF_TAGS.keys()
}
_HEADING_NODES = 50  # at most
_LETTERS = re.compile(r"[^\W_]+")
_HAVING = {bit: bytes(bits & bit > 0 for bits in range(256)) for bit in (_LINK, _NO_TEXT, _TABLE, _CONTROL)}


class Outline:
    """What the tags of a page say of its nodes. Made once for a page: ``arrays.computed(Outline)``.

    Attributes:
        is_link: flag 1 for each link.
        linked: flag 1 for each link and all nodes in it.
        in_menus: the same, but for a link that is alone in its ``dd`` or ``td``: it may be a value.
        menu_links: how many such links are before each node, and in all.
        blocks: for each node the nearest element that is not inline, the node itself included.
        links: how many links are before each node, and in all.
        controls: how many controls, such as buttons.
        tables: how many tables.
        layout: how many elements that neither text nor lists and tables of text have.
        no_text: how many elements that are no text, formatting, table or list of values.
        headings: positions of the elements of each tag from ``h1`` to ``h3``.
        declared: positions of what HTML or WAI-ARIA declares to be beside the content.
        named: positions of what class or id name so.
        inside: positions of what class or id name as a box inside a text.
        of_links: positions of what they name as a box of links or buttons.
        comments: positions of what class or id name as readers' comments.
        reviews: positions of what they name as reviews.
    """

    def __init__(self, arrays: NodeArrays) -> None:
        self.linked, self.blocks = bytearray(len(arrays.ids)), integers(len(arrays.ids))
        self.headings: dict[str, list[int]] = {}
        bits = self._read(arrays, arrays.of_tags(_BITS, _NO_TEXT))
        self.is_link = bits.translate(_HAVING[_LINK])
        self.links, self.controls, self.tables, self.no_text = [
            counts_before(bits.translate(_HAVING[bit])) for bit in (_LINK, _CONTROL, _TABLE, _NO_TEXT)
        ]
        in_lists = arrays.of_tags(_OF_LISTS, 1)
        self.layout = counts_before(bytes(in_lists[tag] for tag in arrays.ids))
        self.declared: list[int] = []
        self.named: list[int] = []
        self.of_links: set[int] = set()
        self.inside: list[int] = []
        self.comments: list[int] = []
        self.reviews: list[int] = []
        self._read_boxes(arrays, bytes(arrays.of_start_tags(declared_by)))

    @cython.locals(
        linked="unsigned char[::1]", blocks="int[::1]", ids="const int[::1]", parents="const int[::1]",
        all_bits=bytearray, position="Py_ssize_t", parent="Py_ssize_t", bits="int",
    )  # fmt: skip
    def _read(self, arrays: NodeArrays, of_tags: bytes) -> bytearray:
        """Return the bits of each node's tag, and find links, headings and blocks."""
        linked, blocks, ids, parents = self.linked, self.blocks, arrays.ids, arrays.parents
        all_bits, in_cells = bytearray(len(ids)), list[int]()
        all_bits[0] = of_tags[ids[0]]
        for position in range(1, len(ids)):
            parent, bits = parents[position], of_tags[ids[position]]
            if all_bits[parent] & _OF_VALUES:
                # <dl><div><dt>Brand</dt><dd>Acme</dd></div></dl>
                if bits & _NO_TEXT and all_bits[parent] & _LIST and arrays.start_tag(position).tag == "div":
                    bits ^= _NO_TEXT
                if bits & _LINK and all_bits[parent] & _CELL:
                    in_cells.append(position)
            if bits & _HEADING:
                self.headings.setdefault(arrays.start_tag(position).tag, []).append(position)
            all_bits[position] = bits
            blocks[position] = blocks[parent] if bits & _IN_BLOCK else position
            linked[position] = linked[parent] | bits & _LINK
        is_link = all_bits.translate(_HAVING[_LINK])
        before, self.in_menus = counts_before(is_link), bytearray(self.linked)
        for link in in_cells:
            parent, end = parents[link], link + arrays.sizes[link]
            # <td><a href="/acme">Acme</a></td> is a value, <td><a href="/1">1</a> <a href="/2">2</a></td> is none
            if before[parent + arrays.sizes[parent]] - before[parent] == 1 and not linked[parent]:
                is_link[link] = 0
                self.in_menus[link:end] = bytes(end - link)
        self.menu_links = counts_before(is_link)
        return all_bits

    @cython.locals(
        sizes="const int[::1]", ids="const int[::1]", section_end="Py_ssize_t", box="Py_ssize_t", declared="int",
    )  # fmt: skip
    def _read_boxes(self, arrays: NodeArrays, of_start_tags: bytes) -> None:
        sizes, ids, section_end = arrays.sizes, arrays.ids, 0
        for box in nodes_with(of_start_tags, ids):
            declared = of_start_tags[ids[box]]
            if declared & ~SECTION and _is_of_heading(arrays, box):
                continue
            if declared & SECTION:
                section_end = max(section_end, box + sizes[box])
            # the header of the page, not that of an article
            if declared & DECLARED or (declared & EDGE and box >= section_end):
                self.declared.append(box)
            if declared & NAMED:
                self.named.append(box)
            if declared & INSIDE:
                self.inside.append(box)
            if declared & OF_LINKS:
                self.of_links.add(box)
            if declared & COMMENTS:
                self.comments.append(box)
            elif declared & REVIEWS:
                self.reviews.append(box)


def _is_of_heading(arrays: NodeArrays, box: int) -> bool:
    """Return whether a box is a button of a heading, or has the words of its heading as its id.

    ``<h3><button>Can I pay later?</button></h3>``, ``<div id="comments-and-strings"><h2>Comments and strings</h2>``.
    """
    tag, inside = arrays.start_tag(box), arrays.children(box)
    if tag.tag == "button":
        around = [arrays.parents[box], *inside]
        return any(arrays.texts[node] is None and arrays.start_tag(node).tag in HEADINGS for node in around)
    first = next((node for node in inside if arrays.texts[node] is None), None)
    if (
        not tag.id
        or first is None
        or arrays.start_tag(first).tag not in HEADINGS
        or arrays.sizes[first] > _HEADING_NODES
    ):
        return False
    words = " ".join(text for text in arrays.texts[first : first + arrays.sizes[first]] if text)
    return _LETTERS.findall(words.lower()) == _LETTERS.findall(tag.id.lower())
