"""Saved pages as a site: which folder is its root, what its address is, and which file an address leads to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from crawling import page
from mirrors import NAMES, mirror, write

from templex_scrapy.commands.saved import NO_HOST, SavedPages


def test_folder(templex, tmp_path):
    """The page of a folder is its index, and relative links are looked up in the folder."""
    data = templex(mirror(tmp_path / "site"), "--json").data
    assert data["url"] == NO_HOST
    assert sorted(data["template_pages"]) == sorted(f"{NO_HOST}{name}.html" for name in NAMES[1:])
    assert "repeated banner" not in data["text"]


def test_file(templex, saved):
    """The candidates of a file are its neighbours; file:// addresses are files too."""
    for given in (saved, saved.as_uri()):
        data = templex(given, "--json").data
        assert data["url"] == f"{NO_HOST}news.html"
        assert len(data["template_pages"]) == 3


def test_made_up_addresses_are_not_shown(templex, tmp_path):
    """Where no page contains its address, summary and view name files."""
    mirror(tmp_path / "site")
    ran = templex("site", "--view", "view.html")
    assert ran.out.splitlines()[0] == str(tmp_path / "site" / "index.html")
    assert {line.split()[-1] for line in ran.out.splitlines()[3:6]} == {f"{name}.html" for name in NAMES[1:]}
    view = (tmp_path / "view.html").read_text(encoding="utf-8")
    assert '<p class="address" title="index.html">index.html</p>' in view
    assert "saved.invalid" not in ran.out + view


def test_an_index_has_one_address(templex, tmp_path):
    """Links to index.html and to its folder lead to one page, which can vote."""
    folder = mirror(tmp_path / "site")
    write(folder / "shop.html", page("/shop", menu=["./", "news.html", "shop.html", "about.html"]))
    data = templex(folder / "news.html", "--json", "--size", "3").data
    assert sorted(data["template_pages"]) == [NO_HOST, f"{NO_HOST}about.html", f"{NO_HOST}shop.html"]


def test_missing_pages_use_up_no_loads(templex, tmp_path):
    """Links to pages that were not saved do not count."""
    folder = mirror(tmp_path / "site")
    missing = "".join(f'<a href="a{i}.html">m</a>' for i in range(100))
    menu = [f"{name}.html" for name in NAMES]
    write(folder / "index.html", page("/", menu=menu).replace("<header", f"<nav>{missing}</nav><header"))
    data = templex(folder, "--json", "--max-loads", "3").data
    assert (data["loaded"], data["candidates"]) == (3, 103)


@pytest.mark.parametrize(
    ("links", "head"),
    [("https://www.example.com/{name}.html", ""), ("/{name}", ""), ("/{name}.html", "")],
    ids=["absolute", "from the root, without extension", "from the root"],
)
def test_links_that_were_not_rewritten(tmp_path, links, head):
    """Links as they were on the web lead to files."""
    saved = SavedPages(mirror(tmp_path / "site", links, head=head))
    urls = [links.format(name=name) for name in NAMES]
    absolute = [url if "://" in url else saved.base.rstrip("/") + url for url in urls]
    assert [saved.file_of(url) for url in absolute] == [tmp_path / "site" / f"{name}.html" for name in NAMES]


def test_mirror_by_host(templex, tmp_path):
    """A folder named like a host is the root of the host, also for a page deep in it, and for the folder above."""
    host = tmp_path / "mirror" / "www.example.com"
    menu = [f"http://www.example.com/{name}/" for name in NAMES]
    for name in NAMES:
        write(host / name / "index.html", page(f"/{name}/", menu=menu))
    for given in (host / "news" / "index.html", tmp_path / "mirror", host / "news"):
        saved = SavedPages(given)
        assert (saved.root, saved.base) == (host, "http://www.example.com/")
        assert saved.file_of(menu[2]) == host / "shop" / "index.html"
    assert len(templex(host / "news", "--json", "--size", "2", "--votes", "2").out) > 0


