"""The crawl of one page: it fetches as the project does, finds what a crawl finds, and leaves no trace."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import ClassVar

import pytest
import scrapy
from crawling import SiteSpider
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from web import NAMES, Reply, mirror, page, write

from templex_scrapy.archives.saved_pages import NO_HOST
from templex_scrapy.commands.isolated_settings import isolate_settings

SHARED = Path(__file__).resolve().parents[3] / "shared"
OUTPUTS = {"html": "html", "text": "text", "markdown": "markdown", "annotated": "annotated_html"}


def crawl(loop, spider: type[scrapy.Spider], **settings) -> list[dict]:
    """The items of a usual crawl with the add-on."""
    base = {
        "ADDONS": {"templex_scrapy.Addon": 500},
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "LOG_ENABLED": False,
    }
    crawler = Crawler(spider, {**base, **settings}, init_reactor=False)
    items: list[dict] = []

    def scraped(item: dict) -> None:
        items.append(item)

    crawler.signals.connect(scraped, signals.item_scraped)
    loop.run_until_complete(asyncio.wait_for(crawler.crawl_async(), 120))
    return items


def test_the_command_and_a_crawl_agree(templex, site, event_loop_of_reactor):
    """The outputs are those that a crawl writes into the item of the same page."""

    class OnePage(SiteSpider):
        start_urls = (f"{site.url}/news/",)

        def links(self, _):
            return iter(())

    (item,) = crawl(event_loop_of_reactor, OnePage, TEMPLEX_OUTPUTS=OUTPUTS)
    data = templex(f"{site.url}/news/", "--json").data
    assert item["html"] == data["html"]
    assert item["text"] == data["text"]
    assert item["markdown"] == data["markdown"]
    assert item["annotated"] == data["annotated_html"]
    assert item["html"] != page("/news/")


def test_templates_of_a_store(templex, site, event_loop_of_reactor, tmp_path):
    """With a store the page has the template that crawls use for it; no other page is loaded, and it is only read."""
    store = tmp_path / "templates.sqlite3"

    class WholeSite(SiteSpider):
        start_urls = (f"{site.url}/",)

    items = crawl(event_loop_of_reactor, WholeSite, TEMPLEX_STORE=str(store))
    before, loads = store.read_bytes(), len(site.log)
    found = templex(f"{site.url}/about/", "--json", project={"TEMPLEX_STORE": str(store)}).data
    assert found == templex(f"{site.url}/about/", "--json", "--store", store).data
    assert (found["found"], found["from_store"], found["loads"]) == (True, True, 0)
    assert found["html"] == next(item["html"] for item in items if item["url"] == f"{site.url}/about/")
    assert store.read_bytes() == before
    assert set(site.log[loads:]) <= {"/robots.txt", "/about/"}
    assert "found, 86% of the page's nodes, from the store" in templex(f"{site.url}/about/", "--store", store).out


def test_a_store_that_cannot_be_read(templex, site, tmp_path):
    """A missing store is an error if it was asked for, and none if no crawl of the project has made it yet."""
    store = tmp_path / "none.sqlite3"
    ran = templex(f"{site.url}/about/", "--store", store)
    assert ran.code == 1
    assert ran.problem == f"scrapy templex: there is no template store {store}"
    assert templex(f"{site.url}/about/", project={"TEMPLEX_STORE": str(store)}).code == 0
    assert not store.exists()


def test_pages_of_one_type_vote_where_no_pages_link_to_each_other(templex, new_site):
    """The pages that the search has loaded vote, as in a crawl, and no page is loaded twice."""
    site, below = new_site(), [f"/leaf/{number}" for number in range(1, 5)]
    for path in below:
        site.add(path, menu=[])
    site.add("/leaf/", menu=below)
    ran = templex(f"{site.url}/leaf/")
    assert ran.code == 0, ran.err
    assert "from pages of its type, since no two of the linked pages link to each other" in ran.out
    assert "loaded    4 of 4 linked pages" in ran.out
    assert set(site.fetches().values()) == {1}
    data = templex(f"{site.url}/leaf/", "--json").data
    assert data["from_peers"] is True
    assert "Repeated footer" not in data["text"]
    assert "Story /leaf/:" in data["text"]


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        (Reply("gone", 404), "answered with status 404"),
        (Reply(b"%PDF-1.7", content_type="application/pdf"), "no HTML page, but application/pdf"),
        (Reply("{}", content_type="application/json; charset=utf-8"), "no HTML page, but application/json"),
        (Reply(""), "the page is empty"),
        (Reply("", content_type="text/html, text/html"), "the page is empty"),
        ("http://nobody.invalid/", "not fetched: DNS lookup failed"),
        ("http://127.0.0.1:9/", "not fetched: Connection was refused"),
        ("https://", "not fetched: "),
    ],
)
def test_what_is_no_page(templex, site, reply, problem):
    """One line says what was fetched instead of a page, or why nothing was."""
    url = reply
    if isinstance(reply, Reply):
        site.add("/odd", reply)
        url = f"{site.url}/odd"
    ran = templex(url, "-s", "RETRY_ENABLED=0")
    assert (ran.code, ran.out) == (1, "")
    assert ran.problem.startswith(f"scrapy templex: {url}: {problem}")


def test_robots(templex, site):
    """Outside of a project robots.txt is obeyed, for the page and for the candidates; in a project as it is set."""
    site.add("/robots.txt", Reply("User-agent: *\nDisallow: /news/\nDisallow: /shop/", content_type="text/plain"))
    assert "not fetched: Forbidden by robots.txt" in templex(f"{site.url}/news/").problem
    assert templex(f"{site.url}/about/").code == 0
    assert not {"/news/", "/shop/"} & set(site.log)
    assert templex(f"{site.url}/news/", project={}).code == 0
    assert templex(f"{site.url}/news/", project={"ROBOTSTXT_OBEY": True}).code == 1


def test_redirects(templex, site):
    """A page that redirects has its final address; if that cannot be fetched, both are named."""
    site.add("/old", Reply("", 301, headers={"Location": "/news/"}))
    assert templex(f"{site.url}/old").out.splitlines()[0] == f"{site.url}/news/"
    site.add("/dead", Reply("", 302, headers={"Location": "http://127.0.0.1:9/gone"}))
    problem = templex(f"{site.url}/dead", "-s", "RETRY_ENABLED=0").problem
    redirect = f"{site.url}/dead leads to http://127.0.0.1:9/gone"
    assert problem.startswith(f"scrapy templex: {redirect}: not fetched: Connection was refused")


class Stamp:
    """A downloader middleware of a project."""

    def process_request(self, request):
        request.headers["X-Requested-With"] = request.meta.get("way", "of the project")


class Trace:
    """A component of a project that must not be used."""

    def __init__(self) -> None:
        raise RuntimeError("the command uses a component that leaves traces")


class Picky(scrapy.Spider):
    """A spider with settings and a login of its own."""

    name = "picky"
    custom_settings: ClassVar = {"USER_AGENT": "picky/1", "TEMPLEX_PRESERVE": [".bottom"], "CLOSESPIDER_PAGECOUNT": 1}

    def __init__(self) -> None:
        raise RuntimeError("this spider must not be created")

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
    assert "Repeated footer" in templex(f"{site.url}/news/", "--text", project=project).out
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
        "FEEDS": {"items.json": {"format": "json"}},
        "JOBDIR": "job",
        "ITEM_PIPELINES": {Trace: 1},
        "EXTENSIONS": {Trace: 1},
        "SPIDER_MIDDLEWARES": {Trace: 1},
        "SCHEDULER": Trace,
        "DUPEFILTER_CLASS": Trace,
        "STATS_CLASS": Trace,
        "CLOSESPIDER_PAGECOUNT": 1,
        "TWISTED_REACTOR": "twisted.internet.selectreactor.SelectReactor",
    }
    assert templex(f"{site.url}/news/", project=project).code == 0
    assert list(tmp_path.iterdir()) == []


def test_other_add_ons_are_kept():
    """The add-on is enabled once, whichever of its names the project uses, beside those of the project."""
    settings = Settings({"ADDONS": {"templex_scrapy.crawl.addon.Addon": 1, "shop.addons.Proxies": 2}})
    isolate_settings(settings)
    assert sorted(map(str, settings.getdict("ADDONS"))) == [
        "<class 'templex_scrapy.crawl.addon.Addon'>",
        "shop.addons.Proxies",
    ]


def test_a_spider_of_the_project(templex, site):
    """--spider takes over settings of a spider without creating it; without it, the one for the site counts."""
    project = {"SPIDER_MODULES": [__name__]}
    ran = templex(f"{site.url}/news/", "--spider", "picky", "--json", project=project)
    assert "Repeated footer" in ran.data["text"]
    assert headers_of(site, "User-Agent") == {"picky/1"}
    site.headers.clear()
    assert templex(f"{site.url}/news/", project=project).code == 0
    assert headers_of(site, "User-Agent") == {"local/1"}
    wrong = templex(f"{site.url}/news/", "--spider", "wrong", project=project)
    assert wrong.code == 2
    assert "TEMPLEX_VOTES = 7 is not allowed" in wrong.err


def test_a_crawl_that_cannot_be_started(templex, site):
    """A wrong setting of the project is reported in one line."""
    project = {"DOWNLOADER_MIDDLEWARES": {"shop.no_such.Middleware": 500}}
    problem = templex(f"{site.url}/news/", project=project).problem
    assert problem.startswith("scrapy templex: the crawl cannot be started: ModuleNotFoundError: No module named")


def test_folder_and_file(templex, tmp_path):
    """The page of a folder is its index; file:// addresses are files; made-up addresses are not shown."""
    folder = mirror(tmp_path / "site")
    data = templex(folder, "--json").data
    assert data["url"] == NO_HOST
    assert sorted(data["template_pages"]) == sorted(f"{NO_HOST}{name}.html" for name in NAMES[1:])
    assert templex((folder / "news.html").as_uri(), "--json").data["url"] == f"{NO_HOST}news.html"
    ran = templex("site", "--view", "-o", "view.html")
    assert ran.out.splitlines()[0] == str(folder / "index.html")
    assert {line.split()[-1] for line in ran.out.splitlines()[3:6]} == {f"{name}.html" for name in NAMES[1:]}
    view = (tmp_path / "view.html").read_text(encoding="utf-8")
    assert '<p class="quiet"><bdi>index.html</bdi></p>' in view
    assert "saved.invalid" not in ran.out + view


