"""The SVG that the pictures need: shapes with the colours of the page that they are in."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from lxml import etree

COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "ink": "var(--color-foreground-primary, #1f2328)",
        "muted": "var(--color-foreground-secondary, #5a6270)",
        "line": "var(--templex-line, #c9ced6)",
        "ground": "var(--color-background-primary, #ffffff)",
        "template": "var(--templex-template, #c2410c)",
        "tint": "var(--templex-tint, #fde3d3)",
        "own": "var(--templex-own, #0b6e63)",
    }
)
"""Names of colours; outside the documentation, where the page sets none, the second value counts."""

_SVG = "http://www.w3.org/2000/svg"


class Drawing:
    """A picture.

    Args:
        name: unique among the pictures.
        size: width and height in user units; a page scales it.
        title: what it is, for readers who cannot see it.
        description: what it shows, for the same readers.
    """

    def __init__(self, name: str, size: tuple[float, float], *, title: str, description: str) -> None:
        self._root = etree.Element(f"{{{_SVG}}}svg", nsmap={None: _SVG})
        self._root.set("viewBox", f"0 0 {_short(size[0])} {_short(size[1])}")
        self._root.set("role", "img")
        self._root.set("aria-labelledby", f"{name}-title {name}-description")
        self._root.set("font-family", "system-ui, sans-serif")
        self._root.set("font-size", "12")
        self._element("title", id=f"{name}-title").text = title
        self._element("desc", id=f"{name}-description").text = description

    def line(self, start: tuple[float, float], end: tuple[float, float], colour: str = "line", **more: object) -> None:
        """A straight line."""
        (x1, y1), (x2, y2) = start, end
        self._element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=COLOURS[colour], **more)

    def rectangle(
        self,
        corner: tuple[float, float],
        size: tuple[float, float],
        fill: str,
        stroke: str | None = None,
        **more: object,
    ) -> None:
        """A rectangle, by its upper left corner."""
        (x, y), (width, height) = corner, size
        border = {} if stroke is None else {"stroke": COLOURS[stroke]}
        self._element("rect", x=x, y=y, width=width, height=height, fill=COLOURS[fill], **border, **more)

    def circle(
        self, centre: tuple[float, float], radius: float, fill: str, stroke: str | None = None, **more: object
    ) -> None:
        """A circle."""
        border = {} if stroke is None else {"stroke": COLOURS[stroke]}
        self._element("circle", cx=centre[0], cy=centre[1], r=radius, fill=COLOURS[fill], **border, **more)

    def text(self, place: tuple[float, float], words: str, colour: str = "ink", **more: object) -> None:
        """A line of text; the place is where its base line begins, or what ``text_anchor`` says."""
        self._element("text", x=place[0], y=place[1], fill=COLOURS[colour], **more).text = words

    def as_svg(self) -> str:
        """The picture's source."""
        etree.indent(self._root)
        return etree.tostring(self._root, encoding="unicode") + "\n"

    def _element(self, tag: str, **attributes: object) -> etree._Element:
        element = etree.SubElement(self._root, f"{{{_SVG}}}{tag}")
        for name, value in attributes.items():
            element.set(name.replace("_", "-"), _short(value) if isinstance(value, (int, float)) else str(value))
        return element


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
