"""Scrapy's `crawl`, which reports wrong spider arguments in one line instead of a traceback."""

from __future__ import annotations

import argparse
import inspect

from scrapy.commands import crawl
from scrapy.exceptions import UsageError


class Command(crawl.Command):
    """`scrapy crawl`; the `check_arguments` of a spider class is called before the crawl is set up."""

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the spider, or say what is wrong with its arguments (exit code 2)."""
        check = getattr(self._spider_class(args), "check_arguments", None)
        if check is not None:
            try:
                inspect.signature(check).bind(**opts.spargs)
                check(**opts.spargs)
            except (TypeError, ValueError) as error:
                raise UsageError(f"wrong spider argument: {error}", print_help=False) from error
        super().run(args, opts)

    def _spider_class(self, args: list[str]) -> object:
        loader = self.crawler_process.spider_loader if self.crawler_process else None
        return loader.load(args[0]) if loader and args and args[0] in loader.list() else None
