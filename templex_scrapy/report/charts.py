"""Line charts over time as figures for an SVG; the Jinja template draws them."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from templex_scrapy.crawl import percent
from templex_scrapy.report.bounded import Bins

WIDTH, HEIGHT = 460, 200
LEFT, RIGHT, TOP, BOTTOM = 52, 448, 10, 168
"""The plot area in the drawing."""

MAX_LINES = 6
"""Lines of a chart; more cannot be told apart."""

_UNITS = (
    (2 * 86400.0, 86400.0, "days"),
    (2 * 3600.0, 3600.0, "hours"),
    (150.0, 60.0, "minutes"),
    (0.0, 1.0, "seconds"),
)

Points = Sequence[tuple[float, float]]
"""Times in seconds and values."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a chart: its name, its points as SVG writes them, and the last of them."""

    name: str
    points: str
    end: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Chart:
    """A line chart.

    Attributes:
        title: what it shows.
        unit: name of the unit of time.
        lines: the lines.
        x_ticks: places and labels on the axis of time.
        y_ticks: places and labels on the other axis.
        area: the area between the first two lines as SVG writes it; empty for none.
        limit: the place of a horizontal line on the vertical axis.
    """

    title: str
    unit: str
    lines: tuple[Line, ...]
    x_ticks: tuple[tuple[float, str], ...]
    y_ticks: tuple[tuple[float, str], ...]
    area: str = ""
    limit: float | None = None


def words_chart(words: Bins, seconds: float) -> Chart:
    """Return the words of all items before and after, summed up over time."""
    rows = list(words.rows())
    ends = [0.0, *(min(end, seconds) for end, _ in rows)]
    before, after = ([0.0, *accumulate(sums[column] for _, sums in rows)] for column in (0, 1))
    lines = {"before": list(zip(ends, before, strict=True)), "after": list(zip(ends, after, strict=True))}
    return _chart("Words of the items, before and after", lines, seconds, (0.0, max(before[-1], 1.0)), _short)


def coverage_chart(coverage: Mapping[str, Points], seconds: float, site: str, fit: float) -> Chart | None:
    """Return the mean coverage of pages over time, a line for each template of a site; None without any page.

    Args:
        coverage: name of a template → its mean coverage over time; at most ``MAX_LINES``.
        seconds: length of the crawl.
        site: name of the site.
        fit: the coverage from which on a page fits.
    """
    shown = {name: points for name, points in coverage.items() if points}
    low = min(0.6, fit - 0.05)
    return _chart(f"Coverage of the templates of {site}", shown, seconds, (low, 1.0), percent, fit) if shown else None


def _chart(
    title: str,
    lines: Mapping[str, Points],
    seconds: float,
    span: tuple[float, float],
    label: Callable[[float], str],
    limit: float | None = None,
) -> Chart:
    scale, unit = next((scale, name) for least, scale, name in _UNITS if seconds >= least)
    low, high = span
    length = max(seconds, 1.0)

    def x_of(at: float) -> float:
        return round(LEFT + (RIGHT - LEFT) * min(at / length, 1.0), 1)

    def y_of(value: float) -> float:
        return round(BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low), 1)

    placed = {name: [(x_of(at), y_of(value)) for at, value in points] for name, points in lines.items()}
    drawn = tuple(Line(name, _points(points), points[-1]) for name, points in placed.items())
    is_area = limit is None and len(drawn) == 2
    first, second = (list(placed.values()) * 2)[:2]
    return Chart(
        title=title,
        unit=unit,
        lines=drawn,
        x_ticks=tuple((x_of(at * scale), f"{at:g}") for at in _ticks(0.0, length / scale)),
        y_ticks=tuple((y_of(value), label(value)) for value in _ticks(low, high)),
        area=_points([*first, *second[::-1]]) if is_area else "",
        limit=None if limit is None else y_of(limit),
    )


def _points(points: Points) -> str:
    return " ".join(f"{x:g},{y:g}" for x, y in points)


def _ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Round numbers from ``low`` to ``high``, at most so many and one."""
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def _short(value: float) -> str:
    """Return a number in few characters: ``1.5 M``."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:g} {unit}"
    return f"{value:g}"
