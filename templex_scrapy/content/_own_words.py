"""The words of a page that are its own, fewer with each step of :mod:`templex_scrapy.content.main_content`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from itertools import accumulate
from operator import add, sub

from templex_scrapy.content.rules import RULES
from templex_scrapy.page import INLINE, TEXT, NodeArrays, cached_property, count_words

OF_A_BLOCK = INLINE | {TEXT, "br", "img"}
"""Tags of nodes that belong to the block around them."""

_HEADING = 50  # nodes that a heading has at most
_WORD = re.compile(r"\w+")


def words_of(text: str) -> str:
    """Return the words of a text in lower case, one blank apart."""
    return " ".join(_WORD.findall(text.lower()))


def _length(text: str) -> int:
    """Return the number of words, with 17 characters of scripts without blanks counted as 10 words."""
    spaced = len(text.split())
    count = spaced if text.isascii() else count_words(text)
    return count if count == spaced else max(1, spaced + (count - spaced) * 10 // 17)


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
        self.counts = [0 if text is None else _length(text) for text in arrays.texts]
        self._known_sums: dict[Hashable, tuple[bytes, list[int]]] = {}
        self.linked = bytearray(len(tags))
        self.blocks = list(range(len(tags)))
        for position in range(1, len(tags)):
            parent = arrays.parents[position]
            self.linked[position] = self.linked[parent] or tags[position] == "a"
            if tags[position] in OF_A_BLOCK:
                self.blocks[position] = self.blocks[parent]

    def words(self, *, outside: int = 1, inside: int = 1) -> list[int]:
        """Return the own words of each node's subtree, each times a weight outside and inside of links."""
        weights = (outside, inside)

        def weighted() -> Iterable[int]:
            texts = zip(self.counts, self.own, self.linked, strict=True)
            return [count * own and count * weights[linked] for count, own, linked in texts]

        return self._sums_now(weights, weighted)

    def sums(self, values: Iterable[int]) -> list[int]:
        """Sum a value of each node over its subtree."""
        before = [*accumulate(values, initial=0)]
        return [*map(sub, map(before.__getitem__, self._ends), before)]

    @cached_property
    def _ends(self) -> list[int]:
        """The position behind each node's subtree."""
        return [*map(add, range(len(self.tags)), self.arrays.sizes)]

    def _sums_now(self, name: Hashable, values: Callable[[], Iterable[int]]) -> list[int]:
        """Return sums that depend on which nodes are own; they are computed again if these are others."""
        known = self._known_sums.get(name)
        if known is None or known[0] != self.own:
            known = self._known_sums[name] = bytes(self.own), self.sums(values())
        return known[1]

    def weights(self) -> list[int]:
        """Return the own words of each node's subtree, those outside of links counted four times."""
        return self.words(outside=RULES.link_weight)

    def long_words(self) -> list[int]:
        """Return the own words of each node's subtree that are in long blocks.

        A block is an element with the texts and inline elements that it directly contains. It is long if it has ten
        own words, at most a third of them in links (as in boilerpipe, Kohlschütter et al., WSDM 2010, and jusText).
        """
        return self._sums_now("long", self._in_long_blocks)

    def _in_long_blocks(self) -> Iterable[int]:
        words, in_links = [0] * len(self.tags), [0] * len(self.tags)
        for position in self.arrays.text_positions:
            if self.own[position]:
                block, length = self.blocks[position], self.counts[position]
                words[block] += length
                in_links[block] += length * self.linked[position]
        least, linked_share = RULES.long, 1 - RULES.most
        blocks = zip(words, in_links, strict=True)
        return (count if count >= least and linked <= linked_share * count else 0 for count, linked in blocks)

    @cached_property
    def lines(self) -> bytearray:
        """Flag 1 for each block of nothing but text with a few links and words outside of them: ``by <a>Ann</a>``."""
        links, words = [0] * len(self.tags), bytearray(len(self.tags))
        for position, tag in enumerate(self.tags):
            block, text = self.blocks[position], self.arrays.texts[position]
            if tag == "a":
                links[block] += 1
            elif tag not in OF_A_BLOCK and position:
                links[self.blocks[self.arrays.parents[position]]] += RULES.several + 1
            elif text is not None and not self.linked[position] and words_of(text):
                words[block] = 1
        return bytearray(found and 0 < count <= RULES.several for found, count in zip(words, links, strict=True))

    def own_blocks(self, root: int) -> dict[int, list[int]]:
        """Return the own texts below a node, by block."""
        blocks: dict[int, list[int]] = {}
        for position in self.below(root):
            if self.own[position] and self.arrays.texts[position] is not None:
                blocks.setdefault(self.blocks[position], []).append(position)
        return blocks

    def below(self, root: int) -> range:
        """Return the positions below a node."""
        return range(root + 1, root + self.arrays.sizes[root])

    def remove(self, position: int) -> int:
        """Remove a subtree; return the position behind it."""
        size = self.arrays.sizes[position]
        self.own[position : position + size] = bytes(size)
        return position + size

    def restore(self, texts: Iterable[int]) -> None:
        """Make some texts the page's own again, unless what contains them has been removed."""
        for position in texts:
            self.own[position] = self.own[self.arrays.parents[position]]

    def text(self, position: int) -> str:
        """Return all words of a subtree, in lower case."""
        end = position + self.arrays.sizes[position]
        return words_of(" ".join(text for text in self.arrays.texts[position:end] if text is not None))

    def headings(self, tag: str, within: Iterable[int]) -> Iterator[int]:
        """Yield the elements of a tag that are at least partly the page's own and have few nodes."""
        sizes = self.arrays.sizes
        return (
            position
            for position in within
            if self.tags[position] == tag
            and sizes[position] <= _HEADING
            and 1 in self.own[position : position + sizes[position]]
        )

    def headline(self, title: str, tags: Iterable[str] = ("h1", "h2", "h3")) -> int | None:
        """Return the first heading, of the first tag that has one, whose words are all in the page's title.

        Of a heading with several texts, such as title and subtitle, it is enough if the first is in it.
        """
        words = set(title.split())
        for tag in tags:
            for position in self.headings(tag, range(len(self.tags))):
                texts = self.arrays.texts[position : position + self.arrays.sizes[position]]
                first = words_of(next((text for text in texts if text is not None), ""))
                text = self.text(position).split()
                if (text and words.issuperset(text)) or (" " in first and f" {first} " in f" {title} "):
                    return position
        return None

    def nodes(self, roots: Iterable[int]) -> frozenset[int]:
        """Return the own nodes of some subtrees, without elements of which no words are left."""
        sizes = self.arrays.sizes
        before, now = self.sums(self.counts), self.words()
        positions = {position for root in roots for position in range(root, root + sizes[root])}
        return frozenset(
            position for position in positions if self.own[position] and (now[position] or not before[position])
        )
