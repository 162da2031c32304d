"""A table as data, and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from templex_bench.measures.means import Estimate

MISSING = "\N{EN DASH}"
_MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its title, its cells by column, and sentences on how to read it."""

    title: str
    rows: Sequence[Mapping[str, str]]
    notes: Sequence[str] = ()

    @classmethod
    def of(cls, title: str, rows: Sequence[Mapping[str, str]], *notes: str) -> Table | None:
        """Make a table; columns without any text are left out; None without rows."""
        columns = dict.fromkeys(column for row in rows for column in row)
        kept = [column for column in columns if any(row.get(column, MISSING) != MISSING for row in rows)]
        cells = [{column: row.get(column, MISSING) for column in kept} for row in rows]
        return cls(title, cells, notes) if rows else None

    def grid(self) -> str:
        """Return the table alone as Markdown, with its notes."""
        columns = list(self.rows[0])
        lines = [columns, ["---"] * len(columns), *(row.values() for row in self.rows)]
        grid = "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)
        return f"{grid}\n\n{''.join(f'- {note}' + chr(10) for note in self.notes)}"

    def markdown(self, name: str, command: str) -> str:
        """Return the table as Markdown with its title, its name and the command that prints it."""
        return f"**{self.title}** ({name})\n\n{self.grid()}\nAgain: `{command}`\n"


def share(value: float | None, digits: int = 3) -> str:
    """Return a share or another number with so many digits after the point."""
    return MISSING if value is None or pd.isna(value) else f"{value:.{digits}f}"


def mean(estimate: Estimate | None, digits: int = 3) -> str:
    """Return a mean, with its interval if there is an interval."""
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
