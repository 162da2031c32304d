"""Writes the tables of settings, stats, options and such into the pages of the documentation, from the code.

python docs/tables.py

A table stands between ``<!-- table: NAME -->`` and ``<!-- /table -->``; tests/docs/test_tables.py fails when one is out
of date.
"""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from scrapy.settings import Settings
from templex_bench import cli
from templex_bench.detectors.registry import DETECTORS

from templex_scrapy.commands import store, templex
from templex_scrapy.crawl import candidate_loader as candidates
from templex_scrapy.crawl.settings import PREFIX, TemplexSettings
from templex_scrapy.crawl.stats import Stat

DOCS = Path(__file__).resolve().parent

_TABLE = re.compile(r"(<!-- table: ([a-z ]+) -->\n).*?(\n<!-- /table -->)", re.DOTALL)
_SCRAPYS_OWN = "Global Options"
"""The title of the options that all commands have."""


def settings() -> str:
    """All settings, with their defaults and what they do."""
    told, defaults = _attributes(TemplexSettings), TemplexSettings()
    sections = set(re.findall(r"^### (\w+)$", (DOCS / "reference" / "settings.md").read_text("utf-8"), re.MULTILINE))
    rows = []
    for field in (one.name for one in fields(TemplexSettings)):
        name = _setting(field)
        link = f"[`{name}`](#{name.lower().replace('_', '-')})" if name in sections else f"`{name}`"
        rows.append((link, f"`{_plain(getattr(defaults, field))}`", _sentence(_with_settings(told[field]))))
    return _table(("Setting", "Default", "What it does"), rows)


def stats() -> str:
    """All stats, with what they count."""
    return _table(("Stat", "Counts"), ((f"`{stat.value}`", stat.doc) for stat in Stat))


def command_options() -> str:
    """The options of ``scrapy templex`` that are its own."""
    parser = argparse.ArgumentParser(add_help=False)
    command = templex.Command()
    command.settings = Settings()
    command.add_options(parser)
    groups = [group for group in parser._action_groups if group.title != _SCRAPYS_OWN]
    return _options(action for group in groups for action in group._group_actions)


def store_actions() -> str:
    """What ``scrapy templex store`` can do."""
    return _commands(store._parser())


def workbench_commands() -> str:
    """What the workbench can do."""
    return _commands(cli._parser())


def workbench_run_options() -> str:
    """The options of its command ``run``."""
    return _options(_subparsers(cli._parser()).choices["run"]._actions)


def detectors() -> str:
    """All detectors, with what they look for and where they are described."""
    return _table(
        ("Name", "In the papers", "Looks for", "Compares pages", "Described in", "As `TEMPLEX_METHOD`"),
        (
            (f"`{one.name}`", one.title, one.target, _yes(one.level == "site"), one.source, _yes(one.crawl))
            for one in DETECTORS.values()
        ),
    )


def meta() -> str:
    """The ``meta`` keys that candidates do not get."""
    return ", ".join(f"`{key}`" for key in sorted(candidates._OWN_META))


TABLES: Mapping[str, Callable[[], str]] = MappingProxyType(
    {
        "settings": settings,
        "stats": stats,
        "meta": meta,
        "command options": command_options,
        "store actions": store_actions,
        "workbench commands": workbench_commands,
        "workbench run options": workbench_run_options,
        "detectors": detectors,
    }
)


def updated(page: str) -> str:
    """The source of a page with its tables as they are now.

    Raises:
        KeyError: if it asks for a table that there is not.
    """
    return _TABLE.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}{found[3]}", page)


def _attributes(documented: type) -> dict[str, str]:
    """Attribute → what the docstring says about it."""
    section = inspect.cleandoc(documented.__doc__ or "").partition("Attributes:\n")[2].split("\n\n")[0]
    found = re.findall(r"^    (\w+): (.*(?:\n     .*)*)", section, re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in found}


def _options(actions: Iterable[argparse.Action]) -> str:
    return _table(
        ("Option", "What it does"),
        (
            (f"`{_invocation(action)}`", _help(action))
            for action in actions
            if action.help not in {None, argparse.SUPPRESS} and action.dest != "help"
        ),
    )


def _invocation(action: argparse.Action) -> str:
    value = action.metavar or ("{" + ",".join(map(str, action.choices)) + "}" if action.choices else "")
    value = f"[{value}]" if action.nargs == "?" else value
    names = ", ".join(action.option_strings)
    return f"{names} {value}".strip() if action.nargs != 0 else names


def _help(action: argparse.Action) -> str:
    written = (action.help or "").replace("%%", "%")
    return _sentence(written)


def _commands(parser: argparse.ArgumentParser) -> str:
    actions = _subparsers(parser)
    told = {choice.dest: choice.help or "" for choice in actions._choices_actions}
    return _table(
        ("Action", "What it does"),
        ((f"`{' '.join([name, *_arguments(sub)])}`", _sentence(told[name])) for name, sub in actions.choices.items()),
    )


def _arguments(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if not action.option_strings:
            name = str(action.metavar or action.dest)
            name = f"{name} ..." if action.nargs in {"*", "+"} else name
            yield f"[{name}]" if action.nargs in {"?", "*"} else name


def _subparsers(parser: argparse.ArgumentParser) -> Any:
    return next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _sentence(words: str) -> str:
    words = words.replace("``", "`").strip()
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith('.') else '.'}"


def _plain(value: object) -> str:
    if isinstance(value, Mapping):
        value = dict(value)
    elif isinstance(value, tuple):
        value = list(value)
    return repr(value).replace("'", '"')


def _setting(field: str) -> str:
    return f"{PREFIX}{field.upper()}"


def _with_settings(words: str) -> str:
    """With the names of settings in place of those of fields."""
    names = {one.name for one in fields(TemplexSettings)}
    return re.sub(r"``(\w+)``", lambda found: f"`{_setting(found[1])}`" if found[1] in names else found[0], words)


def _yes(value: bool) -> str:  # noqa: FBT001 - it is what is told
    return "yes" if value else "no"


def main() -> None:
    """Brings all pages up to date."""
    for file in sorted(DOCS.rglob("*.md")):
        before = file.read_text(encoding="utf-8")
        after = updated(before)
        if after != before:
            file.write_text(after, encoding="utf-8")
            print(file)


if __name__ == "__main__":
    main()
