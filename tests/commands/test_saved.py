"""`scrapy templex FILE` and `FOLDER`: saved pages, without a network."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import ClassVar
from unittest import mock

import pytest
from crawling import page
from mirrors import NAMES, mirror, write
from running import call

from templex_scrapy.commands import job
from templex_scrapy.commands.saved import NO_HOST, SavedPages, UnusableError, declared_address
from templex_scrapy.commands.terminal import LiveLine


def found(*arguments: str | Path, cwd: Path) -> dict:
    ran = call(*arguments, "--json", cwd=cwd)
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_folder(tmp_path):
    """Of a folder the index is the key page; its relative links are looked up in the folder."""
    data = found(mirror(tmp_path / "site"), cwd=tmp_path)
    assert data["url"] == NO_HOST
    assert data["pages"] == [f"{NO_HOST}{name}.html" for name in NAMES[1:]]
    assert "repeated banner" not in data["text"]


def test_file(tmp_path):
    """Of a file its neighbours are the candidates; file:// addresses are files too."""
    folder = mirror(tmp_path / "site")
    for given in (folder / "news.html", (folder / "news.html").as_uri()):
        data = found(given, cwd=tmp_path)
        assert data["url"] == f"{NO_HOST}news.html"
        assert len(data["pages"]) == 3


def test_result_names_the_file(tmp_path):
    """The result for people begins with the file."""
    folder = mirror(tmp_path / "site")
    ran = call("site", cwd=tmp_path)
    assert ran.out.splitlines()[0] == str(folder / "index.html")


def test_result_and_view_name_pages_by_their_files(tmp_path):
    """Where no page tells its address, people are told paths in the folder, and no address that is made up."""
    mirror(tmp_path / "site")
    ran = call("site", "--view", "view.html", cwd=tmp_path)
    pages = [line.split()[-1] for line in ran.out.splitlines()[2:5]]
    assert pages == [f"{name}.html" for name in NAMES[1:]]
    view = (tmp_path / "view.html").read_text(encoding="utf-8")
    assert '<p class="address" title="index.html">index.html</p>' in view
    assert '"pages":["index.html","news.html"' in view or '"pages":["news.html"' in view
    assert "saved.invalid" not in ran.out
    assert "saved.invalid" not in view


def test_pages_that_tell_their_address_are_named_by_it(tmp_path):
    """The address that a page was saved from is what it is called."""
    folder = mirror(tmp_path / "site", head='<link rel="canonical" href="https://shop.test/{name}.html">')
    assert "https://shop.test/news.html" in call(folder, cwd=tmp_path).out


def test_a_file_called_like_the_subcommand(tmp_path):
    """A page in a file named store is given as ./store."""
    folder = mirror(tmp_path / "site")
    (folder / "shop.html").rename(folder / "store")
    assert found("./store", cwd=folder)["url"] == f"{NO_HOST}store"


def test_missing_pages_cost_no_loads(tmp_path):
    """Links to pages that were not saved come last, so that they do not use up the loads."""
    folder = mirror(tmp_path / "site")
    missing = "".join(f'<a href="missing{i}.html">m</a>' for i in range(100))
    write(folder / "index.html", page("/", menu=[f"{name}.html" for name in NAMES], body=missing))
    data = found(folder, cwd=tmp_path)
    assert (data["loads"], data["candidates"]) == (3, 103)


@pytest.mark.parametrize(
    ("links", "head"),
    [
        ("https://www.example.com/{name}.html", ""),
        ("https://example.com/some/section/{name}.html", ""),
        ("/{name}", '<link rel="canonical" href="https://example.com/{name}">'),
        ("/{name}.html", ""),
    ],
    ids=["absolute", "absolute, with folders left out", "from the root, without extension", "from the root"],
)
def test_links_as_they_were(tmp_path, links, head):
    """Links that were not rewritten are found as well."""
    assert len(found(mirror(tmp_path / "site", links, head=head), cwd=tmp_path)["pages"]) == 3


