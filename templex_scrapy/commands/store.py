"""``scrapy templex store``: what a person does with the templates that crawls have stored."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, cast

from scrapy.exceptions import UsageError

from templex_scrapy.commands.replacing import replacing
from templex_scrapy.commands.terminal import StandardOutput, check_place, printable, write_text
from templex_scrapy.page import site_of
from templex_scrapy.stores import (
    LeftOut,
    NoSuchTemplateError,
    Store,
    StoreError,
    TemplateInfo,
    administration,
    open_directly,
)
from templex_scrapy.stores.opening import JOBDIR_FILE
from templex_scrapy.stores.record import from_ticks

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

NAME = "store"
"""The first argument of ``scrapy templex`` that means this."""

DESCRIPTION = (
    "'scrapy templex store list [site] | show site [key] | forget site [key] | export [site] | import file' is for what"
    " crawls have stored. Each takes --store PLACE (an SQLite file or a redis:// URL; by default TEMPLEX_STORE, or the"
    " store of JOBDIR), -o FILE and --json; -h behind an action tells more. A page in a file of that name is ./store."
)
"""What the help of ``scrapy templex`` says about this."""

KEY_LENGTH = 12
"""Digits of a template's key that are shown where there is little room; any beginning that is unique names it."""


def run(args: list[str], opts: argparse.Namespace, settings: BaseSettings) -> int:
    """Do what was asked for.

    Args:
        args: what follows ``scrapy templex store`` on the command line.
        opts: the options of ``scrapy templex``; ``kind`` (``--json``) and ``output`` (``-o``) count here too.
        settings: the project's; ``TEMPLEX_STORE``, or else ``JOBDIR``, says where the store is.

    Returns:
        The exit code.

    Raises:
        UsageError: if the arguments are wrong.
        OSError: if a file cannot be read or written, or nobody reads the output any more.
    """
    parser = _parser()
    if not args:
        write_text(sys.stderr, parser.format_help())
        return 2
    asked = parser.parse_args(args)
    if "://" in (getattr(asked, "site", None) or ""):
        asked.site = site_of(asked.site) or asked.site
    if opts.kind not in {None, "json"}:
        raise UsageError(f"--{opts.kind} is for pages", print_help=False)
    place = asked.store or _place(settings)
    if place is None:
        raise UsageError("which store? Set TEMPLEX_STORE or JOBDIR, or name it with --store", print_help=False)
    file = opts.output or "-"
    if file != "-" and Path(file).resolve() == Path(place).resolve():
        raise UsageError("-o names the store itself", print_help=False)
    check_place(file)
    action = cast("_Action", asked.action)
    try:
        with closing(open_directly(place, create=action is _import)) as store:
            return action(store, asked, _Report(file, is_json=opts.kind == "json"))
    except (ValueError, ImportError) as error:
        raise UsageError(str(error), print_help=False) from error
    except StoreError as error:
        write_text(sys.stderr, f"scrapy templex store: {printable(str(error))}\n")
        return 1


def show_help(args: list[str]) -> NoReturn:
    """Print the help on an action, or on all, and leave.

    Args:
        args: what follows ``scrapy templex store`` on the command line, without ``-h``.

    Raises:
        SystemExit: always; with 2 if there is no such action.
    """
    _parser().parse_args([*args[:1], "-h"])
    raise SystemExit(0)


class _Report:
    """Where the result of an action goes, and in which form. A file is replaced when all is known that it is to hold.

    Args:
        file: the file, or ``-`` for standard output.
        is_json: whether data is written instead of words.
    """

    def __init__(self, file: str, *, is_json: bool) -> None:
        self._file = file
        self._is_json = is_json

    def write(self, data: object, words: Callable[[], str]) -> None:
        """Write a result as data, or in words."""
        written = json.dumps(data, ensure_ascii=False, indent=2) if self._is_json else words()
        with self._stream() as stream:
            stream.write(f"{written}\n".encode("utf-8", "replace"))

    def write_export(self, store: Store, site: str | None) -> administration.Exported:
        """Write templates themselves, site by site."""
        with self._stream() as stream:
            return administration.export_templates(store, stream, site)

    def _stream(self) -> AbstractContextManager[BinaryIO]:
        return nullcontext(cast("BinaryIO", StandardOutput())) if self._file == "-" else replacing(self._file)


