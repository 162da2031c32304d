"""``scrapy templex store``: list, show and delete stored templates."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import UsageError

from templex_scrapy.commands.terminal import printable, tell, write_text
from templex_scrapy.figures import counted
from templex_scrapy.page import site_of
from templex_scrapy.stores import JOBDIR_FILE, StoredTemplate, StoreError, TemplateStore, open_store

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_SHOWN_TEXTS, _MAX_LENGTH = 15, 80  # removed texts of a template, and characters of each

NAME = "store"
"""The first argument of ``scrapy templex`` for this command."""

USAGE = "scrapy templex store list | show <site> | delete <site> | delete --all"
DESCRIPTION = (
    f"'{USAGE}' is for the templates that crawls have stored. Name the store with --store (the path of an"
    " SQLite file, or a redis:// URL), TEMPLEX_STORE or JOBDIR. A page in a file named store is ./store."
)
"""The help of the command, as a part of the help of ``scrapy templex``."""


def run(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
    """Run ``scrapy templex store`` with these arguments; return the exit code.

    Raises:
        UsageError: if the arguments are wrong.
        StoreError: if the store cannot be used, or has no template of the site.
    """
    if not args:
        write_text(sys.stderr, parser().format_help())
        return 2
    arguments = parser().parse_args(args)
    where = asked_store(opts, settings)
    try:
        with closing(open_store(where, strict=True)) as store:
            lines = list(_do(store, arguments))
            skipped = store.skipped
    except (ValueError, ImportError) as error:
        raise UsageError(str(error), print_help=False) from error
    write_text(sys.stdout, "".join(f"{line}\n" for line in lines))
    if skipped:
        tell(f"{counted(skipped, 'record')} cannot be read")
    return 1 if skipped else 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    command = argparse.ArgumentParser(prog="scrapy templex store", usage=USAGE)
    actions = command.add_subparsers(prog="scrapy templex store", required=True, metavar="<action>", dest="action")
    actions.add_parser("list", help="list the sites")
    show = actions.add_parser("show", help="show the templates of a site")
    show.add_argument("site", help="the site, or the URL of a page")
    show.add_argument("--css", action="store_true", help="print CSS selectors of removed parts, and of the content")
    delete = actions.add_parser("delete", help="delete the templates of a site, or all")
    sites = delete.add_mutually_exclusive_group(required=True)
    sites.add_argument("site", nargs="?", help="the site, or the URL of a page")
    sites.add_argument("--all", action="store_true", help="delete the templates of all sites")
    return command


def store_of(settings: BaseSettings) -> str | None:
    """Return the store in ``TEMPLEX_STORE`` or ``JOBDIR``; None if there is no store."""
    where, jobdir = settings.get("TEMPLEX_STORE"), settings.get("JOBDIR")
    return where or (str(Path(jobdir, JOBDIR_FILE)) if jobdir else None)


def asked_store(opts: argparse.Namespace, settings: BaseSettings) -> str:
    """Return the store of a command that prints no page.

    Raises:
        UsageError: if there is no store, or an output of a page is asked for.
    """
    if opts.output is not None:
        raise UsageError("--output is for pages", print_help=False)
    where: str | None = opts.store or store_of(settings)
    if where is None:
        raise UsageError("which store? Set TEMPLEX_STORE or JOBDIR, or name it with --store", print_help=False)
    return where


def _do(store: TemplateStore, arguments: argparse.Namespace) -> Iterable[str]:
    if arguments.action == "list":
        return _table(store)
    if arguments.action == "delete" and arguments.all:
        return [f"{counted(sum(map(store.delete, store.sites())), 'template')} deleted"]
    # people copy addresses from browsers
    site = site_of(arguments.site) or arguments.site
    if arguments.action == "delete":
        if deleted := store.delete(site):
            return [f"{counted(deleted, 'template')} of {printable(site)} deleted"]
    # ``run`` tells the number of unreadable records
    elif (templates := store.load(site)) or store.skipped:
        return (line for stored in templates for line in _sheet(stored, with_css=arguments.css))
    raise StoreError(f"there is no template of {site}")


def _table(store: TemplateStore) -> Iterator[str]:
    rows = [("SITE", "TEMPLATES", "VOTERS", "LAST USED")]
    for site in store.sites():
        if templates := store.load(site):
            voters = sum(len(stored.template.page_urls) for stored in templates)
            rows.append((printable(site), str(len(templates)), str(voters), _time(templates[0].used)))
    # a table without rows looks cut
    if len(rows) == 1:
        yield f"The store has no template{' that can be read' if store.skipped else ''}."
        return
    width = max(len(row[0]) for row in rows)
    yield from (f"{site:<{width}}  {templates:>9}  {voters:>6}  {used}" for site, templates, voters, used in rows)


def _sheet(stored: StoredTemplate, *, with_css: bool) -> Iterator[str]:
    template, count = stored.template, len(stored.template.page_urls) + 1
    yield printable(template.key_url)
    rows: list[tuple[str, ...]]
    if with_css:
        rows = [(part, f"on {share:.0%} of {count} pages", css) for css, part, share in template.selectors()]
    else:
        rows = [("learnt", _time(stored.learnt)), ("last used", _time(stored.used))]
        rows += [("" if number else "voters", url) for number, url in enumerate(template.page_urls)]
        rows += [
            ("" if number else "removed", f"on {pages} of {count} pages", selector, printable(text)[:_MAX_LENGTH])
            for number, (text, selector, pages) in enumerate(template.removed_texts()[:_SHOWN_TEXTS])
        ]
    yield from (f"    {label:<9}  {'  '.join(map(printable, texts))}" for label, *texts in rows)


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