def test_mirror_by_host(tmp_path):
    """A folder named like a host is the root of the host, also for a page deep in it, and for the folder above."""
    host = tmp_path / "mirror" / "www.example.com"
    menu = [f"http://example.com/{name}/" for name in NAMES]
    for name in NAMES:
        write(host / name / "index.html", page(f"/{name}/", menu=menu))
    for given in (host / "news" / "index.html", tmp_path / "mirror", host / "news"):
        data = found(given, cwd=tmp_path)
        assert len(data["pages"]) == 3
        assert data["url"].startswith("http://")


def test_pages_in_folders_of_a_site(tmp_path):
    """A page deep in a site whose links lead up to its other folders; pages around the site are none of it."""
    menu = [f"../{name}/{name}.html" for name in NAMES]
    for name in NAMES:
        write(tmp_path / "site" / name / f"{name}.html", page(f"/{name}", menu=menu))
    write(tmp_path / "site" / "start.html", page("/start", menu=[f"{name}/{name}.html" for name in NAMES]))
    write(tmp_path / "another.html", page("/another"))
    data = found(tmp_path / "site" / "news" / "news.html", cwd=tmp_path)
    assert data["url"] == f"{NO_HOST}news/news.html"
    assert len(data["pages"]) == 3


def test_queries_in_file_names(tmp_path):
    """Pages with a query are found under the names that wget gives them; another query is another page."""
    menu = [f"page.php?id={i}" for i in range(4)]
    names = ("page.php?id=0", "page.php?id=1.html", "page.php@id=2", "page.php?id=3")
    for number, name in enumerate(names):
        write(tmp_path / "site" / name, page(f"/{number}", menu=menu))
    saved = SavedPages.at(tmp_path / "site" / names[0])
    assert [saved.fetch(f"{saved.base}page.php?id={i}") is not None for i in range(5)] == [True] * 4 + [False]
    assert len(found(tmp_path / "site" / names[0], cwd=tmp_path)["pages"]) == 3


@pytest.mark.parametrize(
    "note",
    [
        "<!-- saved from url=({length:04}){url} -->",
        "<!--\n Page saved with SingleFile \n url: {url} \n saved date: today\n-->",
        '<link rel="canonical" href="{url}">',
    ],
    ids=["browser", "SingleFile", "canonical link"],
)
def test_pages_saved_side_by_side(tmp_path, note):
    """Pages that a browser saved under their titles are found by the address that they were saved from."""
    menu = [f"https://example.com/{name}/" for name in NAMES]
    for number, name in enumerate(NAMES):
        told = note.format(url=menu[number], length=len(menu[number]))
        source = page(f"/{name}/", menu=menu)
        placed = source.replace("<head>", f"<head>{told}") if "link" in note else f"{told}\n{source}"
        write(tmp_path / "saved" / f"The page called {name} - Example.html", placed)
    data = found(tmp_path / "saved" / "The page called news - Example.html", cwd=tmp_path)
    assert len(data["pages"]) == 3


def test_links_do_not_lead_out_of_the_folder(tmp_path):
    """Whatever a link says, only files in the folder are read."""
    write(tmp_path / "secret.html", page("/secret"))
    folder = mirror(tmp_path / "a.example" / "site")
    saved = SavedPages(folder, folder / "index.html")
    for url in ("../secret.html", "%2e%2e/%2e%2e/secret.html", "..%2F..%2Fsecret.html", "/etc/passwd", "//etc/passwd"):
        assert saved.file_of(f"{saved.base}{url}") is None
    (folder / "link.html").symlink_to(tmp_path / "secret.html")
    assert saved.file_of(f"{saved.base}link.html") is None


def test_links_on_disk_do_not_lead_out_of_the_folder_either(tmp_path):
    """A page in the folder that is a link to a file elsewhere, or to itself, has no vote and stands in for nothing."""
    outside = write(tmp_path / "outside" / "page.html", page("/outside"))
    folder = tmp_path / "site"
    for name in ("one", "two"):
        write(folder / f"{name}.html", page(f"/{name}", menu=[]))
    (folder / "three.html").symlink_to(outside)
    (folder / "loop.html").symlink_to("loop.html")
    saved = SavedPages.at(folder / "one.html")
    assert [other.url for other in saved.others(9)] == [f"{NO_HOST}two.html"]


