"""``templex diff``: which pages two crawls or cleanings have in common, and whether their content is the same."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from templex_scrapy.archives import ArchiveError, Columns, Record, read_table, text_of
from templex_scrapy.commands.terminal import exit_code, tell, write
from templex_scrapy.figures import counted, one_line

DESCRIPTION = (
    "Compare the pages of two tables by the column content_hash: outputs of templex clean, or feeds of crawls, in JSON"
    " Lines or Parquet. A line for each page that is added, removed or changed; the last line counts the pages."
)


def run(args: Sequence[str]) -> int:
    """Run the command with these arguments; return the exit code."""
    parser = argparse.ArgumentParser(prog="templex diff", description=DESCRIPTION)
    parser.add_argument("old", type=Path, metavar="OLD", help="the earlier table; a dash stands for standard input")
    parser.add_argument("new", type=Path, metavar="NEW", help="the later table")
    parser.add_argument("--json", action="store_true", help="print JSON Lines, with the unchanged pages as well")
    parser.add_argument("--url-column", default="url", metavar="NAME", help="the addresses (default url)")
    about = "the hashes (default content_hash)"
    parser.add_argument("--hash-column", default="content_hash", metavar="NAME", help=about)
    about = "texts, such as content_text: also print the lines that changed pages have lost (-) and gained (+)"
    parser.add_argument("--text-column", metavar="NAME", help=about)
    return exit_code("templex diff", partial(_run, parser.parse_args(args)))


def _run(options: argparse.Namespace) -> int:
    files = options.old, options.new
    if list(map(str, files)).count("-") > (not options.text_column):
        raise ArchiveError("standard input can be read once, and with --text-column both tables are read twice")
    old, new = (_values(file, options.url_column, options.hash_column) for file in files)
    versions = {value.partition(":")[0] for table in (old, new) for value in table.values() if value}
    if len(versions) > 1 or not all(map(str.isdigit, versions)):
        raise ArchiveError("the tables have hashes of several versions, or no hashes; hash OLD anew")
    # a page without a hash, such as a page that is too large, may have changed
    kept = {url: "unchanged" if new[url] and new[url] == old[url] else "changed" for url in new if url in old}
    changes = {url: kept.get(url, "added") for url in new} | {url: "removed" for url in old if url not in new}
    lines: dict[str, dict[str, list[str]]] = {}
    if options.text_column:
        changed = {url for url, change in changes.items() if change == "changed"}
        texts = [_values(file, options.url_column, options.text_column, changed) for file in files]
        for url in changed:
            # a line that moved is no change
            all_lines = ((" ".join(line.split()) for line in text.get(url, "").splitlines()) for text in texts)
            before, after = (Counter(filter(None, lines_of_text)) for lines_of_text in all_lines)
            lines[url] = {"lost": list((before - after).elements()), "gained": list((after - before).elements())}
    if options.json:
        rows = ({"url": url, "change": change, **lines.get(url, {})} for url, change in changes.items())
        printed = [json.dumps(row, ensure_ascii=False) for row in rows]
    else:
        printed = list(_table(changes, lines))
    write(sys.stdout, "".join(f"{line}\n" for line in printed))
    return 0


def _values(file: Path, url_column: str, column: str, only: Container[str] | None = None) -> dict[str, str]:
    """Return the values of a column by address, perhaps of some pages alone; "" for pages without a value."""
    values: dict[str, str] = {}
    skipped = 0
    for row in read_table(file, Columns(url_column, column)):
        if not isinstance(row, Record) or not row.url:
            skipped += 1
        elif only is None or row.url in only:
            values[row.url] = text_of(row.html or "")
    if skipped and only is None:
        if not values:
            raise ArchiveError(f"{file}: no row has an address in the column {url_column!r}")
        tell(f"{file}: {counted(skipped, 'row')} without an address, or damaged, left out", "templex diff")
    return values


def _table(changes: Mapping[str, str], lines: Mapping[str, Mapping[str, list[str]]]) -> Iterator[str]:
    for url, change in changes.items():
        if change != "unchanged":
            yield f"{change:<7}  {one_line(url)}"
            for mark, texts in zip("-+", lines.get(url, {}).values(), strict=False):
                yield from (f"       {mark} {one_line(text)}" for text in texts)
    counts = Counter(changes.values())
    yield ", ".join(f"{counts[change]:,} {change}" for change in ("added", "removed", "changed", "unchanged"))
