"""The document in the frame of the view: the page, made harmless, with its nodes marked."""

from __future__ import annotations

import copy
import html
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from lxml import etree

from templex_scrapy.page import NodeArrays, Page, subtree_sums
from templex_scrapy.template import Fate
from templex_scrapy.view.files import put_pictures
from templex_scrapy.view.harmless import make_element_harmless, make_harmless
from templex_scrapy.view.styles import harmless_sheet, sheet_address
from templex_scrapy.view.unnest import holders, writable

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'"
)
"""Content security policy of the frame: nothing runs, and nothing is loaded that is not in the file."""

MOSTLY = 0.8
"""Share of the words of main content that has to stay for it to be framed as a whole."""

SCRAP = 0.2
"""Share of the words of the largest part that a part has to have to be framed."""

TEXT_TAG = "templex-text"
"""Element around bare text whose fate is another than that of the element that it is in."""


@dataclass(frozen=True, kw_only=True)
class Marks:
    """What the view tells of the nodes of a page.

    Attributes:
        fates: of each node what becomes of it.
        menu: position of the root of the main menu, if there is one.
        content: positions of the main content nodes.
    """

    fates: Sequence[Fate]
    menu: int | None
    content: Collection[int]

    def parts(self, arrays: NodeArrays) -> dict[int, str]:
        """Root → name of the parts that are outlined."""
        roots = framed(arrays, self.fates, largest_subtrees(arrays, self.content))
        parts = dict.fromkeys(roots, "content")
        return parts if self.menu is None else {**parts, self.menu: "menu"}


def largest_subtrees(arrays: NodeArrays, positions: Collection[int]) -> Iterator[int]:
    """Roots of the subtrees that some positions, with each node all that it holds, are made of."""
    end = 0
    for position in sorted(positions):
        if position >= end:
            yield position
            end = position + arrays.sizes[position]


def framed(arrays: NodeArrays, fates: Sequence[Fate], roots: Iterable[int]) -> list[int]:
    """What is framed of subtrees that are main content: where much of one is taken out, the parts that hold what stays.

    A detector of main content looks at one page alone, and where that is a list of teasers, it may well take the
    page as a whole, header and all.

    Args:
        arrays: the page's nodes.
        fates: of each node what becomes of it.
        roots: roots of the subtrees, in document order.

    Returns:
        Roots, in document order.
    """
    counts = [0 if text is None else len(text.split()) for text in arrays.texts]
    said = subtree_sums(arrays, counts)
    kept = subtree_sums(
        arrays, (0 if fate is Fate.REMOVED else count for fate, count in zip(fates, counts, strict=True))
    )
    whole = list(roots)
    waiting, found = whole[::-1], []
    while waiting:
        root = waiting.pop()
        children = [child for child in arrays.children(root) if kept[child]]
        if kept[root] >= MOSTLY * said[root] or any(arrays.texts[child] is not None for child in children):
            found.append(root)
        else:
            waiting += children[::-1]
    most = max((kept[root] for root in found), default=0)
    return [root for root in found if kept[root] >= SCRAP * most] or whole


def frame(page: Page, marks: Marks, *, files: Mapping[str, str], rules: str) -> str:
    """The source of the document in the frame.

    Args:
        page: the page.
        marks: what is told of its nodes.
        files: what the page asks for and is at hand, as in :func:`templex_scrapy.view.view`.
        rules: the view's own style sheet. It comes first, in a cascade layer, so that its important rules win; no page
            can name that layer, for its name is the page's own digest.
    """
    root: Element = copy.deepcopy(page.root)
    body = root if page.body is page.root else cast("Element", root.find("body"))
    base = page.base_url
    sheets = [*_sheets(root, base, files)]
    put_pictures(root.iter("img", "image"), base, files)
    nodes = _nodes(page.arrays, body, marks.fates)
    make_harmless(body)
    for element in {root, body}:
        make_element_harmless(element)
    _mark(page.arrays, nodes, marks)
    body.tag, body.tail = "body", None
    attributes = "" if root is body else "".join(f' {name}="{html.escape(value)}"' for name, value in root.items())
    head = "".join(
        [
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="referrer" content="no-referrer">',
            f"<style>@layer templex-{page.digest.hex()} {{\n{rules}\n}}</style>",
            *sheets,
        ]
    )
    written = etree.tostring(body, encoding="unicode", method="html")
    return f'<!DOCTYPE html><html{attributes} data-templex-mode="marked"><head>{head}</head>{written}</html>'


def _sheets(root: Element, base: str, files: Mapping[str, str]) -> Iterator[str]:
    for element in root.iter("style", "link"):
        if next(element.iterancestors("noscript", "template", "svg", "math"), None) is not None:
            continue
        if element.tag == "style":
            source = "".join(element.itertext()) if (element.get("type") or "text/css").lower() == "text/css" else ""
        else:
            source = files.get(sheet_address(element, base) or "", "")
        sheet = harmless_sheet(source)
        if sheet.strip():
            yield f'<style media="{html.escape(element.get("media") or "all")}">{sheet}</style>'


def _nodes(arrays: NodeArrays, body: Element, fates: Sequence[Fate]) -> dict[int, Element]:
    """The elements of the nodes; texts that stand out get one of their own."""
    elements = list(body.iter())
    around = holders(arrays)
    nodes: dict[int, Element] = {}
    # from the last to the first: an element put around a text must not come between others and their places
    for position in range(len(arrays.texts) - 1, -1, -1):
        place = arrays.places[position]
        if arrays.texts[position] is None:
            nodes[position] = elements[place]
        elif fates[position] is Fate.KEPT or fates[position] is not fates[around[position]]:
            nodes.update(_wrapped(elements, position, place))
    return nodes


def _wrapped(elements: Sequence[Element], position: int, place: int) -> Iterable[tuple[int, Element]]:
    holder = elements[place if place >= 0 else ~place]
    if next(holder.iterancestors("svg"), None) is not None:
        return []
    wrap = etree.Element(TEXT_TAG)
    if place >= 0:
        wrap.text, holder.text = writable(holder.text or ""), None
        holder.insert(0, wrap)
    else:
        wrap.text, holder.tail = writable(holder.tail or ""), None
        holder.addnext(wrap)
    return [(position, wrap)]


def _mark(arrays: NodeArrays, nodes: Mapping[int, Element], marks: Marks) -> None:
    fates, parts, around = marks.fates, marks.parts(arrays), holders(arrays)
    for position, element in nodes.items():
        element.set("data-templex", str(position))
        element.set("data-templex-fate", fates[position].value)
        holder = around[position]
        if fates[position] is Fate.REMOVED and (holder < 0 or fates[holder] is not Fate.REMOVED):
            element.set("data-templex-root", "")
            element.set("tabindex", "0")
        if position in parts:
            element.set("data-templex-part", parts[position])
            element.set("tabindex", "0")
