"""``scrapy templex``: the template of one page, from the command line."""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from scrapy import Request, Spider
from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError
from scrapy.utils.project import inside_project
from scrapy.utils.spider import spidercls_for_request

from templex_scrapy.commands import store
from templex_scrapy.commands.finding import Finding
from templex_scrapy.commands.online import Errand, keep_to_itself, run_errand, state_of
from templex_scrapy.commands.saved import EXTENSIONS, SavedPages, UnusableError
from templex_scrapy.commands.summary import summary
from templex_scrapy.commands.terminal import (
    BROKEN_PIPE,
    INTERRUPTED,
    LiveLine,
    check_place,
    forget_standard_output,
    printable,
    write_bytes,
    write_text,
)
from templex_scrapy.page import Page
from templex_scrapy.settings import METHODS, TemplexSettings, TemplexSettingsError
from templex_scrapy.subdigraph import SubdigraphSearch

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import Settings

_SEARCH_OPTIONS = {
    "method": "TEMPLEX_METHOD",
    "size": "TEMPLEX_CS_SIZE",
    "votes": "TEMPLEX_VOTES",
    "max_loads": "TEMPLEX_MAX_LOADS",
}
_NO_FILE = ""
"""What ``--view`` is without a file name."""

_HOST = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::[0-9]+)?(?:[/?#].*)?")
"""An address without its scheme."""


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
        """Declare the options.

        Scrapy makes a heading of a line of the help that ends with a colon; so there are none in it.
        """
        super().add_options(parser)
        self._parser = parser
        # argparse would answer before it is known whose help is asked for
        parser.add_argument("-h", "--help", action="store_true", help="show this help message and exit")
        search = parser.add_argument_group("Search")
        search.add_argument("--method", choices=METHODS, help="how the template is found (default TEMPLEX_METHOD)")
        search.add_argument(
            "--size", type=int, metavar="N", help="pages that have to link each other (default TEMPLEX_CS_SIZE)"
        )
        search.add_argument(
            "--votes", type=int, metavar="N", help="pages that have to agree on a node (default TEMPLEX_VOTES)"
        )
        search.add_argument(
            "--max-loads", type=int, metavar="N", help="pages to load at most (default TEMPLEX_MAX_LOADS)"
        )
        search.add_argument("--spider", metavar="NAME", help="go by the settings of this spider of the project")
        search.add_argument(
            "--meta", metavar="JSON", help="Request.meta of all requests, such as '{\"playwright\":true}'"
        )
        output = parser.add_argument_group("Output")
        kinds = output.add_mutually_exclusive_group()
        for kind, what in (
            ("template", "the template as a page, with the rest hidden"),
            ("html", "the page without its template"),
            ("text", "what is left, as text"),
            ("markdown", "what is left, as Markdown"),
            ("annotated", "the whole page, with the class template_node on the template"),
            ("json", "everything as JSON"),
        ):
            kinds.add_argument(f"--{kind}", dest="kind", action="store_const", const=kind, help=what)
        output.add_argument("-o", "--output", metavar="FILE", help="write to this file; - is standard output")
        output.add_argument(
            "--view",
            nargs="?",
            const=_NO_FILE,
            metavar="FILE",
            help="the toggle view, written to FILE, or (without FILE and -o) opened in the browser",
        )
        parser.add_argument_group("Stored templates", store.DESCRIPTION)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        """Check the options and make settings of them.

        Raises:
            UsageError: if an option, a setting or the number of arguments is wrong.
            SystemExit: if help is asked for, once it is given.
        """
        if opts.help:
            if args[:1] == [store.NAME]:
                store.show_help(args[1:])
            self._parser.print_help()
            sys.exit(0)
        super().process_options(args, opts)
        self._quieten(opts)
        if args[:1] == [store.NAME]:
            self.requires_crawler_process = False
            return
        self._check(args, opts)
        for option, setting in _SEARCH_OPTIONS.items():
            if getattr(opts, option) is not None:
                self._settings.set(setting, getattr(opts, option), priority="cmdline")
        opts.search = None if opts.spider else self._search_settings()
        if self.requires_crawler_process:
            keep_to_itself(self._settings)
            if not inside_project():
                self._settings.set("ROBOTSTXT_OBEY", value=True, priority="command")

    def _check(self, args: list[str], opts: argparse.Namespace) -> None:
        _take_page_from_view(args, opts)
        unknown = next((arg for arg in args if arg.startswith("-") and arg != "--"), None)
        if unknown is not None:
            raise UsageError(f"unrecognised option {unknown}")
        args[:] = [arg for arg in args if arg != "--"]
        if len(args) != 1 or not args[0]:
            raise UsageError(f"one URL, file or folder is needed, not {len(list(filter(None, args)))}")
        if opts.output and opts.kind is None and opts.view is None:
            raise UsageError("-o needs to know what to write: --html, --text, --json, --view, …", print_help=False)
        if opts.view is not None and find_spec("tinycss2") is None:
            raise UsageError('--view needs tinycss2: pip install "templex-scrapy[view]"', print_help=False)
        opts.meta = _meta(opts.meta)
        self.requires_crawler_process = is_web_address(args[0])
        if opts.spider and not self.requires_crawler_process:
            raise UsageError("--spider is for pages from the web", print_help=False)

    def _quieten(self, opts: argparse.Namespace) -> None:
        # the log goes where the live line is; who wants it asks for it
        asked = opts.loglevel or opts.logfile or any(option.startswith("LOG_") for option in opts.set)
        if not asked:
            self._settings.set("LOG_ENABLED", value=False, priority="cmdline")

    def _search_settings(self, spider: type[Spider] | None = None) -> TemplexSettings:
        settings = self._settings.copy()
        if spider is not None:
            spider.update_settings(settings)
        settings.set("TEMPLEX_ENABLED", value=True, priority="cmdline")
        try:
            return TemplexSettings.from_crawler_settings(settings)
        except TemplexSettingsError as error:
            raise UsageError(str(error), print_help=False) from error

    @property
    def _settings(self) -> Settings:
        return cast("Settings", self.settings)  # set by Scrapy before it calls anything

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Do what was asked for; the exit code is left in ``exitcode``."""
        try:
            if args[:1] == [store.NAME]:
                self.exitcode = store.run(args[1:], opts, self._settings)
            else:
                self.exitcode = self._run(args[0], opts)
        except BrokenPipeError:
            forget_standard_output()
            self.exitcode = BROKEN_PIPE
        except KeyboardInterrupt:
            _say("interrupted")
            self.exitcode = INTERRUPTED
        except (UnusableError, OSError) as error:
            _say(_one_line(error))
            self.exitcode = 1

    def _run(self, page: str, opts: argparse.Namespace) -> int:
        for file in (_output_file(opts), _view_file(opts) if opts.view is not None else None):
            check_place(file)
        with LiveLine() as live:
            finding = self._from_web(page, opts, live) if is_web_address(page) else self._from_disk(page, opts, live)
            if finding is None:
                return INTERRUPTED
            live("Comparing the pages")
            prepared = _Results(finding, opts)
        return prepared.deliver()

    def _from_disk(self, page: str, opts: argparse.Namespace, live: LiveLine) -> Finding | None:
        saved = SavedPages.at(_path(page))
        key, encoding = saved.key_page()
        search = SubdigraphSearch(key, opts.search.cs_size, opts.search.max_loads)
        search.reorder({url for url in search.candidates if saved.file_of(url) is not None})
        finding = Finding(key=key, name=str(saved.key), encoding=encoding, search=search, settings=opts.search)
        try:
            while wanted := search.wanted():
                live(state_of(finding))
                found = saved.fetch(wanted[0])
                finding.loaded += found is not None
                search.add(wanted[0], found)
            if opts.view is not None:
                finding.files = _saved_files(saved, key)
        except KeyboardInterrupt:
            live.clear()
            _say(f"interrupted: {_known(finding)}")
            return None
        live("Comparing the pages")
        return finding if finding.found else finding.standing_in(saved.others(search.max_loads))

    def _from_web(self, url: str, opts: argparse.Namespace, live: LiveLine) -> Finding | None:
        process = cast("AsyncCrawlerProcess", self.crawler_process)
        model = self._model(url, opts)
        if opts.search is None or model is not None:
            opts.search = self._search_settings(model)

        def interrupted(errand: Errand) -> None:
            live.clear()
            _say(f"interrupted: {_known(errand.finding)}")

        errand = Errand(
            url=url,
            settings=opts.search,
            meta=opts.meta,
            with_files=opts.view is not None,
            progress=live,
            on_interrupt=interrupted,
        )
        run_errand(process, errand, model)
        problem = errand.error or errand.crash
        if problem is not None:
            raise problem
        return None if errand.interrupted else errand.finding

    def _model(self, url: str, opts: argparse.Namespace) -> type[Spider] | None:
        try:
            request = Request(url)
            has_host = bool(urlsplit(request.url).hostname)
        except ValueError:
            has_host = False
        if not has_host:
            raise UnusableError(f"{url}: no address of a page")
        loader = cast("AsyncCrawlerProcess", self.crawler_process).spider_loader
        if not opts.spider:
            return spidercls_for_request(loader, request)
        try:
            return loader.load(opts.spider)
        except KeyError as error:
            raise UsageError(f"there is no spider {opts.spider!r}", print_help=False) from error


class _Results:
    """All that is asked for, rendered before anything is written.

    Args:
        finding: what was found.
        opts: what is asked for.
    """

    def __init__(self, finding: Finding, opts: argparse.Namespace) -> None:
        self._finding = finding
        self._kind: str | None = opts.kind
        self._view_file = _view_file(opts)
        self._file = _output_file(opts)
        self._output = _output(finding, opts.kind)
        self._view = _view(finding) if opts.view is not None and finding.found else None
        self._summary = summary(finding) if finding.found else ""

    def deliver(self) -> int:
        """Write everything; the exit code."""
        if self._output is not None and self._file is not None:
            write_bytes(self._output, self._file)
        opened = None if self._view is None else self._deliver_view(self._view)
        if not self._finding.found:
            _say(f"{printable(self._finding.name)}: no template: {self._finding.why_not}")
            return 1
        to_standard_output = "-" in (self._file if self._output is not None else None, self._view_file)
        stream = sys.stderr if to_standard_output else sys.stdout
        write_text(stream, self._summary)
        for label, file in (("written", self._file if self._output is not None else None), ("view", opened)):
            if file not in {None, "-"}:
                write_text(stream, f"  {label:<10}{file}\n")
        return 0

    def _deliver_view(self, written: str) -> str:
        data = written.encode("utf-8")
        if self._view_file is not None:
            write_bytes(data, self._view_file)
            return self._view_file
        with tempfile.NamedTemporaryFile(prefix="templex-", suffix=".html", delete=False) as file:
            file.write(data)
        if not webbrowser.open(Path(file.name).as_uri()):
            _say("no browser could be opened; the view is in the file below")
        return file.name


def _saved_files(saved: SavedPages, page: Page) -> dict[str, str]:
    # the view needs an extra, and Scrapy loads this module for whatever it does
    from templex_scrapy.view.files import as_picture, asked_for, kind_of  # noqa: PLC0415

    files: dict[str, str] = {}
    for url in asked_for(page):
        name, body = saved.body(url) or ("", b"")
        kind = kind_of(name)
        file = body.decode("utf-8", "replace") if kind is None else as_picture(body, kind)
        if file:
            files[url] = file
    return files


def _view(finding: Finding) -> str:
    from templex_scrapy.view import view  # noqa: PLC0415 - as above

    return view(
        finding.match,
        template=finding.template,
        pages=finding.pages,
        menu=finding.menu,
        content=finding.content,
        files=finding.files,
    )


def _output(finding: Finding, kind: str | None) -> bytes | None:
    """What to write, as bytes: pages in their own charset, which they may declare, everything else in UTF-8."""
    if kind == "json":
        return (json.dumps(finding.as_data(), ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")
    if kind is None or not finding.found:
        return None
    written = finding.output(kind)
    if kind in {"text", "markdown"}:
        return f"{written.rstrip()}\n".encode("utf-8", "replace")
    # what the charset lacks stays readable for every HTML parser as a reference
    return written.encode(finding.encoding, "xmlcharrefreplace")


def _output_file(opts: argparse.Namespace) -> str | None:
    """Where the output goes; None where there is none but the view."""
    return None if opts.kind is None else opts.output or "-"


def _view_file(opts: argparse.Namespace) -> str | None:
    """Where the view goes; None where it is to be opened."""
    return opts.view or (opts.output if opts.kind is None else None) or None


def _take_page_from_view(args: list[str], opts: argparse.Namespace) -> None:
    """``--view PAGE`` without anything else means the page, not a file to write to."""
    if not args and opts.view:
        args.append(opts.view)
        opts.view = _NO_FILE


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


def is_web_address(page: str) -> bool:
    """Whether a page is to be fetched from the web."""
    return page.lower().startswith(("http://", "https://"))


def _path(page: str) -> Path:
    parts = urlsplit(page)
    if parts.scheme == "file":
        return Path(url2pathname(unquote(parts.path)))
    path = Path(page)
    if path.exists():
        return path
    if "://" in page:
        raise UnusableError(f"{page}: no address of a page; those on the web begin with https:// or http://")
    # a file that is not there is more likely mistyped than a host that is called like one
    hint = _HOST.fullmatch(page) and Path(path.parts[0]).suffix.lower() not in EXTENSIONS
    raise UnusableError(
        f"{page}: no such file or folder{f' (a page from the web is written https://{page})' if hint else ''}"
    )


def _known(finding: Finding | None) -> str:
    if finding is None:
        return "the page itself was not there yet"
    search = finding.search
    return (
        f"{search.loads:,} of {len(search.candidates):,} linked pages looked at, "
        f"{len(search.pages)} of {search.size} pages found that link each other"
    )


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return printable(str(error))


def _say(text: str) -> None:
    write_text(sys.stderr, f"scrapy templex: {text}\n")