def test_an_index_has_one_address(templex, tmp_path):
    """Links to index.html and to its folder lead to one page, which can vote; those to missing pages cost no loads."""
    folder = mirror(tmp_path / "site")
    write(folder / "shop.html", page("/shop", menu=["./", "news.html", "shop.html", "about.html"]))
    missing = "".join(f'<a href="a{i}.html">m</a>' for i in range(100))
    news = page("/news", menu=[f"{name}.html" for name in NAMES])
    write(folder / "news.html", news.replace("<header", f"<nav>{missing}</nav><header"))
    data = templex(folder / "news.html", "--json", "--size", "3", "--max-loads", "3").data
    assert sorted(data["template_pages"]) == [NO_HOST, f"{NO_HOST}about.html", f"{NO_HOST}shop.html"]
    assert (data["loaded"], data["candidates"]) == (3, 103)


@pytest.mark.parametrize(
    ("name", "body", "problem"),
    [
        ("x.pdf", b"%PDF-1.4\n%\xe2\xe3", "no HTML"),
        ("x.bin", b"\x00\x01\x02", "no HTML"),
        ("x.html", b"", "without a body"),
        ("x.html", b"x" * 8_000_001, "larger than 8 MB"),
    ],
)
def test_files_that_are_no_pages(templex, tmp_path, name, body, problem):
    """One line says what is wrong with a file, in the words of ``templex clean``."""
    file = write(tmp_path / name, body)
    ran = templex(name)
    assert (ran.code, ran.out) == (1, "")
    assert ran.problem == f"scrapy templex: {file}: not fetched: {problem}"


