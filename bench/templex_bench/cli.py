"""The command line of the workbench."""

from __future__ import annotations

import argparse
import io
import math
import os
import re
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from templex_bench.candidates import SELECTIONS
from templex_bench.export import export
from templex_bench.gold import LAYOUTS, Suite, SuiteError, open_suite
from templex_bench.lost import lost_lines
from templex_bench.methods import Method, all_methods
from templex_bench.names import canonical
from templex_bench.overview import overview
from templex_bench.peers import PEERS
from templex_bench.plan import SIZES, Choice, trials
from templex_bench.prose import counted
from templex_bench.provenance import provenance_of
from templex_bench.results import Results, ResultsError, RunOf
from templex_bench.run import Order, Runner, Tally
from templex_bench.version import versions_of
from templex_bench.writing import write_reports
from templex_scrapy.commands.terminal import BROKEN_PIPE, INTERRUPTED, forget

if TYPE_CHECKING:
    from templex_bench.report import Report
    from templex_bench.tuning.store import TuningResults

WRONG = 2

TIME_LIMIT = 120.0

_NUMBERS = re.compile(r"(\d+)(?:-(\d+))?")


def main(arguments: Sequence[str] | None = None, *, out: TextIO | None = None, err: TextIO | None = None) -> int:
    """Carry out a command line.

    Args:
        arguments: the words after the program's name; None: those of this process.
        out: where what was asked for goes; None: standard output.
        err: where progress and what is wrong go; None: standard error.

    Returns:
        0; 1 if some key page could not be measured; 2 if something is wrong with what was asked for, or what was found
        cannot be printed; 130 if interrupted; 141 if whoever reads what is printed has stopped.
    """
    options = _parser().parse_args(arguments)
    # a program that was started without has neither
    out, err = _that_prints_all(out or sys.stdout or io.StringIO()), err or sys.stderr or io.StringIO()
    try:
        code = _carried_out(options, out, err)
        out.flush()
    except BrokenPipeError:
        _forget(out, err)
        return BROKEN_PIPE
    except OSError as error:
        _forget(out)
        print(f"error: {error}", file=err)
        return WRONG
    return code


