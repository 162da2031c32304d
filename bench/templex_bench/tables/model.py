"""A table as data, and as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from templex_bench.measures.means import Estimate

MISSING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: short and unique in a report.
        title: what it shows.
        columns: the titles of the columns.
        rows: the cells as text; the first one is the row's heading.
        notes: sentences on how to read it.
        command: what prints this table again.
    """

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    command: str = ""

    @classmethod
    def of(cls, name: str, title: str, rows: Sequence[Mapping[str, str]], *notes: str) -> Table | None:
        """Make a table of rows by column; columns without any text are left out; None without rows."""
        columns = list(dict.fromkeys(column for row in rows for column in row))
        kept = [column for column in columns if any(row.get(column, MISSING) != MISSING for row in rows)]
        cells = [[_printable(row.get(column, MISSING)) for column in kept] for row in rows]
        return cls(name, title, kept, cells, notes) if rows else None

    def named(self, name: str, command: str) -> Table:
        """Return the table with another name and command."""
        return replace(self, name=name, command=command)

    def markdown(self) -> str:
        """Return the table as Markdown."""
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        grid = "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
        notes = "".join(f"- {note}\n" for note in self.notes)
        again = f"\nAgain: `{self.command}`\n" if self.command else ""
        return f"**{self.title}** ({self.name})\n\n{grid}\n\n{notes}{again}"


def _printable(text: str) -> str:
    short = text if len(text) <= 300 else f"{text[:299]}…"
    return _UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", short)


def share(value: float | None, digits: int = 3) -> str:
    """Return a share or another number with so many digits after the point."""
    return MISSING if value is None or pd.isna(value) else f"{value:.{digits}f}"


def mean(estimate: Estimate | None, digits: int = 3) -> str:
    """Return a mean with its interval, if it has one."""
    if estimate is None:
        return MISSING
    interval = "" if pd.isna(estimate.low) else f" [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"
    return f"{estimate.mean:.{digits}f}{interval}"


def signed(value: float) -> str:
    """Return a difference with its sign."""
    rounded = round(value, 3)
    return f"{'+' if rounded > 0 else _MINUS}{abs(rounded):.3f}" if rounded else "0.000"


def difference(estimate: Estimate | None) -> str:
    """Return a mean difference with its interval; ▲ or ▼ where the interval leaves out 0."""
    if estimate is None:
        return MISSING
    if pd.isna(estimate.low):
        return signed(estimate.mean)
    mark = "" if not estimate.without_zero else " ▲" if estimate.mean > 0 else " ▼"
    return f"{signed(estimate.mean)} [{signed(estimate.low)}, {signed(estimate.high)}]{mark}"


def milliseconds(seconds: float | None) -> str:
    """Return a time in milliseconds with three significant digits."""
    if seconds is None or pd.isna(seconds):
        return MISSING
    ms = float(f"{seconds * 1000:.3g}")
    return f"{ms:,.{0 if ms >= 100 else 1 if ms >= 10 else 2}f}"


def out_of(count: int, total: int) -> str:
    """Return a count, and the total where it is larger."""
    return f"{count:,}" if count == total else f"{count:,} of {total:,}"
