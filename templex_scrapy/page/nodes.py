"""The nodes of a page as parallel lists in node order, read from the tree as libxml2 writes it."""

from __future__ import annotations

import copy
import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

LEFT_OUT = frozenset({"script", "style", "iframe", "noscript", "template"})
"""Tags of elements that are no nodes, and whose content is none."""

TEXT = "#text"
"""The tag of text nodes."""

_TOKEN = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<[^>]*>|[^<]+", re.DOTALL)
_LEFT_OUT_STARTS = tuple(f"<{tag}" for tag in sorted(LEFT_OUT))
_FRAME_STARTS = ("<iframe", "<noscript")
_FEW_WORDS = 100  # a page that shows its text only in noscript has fewer words outside
_MANY_WORDS = 50  # and at least so many inside
_TAG = re.compile(r"<([^\s/>]+)", re.ASCII)
_ATTRIBUTE = re.compile(r'\s(=?[^\s=]*)="([^"]*)"', re.ASCII)
_ID = re.compile(r'\sid="([^"]*)"', re.ASCII)
_CLASS = re.compile(r'\sclass="([^"]*)"', re.ASCII)
_NUMBERS = re.compile(r"\b\d+\b")  # not those within a word, such as part2b
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
        found = _TAG.match(tag_string)
        self.tag_string = tag_string
        self._attributes: frozenset[tuple[str, str]] | None = None
        self.tag: str = found[1].lower() if found else TEXT
        self.id: str = _value(_ID, tag_string) if ' id="' in tag_string else ""
        names = _value(_CLASS, tag_string).split() if ' class="' in tag_string else ()
        self.classes: frozenset[str] = frozenset(names)
        self.tag_and_classes: str = " ".join([self.tag, *sorted(self.classes)]) if names else self.tag

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


def _value(pattern: re.Pattern[str], tag_string: str) -> str:
    found = pattern.search(tag_string)
    return unescape(found[1]) if found is not None else ""


class NodeArrays:
    """A page's nodes as parallel lists in node order: the form in which trees are compared.

    A subtree is a slice: that of node i is ``[i, i + sizes[i])``. Two subtrees are equal if their slices of
    tag_strings, texts and sizes are. What is computed from the lists is kept, because each template of a site uses it.

    Attributes:
        tag_strings: the start tag of an element as libxml2 writes it; ``"#text"`` for a text node.
        texts: the text of a text node; None for an element.
        sizes: number of nodes of the subtree, the node itself included.
        parents: position of the parent; -1 for node 0.
        places: index of an element in ``Page.elements``. For a text node the index of the element whose ``text`` it is,
            or the bitwise complement of the index of the element or comment whose ``tail`` it is.
        frame_parents: positions of the parents of ``iframe`` and ``noscript`` elements, which are no nodes.
        depth: levels of elements.
    """

    def __init__(self) -> None:
        self.tag_strings: list[str] = []
        self.texts: list[str | None] = []
        self.sizes: list[int] = []
        self.parents: list[int] = []
        self.places: list[int] = []
        self.frame_parents: set[int] = set()
        self.depth = 0
        self._start_tags: dict[str, StartTag] = {}
        self._shared_start_tags: dict[str, StartTag] = {}
        self._large_subtrees: dict[int, dict[tuple[str, int], list[int]]] = {}
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
        return counts

    @cached_property
    def text_positions(self) -> Sequence[int]:
        """Positions of the text nodes."""
        return [position for position, text in enumerate(self.texts) if text is not None]

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
        for position, tag_string in enumerate(self.tag_strings):
            if tag_string.startswith("<h1") and self.texts[position] is None:
                texts = self.texts[position : position + self.sizes[position]]
                yield " ".join(" ".join(filter(None, texts)).split())

    @cached_property
    def tags_and_classes(self) -> frozenset[str]:
        """Tag and classes, as one string, of each element that has classes."""
        with_class = (self._read(tag_string) for tag_string in set(self.tag_strings) if ' class="' in tag_string)
        return frozenset(start_tag.tag_and_classes for start_tag in with_class if start_tag.classes)

    def large_subtrees(self, nodes: int) -> dict[tuple[str, int], list[int]]:
        """Positions of the subtrees of at least so many nodes, by start tag and number of nodes."""
        if nodes not in self._large_subtrees:
            found = self._large_subtrees[nodes] = {}
            for position, size in enumerate(self.sizes):
                if size >= nodes:
                    found.setdefault((self.tag_strings[position], size), []).append(position)
        return self._large_subtrees[nodes]

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
        self.arrays = NodeArrays()

    def build(self) -> NodeArrays:  # noqa: C901 - the one loop over a whole page; calls would double its time
        out = self.arrays
        tag_strings, texts, sizes, parents, places = out.tag_strings, out.texts, out.sizes, out.parents, out.places
        written = _written(self.body)
        stack: list[int] = []
        parent = before = element = -1  # before: the element, or comment, that ended last in this parent
        tokens = iter(_TOKEN.findall(written))
        for token in tokens:
            if token[0] != "<":
                if token.isspace():
                    continue
                place = ~before if before >= 0 else places[parent]
                text = self._text(token, place)
                if not text.isspace():
                    tag_strings.append(TEXT)
                    texts.append(text)
                    sizes.append(1)
                    parents.append(parent)
                    places.append(place)
            elif token[1] == "/":
                sizes[parent] = len(tag_strings) - parent
                before = places[parent]
                parent = stack.pop()
            elif token[1] in "!?":
                if token[2] != "[":
                    element += 1
                    before = element
            else:
                element += 1
                empty = token[-2] == "/"
                if token.startswith(self.left_out) and _is_left_out(token):
                    if token.startswith(_FRAME_STARTS):
                        out.frame_parents.add(parent)
                    before = element
                    element += 0 if empty else _pass_over(tokens)
                    continue
                tag_strings.append(f"{token[:-2]}>" if empty else token)
                texts.append(None)
                sizes.append(1)
                parents.append(parent)
                places.append(element)
                if empty:
                    before = element
                else:
                    stack.append(parent)
                    parent, before = len(tag_strings) - 1, -1
                    out.depth = max(out.depth, len(stack))
        return out

    def _text(self, token: str, place: int) -> str:
        if "&" not in token:
            return token
        if _UNWRITABLE not in token:
            return unescape(token)
        element = self._elements[place if place >= 0 else ~place]
        return (element.text if place >= 0 else element.tail) or ""

    @cached_property
    def _elements(self) -> Sequence[Element]:
        return list(self.body.iter())


def _written(body: Element) -> str:
    # under an XHTML doctype libxml2 adds attributes (id for name, xml:lang for lang); a copied element has no doctype
    if "XHTML" in body.getroottree().docinfo.doctype:
        body = copy.deepcopy(body)
    return etree.tostring(body, encoding="unicode", method="xml", with_tail=False)


def _is_left_out(token: str) -> bool:
    found = _TAG.match(token)
    return found is not None and found[1] in LEFT_OUT


def _pass_over(tokens: Iterator[str]) -> int:
    """Read to the end of the element just started; return how many elements and comments it contains."""
    depth, passed = 1, 0
    while depth:
        token = next(tokens)
        if token[0] != "<" or token.startswith("<!["):
            continue
        if token[1] == "/":
            depth -= 1
        else:
            passed += 1
            depth += token[1] not in "!?" and token[-2] != "/"
    return passed