def _carried_out(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    commands = {"run": _run, "list": _list, "show": _show, "report": _report, "export": _export, "tune": _tune}
    try:
        return commands[options.command](options, out, err)
    except (SuiteError, ResultsError) as error:
        print(f"error: {error}", file=err)
        return WRONG
    except KeyboardInterrupt:
        stored = " What was stored is in the results file; the same command goes on from there."
        print(f"Stopped.{stored if options.command in {'run', 'tune'} else ''}", file=err)
        return INTERRUPTED


def _that_prints_all(stream: TextIO) -> TextIO:
    """The same stream; what its encoding does not have, it writes with a backslash."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return stream


def _forget(*streams: TextIO) -> None:
    # what others are given is theirs to close
    forget(*(stream for stream in streams if stream in {sys.__stdout__, sys.__stderr__}))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m templex_bench",
        description="Measure detectors and peers on sites with a gold standard.",
    )
    commands = parser.add_subparsers(dest="command", required=True)
    _add_run(commands.add_parser("run", help="make the experiments that are not in the results file yet"))
    listing = commands.add_parser("list", help="the methods, and the suites in folders")
    listing.add_argument("folders", nargs="*", type=Path, metavar="FOLDER")
    showing = commands.add_parser("show", help="the means of a results file, as plain text")
    showing.add_argument("results", type=Path)
    showing.add_argument("--all", action="store_true", help="every set of parameters, not only the equal conditions")
    showing.add_argument("--by-category", action="store_true", help="a column for each category")
    reporting = commands.add_parser("report", help="write a results file as a report: HTML and Markdown")
    reporting.add_argument("results", type=Path)
    reporting.add_argument("--folder", type=Path, help="for report.html and report.md; default: beside the results")
    reporting.add_argument("--tuning", type=Path, metavar="FILE.sqlite", help="a chapter on what tune has found")
    reporting.add_argument("--table", metavar="NAME", help="print one table as Markdown instead")
    reporting.add_argument("--force", action="store_true", help="write over files that are no reports of these results")
    writing = commands.add_parser("export", help="write a results file as Parquet and CSV")
    writing.add_argument("results", type=Path)
    writing.add_argument("folder", type=Path, help="where the files go")
    writing.add_argument("--format", type=_names, default=("parquet", "csv"), metavar="parquet,csv")
    writing.add_argument("--force", action="store_true", help="write over files that are no export of results")
    _add_tune(commands.add_parser("tune", help="score the grid of similarities, cross-validated by site"))
    return parser


def _add_run(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("folders", nargs="+", type=Path, metavar="FOLDER", help="folders of suites; their layout is found out")
    add("--results", type=Path, required=True, metavar="FILE.sqlite", help="made if it is not there")
    add("--layout", choices=LAYOUTS, help="read all folders as this layout")
    add("--detectors", type=_names, metavar="a,b", help="detectors and methods of our own; default: all; or: none")
    add("--peers", type=_names, metavar="a,b", help="peers; default: all that are installed; or: none")
    add("--sizes", type=_numbers, metavar="1-8", help="sizes of the complete subdigraph, for every site-level method")
    add("--votes", type=_numbers, metavar="1-3", help="numbers of votes, as far as not above the size")
    add("--candidates", type=_names, metavar="a,b", help=f"ways to select candidates: {', '.join(SELECTIONS)}")
    add("--sites", type=_names, metavar="a,b", help="only these sites")
    add("--limit", type=_positive, metavar="N", help="only the first N key pages of each site")
    add("--jobs", type=_positive, metavar="N", default=_cores(), help="processes; default: one for each core")
    add(
        "--time-limit",
        type=_seconds,
        default=TIME_LIMIT,
        metavar="S",
        help="seconds for one experiment, or none; default: 120",
    )
    add("--no-readings", action="store_true", help="leave out the other readings of what the papers leave open")
    add("--retry-failed", action="store_true", help="make experiments again that ended with an error")
    add("--table", metavar="NAME", help="print one table of the report at the end, as Markdown")


def _add_tune(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("folders", nargs="*", type=Path, metavar="FOLDER", help="folders of suites; none: tables of what is there")
    add("--out", type=Path, required=True, metavar="FILE.sqlite", help="made if it is not there; FILE.md beside it")
    add("--sizes", type=_numbers, metavar="1-8", default=SIZES, help="sizes of the complete subdigraph; default 1-8")
    add("--sites", type=_names, metavar="a,b", help="only these sites")
    add("--limit", type=_positive, metavar="N", help="only the first N key pages of each site")
    add("--jobs", type=_positive, metavar="N", default=_cores(), help="processes; default: one for each core")
    add("--coarse", action="store_true", help="weights in steps of 0.2: a first look")
    add("--table", metavar="NAME", help="print one table instead of all")
    add("--force", action="store_true", help="write over a FILE.md that is no report of this tuning")


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
        if last < first:
            raise argparse.ArgumentTypeError(f"{text!r}: the range {match[0]} is upside down")
        if first < 1 or last > 20:
            raise argparse.ArgumentTypeError(f"{text!r}: allowed are 1 to 20")
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
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r}: expected seconds above 0, or none for no limit")
    return seconds


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    choice = Choice(
        sizes=options.sizes, votes=options.votes, selections=options.candidates, readings=not options.no_readings
    )
    _known(options.candidates or (), SELECTIONS, "way to select candidates")
    methods = [*_detectors(options.detectors), *_peers(options.peers, err)]
    if not methods:
        raise SuiteError("nothing to measure: neither detectors nor peers")
    suites = [_chosen(open_suite(folder, options.layout), options.sites) for folder in options.folders]
    _check_suites(suites, options.folders)
    _check_plan(methods, choice, suites)
    _check_table(options, suites)
    for suite in suites:
        pages = sum(len(site.key_urls[: options.limit]) for site in suite.sites)
        told = f"{counted(len(suite.sites), 'site')}, {counted(pages, 'key page')}"
        print(f"{suite.name}: layout {suite.layout}, {told}", file=err)
    with Results(options.results, create=True) as results:
        for suite, folder in zip(suites, options.folders, strict=True):
            results.add_run(RunOf(suite.name, str(folder), _decisive(options)))
        order = Order(
            suites=suites,
            methods=methods,
            choice=choice,
            limit=options.limit,
            time_limit=options.time_limit,
            retry_failed=options.retry_failed,
        )
        tally = Runner(order, results).run(options.jobs, err)
        _tell(tally, options.results, err)
        if tally.interrupted:
            return INTERRUPTED
        if options.table is not None:
            print(_table(_report_of(results, err), options.table), file=out, end="")
    return 1 if tally.lost else 0


def _decisive(options: argparse.Namespace) -> tuple[str, ...]:
    """The options that decide which experiments are made, as far as they are not the defaults."""
    given: dict[str, object] = {name: getattr(options, name) for name in ("layout", "limit")}
    for name in ("detectors", "peers", "sizes", "votes", "candidates", "sites"):
        values = getattr(options, name)
        given[name] = None if values is None else ",".join(map(str, values))
    limit = options.time_limit
    given["time-limit"] = None if limit == TIME_LIMIT else "none" if limit is None else f"{limit:g}"
    words = [word for name, value in given.items() if value is not None for word in (f"--{name}", str(value))]
    return (*words, *(["--no-readings"] if options.no_readings else []))


def _detectors(names: tuple[str, ...] | None) -> list[Method]:
    own = {name: method for name, method in all_methods().items() if method.kind != "peer"}
    if names == ("none",):
        return []
    _known(names or (), own, "detector")
    return [own[name] for name in names or own]


def _peers(names: tuple[str, ...] | None, err: TextIO) -> list[Method]:
    """The peers that are asked for; those that are missing are left out, loudly."""
    if names == ("none",):
        return []
    # as their packages are called, too
    own = [peer if (peer := canonical(name)) in PEERS else name for name in names or PEERS]
    _known(own, PEERS, "peer")
    found = []
    for name in dict.fromkeys(own):
        if PEERS[name].version is None:
            print(f"WARNING: the peer {name} is left out: pip install {PEERS[name].package}", file=err)
        else:
            found.append(all_methods()[name])
    return found


def _known(names: Iterable[str], known: Iterable[str], what: str) -> None:
    known = list(known)
    for name in names:
        if name not in known:
            raise SuiteError(f"there is no {what} {name!r}; allowed are: {', '.join(known)}")


def _chosen(suite: Suite, names: tuple[str, ...] | None) -> Suite:
    if names is None:
        return suite
    sites = tuple(site for site in suite.sites if site.name in names)
    if not sites:
        known = ", ".join(site.name for site in suite.sites)
        raise SuiteError(f"{suite.name} has none of the sites {', '.join(names)}; its sites are: {known}")
    return Suite(suite.name, suite.layout, sites)


def _check_suites(suites: Sequence[Suite], folders: Sequence[Path]) -> None:
    names: dict[str, Path] = {}
    for suite, folder in zip(suites, folders, strict=True):
        if suite.name in names:
            raise SuiteError(f"{names[suite.name]} and {folder} would both be the suite {suite.name!r}: rename one")
        names[suite.name] = folder


def _check_plan(methods: Sequence[Method], choice: Choice, suites: Sequence[Suite]) -> None:
    """Refuse sizes and votes that no experiment can have."""
    if not any(trials(methods, choice, linked=site.linked) for suite in suites for site in suite.sites):
        raise SuiteError("nothing to measure: all numbers of votes are above all sizes")


def _check_table(options: argparse.Namespace, suites: Sequence[Suite]) -> None:
    """Refuse a table that no report on the suites of the run and of the results file could have."""
    if options.table is None:
        return
    with _extras("the report"):
        from templex_bench.report import table_names  # noqa: PLC0415 - needs an extra
    there: set[str] = set()
    if options.results.is_file():
        with Results(options.results) as results:
            there = {run.suite for run in results.runs()}
    known = table_names({*there, *(suite.name for suite in suites)})
    if options.table not in known:
        raise SuiteError(f"no table {options.table!r}; there may be: {', '.join(known)}")


def _tell(tally: Tally, path: Path, err: TextIO) -> None:
    there = f", {tally.there:,} were there already" if tally.there else ""
    print(f"{counted(tally.made, 'experiment')} made{there}, {tally.planned:,} planned; {path}", file=err)
    if tally.made:
        print(f"They are {counted(tally.rows, 'row')} there: one for each unit that is measured.", file=err)
    if tally.failed:
        wrong = counted(tally.failed, "experiment")
        print(f"WARNING: {wrong} ended with an error, told in the column error", file=err)
    for lost in tally.lost or ():
        print(f"WARNING: not measured: {lost}", file=err)
    if tally.interrupted:
        print("Stopped before the end; the same command goes on from here.", file=err)


def _list(options: argparse.Namespace, out: TextIO, _err: TextIO) -> int:
    for name, method in all_methods().items():
        version = PEERS[name].version if name in PEERS else ""
        state = f" [{version or 'not installed'}]" if name in PEERS else ""
        print(f"{name:15} {method.kind:9} {method.target:9} {method.level:5} {method.title}{state}", file=out)
    for layout in LAYOUTS.values():
        print(f"layout {layout}", file=out)
    for folder in options.folders:
        suite = open_suite(folder)
        print(f"{folder}: suite {suite.name}, layout {suite.layout}", file=out)
        for site in suite.sites:
            print(f"    {site.name}: {counted(len(site.key_urls), 'key page')}", file=out)
    return 0


def _show(options: argparse.Namespace, out: TextIO, _err: TextIO) -> int:
    with Results(options.results) as results:
        for line in overview(results.experiments(), everything=options.all, by_category=options.by_category):
            print(line, file=out)
        for line in lost_lines(results.lost()):
            print(line, file=out)
    return 0


def _report(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    with Results(options.results) as results, _tuning(options.tuning) as tuned:
        made = _report_of(results, err, tuned, options.folder)
        if options.table is not None:
            print(_table(made, options.table), file=out, end="")
            return 0
        folder = options.folder or options.results.parent
        html = folder / "report.html"
        texts = {html: made.html(), folder / "report.md": made.markdown()}
    for path in write_reports(texts, made.mark, force=options.force):
        print(f"{path} was there and is replaced", file=err)
    for path in texts:
        print(path, file=out)
    print(f"To be looked at in a browser: {html.resolve().as_uri()}", file=err)
    return 0


def _tuning(path: Path | None) -> AbstractContextManager[TuningResults | None]:
    if path is None:
        return nullcontext()
    with _extras("the report"):
        from templex_bench.tuning.store import TuningResults  # noqa: PLC0415 - needs an extra
    return TuningResults(path)


@contextmanager
def _extras(what: str) -> Iterator[None]:
    """Says what is to be installed where an import fails."""
    try:
        yield
    except ImportError as error:
        raise ResultsError(f"{what} needs {error.name}: pip install 'templex-scrapy[workbench]'") from error


def _report_of(results: Results, err: TextIO, tuned: TuningResults | None = None, folder: Path | None = None) -> Report:
    with _extras("the report"):
        from templex_bench.report import report  # noqa: PLC0415 - needs an extra
        from templex_bench.tuning_chapter import tuning_chapter  # noqa: PLC0415
    made = replace(provenance_of(results), folder="" if folder is None else str(folder))
    if tuned is not None:
        made = replace(made, report=f"{made.report} {shlex.join(['--tuning', str(tuned.path)])}")
    present = versions_of(made.versions.keys() & all_methods().keys())
    stale = [name for name, versions in made.versions.items() if name in present and versions != (present[name],)]
    if stale:
        print(f"WARNING: other versions of the code made rows of {', '.join(stale)}: run makes them again", file=err)
    more = [] if tuned is None else [tuning_chapter(tuned)]
    return report(results.experiments(), results.linked_pages(), made, more=more, lost=results.lost())


def _table(made: Report, name: str) -> str:
    try:
        return made.table(name)
    except KeyError as error:
        raise ResultsError(str(error.args[0])) from error


def _tune(options: argparse.Namespace, out: TextIO, err: TextIO) -> int:
    with _extras("the tuning"):
        from templex_bench.tuning.command import tune  # noqa: PLC0415 - needs an extra
    suites = [_chosen(open_suite(folder), options.sites) for folder in options.folders]
    _check_suites(suites, options.folders)
    return tune(options, suites, out, err)


def _export(options: argparse.Namespace, out: TextIO, _err: TextIO) -> int:
    with Results(options.results) as results:
        for path in export(results, options.folder, options.format, force=options.force):
            print(path, file=out)
    return 0