_Action = Callable[[Store, argparse.Namespace, _Report], int]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scrapy templex store",
        usage="scrapy templex store list [site] | show site [key] | forget site [key] | export [site] | import file",
        description=(
            "What crawls have stored of the templates of sites. Each action takes --store PLACE, -o FILE and --json;"
            " PLACE is an SQLite file or a redis:// URL, by default TEMPLEX_STORE, or the store of JOBDIR."
        ),
    )
    place = argparse.ArgumentParser(add_help=False)
    place.add_argument("--store", metavar="PLACE", help="an SQLite file or a redis:// URL; default: TEMPLEX_STORE")
    # for their help alone: Scrapy's own parser has taken these two off the command line
    place.add_argument("-o", "--output", metavar="FILE", help="write to this file; - is standard output, the default")
    place.add_argument("--json", action="store_true", help="write data instead of words")
    actions = parser.add_subparsers(required=True, metavar="<action>")

    def add(name: str, action: _Action, help_: str) -> argparse.ArgumentParser:
        sub = actions.add_parser(name, prog=f"scrapy templex store {name}", help=help_, parents=[place])
        sub.set_defaults(action=action)
        return sub

    list_ = add("list", _list, "list the templates")
    list_.add_argument("site", nargs="?", help="of this site only")
    list_.add_argument("--set-aside", action="store_true", help="list the damaged records that crawls have set aside")
    show = add("show", _show, "show all that is known about a template")
    show.add_argument("site")
    show.add_argument("key", nargs="?", default="", help="the beginning of its key; not needed for the only one")
    forget = add("forget", _forget, "remove the templates of a site, or one of them")
    forget.add_argument("site")
    forget.add_argument("key", nargs="?", help="the beginning of the key of the only one to remove")
    export = add("export", _export, "write templates as JSON Lines, to standard output or -o FILE")
    export.add_argument("site", nargs="?", help="of this site only")
    add("import", _import, "store what export wrote").add_argument("file", help="- is standard input")
    return parser


def _place(settings: BaseSettings) -> str | None:
    place, jobdir = settings.get("TEMPLEX_STORE"), settings.get("JOBDIR")
    if place is not None:
        return str(place)
    return str(Path(jobdir, JOBDIR_FILE)) if jobdir else None


def _list(store: Store, asked: argparse.Namespace, report: _Report) -> int:
    if asked.set_aside:
        return _list_set_aside(store, asked, report)
    listed = administration.list_templates(store, asked.site)
    found = listed.templates
    none = f"The store holds no template{' that can be read' if listed.left_out else ''}."
    report.write([_data(info) for info in found], lambda: _table(found) if found else none)
    _tell_of(listed.left_out)
    return 0


def _list_set_aside(store: Store, asked: argparse.Namespace, report: _Report) -> int:
    found = [
        {
            "site": aside.site,
            "key": aside.key,
            "set_aside": _time(from_ticks(aside.at)),
            "reason": aside.why,
            "bytes": len(aside.head) + len(aside.body),
        }
        for aside in store.set_aside()
        if asked.site in {None, aside.site}
    ]
    report.write(found, lambda: _table_set_aside(found) if found else "No record has been set aside.")
    return 0


def _tell_of(left_out: Sequence[LeftOut]) -> None:
    if left_out:
        write_text(sys.stderr, f"scrapy templex store: {printable(administration.told_of(left_out))}\n")


def _show(store: Store, asked: argparse.Namespace, report: _Report) -> int:
    if not asked.key:
        found = [info.head.key[:KEY_LENGTH] for info in administration.list_templates(store, asked.site).templates]
        if len(found) > 1:
            raise NoSuchTemplateError(
                f"{asked.site} has {len(found)} templates; add the key of one: {', '.join(found)}"
            )
    details = administration.show(store, asked.site, asked.key)
    data = {**_data(details.info), "nodes": details.nodes, "template_nodes": details.template_nodes}
    report.write(data, lambda: _sheet(data))
    return 0


