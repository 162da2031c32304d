"""`scrapy templex store`: what crawls have stored, listed, shown, forgotten, exported and imported."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from crawling import MENU, page
from running import call, run, start

from templex_scrapy import Page, Template
from templex_scrapy.stores import LeftOut, Store, StoredTemplate, StoreUnavailableError, open_directly, open_store

LEARNT = datetime(2025, 3, 1, 12, 30, tzinfo=UTC)


def template(site: str, number: int) -> Template:
    pages = [Page(page(path), f"https://{site}{path}") for path in MENU]
    return Template.from_pages(pages[number], [one for one in pages if one is not pages[number]][:3])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with two templates of one site and one of another."""
    file = tmp_path / "templates.sqlite"
    opened = open_directly(file, create=True)
    for site, number, kind in (("a.test", 1, "article"), ("a.test", 2, "list"), ("b.test", 1, "x\x1b[2J")):
        stored = StoredTemplate.of(template(site, number), LEARNT, kind=kind, notes={"by": "a test"})
        opened.save(site, stored)
        opened.used(site, {stored.key: 5}, LEARNT)
    opened.close()
    return file


def do(store: Path, *arguments: str):
    return call("store", *arguments, "-s", f"TEMPLEX_STORE={store}", cwd=store.parent)


def listed(store: Path, *arguments: str) -> list[dict]:
    ran = do(store, "list", *arguments, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_list(store):
    """A table with a line for each template."""
    ran = do(store, "list")
    head, *rows = ran.out.splitlines()
    assert head.split() == ["SITE", "KEY", "LEARNT", "PAGES", "SERVED", "LAST", "USED", "BYTES", "KIND"]
    assert [row.split()[0] for row in rows] == ["a.test", "a.test", "b.test"]
    assert all("2025-03-01 12:30" in row for row in rows)
    assert "\x1b" not in ran.out


def test_list_as_data(store):
    """The same for programs, with everything that is known."""
    data = listed(store, "a.test")
    assert {one["site"] for one in data} == {"a.test"}
    assert {one["kind"] for one in data} == {"article", "list"}
    assert data[0]["learnt"] == "2025-03-01T12:30:00+00:00"
    assert data[0]["served"] == 5
    assert data[0]["notes"] == {"by": "a test"}
    assert len(data[0]["pages"]) == 3
    assert data[0]["retired"] is None


def test_show(store):
    """All that is known about a template, named by the beginning of its key, or by its site if it is the only one."""
    only = do(store, "show", "b.test")
    assert only.code == 0
    assert "key page        https://b.test/news/" in only.out
    keys = [one["key"] for one in listed(store, "a.test")]
    key = keys[0]
    data = json.loads(do(store, "show", "a.test", key[:8], "--json").out)
    assert data["key"] == key
    assert 0 < data["template_nodes"] <= data["nodes"]
    assert do(store, "show", "https://b.test/news/").out == only.out
    which = do(store, "show", "a.test")
    assert which.code == 1
    assert which.problem.endswith(f"a.test has 2 templates; add the key of one: {', '.join(one[:12] for one in keys)}")


def test_help_of_an_action_tells_all_of_its_options(store):
    """Those that Scrapy's parser takes off the command line are told too."""
    told = do(store, "list", "-h").out
    assert all(option in told for option in ("--store PLACE", "-o FILE", "--json"))


def test_forget(store):
    """One template, or all of a site."""
    key = listed(store, "a.test")[0]["key"]
    assert do(store, "forget", "a.test", key).out == "1 template of a.test removed\n"
    assert len(listed(store, "a.test")) == 1
    assert json.loads(do(store, "forget", "a.test", "--json").out) == {"removed": 1}
    assert [one["site"] for one in listed(store)] == ["b.test"]


def test_export_and_import(store, tmp_path):
    """What is exported can be imported elsewhere; the store is made where it is missing."""
    exported = do(store, "export", "-o", "out.jsonl")
    assert (exported.code, exported.out) == (0, "")
    assert "3 templates of 2 sites" in exported.err
    piped = do(store, "export", "a.test")
    assert len(piped.bytes.splitlines()) == 2
    other = tmp_path / "other.sqlite"
    imported = do(other, "import", "out.jsonl")
    assert (imported.code, imported.out) == (0, "3 templates stored, 0 lines refused\n")
    assert [one["key"] for one in listed(other)] == [one["key"] for one in listed(store)]


@pytest.mark.parametrize("action", [("export",), ("export", "c.test"), ("list",), ("show", "b.test")])
def test_a_file_is_not_lost_when_there_is_nothing_to_write_into_it(store, tmp_path, action):
    """What cannot be read leaves the file as it was, and nothing beside it."""
    (tmp_path / "out").write_text("dear", encoding="utf-8")
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(store.read_bytes()[:9000])
    names = {path.name for path in tmp_path.iterdir()}
    for place in (broken, tmp_path / "missing.sqlite", *([store] if "c.test" in action else [])):
        ran = do(place, *action, "-o", "out")
        assert (ran.code, ran.out) == (1, "")
        assert str(place) in ran.problem or "c.test" in ran.problem
        assert (tmp_path / "out").read_text(encoding="utf-8") == "dear"
    assert {path.name for path in tmp_path.iterdir()} == names


def test_an_export_that_breaks_off_leaves_the_old_one(store, tmp_path, monkeypatch):
    """The new file takes the place of the old one when it is whole."""
    do(store, "export", "-o", "out.jsonl")
    before = (tmp_path / "out.jsonl").read_bytes()
    load = Store.load_telling

    def breaks_off(self: Store, site: str) -> tuple[list[StoredTemplate], list[LeftOut]]:
        if site == "b.test":
            raise StoreUnavailableError("gone")
        return load(self, site)

    monkeypatch.setattr(Store, "load_telling", breaks_off)
    ran = do(store, "export", "-o", "out.jsonl")
    assert (ran.code, ran.problem) == (1, "scrapy templex store: gone")
    assert (tmp_path / "out.jsonl").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"out.jsonl", store.name}


