"""``scrapy templex store``: list, show and delete stored templates."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from templex_scrapy.commands.terminal import tell, write
from templex_scrapy.figures import counted, one_line
from templex_scrapy.page import site_of
from templex_scrapy.stores import JOBDIR_FILE, StoredTemplate, StoreError, TemplateStore, open_store

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_SHOWN_TEXTS, _MAX_LENGTH = 15, 80  # removed texts of a template, and characters of each

USAGE = "scrapy templex store list | show <site> | delete <site> | delete --all"
DESCRIPTION = (
    f"'{USAGE}' is for the templates that crawls have stored. Name the store with --store (the path of an"
    " SQLite file, or a redis:// URL), TEMPLEX_STORE or JOBDIR. A page in a file named store is ./store."
)
"""The help of the command, as a part of the help of ``scrapy templex``."""


def run(args: list[str], where: str) -> int:
    """Run ``scrapy templex store`` with these arguments and a store; return the exit code."""
    arguments = parser().parse_args(args)
    with closing(open_store(where, strict=True)) as store:
        lines = list(_do(store, arguments))
        skipped = store.skipped
    write(sys.stdout, "".join(f"{line}\n" for line in lines))
    if skipped:
        tell(f"{counted(skipped, 'record')} cannot be read", "scrapy templex")
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


def _do(store: TemplateStore, arguments: argparse.Namespace) -> Iterable[str]:
    if arguments.action == "list":
        return _table(store)
    if arguments.action == "delete" and arguments.all:
        return [f"{counted(sum(map(store.delete, store.sites())), 'template')} deleted"]
    # people copy addresses from browsers
    site = site_of(arguments.site) or arguments.site
    if arguments.action == "delete":
        if deleted := store.delete(site):
            return [f"{counted(deleted, 'template')} of {one_line(site)} deleted"]
    # ``run`` tells the number of unreadable records
    elif (templates := store.load(site)) or store.skipped:
        return (line for stored in templates for line in _sheet(stored, with_css=arguments.css))
    raise StoreError(f"there is no template of {site}")


def _table(store: TemplateStore) -> Iterator[str]:
    rows = [("SITE", "TEMPLATES", "VOTERS", "LAST USED")]
    for site in store.sites():
        if templates := store.load(site):
            voters = sum(len(stored.template.page_urls) for stored in templates)
            rows.append((one_line(site), str(len(templates)), str(voters), _time(templates[0].used)))
    width = max(len(row[0]) for row in rows)
    yield from (f"{site:<{width}}  {templates:>9}  {voters:>6}  {used}" for site, templates, voters, used in rows)


def _sheet(stored: StoredTemplate, *, with_css: bool) -> Iterator[str]:
    template, count = stored.template, len(stored.template.page_urls) + 1
    yield one_line(template.key_url)
    rows: list[tuple[str, ...]]
    if with_css:
        rows = [(part, f"on {share:.0%} of {count} pages", css) for css, part, share in template.selectors()]
    else:
        rows = [("learnt", _time(stored.learnt)), ("last used", _time(stored.used))]
        rows += [("" if number else "voters", url) for number, url in enumerate(template.page_urls)]
        rows += [
            ("" if number else "removed", f"on {pages} of {count} pages", selector, one_line(text, _MAX_LENGTH))
            for number, (text, selector, pages) in enumerate(template.removed_texts()[:_SHOWN_TEXTS])
        ]
    yield from (f"    {label:<9}  {'  '.join(map(one_line, texts))}" for label, *texts in rows)


def _time(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
