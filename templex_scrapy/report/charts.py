"""The figures of the crawl report, drawn by matplotlib."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator, PercentFormatter
from templex_bench.svg import MUTED, SERIES, STYLE, inline

from templex_scrapy.crawl.summary import in_bytes
from templex_scrapy.report.snapshot import Rows, TemplateView
from templex_scrapy.template import FIT_COVERAGE

WIDTH = 4.6
"""Inches; narrow enough that the text can still be read on a phone."""

MOST_LINES = 6
"""Templates in one figure; more of them cannot be told apart."""

_MARKERS = "os^Dv*"
_ZEROS = re.compile(r"\.0+ ")
_UNITS = ((2 * 86400.0, 86400.0, "days"), (2 * 3600.0, 3600.0, "hours"), (150.0, 60.0, "minutes"))


def savings(rows: Rows, pages: Rows, seconds: float) -> str:
    """Bytes before and after, added up over time, and below them the pages that a template served or that fit none."""
    unit, name = _unit(seconds)
    ends = [0.0, *(min(end, seconds) / unit for end, _ in rows)]
    before, after = ([0.0, *accumulate(sums[column] for _, sums in rows)] for column in (1, 2))

    def draw(upper: Axes, lower: Axes) -> None:
        upper.fill_between(ends, after, before, color=SERIES[1], alpha=0.22, linewidth=0)
        upper.plot(ends, before, color=SERIES[1], label="before")
        upper.plot(ends, after, color=SERIES[0], label="after")
        upper.set_ylim(bottom=0)
        upper.yaxis.set_major_formatter(FuncFormatter(lambda value, _: _ZEROS.sub(" ", in_bytes(value))))
        upper.set_ylabel("HTML in items")
        _bars(lower, pages, unit)
        lower.set_xlim(0, max(seconds, 1.0) / unit)
        lower.set_ylabel("Pages")
        lower.yaxis.set_major_locator(MaxNLocator(integer=True, nbins=4))
        lower.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
        lower.set_xlabel(f"Time since the crawl began, {name}")

    return _drawn(draw, 3.6, "savings", "HTML before and after, and pages, over time", rows=2)


def _bars(axes: Axes, rows: Rows, unit: float) -> None:
    if not rows:
        return
    width = rows[0][0]
    starts = [(end - width) / unit for end, _ in rows]
    served, unfit = ([sums[column] for _, sums in rows] for column in (0, 1))
    axes.bar(starts, served, width / unit * 0.86, align="edge", color=SERIES[2], label="a template fits", linewidth=0)
    if any(unfit):
        axes.bar(
            starts,
            unfit,
            width / unit * 0.86,
            bottom=served,
            align="edge",
            color=SERIES[3],
            label="none fits",
            linewidth=0,
        )


def coverage(templates: Sequence[TemplateView], seconds: float, name: str, site: str) -> str:
    """The mean coverage of the pages that each template of a site served, over time; empty if they served none."""
    shown = [template for template in templates if template.coverage][:MOST_LINES]
    if not shown:
        return ""
    unit, unit_name = _unit(seconds)

    def draw(axes: Axes) -> None:
        for place, template in enumerate(shown):
            axes.plot(
                [min(end, seconds) / unit for end, _ in template.coverage],
                [mean for _, mean in template.coverage],
                color=SERIES[place % len(SERIES)],
                marker=_MARKERS[place],
                markersize=3.5,
                linewidth=1.2,
                label=f"template {template.number}",
            )
        axes.axhline(FIT_COVERAGE, color=MUTED, linewidth=0.8, linestyle="--", label="enough to fit")
        axes.set_ylim(min(0.6, FIT_COVERAGE - 0.05), 1.02)
        axes.set_xlim(0, max(seconds, 1.0) / unit)
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        axes.set_ylabel("Coverage")
        axes.set_xlabel(f"Time since the crawl began, {unit_name}")

    return _drawn(draw, 2.3, name, f"Coverage of the templates of {site} over time")


def _unit(seconds: float) -> tuple[float, str]:
    return next(((unit, name) for least, unit, name in _UNITS if seconds >= least), (1.0, "seconds"))


def _drawn(draw: Callable[..., None], height: float, name: str, title: str, rows: int = 1) -> str:
    """The picture that a function draws on the axes that it gets."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, height))
        axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
        draw(*axes)
        found = [axis.get_legend_handles_labels() for axis in axes]
        handles, labels = ([one for pair in found for one in pair[part]] for part in (0, 1))
        if len(labels) > 1:
            figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=4, fontsize=8.0)
        figure.tight_layout()
    return inline(figure, f"chart-{name}", title, "The numbers are in the tables of this report.")
