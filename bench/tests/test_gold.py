"""The readers of suites, on miniatures."""

from __future__ import annotations

import gzip
import json
import os

import pytest
import suites
from templex_bench.gold import SuiteError, open_suite
from templex_bench.gold.saved import SavedPages, host_for, spread
from templex_bench.gold.teco import gold_of, unmarked

from templex_scrapy.page import Page
from templex_scrapy.search import rank_links


def texts(page: Page, positions) -> list[str]:
    return [page.arrays.texts[position] for position in sorted(positions) if page.arrays.texts[position] is not None]


def test_teco_sites_categories_and_keys(tmp_path) -> None:
    """Each category's folder holds a folder per site; the marked page is the key page, wherever it lies."""
    suite = open_suite(suites.teco(tmp_path))
    assert suite.layout == "teco"
    assert [(site.name, site.category, site.key_urls) for site in suite.sites] == [
        ("Companies/weir.example", "Companies", ("http://weir.example/docs/one.html",)),
        ("Companies/www.mill.example", "Companies", ("http://www.mill.example/",)),
        ("Personal/nell.example", "Personal", ("http://nell.example/about.html",)),
    ]


@pytest.mark.parametrize("within", ["Companies", "Personal/nell.example"])
def test_teco_category_or_site_alone(tmp_path, within) -> None:
    """A category's folder, or one site's, is a suite as well."""
    suite = open_suite(suites.teco(tmp_path) / within)
    assert {site.category for site in suite.sites} == {within.partition("/")[0]}
    assert all(len(site.key_urls) == 1 for site in suite.sites)


def test_teco_sites_without_categories(tmp_path) -> None:
    """Sites may lie directly in the suite's folder, beside a page that is none of theirs."""
    for site in ("a.example", "b.example"):
        suites.write(tmp_path / site, suites.pages_of(site, marked="news.html"))
    suites.write(tmp_path, {"README.html": "<html><body>The suite</body></html>"})
    suite = open_suite(tmp_path)
    assert [(site.name, site.category) for site in suite.sites] == [("a.example", ""), ("b.example", "")]


def test_teco_gold(tmp_path) -> None:
    """The marked nodes with all below; template is every other node; the menu is the marked node."""
    site = open_suite(suites.teco(tmp_path)).sites[1]
    key = site.key_page(site.key_urls[0])
    story = ["www.mill.example index", suites.STORY.format(name="www.mill.example index")]
    assert texts(key.page, key.gold.content) == story
    assert key.gold.text == "\n".join(story)
    assert key.gold.template | key.gold.content == set(range(len(key.page)))
    assert not key.gold.template & key.gold.content
    assert key.page.nodes[key.gold.menu].tag == "ul"


def test_teco_marks_reach_nobody(tmp_path) -> None:
    """What detectors and peers get has the same nodes as the marked page, and none of the marks."""
    site = open_suite(suites.teco(tmp_path)).sites[1]
    page = site.key_page(site.key_urls[0]).page
    plain = Page(suites.page("www.mill.example index"), page.url)
    assert "TECO_" not in page.text
    assert page.arrays.tag_strings == plain.arrays.tag_strings


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
def test_marks_are_taken_out_however_written(written, left) -> None:
    """Quotes, case and what stands before do not matter; other classes stay."""
    assert (
        unmarked(Page(f"<body>{written}TECO_ in words</body>", "http://a/")).text
        == f"<body>{left}TECO_ in words</body>"
    )


def test_teco_tells_nothing_where_no_mark_is() -> None:
    """A kind of mark that a page has not leaves that part of the gold standard open."""
    gold = gold_of(Page('<body><ul class="TECO_mainMenu"><li>x</li></ul></body>', "http://a/"))
    assert (gold.template, gold.content, gold.text, gold.menu) == (None, None, None, 1)


def test_teco_links_are_followed_locally(tmp_path) -> None:
    """Relative links of a page in a folder bring the saved pages, without marks."""
    site = open_suite(suites.teco(tmp_path)).sites[0]
    key = site.key_page(site.key_urls[0]).page
    fetched = [site.fetch(url) for url in rank_links(key)]
    assert len(fetched) == len(suites.PAGES) - 1
    assert all(page is not None and "TECO_" not in page.text for page in fetched)
    assert site.fetch("http://weir.example/nothing.html") is None
    assert site.fetch("http://elsewhere.example/about.html") is None


