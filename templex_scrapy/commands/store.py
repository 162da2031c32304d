"""``scrapy templex store``: look into a store of templates, and delete from it."""

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

SHOWN_TEXTS, MAX_LENGTH = 15, 80
"""Removed texts that are shown of a template, and characters of each."""

NAME = "store"
"""The first argument of ``scrapy templex`` that means this."""

USAGE = "scrapy templex store list | show <site> | delete <site> | delete --all"
DESCRIPTION = (
    f"'{USAGE}' is for the templates that crawls have stored. The store is that of TEMPLEX_STORE, or of JOBDIR, or the"
    " one named by --store (the path of an SQLite file, or a redis:// URL). A page in a file of that name is ./store."
)
"""What the help of ``scrapy templex`` says about this."""


def run(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
    """Run ``scrapy templex store`` with what follows on the command line; return the exit code.

    Raises:
        UsageError: if the arguments are wrong.
    """
    if not args:
        write_text(sys.stderr, _parser().format_help())
        return 2
    asked = _parser().parse_args(args)
    # "store list --json" would print no JSON
    if opts.form is not None or opts.output:
        raise UsageError(f"{'-o' if opts.output else f'--{opts.form}'} is for pages", print_help=False)
    where = opts.store or store_of(settings)
    if where is None:
        raise UsageError("which store? Set TEMPLEX_STORE or JOBDIR, or name it with --store", print_help=False)
    try:
        with closing(open_store(where, strict=True)) as store:
            lines = list(_do(store, asked))
            skipped = store.skipped
    except (ValueError, ImportError) as error:
        raise UsageError(str(error), print_help=False) from error
    except StoreError as error:
        return _fail(str(error))
    write_text(sys.stdout, "".join(f"{line}\n" for line in lines))
    return _fail(f"{counted(skipped, 'record')} cannot be read") if skipped else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scrapy templex store", usage=USAGE)
    actions = parser.add_subparsers(prog="scrapy templex store", required=True, metavar="<action>", dest="action")
    actions.add_parser("list", help="list the sites")
    show = actions.add_parser("show", help="show the templates of a site")
    show.add_argument("site", help="the site, or the URL of one of its pages")
    show.add_argument("--css", action="store_true", help="print CSS selectors of what is removed, and of the content")
    delete = actions.add_parser("delete", help="delete the templates of a site, or all")
    sites = delete.add_mutually_exclusive_group(required=True)
    sites.add_argument("site", nargs="?", help="the site, or the URL of one of its pages")
    sites.add_argument("--all", action="store_true", help="delete the templates of all sites")
    return parser


def store_of(settings: BaseSettings) -> str | None:
    """Return the store of a project: that of ``TEMPLEX_STORE``, or of ``JOBDIR``; None if it has none."""
    where, jobdir = settings.get("TEMPLEX_STORE"), settings.get("JOBDIR")
    return where or (str(Path(jobdir, JOBDIR_FILE)) if jobdir else None)


def _do(store: TemplateStore, asked: argparse.Namespace) -> Iterable[str]:
    if asked.action == "list":
        return _table(store)
    if asked.action == "delete" and asked.all:
        return [f"{counted(sum(map(store.delete, store.sites())), 'template')} deleted"]
    # people copy addresses from browsers
    site = site_of(asked.site) or asked.site
    if asked.action == "delete":
        deleted = store.delete(site)
        if not deleted:
            raise StoreError(f"there is no template of {site}")
        return [f"{counted(deleted, 'template')} of {printable(site)} deleted"]
    found = store.load(site)
    # of records that cannot be read the number is told
    if not found and not store.skipped:
        raise StoreError(f"there is no template of {site}")
    sheet = _css_sheet if asked.css else _sheet
    return (line for stored in found for line in sheet(stored))


def _table(store: TemplateStore) -> Iterator[str]:
    rows = [("SITE", "TEMPLATES", "VOTERS", "LAST USED")]
    for site in store.sites():
        found = store.load(site)
        if found:
            voters = sum(len(stored.template.page_urls) for stored in found)
            rows.append((printable(site), str(len(found)), str(voters), _time(found[0].used)))
    # a table with a head alone looks as if something was cut
    if len(rows) == 1:
        yield f"The store has no template{' that can be read' if store.skipped else ''}."
        return
    width = max(len(row[0]) for row in rows)
    for site, templates, votes, used in rows:
        yield f"{site:<{width}}  {templates:>9}  {votes:>6}  {used}"


def _sheet(stored: StoredTemplate) -> Iterator[str]:
    template = stored.template
    yield printable(template.key_url)
    yield f"    learnt     {_time(stored.learnt)}"
    yield f"    last used  {_time(stored.used)}"
    for number, url in enumerate(template.page_urls):
        yield f"    {'' if number else 'voters':<9}  {printable(url)}"
    pages = len(template.page_urls) + 1
    for number, (text, selector, having) in enumerate(template.removed_texts()[:SHOWN_TEXTS]):
        row = f"on {having} of {pages} pages  {printable(selector)}  {printable(text)[:MAX_LENGTH]}"
        yield f"    {'' if number else 'removed':<9}  {row}"


def _css_sheet(stored: StoredTemplate) -> Iterator[str]:
    pages = len(stored.template.page_urls) + 1
    yield printable(stored.template.key_url)
    for css, part, share in stored.template.selectors():
        yield f"    {part:<9}  on {share:.0%} of {pages} pages  {printable(css)}"


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"


def _fail(why: str) -> int:
    tell(why, "scrapy templex store")
    return 1
