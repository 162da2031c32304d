"""The command line of the bench."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TextIO

from joblib.externals.loky.process_executor import TerminatedWorkerError  # type: ignore[import-untyped]

from templex_bench.candidates import SELECTIONS
from templex_bench.methods import METHODS, Method, method_named, with_shape
from templex_bench.peers import PEERS
from templex_bench.plan import Choice, trials
from templex_bench.results import Results, ResultsError
from templex_bench.run import Order, run
from templex_bench.suites import LAYOUTS, Suite, SuiteError, open_suite, parts_of
from templex_bench.tables import Report
from templex_bench.tables.leaderboard import leaderboard
from templex_bench.tables.model import Table
from templex_bench.tuning import Tuning, TuningError, tune, tuning_tables

WRONG, INTERRUPTED, BROKEN_PIPE = 2, 130, 141
TIME_LIMIT = 120.0
_NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line.

    Returns:
        0; 1 if a key page could not be measured; 2 for a wrong command, or if the output cannot be written; 130 if
        interrupted; 141 if whoever reads the output has stopped.
    """
    options = _parser().parse_args(arguments)
    err = sys.stderr
    commands = {
        "run": _run,
        "list": _list,
        "show": _show,
        "leaderboard": _leaderboard,
        "tune": _tune,
    }
    if "folders" in options:
        options.folders = [part for folder in options.folders for part in parts_of(folder)]
    try:
        code = commands[options.command](options, sys.stdout, err)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("Stopped. What was stored is in the results file; the same command goes on from there.", file=err)
        return INTERRUPTED
    except BrokenPipeError:
        # else Python complains when it closes the stream
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except TerminatedWorkerError as error:
        print(f"error: a process died; --jobs 1 shows on which key page. {str(error)[:300]}", file=err)
        return WRONG
    except (SuiteError, ResultsError, TuningError, OSError) as error:
        print(f"error: {error}", file=err)
        return WRONG
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="templex-bench", description="Measure detectors and peers on saved sites.")
    commands = parser.add_subparsers(dest="command", required=True)
    _add_run(commands.add_parser("run", help="make the experiments that are not in the results file yet"))
    listing = commands.add_parser("list", help="the methods, and the suites in folders")
    listing.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    showing = commands.add_parser("show", help="print tables of a results file; default: the most important ones")
    showing.add_argument("results", type=Path)
    showing.add_argument("tables", nargs="*", metavar="TABLE", help="names of tables; all: every table")
    ranking = commands.add_parser("leaderboard", help="write a page: each system on each suite of a results file")
    ranking.add_argument("results", type=Path)
    ranking.add_argument("--out", type=Path, required=True, metavar="FILE.md")
    _add_tune(commands.add_parser("tune", help="score the grid of similarities, cross-validated by site"))
    return parser


