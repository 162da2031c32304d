"""Suites of sites with a gold standard, and the readers of their layouts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from templex_bench.suites import selected, wcxb
from templex_bench.suites.model import Gold, KeyPage, SuiteError
from templex_bench.suites.saved import Site, Suite

__all__ = ["LAYOUTS", "Gold", "KeyPage", "Site", "Suite", "SuiteError", "open_suite", "parts_of"]

_LAYOUTS = (selected, wcxb)
LAYOUTS: Mapping[str, str] = {layout.LAYOUT: layout.EXPECTED for layout in _LAYOUTS}
"""The layouts in the order in which a folder is tried, with the files that they expect."""


def parts_of(folder: Path) -> list[Path]:
    """Return the folders of the suites in a folder: the folder itself, or all corpora in it."""
    return sorted(file.parent for file in folder.glob(f"*/{wcxb.GROUPS}")) or [folder]


def open_suite(folder: Path) -> Suite:
    """Return the suite in a folder, in the first layout that fits.

    Raises:
        SuiteError: if there is no such folder, or its content fits no layout.
    """
    if not folder.is_dir():
        raise SuiteError(f"{folder} is {'a file' if folder.exists() else 'not there'}; expected the folder of a suite")
    for layout in _LAYOUTS:
        suite: Suite | None = layout.read(folder)
        if suite is not None and suite.sites:
            return suite
    raise SuiteError("\n  ".join([f"{folder} has no suite in it. Expected one of:", *LAYOUTS.values()]))
