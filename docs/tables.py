"""Write the tables of the reference pages from the code: ``python docs/tables.py [--check]``.

A table is between ``<!-- table: NAME -->`` and ``<!-- /table -->``. With ``--check`` nothing is written, and the exit
code is 1 if a table is out of date.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

from scrapy.settings import Settings

from templex_scrapy.commands import clean, store, templex
from templex_scrapy.crawl import PREFIX, Stat, TemplexSettings
from templex_scrapy.crawl.downloads.candidate_requests import _META_OF_ONE_REQUEST

DOCS = Path(__file__).resolve().parent
_TABLE = re.compile(r"(<!-- table: ([a-z ]+) -->\n).*?(\n<!-- /table -->)", re.DOTALL)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), ["---" for _ in head], *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _settings() -> str:
    rows = []
    for one in fields(TemplexSettings):
        default = "[]" if one.default == () else repr(one.default).replace("'", '"')
        doc = re.sub(rf"\b({PREFIX}\w+)", r"`\1`", one.metadata["doc"])
        rows.append((f"`{PREFIX}{one.name.upper()}`", f"`{default}`", one.metadata["allowed"], doc))
    return _table(("Setting", "Default", "Allowed", "What it does"), rows)


def _stats() -> str:
    return _table(("Stat", "Counts"), ((f"`{stat.value}`", stat.doc) for stat in Stat))


def _meta() -> str:
    return ", ".join(f"`{key}`" for key in sorted(_META_OF_ONE_REQUEST))


def _command_options() -> str:
    parser, command = argparse.ArgumentParser(add_help=False), templex.Command()
    command.settings = Settings()
    command.add_options(parser)
    groups = [group for group in parser._action_groups if group.title != "Global Options"]  # these are Scrapy's own
    return _options_of(action for group in groups for action in group._group_actions)


def _options_of(actions: Iterable[argparse.Action]) -> str:
    rows = []
    for action in actions:
        if action.help and action.dest != "help":
            value = f" [{action.metavar}]" if action.nargs == "?" else f" {action.metavar}" if action.metavar else ""
            more = " ..." if action.nargs == "+" else ""
            option = f"{', '.join(action.option_strings)}{value}{more}".strip()
            rows.append((f"`{option}`", action.help.replace("%%", "%")))
    return _table(("Option", "What it does"), rows)


def _clean_options() -> str:
    return _options_of(clean.parser("templex clean")._actions)


def _store_actions() -> str:
    actions = next(one for one in store._parser()._actions if isinstance(one, argparse._SubParsersAction))
    rows = []
    for choice in actions._choices_actions:
        places = [one for one in actions.choices[choice.dest]._actions if not one.option_strings]
        words = [choice.dest, *(f"[{one.dest}]" if one.nargs == "?" else one.dest for one in places)]
        rows.append((f"`{' '.join(words)}`", choice.help or ""))
    return _table(("Action", "What it does"), rows)


def _with_tables(page: str) -> str:
    """Return the source of a page with its tables as they are now; raise KeyError for an unknown one."""
    return _TABLE.sub(lambda found: f"{found[1]}{globals()['_' + found[2].replace(' ', '_')]()}{found[3]}", page)


def main() -> int:
    """Write the tables, or check them; return the exit code."""
    pages = {file: file.read_text(encoding="utf-8") for file in sorted(DOCS.rglob("*.md"))}
    outdated = {file: _with_tables(page) for file, page in pages.items() if _with_tables(page) != page}
    is_check = "--check" in sys.argv
    for file, page in outdated.items():
        print(f"{file}: {'a table is out of date; run python docs/tables.py' if is_check else 'written'}")
        if not is_check:
            file.write_text(page, encoding="utf-8")
    return 1 if outdated and is_check else 0


if __name__ == "__main__":
    sys.exit(main())