def test_pages_in_folders_of_a_site(templex, tmp_path):
    """The links of a page deep in a site lead up to its other folders."""
    menu = [f"../{name}/{name}.html" for name in NAMES]
    for name in NAMES:
        write(tmp_path / "site" / name / f"{name}.html", page(f"/{name}", menu=menu))
    write(tmp_path / "site" / "start.html", page("/start", menu=[f"{name}/{name}.html" for name in NAMES]))
    data = templex(tmp_path / "site" / "news" / "news.html", "--json").data
    assert data["url"] == f"{NO_HOST}news/news.html"
    assert len(data["template_pages"]) == 3


def test_queries_in_file_names(templex, tmp_path):
    """Pages with a query have the names that wget gives them; another query is another page."""
    menu = [f"page.php?id={i}" for i in range(4)]
    names = ("page.php?id=0", "page.php?id=1.html", "page.php?id=2", "page.php?id=3")
    for number, name in enumerate(names):
        write(tmp_path / "site" / name, page(f"/{number}", menu=menu))
    saved = SavedPages(tmp_path / "site" / names[0])
    assert [saved.file_of(f"{saved.base}page.php?id={i}") is not None for i in range(5)] == [True] * 4 + [False]
    assert len(templex(tmp_path / "site" / names[0], "--json").data["template_pages"]) == 3


def test_links_do_not_lead_out_of_the_folder(tmp_path):
    """Only files in the folder are read, whatever a link in a page or on disk says."""
    write(tmp_path / "secret.html", page("/secret"))
    folder = mirror(tmp_path / "without pages" / "a.example")
    saved = SavedPages(folder)
    for url in ("../secret.html", "%2e%2e/%2e%2e/secret.html", "..%2F..%2Fsecret.html", "/etc/passwd", "//etc/passwd"):
        assert saved.file_of(f"{saved.base}{url}") is None
    (folder / "link.html").symlink_to(tmp_path / "secret.html")
    (folder / "loop.html").symlink_to("loop.html")
    assert saved.file_of(f"{saved.base}link.html") is None
    assert saved.neighbours(9) == [f"{saved.base}{name}.html" for name in sorted(NAMES[1:])]
    assert saved.neighbours(2) == [f"{saved.base}about.html", f"{saved.base}news.html"]


def test_links_to_other_sites_name_no_host(tmp_path):
    """A link to the first page of another site does not make the folder a mirror of that site."""
    folder = mirror(tmp_path / "site")
    elsewhere = '<a href="https://made.with/">made with</a><a href="https://made.with/about.html">about it</a>'
    write(folder / "index.html", page("/", menu=[f"{name}.html" for name in NAMES], body=elsewhere))
    assert SavedPages(folder).base == NO_HOST


def test_names_that_are_no_text(tmp_path):
    """Names of files are bytes, which need not be text in the charset of the system."""
    folder = mirror(tmp_path / "site")
    file = folder / os.fsdecode(b"caf\xe9.html")
    try:
        write(file, page("/coffee"))
    except OSError:
        pytest.skip("the file system takes only names that are text")
    saved = SavedPages(file)
    assert saved.key_url == f"{NO_HOST}caf%E9.html"
    assert saved.file_of(saved.key_url) == file


def test_odd_addresses(tmp_path):
    """Addresses that no file can have lead to no file."""
    saved = SavedPages(mirror(tmp_path / "site"))
    for url in ("http://[", "http://saved.invalid/%00", f"{NO_HOST}{'x' * 5000}", "mailto:x", ""):
        assert saved.file_of(url) is None


@pytest.mark.parametrize(
    ("name", "body", "problem"),
    [
        ("x.pdf", b"%PDF-1.4\n%\xe2\xe3", "no HTML page, but application/pdf"),
        ("x.bin", b"\x00\x01\x02", "no HTML page, but application/octet-stream"),
        ("x.html", b"", "the page is empty"),
    ],
)
def test_files_that_are_no_pages(templex, tmp_path, name, body, problem):
    """One line says what is wrong with a file."""
    file = write(tmp_path / name, body)
    ran = templex(name)
    assert (ran.code, ran.out) == (1, "")
    assert ran.problem == f"scrapy templex: {file}: {problem}"


def test_a_file_that_cannot_be_read(templex, tmp_path, monkeypatch):
    """A file that cannot be read is reported with the reason."""
    folder = mirror(tmp_path / "site")

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert templex(folder).problem == f"scrapy templex: {folder / 'index.html'}: not read: Permission denied"
