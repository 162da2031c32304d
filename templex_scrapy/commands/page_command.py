"""``scrapy templex`` for a page: read the options, and print the result."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

from scrapy import Request, Spider
from scrapy.exceptions import UsageError
from scrapy.utils.spider import spidercls_for_request

from templex_scrapy.archives import ArchiveError
from templex_scrapy.commands import learn, store
from templex_scrapy.commands.page_crawl import PageSpider
from templex_scrapy.commands.page_result import OUTPUTS, clean_saved
from templex_scrapy.commands.project_crawl import UnusableError
from templex_scrapy.commands.terminal import BROKEN_PIPE, INTERRUPTED, Progress, discard_output, tell, write_bytes
from templex_scrapy.crawl import TemplexSettings, TemplexSettingsError
from templex_scrapy.stores import StoreError, check_store

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import Settings

PAGE = "page"
"""The command for a page, whose first argument is the page."""

_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"


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
    parser.add_argument("--meta", metavar="JSON", help="Request.meta of all requests, such as '{\"playwright\":true}'")
    parser.add_argument_group("Learn once, crawl many", learn.DESCRIPTION)
    parser.add_argument_group("Stored templates", store.DESCRIPTION)


def prepare(args: list[str], opts: argparse.Namespace, settings: Settings) -> tuple[str, list[str]]:
    """Check the options and write them into the settings.

    Returns:
        The command, which is :data:`PAGE`, "learn" or "store", and the arguments of the command.

    Raises:
        UsageError: if an option, a setting or the number of arguments is wrong.
    """
    # log and progress would share the terminal
    if not (opts.loglevel or opts.logfile or any(option.startswith("LOG_") for option in opts.set)):
        settings.set("LOG_ENABLED", value=False, priority="cmdline")
    # the parser of the store checks the arguments
    if args[:1] == [store.NAME]:
        return store.NAME, args[1:]
    # Scrapy passes unknown options on
    if unknown := [arg for arg in args if arg.startswith("-") and arg != "--"]:
        raise UsageError(f"unrecognised option {unknown[0]}")
    args = [arg for arg in args if arg != "--"]
    if args[:1] == [learn.NAME]:
        command, args = learn.NAME, args[1:]
        opts.store = store.asked_store(opts, settings)
    else:
        command = PAGE
        _check_page(args, opts)
    try:
        opts.meta = json.loads(opts.meta or "{}")
        # checked here, because a crawl would end with a traceback
        TemplexSettings.from_crawler_settings(settings)
        if opts.store is not None:
            check_store(opts.store)
    except json.JSONDecodeError as error:
        raise UsageError(f"--meta is no JSON: {error}", print_help=False) from error
    except TemplexSettingsError as error:
        raise UsageError(str(error), print_help=False) from error
    except (ValueError, ImportError) as error:
        raise UsageError(f"--store: {error}", print_help=False) from error
    if not isinstance(opts.meta, dict):
        raise UsageError("--meta is no JSON object", print_help=False)
    # these two decide how Scrapy starts the crawl; the crawl has all other settings
    settings.setdict({"FORCE_CRAWLER_PROCESS": False, "TWISTED_REACTOR": _REACTOR}, priority="cmdline")
    return command, args


def _check_page(args: list[str], opts: argparse.Namespace) -> None:
    if len(args) != 1 or not args[0]:
        raise UsageError(f"one URL, file or folder is needed, not {len(list(filter(None, args)))}")
    if opts.spider and not _is_web_address(args[0]):
        raise UsageError("--spider is for pages from the web", print_help=False)
    if opts.output not in {None, *OUTPUTS}:
        raise UsageError(f"--output {opts.output}: there are {', '.join(OUTPUTS)}", print_help=False)


def _is_web_address(page: str) -> bool:
    return page.lower().startswith(("http://", "https://"))


def run(
    command: str, args: list[str], opts: argparse.Namespace, settings: Settings, process: AsyncCrawlerProcess
) -> int:
    """Run a command that :func:`prepare` has returned, and return the exit code; the process runs a crawl."""
    try:
        if command == store.NAME:
            return store.run(args, opts, settings)
        if command == learn.NAME:
            return learn.run(args, opts, process, _model(opts, process))
        return _run(args[0], opts, settings, process)
    except BrokenPipeError:
        discard_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        tell("interrupted")
        return INTERRUPTED
    except OSError as error:
        tell(f"{error.filename}: {error.strerror}" if error.filename is not None else str(error))
    except (UnusableError, ArchiveError, StoreError) as error:
        tell(str(error))
    return 1


def _run(page: str, opts: argparse.Namespace, settings: Settings, process: AsyncCrawlerProcess) -> int:
    where = opts.store or store.store_of(settings)
    # a page may be looked at before the first crawl of the project makes the store
    if not opts.store and where and "://" not in where and not Path(where).exists():
        where = None
    with Progress() as progress:
        if _is_web_address(page):
            spider = PageSpider.of(
                _model(opts, process, page), url=page, meta=opts.meta, store=where, progress=progress
            )
            result = spider.run(process).result()
        else:
            # browsers give saved pages a file: address
            parts = urlsplit(page)
            path = Path(url2pathname(parts.path) if parts.scheme == "file" else page)
            if not path.exists():
                begin = "pages on the web begin with https:// or http://"
                raise UnusableError(f"{page}: no such file or folder; {begin}")
            result = clean_saved(path, TemplexSettings.from_crawler_settings(settings), where, progress)
        # made before anything is printed
        printed = result.summary().encode() if opts.output is None else result.output(opts.output)
    if opts.output == "view" and sys.stdout.isatty():
        with tempfile.NamedTemporaryFile(prefix="templex-", suffix=".html", delete=False) as file:
            file.write(printed)
        webbrowser.open(Path(file.name).as_uri())
        printed = f"{file.name}\n".encode()
    # outputs are printed all the same, but a script sees that there was no template
    if result.match.fits or opts.output is not None:
        write_bytes(sys.stdout, printed)
    if not result.match.fits:
        tell(f"{result.label}: no template: {result.why_not}")
    return 0 if result.match.fits else 1


def _model(opts: argparse.Namespace, process: AsyncCrawlerProcess, url: str = "") -> type[Spider] | None:
    """Return the spider whose settings are used: that of ``--spider``, or that of the project for a page."""
    try:
        request = Request(url) if url else None
    except ValueError as error:
        raise UnusableError(f"{url}: no address of a page") from error
    if not opts.spider:
        return None if request is None else spidercls_for_request(process.spider_loader, request)
    try:
        return process.spider_loader.load(opts.spider)
    except KeyError as error:
        raise UsageError(f"there is no spider {opts.spider!r}", print_help=False) from error
