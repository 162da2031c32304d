"""The papers' figures, to be shown beside ours: published.csv.

Facts only, from Alarte's thesis (Universitat Politècnica de València) on the suite TeCo, and from WCXB 1.0 on its whole
development split. The suites differ from ours, so a difference between a figure here and one of ours is due to the
sites as much as to the methods. The rows are

- methods with target and unit: 45 evaluation sites (Tables 5.2, 6.3, 6.4, 9.1, 10.3 to 10.6, 11.1, 12.3; peers: WCXB);
- TemEx by ``candidates`` (7.6);
- readings as printed, without groups of children (9.3, 10.8; training sites; milliseconds of the mapping);
- PROLE 2014's TemEx by other pages (its Table 2, where sizes count the key page); :data:`PAPERS` by size and votes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd


class Published(NamedTuple):
    """A row of a published table: shares in [0, 1], loads with the key page, milliseconds; None: not told."""

    recall: float | None = None
    precision: float | None = None
    f1: float | None = None
    loads: float | None = None
    ms: float | None = None


_FIGURES: Mapping[tuple[str, str], Published] = {
    (of, at): Published(*(None if pd.isna(figure) else figure for figure in figures))
    for of, at, *figures in pd.read_csv(Path(__file__).with_name("published.csv"), dtype={"at": str})
    .fillna({"at": ""})
    .itertuples(index=False)
}

PAPERS = ("PSI 2015, Table 2; WWV 2014, Table 1", "WWW 2015, Table 1")
"""Papers that came before the thesis, with other suites of the same authors."""


def of_papers() -> list[tuple[str, int, int]]:
    """Return paper, size and votes of the rows of these papers."""
    return [(of, *map(int, at.split())) for of, at in _FIGURES if of in PAPERS]  # type: ignore[misc]


def figures(of: str, at: object = "") -> Published:
    """Return the published figures of a subject, or an empty row."""
    return _FIGURES.get((of, str(at)), Published())
