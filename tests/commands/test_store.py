"""`scrapy templex store`: what crawls have stored, listed, shown and deleted."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from helpers.running import Ran, call
from helpers.web import MENU, html_page

from templex_scrapy import Page, Template
from templex_scrapy.stores import StoredTemplate, open_store

LEARNT = 1_740_832_200.0
"""2025-03-01 12:30 UTC."""


def template(site: str, number: int) -> Template:
    note = "<div class=note><p>A note that all pages of this site but the first one have</p></div>"
    pages = [Page(html_page(path, body=note * (path != "/")), f"https://{site}{path}") for path in MENU]
    return Template.from_pages(pages[number], [one for one in pages if one is not pages[number]][:3])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with two templates of one site and one of another."""
    path = tmp_path / "templates.sqlite"
    with closing(open_store(path)) as opened:
        for site, number in (("a.test", 1), ("a.test", 2), ("b.test\x1b[2J", 1)):
            opened.save(site, StoredTemplate(template(site[:6], number), LEARNT, LEARNT + 60 * number))
    return path


def do(store: Path, *arguments: str) -> Ran:
    return call("store", *arguments, "-s", f"TEMPLEX_STORE={store}", cwd=store.parent)


def spoil(store: Path, site: str) -> None:
    with closing(sqlite3.connect(store)) as database, database:
        database.execute("UPDATE templates SET record = x'00' WHERE site = ?", (site,))


def test_list(store: Path) -> None:
    """A line for each site; nothing in it takes hold of the terminal."""
    ran = do(store, "list")
    head, first, second = ran.out.splitlines()
    assert head.split() == ["SITE", "TEMPLATES", "VOTERS", "LAST", "USED"]
    assert first.split() == ["a.test", "2", "6", "2025-03-01", "12:32"]
    assert second.split() == ["b.test\ufffd[2J", "1", "3", "2025-03-01", "12:31"]
    assert (ran.code, ran.err) == (0, "")


def test_show(store: Path) -> None:
    """The templates of a site, named by itself or by one of its pages, the last used first."""
    ran = do(store, "show", "a.test")
    assert do(store, "show", "https://a.test/any/page").out == ran.out
    keys = [line for line in ran.out.splitlines() if not line.startswith(" ")]
    assert keys == ["https://a.test/shop/", "https://a.test/news/"]
    assert ran.out.splitlines()[1:8] == [
        "    learnt     2025-03-01 12:30",
        "    last used  2025-03-01 12:32",
        "    voters     https://a.test/",
        "               https://a.test/news/",
        "               https://a.test/about/",
        "    removed    on 3 of 4 pages  div.note p  A note that all pages of this site but the first one have",
        "               on 4 of 4 pages  header.top p  Welcome to the repeated banner",
    ]


def test_show_css(store: Path) -> None:
    """Selectors in place of texts, each with the share of the pages on which it holds."""
    ran = do(store, "show", "a.test", "--css")
    selectors = [line.split(maxsplit=6) for line in ran.out.splitlines() if line.startswith(" ")]
    assert {(part, share) for part, _, share, *_ in selectors} >= {("removed", "100%")}
    assert len(selectors) == sum(len(template("a.test", number).selectors()) for number in (1, 2))
    assert (ran.code, ran.err) == (0, "")


def test_delete(store: Path) -> None:
    assert do(store, "delete", "https://a.test/").out == "2 templates of a.test deleted\n"
    assert do(store, "list").out.count("\n") == 2
    assert do(store, "delete", "--all").out == "1 template deleted\n"
    assert do(store, "list").out.split() == ["SITE", "TEMPLATES", "VOTERS", "LAST", "USED"]


def test_a_job_directory_has_a_store(store: Path, tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    store.rename(tmp_path / "job" / "templex.sqlite3")
    ran = call("store", "list", "-s", "JOBDIR=job", cwd=tmp_path)
    assert len(ran.out.splitlines()) == 3


def test_damaged_records_are_told_of(store: Path) -> None:
    spoil(store, "a.test")
    for action in (("list",), ("show", "a.test")):
        ran = do(store, *action)
        assert (ran.code, "a.test" in ran.out) == (1, False)
        assert ran.err.splitlines()[-1] == "scrapy templex: 2 records cannot be read"


def test_a_file_that_is_not_a_store_is_left_alone(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("dear notes " * 100, encoding="utf-8")
    ran = call("store", "delete", "--all", "--store", "notes.txt", cwd=tmp_path)
    assert ran.code == 1
    assert ran.problem.startswith("scrapy templex: notes.txt cannot be used as a template store")
    assert notes.read_text(encoding="utf-8") == "dear notes " * 100


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("show", "c.test"), 1, "there is no template of c.test"),
        (("delete", "c.test"), 1, "there is no template of c.test"),
        (("delete",), 2, "one of the arguments site --all is required"),
        (("list", "--store", "ftp://x"), 2, "ftp:// is not a store"),
        (("list", "--store", "missing.sqlite"), 1, "there is no template store missing.sqlite"),
    ],
)
def test_what_goes_wrong(store: Path, arguments: tuple[str, ...], code: int, message: str) -> None:
    ran = do(store, *arguments)
    assert ran.code == code
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert do(store, "list").out.count("\n") == 3


def test_help(tmp_path: Path) -> None:
    ran = call("-h", cwd=tmp_path)
    assert ran.code == 0
    assert "'scrapy templex store list | show <site> | delete <site> | delete --all'" in " ".join(ran.out.split())
