"""Web pages as trees of nodes in node order (thesis, Definitions 4.1.1 to 4.1.5).

A page is the tree under ``body``. Its nodes are the elements and the text nodes that are not blank, numbered in
document order from 0 at ``body``; ``script``, ``style``, ``iframe``, ``noscript``, ``template``, comments and
processing instructions are left out with what they hold. All results of this package are sets of these numbers.

Everything is lazy: a :class:`Page` that waits costs its text, one that is matched its :class:`Outline`, and only one
whose nodes are asked for has :class:`Node` objects.
"""

from __future__ import annotations

import copy
import hashlib
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from lxml import etree
from parsel.selector import create_root_node

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.etree import _Element as Element

LEFT_OUT = frozenset({"script", "style", "iframe", "noscript", "template"})
"""Tags of the elements that are no nodes, whatever they hold."""

TEXT = "#text"
"""The tag of text nodes, and their label."""

MAX_DEPTH = 2000
"""Levels that libxml2 is sure to keep; it cuts off what lies deeper than about 2,040."""

_IS_DOCUMENT = re.compile(r"<(?:!doctype|html|body)[\s>/]", re.IGNORECASE)
_TOKEN = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<[^>]*>|[^<]+", re.DOTALL)
_LEFT_OUT_STARTS = tuple(f"<{tag}" for tag in sorted(LEFT_OUT))
_HELD_STARTS = ("<iframe", "<noscript")
_TAG = re.compile(r"<([^\s/>]+)", re.ASCII)
_ATTRIBUTE = re.compile(r'\s(=?[^\s=]*)="([^"]*)"', re.ASCII)
_ID = re.compile(r'\sid="([^"]*)"', re.ASCII)
_CLASS = re.compile(r'\sclass="([^"]*)"', re.ASCII)
_REFERENCE = re.compile(r"&(?:#x([0-9A-Fa-f]+)|#([0-9]+)|(amp|lt|gt|quot));")
_NAMED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"'}
# what libxml2 writes for a character that XML has no way to write
_UNWRITABLE = "&#xFFFD;"


class Node:
    """An element or a non-blank text node of a page.

    Attributes:
        page: the page it belongs to.
        position: its index in ``page.nodes``, from 0.
        tag: the element's tag in lower case, or ``"#text"``.
        text: the text as it stands, not stripped; None for elements.
        element: the lxml element; of a text node, the element that the text is in. Not to be changed.
        parent: the node it is a child of; None for node 0.
        children: its child nodes in document order; empty for text nodes.
    """

    __slots__ = ("page", "position", "tag", "text")

    def __init__(self, page: Page, position: int) -> None:
        self.page = page
        self.position = position
        outline = page.outline
        self.text: str | None = outline.texts[position]
        self.tag: str = TEXT if self.text is not None else page.features(position).tag

    @property
    def element(self) -> Element:
        """The element, or the element that the text is in."""
        outline = self.page.outline
        owner = self.position if self.text is None else outline.parents[self.position]
        return self.page.elements[outline.places[owner]]

    @property
    def parent(self) -> Node | None:
        """The node this one is a child of."""
        parent = self.page.outline.parents[self.position]
        return None if parent < 0 else self.page.nodes[parent]

    @property
    def children(self) -> tuple[Node, ...]:
        """The child nodes in document order."""
        nodes = self.page.nodes
        return tuple(nodes[child] for child in self.page.outline.children(self.position))

    def __repr__(self) -> str:
        what = self.tag if self.text is None else repr(self.text.strip()[:40])
        return f"<Node {self.position} {what}>"


class Features:
    """What the similarity of two elements looks at, read from a label.

    Attributes:
        label: the label.
        tag: the element's tag, or ``"#text"``.
        id: the value of its ``id``, empty if it has none.
        classes: its class names.
        kind: tag and class names, one string for each combination; the tag alone where there are none.
    """

    __slots__ = ("_attributes", "classes", "id", "kind", "label", "tag")

    def __init__(self, label: str) -> None:
        found = _TAG.match(label)
        self.label = label
        self._attributes: frozenset[tuple[str, str]] | None = None
        self.tag: str = found[1].lower() if found else TEXT
        self.id: str = _value(_ID, label) if ' id="' in label else ""
        names = _value(_CLASS, label).split() if ' class="' in label else ()
        self.classes: frozenset[str] = frozenset(names)
        self.kind: str = " ".join([self.tag, *sorted(self.classes)]) if names else self.tag

    @property
    def attributes(self) -> frozenset[tuple[str, str]]:
        """Its (name, value) pairs without ``id`` and ``class``."""
        # most elements are told apart by tag and classes, and this is the slow part
        if self._attributes is None:
            self._attributes = frozenset(
                (name, unescape(value)) for name, value in _ATTRIBUTE.findall(self.label) if name not in {"id", "class"}
            )
        return self._attributes


