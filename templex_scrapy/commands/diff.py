"""``templex diff``: which pages two crawls or cleanings have in common, and whether their content is the same."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from templex_scrapy.archives import ArchiveError, Columns, Record, read_table, text_of
from templex_scrapy.commands.terminal import printable, tell, write_text
from templex_scrapy.figures import counted

DESCRIPTION = (
    "Compare the pages of two tables by the column content_hash: outputs of templex clean, or feeds of crawls, in JSON"
    " Lines or Parquet. A line for each page that is added, removed or changed; the last line counts the pages."
)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    parser = argparse.ArgumentParser(prog="templex diff", description=DESCRIPTION)
    parser.add_argument("old", type=Path, metavar="OLD", help="the earlier table; a dash stands for standard input")
    parser.add_argument("new", type=Path, metavar="NEW", help="the later table")
    parser.add_argument("--json", action="store_true", help="print JSON Lines, with the unchanged pages as well")
    parser.add_argument("--url-column", default="url", metavar="NAME", help="the addresses (default url)")
    about = "the hashes (default content_hash)"
    parser.add_argument("--hash-column", default="content_hash", metavar="NAME", help=about)
    return parser


def run(args: Sequence[str]) -> int:
    """Run the command with its arguments; return its exit code."""
    asked = parser().parse_args(args)
    try:
        old, new = (_hashes(file, Columns(asked.url_column, asked.hash_column)) for file in (asked.old, asked.new))
        _check_versions(filter(None, chain(old.values(), new.values())))
        changes = _changes(old, new)
        told = (json.dumps({"url": url, "change": change}, ensure_ascii=False) for url, change in changes)
        lines = told if asked.json else _table(changes)
        write_text(sys.stdout, "".join(f"{line}\n" for line in lines))
    except (ArchiveError, ImportError, OSError) as error:
        # the reader takes the hashes for pages
        tell(str(error).replace("--html-column", "--hash-column"), "templex diff")
        return 1
    return 0


def _hashes(file: Path, columns: Columns) -> dict[str, str]:
    """Return the hashes of a table by address; "" for pages without a hash."""
    hashes: dict[str, str] = {}
    skipped = 0
    for row in read_table(file, columns):
        if isinstance(row, Record) and row.url:
            hashes[row.url] = text_of(row.html or "")
        else:
            skipped += 1
    if skipped and not hashes:
        raise ArchiveError(f"{file}: no row has an address in the column {columns.url!r}")
    if skipped:
        tell(f"{file}: {counted(skipped, 'row')} without an address, or damaged, left out", "templex diff")
    return hashes


def _check_versions(hashes: Iterable[str]) -> None:
    versions = set()
    for content_hash in hashes:
        version, mark, _ = content_hash.partition(":")
        if not (mark and version.isdigit()):
            raise ArchiveError(f"{printable(content_hash[:80])!r} is no content_hash")
        versions.add(version)
    if len(versions) > 1:
        told = " and ".join(sorted(versions))
        raise ArchiveError(f"hashes of versions {told} tell nothing of each other; hash OLD anew")


def _changes(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each page and what became of it, those of the new table first, in its order."""
    for url, content_hash in new.items():
        if url not in old:
            yield url, "added"
        else:
            # a page without a hash, such as a page that is too large, may have changed
            yield url, "unchanged" if content_hash and content_hash == old[url] else "changed"
    yield from ((url, "removed") for url in old if url not in new)


def _table(changes: Iterable[tuple[str, str]]) -> Iterator[str]:
    counts = Counter[str]()
    for url, change in changes:
        counts[change] += 1
        if change != "unchanged":
            yield f"{change:<7}  {printable(url)}"
    yield ", ".join(f"{counts[change]:,} {change}" for change in ("added", "removed", "changed", "unchanged"))
