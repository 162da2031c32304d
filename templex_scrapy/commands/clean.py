"""``templex clean`` and ``scrapy templex clean``: clean stored pages, without a crawl and without a project."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from cssselect import SelectorError

from templex_scrapy.archives import RESUMED, STREAM, Columns, Counts, Grouped, Options, Outcome, clean_archives
from templex_scrapy.commands.terminal import Progress, exit_code, tell, write
from templex_scrapy.figures import counted, one_line, share
from templex_scrapy.files import written_whole
from templex_scrapy.render import OUTPUT_NAMES
from templex_scrapy.stores import check_store
from templex_scrapy.template import Selectors

DESCRIPTION = (
    "Learn the templates of the sites in an archive, and clean the pages. IN is a folder of pages (also the cache of"
    " Scrapy), a WARC or WACZ file, JSON Lines or Parquet; OUT is JSON Lines or Parquet, by its ending. A dash stands"
    " for standard input or output, with JSON Lines. An interrupted run resumes when it is started again."
)


def parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of the command with this name."""
    parser = argparse.ArgumentParser(prog=name, description=DESCRIPTION)
    parser.add_argument("inputs", nargs="+", type=Path, metavar="IN", help="a file or a folder")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="OUT", help="the file to write")
    about = f"columns to write; outputs are {', '.join(OUTPUT_NAMES)} (default html=html)"
    parser.add_argument("--outputs", nargs="+", metavar="COLUMN=OUTPUT", help=about)
    for option, when in (("preserve", "never"), ("remove", "always")):
        about = f"elements that are {when} removed; may be repeated"
        parser.add_argument(f"--{option}", action="append", default=[], metavar="CSS", help=about)
    parser.add_argument("--url-column", default="url", metavar="NAME", help="in tables, the addresses (default url)")
    parser.add_argument("--html-column", default="html", metavar="NAME", help="in tables, the pages (default html)")
    about = "use and keep the templates of this store, an SQLite file or a redis:// URL"
    parser.add_argument("--store", metavar="STORE", help=about)
    parser.add_argument("--report", type=Path, metavar="FILE", help="the crawl report to write, an HTML file")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes that learn and clean (default 1)")
    return parser


def run(args: Sequence[str], name: str) -> int:
    """Run the command with this name; return the exit code."""
    of_command = parser(name)
    asked = of_command.parse_args(args)
    return exit_code(name, partial(_run, asked, _options(of_command, asked), name))


def _run(asked: argparse.Namespace, options: Options, name: str) -> int:
    begun = time.monotonic()

    def progress(step: str, pages: int) -> None:
        if step == RESUMED:
            tell(f"resuming: an earlier run has read {pages:,} pages", name)
        show(step, f"{pages:,} pages")

    report = None
    if asked.report is not None:
        from templex_scrapy.inspect import ArchiveReport  # noqa: PLC0415 - imports Scrapy; the rest does not

        report = ArchiveReport()
    with Progress(name) as show:
        run_of = asked.inputs, asked.output, options, progress
        grouped, counts = clean_archives(*run_of, jobs=asked.jobs, report=report)
    # the summary comes if the report fails, and the report if a pipe is closed
    try:
        if report is not None:
            with written_whole(asked.report) as file:
                file.write(report.document(asked.output.name, counts).encode("utf-8"))
    finally:
        to = sys.stderr if asked.output == STREAM else sys.stdout
        write(to, "".join(f"{line}\n" for line in summary(grouped, counts, time.monotonic() - begun)))
    return 0


def _options(parser: argparse.ArgumentParser, asked: argparse.Namespace) -> Options:
    outputs = {}
    for pair in asked.outputs or [f"{asked.html_column}=html"]:
        column, mark, output = pair.partition("=")
        if not (column and mark and output in OUTPUT_NAMES):
            parser.error(f"--outputs {pair}: not COLUMN=OUTPUT; outputs are {', '.join(OUTPUT_NAMES)}")
        outputs[column] = output
    # rows would lose their addresses
    if asked.url_column in outputs:
        parser.error(f"--outputs: {asked.url_column} is the column of the addresses")
    try:
        Selectors(asked.preserve, asked.remove)
        if asked.store is not None:
            check_store(asked.store)
    except SelectorError as error:
        parser.error(f"--preserve and --remove take CSS selectors: {error}")
    except (ValueError, ImportError) as error:
        parser.error(f"--store: {error}")
    if asked.jobs < 1:
        parser.error("--jobs is at least 1")
    # not after hours of work
    if asked.report is not None and not asked.report.absolute().parent.is_dir():
        parser.error(f"--report {asked.report}: its folder does not exist")
    _check_files(parser, asked)
    preserve, remove = map(tuple, (asked.preserve, asked.remove))
    columns = Columns(asked.url_column, asked.html_column)
    return Options(outputs=outputs, preserve=preserve, remove=remove, columns=columns, store=asked.store)


def _check_files(parser: argparse.ArgumentParser, asked: argparse.Namespace) -> None:
    """End the command if a file would replace another, or count as a page when the run is resumed."""
    inputs = [source.resolve() for source in asked.inputs if source != STREAM]
    taken = list(inputs)
    store = None if asked.store is None or "://" in asked.store else Path(asked.store)
    for option, file in (("--output", asked.output), ("--report", asked.report), ("--store", store)):
        if file in {None, STREAM}:
            continue
        if file.resolve() in taken:
            parser.error(f"{option} {file}: another argument names it too")
        # tables in a folder are no pages
        if file is not asked.output and not set(inputs).isdisjoint(file.resolve().parents):
            parser.error(f"{option} {file}: it is in a folder of pages, and would count as a page")
        taken.append(file.resolve())


def summary(grouped: Grouped, counts: Counts, seconds: float) -> Iterator[str]:
    """Yield the lines of the summary."""
    numbers = [(counts.outcomes[outcome], outcome) for outcome in Outcome]
    became = ", ".join(f"{n:,} {outcome}" for n, outcome in numbers if n or outcome is Outcome.CLEANED)
    yield f"Pages: {counts.pages:,} of {counted(counts.sites, 'site')}, of which {became}"
    yield f"Templates: {counts.templates:,}"
    before, after = counts.words_before, counts.words_after
    if before:
        removed = share(before, after)
        yield f"Words of the pages that fit a template: {before:,} before, {after:,} after ({removed} removed)"
    if grouped.skipped:
        passed = ", ".join(f"{n:,} {why}" for why, n in sorted(grouped.skipped.items()))
        yield f"Passed over: {passed}"
        yield from (f"  the first {why}: {one_line(grouped.places[why])}" for why in sorted(grouped.skipped))
    yield f"Time: {seconds:.0f} s, {counts.pages / max(seconds, 0.001):,.0f} pages/s"
