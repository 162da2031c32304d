"""What results are worth keeping: those made by the same code."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import templex_scrapy
from templex_bench.gold.model import fingerprint_of
from templex_bench.peers import PEERS

_ROOT = Path(templex_scrapy.__file__).parent
_BENCH = _ROOT / "workbench"
_MEASURING = (
    "candidates.py",
    "case.py",
    "linked.py",
    "measures.py",
    "methods.py",
    "peers.py",
    "readings.py",
    "texts.py",
)


def versions_of(methods: Iterable[str]) -> dict[str, str]:
    """The version of each method: that of this package with a hash of the sources that decide on the result.

    For peers these are the sources of the measurement, and the peer's own version is added; else all modules that those
    import, directly or not: a change of Scrapy's side leaves results as they are.
    """
    measuring = [*(_BENCH / name for name in _MEASURING), *sorted((_BENCH / "gold").glob("*.py"))]
    own, of_peers = _hashed(reached(measuring)), _hashed(measuring)
    return {
        name: f"{of_peers} {PEERS[name].package} {PEERS[name].version}" if name in PEERS else own for name in methods
    }


def reached(files: Iterable[Path]) -> list[Path]:
    """Some modules of this package with those that they import, directly or through others, sorted."""
    waiting, found = list(files), set[Path]()
    while waiting:
        file = waiting.pop()
        if file not in found:
            found.add(file)
            waiting.extend(_imported(file))
    return sorted(found)


def _imported(file: Path) -> Iterator[Path]:
    for statement in ast.walk(ast.parse(file.read_bytes())):
        names = [alias.name for alias in statement.names] if isinstance(statement, ast.Import | ast.ImportFrom) else []
        if isinstance(statement, ast.ImportFrom) and statement.module is not None:
            names = [statement.module, *(f"{statement.module}.{name}" for name in names)]
        for name in names:
            top, *path = name.split(".")
            module = _ROOT.joinpath(*path)
            # the package itself imports Scrapy's side, which has no part in any result
            if top == _ROOT.name and path:
                yield from (
                    source for source in (module.with_suffix(".py"), module / "__init__.py") if source.is_file()
                )


def _hashed(files: Iterable[Path]) -> str:
    parts = ((file.relative_to(_ROOT).as_posix(), file.read_bytes()) for file in files)
    return f"{templex_scrapy.__version__}+{fingerprint_of(parts)}"
