"""The words of a page that are its own, fewer with each step of :mod:`templex_scrapy.content.main_content`."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from templex_scrapy.page.nodes import NodeArrays
from templex_scrapy.page.words import count_words, sums

_WORD = re.compile(r"\w+")


def words_of(text: str) -> str:
    """Return the words of a text in lower case, one blank apart."""
    return " ".join(_WORD.findall(text.lower()))


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
        self._linked = bytearray(len(tags))
        for position in range(1, len(tags)):
            self._linked[position] = self._linked[arrays.parents[position]] or tags[position] == "a"

    def words(self, *, outside: int = 1, inside: int = 1) -> list[int]:
        """Return the own words of each node's subtree, each times a weight outside and inside of links."""
        weights = (outside, inside)
        words = zip(self.counts, self.own, self._linked, strict=True)
        return sums(self.arrays, (count * weights[link] if own else 0 for count, own, link in words))

    def remove(self, position: int) -> int:
        """Remove a subtree; return the position behind it."""
        size = self.arrays.sizes[position]
        self.own[position : position + size] = bytes(size)
        return position + size

    def remove_boxes(self, is_box: Callable[[int], bool], most: float) -> None:
        """Remove boxes, except those that contain most of the words; none if all together contain most of them."""
        before, words = bytes(self.own), self.words()
        position = 1
        while position < len(self.tags):
            if words[position] <= most * words[0] and is_box(position):
                position = self.remove(position)
            else:
                position += 1
        if self.words()[0] < (1 - most) * words[0]:
            self.own[:] = before

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