def test_a_link_and_the_rights_of_the_file_stay(store, tmp_path):
    """A file that is replaced is written to as far as others can see."""
    (tmp_path / "real").write_text("old", encoding="utf-8")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    assert do(store, "list", "-o", "link").code == 0
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text(encoding="utf-8") == do(store, "list").out
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("action", ["export", "list"])
def test_pipes_are_written_to(store, tmp_path, action):
    """-o may name a pipe, or what the process has open."""
    wanted = do(store, action).bytes
    os.mkfifo(tmp_path / "pipe")
    process = start("store", action, "--store", store, "-o", "pipe", cwd=tmp_path)
    assert (tmp_path / "pipe").read_bytes() == wanted
    assert process.wait(timeout=60) == 0
    assert run("store", action, "--store", store, "-o", "/dev/stdout", cwd=tmp_path).bytes == wanted
    with (tmp_path / "redirected").open("wb") as stream:
        start("store", action, "--store", store, "-o", "/dev/stdout", cwd=tmp_path, stdout=stream).wait(timeout=60)
    assert (tmp_path / "redirected").read_bytes() == wanted


def test_nothing_is_done_whose_result_cannot_be_told(store):
    """The place of the output is looked at first, and it is not the store."""
    ran = do(store, "forget", "a.test", "-o", "no/folder/out")
    assert (ran.code, "no/folder/out" in ran.problem) == (1, True)
    ran = do(store, "export", "-o", store)
    assert (ran.code, "-o names the store itself" in ran.err) == (2, True)
    assert len(listed(store)) == 3


@pytest.mark.parametrize("action", ["list", "show a.test", "forget a.test", "export", "import lines"])
def test_a_file_that_is_no_store_is_refused_and_left_alone(store, tmp_path, action):
    """Looking never renames."""
    do(store, "export", "-o", "lines")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "notes.txt").write_text("dear notes " * 100, encoding="utf-8")
    ran = call("store", *action.split(), "--store", "folder/notes.txt", cwd=tmp_path)
    assert ran.code == 1
    assert ran.problem == "scrapy templex store: folder/notes.txt is no store of templates, and is left alone"
    assert [path.name for path in folder.iterdir()] == ["notes.txt"]
    assert (folder / "notes.txt").read_text(encoding="utf-8") == "dear notes " * 100


