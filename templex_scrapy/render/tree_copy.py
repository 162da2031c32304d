"""Copies of a page's tree, from which nodes are removed; the texts around them are kept."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from templex_scrapy.page import (
    NodeArrays,
    Page,
    body_of,
    elements_of,
    nodes_of,
    root_of,
    take_tree,
)
from templex_scrapy.render.word_spacing import insert_spaces
from templex_scrapy.render.writable import writable

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


class TreeCopy:
    """A tree that may be changed. Nodes are named by their positions in the page.

    Args:
        page: the page.
        top: the body, or the element at the position of the part.
        part: position of the part; 0 for the body.
    """

    def __init__(self, page: Page, top: Element, part: int = 0) -> None:
        self.top = top
        self._arrays = nodes_of(page)
        self._part = part

    def remove(self, positions: Iterable[int]) -> None:
        """Remove nodes with their subtrees; the texts behind them are kept, and words do not run together."""
        slots, texts, ordered = self._arrays.slots, self._arrays.texts, sorted(positions)
        owners = self.elements({max(slots[position], ~slots[position]) for position in ordered})
        roots: list[Element] = []
        removed_texts: list[tuple[Element, str]] = []
        for position in ordered:
            slot = slots[position]
            if texts[position] is None:
                roots.append(owners[slot])
            else:
                # the tail of a removed element joins the text before it, so removed texts must be gone by then
                owner, name = (owners[slot], "text") if slot >= 0 else (owners[~slot], "tail")
                setattr(owner, name, None)
                removed_texts.append((owner, name))
        insert_spaces(removed_texts, roots)
        remove(roots)

    def elements(self, slots: Iterable[int]) -> dict[int, Element]:
        """Return the elements at some slots; a list of all elements would have tens of thousands."""
        elements = self.top.iter()
        found, passed = {}, self._arrays.slots[self._part]
        for slot in sorted(slots):
            found[slot] = next(islice(elements, slot - passed, None))
            passed = slot + 1
        return found


def copy_part(page: Page, part: int = 0) -> TreeCopy:
    """Return a copy of the body, or of the part at a position."""
    top = elements_of(page)[nodes_of(page).slots[part]] if part else body_of(page)
    return TreeCopy(page, copy.deepcopy(top), part)


def copy_document(page: Page) -> TreeCopy:
    """Return a copy of the whole document."""
    root = root_of(page)
    copied: Element = copy.deepcopy(root.getroottree()).getroot()
    behind = list(copied.itersiblings())
    if [comment.text for comment in behind] != [comment.text for comment in root.itersiblings()]:
        for comment in behind:  # lxml copies comments behind the root in reverse order
            copied.addnext(comment)
    body = copied if body_of(page) is root else copied.find("body")
    return TreeCopy(page, copied if body is None else body)


def own_document(page: Page) -> TreeCopy:
    """Return the page's own document, to be changed; a copy if a user holds elements of the page."""
    body = take_tree(page)
    return copy_document(page) if body is None else TreeCopy(page, body)


def reads_noscript(page: Page) -> bool:
    """Return whether ``noscript`` elements are nodes, because the page has few words outside of them."""
    return bool(nodes_of(page).computed(_reads_noscript))


def _reads_noscript(arrays: NodeArrays) -> bool:
    return any(tag_string.startswith("<noscript") for tag_string in arrays.distinct)


class Removed(NamedTuple):
    """Parts of a tree that are left out: elements, the ``text`` of some elements, and the ``tail`` of others."""

    elements: set[Element]
    texts: set[Element]
    tails: set[Element]

    @classmethod
    def of(cls, page: Page, positions: Iterable[int]) -> Removed:
        """Return the parts at some positions of a page."""
        arrays, elements, removed = nodes_of(page), elements_of(page), cls(set(), set(), set())
        for position in positions:
            slot = arrays.slots[position]
            if arrays.texts[position] is None:
                removed.elements.add(elements[slot])
            elif slot >= 0:
                removed.texts.add(elements[slot])
            else:
                removed.tails.add(elements[~slot])
        return removed

    def left_in(self, element: Element) -> Iterator[Element]:
        """Yield the elements in an element that are left."""
        return (child for child in element if isinstance(child.tag, str) and child not in self.elements)

    def own_texts(self, element: Element) -> Iterator[str]:
        """Yield the texts between the elements in an element that are left."""
        if element.text and element not in self.texts:
            yield element.text
        yield from (child.tail for child in element if child.tail and child not in self.tails)


def remove(elements: Iterable[Element]) -> None:
    """Remove elements with their subtrees; the texts behind them are kept, with a space between. A root is kept.

    O(number of elements + length of the texts): the text before a row of elements is written once.

    Args:
        elements: in document order.
    """
    # word<br>word<br>word, 10,000 times: a text that grows with each <br> removed takes time in its square
    gap: tuple[Element, Element | None] | None = None
    behind: list[str] = []
    for element in elements:
        parent = element.getparent()
        if parent is None:
            continue
        if element.tail:
            here = parent, element.getprevious()
            if here != gap:
                _close(gap, behind)
                gap, behind = here, []
            behind.append(element.tail)
        parent.remove(element)
    _close(gap, behind)


def _close(gap: tuple[Element, Element | None] | None, behind: list[str]) -> None:
    """Write texts into a gap in a parent, behind one of its children or at its start."""
    if gap is None:
        return
    parent, before = gap
    if before is None:
        parent.text = _joined(parent.text, behind)
    else:
        before.tail = _joined(before.tail, behind)


def _joined(before: str | None, behind: list[str]) -> str:
    pieces = [before or ""]
    for text in behind:
        if pieces[-1] and not pieces[-1][-1].isspace() and not text[0].isspace():
            pieces.append(" ")
        pieces.append(text)
    return writable("".join(pieces))
