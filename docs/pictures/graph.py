"""The complete subdigraph of the home page."""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pictures.drawing import Drawing
from pictures.search import Search, path_of, search

_ROWS = 13
_CENTRE = (550.0, 150.0)
_RADIUS = (132.0, 92.0)

_BOTH = "both ways: the subdigraph"
_STROKES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        _BOTH: {"colour": "template", "stroke_width": 3},
        "both ways": {"colour": "muted", "stroke_width": 1.4},
        "one way only": {"colour": "muted", "stroke_width": 1.4, "stroke_dasharray": "3 5"},
    }
)

Place = tuple[float, float]


def subdigraph() -> str:
    """The candidates of the home page in rank order, and which of the loaded pages link each other."""
    found = search("/")
    members = {page.url for page in found.state.pages}
    candidates, loaded = len(found.state.candidates), len(found.loaded)
    drawing = Drawing(
        "subdigraph",
        (760, 340),
        title="The complete subdigraph of the demo site's home page",
        description=f"{loaded} of {candidates} candidates were loaded; {len(members)} of them link each other.",
    )
    _list_candidates(drawing, found, members)
    _draw_graph(drawing, found, members)
    return drawing.as_svg()


def _list_candidates(drawing: Drawing, found: Search, members: set[str]) -> None:
    drawing.text((12, 24), "Candidates in rank order", "muted")
    for row, url in enumerate(found.state.candidates[:_ROWS]):
        page = found.loaded.get(url)
        is_member = page is not None and page.url in members
        colour = "template" if is_member else "muted" if page is None else "ink"
        redirected = "" if page is None or page.url == url else f" → {path_of(page.url)}"
        weight = "600" if is_member else "400"
        drawing.text((30, 48 + row * 20), str(row + 1), colour, text_anchor="end", font_weight=weight)
        drawing.text((40, 48 + row * 20), path_of(url) + redirected, colour, font_weight=weight)
    more = len(found.state.candidates) - _ROWS
    drawing.text((40, 48 + _ROWS * 20), f"and {more} more, none of them loaded", "muted", font_style="italic")


def _draw_graph(drawing: Drawing, found: Search, members: set[str]) -> None:
    pages = list(found.loaded.values())
    places = {page.url: _on_ring(number, len(pages)) for number, page in enumerate(pages)}
    # a page is linked under its own address and under those that redirect to it
    meant = {**{asked: page.url for asked, page in found.loaded.items()}, **{url: url for url in places}}
    links = {page.url: {meant[url] for url in page.links if url in meant} for page in pages}
    _draw_links(drawing, links, places, members)
    for number, page in enumerate(pages):
        x, y = places[page.url]
        is_member = page.url in members
        drawing.circle((x, y), 13, "template" if is_member else "ground", "template" if is_member else "muted")
        digit = "ground" if is_member else "ink"
        drawing.text((x, y + 4), str(number + 1), digit, text_anchor="middle", font_weight="600")
        label = y - 20 if y < _CENTRE[1] + 1 else y + 29
        drawing.text((x, label), path_of(page.url), text_anchor="middle")


def _on_ring(number: int, of: int) -> Place:
    angle = math.tau * number / of - math.pi / 2
    return _CENTRE[0] + _RADIUS[0] * math.cos(angle), _CENTRE[1] + _RADIUS[1] * math.sin(angle)


def _draw_links(
    drawing: Drawing, links: Mapping[str, set[str]], places: Mapping[str, Place], members: set[str]
) -> None:
    kinds = {
        (here, there): "one way only"
        if here not in links[there]
        else _BOTH
        if {here, there} <= members
        else "both ways"
        for here in links
        for there in sorted(links[here] - {here})
        if here < there or here not in links[there]
    }
    for (here, there), kind in kinds.items():
        drawing.line(places[here], places[there], **_STROKES[kind])
    for number, kind in enumerate(kind for kind in _STROKES if kind in kinds.values()):
        x = 400 + 190 * number
        drawing.line((x, 326), (x + 18, 326), **_STROKES[kind])
        drawing.text((x + 23, 330), kind, "muted", font_size=11)
