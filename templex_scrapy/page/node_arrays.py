"""The nodes of a page as parallel lists in node order, read from libxml2's tree or from what libxml2 writes of it."""

from __future__ import annotations

import copy
import hashlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from lxml import etree

from templex_scrapy.compiled import IS_ASKED_FOR, IS_COMPILED, NOTES
from templex_scrapy.page._scan import (
    Scan,
    Texts,
    children_of,
    count_children,
    nodes_with,
    read_texts,
    scan,
    spread,
    sums_before,
)
from templex_scrapy.page.cached_properties import cached_property
from templex_scrapy.page.start_tags import StartTag, of_tags, read_each, start_tag_of, unescape
from templex_scrapy.page.words import count_each, mask_numbers

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

read_tree: Callable[[Element, frozenset[str]], Scan | None] | None = None
if IS_COMPILED:
    try:
        read_tree = import_module("templex_scrapy.page._tree").read_tree
    except ImportError as error:  # it runs with the lxml that it was built with, and with no other
        if IS_ASKED_FOR:
            raise
        NOTES.append(f"nodes are read from bytes: {error}")

T = TypeVar("T")

LEFT_OUT = frozenset({"script", "style", "iframe", "noscript", "template"})
"""Tags of elements that are no nodes, and whose content is none."""

