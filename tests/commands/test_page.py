"""`scrapy templex` for a page: it fetches as the project does, finds what a crawl finds, and leaves no trace."""

from __future__ import annotations

import json
import re
import tempfile
import webbrowser
from pathlib import Path
from typing import ClassVar
from unittest.mock import Mock

import pytest
import scrapy
from helpers.crawling import SiteSpider, StartPages
from helpers.web import MENU, NAMES, Reply, html_page, mirror, write
from scrapy.settings import Settings

from templex_scrapy.archives import NO_HOST
from templex_scrapy.commands import page_command
from templex_scrapy.commands.project_crawl import ProjectSpider
from templex_scrapy.crawl import Addon
from templex_scrapy.render import OUTPUT_NAMES

ROOT = Path(__file__).resolve().parents[2]


def test_the_command_and_a_crawl_agree(templex, site, crawl):
    """The outputs are those that a crawl writes into the item of the same page."""
    names = ("html", "text", "content_markdown", "annotated_html", "template_html", "title")
    outputs = {name: name for name in names}
    (item,) = crawl(StartPages, f"{site.url}/news/", TEMPLEX_OUTPUTS=outputs).items
    data = templex(f"{site.url}/news/", "--output", "json").data
    assert {name: data[name] for name in names} == {name: item[name] for name in names}
    assert item["html"] != html_page("/news/")
    assert data["template_url"] in {f"{site.url}/news/", *data["template_pages"]}
    assert sorted(data["template_pages"]) == [f"{site.url}{path}" for path in ("/", "/about/", "/shop/")]
    assert (data["reason"], data["coverage"], data["words"]) == (None, 1.0, {"before": 86, "after": 65})
    assert [link["url"] for link in data["menu"]] == [f"{site.url}{path}" for path in MENU]
    table = (ROOT / "docs" / "reference" / "commands.md").read_text().partition("### JSON")[2].partition("```")[0]
    rows = (row.split("|")[1] for row in table.splitlines() if row.startswith("| `"))
    documented = {name for row in rows for name in re.findall("`([a-z_]+)`", row)}
    assert documented.isdisjoint(OUTPUT_NAMES)
    assert documented.union(OUTPUT_NAMES) == set(data)


@pytest.mark.parametrize("name", ["html", "content_text", "annotated_html", "metadata", "view"])
def test_an_output(templex, saved, name):
    """Only the output is written to standard output, and nothing to standard error."""
    ran = templex(saved, "--output", name)
    assert (ran.code, ran.err) == (0, "")
    assert ("Story /news" in ran.out) is (name != "metadata")
    assert ("repeated banner" in ran.out) is (name in {"annotated_html", "view"})
    assert ran.out.startswith("<") is (name in {"html", "annotated_html", "view"})


def test_a_view_on_a_terminal_opens_in_the_browser(templex, saved, monkeypatch):
    """The name of the file is printed."""
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(tempfile, "tempdir", str(saved.parent))
    ran = templex("--output", "view", saved, terminal=True)
    file = Path(opened[0].removeprefix("file://"))
    assert (ran.code, ran.out) == (0, f"{file}\n")
    assert "· templex</title>" in file.read_text(encoding="utf-8")


