"""``scrapy templex`` for a page: its options, the crawl of the page, and where its outputs are written."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from scrapy import Request, Spider
from scrapy.exceptions import UsageError
from scrapy.utils.spider import spidercls_for_request

from templex_scrapy.archives import ArchiveError, SavedSite
from templex_scrapy.commands import learn, store
from templex_scrapy.commands.page_crawl import PageRequest, crawl_page
from templex_scrapy.commands.page_result import summary
from templex_scrapy.commands.project_crawl import UnusableError
from templex_scrapy.commands.terminal import (
    BROKEN_PIPE,
    INTERRUPTED,
    Progress,
    check_output_file,
    discard_output,
    tell,
    write_bytes,
    write_text,
)
from templex_scrapy.crawl import TemplexSettings, TemplexSettingsError
from templex_scrapy.page import running
from templex_scrapy.stores import StoreError, check_store

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import Settings
    from scrapy.spiderloader import SpiderLoaderProtocol

_SETTINGS = {"size": "TEMPLEX_CS_SIZE", "votes": "TEMPLEX_VOTES", "max_loads": "TEMPLEX_MAX_LOADS"}
"""Option → the setting that it sets."""

_REACTOR = "twisted.internet.asyncioreactor.AsyncioSelectorReactor"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare the options.

    Scrapy makes a heading of a line of the help that ends with a colon, so there are none.
    """
    parser.add_argument(
        "--version", action="version", version=running(), help="show the version, and whether it is compiled"
    )
    crawl = parser.add_argument_group("Search")
    for option, help_ in (
        ("size", "pages that must link to each other (default TEMPLEX_CS_SIZE)"),
        ("votes", "pages that must agree on a node (default TEMPLEX_VOTES)"),
        ("max-loads", "pages to load at most (default TEMPLEX_MAX_LOADS)"),
    ):
        crawl.add_argument(f"--{option}", type=int, metavar="N", help=help_)
    crawl.add_argument(
        "--store",
        metavar="STORE",
        help="use the templates of this store, an SQLite file or a redis:// URL (default TEMPLEX_STORE); for a page"
        " it is only read",
    )
    crawl.add_argument("--spider", metavar="NAME", help="use the settings of this spider of the project")
    crawl.add_argument("--meta", metavar="JSON", help="Request.meta of all requests, such as '{\"playwright\":true}'")
    output = parser.add_argument_group("Output")
    forms = output.add_mutually_exclusive_group()
    for form, what in (
        ("html", "the page without its template"),
        ("text", "what is left, as text"),
        ("markdown", "what is left, as Markdown"),
        ("template", "the template as a page of its own"),
        ("annotated", "the whole page, with the class template_node on the template"),
        ("json", "everything as JSON"),
        ("view", "the page with what is removed, and why; without -o it is opened in the browser"),
    ):
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form, help=what)
    output.add_argument(
        "--content", action="store_true", help="with --html, --text or --markdown: the main content alone"
    )
    output.add_argument("-o", "--output", metavar="FILE", help="write to this file; - is standard output")
    parser.add_argument_group("Learn once, crawl many", learn.DESCRIPTION)
    parser.add_argument_group("Stored templates", store.DESCRIPTION)


def prepare(args: list[str], opts: argparse.Namespace, settings: Settings) -> bool:
    """Check the options and write them into the settings; return whether a crawl is needed.

    Raises:
        UsageError: if an option, a setting or the number of arguments is wrong.
    """
    # the log is written to the terminal as the progress is
    if not (opts.loglevel or opts.logfile or any(option.startswith("LOG_") for option in opts.set)):
        settings.set("LOG_ENABLED", value=False, priority="cmdline")
    # its arguments are checked by its own parser
    if args[:1] == [store.NAME]:
        return False
    _check_arguments(args, opts, settings)
    _check_outputs(opts)
    opts.meta = _meta(opts.meta)
    for option, setting in _SETTINGS.items():
        if getattr(opts, option) is not None:
            settings.set(setting, getattr(opts, option), priority="cmdline")
    # before a crawl is begun, which would end with a traceback
    try:
        TemplexSettings.from_crawler_settings(settings)
        if opts.store is not None:
            check_store(opts.store)
    except TemplexSettingsError as error:
        raise UsageError(str(error), print_help=False) from error
    except (ValueError, ImportError) as error:
        raise UsageError(f"--store: {error}", print_help=False) from error
    # the rest is for the crawl; these two decide how Scrapy starts it
    settings.setdict({"FORCE_CRAWLER_PROCESS": False, "TWISTED_REACTOR": _REACTOR}, priority="cmdline")
    return True


def _is_web_address(page: str) -> bool:
    return page.lower().startswith(("http://", "https://"))


