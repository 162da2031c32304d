"""The words of a page that are its own, fewer with each step of :mod:`templex_scrapy.content.main_content`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from templex_scrapy.page.nodes import NodeArrays
from templex_scrapy.page.words import count_words, sums

_LONG = 10  # words of a long block, at least
_LONG_LINKED = 0.34  # share of its words that may be in links
_ENOUGH = 60  # long words that are an article
_LINK_WEIGHT = 4  # words in links that weigh as much as one outside
INLINE = frozenset(
    """
    #text a abbr acronym b bdi bdo big br cite code del dfn em font i img ins kbd label mark nobr q s samp small span
    strike strong sub sup time tt u var wbr
    """.split()
)
_WORD = re.compile(r"\w+")


def words_of(text: str) -> str:
    """Return the words of a text in lower case, one blank apart."""
    return " ".join(_WORD.findall(text.lower()))


def _length(text: str, count: int) -> int:
    """Return the length of a text in words, 17 ideographs as long as 10 words."""
    spaced = len(text.split())
    return spaced + (count - spaced) * 10 // 17


class OwnWords:
    """The nodes of a page that are its own, and the words in them.

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
        self.counts = [0 if text is None else count_words(text) for text in arrays.texts]
        self._lengths = [0 if text is None else _length(text, count) for text, count in zip(arrays.texts, self.counts, strict=True)]
        self.linked = bytearray(len(tags))
        for position in range(1, len(tags)):
            self.linked[position] = self.linked[arrays.parents[position]] or tags[position] == "a"

        self._blocks = list(range(len(tags)))
        for position in range(1, len(tags)):
            if tags[position] in INLINE:
                self._blocks[position] = self._blocks[arrays.parents[position]]

    def long_words(self) -> list[int]:
        """Return the own words of each node's subtree that stand in long blocks.

        A block is what an element contains directly, with its inline elements. It is long if it has ten own words and
        a third of them at most in links; jusText and boilerpipe look for such blocks, too.
        """
        words, linked = [0] * len(self.tags), [0] * len(self.tags)
        for position in self.arrays.text_positions:
            if self.own[position]:
                block = self._blocks[position]
                words[block] += self._lengths[position]
                linked[block] += self._lengths[position] * self.linked[position]
        return sums(
            self.arrays,
            (
                count if count >= _LONG and in_links <= _LONG_LINKED * count else 0
                for count, in_links in zip(words, linked, strict=True)
            ),
        )

    def weights(self) -> list[int]:
        """Return the own words of each node's subtree, those outside links counted four times."""
        return self.words(outside=_LINK_WEIGHT)

    def words(self, *, outside: int = 1, inside: int = 1) -> list[int]:
        """Return the own words of each node's subtree, each times a weight outside and inside of links."""
        weights = (outside, inside)
        words = zip(self.counts, self.own, self.linked, strict=True)
        return sums(self.arrays, (count * weights[link] if own else 0 for count, own, link in words))

    def remove(self, position: int) -> int:
        """Remove a subtree; return the position behind it."""
        size = self.arrays.sizes[position]
        self.own[position : position + size] = bytes(size)
        return position + size

    def remove_boxes(self, is_box: Callable[[int], bool], most: float) -> None:
        """Remove boxes, except those that contain most of the words; none if all together contain most of them."""
        before, weights = bytes(self.own), self.weights()
        self._remove_all(is_box, lambda position: weights[position] <= most * weights[0])
        if self.weights()[0] < (1 - most) * weights[0]:
            self.own[:] = before

    def remove_comments(self, is_box: Callable[[int], bool], most: float, *, forum: bool) -> None:
        before, weights, long = bytes(self.own), self.weights(), self.long_words()
        if forum:
            self._remove_all(is_box, lambda position: long[position] <= long[0] / 2)
            if self.long_words()[0] < long[0] / 2:
                self.own[:] = before
            return
        self._remove_all(
            is_box, lambda position: weights[position] <= most * weights[0] or long[0] - long[position] >= _ENOUGH
        )
        if self.weights()[0] < (1 - most) * weights[0] and self.long_words()[0] < _ENOUGH:
            self.own[:] = before

    def _remove_all(self, is_box: Callable[[int], bool], may: Callable[[int], bool]) -> None:
        position = 1
        while position < len(self.tags):
            if may(position) and is_box(position):
                position = self.remove(position)
            else:
                position += 1

    def below(self, root: int) -> range:
        """Return the positions below a node."""
        return range(root + 1, root + self.arrays.sizes[root])

    def text(self, position: int) -> str:
        """Return all words of a subtree, in lower case."""
        end = position + self.arrays.sizes[position]
        return words_of(" ".join(text for text in self.arrays.texts[position:end] if text is not None))

    def headings(self, tag: str, within: Iterable[int], most: int) -> Iterator[int]:
        """Yield the elements of a tag that are at least partly the page's own and have at most so many nodes."""
        sizes = self.arrays.sizes
        return (
            position
            for position in within
            if self.tags[position] == tag
            and sizes[position] <= most
            and 1 in self.own[position : position + sizes[position]]
        )

    def nodes(self, roots: Iterable[int]) -> frozenset[int]:
        """Return the own nodes of some subtrees, without elements of which no words are left."""
        sizes = self.arrays.sizes
        before, now = sums(self.arrays, self.counts), self.words()
        positions = {position for root in roots for position in range(root, root + sizes[root])}
        return frozenset(
            position for position in positions if self.own[position] and (now[position] or not before[position])
        )
