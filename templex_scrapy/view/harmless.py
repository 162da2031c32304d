"""A page's tree without what could run, load, lead anywhere or send anything.

What may stay is listed; all else goes. The list is of attributes rather than of elements, because what an unknown
element does is nothing, and style sheets of today are full of names of the page's own. A list of elements is kept for
those that load, that run, or that browsers parse by rules of their own: what libxml2 and they read differently must not
become markup.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from templex_scrapy.view.styles import LOST, harmless_declarations
from templex_scrapy.view.unnest import UNNESTED, unnest, writable

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

NOWHERE = "about:srcdoc#templex-nowhere"
"""Where links lead: to the frame they are in, so that they look like links and change nothing."""

DROPPED = frozenset(
    """
    annotation-xml base fencedframe frame frameset iframe link math meta noembed noframes noscript param plaintext
    portal script style template title xmp
    """.split()
)
"""Elements that go, with all they hold."""

LEFT = UNNESTED - {"image", "wbr"}
"""Elements that go, and leave what they hold in the tree."""

_SVG_TAGS = frozenset(
    """
    svg g path circle ellipse line polyline polygon rect text tspan defs use symbol lineargradient radialgradient stop
    clippath mask pattern
    """.split()
)
_ATTRIBUTES = frozenset(
    """
    align alt bgcolor border cellpadding cellspacing checked class clear color cols colspan compact dir disabled face
    height hidden hspace id label lang max min multiple noshade nowrap open placeholder readonly reversed role rows
    rowspan rules scope selected size span start style text type valign value vspace width
    """.split()
)
_SVG_ATTRIBUTES = frozenset(
    """
    clip-path clip-rule cx cy d dx dy fill fill-opacity fill-rule font-family font-size font-weight fx fy
    gradienttransform gradientunits mask offset opacity pathlength points preserveaspectratio r rx ry spreadmethod
    stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit
    stroke-opacity stroke-width text-anchor transform viewbox x x1 x2 y y1 y2
    """.split()
)
_FAMILIES = ("aria-", "data-")
_OURS = "data-templex"
_NAME = re.compile(r"[a-z][a-z0-9:_.-]*", re.ASCII)
_IMAGE = re.compile(r"\s*data:image/(?:png|jpe?g|gif|webp|avif|svg\+xml)[;,]", re.ASCII | re.IGNORECASE)
_DIGITS = re.compile(r"[0-9]{1,6}")
_SIZE = (48, 36)
_LARGEST = 4_000
_PAINT = re.compile(r"[^(]*|url\(#[\w:.-]+\)[^(]*|(?:rgb|hsl)a?\([^()]*\)", re.ASCII)
_REFERENCE = re.compile(r"#[\w:.-]+")
# elements whose attribute ``background`` names a picture
_WITH_GROUND = frozenset({"body", "table", "thead", "tbody", "tfoot", "tr", "td", "th"})
_TEXT_ONLY = frozenset({"textarea", "option"})
# elements that take the focus of the keyboard by themselves
_FOCUSED = frozenset({"a", "area", "button", "input", "select", "textarea", "summary", "audio", "video", "details"})


def make_harmless(body: Element) -> None:
    """Take out of a tree, in place, what it must not have; the text behind what goes stays.

    Style sheets go too: within a body, browsers and libxml2 do not always agree on where one ends.

    Args:
        body: the root of the tree; it stays, whatever it is.
    """
    for element in list(body.iter()):
        if not isinstance(element.tag, str) or (_is_dropped(element) and element is not body):
            take_out(element)
            continue
        if element.tag in UNNESTED:
            unnest(element)
        if element.tag in LEFT and element is not body:
            take_out(element)
        else:
            make_element_harmless(element)


def _is_dropped(element: Element) -> bool:
    tag = element.tag
    if tag in DROPPED:
        return True
    return tag not in _SVG_TAGS and tag != "svg" and next(element.iterancestors("svg"), None) is not None


def take_out(element: Element) -> None:
    """Remove an element and what it holds from its tree; the text behind it stays."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        tail = writable(element.tail)
        if before is None:
            parent.text = writable(parent.text or "") + tail
        else:
            before.tail = writable(before.tail or "") + tail
    parent.remove(element)


def make_element_harmless(element: Element) -> None:
    """Take out of one element the attributes that it must not have."""
    tag = str(element.tag)
    if tag == "image":
        element.tag = tag = "img"
    elif _NAME.fullmatch(tag) is None:
        element.tag = "templex-unknown"
    if tag in _TEXT_ONLY and len(element):
        # browsers see no elements in here, and would show their source
        text = writable("".join(element.itertext()))
        for child in list(element):
            element.remove(child)
        element.text = text
    kept = {name: value for name, value in element.items() if _stays(tag, name, value)}
    links = tag in {"a", "area"} and element.get("href") is not None
    if tag in _WITH_GROUND and element.get("background"):
        kept["background"] = LOST
    element.attrib.clear()
    for name, value in kept.items():
        element.set(name, writable(harmless_declarations(value) if name == "style" else value))
    if tag == "img" and "src" not in kept:
        element.set("src", picture(kept))
    if links:
        element.set("href", NOWHERE)
    if tag in _FOCUSED:
        # the tab key goes from part to part of the template, not from link to link
        element.set("tabindex", "-1")


def picture(attributes: Mapping[str, str]) -> str:
    """A picture to stand for one that is not at hand, as a ``data:`` URL: as large, with its alternative text.

    Args:
        attributes: those of the ``img`` element.
    """
    width, height = (_pixels(attributes.get(name)) for name in ("width", "height"))
    width, height = width or height or _SIZE[0], height or width or _SIZE[1]
    letter = min(height * 0.4, 14)
    text = writable(" ".join((attributes.get("alt") or "").split()))[: int(width / letter * 1.7)]
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<rect width="100%" height="100%" fill="#888" fill-opacity=".22"/>'
        f'<text x="50%" y="50%" dy=".35em" text-anchor="middle" font-family="sans-serif" font-size="{letter:.1f}" '
        f'fill="#777">{html.escape(text)}</text></svg>'
    )
    return f"data:image/svg+xml,{quote(drawn)}"


def _pixels(written: str | None) -> int:
    return min(int(written), _LARGEST) if written is not None and _DIGITS.fullmatch(written) else 0


def _stays(tag: str, name: str, value: str) -> bool:
    """Whether an attribute stays; ``name`` is in lower case, as libxml2 writes it."""
    if _NAME.fullmatch(name) is None or name.startswith(_OURS):
        return False
    if name in _ATTRIBUTES or name.startswith(_FAMILIES):
        return True
    if name == "src":
        return tag == "img" and _IMAGE.match(value) is not None
    if name in {"href", "xlink:href"}:
        return tag == "use" and _REFERENCE.fullmatch(value) is not None
    if tag in _SVG_TAGS and name in _SVG_ATTRIBUTES:
        return name in {"transform", "gradienttransform"} or _PAINT.fullmatch(value) is not None
    return False
