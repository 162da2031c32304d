"""``scrapy templex`` as Scrapy creates it for every command; imports the rest on use."""

from __future__ import annotations

import argparse
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, cast

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import Settings


class Command(ScrapyCommand):
    """Run the add-on in a crawl of a single page, and print the result; the exit code 141 is that of a closed pipe."""

    def syntax(self) -> str:
        """Return the usage behind the command's name."""
        return "[options] <url, file or folder> | learn <url> ... | clean <in> ... -o <out> | store <action> ..."

    def short_desc(self) -> str:
        """Return a line for the list of commands."""
        return "Find the template of a page: menu, header, footer and all that the site repeats"

    def long_desc(self) -> str:
        """Return the first paragraph of the help."""
        return (
            "Crawls a single page with the add-on and prints a summary, or an output: the page without the"
            " template. A saved page, or a folder of saved pages, needs no network. The log is off unless -L or"
            " --logfile switches it on. The exit code is 0 if a template fits, 1 if not or if there is no page,"
            " 2 for wrong usage, 130 after Ctrl-C. 'templex clean -h' shows the options of clean."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        super().add_options(parser)
        from templex_scrapy.commands import page_command  # noqa: PLC0415 - see the module's docstring

        page_command.add_options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the options and write them into the settings.

        Raises:
            UsageError: if an option, a setting or the number of arguments is wrong.
        """
        # a process would log Scrapy's versions
        self.requires_crawler_process = args[:1] not in (["clean"], ["store"])
        # the parser of clean reads the rest of the arguments
        if args[:1] != ["clean"]:
            super().process_options(args, opts)
            from templex_scrapy.commands import page_command  # noqa: PLC0415 - see the module's docstring

            page_command.prepare(args, opts, cast("Settings", self.settings))

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the command; set ``exitcode``."""
        from templex_scrapy.commands import clean, page_command, terminal  # noqa: PLC0415 - see the module's docstring

        if args[:1] == ["clean"]:
            # Scrapy has read the options that both commands have
            taken = [pair for pair in (("--output", opts.output), ("--store", opts.store)) if pair[1]]
            self.exitcode = clean.run([*args[1:], *chain.from_iterable(taken)], "scrapy templex clean")
            return
        settings, process = cast("Settings", self.settings), cast("AsyncCrawlerProcess", self.crawler_process)
        self.exitcode = terminal.exit_code("scrapy templex", partial(page_command.run, args, opts, settings, process))
