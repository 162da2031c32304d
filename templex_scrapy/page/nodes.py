"""The nodes of a page as parallel lists in node order, read from the tree as libxml2 writes it."""

from __future__ import annotations

import copy
import hashlib
import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from lxml import etree

from templex_scrapy.page._scan import TEXT, scan
from templex_scrapy.page.lazy import cached_property
from templex_scrapy.page.words import count_each

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

LEFT_OUT = frozenset({"script", "style", "iframe", "noscript", "template"})
"""Tags of elements that are no nodes, and whose content is none."""

_FEW_WORDS = 100  # a page that shows its text only in noscript has fewer words outside
_MANY_WORDS = 50  # and at least so many inside
_ID, _CLASS = ' id="', ' class="'
_NO_NAMES = frozenset[str]()
_ATTRIBUTE = re.compile(r'\s(=?[^\s=]*)="([^"]*)"', re.ASCII)
_NUMBERS = re.compile(r"\d(?<!\w\d)\d*(?!\w)")  # \b\d+\b in half the time: not those within a word, such as part2b
_REFERENCE = re.compile(r"&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|(amp|lt|gt|quot));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"'}
# what libxml2 writes for a character that XML cannot represent
_UNWRITABLE = "&#xFFFD;"


class StartTag:
    """What the similarity sees of an element, read from its start tag as libxml2 writes it.

    Attributes:
        tag_string: the start tag, or ``"#text"``.
        tag: the tag in lower case, or ``"#text"``.
        id: the value of ``id``, empty if there is none.
        classes: the class names.
        tag_and_classes: tag and class names as one string.
    """

    __slots__ = ("_attributes", "classes", "id", "tag", "tag_and_classes", "tag_string")

    def __init__(self, tag_string: str) -> None:
        self.tag_string = tag_string
        self._attributes: frozenset[tuple[str, str]] | None = None
        self.tag: str = tag_of(tag_string)
        self.id: str = _value(_ID, tag_string) if _ID in tag_string else ""
        self.classes = _NO_NAMES
        self.tag_and_classes = self.tag
        if _CLASS in tag_string:
            self.classes = frozenset(_value(_CLASS, tag_string).split())
            self.tag_and_classes = " ".join([self.tag, *sorted(self.classes)])

    @property
    def attributes(self) -> frozenset[tuple[str, str]]:
        """The (name, value) pairs without ``id`` and ``class``."""
        # read on use: it is slow, and most elements differ in tag and classes
        if self._attributes is None:
            self._attributes = frozenset(
                (name, unescape(value))
                for name, value in _ATTRIBUTE.findall(self.tag_string)
                if name not in {"id", "class"}
            )
        return self._attributes


def tag_of(tag_string: str) -> str:
    """Return the tag in lower case, or ``"#text"``."""
    return TEXT if tag_string == TEXT else tag_string[1:-1].partition(" ")[0].lower()


def _value(start: str, tag_string: str) -> str:
    # no attribute contains a quotation mark: libxml2 writes a reference
    return unescape(tag_string.partition(start)[2].partition('"')[0])


class NodeArrays:
    """A page's nodes as parallel sequences in node order: the form in which trees are compared.

    A subtree is a slice: that of node i is ``[i, i + sizes[i])``. Two subtrees are equal if their slices of
    tag_strings, texts and sizes are. What is computed from them is kept, because each template of a site uses it.
    The garbage collector does not visit arrays, nor tuples of strings, so that it costs no more if many pages are kept.

    Attributes:
        tag_strings: the start tag of an element as libxml2 writes it; ``"#text"`` for a text node.
        ids: for each node the index of its start tag in ``distinct``.
        distinct: the distinct start tags.
        texts: the text of a text node; None for an element.
        sizes: number of nodes of the subtree, the node itself included.
        parents: position of the parent; -1 for node 0.
        places: index of an element in ``Page.elements``. For a text node the index of the element whose ``text`` it is,
            or the bitwise complement of the index of the element or comment whose ``tail`` it is.
        frame_parents: positions of the parents of ``iframe`` and ``noscript`` elements, which are no nodes.
        depth: levels of elements.
    """

    def __init__(
        self,
        *,
        tag_strings: Iterable[str],
        texts: Iterable[str | None],
        sizes: Iterable[int],
        parents: Iterable[int],
        places: Iterable[int],
        frame_parents: Iterable[int] = (),
        depth: int = 0,
    ) -> None:
        self.tag_strings = tuple(tag_strings)
        numbers: dict[str, int] = {}
        self.ids = array("i", [numbers.setdefault(tag_string, len(numbers)) for tag_string in self.tag_strings])
        self.distinct = tuple(numbers)
        self.texts = tuple(texts)
        self.sizes = array("i", sizes)
        self.parents = array("i", parents)
        self.places = array("i", places)
        self.frame_parents = frozenset(frame_parents)
        self.depth = depth
        self._start_tags: dict[str, StartTag] = {}
        self._shared_start_tags: dict[str, StartTag] = {}
        self._repeated_siblings: dict[int, list[list[int]]] = {}

    def start_tag(self, position: int) -> StartTag:
        """Return the start tag of a node; nodes with the same tag_string share it."""
        tag_string = self.tag_strings[position]
        return self._start_tags.get(tag_string) or self._read(tag_string)

    def _read(self, tag_string: str) -> StartTag:
        start_tag = self._start_tags[tag_string] = self._shared_start_tags.get(tag_string) or StartTag(tag_string)
        return start_tag

    def share_start_tags(self, other: NodeArrays) -> None:
        """Use the start tags that another page has read already: pages of a site have most of them in common."""
        self._shared_start_tags = other._start_tags

    def children(self, position: int) -> list[int]:
        """Positions of a node's children in document order; O(number of children)."""
        sizes = self.sizes
        end = position + sizes[position]
        child = position + 1
        found = []
        while child < end:
            found.append(child)
            child += sizes[child]
        return found

    def ancestors(self, position: int) -> Iterator[int]:
        """Positions of the parent, its parent and so on up to node 0."""
        while (position := self.parents[position]) >= 0:
            yield position

    @cached_property
    def tags(self) -> Sequence[str]:
        """The tag of each node."""
        tags = list(map(tag_of, self.distinct))
        return tuple(map(tags.__getitem__, self.ids))

    @cached_property
    def _positions(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        return found

    def positions(self, tag: str) -> list[int]:
        """Return the positions of the nodes with a tag, in node order."""
        if tag not in self._positions:
            self._positions[tag] = [position for position, other in enumerate(self.tags) if other == tag]
        return self._positions[tag]

    @cached_property
    def child_counts(self) -> Sequence[int]:
        """Number of children of each node."""
        counts = [0] * len(self.parents)
        for position in range(1, len(counts)):
            counts[self.parents[position]] += 1
        return tuple(counts)

    @cached_property
    def text_positions(self) -> Sequence[int]:
        """Positions of the text nodes."""
        return tuple([position for position, text in enumerate(self.texts) if text is not None])

    @cached_property
    def word_counts(self) -> array[int]:
        """The number of words of each text; 0 for elements."""
        return array("i", count_each(self.texts))

    @cached_property
    def words_before(self) -> array[int]:
        """How many words are in the texts before each node, and in all texts."""
        return array("i", accumulate(self.word_counts, initial=0))

    def words(self, start: int, end: int) -> int:
        """Return the number of words of the texts in [start, end)."""
        return self.words_before[end] - self.words_before[start]

    @cached_property
    def texts_before(self) -> Sequence[int]:
        """How many text nodes are before each node, and in all."""
        return (0, *accumulate([text is not None for text in self.texts]))

    @cached_property
    def _text_sums(self) -> Sequence[int]:
        """Sums of the hashes of the texts before each node: subtrees with the same texts have the same difference."""
        return (0, *accumulate([0 if text is None else hash(text) for text in self.texts]))

    def text_sum(self, position: int) -> int:
        """Return a number for the texts of a subtree, equal for subtrees with the same texts; 0 without any."""
        return self._text_sums[position + self.sizes[position]] - self._text_sums[position]

    def first_text(self, position: int) -> str | None:
        """Return the first text of a subtree; None without any."""
        before = self.texts_before
        index = before[position]
        if index == before[position + self.sizes[position]]:
            return None
        return self.texts[self.text_positions[index]]

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
        words = " ".join(" ".join(self.texts[position] or "" for position in self.text_positions).split())
        masked = " ".join([_NUMBERS.sub("0", words), *self._headings()]).encode("utf-8", "surrogatepass")
        return hashlib.blake2b(masked, digest_size=16).digest() if words else b""

    def _headings(self) -> Iterator[str]:
        end = 0
        for position, tag_string in enumerate(self.tag_strings):
            if position >= end and tag_string.startswith(("<h1>", "<h1 ")):
                end = position + self.sizes[position]
                yield " ".join(" ".join(filter(None, self.texts[position:end])).split())

    @cached_property
    def tags_and_classes(self) -> frozenset[str]:
        """Tag and classes, as one string, of each element that has classes."""
        with_class = [tag_string for tag_string in set(self.tag_strings) if _CLASS in tag_string]
        # most of them, such as links, have few classes in common
        different = {(tag_of(tag_string), _value(_CLASS, tag_string)) for tag_string in with_class}
        return frozenset(" ".join([tag, *sorted(set(names.split()))]) for tag, names in different if names.strip())

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
            if self.texts[child] is None:
                groups.setdefault(self.start_tag(child).tag_and_classes, []).append(child)
        return groups.values()


def unescape(written: str) -> str:
    """Replace the references that libxml2 writes (not those of HTML)."""
    if "&" not in written:
        return written
    return _REFERENCE.sub(_referred, written)


def _referred(match: re.Match[str]) -> str:
    hexadecimal, decimal, name = match.groups()
    if name:
        return _NAMED[name]
    code = int(hexadecimal, 16) if hexadecimal else int(decimal)
    return chr(code) if code <= sys.maxunicode else "\ufffd"


def read_nodes(body: Element) -> NodeArrays:
    """Read the nodes below a body; O(length of its source).

    Some pages, such as Discourse forums, show their text only to browsers without scripts. A page with few words
    and more of them in its ``noscript`` elements is read with these.
    """
    arrays = _read(body, LEFT_OUT)
    if arrays.frame_parents and (words := _count_words(arrays)) < _FEW_WORDS:
        unscripted = _read(body, LEFT_OUT - {"noscript"})
        if _count_words(unscripted) - words >= max(_MANY_WORDS, words + 1):
            return unscripted
    return arrays


def _count_words(arrays: NodeArrays) -> int:
    return sum(len(text.split()) for text in arrays.texts if text is not None)


def _read(body: Element, left_out: frozenset[str]) -> NodeArrays:
    # libxml2 writes the tree in a fraction of the time that visiting each element takes
    elements: list[Element] = []

    def text(written: str, place: int) -> str:
        if _UNWRITABLE not in written:
            return unescape(written)
        if not elements:
            elements.extend(body.iter())
        element = elements[place if place >= 0 else ~place]
        return (element.text if place >= 0 else element.tail) or ""

    found = scan(_written(body), left_out, text)
    return NodeArrays(
        tag_strings=map(found.start_tags.__getitem__, found.ids),
        texts=found.texts,
        sizes=found.sizes,
        parents=found.parents,
        places=found.places,
        frame_parents=found.frame_parents,
        depth=found.depth,
    )


def _written(body: Element) -> str:
    # under an XHTML doctype libxml2 adds attributes (id for name, xml:lang for lang); a copied element has no doctype
    if "XHTML" in body.getroottree().docinfo.doctype:
        body = copy.deepcopy(body)
    # faster than encoding="unicode"
    return etree.tostring(body, encoding="utf-8", method="xml", with_tail=False).decode("utf-8")
