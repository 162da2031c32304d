"""Read of a page what the other rooms need: users have the small class ``Page``, and these functions may change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from templex_scrapy.page.node_values import NodeValues

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

    from templex_scrapy.page.head import Head
    from templex_scrapy.page.node_arrays import NodeArrays
    from templex_scrapy.page.page import Page
    from templex_scrapy.page.parse_cache import ParseCache


def nodes_of(page: Page) -> NodeArrays:
    """Return the nodes as parallel sequences, the form in which trees are compared."""
    return page._arrays


def values_of(page: Page) -> NodeValues:
    """Return the node values."""
    parsed = page._parsed
    if parsed.values is None:
        parsed.values = NodeValues(parsed.arrays, page.base_url, page.url)
    return parsed.values


def text_digest_of(page: Page) -> bytes:
    """Return a hash of the texts without their numbers, 16 bytes; of the source if there is no text."""
    # two galleries without a word are not copies of each other
    return page._arrays.text_digest or page.digest


def parse_cache_of(page: Page) -> ParseCache | None:
    """Return where what is read from the tree is looked up and stored, if anywhere."""
    return page._parse_cache


def elements_of(page: Page) -> Sequence[Element]:
    """Return all elements, comments and processing instructions from the body on, in document order."""
    return page._tree.elements


def head_of(page: Page) -> Head:
    """Return what a page declares."""
    return page._parsed.head


def root_of(page: Page) -> Element:
    """Return the root element, which stays in the program: what a user is given of it is never changed."""
    return page._tree.root


def body_of(page: Page) -> Element:
    """Return the element that is node 0: ``body``, or the root element where there is none (frames)."""
    return page._tree.body


def take_tree(page: Page) -> Element | None:
    """Return the body for the caller to change: the page parses the source again. None if a user has elements."""
    tree = page._tree
    if tree.is_lent:
        return None
    # what is read from it stays valid: positions are those of the source
    release_tree(page)
    return tree.body


def release(page: Page) -> None:
    """Drop the tree and everything read from it, ten times the size of the source; all is computed again on use.

    Nodes handed out before stay usable, but are no longer those of ``page.nodes``.
    """
    for name in ("_tree", "_parsed", "links", "nodes"):
        vars(page).pop(name, None)


def release_tree(page: Page) -> None:
    """Drop the tree, and keep what was read from it."""
    vars(page).pop("_tree", None)
