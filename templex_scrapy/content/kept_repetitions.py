"""Keep repeated text that belongs to the content of a page.

Comparison with other pages finds texts that are repeated. A label beside a value is repeated as a menu is. Their places
tell them apart: **repeated text is kept in the content region only**
(:mod:`templex_scrapy.content.content_region`). There these are kept, unless they are in a box beside the content:

- *lines*: maximal runs of siblings that consist of nothing but text, its formatting and table cells (a sentence, a
  row, a table, a definition list) and contain unique words outside links;
- *small parts*: few words, without a control, and without a link unless words outside the link are
  beside it: a label, a note.

*Values* are texts in whose place another page has another text. They are kept anywhere; links of the region
that vary are kept too, whole, but they are no main content by that.

Everything else is a block: larger, or made of links or controls. A link that is alone in its ``dd`` or ``td`` counts as
text: it is a value.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from enum import StrEnum

from templex_scrapy.content.content_region import find_beside
from templex_scrapy.content.head import NO_HEAD, Head
from templex_scrapy.content.outline import Outline
from templex_scrapy.content.selection import Selection
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import NodeArrays


class Kept(StrEnum):
    """Why a repeated node is kept."""

    VALUE = "value"
    """Other pages have another text in its place."""

    LINE = "line"
    """It is part of a line or a table with unique words."""

    SMALL = "small"
    """It is a small part of the content: a label of a unique value, a value, a heading, a note."""

    VARYING_LINK = "varying_link"
    """Other pages have another link in its place in the content; it is no main content by that."""


_REASONS: tuple[Kept | None, ...] = (None, *Kept)
_VALUE_CODE, _LINE_CODE, _SMALL_CODE, _LINK_CODE = map(_REASONS.index, Kept)


class KeptParts:
    """The repeated nodes of a page that are kept because they belong to its content. O(n) for n nodes.

    Args:
        arrays: the page's nodes.
        removable: flag 1 for nodes that are repeated on other pages with their whole subtrees.
        equal: flag 1 for texts that are repeated, even if they are not removable, such as those of a link that is kept.
        varying: flag 1 for texts in whose place another page has another text; without it, no values are found.
        head: what the page declares.

    Attributes:
        removable: flag 1 for the nodes that are still removable.
        codes: for each node the number of its reason among those of :class:`Kept`, from 1; 0 without one.
        beside: flag 1 for the nodes outside the content, those in boxes included; without removable nodes, for none.
    """

    def __init__(
        self,
        arrays: NodeArrays,
        removable: Sequence[int],
        equal: Sequence[int],
        varying: Sequence[int] = (),
        head: Head = NO_HEAD,
    ) -> None:
        self._arrays, self._outline = arrays, arrays.computed(Outline)
        self._sizes, self._parents = arrays.sizes, arrays.parents
        self.removable = bytearray(removable)
        self.codes, self.beside = bytearray(len(removable)), bytearray(len(removable))
        if 1 not in self.removable:
            return
        varies = bytes(varying or len(removable))
        # where the content is decides what is kept: the menu "Rain", "Snow" is as short as "Brand", "Acme"
        self._outside: list[int] = []  # positions of the texts outside links that are unique to the page
        self._no_links: list[int] = []  # of all texts outside links
        own = self._read_texts(bytes(equal), varies)
        self.beside = find_beside(own, self._outside, head)
        # each pass keeps some of what the one before has left; the first reason of a node stands
        # <td>In stock</td>: removed, nothing would say whether the product can be had
        self._keep_values()
        # <tr><th>Weight</th><td>1.2 kg</td></tr>: the label is on all pages, and a value without it says nothing
        self._keep_lines()
        # <h3>Ingredients</h3> before a unique list, which is no line with it
        self._keep_small_parts()
        # <a href="/member/2">Ada</a>: the author of a reply, who wrote others too; links vary in menus as well
        self._keep_links(varies)

    def reason(self, position: int) -> Kept | None:
        """Return why a node is kept; None if it is removable, or was not in the first place."""
        return _REASONS[self.codes[position]]

    def _read_texts(self, equal: bytes, varying: bytes) -> Selection:
        """Find the unique texts, and return them as a selection.

        A text outside links is unique as well if other pages have another one in its place, be it repeated on some:
        "In stock" on ten of twenty products.
        """
        flags, linked = bytearray(b"\1") * len(equal), self._outline.in_menus
        for text in self._arrays.text_positions:
            is_unique = not (self.removable[text] or equal[text]) or (varying[text] and not linked[text])
            flags[text] = is_unique
            if not linked[text]:
                self._no_links.append(text)
                if is_unique:
                    self._outside.append(text)
        return Selection(self._arrays, flags)

    def _end(self, position: int) -> int:
        return position + self._sizes[position]

    def _number(self, texts: list[int], start: int, end: int) -> int:
        """Return how many of some texts are in [start, end)."""
        return bisect_left(texts, end) - bisect_left(texts, start)

    def _words(self, position: int) -> int:
        return self._arrays.words_before[self._end(position)] - self._arrays.words_before[position]

    def _links(self, position: int) -> int:
        return self._outline.menu_links[self._end(position)] - self._outline.menu_links[position]

    def _keep(self, start: int, end: int, code: int) -> None:
        """Keep the removable nodes in [start, end)."""
        for position in range(start, end):
            if self.removable[position]:
                self.codes[position] = code
        self.removable[start:end] = bytes(end - start)

    def _keep_upwards(self, node: int, code: int) -> None:
        """Keep a removable node with the removable nodes that it is in."""
        while node >= 0 and self.removable[node]:
            self._keep(node, node + 1, code)
            node = self._parents[node]

    def _keep_values(self) -> None:
        for text in self._outside:
            self._keep_upwards(text, _VALUE_CODE)

    def _keep_links(self, varying: bytes) -> None:
        linked = self._outline.in_menus
        position = varying.find(1)
        while position >= 0:
            if self.removable[position] and linked[position] and not self.beside[position]:
                node = position
                while linked[self._parents[node]] and self.removable[self._parents[node]]:
                    node = self._parents[node]
                self._keep(node, self._end(node), _LINK_CODE)  # with its picture: <a><img> Ada</a>
                self._keep_upwards(self._parents[node], _LINK_CODE)
            position = varying.find(1, position + 1)

    def _roots(self) -> list[int]:
        """Return the roots of the largest removable subtrees in the region, but for those beside the content."""
        found, position = [], self.removable.find(1)
        while position >= 0:
            if not self.beside[position]:
                found.append(position)
            position = self.removable.find(1, self._end(position))
        return found

    def _is_line(self, position: int) -> bool:
        """Return whether nothing but text, its formatting and cells of one table is in a subtree of the content."""
        outline, end = self._outline, self._end(position)
        # a table in a table is for the layout
        is_text = outline.no_text[end] == outline.no_text[position]
        return not self.beside[position] and is_text and outline.tables[end] - outline.tables[position] <= 1

    def _keep_lines(self) -> None:
        parents = self._parents
        blocks, inside = set(), bytearray(len(parents))
        for position in self._roots():
            block = parents[position]
            while block and not self.beside[block] and not inside[block] and self._is_line(block):
                inside[block] = 1
                block = parents[block]
            if not inside[block]:
                blocks.add(block)
        for block in sorted(blocks):
            self._keep_runs(block)

    def _keep_runs(self, block: int) -> None:
        """Keep the maximal runs of children that are lines, and have unique words outside links."""
        child, end = block + 1, self._end(block)
        while child < end:
            start = child
            while child < end and self._is_line(child):
                child += self._sizes[child]
            if self._number(self._outside, start, child):
                self._keep(start, child, _LINE_CODE)
            if child < end:
                child += self._sizes[child]

    def _keep_small_parts(self) -> None:
        for parent in sorted({self._parents[position] for position in self._roots()}):
            siblings = [child for child in self._arrays.children(parent) if self._words(child)]
            small = [siblings[index] for index in range(len(siblings)) if self._is_small(siblings, index)]
            for child in small:
                self._keep(child, self._end(child), _SMALL_CODE)

    def _is_small(self, siblings: Sequence[int], index: int) -> bool:
        """Return whether a removable sibling is small; a link alone, such as a brand, needs a label before it."""
        child = siblings[index]
        controls, end = self._outline.controls, self._end(child)
        if not self.removable[child] or self.beside[child] or controls[end] > controls[child]:
            return False
        links = self._links(child)
        # "Home / Books" has several links, a notice on delivery has more words
        if links > 1 or self._words(child) > THRESHOLDS.label_words:
            return False
        if not links or self._number(self._no_links, child, end):
            return True  # "by <a>Ann</a>"
        # not of share links in a row: "Share this", "Mastodon", "Mail"
        return self._is_label(siblings, index - 1) and not self._is_link(siblings, index + 1)

    def _is_link(self, siblings: Sequence[int], index: int) -> bool:
        if index >= len(siblings):
            return False
        return self._links(siblings[index]) > 0 and not self._number(
            self._no_links, siblings[index], self._end(siblings[index])
        )

    def _is_label(self, siblings: Sequence[int], index: int) -> bool:
        if index < 0 or not (self.removable[siblings[index]] or self.codes[siblings[index]]):
            return False
        child = siblings[index]
        return not self._links(child) and self._words(child) <= THRESHOLDS.label_words
