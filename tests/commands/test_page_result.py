"""What the result of a page contains, and how it is summarised."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from web import MENU, NAMES, mirror, page, write

from templex_scrapy import Page

ROOT = Path(__file__).resolve().parents[2]


def test_json_contains_everything(templex, site):
    """One JSON object has all results and all outputs, positions included; the documentation has all keys."""
    data = templex(f"{site.url}/news/", "--json").data
    key = Page(page("/news/"), f"{site.url}/news/")
    assert (data["url"], data["title"]) == (key.url, "/news/")
    assert (data["found"], data["reason"], data["coverage"]) == (True, None, 1.0)
    assert (data["from_peers"], data["from_store"]) == (False, False)
    assert data["template_url"] in {key.url, *data["template_pages"]}
    assert sorted(data["template_pages"]) == [f"{site.url}{path}" for path in ("/", "/about/", "/shop/")]
    assert (data["candidates"], data["loads"], data["loaded"]) == (4, 3, 3)
    assert data["words"] == {"before": 86, "after": 65}
    assert [link["url"] for link in data["menu"]["links"]] == [f"{site.url}{path}" for path in MENU]
    assert data["menu"]["links"][1]["text"] == "Section /news/"
    assert key.nodes[data["menu"]["node"]].tag == "ul"
    assert data["nodes"] == len(key)
    assert set(data["removable_nodes"]) <= set(data["template_nodes"]) <= set(range(len(key)))
    assert "repeated banner" not in data["html"] + data["text"] + data["markdown"]
    assert "template_node" in data["annotated_html"]
    assert "repeated banner" in data["template_html"]
    table = (ROOT / "docs" / "reference" / "commands.md").read_text().partition("### JSON")[2].partition("```")[0]
    rows = (row.split("|")[1] for row in table.splitlines() if row.startswith("| `"))
    assert {name for row in rows for name in re.findall("`([a-z_]+)`", row)} == set(data)


def test_summary_of_a_smaller_subdigraph(templex, new_site):
    """The summary says when fewer pages link to each other than were wanted, and lists the first pages only."""
    site = new_site()
    for path in MENU:
        site.add(path)
    few = templex(f"{site.url}/news/", "--size", "6", "--votes", "2").out
    assert "nodes, from 4 pages (6 were wanted)\n" in few
    assert "  words     86 before, 65 after (24% removed)\n" in few
    assert few.splitlines()[-1].startswith("  next      --html"), "nothing was asked for"


def test_json_without_a_template(templex, tmp_path):
    """JSON is written for programs even if no template was found."""
    ran = templex(write(tmp_path / "one.html", "<html><p>alone</p></html>"), "--json")
    data = json.loads(ran.out)
    assert ran.code == 1
    assert (data["found"], data["reason"]) == (False, "the page links to no other page of its site")
    assert data["words"] == {"before": 1, "after": 1}
    assert "html" not in data


@pytest.mark.parametrize(
    ("source", "options", "reason"),
    [
        ("<html><p>alone</p>", (), "the page links to no other page of its site"),
        ('<html><a href="lost.html">lost</a>', (), "none of 1 linked page could be loaded"),
        ('<html><a href="two.html">two</a>', (), "of 1 linked page no two link to each other and differ"),
        ("<html>" + "<div>" * 2100, (), "the page nests deeper than the parser goes"),
        (
            '<html><a href="two.html">two</a>',
            ("-s", "TEMPLEX_MAX_SEARCHES=0"),
            "no known template fits, and TEMPLEX_MAX_SEARCHES allows no search",
        ),
    ],
    ids=["no links", "lost links", "one page", "deep", "no search"],
)
def test_why_there_is_no_template(templex, tmp_path, source, options, reason):
    """One line says why no template was found, nothing is written, and the exit code is 1."""
    write(tmp_path / "two.html", '<html><a href="one.html">one</a><p>other</p>')
    file = write(tmp_path / "one.html", source)
    ran = templex(file, "--html", "-o", "left", *options)
    assert (ran.code, ran.out) == (1, "")
    assert ran.problem == f"scrapy templex: {file}: no template: {reason}"
    assert not (tmp_path / "left").exists()


def test_copies_of_a_page(templex, tmp_path):
    """Pages that link to each other and have the same words prove nothing about a template."""
    for name in NAMES:
        source = page("/same", menu=[f"{other}.html" for other in NAMES])
        write(tmp_path / f"{name}.html", source.replace("<main", f'<main id="{name}"'))
    problem = templex(tmp_path / "news.html").problem
    assert problem.endswith("no template: the pages that link to each other are copies, or have too little in common")


def test_a_page_keeps_its_charset(templex, tmp_path):
    """A page is written in the charset that it declares; a character that it lacks becomes a reference."""
    menu = [f"{name}.html" for name in NAMES]
    for name in NAMES:
        source = page(f"/{name}", menu=menu, head='<meta charset="windows-1251">', body=f"<p>Привет &#9786; {name}</p>")
        write(tmp_path / f"{name}.html", source.encode("windows-1251"))
    assert "Привет &#9786; news" in templex("news.html", "--html").bytes.decode("windows-1251")


def test_a_page_of_template_alone_is_kept_whole(templex, tmp_path):
    """The page of which nothing would be left stays as it is, as in a crawl, and the summary says so."""
    folder = mirror(tmp_path / "site")
    links = "".join(f'<li><a href="{name}.html">Section {name}.html</a></li>' for name in NAMES)
    empty = (
        '<!DOCTYPE html><html><head><title>/</title></head><body><header class="top"><p>Welcome to the repeated banner'
        f'</p><ul class="menu">{links}</ul></header><main class="article"></main><footer class="bottom">'
        "<p>Repeated footer with imprint and terms</p></footer></body></html>"
    )
    write(folder / "index.html", empty)
    assert "nothing would be left, so the page is kept whole" in templex(folder).out
    assert templex(folder, "--html").out == empty
