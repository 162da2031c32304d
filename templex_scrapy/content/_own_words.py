"""The words of a page that are its own, fewer with each step of :mod:`templex_scrapy.content.main_content`.

Compiled where there is a compiler (_own_words.pxd has the types).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Sequence

from templex_scrapy.content.rules import RULES
from templex_scrapy.page import INLINE, TEXT, NodeArrays, integers, renumbered, subtree_sums

OF_A_BLOCK = INLINE | {TEXT, "br", "img"}
"""Tags of nodes that belong to the block around them."""

_IN_BLOCK, _IS_LINK = dict.fromkeys(OF_A_BLOCK, 1), {"a": 1}
_HEADING = 50  # nodes that a heading has at most
_WORD = re.compile(r"\w+")


def words_of(text: str) -> str:
    """Return the words of a text in lower case, one blank apart."""
    return " ".join(_WORD.findall(text.lower()))


def _layout(arrays: NodeArrays) -> tuple[bytearray, array[int]]:
    """Return what :class:`OwnWords` calls ``linked`` and ``blocks``."""
    linked, blocks = bytearray(len(arrays.ids)), array("i", range(len(arrays.ids)))
    _find_blocks(arrays, linked, blocks)
    return linked, blocks


def _find_blocks(arrays: NodeArrays, linked: bytearray, blocks: array[int]) -> None:
    in_block, is_link = arrays.of_tags(_IN_BLOCK), arrays.of_tags(_IS_LINK)
    parents, ids = arrays.parents, arrays.ids
    for position in range(1, len(parents)):
        parent, start_tag = parents[position], ids[position]
        if linked[parent] or is_link[start_tag]:
            linked[position] = 1
        if in_block[start_tag]:
            blocks[position] = blocks[parent]


class OwnWords:
    """The nodes of a page that are its own, and the words in them.

    Attributes:
        own: flag 1 for each node that is the page's own and has not been removed.
        counts: number of words of each text, 0 for elements.
        linked: flag 1 for each link and all nodes in it.
        blocks: for each node the nearest element that is not inline, the node itself included.

    Args:
        arrays: the page's nodes.
        tags: their tags.
        repeated: positions of texts that are not the page's own.
    """

    def __init__(self, arrays: NodeArrays, tags: Sequence[str], repeated: Collection[int]) -> None:
        self.arrays = arrays
        self.tags = tags
        self.own = bytearray(b"\1" * len(tags))
        for position in repeated:
            self.own[position] = 0
        self.counts = arrays.word_counts
        self.linked, self.blocks = arrays.computed(_layout)
        self._known_sums: dict[tuple[int, int], tuple[bytes, array[int]]] = {}
        self._lines: bytearray | None = None

    def words(self, *, outside: int = 1, inside: int = 1) -> array[int]:
        """Return the own words of each node's subtree, each times a weight outside and inside of links."""
        known = self._known_sums.get((outside, inside))
        if known is None or known[0] != self.own:
            known = self._known_sums[outside, inside] = bytes(self.own), self._weighted(outside, inside)
        return known[1]

    def _weighted(self, outside: int, inside: int) -> array[int]:
        counts, own, linked = self.counts, self.own, self.linked
        found = values = integers(len(own))  # compiled, the latter is a view
        for position in range(len(own)):
            if own[position] and counts[position]:
                values[position] = counts[position] * (inside if linked[position] else outside)
        return self.sums(found)

    def sums(self, values: Iterable[int]) -> array[int]:
        """Sum a value of each node over its subtree."""
        return subtree_sums(self.arrays, values)

    def links(self) -> array[int]:
        """Return the number of links in each node's subtree."""
        is_link = array("i", list(self.arrays.of_tags(_IS_LINK)))
        return self.sums(renumbered(is_link, self.arrays.ids))

    def weights(self) -> array[int]:
        """Return the own words of each node's subtree, those outside of links counted four times."""
        return self.words(outside=RULES.link_weight)

    def long_words(self) -> array[int]:
        """Return the own words of each node's subtree that are in long blocks.

        A block is an element with the texts and inline elements that it directly contains. It is long if it has ten
        own words, at most a third of them in links (as in boilerpipe, Kohlschütter et al., WSDM 2010, and jusText).
        """
        known = self._known_sums.get((0, 0))
        if known is None or known[0] != self.own:
            known = self._known_sums[0, 0] = bytes(self.own), self._in_long_blocks(RULES.long, 1 - RULES.most)
        return known[1]

    def _in_long_blocks(self, least: int, linked_share: float) -> array[int]:
        counts, own, linked, blocks = self.counts, self.own, self.linked, self.blocks
        found, in_links = integers(len(own)), integers(len(own))
        words = found
        for position in range(len(own)):
            if own[position] and counts[position]:
                words[blocks[position]] += counts[position]
                if linked[position]:
                    in_links[blocks[position]] += counts[position]
        for position in range(len(own)):
            if words[position] < least or in_links[position] > linked_share * words[position]:
                words[position] = 0
        return self.sums(found)

    @property
    def lines(self) -> bytearray:
        """Flag 1 for each block of nothing but text with a few links and words outside of them: ``by <a>Ann</a>``."""
        if self._lines is None:
            self._lines = self._find_lines(self.arrays.of_tags(_IN_BLOCK), self.arrays.of_tags(_IS_LINK), RULES.several)
        return self._lines

    def _find_lines(self, in_block: bytes, is_link: bytes, most: int) -> bytearray:
        ids, parents, texts = self.arrays.ids, self.arrays.parents, self.arrays.texts
        blocks, linked, links = self.blocks, self.linked, integers(len(self.tags))
        words = bytearray(len(self.tags))
        for position in range(len(ids)):
            block, start_tag = blocks[position], ids[position]
            if is_link[start_tag]:
                links[block] += 1
            elif position and not in_block[start_tag]:
                links[blocks[parents[position]]] += most + 1
            elif not (words[block] or linked[position] or texts[position] is None):
                words[block] = _WORD.search(texts[position] or "") is not None
        for position in range(len(ids)):
            words[position] = words[position] and 0 < links[position] <= most
        return words

    def remove(self, position: int) -> int:
        """Remove a subtree; return the position behind it."""
        size = self.arrays.sizes[position]
        self.own[position : position + size] = bytes(size)
        return position + size

    def remove_boxes_of_links(self, root: int, kept: set[int]) -> None:
        """Remove boxes with most words in links, and none in long blocks, below a node that is mostly prose.

        Args:
            root: the node.
            kept: nodes that are kept, such as the headline with what contains it.
        """
        if self.long_words()[root] >= RULES.running * self.words()[root]:
            self._remove_boxes_of_links(root, kept)

    def _remove_boxes_of_links(self, root: int, kept: set[int]) -> None:
        long, words, in_links, links = self.long_words(), self.words(), self.words(outside=0), self.links()
        blocks, most, least = self.blocks, RULES.most, RULES.box_links
        position, end = root + 1, root + self.arrays.sizes[root]
        while position < end:
            # an element that is not inline is its own block
            is_box = blocks[position] == position and links[position] >= least and not long[position]
            if (
                is_box
                and 0 < most * words[position] <= in_links[position]
                and position not in kept
                and not self.lines[position]
            ):
                position = self.remove(position)
            else:
                position += 1

    def restore(self, texts: Iterable[int]) -> None:
        """Make some texts the page's own again, unless what contains them has been removed."""
        for position in texts:
            self.own[position] = self.own[self.arrays.parents[position]]

    def text(self, position: int) -> str:
        """Return all words of a subtree, in lower case."""
        end = position + self.arrays.sizes[position]
        return words_of(" ".join(filter(None, self.arrays.texts[position:end])))

    def headings(self, tag: str) -> Iterator[int]:
        """Yield the elements of a tag that are at least partly the page's own and have few nodes."""
        sizes = self.arrays.sizes
        for position in self.arrays.positions(tag):
            if sizes[position] <= _HEADING and 1 in self.own[position : position + sizes[position]]:
                yield position

    def headline(self, title: str, tags: Iterable[str] = ("h1", "h2", "h3")) -> int | None:
        """Return the first heading, of the first tag that has one, whose words are all in the page's title.

        Of a heading with several texts, such as title and subtitle, it is enough if the first is in it.
        """
        words = set(title.split())
        for tag in tags:
            for position in self.headings(tag):
                texts = self.arrays.texts[position : position + self.arrays.sizes[position]]
                first = words_of(next((text for text in texts if text is not None), ""))
                text = self.text(position).split()
                if (text and words.issuperset(text)) or (" " in first and f" {first} " in f" {title} "):
                    return position
        return None

    def nodes(self, roots: Iterable[int]) -> frozenset[int]:
        """Return the own nodes of some subtrees, without elements of which no words are left."""
        return frozenset(self._left(list(roots)))

    def _left(self, roots: list[int]) -> set[int]:
        sizes, own = self.arrays.sizes, self.own
        before, now = self.sums(self.counts), self.words()
        found: set[int] = set()
        for root in roots:
            for position in range(root, root + sizes[root]):
                if own[position] and (now[position] or not before[position]):
                    found.add(position)
        return found
