"""``templex diff``: which pages two crawls or cleanings have in common, and whether their content is the same."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from templex_scrapy.archives import ArchiveError, Columns, Record, read_table, text_of
from templex_scrapy.commands.terminal import printable, tell, write_text
from templex_scrapy.figures import counted

DESCRIPTION = (
    "Compare the pages of two tables by the column content_hash: outputs of templex clean, or feeds of crawls, in JSON"
    " Lines or Parquet. A line for each page that is added, removed or changed; the last line counts the pages."
)
_Lines = tuple[list[str], list[str]]
_CONTEXT = 3  # words that are shown before and behind those that differ


def run(args: Sequence[str]) -> int:
    """Run the command with its arguments; return its exit code."""
    parser = argparse.ArgumentParser(prog="templex diff", description=DESCRIPTION)
    parser.add_argument("old", type=Path, metavar="OLD", help="the earlier table; a dash stands for standard input")
    parser.add_argument("new", type=Path, metavar="NEW", help="the later table")
    parser.add_argument("--json", action="store_true", help="print JSON Lines, with the unchanged pages as well")
    parser.add_argument("--url-column", default="url", metavar="NAME", help="the addresses (default url)")
    about = "the hashes (default content_hash)"
    parser.add_argument("--hash-column", default="content_hash", metavar="NAME", help=about)
    about = "texts, such as content_text: also print the lines that changed pages have lost (-) and gained (+)"
    parser.add_argument("--text-column", metavar="NAME", help=about)
    options = parser.parse_args(args)
    try:
        write_text(sys.stdout, "".join(f"{line}\n" for line in _compared(options)))
    except (ArchiveError, ImportError, OSError) as error:
        # the reader takes hashes and texts for pages
        tell(str(error).replace("--html-column", "--hash-column, --text-column"), "templex diff")
        return 1
    return 0


def _compared(options: argparse.Namespace) -> Iterable[str]:
    """Return the lines to print."""
    files = options.old, options.new
    if list(map(str, files)).count("-") > (not options.text_column):
        raise ArchiveError("standard input can be read once, and with --text-column both tables are read twice")
    old, new = (_values(file, Columns(options.url_column, options.hash_column)) for file in files)
    _check_versions(filter(None, chain(old.values(), new.values())))
    # a page without a hash, such as a page that is too large, may have changed
    kept = {url: "unchanged" if new[url] and new[url] == old[url] else "changed" for url in new if url in old}
    changes = {url: kept.get(url, "added") for url in new} | {url: "removed" for url in old if url not in new}
    differences: dict[str, _Lines] = {}
    if options.text_column:
        changed = {url for url, change in changes.items() if change == "changed"}
        texts = [_values(file, Columns(options.url_column, options.text_column), changed) for file in files]
        differences = {url: changed_lines(*(text.get(url, "") for text in texts)) for url in changed}
    if not options.json:
        return _table(changes, differences)
    rows = ({"url": url, "change": change} for url, change in changes.items())
    lines = {url: {"lost": lost, "gained": gained} for url, (lost, gained) in differences.items()}
    return (json.dumps(row | lines.get(row["url"], {}), ensure_ascii=False) for row in rows)


def _values(file: Path, columns: Columns, only: Container[str] | None = None) -> dict[str, str]:
    """Return the values of a column by address, perhaps of some pages alone; "" for pages without a value."""
    values: dict[str, str] = {}
    skipped = repeated = 0
    for row in read_table(file, columns):
        if isinstance(row, Record) and row.url:
            if only is None or row.url in only:
                value = text_of(row.html or "")
                repeated += values.get(row.url, value) != value
                values[row.url] = value
        else:
            skipped += 1
    if skipped and not values and only is None:
        raise ArchiveError(f"{file}: no row has an address in the column {columns.url!r}")
    if skipped and only is None:
        tell(f"{file}: {counted(skipped, 'row')} without an address, or damaged, left out", "templex diff")
    if repeated and only is None:
        tell(f"{file}: {counted(repeated, 'row')} with another hash than the row of the address before", "templex diff")
    return values


def _check_versions(hashes: Iterable[str]) -> None:
    versions = set()
    for content_hash in hashes:
        version, mark, _ = content_hash.partition(":")
        if not (mark and version.isdigit()):
            raise ArchiveError(f"{printable(content_hash[:80])!r} is no content_hash")
        versions.add(version)
    if len(versions) > 1:
        listed = " and ".join(sorted(versions))
        raise ArchiveError(f"hashes of versions {listed} tell nothing of each other; hash OLD anew")


def changed_lines(old: str, new: str) -> tuple[list[str], list[str]]:
    """Return the lines that a text has lost, and those that it has gained, wherever they are; O(characters).

    If they are as many, each pair that has half of the words in common is cut to the words that differ, with some words
    of context.
    """
    before, after = (
        Counter(" ".join(line.split()) for line in text.splitlines() if line.strip()) for text in (old, new)
    )
    lost, gained = list((before - after).elements()), list((after - before).elements())
    if len(lost) == len(gained):
        pairs = [_cut(*pair) for pair in zip(lost, gained, strict=True)]
        return [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return lost, gained


def _cut(old: str, new: str) -> tuple[str, str]:
    texts = old.split(), new.split()
    start = _common(*texts)
    end = _common(*(text[: start - 1 if start else None : -1] for text in texts))
    if 2 * (start + end) < max(map(len, texts)):
        return old, new

    def cut(words: list[str]) -> str:
        first, last = max(start - _CONTEXT, 0), len(words) - max(end - _CONTEXT, 0)
        return " ".join([*(["…"] if first else []), *words[first:last], *(["…"] if last < len(words) else [])])

    return cut(texts[0]), cut(texts[1])


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    """Return the number of words with which both begin."""
    return next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def _table(changes: Mapping[str, str], lines: Mapping[str, _Lines]) -> Iterator[str]:
    for url, change in changes.items():
        if change != "unchanged":
            yield f"{change:<7}  {printable(url)}"
            for mark, texts in zip("-+", lines.get(url, ()), strict=False):
                yield from (f"       {mark} {printable(text)}" for text in texts)
    counts = Counter(changes.values())
    yield ", ".join(f"{counts[change]:,} {change}" for change in ("added", "removed", "changed", "unchanged"))
