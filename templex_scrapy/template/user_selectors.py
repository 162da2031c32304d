"""Keep and remove the elements that the user's CSS selectors select, whatever other pages have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import TYPE_CHECKING

from cssselect.xpath import ExpressionError
from lxml.cssselect import CSSSelector

from templex_scrapy.page import NodeArrays, Page, body_of, elements_of, nodes_of, root_of

if TYPE_CHECKING:
    from lxml.etree import _Element


def _compiled(selectors: Iterable[str]) -> tuple[CSSSelector, ...]:
    listed = [selectors] if isinstance(selectors, str) else selectors
    compiled = tuple(CSSSelector(selector, translator="html") for selector in listed)
    for selector in compiled:
        # lxml has a prefix of its own, for ``:contains``
        if re.search(r"\w:[\w*]", re.sub(r"'[^']*'|\"[^\"]*\"|__lxml_internal_css:", "", str(selector.path))):
            raise ExpressionError(f"{selector.css} has a namespace prefix, and HTML has none")
    return compiled


@dataclass(frozen=True, slots=True)
class Selected:
    """The nodes that the selectors select on a page.

    Attributes:
        kept: flag 1 for the nodes that are kept; empty if nothing is selected.
        removed: flag 1 for the nodes that are removed; none of them is kept.
        matched: the selectors that select something.
    """

    kept: bytes | bytearray = b""
    removed: bytes | bytearray = b""
    matched: frozenset[str] = frozenset()


class Selectors:
    """CSS selectors, compiled once for all pages; tags and attributes match in any case, as in HTML.

    Args:
        preserve: selectors, or a single selector, of elements to keep, with their descendants and ancestors.
        remove: selectors, or a single selector, of elements to remove, with their descendants, unless they are kept.

    Raises:
        cssselect.SelectorError: if a selector is invalid, or cannot be applied to HTML.
    """

    def __init__(self, preserve: Iterable[str] = (), remove: Iterable[str] = ()) -> None:
        self.preserve = _compiled(preserve)
        self.remove = _compiled(remove)

    def select(self, page: Page) -> Selected:
        """Return the nodes that the selectors select.

        An element that is no node, such as a ``script``, is kept with the ancestors; the nodes beside it may be
        removed. It is not removed itself, and neither is the body.
        """
        to_remove = [(selector.css, selector(root_of(page))) for selector in self.remove]
        to_keep = [(selector.css, selector(root_of(page))) for selector in self.preserve]
        if not any(elements for _, elements in (*to_remove, *to_keep)):
            return Selected()
        arrays, nodes = nodes_of(page), _nodes(page)
        kept, removed = bytearray(len(page)), bytearray(len(page))
        matched = {css for css, elements in to_keep if elements}
        for css, elements in to_remove:
            positions = [position for element in elements if (position := nodes.get(element, 0)) > 0]
            matched |= {css} if positions else set()
            for position in positions:
                removed[position : position + arrays.sizes[position]] = b"\1" * arrays.sizes[position]
        # preserve comes last: it wins over remove
        for element in chain.from_iterable(elements for _, elements in to_keep):
            node = nodes.get(element)
            # PRESERVE = "script.data": it is no node, and the <div> around it must not be removed
            if node is None:
                node = next((nodes[above] for above in element.iterancestors() if above in nodes), 0)
                _keep(arrays, node, 1, kept, removed)
            else:
                _keep(arrays, node, arrays.sizes[node], kept, removed)
        return Selected(kept, removed, frozenset(matched))


NO_SELECTORS = Selectors()


def _nodes(page: Page) -> dict[_Element, int]:
    """Return the positions of the elements of a page, and 0 for what is around the body."""
    nodes = dict.fromkeys(body_of(page).iterancestors(), 0)
    for position, element_index in enumerate(nodes_of(page).slots):
        if nodes_of(page).texts[position] is None:
            nodes[elements_of(page)[element_index]] = position
    return nodes


def _keep(arrays: NodeArrays, position: int, size: int, kept: bytearray, removed: bytearray) -> None:
    """Keep the first nodes of a subtree, and the ancestors of the root."""
    kept[position : position + size] = b"\1" * size
    removed[position : position + size] = bytes(size)
    for ancestor in takewhile(lambda ancestor: not kept[ancestor], arrays.ancestors(position)):
        kept[ancestor], removed[ancestor] = 1, 0