def test_names_that_wget_makes(tmp_path) -> None:
    """A file name with a question mark is found under its escaped address, as wget converts links."""
    files = suites.pages_of("mill", marked="index.html")
    files["index.html"] = files["index.html"].replace('href="news.html"', 'href="news.php%3Fid=3.html"')
    files["news.php?id=3.html"] = files.pop("news.html")
    site = open_suite(suites.write(tmp_path / "mill.example", files)).sites[0]
    page = site.fetch(next(url for url in rank_links(site.key_page(site.key_urls[0]).page) if "news" in url))
    assert page is not None
    assert "mill news" in page.text


def test_selected_gold(tmp_path) -> None:
    """Selectors become the same gold standard as marks would be."""
    site = open_suite(suites.selected(tmp_path)).sites[0]
    key = site.key_page(site.key_urls[1])
    assert site.key_urls == ("https://site0.example/", "https://site0.example/docs/one.html")
    assert key.category == "shop"
    assert texts(key.page, key.gold.content)[0] == "site0 docs/one"
    assert key.gold.template == set(range(len(key.page))) - key.gold.content
    assert key.page.nodes[key.gold.menu].tag == "ul"


def test_wcxb_gold_and_siblings(tmp_path) -> None:
    """Each page is a key page with a text; the others of its group are its siblings."""
    suite = open_suite(suites.wcxb(tmp_path))
    alone, mill = suite.sites
    assert [site.linked for site in suite.sites] == [False, False]
    key = mill.key_page("https://mill.example/beta")
    assert (key.category, key.gold.template, key.gold.content) == ("article", None, None)
    assert key.gold.text.startswith("beta\n\nThe weir")
    assert mill.siblings(key.page.url) == ("https://mill.example/alpha", "https://mill.example/gamma")
    assert alone.siblings(alone.key_urls[0]) == ()


def test_folder_of_pages_that_link_each_other(tmp_path) -> None:
    """A user's own folder is one site without a gold standard."""
    suite = open_suite(suites.write(tmp_path / "mine", suites.pages_of("mine")))
    (site,) = suite.sites
    key = site.key_page(site.key_urls[0])
    assert (suite.layout, suite.name, site.linked) == ("folder", "mine", True)
    assert (key.gold.template, key.gold.text, key.gold.menu) == (None, None, None)


def test_folder_of_folders(tmp_path) -> None:
    """Without pages of its own, each of its subfolders is a site."""
    for name in ("b", "a"):
        suites.write(tmp_path / name, suites.pages_of(name))
    assert [site.name for site in open_suite(tmp_path).sites] == ["a", "b"]


def test_folder_of_pages_saved_by_a_browser(tmp_path) -> None:
    """Pages keep the address that the browser wrote into them, and are found under it."""
    urls = {"First.html": "https://mill.example/", "Second.html": "https://mill.example/two"}
    for name, url in urls.items():
        saved = f"<!DOCTYPE html>\n<!-- saved from url=({len(url):04}){url} -->\n"
        links = "".join(f'<a href="{other}">x</a>' for other in urls.values())
        suites.write(tmp_path, {name: f"{saved}<html><body>{links}{name}</body></html>"})
    (site,) = open_suite(tmp_path).sites
    assert site.linked
    assert site.key_urls == tuple(urls.values())
    assert "Second.html" in site.fetch("https://mill.example/two").text


def test_folder_of_pages_that_do_not_link(tmp_path) -> None:
    """Pages without links to each other are compared with their siblings."""
    suites.write(tmp_path, {f"{number}.html": f"<html><body>{number}</body></html>" for number in range(3)})
    (site,) = open_suite(tmp_path).sites
    assert not site.linked
    assert len(site.siblings(site.key_urls[0])) == 2


def test_pages_stay_in_their_folder(tmp_path) -> None:
    """Neither an address with dots nor a link of the file system leads out of the folder."""
    suites.write(tmp_path, {"secret.html": "<html>secret</html>"})
    folder = suites.write(tmp_path / "site", {"index.html": "<html></html>"})
    (folder / "out.html").symlink_to(tmp_path / "secret.html")
    (site,) = open_suite(folder).sites
    assert site.fetch("http://site/../secret.html") is None
    assert site.fetch("http://site/%2e%2e/secret.html") is None
    assert site.fetch("http://site/out.html") is None


