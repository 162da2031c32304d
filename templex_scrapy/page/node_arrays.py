"""The nodes of a page as parallel lists in node order, and sums over them."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, TypeVar
from weakref import ref

from templex_scrapy import cython
from templex_scrapy.page.cached_properties import cached_property
from templex_scrapy.page.masked_numbers import mask_numbers
from templex_scrapy.page.start_tags import StartTag, start_tag_of
from templex_scrapy.page.words import count_each

T = TypeVar("T")

_ZERO = array("i", [0])


class NodeArrays:
    """A page's nodes as parallel sequences in node order: the form in which trees are compared.

    A subtree is a slice: that of node i is ``[i, i + sizes[i])``. Two subtrees are equal if their slices of
    tag_strings, texts and sizes are. What is computed from them is kept, because each template of a site uses it.
    The garbage collector does not visit arrays, nor tuples of strings, so that it costs no more if many pages are kept.

    Args:
        tag_strings: the start tag of each node, unless ``start_tags`` and ``ids`` are given.

    Attributes:
        tag_strings: the start tag of an element as libxml2 writes it; ``"#text"`` for a text node.
        start_tags: what is read from the distinct start tags; ``"#text"`` may be among them although there is no text.
        ids: for each node the index of the start tag in ``start_tags``.
        distinct: the distinct start tags, as strings.
        texts: the text of a text node; None for an element.
        text_positions: positions of the text nodes.
        texts_before: how many text nodes are before each node, and in all.
        text_sums: sums of the hashes of the texts before each node, and of all: subtrees with the same texts have the
            same difference.
        sizes: number of nodes of the subtree, the node itself included.
        parents: position of the parent; -1 for node 0.
        slots: index of an element in ``elements_of(page)``. For a text node the index of the element whose ``text``
            it is, or the bitwise complement of the index of the element or comment whose ``tail`` it is.
        frame_parents: positions of the parents of ``iframe`` and ``noscript`` elements, which are no nodes.
        continued: positions of the texts that only comments separate from the text before.
        depth: levels of elements.
        voted: the mappings of key pages to the page of these nodes, from the votes until it is cleaned; by a weak
            reference to the nodes of the key page, and the similarity.
    """

    def __init__(  # noqa: PLR0913 - parallel sequences
        self,
        *,
        tag_strings: Iterable[str] = (),
        start_tags: list[StartTag] | None = None,
        ids: array[int] | None = None,
        texts: Iterable[str | None],
        sizes: Iterable[int],
        parents: Iterable[int],
        slots: Iterable[int],
        frame_parents: Iterable[int] = (),
        continued: Iterable[int] = (),
        depth: int = 0,
    ) -> None:
        if start_tags is None or ids is None:
            numbers: dict[str, int] = {}
            ids = array("i", [numbers.setdefault(tag_string, len(numbers)) for tag_string in tag_strings])
            # of a stored template, whose start tags need not be those of any page that was read
            start_tags = [start_tag_of(tag_string) for tag_string in numbers]
        self.start_tags, self.ids = start_tags, ids
        self.distinct = tuple([start_tag.tag_string for start_tag in start_tags])
        self.tag_strings = spread(list(self.distinct), ids)
        self.texts = tuple(texts)
        self._read_texts(self.texts)
        self.sizes, self.parents, self.slots = array("i", sizes), array("i", parents), array("i", slots)
        self.frame_parents = frozenset(frame_parents)
        self.continued = frozenset(continued)
        self.depth = depth
        self.voted: dict[tuple[ref[NodeArrays], Hashable], Any] = {}
        self._positions: dict[str, list[int]] = {}
        self._repeated_siblings: dict[int, list[list[int]]] = {}
        self._computed: dict[Callable[[NodeArrays], Any], Any] = {}

    @cython.locals(
        texts=tuple, positions=list, before="int[::1]", sums="long long[::1]", count="int", total="long long",
        position="Py_ssize_t",
    )  # fmt: skip
    def _read_texts(self, texts: tuple[str | None, ...]) -> None:
        positions: list[int] = []
        before = self.texts_before = integers(len(texts) + 1)
        sums = self.text_sums = array("q", bytes(8 * (len(texts) + 1)))
        count = total = 0
        for position in range(len(texts)):
            text = texts[position]
            if text is not None:
                positions.append(position)
                count += 1
                total += hash(text) >> 24  # 40 bits each: the sums of 16 million texts have less than 64
            before[position + 1], sums[position + 1] = count, total
        self.text_positions = tuple(positions)

    def start_tag(self, position: int) -> StartTag:
        """Return the start tag of a node; nodes with the same tag_string share it."""
        return self.start_tags[self.ids[position]]

    @cython.locals(results=list, start_tag=StartTag)
    def of_start_tags(self, function: Callable[[StartTag], T]) -> list[T]:
        """Return what a function reads from each distinct start tag."""
        results: list[T] = []
        for start_tag in self.start_tags:
            results.append(start_tag.read(function))  # noqa: PERF401 - compiled, it is faster
        return results

    @cython.locals(start_tag=StartTag)
    def of_tags(self, values: dict[str, int], other: int = 0) -> bytes:
        """Return for each distinct start tag the value of the tag; ``other`` for tags that have none."""
        result = bytearray()
        for start_tag in self.start_tags:
            result.append(values.get(start_tag.tag, other))
        return bytes(result)

    def computed(self, function: Callable[[NodeArrays], T]) -> T:
        """Return what a function of the nodes returns; it is called once. That must not refer to the nodes."""
        if function not in self._computed:
            self._computed[function] = function(self)
        result: T = self._computed[function]
        return result

    @cython.locals(sizes="const int[::1]", position="Py_ssize_t", end="Py_ssize_t", child="Py_ssize_t")
    def children(self, position: int) -> list[int]:
        """Positions of a node's children in document order; O(number of children)."""
        sizes = self.sizes
        child, end = position + 1, position + sizes[position]
        children: list[int] = []
        while child < end:
            children.append(child)
            child += sizes[child]
        return children

    def ancestors(self, position: int) -> Iterator[int]:
        """Positions of the parent, the parent's parent and so on up to node 0."""
        while (position := self.parents[position]) >= 0:
            yield position

    @cached_property
    def tags(self) -> Sequence[str]:
        """The tag of each node."""
        return spread([start_tag.tag for start_tag in self.start_tags], self.ids)

    def positions(self, tag: str) -> list[int]:
        """Return the positions of the nodes with a tag, in node order."""
        if tag not in self._positions:
            self._positions[tag] = nodes_with(self.of_tags({tag: 1}), self.ids)
        return self._positions[tag]

    @cached_property
    @cython.locals(parents="const int[::1]", counts="int[::1]", position="Py_ssize_t")
    def child_counts(self) -> array[int]:
        """Number of children of each node."""
        parents = self.parents
        all_counts = counts = integers(len(parents))
        for position in range(1, len(parents)):
            counts[parents[position]] += 1
        return all_counts

    @cached_property
    def word_counts(self) -> array[int]:
        """The number of words of each text; 0 for elements."""
        return count_each(self.texts)

    @cached_property
    @cython.locals(numbers="const int[::1]", sums="int[::1]", total="int", position="Py_ssize_t")
    def words_before(self) -> array[int]:
        """How many words are in the texts before each node, and in all texts."""
        numbers = self.word_counts
        all_sums = sums = integers(len(numbers) + 1)
        total = 0
        for position in range(len(numbers)):
            total += numbers[position]
            sums[position + 1] = total
        return all_sums

    def words(self, start: int, end: int) -> int:
        """Return the number of words of the texts in [start, end)."""
        return self.words_before[end] - self.words_before[start]

    @cached_property
    def text_digest(self) -> bytes:
        """A hash of the texts, 16 bytes, which ignores numbers except for those in main headings; empty without texts.

        Pages that differ in other numbers only are copies of one page; a number in the heading, such as the day in a
        calendar, makes another page.
        """
        words = mask_numbers(self.texts)
        return hashlib.blake2b(b" ".join([words, *self._headings()]), digest_size=16).digest() if words else b""

    def _headings(self) -> Iterator[bytes]:
        end = 0
        for position in self.positions("h1"):
            if position >= end:  # not an <h1> within an <h1>
                end = position + self.sizes[position]
                words = " ".join(filter(None, self.texts[position:end])).split()
                yield " ".join(words).encode("utf-8", "surrogatepass")

    def repeated_siblings(self, minimum: int) -> list[list[int]]:
        """Lists of siblings with the same tag and classes, of at least so many elements, as positions."""
        if minimum not in self._repeated_siblings:
            groups: dict[tuple[int, str], list[int]] = {}
            for parent in [parent for parent, count in enumerate(self.child_counts) if count >= minimum]:
                for child in self.children(parent):
                    # the text before a <br> is no entry of a list
                    if self.texts[child] is None:
                        groups.setdefault((parent, self.start_tag(child).tag_and_classes), []).append(child)
            self._repeated_siblings[minimum] = [group for group in groups.values() if len(group) >= minimum]
        return self._repeated_siblings[minimum]


def integers(count: int) -> array[int]:
    """Return an array of zeros."""
    return _ZERO * count


@cython.ccall
@cython.locals(values=list, ids="const int[::1]", number="int")
def spread(values: list[T], ids: array[int]) -> tuple[T, ...]:
    """Return for each node the value of the start tag."""
    return tuple([values[number] for number in ids])


@cython.ccall
@cython.locals(numbers="const int[::1]", ids="const int[::1]", result="int[::1]", position="Py_ssize_t")
def renumbered(numbers: array[int], ids: array[int]) -> array[int]:
    """Return for each node the number of the start tag."""
    all_numbers = result = integers(len(ids))
    for position in range(len(ids)):
        result[position] = numbers[ids[position]]
    return all_numbers


@cython.ccall
@cython.locals(flags="const unsigned char[::1]", ids="const int[::1]", position="Py_ssize_t")
def nodes_with(flags: bytes, ids: array[int]) -> list[int]:
    """Return the positions of the nodes whose start tags have flag 1."""
    return [position for position in range(len(ids)) if flags[ids[position]]]
