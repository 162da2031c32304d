"""The readers of suites, on miniatures."""

import gzip
import json
import os

import made_suites
import pytest
from templex_bench.candidates import HYPERLINK_ANALYSIS, compare
from templex_bench.cli import main
from templex_bench.suites import SuiteError, open_suite, teco
from templex_bench.suites.saved import Site, base_url_for, spread
from templex_bench.suites.teco import unlabelled

from templex_scrapy import Page
from templex_scrapy.page import nodes_of
from templex_scrapy.search import rank_links


def texts(page, positions):
    return [text for position in sorted(positions) if (text := nodes_of(page).texts[position]) is not None]


def test_teco_sites_categories_and_keys(tmp_path):
    suite = open_suite(made_suites.teco(tmp_path))
    assert suite.layout == "teco"
    assert [(site.name, site.key_page(site.key_urls[0]).category, site.key_urls) for site in suite.sites] == [
        ("Companies/weir.example", "Companies", ("http://weir.example/docs/one.html",)),
        ("Companies/www.mill.example", "Companies", ("http://www.mill.example/",)),
        ("Personal/nell.example", "Personal", ("http://nell.example/about.html",)),
    ]
    assert [site.name for site in open_suite(tmp_path / "Personal").sites] == ["nell.example"]
    assert [site.name for site in open_suite(tmp_path / "Companies" / "weir.example").sites] == ["weir.example"]


def test_teco_gold_and_no_detector_sees_it(tmp_path):
    """Key pages and fetched pages have the nodes of the marked pages, and none of the marks."""
    site = open_suite(made_suites.teco(tmp_path)).sites[1]
    key = site.key_page(site.key_urls[0])
    story = ["www.mill.example index", made_suites.STORY.format(name="www.mill.example index")]
    assert texts(key.page, key.gold.content or ()) == story
    assert key.gold.text == "\n".join(story)
    assert key.gold.template == frozenset(range(len(key.page))) - (key.gold.content or frozenset())
    assert key.page.nodes[key.gold.menu or 0].tag == "ul"
    plain = Page(made_suites.page("www.mill.example index"), key.page.url)
    assert "TECO_" not in key.page.text
    assert nodes_of(key.page).tag_strings == nodes_of(plain).tag_strings
    fetched = [site.fetch(url) for url in (*rank_links(key.page), key.page.url)]
    assert len(fetched) == len(made_suites.PAGES), "its own address with index.html is no candidate"
    assert all(page is not None and "TECO_" not in page.text for page in fetched)
    assert site.fetch("http://www.mill.example/nothing.html") is site.fetch("http://elsewhere.example/") is None


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ('<p class="TECO_mainMenu">', "<p>"),
        ("<p class='a TECO_mainMenu b'>", "<p class='a b'>"),
        ("<P CLASS=TECO_mainContent>", "<P>"),
        ('<p onclick="a>b" class="TECO_notTemplate x">', '<p onclick="a>b" class="x">'),
        ('<p class="teco">', '<p class="teco">'),
    ],
)
def test_marks_are_removed_however_written(written, left):
    marked = Page(f"<body>{written}TECO_ in words</body>", "http://a/")
    assert unlabelled(marked).text == f"<body>{left}TECO_ in words</body>"


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


def test_folders_without_gold(tmp_path):
    """Pages directly in a folder are one site; otherwise each subfolder is one."""
    for name in ("b", "a"):
        made_suites.write(tmp_path / name, made_suites.pages_of(name))
    assert [site.name for site in open_suite(tmp_path).sites] == ["a", "b"]
    suite = open_suite(tmp_path / "a")
    (site,) = suite.sites
    assert (suite.layout, site.linked, site.key_page(site.key_urls[0]).gold.template) == ("folder", True, None)


def test_no_address_leads_out_of_the_folder(tmp_path):
    made_suites.write(tmp_path, {"secret.html": "<html>secret</html>"})
    folder = made_suites.write(tmp_path / "site", {"index.html": "<html></html>"})
    (folder / "out.html").symlink_to(tmp_path / "secret.html")
    (site,) = open_suite(folder).sites
    for path in ("../secret.html", "%2e%2e/secret.html", "out.html"):
        assert site.fetch(f"http://site/{path}") is None


