"""``scrapy templex``, as Scrapy makes it for whatever it does: what takes long to import comes when it is used."""

from __future__ import annotations

import argparse
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, cast

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import Settings

    from templex_scrapy.commands.job import Job


class Command(ScrapyCommand):
    """Fetches a page, searches its template, and shows or writes what was found.

    Exit codes: 0, found; 1, not found or not fetched, with one line on standard error; 2, wrong usage; 130,
    interrupted; 141, nobody reads the output any more.
    """

    default_settings: ClassVar[dict[str, Any]] = {}

    def syntax(self) -> str:
        """What follows the command's name."""
        return "[options] <url, file or folder> | store <action> ..."

    def short_desc(self) -> str:
        """One line for the list of commands."""
        return "Find the template of a page: menu, header, footer and what else its site repeats"

    def long_desc(self) -> str:
        """What the help begins with."""
        return (
            "Fetches a page as the project's spiders do, searches its template among the pages that it links to, and"
            " prints what was found. A saved page, or a folder of saved pages, works without a network; its links are"
            " looked up in the folder. With one of the outputs, that alone goes to standard output. The log is off"
            " unless -L or --logfile asks for it. The exit code is 0 if a template was found, 1 if not, or if there was"
            " no page, 2 for wrong usage, 130 after Ctrl-C."
        )

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options."""
        super().add_options(parser)
        self._job.add_options(parser)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the options and make settings of them.

        Raises:
            UsageError: if an option, a setting or the number of arguments is wrong.
            SystemExit: if help is asked for, once it is given.
        """
        if opts.help:
            self._job.show_help(args)
        super().process_options(args, opts)
        self.requires_crawler_process = self._job.prepare(args, opts)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do what was asked for; the exit code is left in ``exitcode``."""
        self.exitcode = self._job.run(args, opts, cast("AsyncCrawlerProcess | None", self.crawler_process))

    @cached_property
    def _job(self) -> Job:
        from templex_scrapy.commands.job import Job  # noqa: PLC0415 - Scrapy loads all commands, whichever it runs

        return Job(cast("Settings", self.settings))  # set by Scrapy before it calls anything
