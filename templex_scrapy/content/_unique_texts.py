"""Which texts of a page are unique to it, counted: each question about a subtree is one subtraction.

Compiled where there is a compiler (_unique_texts.pxd has the types).
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence

from templex_scrapy.content._outline import OF_A_BLOCK, Outline
from templex_scrapy.page import HEADINGS, NodeArrays, counts_before, integers

_LINE = OF_A_BLOCK | frozenset("svg caption col colgroup dd dl dt table tbody td tfoot th thead tr".split())
_CONTROLS = frozenset(
    "aside audio button canvas dialog embed form frame input meter nav object option progress select textarea"
    " video".split()
)
_VALUES = frozenset({"dd", "td"})

# bits of tags
_LINK, _CONTROL, _HEADING, _TABLE, _NO_LINE, _DIV, _DL, _VALUE = (1 << bit for bit in range(8))
_BITS = {
    tag: (tag == "a" and _LINK)
    | (tag in _CONTROLS and _CONTROL)
    | (tag in HEADINGS and _HEADING)
    | (tag == "table" and _TABLE)
    | (tag not in _LINE and _NO_LINE)
    | (tag == "div" and _DIV)
    | (tag == "dl" and _DL)
    | (tag in _VALUES and _VALUE)
    for tag in _LINE | _CONTROLS | HEADINGS | {"div"}
}


class UniqueTexts:
    """The texts of a page, those that are unique to it, and what is around them.

    A text outside links is unique as well if other pages have another one in its place, be it repeated on some: "In
    stock" on ten of twenty products. A link that is alone in its ``dd`` or ``td`` counts as text: it is a value.

    Args:
        arrays: the page's nodes.
        removable: flag 1 for nodes that other pages have with their whole subtrees.
        equal: flag 1 for texts that other pages have, even if they are not removable, such as those of a link.
        varying: flag 1 for texts in whose place another page has another one.

    Attributes:
        flags: flag 1 for unique texts, and for elements.
        outside: positions of the unique texts outside links.
        linked: flag 1 for each link and all nodes in it, but for a link that is alone in its cell.
    """

    def __init__(self, arrays: NodeArrays, removable: bytes, equal: bytes, varying: bytes) -> None:
        self.arrays = arrays
        self._sizes, self._parents, self._texts_before = arrays.sizes, arrays.parents, arrays.texts_before
        self._words_before = arrays.words_before
        self.flags = bytearray(b"\1") * len(equal)
        self.outside: list[int] = []
        self._of_tags = arrays.of_tags(_BITS, _NO_LINE)
        self._read_tags(self._of_tags, arrays.computed(Outline))
        self._read_texts(arrays.text_positions, removable, equal, varying)

    def _read_tags(self, of_tags: bytes, outline: Outline) -> None:  # noqa: C901 - calls would double its time
        """Flag links, and count what makes a difference in each subtree."""
        ids, parents, sizes = self.arrays.ids, self._parents, self._sizes
        count = len(ids)
        links, no_line, controls, tables = bytearray(count), bytearray(count), bytearray(count), bytearray(count)
        in_cells = []
        for position in range(count):
            bits = of_tags[ids[position]]
            if not bits:
                continue
            around = of_tags[ids[parents[position]]] if position else 0
            if bits & _LINK:
                links[position] = 1
                if around & _VALUE:
                    in_cells.append(position)
            # <dl><div><dt>Brand</dt><dd>Acme</dd></div></dl>
            elif bits & _NO_LINE and not (bits & _DIV and around & _DL):
                no_line[position] = 1
            if bits & _CONTROL:
                controls[position] = 1
            elif bits & _TABLE:
                tables[position] = 1
        self.linked = linked = bytearray(outline.linked)
        every = outline.links
        for link in in_cells:
            cell = parents[link]
            if every[cell + sizes[cell]] - every[cell] == 1:
                links[link] = 0
                if not linked[cell]:
                    linked[link : link + sizes[link]] = bytes(sizes[link])
        self._links, self._no_line, self._controls, self._tables = map(
            counts_before, (links, no_line, controls, tables)
        )

    def _read_texts(self, texts: Sequence[int], removable: bytes, equal: bytes, varying: bytes) -> None:
        flags, linked = self.flags, self.linked
        self._unique, self._unique_outside, self._outside = (integers(len(texts) + 1) for _ in range(3))
        all_unique, all_unique_outside, all_outside = self._unique, self._unique_outside, self._outside
        index = unique = unique_outside = outside = 0
        for position in texts:
            is_unique = not (removable[position] or equal[position]) or (varying[position] and not linked[position])
            if is_unique:
                unique += 1
            else:
                flags[position] = 0
            if not linked[position]:
                outside += 1
                if is_unique:
                    unique_outside += 1
                    self.outside.append(position)
            index += 1  # noqa: SIM113 - compiled, it is no object
            all_unique[index], all_unique_outside[index], all_outside[index] = unique, unique_outside, outside

    def _texts(self, before: array[int], start: int, end: int) -> int:
        return before[self._texts_before[end]] - before[self._texts_before[start]]

    def unique(self, node: int) -> int:
        """Return the number of unique texts in a subtree."""
        return self._texts(self._unique, node, node + self._sizes[node])

    def unique_outside(self, start: int, end: int) -> int:
        """Return the number of unique texts outside links in [start, end)."""
        return self._texts(self._unique_outside, start, end)

    def has_outside(self, node: int) -> bool:
        """Return whether a text outside links is in a subtree."""
        return self._texts(self._outside, node, node + self._sizes[node]) > 0

    def words(self, node: int) -> int:
        """Return the number of words in a subtree."""
        return self._words_before[node + self._sizes[node]] - self._words_before[node]

    def links(self, node: int) -> int:
        """Return the number of links in a subtree."""
        return self._links[node + self._sizes[node]] - self._links[node]

    def having_links_in(self, children: int) -> list[int]:
        """Return the nodes that have links in at least so many children."""
        parents, sizes, links = self._parents, self._sizes, self._links
        numbers = integers(len(parents))
        found = []
        for position in range(len(parents) - 1, 0, -1):
            if links[position + sizes[position]] > links[position]:
                numbers[parents[position]] += 1
                if numbers[parents[position]] == children:
                    found.append(parents[position])
        return found

    def has_controls(self, node: int) -> bool:
        """Return whether a control is in a subtree."""
        return self._controls[node + self._sizes[node]] > self._controls[node]

    def is_text(self, node: int) -> bool:
        """Return whether nothing but text, its formatting and cells of one table is in a subtree."""
        end = node + self._sizes[node]
        # a table in a table is for the layout
        return self._no_line[end] == self._no_line[node] and self._tables[end] - self._tables[node] <= 1

    def is_heading(self, node: int) -> bool:
        """Return whether a node is a heading."""
        return bool(self._of_tags[self.arrays.ids[node]] & _HEADING)
