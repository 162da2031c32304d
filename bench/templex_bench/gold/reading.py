"""Which layout a folder has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from templex_bench.gold import folder as plain
from templex_bench.gold import selected, teco, texts
from templex_bench.gold.model import Suite, SuiteError

_READERS: Mapping[str, tuple[Callable[[Path], Suite | None], str]] = {
    layout.LAYOUT: (layout.read, layout.EXPECTED) for layout in (selected, texts, teco, plain)
}

LAYOUTS: Mapping[str, str] = {layout: expected for layout, (_, expected) in _READERS.items()}
"""The layouts, in the order in which they are tried, and what each expects."""


def open_suite(folder: Path, layout: str | None = None) -> Suite:
    """The suite in a folder.

    Args:
        folder: the suite's folder.
        layout: one of :data:`LAYOUTS`; None: the first that fits.

    Raises:
        SuiteError: if there is no such folder, or what is in it is not of the layout, or of none.
    """
    if not folder.is_dir():
        raise SuiteError(f"{folder} is {'a file' if folder.exists() else 'not there'}; expected the folder of a suite")
    for name, (read, _) in _READERS.items():
        suite = read(folder) if layout in {None, name} else None
        if suite is not None and suite.sites:
            return suite
    expected = [LAYOUTS[layout]] if layout is not None else LAYOUTS.values()
    raise SuiteError("\n  ".join([f"{folder} has no suite in it. Expected one of:", *expected]))
