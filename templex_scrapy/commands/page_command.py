"""``scrapy templex`` for a page: the crawl of one page, and where its outputs are written."""

from __future__ import annotations

import argparse
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from scrapy import Request, Spider
from scrapy.exceptions import UsageError
from scrapy.utils.spider import spidercls_for_request

from templex_scrapy.commands import store
from templex_scrapy.commands.fetch import FetchTask, interruptible, run_task
from templex_scrapy.commands.options import is_web_address
from templex_scrapy.commands.page_result import PageResult
from templex_scrapy.commands.saved_site import SavedSite, UnusableError
from templex_scrapy.commands.summary import row, summary
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
from templex_scrapy.crawl import TemplexSettings

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import Settings
    from scrapy.spiderloader import SpiderLoaderProtocol


def run(args: list[str], opts: argparse.Namespace, settings: Settings, process: AsyncCrawlerProcess | None) -> int:
    """Run the command and return its exit code.

    Args:
        args: the arguments, as :func:`templex_scrapy.commands.options.prepare` left them.
        opts: the options, likewise.
        settings: those of the project and the options.
        process: runs the crawl, if one is needed.
    """
    try:
        if process is None:
            return store.run(args[1:], opts, settings)
        return _run(args[0], opts, settings, process)
    except BrokenPipeError:
        discard_output()
        return BROKEN_PIPE
    except KeyboardInterrupt:
        tell("interrupted")
        return INTERRUPTED
    except (UnusableError, OSError) as error:
        tell(_one_line(error))
        return 1


def _run(page: str, opts: argparse.Namespace, settings: Settings, process: AsyncCrawlerProcess) -> int:
    file = opts.output or (None if opts.form in {None, "view"} else "-")
    # a search may take a minute; that the folder does not exist is said before it
    check_output_file(file)
    with Progress() as progress:
        task = _task(page, opts, settings, progress)
        model = None if task.saved is not None else _model(page, opts, process.spider_loader)
        with interruptible(task):
            run_task(process, task, model)
            result = PageResult(task)
            # everything is made before anything is written
            output = None if opts.form is None else result.output(opts.form)
            text = summary(result, has_output=output is not None) if result.template is not None else ""
    if output is not None:
        file = _show(output) if file is None else write_bytes(output, file)
    # JSON and the main content are written all the same, but a script sees that there was no template
    if result.template is None:
        tell(f"{result.name}: no template: {result.why_not}")
        return 1
    if file not in {None, "-"}:
        text += row("written", file)
    write_text(sys.stderr if file == "-" else sys.stdout, text)
    return 0


def _task(page: str, opts: argparse.Namespace, settings: Settings, progress: Progress) -> FetchTask:
    saved = None
    if not is_web_address(page):
        progress("Reading", page)
        saved = SavedSite(_path(page))
        _allow_missing(saved, settings)
    return FetchTask(
        url=page if saved is None else saved.key_url,
        meta=opts.meta,
        saved=saved,
        store=opts.store or _project_store(settings),
        progress=progress,
    )


def _allow_missing(saved: SavedSite, settings: Settings) -> None:
    """Let links to pages that were not saved use up no loads."""
    # of a folder with 10 of a site's 500 pages, the first 60 links may all lead to pages that are not there
    most = TemplexSettings.from_crawler_settings(settings).max_loads
    settings.set("TEMPLEX_MAX_LOADS", min(most + saved.missing(), max(most, 1000)), priority="cmdline")


def _model(url: str, opts: argparse.Namespace, loader: SpiderLoaderProtocol) -> type[Spider] | None:
    try:
        request = Request(url)
    except ValueError as error:
        raise UnusableError(f"{url}: no address of a page") from error
    if not opts.spider:
        return spidercls_for_request(loader, request)
    try:
        return loader.load(opts.spider)
    except KeyError as error:
        raise UsageError(f"there is no spider {opts.spider!r}", print_help=False) from error


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


def _one_line(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)
