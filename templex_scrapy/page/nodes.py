"""The nodes of a page as parallel lists in node order, read from the tree as libxml2 writes it."""

from __future__ import annotations

import copy
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from lxml import etree

from templex_scrapy.page.lazy import cached_property
from templex_scrapy.page.words import count_each

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

LEFT_OUT = frozenset({"script", "style", "iframe", "noscript", "template"})
"""Tags of elements that are no nodes, and whose content is none."""

TEXT = "#text"
"""The tag of text nodes."""

_TAG = re.compile(r"(<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<[^>]*>)", re.DOTALL)
_LEFT_OUT_STARTS = tuple(f"<{tag}" for tag in sorted(LEFT_OUT))
_FRAME_STARTS = ("<iframe", "<noscript")
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
    """A page's nodes as parallel tuples in node order: the form in which trees are compared.

    A subtree is a slice: that of node i is ``[i, i + sizes[i])``. Two subtrees are equal if their slices of
    tag_strings, texts and sizes are. What is computed from them is kept, because each template of a site uses it.
    The garbage collector does not visit tuples of strings and numbers, so that it costs no more if many pages are kept.

    Args:
        tag_strings: the start tag of an element as libxml2 writes it; ``"#text"`` for a text node.
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
        self.texts = tuple(texts)
        self.sizes = tuple(sizes)
        self.parents = tuple(parents)
        self.places = tuple(places)
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
    def _words_before(self) -> Sequence[int]:
        """How many words are in the texts before each node, and in all texts."""
        return (0, *accumulate(count_each(self.texts)))

    def words(self, start: int, end: int) -> int:
        """Return the number of words of the texts in [start, end)."""
        return self._words_before[end] - self._words_before[start]

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
    arrays = _NodeReader(body, _LEFT_OUT_STARTS).build()
    if arrays.frame_parents and (words := _count_words(arrays)) < _FEW_WORDS:
        unscripted = _NodeReader(body, tuple(start for start in _LEFT_OUT_STARTS if start != "<noscript")).build()
        if _count_words(unscripted) - words >= max(_MANY_WORDS, words + 1):
            return unscripted
    return arrays


def _count_words(arrays: NodeArrays) -> int:
    return sum(len(text.split()) for text in arrays.texts if text is not None)


class _NodeReader:
    """Reads the nodes token by token from the tree as libxml2 writes it.

    This takes a fraction of the time of visiting each element from Python: libxml2 writes in C, and most start tags are
    needed as a whole string only.
    """

    def __init__(self, body: Element, left_out: tuple[str, ...]) -> None:
        self.body = body
        self.left_out = left_out

    def build(self) -> NodeArrays:  # noqa: C901, PLR0912, PLR0915 - calls would double its time
        tag_strings: list[str] = []
        parents: list[int] = []
        places: list[int] = []
        stack: list[int] = []
        frame_parents: list[int] = []
        parent = element = place = -1  # place: that of a text here
        depth = 0
        left_out = self.left_out
        # flat lists: a tuple for each tag would be work for the garbage collector
        pieces = _TAG.split(_written(self.body))
        texts: list[str | None] = [None] * len(pieces)
        sizes = [1] * len(pieces)
        tokens = zip(pieces[1::2], pieces[2::2], strict=True)
        for token, behind in tokens:
            text = behind
            if token[1] == "/":
                sizes[parent] = len(tag_strings) - parent
                place = ~places[parent]
                parent = stack.pop()
            elif token[1] in "!?":
                if token[2] != "[":
                    element += 1
                    place = ~element
            else:
                element += 1
                is_empty = token[-2] == "/"
                if token.startswith(left_out) and _is_left_out(token):
                    if token.startswith(_FRAME_STARTS):
                        frame_parents.append(parent)
                    place = ~element
                    if not is_empty:
                        passed, text = _pass_over(tokens)
                        element += passed
                else:
                    tag_strings.append(f"{token[:-2]}>" if is_empty else token)
                    parents.append(parent)
                    places.append(element)
                    if is_empty:
                        place = ~element
                    else:
                        stack.append(parent)
                        parent, place = len(tag_strings) - 1, element
                        if len(stack) > depth:  # noqa: PLR1730 - a call takes three times as long
                            depth = len(stack)
            if text and not text.isspace():
                if "&" in text:
                    text = self._text(text, place)
                    if text.isspace():
                        continue
                texts[len(tag_strings)] = text
                tag_strings.append(TEXT)
                parents.append(parent)
                places.append(place)
        return NodeArrays(
            tag_strings=tag_strings,
            texts=texts[: len(tag_strings)],
            sizes=sizes[: len(tag_strings)],
            parents=parents,
            places=places,
            frame_parents=frame_parents,
            depth=depth,
        )

    def _text(self, written: str, place: int) -> str:
        if _UNWRITABLE not in written:
            return unescape(written)
        element = self._elements[place if place >= 0 else ~place]
        return (element.text if place >= 0 else element.tail) or ""

    @cached_property
    def _elements(self) -> Sequence[Element]:
        return list(self.body.iter())


def _written(body: Element) -> str:
    # under an XHTML doctype libxml2 adds attributes (id for name, xml:lang for lang); a copied element has no doctype
    if "XHTML" in body.getroottree().docinfo.doctype:
        body = copy.deepcopy(body)
    # faster than encoding="unicode"
    return etree.tostring(body, encoding="utf-8", method="xml", with_tail=False).decode("utf-8")


def _is_left_out(token: str) -> bool:
    return token.rstrip("/>").partition(" ")[0][1:] in LEFT_OUT


def _pass_over(tokens: Iterator[tuple[str, str]]) -> tuple[int, str]:
    """Read to the end of the element just started.

    Returns:
        How many elements and comments it contains, and the text behind it.
    """
    depth, passed, text = 1, 0, ""
    while depth:
        token, text = next(tokens)
        if token[1] == "/":
            depth -= 1
        elif not token.startswith("<!["):
            passed += 1
            depth += token[1] not in "!?" and token[-2] != "/"
    return passed, text
