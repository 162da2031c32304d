"""A complete subdigraph as the report draws it: the key page in the middle, its pages on a ring, and their links."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from templex_scrapy.links import canonical, link_positions
from templex_scrapy.page import Page
from templex_scrapy.report.excerpt import address

SIZE = 200.0
"""Length of the sides of the drawing, in units of its own."""

_RADIUS = 74.0
_KEY_RADIUS = 17.0
_PAGE_RADIUS = 13.0
_GAP = 3.0


@dataclass(frozen=True, slots=True)
class Subdigraph:
    """The pages of a complete subdigraph: all link each other.

    Attributes:
        pages: their addresses, in the order in which they were added.
        back: of each whether it links to the key page; the key page links to all of them.
    """

    pages: tuple[str, ...]
    back: tuple[bool, ...]

    @classmethod
    def of(cls, key: Page, pages: Sequence[Page]) -> Subdigraph:
        """The subdigraph that a search has found; reads the pages' links."""
        targets = {canonical(url) or url for url in (key.url, *key.aliases)}
        return cls(
            tuple(address(page.url) for page in pages),
            tuple(not targets.isdisjoint(link_positions(page)) for page in pages),
        )


@dataclass(frozen=True, slots=True)
class Dot:
    """A page in the drawing: its centre, its radius, what stands in it, and its address."""

    x: float
    y: float
    radius: float
    label: str
    url: str


@dataclass(frozen=True, slots=True)
class Line:
    """A link in the drawing, from border to border; ``kind`` is ``mutual``, ``key`` (mutual too) or ``out``."""

    x1: float
    y1: float
    x2: float
    y2: float
    kind: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """Dots and lines, lines first to be drawn."""

    dots: tuple[Dot, ...]
    lines: tuple[Line, ...]


def drawn(key_url: str, subdigraph: Subdigraph) -> Drawing:
    """Place the pages on a ring; at most some twenty pages, since a search looks for no more."""
    centre = Dot(SIZE / 2, SIZE / 2, _KEY_RADIUS, "key", key_url)
    number = len(subdigraph.pages)
    ring = []
    for index, url in enumerate(subdigraph.pages):
        angle = 2 * math.pi * index / number - math.pi / 2
        x, y = (SIZE / 2 + _RADIUS * turn for turn in (math.cos(angle), math.sin(angle)))
        ring.append(Dot(x, y, _PAGE_RADIUS if number <= 10 else _PAGE_RADIUS * 0.75, str(index + 1), url))
    lines = [_line(one, other, "mutual") for index, one in enumerate(ring) for other in ring[:index]]
    lines += [_line(centre, dot, "key" if back else "out") for dot, back in zip(ring, subdigraph.back, strict=True)]
    return Drawing((centre, *ring), tuple(lines))


def _line(one: Dot, other: Dot, kind: str) -> Line:
    distance = math.hypot(other.x - one.x, other.y - one.y)
    across, down = (other.x - one.x) / distance, (other.y - one.y) / distance
    start, end = one.radius + _GAP, distance - other.radius - _GAP
    return Line(one.x + across * start, one.y + down * start, one.x + across * end, one.y + down * end, kind)
