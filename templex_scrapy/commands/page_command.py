"""``scrapy templex`` for a page: read the options, and print the result."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.exceptions import UsageError
from scrapy.utils.spider import spidercls_for_request

from templex_scrapy.commands import learn, store
from templex_scrapy.commands.page_crawl import PageSpider
from templex_scrapy.commands.page_result import OUTPUTS, clean_saved, stored_templates
from templex_scrapy.commands.terminal import Progress, UnusableError, tell, write
from templex_scrapy.crawl import TemplexSettings, TemplexSettingsError

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import Settings

_WEB = ("http://", "https://")


def json_object(text: str) -> dict[str, Any]:
    """Read an object in JSON."""
    read = json.loads(text)
    if not isinstance(read, dict):
        raise TypeError
    return read


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options. No help text has a line that ends with a colon: Scrapy would make it a heading."""
    parser.add_argument(
        "--output",
        metavar="NAME",
        help=f"print this in place of the summary: {', '.join(OUTPUTS)}. A view opens in the browser, unless standard"
        " output is a pipe or a file",
    )
    parser.add_argument(
        "--store",
        metavar="STORE",
        help="use the templates of this store, an SQLite file or a redis:// URL (default TEMPLEX_STORE); for a page"
        " it is only read",
    )
    parser.add_argument("--spider", metavar="NAME", help="use the settings of this spider of the project")
    about = "Request.meta of all requests, such as '{\"playwright\":true}'"
    parser.add_argument("--meta", metavar="JSON", type=json_object, default="{}", help=about)
    parser.add_argument_group("Learn once, crawl many", learn.DESCRIPTION)
    parser.add_argument_group("Stored templates", store.DESCRIPTION)


def prepare(args: list[str], opts: argparse.Namespace, settings: Settings) -> None:
    """Check the options and write them into the settings.

    Raises:
        UsageError: if an option, a setting or the number of arguments is wrong.
    """
    # log and progress would share the terminal
    if not (opts.loglevel or opts.logfile):
        settings.set("LOG_ENABLED", value=False, priority="cmdline")
    if args[:1] in (["learn"], ["store"]):
        opts.store = opts.store or store.store_of(settings)
        if opts.store is None:
            raise UsageError("which store? Set TEMPLEX_STORE or JOBDIR, or name it with --store", print_help=False)
    elif len(args) != 1 or not args[0]:
        raise UsageError(f"one URL, file or folder is needed, not {len(args)}")
    elif opts.spider and not args[0].lower().startswith(_WEB):
        raise UsageError("--spider is for pages from the web", print_help=False)
    elif opts.output not in {None, *OUTPUTS}:
        raise UsageError(f"--output {opts.output}: there are {', '.join(OUTPUTS)}", print_help=False)
    if opts.store is not None:
        settings.set("TEMPLEX_STORE", opts.store, priority="cmdline")
    try:
        # checked here, because a crawl would end with a traceback
        TemplexSettings.from_crawler_settings(settings)
    except TemplexSettingsError as error:
        raise UsageError(str(error), print_help=False) from error
    # these two decide how Scrapy starts the crawl; the crawl has all other settings
    reactor = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"
    settings.setdict({"FORCE_CRAWLER_PROCESS": False, "TWISTED_REACTOR": reactor}, priority="cmdline")


def run(args: list[str], opts: argparse.Namespace, settings: Settings, process: AsyncCrawlerProcess) -> int:
    """Run the command whose options :func:`prepare` has checked, and return the exit code."""
    if args[0] == "store":
        return store.run(args[1:], opts.store)
    try:
        if args[0] == "learn":
            return learn.run(args[1:], opts, process, _model(opts, process))
        return _run(args[0], opts, settings, process)
    # of a spider
    except TemplexSettingsError as error:
        raise UsageError(str(error), print_help=False) from error


def _run(page: str, opts: argparse.Namespace, settings: Settings, process: AsyncCrawlerProcess) -> int:
    where = store.store_of(settings)
    # a page may be looked at before the first crawl of the project makes the store
    if not opts.store and where and "://" not in where and not Path(where).exists():
        where = None
    with Progress("scrapy templex") as progress:
        if page.lower().startswith(_WEB):
            stored_templates(where, page)  # raises StoreError before any request is made
            model = _model(opts, process, page)
            spider = PageSpider.of(model, url=page, meta=opts.meta, store=where, progress=progress)
            result = spider.run(process).result()
        elif Path(page).exists():
            result = clean_saved(Path(page), TemplexSettings.from_crawler_settings(settings), where, progress)
        else:
            raise UnusableError(f"{page}: no such file or folder; pages on the web begin with https:// or http://")
        # made before anything is printed
        printed: Any = result.summary() if opts.output is None else result.output(opts.output)
    if opts.output == "view" and sys.stdout.isatty():
        file = Path(tempfile.mkdtemp(prefix="templex-"), "view.html")
        file.write_bytes(printed)
        webbrowser.open(file.as_uri())
        printed = f"{file}\n"
    # outputs are printed all the same, but a script sees that there was no template
    if result.match.fits or opts.output is not None:
        write(sys.stdout, printed)
    if not result.match.fits:
        tell(f"{result.match.page.url}: no template: {result.why_not}", "scrapy templex")
    return 0 if result.match.fits else 1


def _model(opts: argparse.Namespace, process: AsyncCrawlerProcess, url: str = "") -> type[Spider] | None:
    """Return the spider whose settings are used: that of ``--spider``, or that of the project for a page."""
    if not opts.spider:
        return spidercls_for_request(process.spider_loader, Request(url)) if url else None
    try:
        return process.spider_loader.load(opts.spider)
    except KeyError as error:
        raise UsageError(f"there is no spider {opts.spider!r}", print_help=False) from error
