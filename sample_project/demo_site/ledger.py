"""The journal of 2003 to 2009, with the markup of its time: layout tables, `font`, no classes, a menu of its own.

It links to the home page as `/index.html`, and to one page that is lost.
"""

from __future__ import annotations

from html import escape

from sample_project.demo_site.frame import JOURNAL_PATH
from sample_project.demo_site.material import Entry
from sample_project.demo_site.wording import ENGLISH

LOST_PATH = "/journal/photographs-2003/"

_MENU_LINKS = (("/index.html", "Workshop home"), (JOURNAL_PATH, "All entries"), ("/shop/", "Things for sale"))


def journal_path(entry: Entry) -> str:
    """Path of an entry of the journal."""
    return f"{JOURNAL_PATH}{entry['slug']}.html"


def journal_index(entries: list[Entry]) -> str:
    """Render the contents page of the journal."""
    rows = "".join(_index_row(entry) for entry in entries)
    content = (
        "<h1>The workshop journal</h1>"
        "<p>Typed up by Idris from the green ledger which used to lie beside the till. Spelling as in the "
        "original, more or less; the pages on prices and on Mr Tench have been left out.</p>"
        f'<table border="0" cellpadding="4">{rows}</table>'
        f'<p>The <a href="{LOST_PATH}">photographs of the flood</a> are on the old server.</p>'
    )
    return _document("The workshop journal", entries, content)


def journal_entry(entries: list[Entry], position: int) -> str:
    """Render one page of the journal."""
    entry = entries[position]
    paragraphs = "".join(f"<p>{escape(text)}</p>" for text in entry.body.split("\n\n"))
    content = (
        f"<h1>{escape(entry['title'])}</h1>"
        f'<p><font size="2"><i>{ENGLISH.date(entry["date"])}, in the hand of {entry["author"]}</i></font></p>'
        f"{paragraphs}<hr><center>{_neighbours(entries, position)}</center>"
    )
    return _document(entry["title"], entries, content)


def _index_row(entry: Entry) -> str:
    return (
        f'<tr><td width="130"><font size="2">{ENGLISH.date(entry["date"])}</font></td>'
        f'<td><a href="{journal_path(entry)}">{escape(entry["title"])}</a> '
        f'<font size="2">({entry["author"]})</font></td></tr>'
    )


def _neighbours(entries: list[Entry], position: int) -> str:
    links = []
    if position > 0:
        links.append(f'<a href="{journal_path(entries[position - 1])}">&lt;&lt; older page</a>')
    if position + 1 < len(entries):
        links.append(f'<a href="{journal_path(entries[position + 1])}">newer page &gt;&gt;</a>')
    return " | ".join(links)


def _document(title: str, entries: list[Entry], content: str) -> str:
    menu = "<br>".join(f'<a href="{path}">{label}</a>' for path, label in _MENU_LINKS)
    years = "<br>".join(
        f'<a href="{journal_path(entry)}">{entry["date"][:7].replace("-", "/")}</a>' for entry in entries
    )
    return f"""<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">
<html lang="en">
<head>
<meta http-equiv="Content-Type" content="text/html; charset=utf-8">
<title>{escape(title)} - The Weir House workshop journal</title>
</head>
<body bgcolor="#f4ecd8" text="#2b2118" link="#7a2e12" vlink="#5a4632">
<table width="780" align="center" border="0" cellspacing="0" cellpadding="12" bgcolor="#fffaf0">
<tr><td colspan="2" bgcolor="#3b4a3f" align="center">
<font size="6" color="#fffaf0" face="Georgia">The Weir House</font><br>
<font size="2" color="#d8cfae">Journal of a bicycle workshop, kept by whoever has clean hands</font></td></tr>
<tr valign="top">
<td width="150" bgcolor="#ebe0c4"><b>Workshop</b><br>{menu}
<p><b>Pages</b><br>{years}</p>
<p><font size="1">Best read by the stove. You are visitor number 10417.</font></p></td>
<td>{content}</td>
</tr>
<tr><td colspan="2" align="center">
<font size="1">Copied by hand at 4 Mill Lane, Alderweir. Ring twice.</font></td></tr>
</table>
</body>
</html>
"""