def test_import_of_something_else(store, tmp_path):
    """Lines that are no templates are refused and told; the exit code says so."""
    (tmp_path / "bad.jsonl").write_text('{"a": 1}\nnonsense\n', encoding="utf-8")
    ran = do(store, "import", "bad.jsonl")
    assert ran.code == 1
    assert "0 templates stored, 2 lines refused" in ran.out
    assert "line 2:" in ran.out


def test_import_from_standard_input(store, tmp_path):
    """- is standard input."""
    do(store, "export", "-o", "out.jsonl")
    other = tmp_path / "third.sqlite"
    with (tmp_path / "out.jsonl").open("rb") as stream:
        process = start("store", "import", "-", "--store", other, cwd=tmp_path, stdin=stream)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, b"3 templates stored, 0 lines refused\n"), err


def test_job_directory(store, tmp_path):
    """Without TEMPLEX_STORE the store of the job directory is meant."""
    (tmp_path / "job").mkdir()
    store.rename(tmp_path / "job" / "templex.sqlite3")
    ran = call("store", "list", "-s", "JOBDIR=job", cwd=tmp_path)
    assert len(ran.out.splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("show", "c.test"), 1, "there is no template of c.test; there are templates of a.test, b.test"),
        (("show", "a.test"), 1, "a.test has 2 templates; add the key of one: "),
        (("forget", "a.test", "zz"), 1, "no templates of a.test have a key from 'zz' on"),
        (("import", "none.jsonl"), 1, "none.jsonl: No such file or directory"),
        ((), 2, "usage: scrapy templex store"),
        ((), 2, "remove the templates of a site, or one of them"),
        (("frob",), 2, "invalid choice: 'frob'"),
        (("list", "--frob"), 2, "unrecognized arguments: --frob"),
        (("list", "--html"), 2, "--html is for pages"),
        (("list", "--store", "ftp://x"), 2, "ftp:// is no store"),
        (("list", "--store", "missing.sqlite"), 1, "missing.sqlite"),
    ],
)
def test_what_goes_wrong(store, arguments, code, said):
    """One line says what is wrong."""
    ran = do(store, *arguments)
    assert ran.code == code
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_without_a_store(tmp_path):
    """Somebody has to say which store is meant."""
    ran = call("store", "list", cwd=tmp_path)
    assert ran.code == 2
    assert "which store?" in ran.err


def test_empty_store(store):
    """A store without templates says so."""
    for site in ("a.test", "b.test"):
        assert do(store, "forget", site).code == 0
    assert do(store, "list").out == "The store holds no template.\n"
    assert listed(store) == []


def spoil(store: Path, site: str, column: str, value: str) -> None:
    """Put other bytes into one record of a site."""
    one = "(SELECT key FROM templates WHERE site = ? ORDER BY head = x'00', key LIMIT 1)"
    with closing(sqlite3.connect(store)) as connection:
        update = f"UPDATE templates SET {column} = {value} WHERE site = ? AND key = {one}"  # noqa: S608 - the test's own
        connection.execute(update, (site, site))
        connection.commit()


UNREADABLE = "cannot be read (damaged, or written by another version)"


def test_what_cannot_be_read_is_told_of(store, tmp_path):
    """A list looks at heads alone; an export reads all, writes what it can, and exits with 1, as it is not all."""
    key = listed(store, "b.test")[0]["key"]
    spoil(store, "b.test", "head", "x'00'")
    spoil(store, "a.test", "body", "x'00'")
    shown = do(store, "list")
    assert (shown.code, len(shown.out.splitlines())) == (0, 3)
    assert shown.problem == f"scrapy templex store: 1 record {UNREADABLE}: {key} of b.test (no record of a template)"
    assert len(json.loads(do(store, "list", "--json").out)) == 2
    exported = do(store, "export", "-o", "out.jsonl")
    assert exported.code == 1
    assert "scrapy templex store: 1 template of 1 site" in exported.err
    assert f"scrapy templex store: 2 records {UNREADABLE}, such as" in exported.err
    assert len((tmp_path / "out.jsonl").read_bytes().splitlines()) == 1


