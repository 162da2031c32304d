"""Figures of matplotlib as SVG that stands inside an HTML page: themed by the page, accessible, and always the same."""

from __future__ import annotations

import re
from collections.abc import Container
from io import BytesIO
from typing import Any

import matplotlib as mpl
from lxml import etree
from matplotlib.figure import Figure

INK, MUTED, GRID = "#010101", "#020202", "#030303"
"""Placeholders for the colours of text, of secondary text and of lines in the background."""

SERIES = tuple(f"#0{number}0a0{number}" for number in range(8))
"""Placeholders for the colours of the series."""

_SVG = "{http://www.w3.org/2000/svg}"
_XLINK = "{http://www.w3.org/1999/xlink}href"
_VARIABLES = {INK: "--ink", MUTED: "--muted", GRID: "--line"} | {
    colour: f"--series-{number}" for number, colour in enumerate(SERIES)
}
_REFERENCE = re.compile(r"[\"(]#([^\")]+)")
_FONTS = re.compile(r"'DejaVu Sans'(, sans-serif)?")
_COLOURS = re.compile("|".join(_VARIABLES), re.IGNORECASE)

STYLE: Any = {
    "svg.hashsalt": "templex",
    "svg.fonttype": "none",
    # Names are data: a dollar sign starts no formula.
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 8.5,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
}
"""Settings for ``matplotlib.rc_context`` under which figures are to be made."""


def inline(figure: Figure, name: str, title: str, description: str) -> str:
    """A figure as an ``svg`` element.

    Args:
        figure: made under ``STYLE``.
        name: unique in the page; it keeps the ids of this figure apart from those of others.
        title: short name for readers who cannot see it.
        description: what it shows, for the same readers.
    """
    buffer = BytesIO()
    with mpl.rc_context(STYLE):
        figure.savefig(buffer, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None})
    root = etree.fromstring(buffer.getvalue(), etree.XMLParser(resolve_entities=False, load_dtd=False, no_network=True))
    for element in list(root.iter(f"{_SVG}metadata", f"{_SVG}style")):
        if (parent := element.getparent()) is not None:
            parent.remove(element)
    references = set(_REFERENCE.findall(etree.tostring(root, encoding="unicode")))
    for element in root.iter():
        _own_ids(element, name, references)
        _themed(element)
    _hoist_styles(root)
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    # In a page, matplotlib's own style sheet would hold for everything.
    root.set("style", "stroke-linejoin: round; stroke-linecap: butt")
    root.set("role", "img")
    root.set("aria-labelledby", f"{name}-title {name}-description")
    for position, (tag, content) in enumerate((("title", title), ("desc", description))):
        element = etree.Element(f"{_SVG}{tag}", id=f"{name}-{'title' if tag == 'title' else 'description'}")
        element.text = content
        root.insert(position, element)
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="unicode")


def _own_ids(element: etree._Element, name: str, references: Container[str]) -> None:
    """Ids that are referred to, and the references, get the figure's name in front; other ids go."""
    identifier = element.attrib.pop("id", None)
    if identifier in references:
        element.set("id", f"{name}-{identifier}")
    if _XLINK in element.attrib:
        element.set("href", element.attrib.pop(_XLINK).replace("#", f"#{name}-", 1))
    if "clip-path" in element.attrib:
        element.set("clip-path", element.attrib["clip-path"].replace("url(#", f"url(#{name}-", 1))


def _hoist_styles(root: etree._Element) -> None:
    """Points of one kind get their style from their group, their places fewer digits: hundreds of them are large."""
    for group in root.iter(f"{_SVG}g"):
        points = group.findall(f"{_SVG}use")
        styles = {point.get("style") for point in points}
        if len(points) < 2 or len(styles) > 1 or None in styles or len(group) > len(points) + 1:
            continue
        group.set("style", str(styles.pop()))
        for point in points:
            del point.attrib["style"]
            for axis in ("x", "y"):
                point.set(axis, f"{float(point.attrib[axis]):.1f}")


def _themed(element: etree._Element) -> None:
    """Placeholders become the page's variables, the font the page's."""
    style = element.attrib.get("style")
    if style is None:
        return
    style = _COLOURS.sub(lambda match: f"var({_VARIABLES[match[0].lower()]})", style)
    element.set("style", _FONTS.sub("system-ui, sans-serif", style))
