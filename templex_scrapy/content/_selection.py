"""A part of a page, smaller with each step of :mod:`templex_scrapy.content.main_content`, with its words counted."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence

from templex_scrapy import cython
from templex_scrapy.content._outline import Outline
from templex_scrapy.content.thresholds import THRESHOLDS
from templex_scrapy.page import HEADINGS, NodeArrays, integers

_HEADING = 50  # nodes that a heading has at most
_ITEMS = frozenset({"article", "li", "p", "tr"})
# these are content as a whole or not at all, unless they are for the layout
_WHOLE = frozenset({"dl", "ol", "pre", "table", "ul"})
_PARTS = HEADINGS | frozenset("caption dd dt header li tbody tfoot th thead tr".split())
# quotations and pictures have their source in one link
_WITH_SOURCE = frozenset({"blockquote", "figcaption", "figure"})
_WORD = re.compile(r"\w+")
# <a name="q1"> and <a href="#q1"> lead to no other page
_LEADS_AWAY = re.compile(r'\shref="[^#"]', re.ASCII)


def words_of(text: str) -> str:
    """Return the words of a text in lower case, one blank apart."""
    return " ".join(_WORD.findall(text.lower()))


class Selection:
    """The nodes of a page that are unique to it and in no removed box, with the words in them. It never changes.

    Attributes:
        flags: flag 1 for each node of the selection. Elements are in it unless they are removed.
        counts: number of words of each text, 0 for elements.

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
        self._long = integers(0)  # words before each node, in long blocks
        self._is_summed = self._is_long_summed = False
        self._read: dict[int, str] = {}
        self._paragraphs: dict[int, int] = {}
        # how many words are in the texts before each text: all, and outside links
        if before is None:
            texts = len(arrays.text_positions) + 1
            self._words, self._outside = integers(texts), integers(texts)
        else:
            self._words, self._outside, self._long = before._words, before._outside, before._long  # noqa: SLF001
            self._is_summed, self._is_long_summed = before._is_summed, before._is_long_summed  # noqa: SLF001
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
        other._read = self._read
        return other

    def words(self, node: int) -> int:
        """Return the number of unique words in a subtree."""
        self._sum()
        return self._number(self._words, node)

    def weight(self, node: int) -> int:
        """Return the same, where words outside links count four times."""
        self._sum()
        return self._number(self._words, node) + self._number(self._outside, node) * (self._link_weight - 1)

    def long_words(self, node: int) -> int:
        """Return the number of unique words in a subtree that are in long blocks.

        A block is an element with the texts and inline elements that it directly contains. It is long if it has ten
        unique words, at most a third of them in links (as in boilerpipe, Kohlschütter et al., WSDM 2010, and jusText).
        """
        return self.long_between(node, node + self._sizes[node])

    def long_between(self, first: int, end: int) -> int:
        """Return the same for the nodes from one position to another."""
        if not self._is_long_summed:
            self._sum_long(THRESHOLDS.long, 1 - THRESHOLDS.most)
        return self._long[end] - self._long[first]

    def is_text(self, node: int) -> bool:
        """Return whether most unique words of a subtree are in long blocks."""
        return 2 * self.long_words(node) > self.words(node)

    def _number(self, before: array[int], node: int) -> int:
        return before[self._texts_before[node + self._sizes[node]]] - before[self._texts_before[node]]

    def _sum(self) -> None:
        if not self._is_summed:
            self._sum_words(self.arrays.text_positions)

    @cython.locals(
        counts="const int[::1]", flags=bytearray, linked=bytearray, every="int[::1]", outside="int[::1]",
        position="Py_ssize_t", index="Py_ssize_t", words="int", words_outside="int",
    )  # fmt: skip
    def _sum_words(self, texts: Sequence[int]) -> None:
        counts, flags, linked = self.counts, self.flags, self.outline.linked
        every, outside = self._words, self._outside
        index = words = words_outside = 0
        for position in texts:
            if flags[position]:
                words += counts[position]
                if not linked[position]:
                    words_outside += counts[position]
            index += 1  # noqa: SIM113 - compiled, it is no object
            every[index], outside[index] = words, words_outside
        self._is_summed = True

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
        self._long, self._is_long_summed = all_before, True

    @cython.locals(
        sizes="const int[::1]", texts=tuple, least="double", child="Py_ssize_t", end="Py_ssize_t", other="Py_ssize_t",
    )  # fmt: skip
    def lowest(self, root: int, share: float, *, is_prose: bool) -> int:
        """Return the lowest element below a node that contains a share of its weight, and is not one of several items.

        Of prose, a share of its words in long blocks.
        """
        sizes, texts, start_tag = self._sizes, self.arrays.texts, self.arrays.start_tag
        least = share * (self.long_words(root) if is_prose else self.weight(root))
        # the rows of a table without its head are no table
        while least > 0 and not self.is_whole(root):
            child, end = root + 1, root + sizes[root]
            while child < end and (self.long_words(child) if is_prose else self.weight(child)) < least:
                child += sizes[child]
            if child >= end or texts[child] is not None:
                break
            # a sentence above and below a listing of code, not a notice beside the text
            is_part = self.is_whole(child) or not self._has_paragraphs(child)
            if is_part and self._last_paragraph(root) not in {0, child}:
                break
            if start_tag(child).tag in _ITEMS and self._is_one_of_several(root, child):
                break
            root = child
        return root

    @cython.locals(end="Py_ssize_t", tag=str)
    def is_whole(self, node: int) -> bool:
        """Return whether a subtree is code, or a list or a table of text: none of them is content in part."""
        outline, end = self.outline, node + self._sizes[node]
        tag = self.arrays.start_tag(node).tag
        return tag in _WHOLE and outline.layout[end] == outline.layout[node]

    def _has_paragraphs(self, node: int) -> bool:
        """Return whether paragraphs are in a subtree."""
        paragraphs = self.arrays.positions("p")
        return bisect_left(paragraphs, node + self._sizes[node]) > bisect_left(paragraphs, node)

    @cython.locals(texts=tuple, child="Py_ssize_t", last="Py_ssize_t")
    def _last_paragraph(self, parent: int) -> int:
        """Return the last child of a node that is a long paragraph; 0 if there is none."""
        if parent not in self._paragraphs:
            texts, start_tag = self.arrays.texts, self.arrays.start_tag
            last = 0
            for child in self.arrays.children(parent):
                if texts[child] is None and start_tag(child).tag == "p" and self.long_words(child):
                    last = child
            self._paragraphs[parent] = last
        return int(self._paragraphs[parent])

    def _is_one_of_several(self, parent: int, item: int) -> bool:
        """Return whether it is the longest post of a blog's list, or the paragraph below a short one."""
        start_tag = self.arrays.start_tag
        others = [other for other in self.arrays.children(parent) if other != item and self.words(other)]
        return start_tag(item).tag in [start_tag(other).tag for other in others]

    def is_line(self, block: int) -> bool:
        """Return whether a block is nothing but text with a few links and words outside of them: ``by <a>Ann</a>``."""
        outline, texts, end = self.outline, self.arrays.texts, block + self._sizes[block]
        if not 0 < outline.links[end] - outline.links[block] <= THRESHOLDS.several:
            return False
        if any(outline.blocks[inside] == inside for inside in range(block + 1, end)):
            return False
        return any(not outline.linked[inside] and _WORD.search(texts[inside] or "") for inside in range(block, end))

    def without_boxes_of_links(self, root: int, headline: int, *, is_alone: bool = False) -> Selection:
        """Return the selection without the boxes of links below a node that is mostly prose.

        They have most words in links, and none in long blocks. A heading is no box, and neither is the header around
        it, a row, or an item. A headline is often a link to its page, so that its box is one of links: it is kept.
        Boxes of one link to another page go if the page is alone, a paragraph only between or below long ones, and no
        part of a quotation or a figure; other pages tell which of them are its own.
        """
        if self.long_words(root) < THRESHOLDS.running * self.words(root):
            return self
        least = 1 if is_alone else THRESHOLDS.box_links
        return self.without(self._boxes_of_links(root, headline, THRESHOLDS.most, least))

    @cython.locals(
        blocks="int[::1]", links="int[::1]", position="Py_ssize_t", end="Py_ssize_t", behind="Py_ssize_t",
        quoted="Py_ssize_t", found=list,
    )  # fmt: skip
    def _boxes_of_links(self, root: int, headline: int, most: float, least: int) -> list[int]:
        blocks, links, found = self.outline.blocks, self.outline.links, []
        position, end, quoted, several = root + 1, root + self._sizes[root], 0, THRESHOLDS.box_links
        while position < end:
            behind = position + self._sizes[position]
            if least == 1 and self.arrays.start_tag(position).tag in _WITH_SOURCE:
                quoted = max(quoted, behind)
            # an element that is not inline is its own block
            if (
                blocks[position] == position
                and links[behind] > links[position]
                and not position <= headline < behind
                and not self.long_words(position)
                and 0 < most * self.words(position) <= self.words(position) - self._number(self._outside, position)
                and self._is_box(position, links[behind] - links[position], several if position < quoted else least)
            ):
                if not self._is_list_of_text(position):
                    found.append(position)
                position = behind
            else:
                position = behind if self.is_whole(position) else position + 1
        return found

    @cython.locals(tag=str)
    def _is_box(self, node: int, links: int, least: int) -> bool:
        """Return whether an element is no part of a table, a list or a section, and has links enough."""
        tag = self.arrays.start_tag(node).tag
        if tag == "p" and not self._last_paragraph(self.arrays.parents[node]):
            least = THRESHOLDS.box_links
        if tag in _PARTS or links < least or self.is_line(node):
            return False
        link = self.outline.is_link.find(1, node)
        return links > 1 or _LEADS_AWAY.search(self.arrays.start_tag(link).tag_string) is not None

    @cython.locals(last="Py_ssize_t")
    def _is_list_of_text(self, node: int) -> bool:
        """Return whether a list is part of a text: a paragraph follows it, or stands above a list without names."""
        tag, last = self.arrays.start_tag(node), self._last_paragraph(self.arrays.parents[node])
        return self.is_whole(node) and (last > node or (last > 0 and tag.tag_and_classes == tag.tag and not tag.id))

    def without_last_headings(self, roots: Sequence[int], headline: int | None) -> Selection:
        """Return the selection without headings at the end of some subtrees, which head nothing."""
        texts, blocks, start_tag = self.arrays.text_positions, self.outline.blocks, self.arrays.start_tag
        first, end = min(roots), max(root + self._sizes[root] for root in roots)
        found: list[int] = []
        for index in range(self._texts_before[end] - 1, self._texts_before[first] - 1, -1):
            text = texts[index]
            block = blocks[text]
            if not (self.flags[text] and self.counts[text]) or (found and block == found[-1]):
                continue
            if start_tag(block).tag not in HEADINGS or block == headline:
                break
            found.append(block)
        return self.without(sorted(found))

    def text(self, position: int) -> str:
        """Return all words of a subtree, in lower case."""
        texts = self.arrays.texts
        inside = range(position, position + self._sizes[position])
        return " ".join(filter(None, [self._words_of(at) for at in inside if texts[at] is not None]))

    @cython.locals(position="Py_ssize_t", found=list)
    def headings(self, tag: str) -> list[int]:
        """Return the elements of a tag from h1 to h3 that have not been removed and have few nodes."""
        found = []
        for position in self.outline.headings.get(tag, ()):
            if self._sizes[position] <= _HEADING and self.flags[position]:
                found.append(position)  # noqa: PERF401 - compiled, it is faster
        return found

    def headline(self, title: str) -> int | None:
        """Return the first heading, of the first of the tags h1 to h3 that has one, whose words are all in the title.

        Of a heading with several texts, such as title and subtitle, it is enough if the first is in it.
        """
        for tag in ("h1", "h2", "h3"):
            found = self.first_in(title, self.headings(tag))
            if found is not None:
                return found
        return None

    @cython.locals(words=set, known=dict, position="Py_ssize_t", text="Py_ssize_t", first=str)
    def first_in(self, title: str, headings: Iterable[int]) -> int | None:
        """Return the first of some headings that is in the title."""
        words, known = set(title.split()), dict[int, bool]()
        for position in headings:
            # most headings are not in it: the first text is compared before all of them
            text = self._first_text(position)
            if text < 0 or self._is_in(text, words, known):
                first = self._words_of(text) if text >= 0 else ""
                if self._is_within(position, words, known) or (" " in first and f" {first} " in f" {title} "):
                    return position
        return None

    @cython.locals(texts=tuple, position="Py_ssize_t", has_words="bint")
    def _is_within(self, node: int, words: set[str], known: dict[int, bool]) -> bool:
        """Return whether a subtree has words, and all of them are among some; of the texts in known, it is known."""
        texts, has_words = self.arrays.texts, False
        for position in range(node, node + self._sizes[node]):
            if texts[position] is not None:
                if not self._is_in(position, words, known):
                    return False
                has_words = has_words or self._words_of(position) != ""
        return has_words

    def _is_in(self, text: int, words: set[str], known: dict[int, bool]) -> bool:
        if text not in known:
            known[text] = words.issuperset(self._words_of(text).split())
        return known[text]

    def _words_of(self, text: int) -> str:
        """Return the words of a text, which is read once: headings may be in headings."""
        if text not in self._read:
            self._read[text] = words_of(self.arrays.texts[text] or "")
        return self._read[text]

    @cython.locals(first="Py_ssize_t", behind="Py_ssize_t")
    def _first_text(self, node: int) -> int:
        """Return the first text of a subtree; -1 if there is none."""
        first, behind = self._texts_before[node], self._texts_before[node + self._sizes[node]]
        return self.arrays.text_positions[first] if first < behind else -1

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
