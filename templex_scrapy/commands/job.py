"""What ``scrapy templex`` does: the template of one page, from the command line."""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from scrapy import Request, Spider
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
    forget,
    printable,
    write_bytes,
    write_text,
)
from templex_scrapy.crawl.settings import METHODS, TemplexSettings, TemplexSettingsError
from templex_scrapy.page import Page
from templex_scrapy.search import SubdigraphSearch

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import Settings
    from scrapy.spiderloader import SpiderLoaderProtocol

_SEARCH_OPTIONS = {
    "method": "TEMPLEX_METHOD",
    "size": "TEMPLEX_CS_SIZE",
    "votes": "TEMPLEX_VOTES",
    "max_loads": "TEMPLEX_MAX_LOADS",
}
_NO_FILE = ""
"""What ``--view`` is without a file name."""

_HOST = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+)(?P<port>:[0-9]+)?(?:[/?#].*)?")
"""An address without its scheme."""

_NO_HOST = re.compile(r"""[\s%<>"^`{|}\\]""")
"""What is in no name of a host."""

_THIS_MACHINE = re.compile(r"localhost\b|[0-9.]+(?:[:/?#]|$)")
"""How the address of a server begins that is likely to be on this machine, or near by, and to have no certificate."""


class Job:
    """One run of the command.

    Args:
        settings: the project's settings; the options are written into them.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Declare the options.

        Scrapy makes a heading of a line of the help that ends with a colon; so there are none in it.
        """
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

    def show_help(self, args: Sequence[str]) -> NoReturn:
        """Print the help on the command, or on its ``store``, and leave.

        Raises:
            SystemExit: always.
        """
        if args[:1] == [store.NAME]:
            store.show_help(list(args[1:]))
        self._parser.print_help()
        sys.exit(0)

    def prepare(self, args: list[str], opts: argparse.Namespace) -> bool:
        """Check the options and make settings of them; whether a crawl is needed.

        Raises:
            UsageError: if an option, a setting or the number of arguments is wrong.
        """
        self._quieten(opts)
        if args[:1] == [store.NAME]:
            return False
        self._check(args, opts)
        for option, setting in _SEARCH_OPTIONS.items():
            if getattr(opts, option) is not None:
                self._settings.set(setting, getattr(opts, option), priority="cmdline")
        opts.search = None if opts.spider else self._search_settings(opts)
        if not is_web_address(args[0]):
            return False
        keep_to_itself(self._settings)
        if not inside_project():
            self._settings.set("ROBOTSTXT_OBEY", value=True, priority="command")
        return True

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
        if opts.view is not None and _same_place(_output_file(opts), _view_file(opts)):
            place = "standard output" if opts.view == "-" else opts.view
            raise UsageError(f"--{opts.kind} and --view cannot both go to {place}", print_help=False)
        if opts.view is not None and find_spec("nh3") is None:
            raise UsageError('--view needs nh3: pip install "templex-scrapy[view]"', print_help=False)
        opts.meta = _meta(opts.meta)
        if opts.spider and not is_web_address(args[0]):
            raise UsageError("--spider is for pages from the web", print_help=False)

    def _quieten(self, opts: argparse.Namespace) -> None:
        # the log goes where the live line is; who wants it asks for it
        asked = opts.loglevel or opts.logfile or any(option.startswith("LOG_") for option in opts.set)
        if not asked:
            self._settings.set("LOG_ENABLED", value=False, priority="cmdline")

    def _search_settings(self, opts: argparse.Namespace, spider: type[Spider] | None = None) -> TemplexSettings:
        settings = self._settings.copy()
        if spider is not None:
            spider.update_settings(settings)
        settings.set("TEMPLEX_ENABLED", value=True, priority="cmdline")
        try:
            return TemplexSettings.from_crawler_settings(settings)
        except TemplexSettingsError as error:
            raise UsageError(_in_options(str(error), opts), print_help=False) from error

    def run(self, args: list[str], opts: argparse.Namespace, process: AsyncCrawlerProcess | None) -> int:
        """Do what was asked for.

        Args:
            args: the arguments, as :meth:`prepare` left them.
            opts: the options, likewise.
            process: runs the crawl, if one is needed.

        Returns:
            The exit code.
        """
        try:
            if args[:1] == [store.NAME]:
                return store.run(args[1:], opts, self._settings)
            return self._run(args[0], opts, process)
        except BrokenPipeError:
            forget(sys.stdout)
            return BROKEN_PIPE
        except KeyboardInterrupt:
            _say("interrupted")
            return INTERRUPTED
        except (UnusableError, OSError) as error:
            _say(_one_line(error))
            return 1

    def _run(self, page: str, opts: argparse.Namespace, process: AsyncCrawlerProcess | None) -> int:
        for file in (_output_file(opts), _view_file(opts) if opts.view is not None else None):
            check_place(file)
        with LiveLine() as live:
            if process is not None:
                finding = self._from_web(page, opts, live, process)
            else:
                finding = self._from_disk(page, opts, live)
            if finding is None:
                return INTERRUPTED
            live("Comparing the pages")
            try:
                prepared = _Results(finding, opts)
            except KeyboardInterrupt:
                live.clear()
                _say(f"interrupted: {_known(finding)}")
                return INTERRUPTED
        return prepared.deliver()

    def _from_disk(self, page: str, opts: argparse.Namespace, live: LiveLine) -> Finding | None:
        finding = None
        try:
            live(f"Reading {page}", f"Reading {Path(page).name}", "Reading")
            saved = SavedPages.at(_path(page))
            key, encoding = saved.key_page()
            finding = Finding(
                key=key,
                name=str(saved.key),
                encoding=encoding,
                search=SubdigraphSearch(key, opts.search.cs_size, opts.search.max_loads),
                settings=opts.search,
                called=saved.called,
            )
            _search_on_disk(finding, saved, live)
            if opts.view is not None:
                live("Reading style sheets and pictures", "Reading pictures")
                finding.files = _saved_files(saved, key)
            live("Comparing the pages")
            return finding if finding.found else finding.standing_in(saved.others(finding.search.max_loads))
        except KeyboardInterrupt:
            live.clear()
            _say(f"interrupted: {_known(finding)}")
            return None

    def _from_web(
        self, url: str, opts: argparse.Namespace, live: LiveLine, process: AsyncCrawlerProcess
    ) -> Finding | None:
        model = self._model(url, opts, process.spider_loader)
        if opts.search is None or model is not None:
            opts.search = self._search_settings(opts, model)

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
        if errand.interrupted or errand.finding is None:
            return None
        live("Comparing the pages")
        try:
            return errand.finding.standing_in(errand.pages)
        except KeyboardInterrupt:
            interrupted(errand)
            return None

    def _model(self, url: str, opts: argparse.Namespace, loader: SpiderLoaderProtocol) -> type[Spider] | None:
        try:
            request = Request(url)
            has_host = _NO_HOST.search(urlsplit(request.url).hostname or " ") is None
        except ValueError:
            has_host = False
        if not has_host:
            raise UnusableError(f"{url}: no address of a page")
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


def _search_on_disk(finding: Finding, saved: SavedPages, live: LiveLine) -> None:
    search = finding.search
    live(f"Looking up {len(search.candidates):,} links", "Looking up links")
    search.reorder({url for url in search.candidates if saved.file_of(url) is not None})
    while wanted := search.wanted():
        live(*state_of(finding))
        found = saved.fetch(wanted[0])
        finding.loaded += found is not None
        search.add(wanted[0], found)


def _saved_files(saved: SavedPages, page: Page) -> dict[str, str]:
    # the view needs an extra, and Scrapy loads this module for whatever it does
    from templex_scrapy.view import STYLE_SHEET, data_url, media_type_of, resource_urls  # noqa: PLC0415

    files: dict[str, str] = {}
    for url in resource_urls(page):
        name, body = saved.body(url) or ("", b"")
        kind = media_type_of(name) or ""
        file = body.decode("utf-8", "replace") if kind == STYLE_SHEET else data_url(body, kind)
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
        called=finding.called,
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


def _same_place(one: str | None, other: str | None) -> bool:
    """Whether two outputs would go to the same place, under whatever names."""
    if one is None or other is None or "-" in {one, other}:
        return one is not None and one == other
    return Path(one).resolve() == Path(other).resolve()


def _take_page_from_view(args: list[str], opts: argparse.Namespace) -> None:
    """``--view PAGE`` without anything else means the page, not a file to write to."""
    if not args and opts.view:
        args.append(opts.view)
        opts.view = _NO_FILE


def _in_options(problem: str, opts: argparse.Namespace) -> str:
    """What is wrong with a setting, told of the option where that has set it."""
    for option, setting in _SEARCH_OPTIONS.items():
        value = getattr(opts, option)
        if value is not None:
            problem = problem.replace(f"{setting} = {value!r}", f"--{option.replace('_', '-')} {value}")
    return problem


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
    host = _HOST.fullmatch(page)
    if host is None or Path(path.parts[0]).suffix.lower() in EXTENSIONS:
        raise UnusableError(f"{page}: no such file or folder")
    scheme = "http" if _THIS_MACHINE.match(page) or host["port"] else "https"
    raise UnusableError(f"{page}: no such file or folder (a page from the web is written {scheme}://{page})")


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