def _forget(store: Store, asked: argparse.Namespace, report: _Report) -> int:
    removed = administration.forget(store, asked.site, asked.key)
    report.write({"removed": removed}, lambda: f"{_counted(removed, 'template')} of {printable(asked.site)} removed")
    return 0


def _export(store: Store, asked: argparse.Namespace, report: _Report) -> int:
    done = report.write_export(store, asked.site)
    told = f"{_counted(done.templates, 'template')} of {_counted(done.sites, 'site')}, {done.size:,} bytes"
    write_text(sys.stderr, f"scrapy templex store: {told}\n")
    _tell_of(done.left_out)
    return 1 if done.left_out else 0


def _import(store: Store, asked: argparse.Namespace, report: _Report) -> int:
    with sys.stdin.buffer if asked.file == "-" else Path(asked.file).open("rb") as stream:
        done = administration.import_templates(store, cast("BinaryIO", stream))
    refusals = [{"line": refusal.line, "reason": refusal.reason} for refusal in done.refusals]
    report.write(
        {"templates": done.templates, "refused": done.refused, "refusals": refusals},
        lambda: "\n".join(
            [
                f"{_counted(done.templates, 'template')} stored, {_counted(done.refused, 'line')} refused",
                *(f"  line {one['line']}: {printable(str(one['reason']))}" for one in refusals),
            ]
        ),
    )
    return 1 if done.refused else 0


def _data(info: TemplateInfo) -> dict[str, Any]:
    head = info.head
    return {
        "site": head.site,
        "key": head.key,
        "kind": head.kind,
        "learnt": _time(head.learnt),
        "updated": _time(head.updated),
        "served": info.served,
        "last_used": _time(info.last_used),
        "retired": None if head.retired is None else {"at": _time(head.retired.at), "reason": head.retired.reason},
        "key_page": head.urls[0] if head.urls else None,
        "pages": list(head.urls[1:]),
        "notes": dict(head.notes),
        "bytes": head.size,
    }


def _time(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat(timespec="seconds")


def _table(found: Iterable[TemplateInfo]) -> str:
    titles = ("SITE", "KEY", "LEARNT", "PAGES", "SERVED", "LAST USED", "BYTES", "KIND")
    rows = [titles]
    for info in found:
        head = info.head
        kind = f"{head.kind} (retired: {head.retired.reason})" if head.retired is not None else head.kind
        used = "never" if info.last_used is None else f"{info.last_used:%Y-%m-%d %H:%M}"
        numbers = (f"{max(len(head.urls) - 1, 0)}", f"{info.served:,}", used, f"{head.size:,}")
        row = (head.site, head.key[:KEY_LENGTH], f"{head.learnt:%Y-%m-%d %H:%M}", *numbers, kind)
        rows.append(cast("tuple[str, str, str, str, str, str, str, str]", tuple(map(printable, row))))
    return "\n".join(_aligned(rows, right={3, 4, 6}))


def _table_set_aside(found: Iterable[dict[str, Any]]) -> str:
    titles = ("SITE", "KEY", "SET ASIDE", "BYTES", "REASON")
    rows = [
        (one["site"], one["key"][:KEY_LENGTH], one["set_aside"] or "-", f"{one['bytes']:,}", one["reason"])
        for one in found
    ]
    return "\n".join(_aligned([titles, *(tuple(map(printable, row)) for row in rows)], right={3}))


def _aligned(rows: Sequence[Sequence[str]], right: set[int]) -> Iterable[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            f"{cell:>{width}}" if number in right else f"{cell:<{width}}"
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def _sheet(data: dict[str, Any]) -> str:
    lines = []
    for name, value in data.items():
        if isinstance(value, list):
            values = [str(one) for one in value]
        elif isinstance(value, dict):
            values = [f"{key}: {one}" for key, one in value.items()]
        else:
            values = ["-" if value in {None, ""} else f"{value:,}" if isinstance(value, int) else str(value)]
        for number, one in enumerate(values or ["-"]):
            lines.append(f"{'' if number else name.replace('_', ' '):<16}{printable(one)}".rstrip())
    return "\n".join(lines)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
