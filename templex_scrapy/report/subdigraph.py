"""The drawing of a complete subdigraph: its pages on a circle, the key page at the top, and all links as chords."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from templex_scrapy.report.texts import shown_url

if TYPE_CHECKING:
    from templex_scrapy.search import SubdigraphSearch

SIZE = 200.0
"""Width and height of the drawing."""

_RADIUS = 78.0
# radii of the dots: largest, and smallest with room for the label
_KEY_RADIUS = (17.0, 13.0)
_PAGE_RADIUS = (13.0, 9.0)
_GAP = 3.0


@dataclass(frozen=True, slots=True)
class Subdigraph:
    """The pages of a complete subdigraph, which all link to each other.

    Attributes:
        pages: their URLs, in the order in which they were added.
        back: for each whether it links to the key page, which links to all of them.
    """

    pages: tuple[str, ...]
    back: tuple[bool, ...]

    @classmethod
    def of(cls, search: SubdigraphSearch) -> Subdigraph:
        """Return what a search has found."""
        return cls(tuple(shown_url(page.url) for page in search.pages), search.links_back)


@dataclass(frozen=True, slots=True)
class Dot:
    """A page in the drawing: centre, radius, label and URL."""

    x: float
    y: float
    radius: float
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Line:
    """A link in the drawing; ``style`` is ``mutual``, ``key`` (mutual too) or ``out``."""

    x1: float
    y1: float
    x2: float
    y2: float
    style: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """Dots and lines; the first dot is the key page."""

    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]


def drawn(key_url: str, subdigraph: Subdigraph) -> Drawing:
    """Place the key page and at most some twenty pages on a circle.

    A key page in the centre would lie on links between other pages. On a circle no point lies between two others, and
    with up to eight pages no link touches another dot.
    """
    number = len(subdigraph.pages) + 1
    # the nearest link of others is that between the two neighbours
    room = _RADIUS * (1 - math.cos(2 * math.pi / number)) - _GAP - 1
    key_radius, page_radius = (min(largest, max(smallest, room)) for largest, smallest in (_KEY_RADIUS, _PAGE_RADIUS))
    key, *pages = [
        Dot(
            x=SIZE / 2 + _RADIUS * math.sin(2 * math.pi * place / number),
            y=SIZE / 2 - _RADIUS * math.cos(2 * math.pi * place / number),
            radius=page_radius if place else key_radius,
            label=str(place) if place else "key",
            url=url,
        )
        for place, url in enumerate((key_url, *subdigraph.pages))
    ]
    lines = [_line(one, other, "mutual") for index, one in enumerate(pages) for other in pages[:index]]
    lines += [_line(key, page, "key" if back else "out") for page, back in zip(pages, subdigraph.back, strict=True)]
    return Drawing((key, *pages), tuple(lines))


def _line(one: Dot, other: Dot, style: str) -> Line:
    distance = math.hypot(other.x - one.x, other.y - one.y)
    across, down = (other.x - one.x) / distance, (other.y - one.y) / distance
    start, end = one.radius + _GAP, distance - other.radius - _GAP
    return Line(one.x + across * start, one.y + down * start, one.x + across * end, one.y + down * end, style)
