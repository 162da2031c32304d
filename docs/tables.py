"""Write the tables and signatures of the reference pages from the code: ``python docs/tables.py [--check]``.

They stand between ``<!-- table: NAME ARGUMENT ... -->`` and ``<!-- /table -->``. With ``--check`` nothing is written,
and the exit code is 1 if a page is out of date.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from types import ModuleType

from scrapy.settings import Settings

from templex_scrapy.commands import clean, store, templex
from templex_scrapy.crawl import PREFIX, Stat, TemplexSettings
from templex_scrapy.crawl.downloads.candidate_requests import _META_OF_ONE_REQUEST

DOCS = Path(__file__).resolve().parent
_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_TABLE = re.compile(r"(<!-- table: (\w+)((?: [\w./]+)*) -->\n).*?(<!-- /table -->)", re.DOTALL)


def _rows(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), ["---" for _ in head], *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def _settings() -> str:
    rows = []
    for setting in fields(TemplexSettings):
        default = "[]" if setting.default == () else repr(setting.default).replace("'", '"')
        doc = re.sub(rf"\b({PREFIX}\w+)", r"`\1`", setting.metadata["doc"])
        rows.append((f"`{PREFIX}{setting.name.upper()}`", f"`{default}`", setting.metadata["allowed"], doc))
    return _rows(("Setting", "Default", "Allowed", "What it does"), rows)


def _stats() -> str:
    return _rows(("Stat", "Counts"), ((f"`{stat.value}`", stat.doc) for stat in Stat))


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
    return _rows(("Option", "What it does"), rows)


def _clean_options() -> str:
    return _options_of(clean.parser("templex clean")._actions)


def _store_actions() -> str:
    actions = next(one for one in store.parser()._actions if isinstance(one, argparse._SubParsersAction))
    rows = []
    for choice in actions._choices_actions:
        places = [one for one in actions.choices[choice.dest]._actions if not one.option_strings]
        words = [choice.dest, *(f"[{one.dest}]" if one.nargs == "?" else one.dest for one in places)]
        rows.append((f"`{' '.join(words)}`", choice.help or ""))
    return _rows(("Action", "What it does"), rows)


def _file(name: str) -> str:
    return f"<!-- block: shown -->\n```python\n{(DOCS.parent / name).read_text(encoding='utf-8')}```"


def _source(*names: str) -> str:
    """Return the signatures and docstrings of public names, each below a heading."""
    return "\n\n".join(f"### {name}\n\n<!-- block: shown -->\n```python\n{_stub(name)}\n```" for name in names)


def _stub(name: str) -> str:
    module, _, attribute = f"templex_scrapy.{name}".rpartition(".")
    named = getattr(import_module(module), attribute)
    is_module = isinstance(named, ModuleType)
    source = DOCS.parent / (named.__name__ if is_module else named.__module__).replace(".", "/")
    text = source.with_suffix(".py").read_text(encoding="utf-8")
    lines, statements = text.splitlines(), ast.parse(text).body
    if not is_module:
        node = next(node for node in statements if isinstance(node, _Definition) and node.name == named.__name__)
    stub = lines[statements[1].end_lineno or 0 :] if is_module else _declaration(node, lines)
    return re.sub(r":\w+:`~?(?:\w+\.)*(\w+)`", r"``\1``", "\n".join(stub).strip())


def _declaration(node: _Definition, lines: list[str]) -> Iterator[str]:
    """Yield the lines of a function without its body, or of a class with its public attributes and methods."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    returns = getattr(node, "returns", None)
    yield from lines[first - 1 : (node.body[0] if returns is None or ast.get_docstring(node) else returns).end_lineno]
    for inner in node.body[1:] if isinstance(node, ast.ClassDef) else ():
        if isinstance(inner, _Definition):
            is_constructor = inner.name == "__init__" and "Args:" in (ast.get_docstring(node) or "")
            if is_constructor or not inner.name.startswith("_"):
                yield from ("", *_declaration(inner, lines))
        elif isinstance(inner, ast.Assign | ast.AnnAssign) and not lines[inner.lineno - 1].lstrip().startswith("_"):
            yield from ([""] if inner is node.body[1] else []) + lines[inner.lineno - 1 : inner.end_lineno]


def _with_tables(page: str) -> str:
    """Return the source of a page with its tables as they are now; raise KeyError for an unknown one."""
    return _TABLE.sub(lambda table: f"{table[1]}{globals()['_' + table[2]](*table[3].split())}\n{table[4]}", page)


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
