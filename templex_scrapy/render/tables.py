"""Tell tables of data from layouts, and write them."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from lxml.etree import _Element as Element

from templex_scrapy.page import HEADINGS, LEFT_OUT
from templex_scrapy.render.text import RemovedParts

MAX_SPAN = 20
"""Columns and rows that a cell spans at most: each is an empty cell."""

_SECTIONS = frozenset({"tbody", "tfoot", "thead"})
_CELLS = frozenset({"td", "th"})
_BESIDE_ROWS = LEFT_OUT | {"caption", "col", "colgroup", "tr"}
# a table that has one of these in a cell is a page laid out in columns, such as Hacker News; a price list has none
_LAYOUT = (*sorted(HEADINGS), "blockquote", "form", "pre", "table", "dir", "menu", "ol", "ul")


def rows_of(table: Element, removed: RemovedParts) -> list[list[Element]] | None:
    """Return the cells of a table of data, row by row; None if the table is there for the layout."""
    if table.get("role") in {"none", "presentation"}:
        return None
    sections = [part for part in removed.left_in(table) if part.tag in _SECTIONS]
    parts = [
        part
        for child in removed.left_in(table)
        for part in (removed.left_in(child) if child.tag in _SECTIONS else (child,))
    ]
    rows = [part for part in parts if part.tag == "tr"]
    inside = [list(removed.left_in(row)) for row in rows]
    # something between the rows, or between the cells
    if (
        any(part.tag not in _BESIDE_ROWS for part in parts)
        or any(part.tag not in _CELLS and part.tag not in LEFT_OUT for cells in inside for part in cells)
        or any(text.strip() for part in (table, *sections, *rows) for text in removed.own_texts(part))
    ):
        return None
    # one column is a frame around something
    if max(map(len, rows), default=0) < 2:
        return None
    heads = table.iterchildren("thead", "caption"), rows[0].iterchildren("th")
    if any(next(head, None) is not None for head in heads):
        inner = (islice(each.iter("tr"), 1, None) for each in table.iterdescendants("table"))
        is_data = not any(next(more, None) is not None for more in inner)
    else:
        is_data = next(table.iterdescendants(*_LAYOUT), None) is None
    return [[cell for cell in cells if cell.tag in _CELLS] for cells in inside] if is_data else None


def span(cell: Element, name: str) -> int:
    """Return how many columns (``colspan``) or rows (``rowspan``) a cell spans."""
    value = cell.get(name, "").strip()[:9]
    return min(max(int(value), 1), MAX_SPAN) if value.isascii() and value.isdigit() else 1


def table_of(rows: Iterable[Iterable[tuple[str, int, int]]]) -> str:
    """Return a table of the text, columns and rows of each cell; empty if no cell has text."""
    lines: list[list[str]] = []
    pending: dict[int, int] = {}  # column → rows below that a cell spans

    def skip(cells: list[str]) -> None:
        while below := pending.get(len(cells), 0):
            pending[len(cells)] = below - 1
            cells.append("")

    for row in rows:
        cells: list[str] = []
        for text, columns, down in row:
            skip(cells)
            if down > 1:
                pending.update(dict.fromkeys(range(len(cells), len(cells) + columns), down - 1))
            cells += [text.replace("|", "\\|"), *[""] * (columns - 1)]
        skip(cells)
        lines.append(cells)
    if not any(map(any, lines)):
        return ""
    width = max(map(len, lines))
    lines[0] += [""] * (width - len(lines[0]))
    head, *rest = [f"| {' | '.join(cells)} |" for cells in lines]
    return "\n".join([head, "|" + " --- |" * width, *rest])