def _add_run(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("folders", nargs="+", type=Path, metavar="FOLDER", help="folders of suites; their layout is found out")
    add("--results", type=Path, required=True, metavar="FILE.sqlite", help="made if it is not there")
    add("--layout", choices=LAYOUTS, help="read all folders as this layout")
    add("--detectors", type=_names, metavar="a,b", help="detectors and methods of our own; default: all; or: none")
    add("--peers", type=_names, metavar="a,b", help="peers; default: all that are installed; or: none")
    add(
        "--detector",
        action="append",
        default=[],
        metavar="[SHAPE=]package.module:function",
        help="your function; SHAPE: template, content, menu (key page, pages → positions) or text (HTML → text)",
    )
    add("--sizes", type=_numbers, metavar="1-8", help="sizes of the complete subdigraph, for every site-level method")
    add("--votes", type=_numbers, metavar="1-3", help="numbers of votes, as far as not above the size")
    add("--candidates", type=_names, metavar="a,b", help=f"ways to select candidates: {', '.join(SELECTIONS)}")
    add("--no-readings", action="store_true", help="leave out the other readings of what the papers leave open")
    _add_common(parser)
    add("--time-limit", type=_seconds, default=TIME_LIMIT, metavar="S", help="seconds for one experiment, or none")
    add("--retry-failed", action="store_true", help="make experiments again that ended with an error")
    add("--exact-runtimes", action="store_true", help="repeat each run until its time is steady, as the thesis does")
    add("--table", metavar="NAME", help="print one table at the end")


def _add_tune(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("folders", nargs="*", type=Path, metavar="FOLDER", help="folders of suites; none: tables of what is there")
    add("--out", type=Path, required=True, metavar="FILE.parquet", help="the scores; sites that are there are kept")
    _add_common(parser)
    add("--coarse", action="store_true", help="weights in steps of 0.2: a first look")
    add("--table", metavar="NAME", help="print one table instead of all")


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sites", type=_names, metavar="a,b", help="only these sites")
    parser.add_argument("--split", metavar="NAME", help="only sites of this split, such as evaluation")
    parser.add_argument("--limit", type=_positive, metavar="N", help="only the first N key pages of each site")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    parser.add_argument("--jobs", type=_positive, metavar="N", default=cores, help="processes; default: one per core")


def _names(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise argparse.ArgumentTypeError(f"{text!r}: expected names, with commas between them")
    return names


def _numbers(text: str) -> tuple[int, ...]:
    found: set[int] = set()
    for part in text.split(","):
        match = _NUMBERS.fullmatch(part.strip())
        if match is None:
            raise argparse.ArgumentTypeError(f"{text!r}: expected numbers such as 3, 1-8 or 2,4")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= 20:
            raise argparse.ArgumentTypeError(f"{text!r}: expected ascending numbers from 1 to 20")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a number from 1 on")
    return int(text)


def _seconds(text: str) -> float | None:
    if text == "none":
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r}: expected seconds above 0, or none for no limit")
    return seconds


def _run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    choice = Choice(
        sizes=options.sizes, votes=options.votes, selections=options.candidates, readings=not options.no_readings
    )
    _check(options.candidates or (), SELECTIONS, "way to select candidates")
    methods = [*_detectors(options), *_peers(options.peers, err)]
    suites = _suites(options)
    if not any(trials(methods, choice, linked=site.linked) for suite in suites for site in suite.sites):
        raise SuiteError("nothing to measure: neither detectors nor peers, or all numbers of votes are above all sizes")
    order = Order(
        suites=suites,
        methods=methods,
        choice=choice,
        limit=options.limit,
        time_limit=options.time_limit,
        retry_failed=options.retry_failed,
        exact=options.exact_runtimes,
    )
    with Results(options.results, create=True) as results:
        for suite, folder in zip(suites, options.folders, strict=True):
            pages = sum(len(site.key_urls[: options.limit]) for site in suite.sites)
            print(f"{suite.name}: layout {suite.layout}, {len(suite.sites)} sites, {pages} key pages", file=err)
            results.add_run(suite.name, str(folder), _decisive(options))
        tally = run(order, results, options.jobs, err)
        print(f"{tally.made:,} experiments made, {tally.there:,} of {tally.planned:,} were there already", file=err)
        if tally.failed:
            print(f"WARNING: {tally.failed:,} experiments ended with an error: see the table errors", file=err)
        for lost in tally.lost:
            print(f"WARNING: not measured: {lost}", file=err)
        if options.table is not None:
            _print(Report(results).tables([options.table]), out)
    return 1 if tally.lost else 0


def _decisive(options: argparse.Namespace) -> list[str]:
    """Return the options that decide which experiments are made, as far as they are not the defaults."""
    words = ["--no-readings"] if options.no_readings else []
    for name in ("layout", "limit", "detectors", "peers", "sizes", "votes", "candidates", "sites", "split"):
        value = getattr(options, name)
        if value is not None:
            words += [f"--{name}", ",".join(map(str, value)) if isinstance(value, tuple) else str(value)]
    return [*words, *(word for name in options.detector for word in ("--detector", name))]


def _detectors(options: argparse.Namespace) -> list[Method]:
    own = [name for name, method in METHODS.items() if method.kind != "peer"]
    names = [] if options.detectors == ("none",) else options.detectors or own
    _check(names, own, "detector")
    yours = [method_named(with_shape(name)) for name in options.detector]
    for method in yours:
        method.load()
    return [*(METHODS[name] for name in names), *yours]


def _peers(names: tuple[str, ...] | None, err: TextIO) -> list[Method]:
    """Return the peers that are wanted; those that are missing are left out, with a warning."""
    if names == ("none",):
        return []
    _check(names or (), PEERS, "peer")
    missing = [name for name in names or PEERS if PEERS[name].version is None]
    for name in missing:
        extra = PEERS[name].extra
        print(f"WARNING: {name} is left out: the extra {extra!r} is missing: pip install -e 'bench[{extra}]'", file=err)
    return [METHODS[name] for name in names or PEERS if name not in missing]


def _check(names: Iterable[str], known: Iterable[str], what: str) -> None:
    known = list(known)
    for name in names:
        if name not in known:
            raise SuiteError(f"there is no {what} {name!r}; allowed are: {', '.join(known)}")


def _suites(options: argparse.Namespace) -> list[Suite]:
    suites: dict[str, Suite] = {}
    for folder in options.folders:
        suite = open_suite(folder, getattr(options, "layout", None))
        name = suite.name if suite.name not in suites else f"{folder.resolve().parent.name}/{suite.name}"
        if name in suites:
            raise SuiteError(f"two folders would both be the suite {name!r}: rename one")
        sites = tuple(
            site
            for site in suite.sites
            if options.sites is None or site.name in options.sites
            if options.split in {None, site.split}
        )
        if not sites:
            raise SuiteError(f"{suite.name} has none of these sites; it has {', '.join(s.name for s in suite.sites)}")
        suites[name] = Suite(name, suite.layout, sites)
    return list(suites.values())


def _list(options: argparse.Namespace, out: TextIO, _err: TextIO) -> int:
    for name, method in METHODS.items():
        state = f" [{PEERS[name].version or 'not installed'}]" if name in PEERS else ""
        print(f"{name:15} {method.kind:9} {method.target:9} {method.level:5} {method.title}{state}", file=out)
    for layout in LAYOUTS.values():
        print(f"layout {layout}", file=out)
    for folder in options.folders:
        suite = open_suite(folder)
        print(f"{folder}: suite {suite.name}, layout {suite.layout}", file=out)
        for site in suite.sites:
            print(f"    {site.name}: {len(site.key_urls)} key pages", file=out)
    return 0


def _show(options: argparse.Namespace, out: TextIO, _err: TextIO) -> int:
    with Results(options.results) as results:
        report = Report(results)
        names = [] if options.tables == ["all"] else options.tables
        _print(report.tables(names) if options.tables else report.main_tables(), out)
    return 0


def _print(tables: Iterable[Table], out: TextIO) -> None:
    for table in tables:
        print(table.markdown(), file=out)


def _leaderboard(options: argparse.Namespace, out: TextIO, _err: TextIO) -> int:
    with Results(options.results) as results:
        report = Report(results)
        options.out.write_text(leaderboard(report.studies, report.made_by), encoding="utf-8")
    print(options.out, file=out)
    return 0


def _tune(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    lost = tune(options, _suites(options), err) if options.folders else []
    for reason in lost:
        print(f"WARNING: not scored: {reason}", file=err)
    _print(tuning_tables(Tuning(options.out), options.table), out)
    return 1 if lost else 0