def test_links_to_other_sites_name_no_host(tmp_path):
    """A link to the first page of another site does not make the folder a mirror of that site."""
    folder = mirror(tmp_path / "site")
    index = (folder / "index.html").read_text(encoding="utf-8")
    elsewhere = '<a href="https://made.with/">made with</a><a href="https://made.with/about.html">about it</a>'
    write(folder / "index.html", index.replace("</main>", f"{elsewhere}</main>"))
    assert found(folder, cwd=tmp_path)["url"] == NO_HOST


def test_names_that_are_no_text(tmp_path):
    """Names of files are bytes, and need not be text in the charset of the system."""
    menu = ["caf%E9.html", *(f"{name}.html" for name in NAMES[1:])]
    folder = mirror(tmp_path / "site")
    for name in NAMES[1:]:
        write(folder / f"{name}.html", page(f"/{name}", menu=menu))
    file = folder / os.fsdecode(b"caf\xe9.html")
    try:
        write(file, page("/coffee", menu=menu))
    except OSError:
        pytest.skip("the file system takes only names that are text")
    data = found(file, cwd=tmp_path)
    assert data["url"] == f"{NO_HOST}caf%E9.html"
    assert len(data["pages"]) == 3
    assert call(file, cwd=tmp_path).out.splitlines()[0].endswith("caf\ufffd.html")


def test_odd_addresses(tmp_path):
    """Addresses that no file can have are not found, and do no harm."""
    saved = SavedPages.at(mirror(tmp_path / "site"))
    for url in ("http://[", "http://saved.invalid/%00", f"{NO_HOST}{'x' * 5000}", "mailto:x", ""):
        assert saved.fetch(url) is None


@pytest.mark.parametrize(
    ("name", "body", "said"),
    [
        ("x.pdf", b"%PDF-1.4\n%\xe2\xe3", "no HTML page"),
        ("x.bin", b"\x00\x01\x02", "no HTML page"),
        ("x.html", b"  ", "the file is empty"),
    ],
)
def test_files_that_are_no_pages(tmp_path, name, body, said):
    """One line says what is wrong with a file."""
    file = write(tmp_path / name, body)
    ran = call(name, cwd=tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert ran.problem == f"scrapy templex: {file}: {said}"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nothing.html", "nothing.html: no such file or folder"),
        ("example.com", "example.com: no such file or folder (a page from the web is written https://example.com)"),
        ("a.b/c.html", "a.b/c.html: no such file or folder (a page from the web is written https://a.b/c.html)"),
        ("localhost:80", "localhost:80: no such file or folder (a page from the web is written http://localhost:80)"),
        ("10.0.0.1/x", "10.0.0.1/x: no such file or folder (a page from the web is written http://10.0.0.1/x)"),
        ("htps://example.com/", "htps://example.com/: no address of a page; those on the web begin with"),
        (os.devnull, f"{os.devnull}: neither a file nor a folder"),
        ("empty", "empty: no HTML page in this folder"),
    ],
)
def test_nothing_there(tmp_path, given, said):
    """A file that is not there, a web address without https://, a folder without pages."""
    (tmp_path / "empty").mkdir()
    ran = call(given, cwd=tmp_path)
    assert ran.code == 1
    assert ran.problem.startswith(f"scrapy templex: {said}")


def test_one_page_alone(tmp_path):
    """A page whose links were not saved has no template, and the message says so."""
    file = write(tmp_path / "one.html", page("/one", menu=["two.html", "three.html"]))
    ran = call(file, cwd=tmp_path)
    assert ran.code == 1
    assert ran.problem.endswith("no template: none of 2 linked pages could be loaded")


def test_charset_of_saved_pages(tmp_path):
    """Saved bytes are decoded by their own declaration, and written in it."""
    menu = [f"{name}.html" for name in NAMES]
    for name in NAMES:
        source = page(f"/{name}", menu=menu, head='<meta charset="windows-1251">', body=f"<p>Привет {name}</p>")
        write(tmp_path / f"{name}.html", source.encode("windows-1251"))
    ran = call(tmp_path / "news.html", "--html", cwd=tmp_path)
    assert "Привет news" in ran.bytes.decode("windows-1251")