def _value(pattern: re.Pattern[str], label: str) -> str:
    found = pattern.search(label)
    return unescape(found[1]) if found is not None else ""


class Outline:
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
        holds: positions of the elements that directly hold an ``iframe`` or a ``noscript``, which are no nodes.
        depth: levels of elements.
    """

    __slots__ = (
        "_adopted",
        "_child_counts",
        "_features",
        "_kinds",
        "_large",
        "_said",
        "depth",
        "holds",
        "labels",
        "parents",
        "places",
        "sizes",
        "texts",
    )

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.texts: list[str | None] = []
        self.sizes: list[int] = []
        self.parents: list[int] = []
        self.places: list[int] = []
        self.holds: set[int] = set()
        self.depth = 0
        self._child_counts: Counter[int] | None = None
        self._features: dict[str, Features] = {}
        self._adopted: dict[str, Features] = {}
        self._large: dict[int, dict[tuple[str, int], list[int]]] = {}
        self._kinds: frozenset[str] | None = None
        self._said: frozenset[str | None] | None = None

    def large_subtrees(self, nodes: int) -> dict[tuple[str, int], list[int]]:
        """Positions of the subtrees of at least so many nodes, by start tag and number of nodes."""
        # kept, because each template of a site asks
        if nodes not in self._large:
            found = self._large[nodes] = {}
            for position, size in enumerate(self.sizes):
                if size >= nodes:
                    found.setdefault((self.labels[position], size), []).append(position)
        return self._large[nodes]

    @property
    def child_counts(self) -> Mapping[int, int]:
        """Number of children of each node that has any; 0 is found for the others."""
        if self._child_counts is None:
            self._child_counts = Counter(self.parents)
        return self._child_counts

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of its elements, by tag and class names; elements without class do not count."""
        if self._kinds is None:
            marked = (self._read(label) for label in set(self.labels) if ' class="' in label)
            self._kinds = frozenset(features.kind for features in marked if features.classes)
        return self._kinds

    @property
    def said(self) -> frozenset[str | None]:
        """Its texts as they stand, and None."""
        if self._said is None:
            self._said = frozenset(self.texts)
        return self._said

    def adopt_features(self, other: Outline) -> None:
        """Look into what was read of labels in another outline first: pages of one site have most labels in common."""
        self._adopted = other._features

    def features(self, position: int) -> Features:
        """What the similarity looks at in the node at a position; shared by nodes with the same label."""
        label = self.labels[position]
        return self._features.get(label) or self._read(label)

    def _read(self, label: str) -> Features:
        features = self._features[label] = self._adopted.get(label) or Features(label)
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


class _OutlineBuilder:
    """Reads an outline off a body as libxml2 writes it.

    Reading the written tree token by token costs a fraction of visiting each element from Python: libxml2 writes in C,
    and of most start tags nothing but the string as a whole is ever needed.
    """

    def __init__(self, body: Element) -> None:
        self.body = body
        self.outline = Outline()

    def build(self) -> Outline:  # noqa: C901 - the one loop over all of a page; calls would double its time
        """Read the whole body; O(length of its source)."""
        out = self.outline
        labels, texts, sizes, parents, places = out.labels, out.texts, out.sizes, out.parents, out.places
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
                    labels.append(TEXT)
                    texts.append(text)
                    sizes.append(1)
                    parents.append(parent)
                    places.append(place)
            elif token[1] == "/":
                sizes[parent] = len(labels) - parent
                before = places[parent]
                parent = stack.pop()
            elif token[1] in "!?":
                if token[2] != "[":
                    element += 1
                    before = element
            else:
                element += 1
                empty = token[-2] == "/"
                if token.startswith(_LEFT_OUT_STARTS) and _is_left_out(token):
                    if token.startswith(_HELD_STARTS):
                        out.holds.add(parent)
                    before = element
                    element += 0 if empty else _pass_over(tokens)
                    continue
                labels.append(f"{token[:-2]}>" if empty else token)
                texts.append(None)
                sizes.append(1)
                parents.append(parent)
                places.append(element)
                if empty:
                    before = element
                else:
                    stack.append(parent)
                    parent, before = len(labels) - 1, -1
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


def _decode(body: bytes, url: str) -> str:
    # Scrapy's own decoding is the contract; it is imported here alone, so that the core needs no Scrapy for text.
    from scrapy.http import HtmlResponse  # noqa: PLC0415

    try:
        return HtmlResponse(url, body=body).text
    except LookupError:
        # a page may name any codec of Python's as its charset, and not all of them are of text
        return body.decode("utf-8", "replace")


