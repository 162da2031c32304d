"""The command ``tune`` of the workbench."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TextIO

from templex_bench.gold import Site, Suite
from templex_bench.markdown import comment, escaped, table_text
from templex_bench.plan import SIZES
from templex_bench.provenance import command_of, joined
from templex_bench.results import ResultsError, RunOf
from templex_bench.tuning.grid import Grid, all_weights, weights_of
from templex_bench.tuning.run import Tally, run, tasks_for
from templex_bench.tuning.store import TuningResults
from templex_bench.tuning.tables import FEWEST, NAMED, Tuning, check_name, checked, paragraphs
from templex_bench.writing import mark_of, write_reports
from templex_scrapy.commands.terminal import INTERRUPTED


def tune(options: argparse.Namespace, suites: Sequence[Suite], out: TextIO, err: TextIO) -> int:
    """Score what is not there yet, and print the tables as Markdown.

    Args:
        options: ``out`` (the file), ``folders``, ``sizes``, ``sites``, ``limit``, ``jobs``, ``coarse``, ``table``,
            ``force``.
        suites: those in the folders; none: only the tables of what is there.
        out: where the tables go.
        err: where the progress goes.

    Returns:
        0; 1 if some site or key page could not be scored; 130 if it was stopped before its end, and then there are no
        tables.

    Raises:
        ResultsError: if there is no such table, the file is another, or there are too few sites, or what stands where
            the tables go is no report.
    """
    if options.table is not None:
        check_name(options.table)
    if suites:
        _check_sites(options, suites)
    tally = Tally()
    grid = (coarse_grid() if options.coarse else Grid.of_the_thesis()) if suites else None
    with TuningResults(options.out, grid) as results:
        if suites:
            for suite, folder in zip(suites, options.folders, strict=True):
                results.add_run(RunOf(suite.name, str(folder), _decisive(options)))
            tasks = tasks_for(suites, results, options.sizes, options.limit)
            tally = run(tasks, results, options.jobs, err)
        lost = [*tally.lost, *(f"{suite}, {site}, {url}: {why}" for suite, site, url, why in results.left_out())]
        for reason in lost:
            print(f"WARNING: not scored: {reason}", file=err)
        if tally.interrupted:
            print("Stopped before the end; the same command goes on from here.", file=err)
            return INTERRUPTED
        tuning = checked(Tuning(results, again(results)))
        if options.table is not None:
            print(table_text(tuning.table(options.table)), file=out)
            return int(bool(lost))
        text = markdown(tuning)
    path = options.out.with_suffix(".md")
    mark = mark_of(options.out.name)
    write_reports({path: f"{text}\n{comment(mark)}\n"}, mark, force=options.force)
    print(text, file=out, end="")
    print(path, file=err)
    return int(bool(lost))


def _check_sites(options: argparse.Namespace, suites: Sequence[Suite]) -> None:
    """Refuse too few sites before anything is scored; those that are in the file count."""
    sites = {(suite.name, site.name) for suite in suites for site in suite.sites if _has_template(site, options.limit)}
    if len(sites) < FEWEST and options.out.is_file():
        with TuningResults(options.out) as results:
            sites |= results.scored()
    if len(sites) < FEWEST:
        raise ResultsError(f"tuning takes {FEWEST} sites with a gold template at least; there {_are(len(sites))}")


def _are(sites: int) -> str:
    return "is 1" if sites == 1 else f"are {sites or 'none'}"


def _has_template(site: Site, limit: int | None) -> bool:
    """Whether any key page of a site has a gold template, or cannot be read, which is told when it is scored."""
    try:
        return any(site.key_page(url).gold.template is not None for url in site.key_urls[:limit])
    except Exception:  # noqa: BLE001 - as above
        return True


def coarse_grid() -> Grid:
    """Weights in steps of 0.2, and those of the named parameters: for a first look."""
    return Grid(tuple(sorted({*all_weights(step=2), *map(weights_of, NAMED.values())})))


def again(results: TuningResults) -> str:
    """The command that makes the scores of a file again, as far as they are missing, and prints its tables."""
    path = str(results.path)
    return joined(results.runs(), ["tune"], ["--out", path]) or command_of("tune", "--out", path)


def _decisive(options: argparse.Namespace) -> tuple[str, ...]:
    """The options that decide what is scored, as far as they are not the defaults."""
    given = {
        "sizes": None if options.sizes == SIZES else ",".join(map(str, options.sizes)),
        "sites": options.sites and ",".join(options.sites),
        "limit": options.limit and str(options.limit),
    }
    words = [word for name, value in given.items() if value for word in (f"--{name}", value)]
    return (*words, *(["--coarse"] if options.coarse else []))


def markdown(tuning: Tuning) -> str:
    """All tables, and what they say."""
    lines = ["# The similarity, tuned", ""]
    for paragraph in paragraphs(tuning):
        lines += [f"**{escaped(paragraph.label)}.** {escaped(paragraph.text)}", ""]
    for table in tuning.tables():
        lines += [table_text(table), ""]
    return "\n".join(lines)
