"""The options of ``scrapy templex`` for pages, and what is wrong with them."""

from __future__ import annotations

import argparse
import json
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import UsageError

from templex_scrapy.commands import store
from templex_scrapy.crawl import TemplexSettings, TemplexSettingsError
from templex_scrapy.page import running
from templex_scrapy.stores import check_store

if TYPE_CHECKING:
    from scrapy.settings import Settings

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
        help="use the templates of this store, an SQLite file or a redis:// URL (default TEMPLEX_STORE); it is"
        " only read",
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
        ("view", "the toggle view; without -o it is opened in the browser"),
    ):
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form, help=what)
    output.add_argument(
        "--content", action="store_true", help="with --html, --text or --markdown: the main content alone"
    )
    output.add_argument("-o", "--output", metavar="FILE", help="write to this file; - is standard output")
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
    _check_arguments(args)
    _check_outputs(opts)
    opts.meta = _meta(opts.meta)
    if opts.spider and not is_web_address(args[0]):
        raise UsageError("--spider is for pages from the web", print_help=False)
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


def is_web_address(page: str) -> bool:
    """Return whether a page is fetched from the web."""
    return page.lower().startswith(("http://", "https://"))


def _check_arguments(args: list[str]) -> None:
    """Leave the page as the only argument."""
    # Scrapy passes options on that its parser does not know
    unknown = next((arg for arg in args if arg.startswith("-") and arg != "--"), None)
    if unknown is not None:
        raise UsageError(f"unrecognised option {unknown}")
    args[:] = [arg for arg in args if arg != "--"]
    if len(args) != 1 or not args[0]:
        raise UsageError(f"one URL, file or folder is needed, not {len(list(filter(None, args)))}")


def _check_outputs(opts: argparse.Namespace) -> None:
    if opts.content:
        if opts.form not in {None, "html", "text", "markdown"}:
            raise UsageError("--content goes with --html, --text or --markdown", print_help=False)
        # --content alone is text, as most want it
        opts.form = f"content_{opts.form or 'text'}"
    if opts.form == "view" and find_spec("nh3") is None:
        raise UsageError('--view needs nh3: pip install "templex-scrapy[view]"', print_help=False)
    if opts.output and opts.form is None:
        raise UsageError("-o needs to know what to write: --html, --text, --json, --view, …", print_help=False)


def _meta(written: str | None) -> dict[str, Any]:
    if written is None:
        return {}
    try:
        meta = json.loads(written)
    except ValueError as error:
        raise UsageError(f"--meta is no JSON: {error}", print_help=False) from error
    if not isinstance(meta, dict):
        raise UsageError("--meta is no JSON object", print_help=False)
    return meta