def test_a_file_that_cannot_be_read(templex, tmp_path, monkeypatch):
    """A file that cannot be read is reported with the reason."""
    folder = mirror(tmp_path / "site")

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    assert templex(folder).problem == f"scrapy templex: {folder / 'index.html'}: not read: Permission denied"


@pytest.mark.integration
@pytest.mark.shared
@pytest.mark.parametrize("name", ["absolutely-portugal", "jekyll-mulham-arabic", "kks-company"])
def test_a_real_site_from_the_web_and_from_disk(templex, name, monkeypatch):
    """A site gives a template at its own address, and as a folder."""
    folder = SHARED / "sites" / name
    if not folder.is_dir():
        pytest.skip(f"no saved site in {folder}")
    monkeypatch.syspath_prepend(SHARED / "tools")
    import site_archive  # noqa: PLC0415 - from the shared material

    base = json.loads((folder / "site.json").read_text(encoding="utf-8"))["base_url"]
    handlers = dict.fromkeys(("http", "https"), site_archive.ArchiveDownloadHandler)
    web = templex(base, "--json", project={"DOWNLOAD_HANDLERS": handlers, "SITE_ARCHIVE": [str(folder)]}).data
    disk = templex(folder / "www", "--json").data
    for data in (web, disk):
        assert len(data["template_pages"]) >= 2
        assert 0 < data["words"]["after"] < data["words"]["before"]
    assert web["url"] == base
