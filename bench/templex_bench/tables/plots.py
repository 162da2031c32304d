"""Plots: what quality costs, and how runtimes grow with pages (Figures 5.5, 6.2, 9.6 and 10.10 of the thesis)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from templex_bench.tables.inventory import rank_correlation, timed
from templex_bench.tables.leaderboard import figures
from templex_bench.tables.study import Study

COLUMNS = 4


def plot(studies: Sequence[Study], folder: Path) -> list[Path]:
    """Write the plots as SVG into a folder; ImportError without matplotlib."""
    folder.mkdir(parents=True, exist_ok=True)
    return [*_costs(studies, folder), *(_runtimes(study, folder / f"runtime-{study.slug}.svg") for study in studies)]


def _figure(width: float, height: float) -> Any:
    return import_module("matplotlib.figure").Figure((width, height), layout="constrained")


def _costs(studies: Sequence[Study], folder: Path) -> list[Path]:
    """Plot F1 by milliseconds a page, means over the suites, a file for each table of the leaderboard with F1."""
    found, written = figures(studies), []
    for number, (table, rows) in enumerate(found[found["measure"] == "f1"].groupby("table", sort=False), 1):
        figure = _figure(8, 5)
        axes = figure.subplots()
        means = rows.groupby("title")[["ms", "mean"]].mean().dropna()
        axes.scatter(means["ms"], means["mean"], s=12)
        for title, ms, mean in means.itertuples():
            axes.annotate(title, (ms, mean), xytext=(4, 2), textcoords="offset points", fontsize=7)
        axes.set(xscale="log", xlabel="CPU time, ms a page", ylabel="F1", title=table)
        written.append(folder / f"cost-{number}.svg")
        figure.savefig(written[-1])
    return written


def _runtimes(study: Study, file: Path) -> Path:
    """Plot the time of each method by the nodes of the key page."""
    series = list(timed(study))
    figure = _figure(3 * COLUMNS, 2.4 * max(1, math.ceil(len(series) / COLUMNS)))
    for number, (method, nodes, seconds) in enumerate(series, 1):
        axes = figure.add_subplot(math.ceil(len(series) / COLUMNS), COLUMNS, number)
        axes.scatter(nodes, 1000 * seconds, s=4)
        axes.set(xscale="log", yscale="log")
        axes.set_title(f"{method.title}: Spearman {rank_correlation(nodes, seconds) or math.nan:.2f}", fontsize=7)
    figure.suptitle(f"{study.suite}: CPU time in ms by nodes of the key page", fontsize=9)
    figure.savefig(file)
    return file
