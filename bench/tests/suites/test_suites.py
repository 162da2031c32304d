"""The readers of suites, on miniatures."""

import gzip
import json
import os

import pytest
from helpers import made_suites
from templex_bench.candidates import HYPERLINK_ANALYSIS, compare
from templex_bench.suites import SuiteError, open_suite
from templex_bench.suites.saved import Site, spread

from templex_scrapy.page import nodes_of


def texts(page, positions):
    return [text for position in sorted(positions) if (text := nodes_of(page).texts[position]) is not None]


def test_selected_gold(tmp_path):
    site = open_suite(made_suites.selected(tmp_path)).sites[0]
    key = site.key_page(site.key_urls[1])
    assert site.key_urls == ("https://site0.example/", "https://site0.example/docs/one.html")
    assert key.category == "shop"
    assert texts(key.page, key.gold.content or ())[0] == "site0 docs/one"
    assert key.gold.template == frozenset(range(len(key.page))) - (key.gold.content or frozenset())
    assert key.page.nodes[key.gold.menu or 0].tag == "ul"


def test_wcxb_gold_and_siblings(tmp_path):
    alone, mill = open_suite(made_suites.wcxb(tmp_path)).sites
    key = mill.key_page("https://mill.example/beta")
    assert (key.category, key.gold.template, mill.linked) == ("article", None, False)
    assert str(key.gold.text).startswith("beta\n\nThe weir")
    assert key.gold.values == ()
    assert mill.siblings(key.page.url) == ("https://mill.example/alpha", "https://mill.example/gamma")
    assert alone.siblings(alone.key_urls[0]) == ()


@pytest.mark.parametrize("there", ["nothing", "file", "empty"])
def test_wrong_folders_are_named(tmp_path, there):
    folder = tmp_path / there
    if there == "file":
        folder.write_text("x")
    if there == "empty":
        folder.mkdir()
    with pytest.raises(SuiteError, match=rf"{there}.*[Ee]xpected"):
        open_suite(folder)


GOLD = {"key_pages": ["index.html"], "not_template": ["div.story"]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base_url": "site0.example"}, "base_url"),
        ({"gold": {}}, "key_pages"),
        ({"gold": None}, r"site0/site\.json is not as it should be"),
        ({"pages": None}, "[Ee]xpected"),
        ({"gold": {**GOLD, "not_template": ["div["]}}, r"div\["),
        (
            {"gold": {**GOLD, "not_template": ["article"]}},
            "gold.not_template matches nothing in https://site0.example/",
        ),
        ({"gold": {**GOLD, "main_content": ["article"]}}, "gold.main_content matches nothing"),
        ({"gold": {**GOLD, "main_menu": "article"}}, "gold.main_menu matches nothing"),
    ],
)
def test_wrong_manifests_are_named(tmp_path, change, message):
    """As soon as they are read; wrong selectors when their page is read."""
    manifest = made_suites.selected(tmp_path) / "site0" / "site.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **change}))
    with pytest.raises(SuiteError, match=message) as raised:
        open_suite(tmp_path).sites[0].key_page("https://site0.example/")
    assert "site.json" in str(raised.value)


def test_a_folder_and_its_index_are_one_page(tmp_path):
    """Two of the pages link the home page by its file, one by its folder: three pages link each other."""
    menu = "<a href='/{}'>Home</a><a href='/a.html'>A</a><a href='/b.html'>B</a><a href='/'>x</a>{}"
    pages = {name: menu.format("index.html", name) for name in ("index.html", "a.html", "b.html", "key.html")}
    made_suites.write(tmp_path, {name: f"<html><body>{body}</body></html>" for name, body in pages.items()})
    site = Site(name="w", folder=tmp_path, paths=tuple(pages), base_url="https://w.example/")
    compared = compare(site, site.saved(site.url("key.html")), site.fetch, size=4, selection=HYPERLINK_ANALYSIS)
    assert (len(compared.pages), compared.loads) == (3, 3)


@pytest.mark.parametrize(
    "groups",
    [
        "[",
        '{"a": [{"id": "1"}]}',
    ],
)
def test_wrong_groups(tmp_path, groups):
    made_suites.write(tmp_path, {"groups.json": groups})
    with pytest.raises(SuiteError, match=r"groups\.json"):
        open_suite(tmp_path)


def test_fingerprints_change_with_one_letter_of_page_or_gold(tmp_path):
    page = made_suites.selected(tmp_path / "sites", sites=1) / "site0" / "www" / "about.html"
    manifest = tmp_path / "sites" / "site0" / "site.json"
    for suite, file, old, new in (
        ("sites", page, "miller", "fuller"),
        ("sites", manifest, '"div.story"', '"div.storx"'),
    ):
        before = [site.fingerprint() for site in open_suite(tmp_path / suite).sites]
        assert before == [site.fingerprint() for site in open_suite(tmp_path / suite).sites]
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        after = [site.fingerprint() for site in open_suite(tmp_path / suite).sites]
        assert sum(one != other for one, other in zip(before, after, strict=True)) == 1
    made_suites.wcxb(tmp_path / "wcxb")
    before = [site.fingerprint() for site in open_suite(tmp_path / "wcxb").sites]
    (tmp_path / "wcxb" / "pages" / "0000.html.gz").write_bytes(gzip.compress(b"<html>other"))
    after = [site.fingerprint() for site in open_suite(tmp_path / "wcxb").sites]
    assert (before[0] == after[0], before[1] == after[1]) == (True, False)


def test_addresses_of_saved_pages(tmp_path):
    """An index is at its folder's address; queries, escapes and missing endings are found."""
    paths = ("index.html", "a/index.html", "b.html", "c?x=1", "d e.html", os.fsdecode(b"caf\xe9.html"))
    saved = Site(name="w", folder=tmp_path, paths=paths, base_url="https://w.example/base/")
    names = ("", "a/", "b.html", "c%3Fx=1", "d%20e.html", "caf%E9.html")
    assert [saved.url(path) for path in paths] == [f"https://w.example/base/{name}" for name in names]
    assert all(saved.path(saved.url(path)) == path for path in paths)
    assert saved.path("http://www.w.example/base/a") == "a/index.html"
    assert saved.path("https://w.example/base/b") == "b.html"
    assert saved.path("https://w.example/base/c?x=1") == "c?x=1"
    assert saved.path("https://w.example/other") is saved.path("https://[w.example/base/") is None


def test_pages_are_spread_evenly():
    assert spread("abcdefghij", 4) == ("a", "d", "g", "j")
    assert spread("abc", 4) == ("a", "b", "c")