_FEW_WORDS = 100  # a page that shows its text only in noscript has fewer words outside
_MANY_WORDS = 50  # and at least so many inside
# what libxml2 writes for a character that XML cannot represent
_UNWRITABLE = "&#xFFFD;"


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
        ids: for each node the index of its start tag in ``start_tags``.
        distinct: the distinct start tags, as strings.
        texts: the text of a text node; None for an element.
        sizes: number of nodes of the subtree, the node itself included.
        parents: position of the parent; -1 for node 0.
        slots: index of an element in ``elements_of(page)``. For a text node the index of the element whose ``text``
            it is, or the bitwise complement of the index of the element or comment whose ``tail`` it is.
        frame_parents: positions of the parents of ``iframe`` and ``noscript`` elements, which are no nodes.
        continued: positions of the texts that only comments separate from the text before.
        depth: levels of elements.
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
            start_tags = list(map(start_tag_of, numbers))
        self.start_tags, self.ids = start_tags, ids
        self.distinct = tuple([start_tag.tag_string for start_tag in start_tags])
        self.tag_strings = spread(list(self.distinct), ids)
        self.texts = tuple(texts)
        self.sizes, self.parents, self.slots = array("i", sizes), array("i", parents), array("i", slots)
        self.frame_parents = frozenset(frame_parents)
        self.continued = frozenset(continued)
        self.depth = depth
        self._repeated_siblings: dict[int, list[list[int]]] = {}
        self._computed: dict[Callable[[NodeArrays], Any], Any] = {}

    def start_tag(self, position: int) -> StartTag:
        """Return the start tag of a node; nodes with the same tag_string share it."""
        return self.start_tags[self.ids[position]]

    def of_start_tags(self, function: Callable[[StartTag], T]) -> list[T]:
        """Return what a function reads from each distinct start tag."""
        return read_each(self.start_tags, function)

    def of_tags(self, values: dict[str, int], other: int = 0) -> bytes:
        """Return for each distinct start tag the value of its tag, or another one."""
        return of_tags(self.start_tags, values, other)

    def computed(self, function: Callable[[NodeArrays], T]) -> T:
        """Return what a function of the nodes returns; it is called once. That must not refer to the nodes."""
        if function not in self._computed:
            self._computed[function] = function(self)
        found: T = self._computed[function]
        return found

    def children(self, position: int) -> list[int]:
        """Positions of a node's children in document order; O(number of children)."""
        return children_of(self.sizes, position)

    def ancestors(self, position: int) -> Iterator[int]:
        """Positions of the parent, its parent and so on up to node 0."""
        while (position := self.parents[position]) >= 0:
            yield position

    @cached_property
    def tags(self) -> Sequence[str]:
        """The tag of each node."""
        return spread([start_tag.tag for start_tag in self.start_tags], self.ids)

    @cached_property
    def _positions(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        return found

    def positions(self, tag: str) -> list[int]:
        """Return the positions of the nodes with a tag, in node order."""
        if tag not in self._positions:
            self._positions[tag] = nodes_with(self.of_tags({tag: 1}), self.ids)
        return self._positions[tag]

    @cached_property
    def child_counts(self) -> array[int]:
        """Number of children of each node."""
        return count_children(self.parents)

    @property
    def text_positions(self) -> Sequence[int]:
        """Positions of the text nodes."""
        return self._texts_read.positions

    @cached_property
    def word_counts(self) -> array[int]:
        """The number of words of each text; 0 for elements."""
        return count_each(self.texts)

    @cached_property
    def words_before(self) -> array[int]:
        """How many words are in the texts before each node, and in all texts."""
        return sums_before(self.word_counts)

    def words(self, start: int, end: int) -> int:
        """Return the number of words of the texts in [start, end)."""
        return self.words_before[end] - self.words_before[start]

    @property
    def texts_before(self) -> array[int]:
        """How many text nodes are before each node, and in all."""
        return self._texts_read.before

    @property
    def text_sums(self) -> array[int]:
        """Sums of the hashes of the texts before each node: subtrees with the same texts have the same difference."""
        return self._texts_read.sums

    @cached_property
    def _texts_read(self) -> Texts:
        return read_texts(self.texts)

    @cached_property
    def text_set(self) -> frozenset[str | None]:
        """The texts, not stripped, and None."""
        return frozenset(self.texts)

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

    @cached_property
    def tags_and_classes(self) -> frozenset[str]:
        """Tag and classes, as one string, of each element that has classes."""
        return frozenset([start_tag.tag_and_classes for start_tag in self.start_tags if start_tag.classes])

    def repeated_siblings(self, minimum: int) -> list[list[int]]:
        """Lists of siblings with the same tag and classes, of at least so many elements, as positions."""
        if minimum not in self._repeated_siblings:
            parents = [parent for parent, count in enumerate(self.child_counts) if count >= minimum]
            groups = [group for parent in parents for group in self._children_by_look(parent)]
            self._repeated_siblings[minimum] = [group for group in groups if len(group) >= minimum]
        return self._repeated_siblings[minimum]

    def _children_by_look(self, parent: int) -> Iterable[list[int]]:
        groups: dict[str, list[int]] = {}
        for child in self.children(parent):
            # the text before a <br> is no entry of a list
            if self.texts[child] is None:
                groups.setdefault(self.start_tag(child).tag_and_classes, []).append(child)
        return groups.values()


def read_nodes(body: Element) -> NodeArrays:
    """Read the nodes below a body; O(length of its source).

    Some pages, such as Discourse forums, show their text only to browsers without scripts. A page with few words
    and more of them in its ``noscript`` elements is read with these.
    """
    arrays = _read(body, LEFT_OUT)
    if arrays.frame_parents and (words := arrays.words_before[-1]) < _FEW_WORDS:
        # "Please enable JavaScript" is no text that the page lacks
        unscripted = _read(body, LEFT_OUT - {"noscript"})
        if unscripted.words_before[-1] >= words + max(_MANY_WORDS, words + 1):
            return unscripted
    return arrays


def _read(body: Element, left_out: frozenset[str]) -> NodeArrays:
    found = None if read_tree is None else read_tree(body, left_out)
    if found is None:
        found = _read_written(body, left_out)
    return NodeArrays(
        start_tags=found.start_tags,
        ids=found.ids,
        texts=found.texts,
        sizes=found.sizes,
        parents=found.parents,
        slots=found.slots,
        frame_parents=found.frame_parents,
        continued=found.continued,
        depth=found.depth,
    )


def _read_written(body: Element, left_out: frozenset[str]) -> Scan:
    # libxml2 writes the tree in a fraction of the time that visiting each element from Python takes
    elements: list[Element] = []

    def text(written: str, place: int) -> str:
        if _UNWRITABLE not in written:
            return unescape(written)
        if not elements:
            elements.extend(body.iter())
        element = elements[place if place >= 0 else ~place]
        return (element.text if place >= 0 else element.tail) or ""

    return scan(_written(body), left_out, text)


def _written(body: Element) -> bytes:
    # under an XHTML doctype libxml2 adds attributes: id for name, xml:lang for lang
    docinfo = body.getroottree().docinfo
    if "XHTML" not in docinfo.doctype.upper():
        return _as_xml(body)
    names = docinfo.public_id, docinfo.system_url
    try:
        docinfo.public_id, docinfo.system_url = names
    except ValueError:  # lxml reads "-//A&B//DTD XHTML" and does not write it; a copied element has no doctype
        return _as_xml(copy.deepcopy(body))
    docinfo.public_id = docinfo.system_url = None
    try:
        return _as_xml(body)
    finally:
        docinfo.public_id, docinfo.system_url = names


def _as_xml(body: Element) -> bytes:
    # bytes: a str would be decoded and encoded once more
    return etree.tostring(body, encoding="utf-8", xml_declaration=False, with_tail=False)
