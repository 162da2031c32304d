"""A part of a page, smaller with each step of :mod:`templex_scrapy.content.main_content`, with its words counted."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence

from templex_scrapy import cython
from templex_scrapy.content.outline import Outline
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import NodeArrays, integers

# these are content as a whole or not at all, unless they are for the layout
_WHOLE = frozenset({"dl", "ol", "pre", "table", "ul"})
_WORD = re.compile(r"\w+")


def words_of(text: str) -> str:
    """Return the words of a text in lower case, one blank apart."""
    return " ".join(_WORD.findall(text.lower()))


class Selection:
    """The nodes of a page that are unique to it and in no removed box, with the words in them. It never changes.

    Attributes:
        flags: flag 1 for each node of the selection. Elements are in it unless they are removed.
        counts: number of words of each text, 0 for elements.
        read: the words of texts that were read, by position; the selections of a page share it.

    Args:
        arrays: the page's nodes.
        flags: as above; the selection owns it.
        before: a selection of the same page with the same words, whose sums are taken.
    """

    @cython.locals(before="Selection")
    def __init__(self, arrays: NodeArrays, flags: bytearray, before: Selection | None = None) -> None:
        self.arrays = arrays
        self.flags = flags
        self.counts = arrays.word_counts
        self.outline = arrays.computed(Outline)
        self._link_weight: int = THRESHOLDS.link_weight
        self._sizes, self._texts_before = arrays.sizes, arrays.texts_before
        self.read: dict[int, str] = {}
        self._paragraphs: dict[int, int] = {}
        # words before each text, all and outside links; words in long blocks before each node. Empty: not summed yet
        self._words = self._outside = self._long = integers(0)
        if before is not None:
            self._words, self._outside, self._long = before._words, before._outside, before._long  # noqa: SLF001
            self._paragraphs = before._paragraphs  # noqa: SLF001

    @cython.locals(flags=bytearray, root="Py_ssize_t", end="Py_ssize_t", has_words="bint")
    def without(self, roots: Iterable[int]) -> Selection:
        """Return the selection without some subtrees, given by their roots in node order; node 0 stays."""
        self._sum()
        flags, end, has_words = bytearray(self.flags), 1, False
        for root in roots:
            if root >= end:
                end = root + self._sizes[root]
                flags[root:end] = bytes(end - root)
                has_words = has_words or self._number(self._words, root) > 0
        # most boxes are repeated as a whole: without them the sums are the same
        return self._other(flags, None if has_words else self)

    def with_texts(self, texts: Iterable[int]) -> Selection:
        """Return the selection with some more texts, unless the elements that contain them are removed."""
        flags = bytearray(self.flags)
        for position in texts:
            flags[position] = flags[self.arrays.parents[position]]
        return self._other(flags, None)

    @cython.locals(before="Selection", other="Selection")
    def _other(self, flags: bytearray, before: Selection | None) -> Selection:
        other = Selection(self.arrays, flags, before)
        other.read = self.read
        return other

    def words(self, node: int) -> int:
        """Return the number of unique words in a subtree."""
        self._sum()
        return self._number(self._words, node)

    def weight(self, node: int) -> int:
        """Return the same, where words outside links count four times."""
        self._sum()
        return self._number(self._words, node) + self._number(self._outside, node) * (self._link_weight - 1)

    def words_in_links(self, node: int) -> int:
        """Return the number of unique words in a subtree that are in links."""
        return self.words(node) - self._number(self._outside, node)

    def long_words(self, node: int) -> int:
        """Return the number of unique words in a subtree that are in long blocks.

        A block is an element with the texts and inline elements that it directly contains. It is long if it has ten
        unique words, at most a third of them in links (as in boilerpipe, Kohlschütter et al., WSDM 2010, and jusText).
        """
        return self.long_between(node, node + self._sizes[node])

    def is_long(self, block: int) -> bool:
        """Return whether a block is long, whatever is in the blocks that it contains."""
        return self.long_between(block, block + 1) > 0

    def long_between(self, first: int, end: int) -> int:
        """Return the same for the nodes from one position to another."""
        if len(self._long) == 0:
            self._sum_long(THRESHOLDS.long_block, THRESHOLDS.small_share)
        return self._long[end] - self._long[first]

    def is_text(self, node: int) -> bool:
        """Return whether most unique words of a subtree are in long blocks."""
        return 2 * self.long_words(node) > self.words(node)

    def _number(self, before: array[int], node: int) -> int:
        return before[self._texts_before[node + self._sizes[node]]] - before[self._texts_before[node]]

    def _sum(self) -> None:
        if len(self._words) == 0:
            self._sum_words(self.arrays.text_positions)

    @cython.locals(
        counts="const int[::1]", flags=bytearray, linked=bytearray, every="int[::1]", outside="int[::1]",
        position="Py_ssize_t", index="Py_ssize_t", words="int", words_outside="int",
    )  # fmt: skip
    def _sum_words(self, texts: Sequence[int]) -> None:
        counts, flags, linked = self.counts, self.flags, self.outline.linked
        self._words, self._outside = integers(len(texts) + 1), integers(len(texts) + 1)
        every, outside = self._words, self._outside
        index = words = words_outside = 0
        for position in texts:
            if flags[position]:
                words += counts[position]
                if not linked[position]:
                    words_outside += counts[position]
            index += 1  # noqa: SIM113 - compiled, it is no object
            every[index], outside[index] = words, words_outside

    @cython.locals(
        counts="const int[::1]", flags=bytearray, linked=bytearray, blocks="int[::1]", words="int[::1]",
        in_links="int[::1]", before="int[::1]", position="Py_ssize_t", count="Py_ssize_t", total="int",
    )  # fmt: skip
    def _sum_long(self, least: int, linked_share: float) -> None:
        counts, flags, linked, blocks = self.counts, self.flags, self.outline.linked, self.outline.blocks
        count = len(flags)
        words, in_links, all_before = integers(count), integers(count), integers(count + 1)
        before = all_before
        for position in self.arrays.text_positions:
            if flags[position]:
                words[blocks[position]] += counts[position]
                if linked[position]:
                    in_links[blocks[position]] += counts[position]
        total = 0
        for position in range(count):
            if words[position] >= least and in_links[position] <= linked_share * words[position]:
                total += words[position]
            before[position + 1] = total
        self._long = all_before

    @cython.locals(end="Py_ssize_t", tag=str)
    def is_whole(self, node: int) -> bool:
        """Return whether a subtree is code, or a list or a table of text: none of them is content in part."""
        outline, end = self.outline, node + self._sizes[node]
        tag = self.arrays.start_tag(node).tag
        return tag in _WHOLE and outline.layout[end] == outline.layout[node]

    @cython.locals(texts=tuple, child="Py_ssize_t", last="Py_ssize_t")
    def last_paragraph(self, parent: int) -> int:
        """Return the last child of a node that is a long paragraph; 0 if there is none."""
        if parent not in self._paragraphs:
            texts, start_tag = self.arrays.texts, self.arrays.start_tag
            last = 0
            for child in self.arrays.children(parent):
                if texts[child] is None and start_tag(child).tag == "p" and self.long_words(child):
                    last = child
            self._paragraphs[parent] = last
        return int(self._paragraphs[parent])

    def is_line(self, block: int) -> bool:
        """Return whether a block is nothing but text with a few links and words outside of them: ``by <a>Ann</a>``."""
        outline, texts, end = self.outline, self.arrays.texts, block + self._sizes[block]
        if not 0 < outline.links[end] - outline.links[block] <= THRESHOLDS.line_links:
            return False
        if any(outline.blocks[inside] == inside for inside in range(block + 1, end)):
            return False
        return any(not outline.linked[inside] and _WORD.search(texts[inside] or "") for inside in range(block, end))

    def nodes(self, roots: Iterable[int]) -> frozenset[int]:
        """Return the unique nodes of some subtrees, without elements of which no words are left."""
        return frozenset(self._left(list(roots)))

    @cython.locals(
        flags=bytearray, sizes="const int[::1]", before="const int[::1]", left="int[::1]",
        texts_before="const int[::1]", position="Py_ssize_t", end="Py_ssize_t", root="Py_ssize_t", found=list,
    )  # fmt: skip
    def _left(self, roots: list[int]) -> list[int]:
        self._sum()
        flags, sizes, before, left = self.flags, self._sizes, self.arrays.words_before, self._words
        texts_before, found = self._texts_before, []
        for root in roots:
            for position in range(root, root + sizes[root]):
                end = position + sizes[position]
                if flags[position] and (
                    left[texts_before[end]] > left[texts_before[position]] or before[end] == before[position]
                ):
                    found.append(position)
        return found