@pytest.mark.parametrize("there", ["nothing", "file", "empty"])
def test_wrong_folders_are_named(tmp_path, there):
    folder = tmp_path / there
    if there == "file":
        folder.write_text("x")
    if there == "empty":
        folder.mkdir()
    with pytest.raises(SuiteError, match=r"[Ee]xpected") as raised:
        open_suite(folder)
    assert str(folder) in str(raised.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"base_url": "site0.example"}, "base_url"),
        ({"gold": {}}, "key_pages"),
        ({"gold": {"key_pages": ["gone.html"]}}, "gone.html"),
        ({"pages": ["index.html", "docs/one.html", "gone.html"]}, "gone.html"),
        ({"gold": {"key_pages": [], "not_template": "div"}}, "not_template"),
        ({"pages": None}, "[Ee]xpected"),
        ({"name": "site1"}, "same name"),
    ],
)
def test_wrong_manifests_are_named(tmp_path, change, message):
    manifest = made_suites.selected(tmp_path) / "site0" / "site.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), **change}))
    with pytest.raises(SuiteError, match=message) as raised:
        open_suite(tmp_path)
    assert "site.json" in str(raised.value)


@pytest.mark.parametrize(("sites", "told"), [(1, {"pages": ["index.html"]}), (2, {"split": "training"})])
def test_a_manifest_without_gold_is_named(tmp_path, sites, told):
    """Alone, or beside one that has it."""
    manifest = made_suites.selected(tmp_path, sites=sites) / "site0" / "site.json"
    manifest.write_text(json.dumps(told))
    with pytest.raises(SuiteError, match=r"site0/site\.json is not as it should be: 'gold' is missing"):
        open_suite(tmp_path)


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ({"not_template": ["div["]}, r"div\["),
        ({"not_template": ["article"]}, "gold.not_template matches nothing in https://site0.example/"),
        ({"main_content": ["article"]}, "gold.main_content matches nothing"),
        ({"main_menu": "article"}, "gold.main_menu matches nothing"),
    ],
)
def test_wrong_selectors_are_named_when_their_page_is_read(tmp_path, gold, message):
    manifest = made_suites.selected(tmp_path, sites=1) / "site0" / "site.json"
    told = json.loads(manifest.read_text())
    told["gold"].update(gold)
    manifest.write_text(json.dumps(told))
    (site,) = open_suite(tmp_path).sites
    with pytest.raises(SuiteError, match=message):
        site.key_page(site.key_urls[0])


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
        '{"a": [{"id": "../1", "url": "", "main_content": ""}]}',
        '{"a": [{"id": "1", "url": "u", "main_content": ""}, {"id": "2", "url": "u", "main_content": ""}]}',
    ],
)
def test_wrong_groups(tmp_path, groups):
    made_suites.write(tmp_path, {"groups.json": groups})
    with pytest.raises(SuiteError, match=r"groups\.json"):
        open_suite(tmp_path)


def test_fingerprints_change_with_one_letter_of_page_or_gold(tmp_path):
    page = made_suites.selected(tmp_path / "sites", sites=1) / "site0" / "www" / "about.html"
    marked = made_suites.teco(tmp_path / "teco") / "Companies" / "www.mill.example" / "index.html"
    manifest = tmp_path / "sites" / "site0" / "site.json"
    for suite, file, old, new in (
        ("sites", page, "miller", "fuller"),
        ("sites", manifest, '"div.story"', '"div.storx"'),
        ("teco", marked, "TECO_mainMenu", "TECO_mainMeny"),
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


def test_base_url_and_spread():
    names = ("WWW.Mill.example", "My site (2)", "...")
    assert [base_url_for(name) for name in names] == ["http://www.mill.example/", "http://my-site-2/", "http://site/"]
    assert spread("abcdefghij", 4) == ("a", "d", "g", "j")
    assert spread("abc", 4) == ("a", "b", "c")


def test_the_split_is_read_from_site_json(tmp_path, capsys):
    """Beside TeCo's pages, where it has no gold standard, and with selectors."""
    folder = made_suites.teco(tmp_path / "teco")
    told = {"Companies/www.mill.example": "training", "Companies/weir.example": "evaluation"}
    for home, split in told.items():
        made_suites.write(folder / home, {"site.json": json.dumps({"split": split})})
    suite = open_suite(folder)
    assert suite.layout == "teco"
    assert {site.name: site.split for site in suite.sites} == {**told, "Personal/nell.example": ""}
    few = ["--detectors", "menex", "--peers", "none", "--jobs", "1", "--results", str(tmp_path / "r.sqlite")]
    assert main(["run", str(folder), "--split", "evaluation", *few]) == 0
    assert "teco: layout teco, 1 sites" in capsys.readouterr().err


def test_the_splits_of_teco_are_those_of_the_thesis(tmp_path):
    """105 sites for training, two of them on one host, and 45 for evaluation (13.3)."""
    splits = list(teco._SPLITS.values())
    assert [splits.count(split) for split in ("training", "evaluation")] == [104, 45]
    made_suites.write(tmp_path / "www.bcrf.org", made_suites.pages_of("x", marked="about.html"))
    assert [site.split for site in open_suite(tmp_path).sites] == ["training"]
