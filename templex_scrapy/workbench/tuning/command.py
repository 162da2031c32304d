"""The command ``tune`` of the workbench."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from templex_scrapy.workbench.gold import Suite
from templex_scrapy.workbench.markdown import escaped, table_text
from templex_scrapy.workbench.tuning.grid import Grid, all_weights, weights_of
from templex_scrapy.workbench.tuning.run import run, tasks_for
from templex_scrapy.workbench.tuning.store import TuningResults
from templex_scrapy.workbench.tuning.tables import NAMED, Tuning, checked, sentences


def tune(options: argparse.Namespace, suites: Sequence[Suite], out: TextIO, err: TextIO) -> int:
    """Score what is not there yet, and print the tables as Markdown.

    Args:
        options: ``out`` (the file), ``folders``, ``sizes``, ``limit``, ``jobs``, ``coarse``, ``table``.
        suites: those in the folders; none: only the tables of what is there.
        out: where the tables go.
        err: where the progress goes.

    Returns:
        0; 1 if some site could not be scored.

    Raises:
        ResultsError: if the file is another, or holds too little.
    """
    lost: list[str] = []
    grid = (coarse_grid() if options.coarse else Grid.of_the_thesis()) if suites else None
    with TuningResults(options.out, grid) as results:
        if suites:
            tasks = tasks_for(suites, results, options.sizes, options.limit)
            lost = run(tasks, results, options.jobs, err)
        for reason in lost:
            print(f"WARNING: not scored: {reason}", file=err)
        tuning = checked(Tuning(results, again(options.out)))
        if options.table is not None:
            print(table_text(tuning.table(options.table)), file=out)
            return int(bool(lost))
        text = markdown(tuning)
    path = options.out.with_suffix(".md")
    path.write_text(text, encoding="utf-8")
    print(text, file=out, end="")
    print(path, file=err)
    return int(bool(lost))


def coarse_grid() -> Grid:
    """Weights in steps of 0.2, and those of the named parameters: for a first look."""
    return Grid(tuple(sorted({*all_weights(step=2), *map(weights_of, NAMED.values())})))


def again(path: Path) -> str:
    """The command that prints the tables of a file."""
    return shlex.join(["python", "-m", "templex_scrapy.workbench", "tune", "--out", str(path)])


def markdown(tuning: Tuning) -> str:
    """All tables, and what they say."""
    lines = ["# The similarity, tuned", "", *(escaped(sentence) for sentence in sentences(tuning)), ""]
    for table in tuning.tables():
        lines += [table_text(table), ""]
    return "\n".join(lines)