def test_the_summary(templex, site):
    """The final address, the template and the other pages of it, words, pages that were loaded, and further options."""
    site.add("/old", Reply("", 301, headers={"Location": "/news/"}))
    lines = templex(f"{site.url}/old", "-s", "TEMPLEX_CS_SIZE=4").out.splitlines()
    assert lines[:3] == [f"{site.url}/news/", "  title     /news/", "  template  86% of the page's nodes"]
    others = sorted(f"{site.url}{path}" for path in MENU if path != "/news/")
    assert sorted(line.split()[-1] for line in lines[3:7]) == others
    assert lines[7:9] == ["  words     86 before, 65 after (24% removed)", "  compared  4 of 4 linked pages"]
    assert lines[9].startswith("  next      --output text")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ((), "one URL, file or folder is needed, not 0"),
        (("--frobnicate", "a"), "one URL, file or folder is needed, not 2"),
        (("a", "-s", "TEMPLEX_VOTES=9"), "TEMPLEX_VOTES = 9 is not allowed; allowed: 1 to TEMPLEX_CS_SIZE"),
        (("a", "--output", "pdf"), "--output pdf: there are html, text, markdown"),
        (("http://x.invalid/", "--meta", "[1"), "argument --meta: invalid json_object value: '[1'"),
        (("http://x.invalid/", "--meta", "[]"), "argument --meta: invalid json_object value: '[]'"),
        (("",), "one URL, file or folder is needed, not 1"),
        (("a", "--spider", "nobody"), "--spider is for pages from the web"),
        (("http://x.invalid/", "--spider", "nobody"), "there is no spider 'nobody'"),
        (("a", "--store", "ftp://x"), "ftp:// is not a store"),
    ],
)
def test_wrong_usage(templex, arguments, problem):
    """Wrong usage is reported with exit code 2, and nothing is fetched."""
    ran = templex(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert problem in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("page_", "problem"),
    [
        ("example.com", "example.com: no such file or folder; pages on the web begin with https:// or http://"),
        (".", ".: no HTML page in this folder"),
        ("x.pdf", "x.pdf: no HTML"),
        ("http://nobody.invalid/", "http://nobody.invalid/: not fetched: DNS lookup failed"),
        ("http://127.0.0.1:9/", "http://127.0.0.1:9/: not fetched: Connection was refused"),
    ],
)
def test_no_page(templex, tmp_path, page_, problem):
    """A mistyped address, a folder without pages, another file and a server that is not there: one line says so."""
    write(tmp_path / "x.pdf", b"%PDF-1.4\n%\xe2\xe3")
    ran = templex(page_, "-s", "RETRY_ENABLED=0")
    assert (ran.code, ran.out) == (1, "")
    assert ran.problem.startswith(f"scrapy templex: {problem}")


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply("gone", 404), "answered with status 404"),
        (Reply(b"%PDF-1.7", content_type="application/pdf"), "no HTML page, but application/pdf"),
        (Reply("", content_type="text/html, text/html"), "the page is empty"),
    ],
)
def test_a_reply_that_is_no_page(templex, site, reply, problem):
    """One line says what was fetched instead of a page."""
    site.add("/odd", reply)
    assert templex(f"{site.url}/odd").problem == f"scrapy templex: {site.url}/odd: {problem}"


@pytest.mark.parametrize(
    ("body", "options", "reason"),
    [
        ('<a href="/lost">x</a>', (), "no two of the linked pages link to each other and differ (0 of 1 linked page)"),
        ("<div>" * 2100, (), "the page nests deeper than the parser goes"),
        ("", ("-s", "TEMPLEX_MAX_SEARCHES=0"), "no known template fits, and TEMPLEX_MAX_SEARCHES allows no search"),
    ],
    ids=["lost links", "deep", "no search"],
)
def test_why_there_is_no_template(templex, site, body, options, reason):
    """One line says why no template was found; the exit code is 1, and outputs are written all the same."""
    site.add("/odd", f"<html><body>{body}")
    ran = templex(f"{site.url}/odd", "--output", "json", *options)
    data = json.loads(ran.out)
    assert (ran.code, data["reason"], data["html"]) == (1, reason, f"<html><body>{body}")
    assert ran.problem == f"scrapy templex: {site.url}/odd: no template: {reason}"


def test_pages_of_one_type_vote_where_no_pages_link_to_each_other(templex, new_site):
    """The pages that the search has loaded vote, as in a crawl, and no page is loaded twice."""
    site, below = new_site(), [f"/leaf/{number}" for number in range(1, 5)]
    for path in below:
        site.add(path, menu=[])
    site.add("/leaf/", menu=below)
    ran = templex(f"{site.url}/leaf/", "--output", "text")
    assert ran.code == 0, ran.err
    assert set(site.fetches().values()) == {1}
    assert "Repeated footer" not in ran.out
    assert "Story /leaf/:" in ran.out


def test_templates_of_a_store(templex, site, crawl, tmp_path):
    """With a store the page has the template that crawls use for it; no other page is loaded, and it is only read."""
    store = tmp_path / "templates.sqlite3"
    pages = crawl(SiteSpider, f"{site.url}/", TEMPLEX_STORE=str(store)).by_path()
    before, loads = store.read_bytes(), len(site.log)
    found = templex(f"{site.url}/about/", "--output", "json", project={"TEMPLEX_STORE": str(store)}).data
    assert found == templex(f"{site.url}/about/", "--output", "json", "--store", store).data
    assert found["html"] == pages["/about/"]
    assert store.read_bytes() == before
    assert set(site.log[loads:]) <= {"/robots.txt", "/about/"}
    assert "  compared  no other page loaded\n" in templex(f"{site.url}/about/", "--store", store).out


