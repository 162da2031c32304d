"""The nodes of a page as parallel lists in node order, read off the tree as libxml2 writes it."""

from __future__ import annotations

import copy
import hashlib
import re
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lxml import etree

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

LEFT_OUT = frozenset({"script", "style", "iframe", "noscript", "template"})
"""Tags of the elements that are no nodes, whatever they hold."""

TEXT = "#text"
"""The tag of text nodes, and their label."""

_TOKEN = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<[^>]*>|[^<]+", re.DOTALL)
_LEFT_OUT_STARTS = tuple(f"<{tag}" for tag in sorted(LEFT_OUT))
_HELD_STARTS = ("<iframe", "<noscript")
_FEW_WORDS = 100  # a page that shows its text only in noscript has fewer words outside
_MANY_WORDS = 50  # and at least so many inside
_TAG = re.compile(r"<([^\s/>]+)", re.ASCII)
_ATTRIBUTE = re.compile(r'\s(=?[^\s=]*)="([^"]*)"', re.ASCII)
_ID = re.compile(r'\sid="([^"]*)"', re.ASCII)
_CLASS = re.compile(r'\sclass="([^"]*)"', re.ASCII)
_FIGURES = re.compile(r"\b\d+\b")  # not those in a name, such as part2b
_REFERENCE = re.compile(r"&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|(amp|lt|gt|quot));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"'}
# what libxml2 writes for a character that XML has no way to write
_UNWRITABLE = "&#xFFFD;"


class StartTag:
    """What the similarity of two elements looks at, read from a label.

    Attributes:
        label: the label.
        tag: the element's tag, or ``"#text"``.
        id: the value of its ``id``, empty if it has none.
        classes: its class names.
        tag_and_classes: tag and class names, one string for each combination; the tag alone where there are none.
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
        """Its (name, value) pairs without ``id`` and ``class``."""
        # most elements are told apart by tag and classes, and this is the slow part
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

    A subtree is a slice: that of node i is ``[i, i + sizes[i])``, so that two subtrees are the same where their slices
    of labels, texts and sizes are.

    Attributes:
        labels: of an element its start tag as written by libxml2, of a text node ``"#text"``.
        texts: of a text node its text, of an element None.
        sizes: number of nodes of the subtree, the node itself included.
        parents: position of the parent, -1 for node 0.
        places: of an element its index in ``Page.elements``; of a text node the index of the element whose ``text`` it
            is, or the bitwise complement of the index of the element (or comment) whose ``tail`` it is.
        frame_parents: positions of the elements that directly hold an ``iframe`` or a ``noscript``, which are no nodes.
        depth: levels of elements.
    """

    __slots__ = (
        "_adopted",
        "_alike",
        "_child_counts",
        "_features",
        "_kinds",
        "_large",
        "_said",
        "_text_positions",
        "_wording",
        "depth",
        "frame_parents",
        "parents",
        "places",
        "sizes",
        "tag_strings",
        "texts",
    )

    def __init__(self) -> None:
        self.tag_strings: list[str] = []
        self.texts: list[str | None] = []
        self.sizes: list[int] = []
        self.parents: list[int] = []
        self.places: list[int] = []
        self.frame_parents: set[int] = set()
        self.depth = 0
        self._child_counts: list[int] | None = None
        self._features: dict[str, StartTag] = {}
        self._adopted: dict[str, StartTag] = {}
        self._large: dict[int, dict[tuple[str, int], list[int]]] = {}
        self._alike: dict[int, list[list[int]]] = {}
        self._text_positions: list[int] | None = None
        self._wording: bytes | None = None
        self._kinds: frozenset[str] | None = None
        self._said: frozenset[str | None] | None = None

    def large_subtrees(self, nodes: int) -> dict[tuple[str, int], list[int]]:
        """Positions of the subtrees of at least so many nodes, by start tag and number of nodes."""
        # kept, because each template of a site asks
        if nodes not in self._large:
            found = self._large[nodes] = {}
            for position, size in enumerate(self.sizes):
                if size >= nodes:
                    found.setdefault((self.tag_strings[position], size), []).append(position)
        return self._large[nodes]

    @property
    def child_counts(self) -> Sequence[int]:
        """Number of children of each node."""
        if self._child_counts is None:
            counts = [0] * len(self.parents)
            for position in range(1, len(counts)):
                counts[self.parents[position]] += 1
            self._child_counts = counts
        return self._child_counts

    def repeated_siblings(self, rows: int) -> list[list[int]]:
        """Positions of the elements of one kind among the children of one node, where there are at least so many."""
        # kept, because each template of a site asks
        if rows not in self._alike:
            many = [parent for parent, count in enumerate(self.child_counts) if count >= rows]
            kinds = [alike for parent in many for alike in self._children_by_kind(parent).values()]
            self._alike[rows] = [alike for alike in kinds if len(alike) >= rows]
        return self._alike[rows]

    def _children_by_kind(self, position: int) -> dict[str, list[int]]:
        kinds: dict[str, list[int]] = {}
        for child in self.children(position):
            if self.texts[child] is None:
                kinds.setdefault(self.start_tag(child).tag_and_classes, []).append(child)
        return kinds

    @property
    def text_positions(self) -> Sequence[int]:
        """Positions of its text nodes."""
        if self._text_positions is None:
            self._text_positions = [position for position, text in enumerate(self.texts) if text is not None]
        return self._text_positions

    @property
    def text_digest(self) -> bytes:
        """A hash of its texts, 16 bytes, in which all figures but those of main headings are one; empty without texts.

        A figure in the heading, as of the days of a calendar, tells one page from another, and no copy from its like.
        """
        if self._wording is None:
            words = " ".join(" ".join(self.texts[position] or "" for position in self.text_positions).split())
            masked = " ".join([_FIGURES.sub("0", words), *self._headings()]).encode("utf-8", "surrogatepass")
            self._wording = hashlib.blake2b(masked, digest_size=16).digest() if words else b""
        return self._wording

    def _headings(self) -> Iterator[str]:
        for position, tag_string in enumerate(self.tag_strings):
            if tag_string.startswith("<h1") and self.texts[position] is None:
                texts = self.texts[position : position + self.sizes[position]]
                yield " ".join(" ".join(filter(None, texts)).split())

    @property
    def tags_and_classes(self) -> frozenset[str]:
        """The kinds of its elements, by tag and class names; elements without class do not count."""
        if self._kinds is None:
            marked = (self._read(tag_string) for tag_string in set(self.tag_strings) if ' class="' in tag_string)
            self._kinds = frozenset(features.tag_and_classes for features in marked if features.classes)
        return self._kinds

    @property
    def text_set(self) -> frozenset[str | None]:
        """Its texts as they stand, and None."""
        if self._said is None:
            self._said = frozenset(self.texts)
        return self._said

    def share_start_tags(self, other: NodeArrays) -> None:
        """Look into what was read of labels in another arrays first: pages of one site have most labels in common."""
        self._adopted = other._features

    def start_tag(self, position: int) -> StartTag:
        """What the similarity looks at in the node at a position; shared by nodes with the same label."""
        tag_string = self.tag_strings[position]
        return self._features.get(tag_string) or self._read(tag_string)

    def _read(self, tag_string: str) -> StartTag:
        features = self._features[tag_string] = self._adopted.get(tag_string) or StartTag(tag_string)
        return features

    def children(self, position: int) -> list[int]:
        """Positions of a node's children, in document order; O(number of children)."""
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


def unescape(written: str) -> str:
    """The string that libxml2 wrote as ``written`` (its own references only, not HTML's)."""
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
    """Read the arrays of a body; O(length of its source).

    A page that shows its text only to browsers without scripts, as Discourse forums do, is read with its ``noscript``
    elements: one with few words and more words than these in them.
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
    """Reads an arrays off a body as libxml2 writes it.

    Reading the written tree token by token costs a fraction of visiting each element from Python: libxml2 writes in C,
    and of most start tags nothing but the string as a whole is ever needed.
    """

    def __init__(self, body: Element, left_out: tuple[str, ...]) -> None:
        self.body = body
        self.left_out = left_out
        self.arrays = NodeArrays()

    def build(self) -> NodeArrays:  # noqa: C901 - the one loop over all of a page; calls would double its time
        """Read the whole body; O(length of its source)."""
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
                    if token.startswith(_HELD_STARTS):
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
        element = next(e for i, e in enumerate(self.body.iter()) if i == (place if place >= 0 else ~place))
        return (element.text if place >= 0 else element.tail) or ""


def _written(body: Element) -> str:
    # Under an XHTML doctype libxml2 writes attributes that are not there (id for name, xml:lang for lang); copies of an
    # element have no doctype.
    if "XHTML" in body.getroottree().docinfo.doctype:
        body = copy.deepcopy(body)
    return etree.tostring(body, encoding="unicode", method="xml", with_tail=False)


def _is_left_out(token: str) -> bool:
    found = _TAG.match(token)
    return found is not None and found[1] in LEFT_OUT


def _pass_over(tokens: Iterator[str]) -> int:
    """Read to the end of the element just started; how many elements and comments it held."""
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
