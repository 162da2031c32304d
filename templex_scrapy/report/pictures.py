"""What the pictures of the report are drawn from: running totals of a crawl, and points for the SVG of its template."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from templex_scrapy.figures import percent

WIDTH, HEIGHT = 100, 40  # the coordinates of a chart, which the style sheet stretches to the width of the window
MAX_LINES = 6  # of a chart: more colours cannot be told apart
MAX_POINTS = 120  # of a curve: a chart is some 500 pixels wide, so that further ones would not be seen
SIZE, DOT = 200.0, 10.0  # width and height of the drawing of a subdigraph, and the radius of a page in it

Points = Sequence[tuple[float, float]]
"""Times in seconds and values."""


class Curve:
    """Totals over time, for a crawl of any length: where there are too many points, each second one is dropped.

    Attributes:
        points: seconds since the start, each with the totals until then; the last one is up to date.
    """

    def __init__(self, columns: int) -> None:
        self.points: list[tuple[float, tuple[float, ...]]] = [(0.0, (0.0,) * columns)]
        self._gap = 0.125

    def add(self, at: float, *values: float) -> None:
        """Add a value to each total, so many seconds after the start."""
        # totals, and not values: points can be left out and the others stay right
        totals = tuple(map(sum, zip(self.points[-1][1], values, strict=True)))
        if len(self.points) > 1 and at - self.points[-2][0] < self._gap:
            self.points.pop()
        self.points.append((at, totals))
        if len(self.points) > MAX_POINTS:
            del self.points[1:-1:2]
            self._gap *= 2


@dataclass(frozen=True, slots=True)
class Chart:
    """A line chart over the time of the crawl.

    Attributes:
        title: what it shows.
        low: the value at the bottom.
        high: the value at the top.
        lines: name → points as SVG writes them.
        area: the area between two lines, likewise; empty for none.
        limit: the height of a horizontal line.
    """

    title: str
    low: str
    high: str
    lines: Mapping[str, str]
    area: str = ""
    limit: float | None = None


def words_chart(words: Curve, seconds: float) -> Chart:
    """Return the words of all items before and after, summed up over time."""
    most = max(words.points[-1][1][0], 1.0)
    before, after = ([(at, totals[column]) for at, totals in words.points] for column in (0, 1))
    both = {"before": before, "after": after}
    lines = {name: _points(points, seconds, 0, most) for name, points in both.items()}
    area = _points([*before, *after[::-1]], seconds, 0, most)
    return Chart("Words of the items, before and after", "0", f"{most:,.0f}", lines, area)


def coverage_chart(coverage: Mapping[str, Curve], seconds: float, site: str, fit: float) -> Chart:
    """Return the mean coverage of pages over time, a line for each template of a site.

    Args:
        coverage: name of a template → number of pages, and the sum of their coverage.
        seconds: length of the crawl.
        site: name of the site.
        fit: the coverage from which on a page fits.
    """
    # a page fits from 0.7 on, and most have more than 0.9: from zero on, all lines would lie at the top
    low = min(0.6, fit - 0.05)
    lines = {name: _points(means(curve), seconds, low, 1.0) for name, curve in coverage.items()}
    limit = HEIGHT * (1 - (fit - low) / (1 - low))
    return Chart(f"Coverage of the templates of {site}", percent(low), percent(1.0), lines, limit=limit)


def means(curve: Curve) -> Points:
    """Return the mean between each two points of a curve, given a number and a sum."""
    pairs = zip(curve.points, curve.points[1:], strict=False)
    return [(at, (total - before) / (count - less)) for (_, (less, before)), (at, (count, total)) in pairs]


def _points(points: Points, seconds: float, low: float, high: float) -> str:
    across, up = WIDTH / max(seconds, 1.0), HEIGHT / (high - low)
    return " ".join(f"{min(at * across, WIDTH):.2f},{HEIGHT - (value - low) * up:.2f}" for at, value in points)


def circle(number: int) -> list[tuple[float, float]]:
    """Return points on a circle, the first at the top."""
    # no point of a circle lies between two others, so no link passes through a page that it does not concern
    angles = [2 * math.pi * index / number for index in range(number)]
    radius = SIZE / 2 - 2 * DOT
    return [(SIZE / 2 + radius * math.sin(angle), SIZE / 2 - radius * math.cos(angle)) for angle in angles]