def test_unreadable(tmp_path):
    """A file that goes away, or cannot be read, is told as such."""
    folder = mirror(tmp_path / "site")
    saved = SavedPages.at(folder)
    (folder / "index.html").unlink()
    with pytest.raises(UnusableError, match="No such file"):
        saved.key_page()
    assert declared_address(folder / "index.html") is None
    assert saved.fetch(f"{saved.base}index.html") is None


def test_files_of_saved_pages(tmp_path):
    """Style sheets and pictures in the folder are at hand for the view, and no others."""
    links = '<link rel="stylesheet" href="css/a.css"><link rel="stylesheet" href="css/none.css">'
    folder = mirror(tmp_path / "site", head=links)
    index = (folder / "index.html").read_text(encoding="utf-8")
    write(folder / "index.html", index.replace("</main>", '<img src="a%20dot.png"><img src="none.png"></main>'))
    write(folder / "a dot.png", b"\x89PNG")
    write(folder / "css" / "a.css", "h1 { color: rgb(1, 2, 3) }")
    ran = call("site", "--view", "view.html", cwd=tmp_path)
    assert ran.code == 0
    assert "view      view.html" in ran.out
    written = (tmp_path / "view.html").read_text(encoding="utf-8")
    assert "rgb(1, 2, 3)" in written
    assert written.count("data:image/png;base64,iVBORw==") == 1


def test_looking_up_links_is_cheap(tmp_path, monkeypatch):
    """Links to pages that were not saved are not followed through the file system, and none is looked up twice."""
    saved = SavedPages.at(mirror(tmp_path / "site"))
    resolved: list[Path] = []
    resolve = Path.resolve
    monkeypatch.setattr(Path, "resolve", lambda path, *how: (resolved.append(path), resolve(path, *how))[1])
    for _ in range(2):
        assert saved.file_of(f"{NO_HOST}news.html") is not None
        assert all(saved.file_of(f"{NO_HOST}missing{number}") is None for number in range(9))
    assert len(resolved) == 1


class Told(LiveLine):
    """A live line that remembers what it was told."""

    lines: ClassVar[list[str]] = []

    def __call__(self, text: str, *shorter: str) -> None:
        assert len(text) >= max(map(len, shorter), default=0)
        self.lines.append(text)


def test_the_live_line_begins_with_the_first_file(tmp_path, monkeypatch):
    """Nothing is silent: reading, looking up the links, searching and comparing are told."""
    monkeypatch.setattr(job, "LiveLine", Told)
    monkeypatch.setattr(Told, "lines", [])
    assert call(mirror(tmp_path / "site"), cwd=tmp_path).code == 0
    assert Told.lines[:2] == [f"Reading {tmp_path / 'site'}", "Looking up 3 links"]
    assert Told.lines[2].startswith("Candidate 1 of 3")
    assert Told.lines[-1] == "Comparing the pages"


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ("templex_scrapy.commands.saved.SavedPages.key_page", "interrupted: the page itself was not there yet"),
        ("templex_scrapy.commands.job.SavedPages.file_of", "interrupted: 0 of 3 linked pages looked at, 0 of 3 pages"),
        ("templex_scrapy.commands.finding.Finding.template", "interrupted: 3 of 3 linked pages looked at, 3 of 3"),
        ("templex_scrapy.commands.job.summary", "interrupted: 3 of 3 linked pages looked at, 3 of 3"),
    ],
)
def test_interrupt_says_how_far_it_was(tmp_path, monkeypatch, at, said):
    """Ctrl-C is answered in the same way while a page is read, links are looked up, or pages are compared."""
    folder = mirror(tmp_path / "site")
    interrupt = mock.Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr(at, property(interrupt) if at.endswith("template") else interrupt)
    ran = call(folder, cwd=tmp_path)
    assert (ran.code, ran.out) == (130, "")
    assert ran.problem.startswith(f"scrapy templex: {said}")


