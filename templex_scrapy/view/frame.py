"""The document in the frame of the view: the sanitised page with its nodes marked."""

from __future__ import annotations

import html
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from lxml import etree

from templex_scrapy.page import NodeArrays, nodes_of
from templex_scrapy.render import copy_document, writable
from templex_scrapy.template import Fate, Match
from templex_scrapy.view.sanitizer import DROPPED, allowed_tags, sanitize

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

TEXT_TAG = "templex-text"
"""The element around a text that is marked otherwise than the element it is in."""

_TEXT_ONLY = frozenset({"option", "textarea", "title"})  # an element in them would be shown as its source
_LAZY_SOURCES = ("data-src", "data-lazy-src", "data-original")  # scripts would copy them to "src"


def policy(base: str) -> str:
    """Return the content security policy of the frame: no script runs, and only style, fonts and pictures are loaded.

    A page from the web loads no file of this machine, and a saved page nothing from the network.

    Args:
        base: the URL that addresses in the page are relative to.
    """
    schemes = "file:" if base.startswith("file:") else "http: https:"
    return (
        f"default-src 'none'; style-src 'unsafe-inline' {schemes}; img-src data: {schemes}; font-src data: {schemes};"
        f" base-uri {schemes}; form-action 'none'"
    )


def frame(match: Match, fates: Sequence[Fate], *, base: str, rules: str) -> str:
    """Return the source of the document in the frame.

    Args:
        match: the page; its main menu and its main content are outlined.
        fates: what becomes of each node.
        base: the URL that addresses in the page are relative to.
        rules: the view's own CSS. It comes first, in a cascade layer, so that its important rules win. No page can name
            the layer, because its name is the digest of the page.
    """
    page = match.page
    body = copy_document(page).top
    root = body.getroottree().getroot()
    tags = allowed_tags({TEXT_TAG, *(nodes_of(page).start_tag(position).tag for position in range(len(page)))})
    sheets = "".join(_sheets(root))
    # before the sanitiser, which keeps "data-src" and loads nothing from it
    for image in root.iter("img"):
        source = next((lazy for name in _LAZY_SOURCES if (lazy := image.get(name))), None)
        if source is not None:
            image.set("src", source)
    _mark(match, fates, body, tags)
    # here as well: behind <plaintext>, the sanitiser reads all the rest of the page as text, as browsers do
    etree.strip_elements(body, *DROPPED, etree.Comment, etree.ProcessingInstruction, with_tail=False)
    inner = html.escape(body.text or "") + "".join(
        etree.tostring(child, encoding="unicode", method="html") for child in body
    )
    html_attributes = "" if root is body else _attributes(root)
    return (
        f'<!DOCTYPE html><html{html_attributes} data-templex-mode="marked"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(base)}">'
        f'<meta name="referrer" content="no-referrer"><base href="{html.escape(base)}">'
        f"<style>@layer templex-{page.digest.hex()} {{\n{rules}\n}}</style>{sheets}</head>"
        f"<body{_attributes(body)}>{sanitize(inner, tags)}</body></html>"
    )


def _attributes(element: Element) -> str:
    """Return the allowed attributes of the start tag of an element, which loses its content."""
    # classes of html and body, such as "dark" and "no-js", decide how all the rest looks
    for child in list(element):
        element.remove(child)
    element.tag, element.text, element.tail = "div", None, None
    written = sanitize(etree.tostring(element, encoding="unicode", method="html"), {"div"})
    return written.removeprefix("<div").removesuffix("></div>")


def _sheets(root: Element) -> Iterator[str]:
    for element in root.iter("style", "link"):
        # these apply only without scripts, or to copies, or to a picture
        if next(element.iterancestors("noscript", "template", "svg", "math"), None) is not None:
            continue
        media = html.escape(element.get("media") or "all")
        relations = (element.get("rel") or "").lower().split()
        if element.tag == "style" and (element.get("type") or "text/css").lower() == "text/css":
            # CSS reads <\/ as </, and the HTML parser finds no end tag
            source = "".join(element.itertext()).replace("</", r"<\/")
            yield f'<style media="{media}">{source}</style>'
        elif "stylesheet" in relations and "alternate" not in relations and element.get("disabled") is None:
            yield f'<link rel="stylesheet" href="{html.escape(element.get("href") or "")}" media="{media}">'


def _outlined_parts(match: Match) -> dict[int, str]:
    """Return position → name of the parts that are outlined."""
    parts, sizes, end = {}, nodes_of(match.page).sizes, 0
    # whole subtrees: an outline around each node of an article would be a drawing of boxes
    for position in sorted(match.content):
        if position >= end:
            parts[position] = "content"
            end = position + sizes[position]
    return parts if match.menu is None else {**parts, match.menu: "menu"}


def _mark(match: Match, fates: Sequence[Fate], body: Element, tags: Collection[str]) -> None:
    """Set the attributes ``data-templex…`` on the elements of the nodes, and wrap texts that need their own."""
    arrays, parts = nodes_of(match.page), _outlined_parts(match)
    elements = list(body.iter())
    # a page could mark an advertisement as its content
    for element in elements:
        for name in [name for name in element.attrib if str(name).lower().startswith("data-templex")]:
            del element.attrib[name]
    parents = _shown_parents(arrays, tags)
    # from last to first: elements that are still to be found by their index are not moved by a wrapped text
    for position in range(len(fates) - 1, -1, -1):
        fate, parent, index = fates[position], parents[position], arrays.slots[position]
        if arrays.texts[position] is None:
            marked: Element | None = elements[index]
        # "Price: <b>9</b>" in a removed block: the text is tinted with its block
        elif fate is Fate.KEPT or fate is not fates[parent]:
            marked = _wrap_text(elements[max(index, ~index)], is_tail=index < 0)
        else:
            marked = None
        if marked is None:
            continue
        marked.set("data-templex", str(position))
        marked.set("data-templex-fate", fate.value)
        if fate is Fate.REMOVED and (parent < 0 or fates[parent] is not Fate.REMOVED):
            marked.set("data-templex-root", "")
        if position in parts:
            marked.set("data-templex-part", parts[position])


def _shown_parents(arrays: NodeArrays, tags: Collection[str]) -> list[int]:
    """Return the parent of each node in a browser: the nearest ancestor that the sanitiser keeps, -1 for the root.

    libxml2 nests what follows in elements that are empty in browsers, such as ``embed`` and ``wbr``.
    """
    found: list[int] = []
    for parent in arrays.parents:
        tag = arrays.start_tag(parent).tag if parent > 0 else ""
        found.append(parent if not tag or (tag in tags and tag != "wbr") else found[parent])
    return found


def _wrap_text(element: Element, *, is_tail: bool) -> Element | None:
    """Put an element around a text of a tree; None where browsers allow no elements."""
    around = element.getparent() if is_tail else element
    if around is None or around.tag in _TEXT_ONLY or next(element.iterancestors("svg"), None) is not None:
        return None
    wrapper = etree.Element(TEXT_TAG)
    if is_tail:
        wrapper.text, element.tail = writable(element.tail or ""), None
        element.addnext(wrapper)
    else:
        wrapper.text, element.text = writable(element.text or ""), None
        element.insert(0, wrapper)
    return wrapper
