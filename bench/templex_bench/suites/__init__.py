"""Suites of sites with a gold standard, and the readers of their layouts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from templex_bench.suites import folder as plain
from templex_bench.suites import selected, teco, wcxb
from templex_bench.suites.model import Gold, KeyPage, Site, Suite, SuiteError

__all__ = ["LAYOUTS", "Gold", "KeyPage", "Site", "Suite", "SuiteError", "open_suite", "parts_of"]

_READERS: Mapping[str, Callable[[Path], Suite | None]] = {
    layout.LAYOUT: layout.read for layout in (selected, wcxb, teco, plain)
}

LAYOUTS: Mapping[str, str] = {layout.LAYOUT: layout.EXPECTED for layout in (selected, wcxb, teco, plain)}
"""The layouts, in the order in which they are tried, and what each expects."""


def parts_of(folder: Path) -> list[Path]:
    """Return the folders of the suites in a folder: the folder itself, or all corpora in it."""
    return sorted(file.parent for file in folder.glob(f"*/{wcxb.GROUPS}")) or [folder]


def open_suite(folder: Path, layout: str | None = None) -> Suite:
    """Return the suite in a folder, in the given layout or the first that fits.

    Raises:
        SuiteError: if there is no such folder, or its content fits no layout.
    """
    if not folder.is_dir():
        raise SuiteError(f"{folder} is {'a file' if folder.exists() else 'not there'}; expected the folder of a suite")
    for name, read in _READERS.items():
        suite = read(folder) if layout in {None, name} else None
        if suite is not None and suite.sites:
            return suite
    expected = [LAYOUTS[layout]] if layout is not None else LAYOUTS.values()
    raise SuiteError("\n  ".join([f"{folder} has no suite in it. Expected one of:", *expected]))