def list_of_stories(folder: Path, number: int, *, like: int | None = None) -> Path:
    """Pages of one kind with no link to each other; from ``like`` on they are of another kind."""
    for index in range(number):
        source = page(f"/{index}", menu=["https://elsewhere.test/"], body=f"<h2>Story {index}</h2><p>Words {index}</p>")
        if like is not None and index >= like:
            source = f"<!DOCTYPE html><table><tr><td class=odd>{index}<td><b>other</b><td><pre>page</pre></table>"
        write(folder / f"{index}.html", source)
    return folder


def test_pages_of_one_kind_stand_in(tmp_path):
    """Where no pages link each other, pages of the same kind in the folder stand in, and the result says so."""
    folder = list_of_stories(tmp_path / "site", 6)
    data = found(folder, cwd=tmp_path)
    assert data["stands_in"] is True
    assert [Path(url).name for url in data["pages"]] == [f"{index}.html" for index in range(1, 6)]
    assert "repeated banner" not in data["text"]
    assert "Story 0" in data["text"]
    assert "Words 0" in data["text"]
    ran = call(folder, "--view", "view.html", cwd=tmp_path)
    assert "pages of its kind vote, since the page links to no other page of its site" in ran.out
    assert "<b>5</b> pages compared" in (tmp_path / "view.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("links", "why"),
    [
        (["missing.html"], "none of the linked pages could be loaded"),
        (["1.html", "2.html"], "no two of the linked pages link each other"),
    ],
)
def test_why_pages_of_one_kind_stand_in(tmp_path, links, why):
    """The result says what the search lacked: pages to load, or links between those that it loaded."""
    folder = list_of_stories(tmp_path / "site", 6)
    source = (folder / "0.html").read_text(encoding="utf-8")
    menu = "".join(f'<a href="{link}">on</a>' for link in links)
    write(folder / "0.html", source.replace("</main>", f"<p>{menu}</p></main>"))
    assert f"pages of its kind vote, since {why}\n" in call(folder, cwd=tmp_path).out


def test_a_complete_subdigraph_comes_first(tmp_path):
    """Where pages link each other, nothing stands in for them."""
    assert found(mirror(tmp_path / "site"), cwd=tmp_path)["stands_in"] is False


@pytest.mark.parametrize("like", [1, 2])
def test_pages_of_other_kinds_do_not_stand_in(tmp_path, like):
    """Pages of other kinds have no vote, and a single one of the page's kind proves nothing."""
    ran = call(list_of_stories(tmp_path / "site", 6, like=like), cwd=tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert ran.problem.endswith("no template: the page links to no other page of its site")


def test_pages_of_other_sites_do_not_stand_in(tmp_path):
    """Of pages that a browser saved side by side only those from the same site have a vote."""
    folder = list_of_stories(tmp_path / "site", 6)
    for index, file in enumerate(sorted(folder.iterdir())):
        host = "one" if index < 3 else "two"
        write(file, f"<!-- saved from url=(0021)https://{host}.test/{index} -->{file.read_text(encoding='utf-8')}")
    assert found(folder, cwd=tmp_path)["pages"] == ["https://one.test/1.html", "https://one.test/2.html"]


def test_links_that_are_pictures_have_a_name(tmp_path):
    """A link of the menu that holds but a picture is called by what the picture stands for."""
    folder = mirror(tmp_path / "site")
    for file in folder.iterdir():
        source = file.read_text(encoding="utf-8").replace(">Section news.html<", "><img src=n.png alt='The  news'><")
        assert "The  news" in source
        write(file, source)
    links = found(folder, cwd=tmp_path)["menu"]["links"]
    assert "The news" in [link["text"] for link in links]


def test_files_in_hidden_folders_stay_out_of_the_view(tmp_path):
    """A page that somebody saved may not show what a tool keeps beside it."""
    links = "".join(f'<link rel="stylesheet" href="{name}">' for name in ("css/a.css", ".git/b.css", ".c.css"))
    folder = mirror(tmp_path / "site", head=links)
    for name in ("css/a.css", ".git/b.css", ".c.css"):
        write(folder / name, f".of-{name[-5]} {{ color: red }}")
    assert call(folder, "--view", "v.html", cwd=tmp_path).code == 0
    written = (tmp_path / "v.html").read_text(encoding="utf-8")
    assert ".of-a" in written
    assert ".of-b" not in written
    assert ".of-c" not in written
