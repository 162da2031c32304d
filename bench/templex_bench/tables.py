"""Tables as data: HTML and Markdown are both made from them, so that their numbers are the same."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from templex_bench.names import printable
from templex_bench.study import Estimate, Population

MISSING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"

HERE = "measured here"
"""The group of columns with our own figures; where there is one line for the heading it is left out."""

PUBLISHED = "published"
"""The group of columns with published figures."""

RowKind = Literal["", "total", "peer", "bound"]
Mark = Literal["", "best", "above", "below"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One entry of a table.

    Attributes:
        text: what stands there.
        interval: the confidence interval, empty where there is none.
        note: on how few sites it rests, empty where it rests on all.
        mark: the best of its column, or a difference that is significantly above or below 0.
        value: the number behind the text, as it is compared with others; None for a text.
    """

    text: str = MISSING
    interval: str = ""
    note: str = ""
    mark: Mark = ""
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Attributes:
        title: its heading.
        group: the heading above it and its neighbours of the same group; empty for none.
        numeric: whether it is aligned as numbers are.
        below: what stands small under the title; empty for nothing.
    """

    title: str
    group: str = ""
    numeric: bool = True
    below: str = ""

    @property
    def full_title(self) -> str:
        """The heading where there is only one line for it."""
        title = f"{self.group}: {self.title}" if self.group not in {"", HERE} else self.title
        return f"{title} ({self.below})" if self.below else title


@dataclass(frozen=True, slots=True)
class Row:
    """A row.

    Attributes:
        cells: one for each column; the first one is the row's heading.
        kind: a total, a peer or a bound is set off from the other rows.
    """

    cells: tuple[Cell, ...]
    kind: RowKind = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes:
        name: short and unique in the report; the report's command takes it.
        title: what it shows.
        notes: sentences on how to read it.
        columns: its columns.
        rows: its rows.
        command: what prints this table again.
        number: its number in the report.
    """

    name: str
    title: str
    notes: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    command: str = ""
    number: int = 0


def text(value: object) -> Cell:
    """A cell with a text."""
    return Cell(printable(str(value)))


def ratio(value: float | None) -> Cell:
    """A cell with a share, three digits after the point."""
    return Cell() if value is None else Cell(f"{value:.3f}", value=round(value, 3))


def signed(value: float) -> str:
    """A difference with its sign, three digits after the point."""
    rounded = round(value, 3)
    if rounded == 0:
        return "0.000"
    return f"{'+' if rounded > 0 else MINUS}{abs(rounded):.3f}"


def decimal(value: float | None, digits: int = 2) -> Cell:
    """A cell with a plain number."""
    return Cell() if value is None else Cell(f"{value:.{digits}f}", value=round(value, digits))


def whole(value: int | None) -> Cell:
    """A cell with a whole number, its thousands set apart."""
    return Cell() if value is None else Cell(f"{value:,}", value=float(value))


def milliseconds(seconds: float | None) -> Cell:
    """A cell with a time in milliseconds, three significant digits."""
    if seconds is None:
        return Cell()
    # Three digits first: 9.9999 ms is 10.0, not 10.00.
    ms = float(f"{seconds * 1000:.3g}")
    digits = 0 if ms >= 100 else 1 if ms >= 10 else 2
    return Cell(f"{seconds * 1000:,.{digits}f}", value=ms)


def estimated(estimate: Estimate | None, base: Population | None = None) -> Cell:
    """A cell with a mean and its interval.

    Args:
        estimate: the mean of a share.
        base: what it should rest on; it says so where it rests on less. None: the row tells.
    """
    if estimate is None:
        return Cell()
    cell = ratio(estimate.mean)
    if estimate.interval is not None:
        cell = replace(cell, interval=f"[{estimate.interval.low:.3f}, {estimate.interval.high:.3f}]")
    return replace(cell, note=shortfall(estimate, base))


def difference(estimate: Estimate | None, base: Population | None = None) -> Cell:
    """A cell with a mean difference, its interval, and a mark where the interval leaves out 0."""
    if estimate is None:
        return Cell()
    cell = Cell(signed(estimate.mean), note=shortfall(estimate, base), value=estimate.mean)
    if estimate.interval is None:
        return cell
    interval = f"[{signed(estimate.interval.low)}, {signed(estimate.interval.high)}]"
    mark: Mark = ""
    if estimate.interval.without_zero:
        mark = "above" if estimate.mean > 0 else "below"
    return replace(cell, interval=interval, mark=mark)


def with_interval(less: Estimate) -> str:
    """A difference with its sign and, where there is one, its interval."""
    if less.interval is None:
        return f"{signed(less.mean)}, on too few sites for an interval"
    return f"{signed(less.mean)} [{signed(less.interval.low)}, {signed(less.interval.high)}]"


def shortfall(estimate: Estimate, base: Population | None) -> str:
    """What is missing to the sites and key pages that there are; empty where nothing is."""
    if base is None:
        return ""
    if estimate.sites < base.sites:
        return f"{estimate.sites} of {base.sites} sites"
    return f"{estimate.pages} of {base.pages} pages" if estimate.pages < base.pages else ""


def out_of(count: int, total: int) -> Cell:
    """A cell with a count, and with the total where it is less."""
    return Cell(f"{count:,}" if count == total else f"{count:,} of {total:,}", value=float(count))


def without_empty(table: Table) -> Table:
    """The table without published columns in which nothing stands."""
    kept = [
        index
        for index, column in enumerate(table.columns)
        if column.group != PUBLISHED or any(row.cells[index].text != MISSING for row in table.rows)
    ]
    rows = tuple(replace(row, cells=tuple(row.cells[index] for index in kept)) for row in table.rows)
    return replace(table, columns=tuple(table.columns[index] for index in kept), rows=rows)


def with_best(rows: Sequence[Row], columns: Collection[int]) -> tuple[Row, ...]:
    """The rows with the highest value of each of the columns marked; bounds and totals do not take part.

    A column with fewer than two values has no best one; equal values share the mark.
    """
    marked = [list(row.cells) for row in rows]
    for column in columns:
        racing = [index for index, row in enumerate(rows) if row.kind not in {"bound", "total"}]
        values = {index: value for index in racing if (value := rows[index].cells[column].value) is not None}
        if len(values) < 2:
            continue
        for index, value in values.items():
            if value == max(values.values()):
                marked[index][column] = replace(marked[index][column], mark="best")
    return tuple(replace(row, cells=tuple(cells)) for row, cells in zip(rows, marked, strict=True))
