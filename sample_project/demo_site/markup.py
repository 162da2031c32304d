"""The plain notation of the material as HTML.

Paragraphs are separated by empty lines. A block whose lines start with `- ` is a list, `| … |` a table with a
heading row, `> ` a quotation, `## ` a subheading.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def prose(text: str) -> str:
    """Render the blocks of a text, one after the other."""
    return "\n".join(_block(block) for block in text.split("\n\n"))


def items(rows: Iterable[str]) -> str:
    """Wrap pieces of HTML in list items."""
    return "".join(f"<li>{row}</li>" for row in rows)


def link(href: str, label: str, attributes: str = "") -> str:
    """An anchor; the label is plain text."""
    space = " " if attributes else ""
    return f'<a href="{escape(href)}"{space}{attributes}>{escape(label)}</a>'


def spec_table(spec: str) -> str:
    """Render `name = value | name = value` as a table with row headings."""
    rows = (row.split(" = ", 1) for row in spec.split(" | "))
    cells = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{escape(value)}</td></tr>' for name, value in rows)
    return f'<table class="spec"><tbody>{cells}</tbody></table>'


def _block(block: str) -> str:
    lines = block.splitlines()
    if block.startswith("## "):
        return f"<h2>{escape(block[3:])}</h2>"
    if block.startswith("- "):
        return f"<ul>{items(escape(line[2:]) for line in lines)}</ul>"
    if block.startswith("> "):
        return f"<blockquote><p>{escape(block[2:])}</p></blockquote>"
    if block.startswith("| "):
        return _table(lines)
    return f"<p>{escape(block)}</p>"


def _table(lines: list[str]) -> str:
    head, *rows = ([escape(cell.strip()) for cell in line.strip("| ").split(" | ")] for line in lines)
    heading = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{heading}</tr></thead><tbody>{body}</tbody></table>"