@pytest.mark.parametrize("there", ["nothing", "file", "empty"])
def test_wrong_folders(tmp_path, there) -> None:
    """The message names the folder, and what was expected."""
    folder = tmp_path / there
    if there == "file":
        folder.write_text("x")
    if there == "empty":
        folder.mkdir()
    with pytest.raises(SuiteError, match=r"[Ee]xpected") as raised:
        open_suite(folder)
    assert str(folder) in str(raised.value)
    if there == "empty":
        assert all(word in str(raised.value) for word in ("site.json", "groups.json", "TECO_notTemplate", "HTML"))


def test_another_layout_than_asked_for(tmp_path) -> None:
    """A layout that is named is the only one that is tried."""
    suites.wcxb(tmp_path)
    with pytest.raises(SuiteError, match="teco"):
        open_suite(tmp_path, "teco")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data.pop("base_url"), "base_url"),
        (lambda data: data.update(base_url="site0.example"), "base_url"),
        (lambda data: data["gold"].pop("key_pages"), "key_pages"),
        (lambda data: data["gold"].update(key_pages=["gone.html"]), "gone.html"),
        (lambda data: data["gold"].update(not_template="div"), "not_template"),
        (lambda data: data.update(pages=None), "[Ee]xpected"),
    ],
)
def test_wrong_manifests(tmp_path, change, told) -> None:
    """The message names the file and what is wrong in it."""
    manifest = suites.selected(tmp_path) / "site0" / "site.json"
    data = json.loads(manifest.read_text())
    change(data)
    manifest.write_text(json.dumps(data))
    with pytest.raises(SuiteError, match=told) as raised:
        open_suite(tmp_path)
    assert "site.json" in str(raised.value)


def test_wrong_selector(tmp_path) -> None:
    """A selector that is none is named when its page is read."""
    manifest = suites.selected(tmp_path, sites=1) / "site0" / "site.json"
    manifest.write_text(manifest.read_text().replace("div.story", "div["))
    (site,) = open_suite(tmp_path).sites
    with pytest.raises(SuiteError, match=r"div\["):
        site.key_page(site.key_urls[0])


@pytest.mark.parametrize(
    "groups", ["[", "[]", '{"a": [{"id": "1"}]}', '{"a": [{"id": "../1", "url": "", "main_content": ""}]}']
)
def test_wrong_groups(tmp_path, groups) -> None:
    """Broken groups, and ids that would lead elsewhere, are told with the file."""
    suites.write(tmp_path, {"groups.json": groups})
    with pytest.raises(SuiteError, match=r"groups\.json"):
        open_suite(tmp_path)


def test_fingerprint_tells_changes(tmp_path) -> None:
    """A changed page or gold standard changes the fingerprint; reading again does not."""
    suites.selected(tmp_path, sites=1)
    before = open_suite(tmp_path).sites[0].fingerprint()
    assert open_suite(tmp_path).sites[0].fingerprint() == before
    manifest = tmp_path / "site0" / "site.json"
    manifest.write_text(manifest.read_text().replace('"main_menu": "ul"', '"main_menu": null'))
    changed = open_suite(tmp_path).sites[0].fingerprint()
    (tmp_path / "site0" / "www" / "about.html").write_text("<html></html>")
    assert len({before, changed, open_suite(tmp_path).sites[0].fingerprint()}) == 3


def test_fingerprint_tells_a_change_of_the_same_length(tmp_path) -> None:
    """One letter of a page, or of a marked gold standard, is another's: what was measured on the old file is stale."""
    page = suites.selected(tmp_path / "sites", sites=1) / "site0" / "www" / "about.html"
    marked = suites.teco(tmp_path / "teco") / "Companies" / "www.mill.example" / "index.html"
    for suite, file, old, new in (
        ("sites", page, "miller", "fuller"),
        ("teco", marked, "TECO_mainMenu", "TECO_mainMeny"),
    ):
        before = [site.fingerprint() for site in open_suite(tmp_path / suite).sites]
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1
        assert len(old) == len(new)
        file.write_text(text.replace(old, new), encoding="utf-8")
        after = [site.fingerprint() for site in open_suite(tmp_path / suite).sites]
        assert sum(one != other for one, other in zip(before, after, strict=True)) == 1