def test_a_store_in_which_nothing_can_be_read_is_not_an_empty_one(store, tmp_path):
    """All of it was written by a later version; an earlier export is not replaced by nothing."""
    do(store, "export", "-o", "out.jsonl")
    before = (tmp_path / "out.jsonl").read_bytes()
    for site in ("a.test", "a.test", "b.test"):
        spoil(store, site, "head", "x'00'")
    shown = do(store, "list")
    assert (shown.code, shown.out) == (0, "The store holds no template that can be read.\n")
    assert f"3 records {UNREADABLE}" in shown.problem
    assert UNREADABLE in do(store, "show", "b.test").problem
    ran = do(store, "export", "-o", "out.jsonl")
    assert (ran.code, ran.out) == (1, "")
    assert f"3 records {UNREADABLE}" in ran.err
    assert (tmp_path / "out.jsonl").read_bytes() == before
    assert do(store, "forget", "a.test").out == "2 templates of a.test removed\n"


def test_what_was_set_aside_is_listed(store):
    """A crawl sets damaged records aside; a person sees which, when and why."""
    assert do(store, "list", "--set-aside").out == "No record has been set aside.\n"
    assert json.loads(do(store, "list", "--set-aside", "--json").out) == []
    spoil(store, "b.test", "head", "x'00'")
    key = listed(store, "a.test")[0]["key"]
    spoil(store, "a.test", "body", "x'00'")
    with open_store(store) as opened:
        for site in ("a.test", "b.test"):
            opened.load(site)
    head, *rows = do(store, "list", "--set-aside").out.splitlines()
    assert head.split() == ["SITE", "KEY", "SET", "ASIDE", "BYTES", "REASON"]
    assert [row.split()[0] for row in rows] == ["a.test", "b.test"]
    assert rows[1].endswith("no record of a template")
    (one,) = json.loads(do(store, "list", "a.test", "--set-aside", "--json").out)
    assert (one["site"], one["key"], one["reason"]) == ("a.test", key, "its bytes have changed")
    assert one["set_aside"].startswith("20")
    assert one["bytes"] > 100
    assert len(listed(store)) == 1


def test_a_locked_folder_costs_nothing(store):
    """As under `flock folder scrapy templex store …`."""
    fcntl = pytest.importorskip("fcntl")
    descriptor = os.open(store.parent, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        assert run("store", "list", "--store", store, cwd=store.parent, timeout=60).code == 0
    finally:
        os.close(descriptor)


def test_an_import_refuses_a_count_that_no_store_can_keep(store, tmp_path):
    """That line is refused, and the others are stored."""
    lines = do(store, "export").bytes.splitlines()
    bad = json.dumps({**json.loads(lines[0]), "served": 10**30}).encode()
    (tmp_path / "bad.jsonl").write_bytes(b"\n".join([bad, *lines[1:]]))
    ran = do(tmp_path / "new.sqlite", "import", "bad.jsonl")
    assert (ran.code, ran.err) == (1, "")
    assert "2 templates stored, 1 line refused" in ran.out
    assert len(listed(tmp_path / "new.sqlite")) == 2


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("-h",), 0, "'scrapy templex store list [site] | show site [key]"),
        (("store", "-h"), 0, "export write templates as JSON Lines"),
        (("store", "list", "--help"), 0, "usage: scrapy templex store list [-h] [--store PLACE]"),
        (("-h", "store", "forget"), 0, "the beginning of the key of the only one to remove"),
        (("store", "frob", "-h"), 2, "invalid choice: 'frob'"),
    ],
)
def test_help(tmp_path, arguments, code, said):
    """The help on the command names the actions, and each action has help of its own."""
    ran = call(*arguments, cwd=tmp_path)
    assert ran.code == code
    assert said in " ".join((ran.err if code else ran.out).split())


@pytest.mark.parametrize("width", range(60, 130, 5))
def test_help_at_all_widths(tmp_path, monkeypatch, width):
    """Scrapy makes headings of lines that end with a colon: there are none but the headings."""
    monkeypatch.setenv("COLUMNS", str(width))
    lines = call("-h", cwd=tmp_path).out.splitlines()
    headings = [line for line, below in pairwise(lines) if set(below) in ({"="}, {"-"})]
    assert headings == ["Usage", "Options", "Global Options", "Search", "Output", "Stored Templates"]
