"""The nodes of a page, word for word: a walk over the parsed tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

LEFT_OUT = {"script", "style", "iframe", "noscript", "template"}


@dataclass
class PlainNode:
    """What the contract says of a node; ``parent`` is a position, -1 for node 0."""

    tag: str
    text: str | None
    element: Element
    parent: int


def add_text(nodes: list[PlainNode], text: str | None, element: Element, parent: int) -> None:
    """Add a text node unless the text is blank."""
    if text is not None and text.strip():
        nodes.append(PlainNode("#text", text, element, parent))


def add_element(nodes: list[PlainNode], element: Element, parent: int) -> None:
    """Add an element and what is in it, in document order."""
    position = len(nodes)
    nodes.append(PlainNode(str(element.tag).lower(), None, element, parent))
    add_text(nodes, element.text, element, position)
    for child in element:
        # A comment or processing instruction has a function as its tag; it goes, the text after it stays.
        if isinstance(child.tag, str) and child.tag not in LEFT_OUT:
            add_element(nodes, child, position)
        add_text(nodes, child.tail, element, position)


def nodes_below(body: Element) -> list[PlainNode]:
    """Return the nodes in node order, ``body`` first."""
    nodes: list[PlainNode] = []
    add_element(nodes, body, -1)
    return nodes