def test_a_store_that_cannot_be_read(templex, site, tmp_path):
    """A missing store is an error if it was asked for, and none if no crawl of the project has made it yet."""
    store = tmp_path / "none.sqlite3"
    ran = templex(f"{site.url}/about/", "--store", store)
    assert (ran.code, ran.problem) == (1, f"scrapy templex: there is no template store {store}")
    assert templex(f"{site.url}/about/", project={"TEMPLEX_STORE": str(store)}).code == 0
    assert not store.exists()


def test_robots(templex, site):
    """Outside of a project robots.txt is obeyed, for the page and for the candidates; in a project as it is set."""
    site.add("/robots.txt", Reply("User-agent: *\nDisallow: /news/\nDisallow: /shop/", content_type="text/plain"))
    assert "not fetched: Forbidden by robots.txt" in templex(f"{site.url}/news/").problem
    assert templex(f"{site.url}/about/").code == 0
    assert not {"/news/", "/shop/"} & set(site.log)
    assert templex(f"{site.url}/news/", project={}).code == 0
    assert templex(f"{site.url}/news/", project={"ROBOTSTXT_OBEY": True}).code == 1


class Stamp:
    """A downloader middleware of a project."""

    def process_request(self, request):
        request.headers["X-Requested-With"] = request.meta.get("way", "of the project")


class Trace:
    """A component of a project that must not be used."""

    def __init__(self) -> None:
        raise RuntimeError("the command uses a component that leaves traces")


class Picky(scrapy.Spider):
    """A spider with settings of its own, which must not be created."""

    name = "picky"
    custom_settings: ClassVar = {"USER_AGENT": "picky/1", "TEMPLEX_PRESERVE": [".bottom"], "CLOSESPIDER_PAGECOUNT": 1}
    __init__ = Trace.__init__

    @classmethod
    def handles_request(cls, _):
        return False


class Local(scrapy.Spider):
    """A spider for this machine."""

    name = "local"
    custom_settings: ClassVar = {"USER_AGENT": "local/1"}

    @classmethod
    def handles_request(cls, request):
        return "127.0.0.1" in request.url


class Wrong(scrapy.Spider):
    """A spider with a wrong setting."""

    name = "wrong"
    custom_settings: ClassVar = {"TEMPLEX_VOTES": 7}


def headers_of(site, name: str) -> set[str | None]:
    return {headers.get(name) for path, headers in site.headers if path != "/robots.txt"}


def test_the_project_s_way_of_fetching(templex, site):
    """User agent, downloader middlewares, --meta and settings of the add-on apply to the page and the candidates."""
    project = {"USER_AGENT": "shop/1", "DOWNLOADER_MIDDLEWARES": {Stamp: 500}, "TEMPLEX_PRESERVE": [".bottom"]}
    assert "Repeated footer" in templex(f"{site.url}/news/", "--output", "text", project=project).out
    assert headers_of(site, "User-Agent") == {"shop/1"}
    assert headers_of(site, "X-Requested-With") == {"of the project"}
    site.headers.clear()
    assert templex(f"{site.url}/news/", "--meta", '{"way": "by a browser"}', project=project).code == 0
    assert headers_of(site, "X-Requested-With") == {"by a browser"}


def test_no_trace_of_the_project(templex, site, tmp_path):
    """Feeds, pipelines, extensions, jobs and queues of the project are not used, and the add-on need not be enabled."""
    project = {
        "ADDONS": {"templex_scrapy.Addon": 300},
        "TEMPLEX_ENABLED": False,
        "TEMPLEX_DRY_RUN": True,
        "TEMPLEX_HTML_FIELD": "body",
        "TEMPLEX_REPORT": "report.html",
        "TEMPLEX_SKIP_UNCHANGED": "drop",
        "FEEDS": {"items.json": {"format": "json"}},
        "JOBDIR": "job",
        "CLOSESPIDER_PAGECOUNT": 1,
        "TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor",
        **{name: {Trace: 1} for name in ("ITEM_PIPELINES", "EXTENSIONS", "SPIDER_MIDDLEWARES")},
        **dict.fromkeys(("SCHEDULER", "DUPEFILTER_CLASS", "STATS_CLASS"), Trace),
    }
    assert templex(f"{site.url}/news/", project=project).code == 0
    assert list(tmp_path.iterdir()) == []


class Proxies:
    """An add-on of a project."""


def test_other_add_ons_are_kept():
    """The add-on is enabled once, whichever of its names the project uses, beside those of the project."""
    settings = Settings({"ADDONS": {"templex_scrapy.crawl.addon.Addon": 1, f"{__name__}.Proxies": 2}})
    ProjectSpider.update_settings(settings)
    addons = ["<class 'templex_scrapy.crawl.addon.Addon'>", f"{__name__}.Proxies"]
    assert sorted(map(str, settings.getdict("ADDONS"))) == addons


