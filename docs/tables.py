"""Write the tables of the reference pages from the code: ``python docs/tables.py [--check]``.

A table is between ``<!-- table: NAME -->`` and ``<!-- /table -->``. With ``--check`` nothing is written, and the exit
code is 1 if a table is out of date.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path

from scrapy.settings import Settings

from templex_scrapy.commands import store, templex
from templex_scrapy.crawl import PREFIX, Stat, TemplexSettings
from templex_scrapy.crawl.candidate_requests import _OWN_META

DOCS = Path(__file__).resolve().parent
_TABLE = re.compile(r"(<!-- table: ([a-z ]+) -->\n).*?(\n<!-- /table -->)", re.DOTALL)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), ["---" for _ in head], *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _settings() -> str:
    names = "|".join(f"{PREFIX}{one.name.upper()}" for one in fields(TemplexSettings))
    rows = []
    for one in fields(TemplexSettings):
        default = "[]" if one.default == () else repr(one.default).replace("'", '"')
        doc = re.sub(rf"\b({names})\b", r"`\1`", one.metadata["doc"])
        rows.append((f"`{PREFIX}{one.name.upper()}`", f"`{default}`", one.metadata["allowed"], doc))
    return _table(("Setting", "Default", "Allowed", "What it does"), rows)


def _stats() -> str:
    return _table(("Stat", "Counts"), ((f"`{stat.value}`", stat.doc) for stat in Stat))


def _meta() -> str:
    return ", ".join(f"`{key}`" for key in sorted(_OWN_META))


def _command_options() -> str:
    parser, command = argparse.ArgumentParser(add_help=False), templex.Command()
    command.settings = Settings()
    command.add_options(parser)
    groups = [group for group in parser._action_groups if group.title != "Global Options"]  # these are Scrapy's own
    rows = []
    for action in (action for group in groups for action in group._group_actions):
        if action.help and action.dest != "help":
            value = f" [{action.metavar}]" if action.nargs == "?" else f" {action.metavar}" if action.metavar else ""
            rows.append((f"`{', '.join(action.option_strings)}{value}`", action.help.replace("%%", "%")))
    return _table(("Option", "What it does"), rows)


def _store_actions() -> str:
    actions = next(one for one in store._parser()._actions if isinstance(one, argparse._SubParsersAction))
    rows = ((f"`{' '.join([choice.dest, *_places(actions.choices[choice.dest])])}`", choice.help or "")
            for choice in actions._choices_actions)  # fmt: skip
    return _table(("Action", "What it does"), rows)


def _places(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if not action.option_strings:
            yield f"[{action.dest}]" if action.nargs == "?" else action.dest


TABLES = {"settings": _settings, "stats": _stats, "meta": _meta, "command options": _command_options,
          "store actions": _store_actions}  # fmt: skip


def main() -> int:
    """Write the tables, or check them; return the exit code."""
    outdated = []
    for file in sorted(DOCS.rglob("*.md")):
        before = file.read_text(encoding="utf-8")
        after = _TABLE.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", before)
        if after != before:
            outdated.append(file)
            if "--check" not in sys.argv:
                file.write_text(after, encoding="utf-8")
    print(*(f"{file}: table out of date; run python docs/tables.py" for file in outdated), sep="\n", end="")
    return 1 if outdated and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