class Page:
    """A web page: its source, its address and, on demand, its tree, its nodes and its links.

    Args:
        html: the source. Bytes are decoded as ``scrapy.http.HtmlResponse`` decodes them (byte order mark, declared
            charset, detection). Any string is a page: what is no HTML becomes what the parser makes of it.
        url: the address that relative links start from, after redirects.
        aliases: further addresses under which the same page was asked for, such as the URLs that redirected to it.

    The tree is the one that ``parsel.Selector(text, type="html")`` builds, private to the page, and of plain lxml
    elements (those of lxml.html cost a look-up in Python for each that is touched).
    """

    def __init__(self, html: str | bytes, url: str, *, aliases: Iterable[str] = ()) -> None:
        self.url = url
        self.text: str = _decode(html, url) if isinstance(html, bytes) else html
        self.aliases: tuple[str, ...] = tuple(aliases)

    @classmethod
    def from_response(cls, response: Any) -> Self:
        """The page of a Scrapy text response, the URLs that redirected to it as aliases.

        Args:
            response: a ``scrapy.http.TextResponse``.

        Raises:
            TypeError: if the response has no text.
        """
        text = getattr(response, "text", None)
        if not isinstance(text, str):
            raise TypeError(f"{response!r} has no text: a page is made of a TextResponse or one of its subclasses")
        request = response.request
        asked = [*request.meta.get("redirect_urls", ()), request.url] if request is not None else []
        return cls(text, response.url, aliases=[url for url in dict.fromkeys(asked) if url != response.url])

    @classmethod
    def from_root(cls, root: Element, url: str) -> Self:
        """The page of an HTML tree that is there already, such as ``parsel.Selector(...).root``.

        Args:
            root: the root element. It is used as it is and must not change as long as the page is in use.
            url: as in the constructor.
        """
        page = cls(etree.tostring(root, encoding="unicode", method="html"), url)
        page.__dict__["root"] = root
        return page

    @cached_property
    def digest(self) -> bytes:
        """A hash of the source, 16 bytes: pages that bring the same source are the same page."""
        return hashlib.blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    @cached_property
    def is_document(self) -> bool:
        """Whether the source is a whole page: one with a doctype, ``<html`` or ``<body``; else it is a fragment."""
        return _IS_DOCUMENT.search(self.text) is not None

    @cached_property
    def root(self) -> Element:
        """The root element. Not to be changed."""
        # a lone surrogate, which some decoders leave, has no UTF-8 form and would stop the parser
        text = self.text.encode("utf-8", "replace").decode("utf-8") if not self.text.isascii() else self.text
        return create_root_node(text, etree.HTMLParser)

    @cached_property
    def body(self) -> Element:
        """The element that is node 0: ``body``, or the root element where there is none (frames)."""
        if self.root.tag == "body":
            return self.root
        body = self.root.find("body")
        return self.root if body is None else body

    @cached_property
    def outline(self) -> Outline:
        """The nodes as parallel lists."""
        return _OutlineBuilder(self.body).build()

    @cached_property
    def elements(self) -> Sequence[Element]:
        """All elements, comments and processing instructions from the body on, in document order."""
        return list(self.body.iter())

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes in node order."""
        return tuple(Node(self, position) for position in range(len(self)))

    @cached_property
    def links(self) -> Mapping[str, Node]:
        """Each canonical URL that an ``a`` of the page leads to over http(s), with the first node that does."""
        from templex_scrapy.links import link_positions  # noqa: PLC0415 - links are read off pages: it imports us

        return MappingProxyType({url: self.nodes[position] for url, position in link_positions(self).items()})

    @property
    def is_cut(self) -> bool:
        """Whether the source nests deeper than the parser is sure to keep, so that the tree may lack some of it."""
        return self.outline.depth >= MAX_DEPTH

    def features(self, position: int) -> Features:
        """What the similarity looks at in the node at a position."""
        return self.outline.features(position)

    def give_up_tree(self) -> Element:
        """The root element, for the caller to change; the page parses its source again when it needs a tree."""
        root = self.root
        self._forget("root", "body", "elements", "nodes", "links")
        return root

    def release(self) -> None:
        """Give up the tree and what was read off it; it weighs ten times the source, and comes back when asked for.

        Nodes that were handed out before stay usable, but are no longer those of :attr:`nodes`.
        """
        self._forget("root", "body", "outline", "elements", "nodes", "links")

    def _forget(self, *names: str) -> None:
        for name in names:
            vars(self).pop(name, None)

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.outline.labels)

    def __repr__(self) -> str:
        return f"<Page {self.url}>"
