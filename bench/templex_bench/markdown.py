"""Tables of the report in Markdown (GitHub's tables), with the same numbers as the HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence

from templex_bench.tables import Cell, Row, Table

_SPECIAL = re.compile(r"([\\`*#|~$]|(?<!\w)_|_(?!\w)|\](?=[(\[:]))")
"""What starts or ends markup; brackets alone, and underscores inside words, do not."""

_MARKS = {"above": " ▲", "below": " ▼"}


def escaped(text: str) -> str:
    """Text that no reader of Markdown takes for markup, in one line."""
    line = " ".join(text.split())
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", line)


def table_text(table: Table) -> str:
    """A table with its heading, notes and command."""
    lines = [f"**Table {table.number}. {escaped(table.title)}**" if table.number else f"**{escaped(table.title)}**", ""]
    lines.append(_line([escaped(column.full_title) for column in table.columns]))
    lines.append(_line(["---:" if column.numeric else "---" for column in table.columns]))
    lines += [_row(row) for row in table.rows]
    if table.notes:
        lines += ["", escaped(" ".join(table.notes))]
    if table.command:
        lines += ["", f"Again: {code(table.command)}"]
    return "\n".join(lines)


def code(text: str) -> str:
    """Text as code; fenced with more backticks than it has itself."""
    line = " ".join(text.split())
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    space = " " if "`" in line else ""
    return f"{fence}{space}{line}{space}{fence}"


def comment(text: str) -> str:
    """A line that readers do not get to see: the definition of a link that nothing refers to.

    Args:
        text: without brackets.
    """
    return f"[//]: # ({text})"


def _row(row: Row) -> str:
    cells = [_cell(cell) for cell in row.cells]
    if row.kind in {"bound", "total"}:
        cells[0] = f"*{cells[0]}*"
    return _line(cells)


def _cell(cell: Cell) -> str:
    text = escaped(cell.text)
    if cell.mark == "best":
        text = f"**{text}**"
    text += _MARKS.get(cell.mark, "")
    if cell.interval:
        text += f" {cell.interval}"
    return f"{text} ({escaped(cell.note)})" if cell.note else text


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
