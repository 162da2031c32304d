"""Scrapy's `crawl`, which tells wrong spider arguments in one line instead of a traceback."""

from __future__ import annotations

import argparse
import inspect

from scrapy.commands import crawl
from scrapy.exceptions import UsageError


class Command(crawl.Command):
    """`scrapy crawl`; a spider class with a `check_arguments` is asked before the crawl is set up."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Runs the spider, or says what is wrong with its arguments (exit code 2)."""
        check = getattr(self._spider_class(args), "check_arguments", None)
        if check is not None:
            try:
                inspect.signature(check).bind(**opts.spargs)
                check(**opts.spargs)
            except (TypeError, ValueError) as error:
                message = f"wrong spider argument: {error}"
                raise UsageError(message, print_help=False) from error
        super().run(args, opts)

    def _spider_class(self, args: list[str]) -> object:
        loader = self.crawler_process.spider_loader if self.crawler_process else None
        return loader.load(args[0]) if loader and args and args[0] in loader.list() else None