def test_fingerprint_of_a_group_tells_changed_pages(tmp_path) -> None:
    """An edited page changes that of its group and of no other, and so does a page that is gone."""
    suites.wcxb(tmp_path)
    found = [tuple(site.fingerprint() for site in open_suite(tmp_path).sites)]
    packed = tmp_path / "pages" / "0000.html.gz"
    packed.write_bytes(gzip.compress(suites.page("alphx").encode()))
    found.append(tuple(site.fingerprint() for site in open_suite(tmp_path).sites))
    packed.unlink()
    found.append(tuple(site.fingerprint() for site in open_suite(tmp_path).sites))
    alone, mill = zip(*found, strict=True)
    assert (len(set(alone)), len(set(mill))) == (1, 3)


def test_addresses_of_saved_pages(tmp_path) -> None:
    """An index is at its folder's address; queries, escapes and missing endings are found."""
    saved = SavedPages(
        tmp_path, ("index.html", "a/index.html", "b.html", "c?x=1", "d e.html"), "https://w.example/base/"
    )
    assert [saved.url(path) for path in saved.paths] == [
        "https://w.example/base/",
        "https://w.example/base/a/",
        "https://w.example/base/b.html",
        "https://w.example/base/c%3Fx=1",
        "https://w.example/base/d%20e.html",
    ]
    assert all(saved.path(saved.url(path)) == path for path in saved.paths)
    assert saved.path("http://www.w.example/base/a") == "a/index.html"
    assert saved.path("https://w.example/base/b") == "b.html"
    assert saved.path("https://w.example/base/c?x=1") == "c?x=1"
    assert saved.path("https://w.example/other") is None
    assert saved.path("https://[w.example/base/") is None


def test_host_and_spread() -> None:
    """A folder's name becomes a host; a choice of paths keeps both ends."""
    assert [host_for(name) for name in ("WWW.Mill.example", "My site (2)", "...")] == [
        "www.mill.example",
        "my-site-2",
        "site",
    ]
    assert spread("abcdefghij", 4) == ("a", "d", "g", "j")
    assert spread("abc", 4) == ("a", "b", "c")
    assert spread("abc", 1) == ("a",)


def test_a_damaged_page_of_a_group(tmp_path) -> None:
    """Whatever is wrong inside of the packed file, the page is told."""
    suites.wcxb(tmp_path)
    packed = tmp_path / "pages" / "0000.html.gz"
    whole = packed.read_bytes()
    mill = open_suite(tmp_path).sites[1]
    for damaged in (whole[:-12], whole[:20] + b"\xff" * 20 + whole[40:], b"none"):
        packed.write_bytes(damaged)
        with pytest.raises(SuiteError, match="the page 0000 cannot be read"):
            mill.key_page(mill.key_urls[0])


def test_names_that_are_no_utf_8(tmp_path) -> None:
    """As wget writes an escaped byte, as that byte: it is escaped again, and a link to it is found."""
    files = suites.pages_of("mill")
    files["index.html"] = files["index.html"].replace('href="news.html"', 'href="caf%E9.html"')
    name = os.fsdecode(b"caf\xe9.html")
    files[name] = files.pop("news.html")
    (site,) = open_suite(suites.write(tmp_path / "mill.example", files)).sites
    address = "http://mill.example/caf%E9.html"
    assert site.saved.url(name) == address
    assert address in site.key_urls
    assert address in rank_links(site.key_page("http://mill.example/").page)
    assert "mill news" in site.fetch(address).text


def test_two_sites_of_one_name(tmp_path) -> None:
    """Their results would be taken for those of one: both folders are told."""
    manifest = suites.selected(tmp_path) / "site1" / "site.json"
    manifest.write_text(manifest.read_text().replace('"name": "site1"', '"name": "site0"'))
    with pytest.raises(SuiteError, match="have the same name 'site0'") as raised:
        open_suite(tmp_path)
    assert all(str(tmp_path / name) in str(raised.value) for name in ("site0", "site1"))


def test_two_pages_of_one_address(tmp_path) -> None:
    """One of them would not be measured: both are told."""
    groups = suites.wcxb(tmp_path) / "groups.json"
    groups.write_text(groups.read_text().replace("mill.example/beta", "mill.example/alpha"))
    with pytest.raises(SuiteError, match=r"the pages 0000 and 0001 have the same url 'https://mill\.example/alpha'"):
        open_suite(tmp_path)
