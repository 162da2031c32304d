"""Saved pages as a site: which folder is its root, what its address is, and which file an address leads to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from web import NAMES, mirror, page, write

from templex_scrapy.archives import ArchiveError, saved_site
from templex_scrapy.archives.saved_pages import NO_HOST
from templex_scrapy.archives.saved_site import SavedSite


@pytest.mark.parametrize(
    ("root", "form", "canonical", "base"),
    [
        ("www.example.com", "{}/index.html", "", "http://www.example.com/"),
        *(("site", form, "", NO_HOST) for form in ("{}.html", "{}.htm", "{}", "{}/index.html")),
        *(("site", f"list.php?id={form}", "", NO_HOST) for form in ("{}", "{}.html")),
        ("site", "{}.html", "https://example.com/news.html", "https://example.com/"),
        ("site", "{}.html", "https://other.example/", NO_HOST),
        ("site", "en/{}.html", "https://h.test/a/en/news.html", "https://h.test/a/"),
    ],
)
def test_addresses_lead_to_files(tmp_path, root, form, canonical, base):
    """The address of a folder is that of its name or of the page; links need not have been rewritten."""
    folder = tmp_path / "without pages" / root
    write(folder / "start.html", page("/start"))
    source = page("/x", head=f'<link rel="canonical" href="{canonical}">')
    made = {form.format(name): write(folder / form.format(name), source) for name in ("news", "shop")}
    site = SavedSite(folder / form.format("news"))
    assert site.root == folder
    for address, file in made.items():
        for written in (address, address.removesuffix("index.html"), address.removesuffix(".html")):
            if not written.endswith("/index"):
                assert site.file_of(f"{base}{written}") == file
                assert site.file_of(f"{base.replace('http:', 'https:')}{written.replace('?', '%3F')}") == file
        assert site.file_of(f"https://elsewhere.test/{address}") is None
    assert site.file_of(f"{base}{form.format('lost')}") is None


def test_the_file_of_the_exact_name_is_first(tmp_path):
    """``x.html`` and ``x/index.html`` are two pages, and ``aindex.html`` is not ``a.html``."""
    folder = tmp_path / "a.example"
    names = ("x.html", "x/index.html", "aindex.html", "default.htm", "list?page=a%2Fb.html")
    files = {name: write(folder / name, page(f"/{name}")) for name in names}
    site = SavedSite(folder / "x.html")
    wanted = {
        "x.html": "x.html",
        "x": "x.html",
        "x/": "x/index.html",
        "x/index.html": "x/index.html",
        "aindex.html": "aindex.html",
        "a.html": None,
        "": "default.htm",
        "list?page=a%2Fb": "list?page=a%2Fb.html",
    }
    assert {path: site.file_of(f"http://a.example/{path}") for path in wanted} == {
        path: name and files[name] for path, name in wanted.items()
    }
    write(folder / "index.htm", page("/"))
    write(folder / "index.html", page("/"))
    site = SavedSite(folder / "index.htm")
    assert site.file_of(site.key_url) == site.key


def test_linked_pages_are_found_among_any_number_of_files(tmp_path, monkeypatch):
    """Only neighbours are limited, and those in the folder of the page are the first."""
    monkeypatch.setattr(saved_site, "MOST_NEIGHBOURS", 6)
    folder = tmp_path / "a.example"
    for number in range(10):
        write(folder / "aaa" / f"{number}.html", page("/"))
    linked = [write(folder / "zzz" / f"{name}.html", page("/")) for name in ("shop", "start", "tour")]
    site = SavedSite(linked[1])
    assert [site.file_of(f"http://a.example/zzz/{file.name}") for file in linked] == linked
    assert site.file_of("http://a.example/aaa/9.html") == folder / "aaa" / "9.html"
    assert site.neighbours[:2] == [f"http://a.example/zzz/{name}.html" for name in ("shop", "tour")]
    assert len(site.neighbours) == 6


def test_neighbours_that_are_pages_by_their_names_are_first(tmp_path):
    """Files that may be pages do not displace them."""
    folder = tmp_path / "a.example"
    for name in ("deep/start.html", "deep/about", "deep/a.php?x=1", "deep/a.jpg?w=640", "z.html"):
        write(folder / name, page("/"))
    names = [url.removeprefix("http://a.example/") for url in SavedSite(folder / "deep" / "start.html").neighbours]
    assert names == ["z.html", "deep/a.php?x=1", "deep/about"]


def test_the_root_of_a_site(tmp_path):
    """The highest folder with pages on the way up, or the one that is named like a host."""
    for name in NAMES:
        write(tmp_path / "site" / name / f"{name}.html", page(f"/{name}"))
    write(tmp_path / "site" / "start.html", page("/start"))
    site = SavedSite(tmp_path / "site" / "news" / "news.html")
    assert (site.root, site.key_url) == (tmp_path / "site", f"{NO_HOST}news/news.html")
    assert site.file_of(f"{NO_HOST}shop/shop.html") == tmp_path / "site" / "shop" / "shop.html"
    host = mirror(tmp_path / "mirror" / "www.example.com" / "deep")
    assert {SavedSite(given).root for given in (host / "news.html", host.parent.parent, host)} == {host.parent}


def test_only_files_in_the_folder_are_read(tmp_path):
    """Whatever a link in a page or on disk says; a pipe has no end."""
    write(tmp_path / "secret.html", page("/secret"))
    folder = mirror(tmp_path / "without pages" / "a.example")
    (folder / "link.html").symlink_to(tmp_path / "secret.html")
    (folder / "loop.html").symlink_to("loop.html")
    write(folder / ".hidden.html", page("/hidden"))
    os.mkfifo(folder / "pipe.html")
    site = SavedSite(folder)
    base = "http://a.example/"
    climbing = ("../secret.html", "%2e%2e/%2e%2e/secret.html", "..%2F..%2Fsecret.html", "/etc/passwd", "//etc/passwd")
    odd = ("%00", "x" * 5000, ".hidden.html", "link.html", "loop.html", "pipe.html")
    for url in [f"{base}{path}" for path in (*climbing, *odd)] + ["http://[", "mailto:x", ""]:
        assert site.file_of(url) is None, url
    assert site.neighbours == [f"{base}{name}.html" for name in sorted(NAMES[1:])]


def test_names_that_are_no_text(tmp_path):
    """File names of any bytes have an address that leads back to them."""
    file = Path(os.fsdecode(os.fsencode(tmp_path) + b"/site/caf\xe9.html"))
    try:
        write(file, page("/"))
    except OSError:
        pytest.skip("the file system takes only names that are text")
    site = SavedSite(file)
    assert site.key_url == f"{NO_HOST}caf%E9.html"
    assert site.file_of(site.key_url) == file


def test_no_page(tmp_path):
    """A folder without pages, one whose first page is a link to another folder, and what is no file."""
    outside = write(tmp_path / "other" / "page.html", page("/"))
    for folder in ("a.example", "empty"):
        (tmp_path / folder).mkdir()
    (tmp_path / "a.example" / "index.html").symlink_to(outside)
    for path, problem in (
        (tmp_path / "empty", "no HTML page"),
        (tmp_path / "a.example", f"its first page is a link to another folder: {outside}"),
        (tmp_path / "x", "no such file"),
        (Path("/dev/null"), "neither"),
    ):
        with pytest.raises(ArchiveError, match=problem):
            SavedSite(path)
