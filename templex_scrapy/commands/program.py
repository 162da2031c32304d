"""The program ``templex``, which needs neither a project nor a crawl: ``templex clean`` and ``templex diff``."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from templex_scrapy.commands import clean, diff
from templex_scrapy.commands.terminal import write
from templex_scrapy.compiled import running

USAGE = "usage: templex clean IN ... -o OUT\n       templex diff OLD NEW\n\ntemplex clean -h shows the options\n"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the program; return the exit code."""
    argv = sys.argv[1:] if argv is None else argv
    match argv:
        case ["clean", *options]:
            return clean.run(options, "templex clean")
        case ["diff", *options]:
            return diff.run(options)
        case ["--version"]:
            write(sys.stdout, f"{running()}\n")
            return 0
    write(sys.stderr, USAGE)
    return 0 if argv[:1] in (["-h"], ["--help"]) else 2
