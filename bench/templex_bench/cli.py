"""The command line of the bench."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from templex_bench.detectors import Method
from templex_bench.methods import METHODS, method_named
from templex_bench.peers import PEERS
from templex_bench.plan import Choice, trials
from templex_bench.results import Results, ResultsError
from templex_bench.run import Order, conditions, run
from templex_bench.suites import LAYOUTS, Suite, SuiteError, open_suite, parts_of
from templex_bench.tables import Report
from templex_bench.tables.leaderboard import leaderboard

WRONG, INTERRUPTED = 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Carry out a command line.

    Returns:
        0; 1 if a key page could not be measured; 2 for a wrong command; 130 if interrupted.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(arguments)
    options.typed = shlex.join(["templex-bench", *arguments])
    if "folders" in options:
        options.folders = [part for folder in options.folders for part in parts_of(folder)]
    try:
        return _COMMANDS[options.command](options)
    except KeyboardInterrupt:
        _tell("Stopped. The results file keeps the finished experiments; the same command continues.")
        return INTERRUPTED
    except (SuiteError, ResultsError, OSError) as error:
        _tell(f"error: {error}")
        return WRONG


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="templex-bench", description="Measure detectors and peers on saved sites.")
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="make the experiments that are not in the results file yet")
    add = running.add_argument
    add("folders", nargs="+", type=Path, metavar="FOLDER", help="folders of suites; their layout is found out")
    add("--sites", type=_names, metavar="a,b", help="only these sites")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    add("--jobs", type=_number, metavar="N", default=cores, help="processes; default: one per core")
    add("--results", type=Path, required=True, metavar="FILE.sqlite", help="made if it is not there")
    add("--detectors", type=_names, metavar="a,b", help="detectors and methods of our own; default: all; or: none")
    add("--peers", type=_names, metavar="a,b", help="peers; default: all that are installed; or: none")
    add(
        "--detector",
        action="append",
        default=[],
        metavar="SHAPE=package.module:function",
        help="your function; SHAPE: template, content, menu (key page, pages → positions) or text (HTML → text)",
    )
    add("--sizes", type=_number, nargs="+", metavar="N", help="sizes of the complete subdigraph for site-level methods")
    add("--sample", type=_number, metavar="N", help="only N key pages of each suite, drawn by chance, always the same")
    add("--no-readings", action="store_true", help="leave out other readings")
    listing = commands.add_parser("list", help="the methods, and the suites in folders")
    listing.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    showing = commands.add_parser("show", help="print tables of a results file; default: the most important ones")
    showing.add_argument("results", type=Path)
    showing.add_argument("tables", nargs="*", metavar="TABLE", help="names of tables; all: every table")
    ranking = commands.add_parser("leaderboard", help="write a page: each system on each suite of a results file")
    ranking.add_argument("results", type=Path)
    ranking.add_argument("--out", type=Path, required=True, metavar="FILE.md")
    ranking.add_argument(
        "--tables", type=_names, default=(), metavar="a,b", help="tables of show at the end of the page"
    )
    return parser


def _number(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def _names(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in text.split(",")))


def _tell(text: str) -> None:
    print(text, file=sys.stderr)


def _run(options: argparse.Namespace) -> int:
    methods = [*_detectors(options), *_peers(options.peers)]
    suites = _suites(options)
    choice = Choice(sizes=options.sizes, readings=not options.no_readings)
    if not any(trials(methods, choice, linked=site.linked) for suite in suites for site in suite.sites):
        raise SuiteError("nothing to measure: neither detectors nor peers")
    order = Order(suites, methods, choice, options.sample)
    with Results(options.results, create=True) as results:
        results.add_run(options.typed, conditions(order))
        tally = run(order, results, options.jobs, sys.stderr)
    _tell(f"{tally.made:,} experiments made, {tally.there:,} of {tally.planned:,} were there already")
    if tally.failed:
        _tell(f"WARNING: {tally.failed:,} experiments ended with an error: see the column error of the results file")
    for lost in tally.lost:
        _tell(f"WARNING: not measured: {lost}")
    return 1 if tally.lost else 0


def _detectors(options: argparse.Namespace) -> list[Method]:
    own = [name for name, method in METHODS.items() if method.kind != "peer"]
    names = [] if options.detectors == ("none",) else options.detectors or own
    _check(names, own, "detector")
    yours = [method_named(name) for name in dict.fromkeys(options.detector)]
    for method in yours:
        method.load()
    return [*(METHODS[name] for name in names), *yours]


def _peers(names: tuple[str, ...] | None) -> list[Method]:
    """Return the peers that are wanted; those that are missing are left out, with a warning."""
    if names == ("none",):
        return []
    _check(names or (), PEERS, "peer")
    missing = [name for name in names or PEERS if PEERS[name].version is None]
    for name in missing:
        extra = PEERS[name].extra
        _tell(f"WARNING: {name} is left out: the extra {extra!r} is missing: pip install -e 'bench[{extra}]'")
    return [METHODS[name] for name in names or PEERS if name not in missing]


def _check(names: Iterable[str], known: Iterable[str], what: str) -> None:
    known = list(known)
    for name in names:
        if name not in known:
            raise SuiteError(f"there is no {what} {name!r}; allowed are: {', '.join(known)}")


def _suites(options: argparse.Namespace) -> list[Suite]:
    suites: dict[str, Suite] = {}
    for folder in options.folders:
        suite = open_suite(folder)
        name = suite.name if suite.name not in suites else f"{folder.resolve().parent.name}/{suite.name}"
        if name in suites:
            raise SuiteError(f"two folders would both be the suite {name!r}: rename one")
        sites = tuple(site for site in suite.sites if options.sites is None or site.name in options.sites)
        if not sites:
            raise SuiteError(f"{suite.name} has none of these sites; it has {', '.join(s.name for s in suite.sites)}")
        pages = sum(len(site.key_urls) for site in sites)
        _tell(f"{name}: layout {suite.layout}, {len(sites)} sites, {pages} key pages")
        suites[name] = Suite(name, suite.layout, sites)
    return list(suites.values())


def _list(options: argparse.Namespace) -> int:
    for name, method in METHODS.items():
        state = f" [{PEERS[name].version or 'not installed'}]" if name in PEERS else ""
        print(f"{name:15} {method.kind:9} {method.target:9} {method.level:5} {method.title}{state}")
    for layout in LAYOUTS.values():
        print(f"layout {layout}")
    for folder in options.folders:
        suite = open_suite(folder)
        print(f"{folder}: suite {suite.name}, layout {suite.layout}, hash {suite.fingerprint()}")
        for site in suite.sites:
            print(f"    {site.name}: {len(site.key_urls)} key pages")
    return 0


def _show(options: argparse.Namespace) -> int:
    with Results(options.results) as results:
        report = Report(results)
        names = [] if options.tables == ["all"] else options.tables
        print(*(report.tables(names) if options.tables else report.main_tables()), sep="\n")
    return 0


def _leaderboard(options: argparse.Namespace) -> int:
    with Results(options.results) as results:
        report = Report(results)
        studies = report.studies
        page = leaderboard(studies, results.table("runs"), report.tables(options.tables) if options.tables else ())
        options.out.write_text(page, encoding="utf-8")
    return 0


_COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    "run": _run,
    "list": _list,
    "show": _show,
    "leaderboard": _leaderboard,
}
