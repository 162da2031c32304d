"""Web pages as trees of nodes in node order (thesis, Definitions 4.1.1 to 4.1.5).

A page is the tree below ``body``. The nodes are the elements and the text nodes that are not blank, numbered in
document order from 0 at ``body``; ``script``, ``style``, ``iframe``, ``noscript``, ``template``, comments and
processing instructions are left out with their content. All results of this package are sets of these numbers.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urljoin

from parsel import Selector

from templex_scrapy.page.addresses import base_url, find_links
from templex_scrapy.page.cached_properties import cached_property
from templex_scrapy.page.decoding import decode
from templex_scrapy.page.head import Head
from templex_scrapy.page.node_arrays import NodeArrays
from templex_scrapy.page.parse_cache import ParseCache, ParsedPage
from templex_scrapy.page.parsing import parse, repaired
from templex_scrapy.page.reader import read_nodes
from templex_scrapy.page.start_tags import TEXT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.etree import _Element as Element
    from parsel import SelectorList

MAX_DEPTH = 2000
"""Levels that libxml2 is sure to keep; it drops what is deeper than about 2,040."""

_IS_DOCUMENT = re.compile(r"<(?:!doctype|html|body)[\s>/]", re.IGNORECASE)


class Node:
    """An element or a non-blank text node of a page.

    Attributes:
        position: the index in ``page.nodes``.
        tag: the element's tag in lower case, or ``"#text"``.
        text: the text, not stripped; None for elements.
    """

    __slots__ = ("page", "position", "tag", "text")

    def __init__(self, page: Page, position: int) -> None:
        self.page = page
        self.position = position
        arrays = page._arrays
        self.text: str | None = arrays.texts[position]
        self.tag: str = TEXT if self.text is not None else arrays.start_tag(position).tag

    @property
    def element(self) -> Element:
        """The lxml element, or the one that contains the text. Not to be changed."""
        arrays = self.page._arrays
        self.page._tree.is_lent = True
        owner = self.position if self.text is None else arrays.parents[self.position]
        return self.page._tree.elements[arrays.slots[owner]]

    @property
    def parent(self) -> Node | None:
        """The parent; None for node 0."""
        parent = self.page._arrays.parents[self.position]
        return None if parent < 0 else self.page.nodes[parent]

    @property
    def children(self) -> tuple[Node, ...]:
        """The child nodes in document order."""
        nodes = self.page.nodes
        return tuple(nodes[child] for child in self.page._arrays.children(self.position))

    def __repr__(self) -> str:
        what = self.tag if self.text is None else repr(self.text.strip()[:40])
        return f"<Node {self.position} {what}>"


class _Tree:
    """The tree of a source: the root element, and ``body``, or the root element where there is none (frames).

    Attributes:
        is_lent: whether a user has elements of it, which must stay as they are.
    """

    def __init__(self, text: str) -> None:
        self.is_lent = False
        self.root, self.body = parse(text)

    @cached_property
    def elements(self) -> Sequence[Element]:
        """All elements, comments and processing instructions from the body on, in document order."""
        return list(self.body.iter())


class Page:
    """A web page: source and address and, computed when first used, the tree, nodes, links and node values.

    Args:
        html: the source. Bytes are decoded by :func:`~templex_scrapy.page.decoding.decode`. Any string is a page.
        url: the address that relative links start from, after redirects.
        aliases: other addresses of the same page, such as the URLs that redirected to it.
        parse_cache: a cache for the results of parsing, shared by pages.

    The tree is the one that ``parsel.Selector(text, type="html")`` builds, made of plain lxml elements, which are
    faster than those of lxml.html. Only where text follows ``</body>`` or ``</html>``, which parsel would lose, it is
    built without these tags.
    """

    def __init__(
        self, html: str | bytes, url: str, *, aliases: Iterable[str] = (), parse_cache: ParseCache | None = None
    ) -> None:
        self.url = url
        self.text: str = decode(html) if isinstance(html, bytes) else html
        self.aliases: tuple[str, ...] = tuple(aliases)
        self._parse_cache = parse_cache

    @classmethod
    def from_response(cls, response: Any, *, parse_cache: ParseCache | None = None) -> Self:
        """Make a page of a ``scrapy.http.TextResponse``, with the URLs that redirected to it as aliases.

        Raises:
            TypeError: if the response has no text.
        """
        text = getattr(response, "text", None)
        if not isinstance(text, str):
            raise TypeError(f"{response!r} has no text: a page is made of a TextResponse or one of its subclasses")
        request = response.request
        # /old redirects to /new: links to either lead to this page
        asked = [*request.meta.get("redirect_urls", ()), request.url] if request is not None else []
        aliases = [url for url in dict.fromkeys(asked) if url != response.url]
        return cls(text, response.url, aliases=aliases, parse_cache=parse_cache)

    @cached_property
    def digest(self) -> bytes:
        """A hash of the source, 16 bytes: pages with the same source are the same page."""
        # SHA-256 is faster only where the processor has instructions for it; and stored templates have these digests
        return hashlib.blake2b(self.text.encode("utf-8", "surrogatepass"), digest_size=16).digest()

    @cached_property
    def is_document(self) -> bool:
        """Whether the source has a doctype, ``<html`` or ``<body``; otherwise it is a fragment."""
        return _IS_DOCUMENT.search(self.text) is not None

    @cached_property
    def _tree(self) -> _Tree:
        return _Tree(self.text)

    @property
    def root(self) -> Element:
        """The root element. Not to be changed."""
        self._tree.is_lent = True
        return self._tree.root

    @cached_property
    def _parsed(self) -> ParsedPage:
        """What is read from the tree; taken from the parse cache where it is known there."""
        cache = self._parse_cache
        parsed = None if cache is None else cache.get(self.url, self.digest)
        if parsed is None:
            parsed = ParsedPage(read_nodes(self._tree.body), Head(self._tree.root))
            if cache is not None:
                cache.put(self.url, self.digest, parsed)
        return parsed

    @property
    def _arrays(self) -> NodeArrays:
        """The nodes as parallel lists."""
        return self._parsed.arrays

    @property
    def base_url(self) -> str:
        """The address that relative links start from: that of the first ``base[href]``, or the page's own."""
        return base_url(self.url, self._parsed.head.base_href)

    @property
    def title(self) -> str:
        """The first 1,000 characters of the ``title``, with one blank between words; empty without a title."""
        return self._parsed.head.title

    @cached_property
    def selector(self) -> Selector:
        """A parsel selector with a tree of its own: changes to this tree change nothing else of the page."""
        return Selector(repaired(self.text), type="html", base_url=self.base_url)

    def css(self, query: str) -> SelectorList[Selector]:
        """Select with CSS, as ``response.css``."""
        return self.selector.css(query)

    def xpath(self, query: str, **variables: Any) -> SelectorList[Selector]:
        """Select with XPath, as ``response.xpath``."""
        return self.selector.xpath(query, **variables)

    def urljoin(self, url: str) -> str:
        """Make a relative URL of the page absolute, as ``response.urljoin``."""
        return urljoin(self.base_url, url)

    @cached_property
    def links(self) -> Mapping[str, int]:
        """Each canonical URL that an ``a`` leads to over http(s), with the position of the first such node."""
        return find_links(self._arrays, self.base_url)

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes in node order."""
        return tuple(Node(self, position) for position in range(len(self)))

    @property
    def is_cut(self) -> bool:
        """Whether the source nests so deeply that the tree may lack a part of it."""
        return self._arrays.depth >= MAX_DEPTH

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self._arrays.tag_strings)

    def __repr__(self) -> str:
        return f"<Page {self.url}>"


def distinct(pages: Iterable[Page]) -> list[Page]:
    """Return the pages without copies of an earlier one: pages with the same source are one page."""
    by_digest: dict[bytes, Page] = {}
    for page in pages:
        by_digest.setdefault(page.digest, page)
    return list(by_digest.values())
