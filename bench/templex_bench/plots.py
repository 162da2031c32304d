"""The figures of the report: what the thesis draws in its Figures 7.7, 12.3 and its tables, from our experiments."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from templex_bench import names, published
from templex_bench.candidate_tables import by_size, distance_text, has_gold, similarity_by_distance
from templex_bench.measure_tables import category_word, ranked
from templex_bench.runtime_tables import measured_points, timed, trend
from templex_bench.study import Estimate, Measure, Study, f1, loads, precision, recall
from templex_bench.svg import GRID, MUTED, SERIES, STYLE, inline
from templex_bench.variants import Method, first_of_each, looking_for, methods

WIDTH = 4.4
"""Inches; narrow enough that the text can still be read on a phone."""

MARKERS = "osD^vP*<>d"
MOST_METHODS = 10
"""Methods in one figure; more of them cannot be told apart."""


@dataclass(frozen=True, slots=True)
class Plot:
    """A figure.

    Attributes:
        name: unique in the report.
        title: what it shows.
        notes: sentences on how to read it.
        svg: an ``svg`` element, safe to stand in HTML.
        number: its number in the report.
    """

    name: str
    title: str
    notes: tuple[str, ...]
    svg: str
    number: int = 0


def f1_by_category(study: Study, target: str, unit: str) -> Plot | None:
    """F1 of every detector in every category; None where fewer than two categories are told."""
    found = _shown(study, target, unit)
    if not found or len(study.categories) < 2:
        return None
    groups: list[str | None] = [None, *study.categories]
    labels = [_group_label(study, group) for group in groups]
    rows = [[_of_group(study, method, group) for group in groups] for method in found]

    def draw(axes: Axes) -> None:
        for place, (method, estimates) in enumerate(zip(found, rows, strict=True)):
            offset = (place - (len(found) - 1) / 2) * min(0.12, 0.8 / len(found))
            _dots(axes, estimates, offset, _style(study, method), method.title)
        axes.axhline(0.5, color=MUTED, linewidth=0.7)
        axes.set_yticks(range(len(groups)), labels)
        axes.set_ylim(len(groups) - 0.4, -0.6)
        axes.set_xlim(_start(estimate.mean for row in rows for estimate in row if estimate is not None), 1)
        axes.grid(visible=False, axis="y")
        axes.set_xlabel("F1")

    title = f"F1 by detector and {category_word(study)}, {unit} of the {target}"
    height = 1.3 + max(0.42, 0.075 * len(found)) * len(groups)
    svg = _drawn(draw, height, f"{study.slug}-category-{target}-{unit}", title)
    notes = (f"Bars are {_level(study)} intervals, {_from(study)}.",)
    return Plot(f"figure-category-{target}-{unit}", title, notes, svg)


def precision_against_recall(study: Study, target: str, unit: str) -> Plot | None:
    """Precision against recall of every detector, with lines of equal F1; None without rows."""
    found = _shown(study, target, unit)
    if not found:
        return None

    def draw(axes: Axes) -> None:
        for method in found:
            sure, complete = study.estimate(method.rows, precision), study.estimate(method.rows, recall)
            if sure is None or complete is None:
                continue
            style = _style(study, method)
            axes.errorbar(
                complete.mean,
                sure.mean,
                xerr=_errors(complete),
                yerr=_errors(sure),
                elinewidth=0.8,
                linestyle="none",
                label=method.title,
                **style,
            )
        left, bottom = (
            _start(end for method in found for end in _ends(study, method, measure)) for measure in (recall, precision)
        )
        _iso_lines(axes, left, bottom)
        axes.set_xlim(left, 1 + 0.02 * (1 - left))
        axes.set_ylim(bottom, 1 + 0.02 * (1 - bottom))
        axes.set_xlabel("Recall")
        axes.set_ylabel("Precision")
        axes.grid(visible=False)

    title = f"Precision against recall, {unit} of the {target}"
    notes = (
        f"Means with their {_level(study)} intervals, {_from(study)}. Thin lines join points of equal F1.",
        "The F1 of two means is not the mean of the F1 that the tables have.",
    )
    return Plot(
        f"figure-recall-{target}-{unit}", title, notes, _drawn(draw, 3.8, f"{study.slug}-recall-{target}-{unit}", title)
    )


def size_of_the_subdigraph(study: Study, detector: str, target: str, unit: str) -> Plot | None:
    """F1 and loads against the size of the complete subdigraph (Table 7.7); None for fewer than two sizes."""
    sizes = by_size(study, detector, target, unit)
    if len(sizes) < 2:
        return None
    known = published.SIZES if detector == "temex" else published.CONTENT_SIZES.get(unit, {})

    def draw(upper: Axes, lower: Axes) -> None:
        theirs = {size: row for size, row in known.items() if size in sizes}
        _line(upper, {size: study.estimate(rows, f1) for size, rows in sizes.items()})
        _line(lower, {size: study.estimate(rows, loads) for size, rows in sizes.items()})
        _dashed(upper, {size: row.f1 for size, row in theirs.items()})
        _dashed(lower, {size: row.loads for size, row in theirs.items()})
        upper.set_ylabel("F1")
        lower.set_ylabel("Pages loaded")
        lower.set_ylim(bottom=0)
        lower.set_xlabel("Size of the complete subdigraph that was asked for")
        lower.xaxis.set_major_locator(MaxNLocator(integer=True))

    title = f"F1 and loads against the size of the complete subdigraph, {names.title(detector)}, {unit}"
    svg = _drawn(draw, 4.4, f"{study.slug}-size-{detector}-{target}-{unit}", title, rows=2)
    notes = (
        f"Band: {_level(study)} interval, {_from(study)}. Dashed: published, on TeCo. Loads include the key page.",
    )
    return Plot(f"figure-sizes-{detector}-{target}-{unit}", title, notes, svg)


def similarity_against_distance(study: Study) -> Plot | None:
    """Similarity by hyperlink distance (Figure 7.7); None for fewer than two distances."""
    found = similarity_by_distance(study)
    if len(found) < 2:
        return None
    gold = has_gold(study)

    def draw(axes: Axes) -> None:
        _line(axes, {distance: mean for distance, (mean, _) in found.items()})
        if gold:
            _dashed(axes, {distance: row.recall for distance, row in published.DISTANCES.items() if distance in found})
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("Hyperlink distance")
        axes.set_ylabel("Share of the template" if gold else "Share of all nodes")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: distance_text(round(value))))

    title = "Similarity against hyperlink distance"
    dashed = " Dashed: published, on TeCo (thesis, Figure 7.7)." if gold else ""
    notes = (f"Band: {_level(study)} interval, {_from(study)}.{dashed}",)
    return Plot("figure-distances", title, notes, _drawn(draw, 2.9, f"{study.slug}-distances", title))


def runtime_against_nodes(study: Study, target: str) -> Plot | None:
    """Runtime of every key page against its nodes, with the trends (Figure 12.3); None without rows."""
    found = timed(study, target)[:MOST_METHODS]
    if not found:
        return None

    def draw(axes: Axes) -> None:
        for method in found:
            points = [point for site in measured_points(method.rows).values() for point in site]
            if not points:
                continue
            style = _style(study, method)
            nodes, seconds = zip(*points, strict=True)
            axes.scatter(
                nodes,
                [second * 1000 for second in seconds],
                s=7,
                color=style["color"],
                marker=style["marker"],
                alpha=0.35,
                linewidths=0,
            )
            line = trend(study, method.rows)
            if line is not None:
                ends = (min(nodes), max(nodes))
                axes.plot(ends, [line.at(end) * 1000 for end in ends], label=method.title, **style)
        axes.set_xscale("log")
        axes.set_yscale("log")
        _plain_logarithms(axes.xaxis, axes.get_xlim())
        _plain_logarithms(axes.yaxis, axes.get_ylim())
        axes.set_xlabel("Nodes of the key page")
        axes.set_ylabel("Runtime, ms")

    title = f"Runtime of the detectors of the {target} against the nodes of the key page"
    notes = ("Both axes are logarithmic: a power law is a straight line. One point for each key page.",)
    return Plot(f"figure-runtime-{target}", title, notes, _drawn(draw, 4.0, f"{study.slug}-runtime-{target}", title))


def _shown(study: Study, target: str, unit: str) -> list[Method]:
    """The methods that a figure shows, best first: no bounds, and no more than can be told apart."""
    found = ranked(study, looking_for(first_of_each(methods(study.rows(target, unit))), target))
    return [method for method in found if method.role != "bound"][:MOST_METHODS]


def _style(study: Study, method: Method) -> dict[str, Any]:
    """Colour and marker of a method, the same in all figures: colour alone never tells methods apart."""
    target = method.rows[0].target
    rivals = {row.detector for row in study.experiments if row.target == target}
    shown = {name for name in rivals if names.target(name) in {"", target} and names.role(name) != "bound"}
    place = sorted(shown | {method.detector}).index(method.detector)
    filled = method.role == "ours"
    colour = SERIES[place % len(SERIES)]
    return {
        "color": colour,
        "marker": MARKERS[place % len(MARKERS)],
        "markerfacecolor": colour if filled else "none",
        "markersize": 5.5,
    }


def _group_label(study: Study, group: str | None) -> str:
    population = study.population(group)
    return f"{'all' if group is None else names.printable(group, 24)} ({population.sites})"


def _of_group(study: Study, method: Method, group: str | None) -> Estimate | None:
    return study.estimate([row for row in method.rows if group is None or row.category == group])


def _dots(
    axes: Axes, estimates: Sequence[Estimate | None], offset: float, style: Mapping[str, Any], label: str
) -> None:
    for place, estimate in enumerate(estimates):
        if estimate is not None:
            name = label if place == 0 else None
            axes.errorbar(
                estimate.mean,
                place + offset,
                xerr=_errors(estimate),
                elinewidth=0.8,
                linestyle="none",
                label=name,
                **{**style, "markersize": 4.5},
            )


def _errors(estimate: Estimate) -> list[list[float]] | None:
    if estimate.interval is None:
        return None
    low, high = estimate.interval.low, estimate.interval.high
    return [[max(estimate.mean - low, 0.0)], [max(high - estimate.mean, 0.0)]]


def _line(axes: Axes, estimates: Mapping[int, Estimate | None]) -> None:
    known = {x: estimate for x, estimate in estimates.items() if estimate is not None}
    xs = list(known)
    axes.plot(xs, [known[x].mean for x in xs], color=SERIES[0], marker="o", markersize=4.5, label="measured here")
    spans = [(x, known[x].interval) for x in xs]
    sure = [(x, span) for x, span in spans if span is not None]
    axes.fill_between(
        [x for x, _ in sure],
        [s.low for _, s in sure],
        [s.high for _, s in sure],
        color=SERIES[0],
        alpha=0.18,
        linewidth=0,
    )


def _dashed(axes: Axes, values: Mapping[int, float | None]) -> None:
    known = {x: value for x, value in values.items() if value is not None}
    if known:
        axes.plot(
            list(known),
            list(known.values()),
            color=MUTED,
            linestyle="--",
            marker="s",
            markersize=3.5,
            label="published",
        )


def _iso_lines(axes: Axes, left: float, bottom: float) -> None:
    """Lines of equal F1, with their values where they leave at the right, or at the top those that start left of it."""
    aside, above = 1 + 0.03 * (1 - left), 1 + 0.04 * (1 - bottom)
    for level in np.arange(0.1, 1.0, 0.1):
        end = level / (2 - level)
        xs = np.geomspace(end, 1, 200)
        axes.plot(xs, level * xs / (2 * xs - level), color=GRID, linewidth=0.8)
        if end > bottom:
            axes.text(aside, end, f"{level:.1f}", color=MUTED, fontsize=7.5, va="center")
        elif end > left:
            axes.text(end, above, f"{level:.1f}", color=MUTED, fontsize=7.5, ha="center", va="bottom")
    axes.text(aside, above, "F1", color=MUTED, fontsize=7.5, va="bottom")


def _ends(study: Study, method: Method, measure: Measure) -> list[float]:
    """The lower end of what a figure has to show of a measure."""
    mean = study.estimate(method.rows, measure)
    if mean is None:
        return []
    return [mean.interval.low if mean.interval else mean.mean]


def _start(values: Iterable[float]) -> float:
    """Where an axis for shares starts: the tenth below the lowest value."""
    return max(0.0, math.floor(10 * min(values, default=0.0) - 0.2) / 10)


def _plain_logarithms(axis: Axis, limits: tuple[float, float]) -> None:
    """Ticks of a logarithmic axis as plain numbers, also between the powers of ten where it spans few of them."""
    steps = (1.0,) if limits[1] > 100 * limits[0] else (1.0, 2.0, 5.0)
    axis.set_major_locator(LogLocator(subs=steps))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def _level(study: Study) -> str:
    return f"{100 * study.bootstrap.level:g} %"


def _from(study: Study) -> str:
    return f"from {study.bootstrap.fewest_sites} sites on"


def _drawn(draw: Callable[..., None], height: float, name: str, title: str, rows: int = 1) -> str:
    """The picture that a function draws on the axes that it gets."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, height))
        axes = figure.subplots(rows, 1, sharex=True, squeeze=False)[:, 0]
        draw(*axes)
        handles, labels = axes[0].get_legend_handles_labels()
        if len(labels) > 1:
            figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2, fontsize=8.0)
        figure.tight_layout()
    return inline(figure, f"picture-{name}", title, "The numbers are in the tables of this report.")