def _check_arguments(args: list[str], opts: argparse.Namespace, settings: Settings) -> None:
    """Leave no option among the arguments."""
    # Scrapy passes options on that its parser does not know
    unknown = next((arg for arg in args if arg.startswith("-") and arg != "--"), None)
    if unknown is not None:
        raise UsageError(f"unrecognised option {unknown}")
    args[:] = [arg for arg in args if arg != "--"]
    if args[:1] == [learn.NAME]:
        learn.check(args[1:], opts, settings)
    elif len(args) != 1 or not args[0]:
        raise UsageError(f"one URL, file or folder is needed, not {len(list(filter(None, args)))}")
    elif opts.spider and not _is_web_address(args[0]):
        raise UsageError("--spider is for pages from the web", print_help=False)


def _check_outputs(opts: argparse.Namespace) -> None:
    if opts.content:
        if opts.form not in {None, "html", "text", "markdown"}:
            raise UsageError("--content goes with --html, --text or --markdown", print_help=False)
        # --content alone is text, as most want it
        opts.form = f"content_{opts.form or 'text'}"
    if opts.output and opts.form is None:
        raise UsageError("-o needs to know what to write: --html, --text, --json, --view, …", print_help=False)


def _meta(written: str | None) -> dict[str, Any]:
    try:
        meta = json.loads("{}" if written is None else written)
    except ValueError as error:
        raise UsageError(f"--meta is no JSON: {error}", print_help=False) from error
    if not isinstance(meta, dict):
        raise UsageError("--meta is no JSON object", print_help=False)
    return meta


def run(args: list[str], opts: argparse.Namespace, settings: Settings, process: AsyncCrawlerProcess | None) -> int:
    """Run the command and return its exit code.

    Args:
        args: the arguments, as :func:`prepare` left them.
        opts: the options, likewise.
        settings: those of the project and the options.
        process: runs the crawl, if one is needed.
    """
    try:
        if process is None:
            return store.run(args[1:], opts, settings)
        if args[0] == learn.NAME:
            with Progress(f"scrapy templex {learn.NAME}") as progress:
                model = _spider(opts.spider, process.spider_loader) if opts.spider else None
                return learn.run(args[1:], opts, process, model, progress)
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
    file = opts.output or (None if opts.form in {None, "view"} else "-")
    # a search may take a minute; that the folder does not exist is said before it
    check_output_file(file)
    with Progress() as progress:
        asked = _request(page, opts, settings, progress)
        model = None if asked.saved is not None else _model(page, opts, process.spider_loader)
        result = crawl_page(process, asked, model, progress)
        # everything is made before anything is written
        output = None if opts.form is None else result.output(opts.form)
    if output is not None:
        file = _show(output) if file is None else write_bytes(output, file)
    # JSON and the main content are written all the same, but a script sees that there was no template
    if result.template is None:
        tell(f"{result.name}: no template: {result.why_not}")
        return 1
    write_text(sys.stderr if file == "-" else sys.stdout, summary(result, file))
    return 0


def _request(page: str, opts: argparse.Namespace, settings: Settings, progress: Progress) -> PageRequest:
    url, saved = page, None
    if not _is_web_address(page):
        progress("Reading", page)
        saved = SavedSite(_path(page))
        url = saved.key_url
        # links to pages that were not saved use up no loads: of a folder with 10 of a site's 500 pages, the first 60
        # links may all lead to pages that are not there
        most = TemplexSettings.from_crawler_settings(settings).max_loads
        settings.set("TEMPLEX_MAX_LOADS", min(most + saved.missing(), max(most, 1000)), priority="cmdline")
    return PageRequest(url=url, meta=opts.meta, saved=saved, store=opts.store or _project_store(settings))


def _model(url: str, opts: argparse.Namespace, loader: SpiderLoaderProtocol) -> type[Spider] | None:
    try:
        request = Request(url)
    except ValueError as error:
        raise UnusableError(f"{url}: no address of a page") from error
    return _spider(opts.spider, loader) if opts.spider else spidercls_for_request(loader, request)


def _spider(name: str, loader: SpiderLoaderProtocol) -> type[Spider]:
    try:
        return loader.load(name)
    except KeyError as error:
        raise UsageError(f"there is no spider {name!r}", print_help=False) from error


def _project_store(settings: Settings) -> str | None:
    """Return the store of the project's crawls; None if no crawl has made it yet."""
    where = store.store_of(settings)
    # the first crawl makes it, and to look at a page before that is no error
    return where if where and ("://" in where or Path(where).exists()) else None


def _path(page: str) -> Path:
    # browsers show saved pages with such an address
    parts = urlsplit(page)
    if parts.scheme == "file":
        return Path(url2pathname(unquote(parts.path)))
    path = Path(page)
    if path.exists():
        return path
    raise UnusableError(f"{page}: no such file or folder; pages on the web begin with https:// or http://")


def _show(view: bytes) -> str:
    """Open the view in the browser; return its file."""
    with tempfile.NamedTemporaryFile(prefix="templex-", suffix=".html", delete=False) as written:
        written.write(view)
    if not webbrowser.open(Path(written.name).as_uri()):
        tell("no browser could be opened; the view is in the file below")
    return written.name