def test_a_spider_of_the_project(templex, site):
    """--spider takes over settings of a spider without creating it; without it, the one for the site counts."""
    project = {"SPIDER_MODULES": [__name__]}
    ran = templex(f"{site.url}/news/", "--spider", "picky", "--output", "text", project=project)
    assert "Repeated footer" in ran.out
    assert headers_of(site, "User-Agent") == {"picky/1"}
    site.headers.clear()
    assert templex(f"{site.url}/news/", project=project).code == 0
    assert headers_of(site, "User-Agent") == {"local/1"}
    wrong = templex(f"{site.url}/news/", "--spider", "wrong", project=project)
    assert wrong.code == 2
    assert "TEMPLEX_VOTES = 7 is not allowed" in wrong.err


def test_a_folder(templex, tmp_path):
    """The page of a folder is its index, or the first page; the pages have made-up addresses."""
    folder = mirror(tmp_path / "site")
    data = templex(folder, "--output", "json").data
    assert data["url"] == NO_HOST
    assert sorted(data["template_pages"]) == sorted(f"{NO_HOST}{name}.html" for name in NAMES[1:])
    ran = templex("site")
    assert ran.out.splitlines()[0] == NO_HOST
    assert "  compared  4 of 4 pages in the folder\n" in ran.out
    (folder / "index.html").unlink()
    assert templex(folder, "--output", "json").data["url"] == f"{NO_HOST}about.html"


def test_a_page_alone_in_its_folder(templex, tmp_path):
    """The folder of the site is one that is named like a host, or the folder that the page is in."""
    for root, code in (("example.com", 0), ("site", 1)):
        folder = mirror(tmp_path / "sites" / root)
        (folder / "news").mkdir()
        (folder / "news.html").rename(folder / "news" / "today.html")
        write(folder / "news" / "today.html", html_page("/today", menu=[f"../{name}.html" for name in NAMES]))
        ran = templex(folder / "news" / "today.html", "--output", "text")
        assert (ran.code, "Story /today" in ran.out, "Repeated footer" in ran.out) == (code, True, bool(code))
    assert ran.problem.endswith("today.html: no template: the folder has no other page of the site")


def test_a_page_keeps_its_charset(templex, tmp_path):
    """A page is written in the charset that it declares; a character that it lacks becomes a reference."""
    menu = [f"{name}.html" for name in NAMES]
    for name in NAMES:
        source = html_page(
            f"/{name}", menu=menu, head='<meta charset="windows-1251">', body=f"<p>Привет &#9786; {name}</p>"
        )
        write(tmp_path / f"{name}.html", source.encode("windows-1251"))
    assert "Привет &#9786; news" in templex("news.html", "--output", "html").bytes.decode("windows-1251")
    assert "Привет ☺ news" in templex("news.html", "--output", "text").out


def test_a_page_of_template_alone_is_kept_whole(templex, tmp_path):
    """The page of which nothing would be left stays as it is, as in a crawl, and the summary says so."""
    folder = mirror(tmp_path / "site")
    empty = re.sub("<main.*</main>", "<main></main>", (folder / "index.html").read_text())
    write(folder / "index.html", empty)
    assert "nothing would be left, so the page is kept whole" in templex(folder).out


def test_ctrl_c_while_files_are_read(templex, saved, monkeypatch):
    monkeypatch.setattr(page_command, "clean_saved", Mock(side_effect=KeyboardInterrupt))
    ran = templex(saved)
    assert (ran.code, ran.out, ran.err) == (130, "", "scrapy templex: interrupted\n")


def test_a_page_cannot_control_the_terminal(templex, saved):
    """Control characters of a page are not written to the terminal."""
    source = html_page("/news", menu=[f"{name}.html" for name in NAMES])
    write(saved, source.replace("<title>/news", "<title>News\x1b]0;pwned\x07\x1b[2J\u202e\r\nmore"))
    ran = templex(saved)
    assert "title     News" in ran.out
    assert not set("\x1b\x07\r\u202e") & set(ran.out)


def test_nobody_gets_a_mail_of_a_crawl_for_a_page() -> None:
    settings = Settings({"MEMUSAGE_NOTIFY_MAIL": ["ops@example.com"], "ADDONS": {"gone.pkg.Addon": None}})
    ProjectSpider.update_settings(settings)
    assert settings.getlist("MEMUSAGE_NOTIFY_MAIL") == []
    assert list(settings.getdict("ADDONS")) == [Addon], "what is switched off need not be installed"
