"""`scrapy templex` in a project: it fetches as the project does, and leaves no trace in what the project stores."""

from __future__ import annotations

import json

from crawling import Reply, page

MIDDLEWARE = """
class Stamp:
    def process_request(self, request):
        request.headers["X-Stamp"] = "of the project"
"""
SPIDERS = """
import scrapy

class Picky(scrapy.Spider):
    name = "picky"
    custom_settings = {"USER_AGENT": "picky/1", "TEMPLEX_CS_SIZE": 2, "CLOSESPIDER_PAGECOUNT": 1, "LOG_LEVEL": "DEBUG"}
    http_user = "me"
    http_pass = "secret"
    http_auth_domain = None

    def __init__(self, needed, **kwargs):
        raise RuntimeError("this spider must not be made")

    @classmethod
    def handles_request(cls, request):
        return False

class Local(scrapy.Spider):
    name = "local"
    custom_settings = {"USER_AGENT": "local/1"}

    @classmethod
    def handles_request(cls, request):
        return "127.0.0.1" in request.url
"""
TRACES = """
import pathlib

class Pipeline:
    def open_spider(self):
        pathlib.Path("pipeline-was-here").touch()

class Extension:
    def __init__(self):
        pathlib.Path("extension-was-here").touch()
        print("noise")

class SpiderMiddleware:
    async def process_start(self, start):
        pathlib.Path("middleware-was-here").touch()
        async for one in start:
            yield one
"""


def headers_of(site, name: str) -> set[str | None]:
    return {headers.get(name) for path, headers in site.headers if path != "/robots.txt"}


def test_settings_and_middlewares_of_the_project(site, project):
    """User agent, downloader middlewares and TEMPLEX settings of the project count for page and candidates."""
    project.add_module("middlewares", MIDDLEWARE)
    project.add_settings(
        "USER_AGENT = 'shop/1'\nDOWNLOADER_MIDDLEWARES = {'shop.middlewares.Stamp': 500}\n"
        "TEMPLEX_PRESERVE = ['.bottom']"
    )
    ran = project.run(f"{site.url}/news/", "--text")
    assert ran.code == 0
    assert "Repeated footer" in ran.out
    assert headers_of(site, "User-Agent") == {"shop/1"}
    assert headers_of(site, "X-Stamp") == {"of the project"}


def test_robots_as_the_project_says(site, project):
    """In a project its own ROBOTSTXT_OBEY holds, Scrapy's default included."""
    site.add("/robots.txt", Reply("User-agent: *\nDisallow: /", content_type="text/plain"))
    assert project.run(f"{site.url}/news/").code == 0
    project.add_settings("ROBOTSTXT_OBEY = True")
    ran = project.run(f"{site.url}/news/")
    assert ran.code == 1
    assert "Forbidden by robots.txt" in ran.problem


def test_nothing_of_the_project_is_written(site, project):
    """Feeds, pipelines, extensions, jobs, queues and the plug-in itself stay out of it, and nothing is printed."""
    project.add_module("traces", TRACES)
    project.add_settings(
        "ADDONS = {'templex_scrapy.Addon': 500}\nFEEDS = {'items.json': {'format': 'json'}}\nJOBDIR = 'job'\n"
        "ITEM_PIPELINES = {'shop.traces.Pipeline': 1}\nEXTENSIONS = {'shop.traces.Extension': 1}\n"
        "SPIDER_MIDDLEWARES = {'shop.traces.SpiderMiddleware': 1}\nSCHEDULER = 'shop.traces.NoSuchScheduler'\n"
        "DUPEFILTER_CLASS = 'shop.traces.NoSuchFilter'\nCLOSESPIDER_PAGECOUNT = 1\nTEMPLEX_STORE = 'templates.sqlite'\n"
        "TWISTED_REACTOR = 'twisted.internet.selectreactor.SelectReactor'\n"
    )
    before = sorted(path for path in project.folder.rglob("*") if "__pycache__" not in path.parts)
    ran = project.run(f"{site.url}/news/", "--json")
    assert (ran.code, json.loads(ran.out)["found"]) == (0, True)
    assert sorted(path for path in project.folder.rglob("*") if "__pycache__" not in path.parts) == before


def test_spider_by_name(site, project):
    """--spider takes over settings and ways of fetching of a spider, without making it."""
    (project.folder / "shop" / "spiders" / "all.py").write_text(SPIDERS, encoding="utf-8")
    ran = project.run(f"{site.url}/news/", "--spider", "picky", "--json")
    assert ran.err.startswith(f"{site.url}/news/\n")
    assert len(json.loads(ran.out)["pages"]) == 2
    assert headers_of(site, "User-Agent") == {"picky/1"}
    assert headers_of(site, "Authorization") == {"Basic bWU6c2VjcmV0"}


def test_spider_by_domain(site, project):
    """Without --spider the one that is for the site counts, as in Scrapy's own commands."""
    (project.folder / "shop" / "spiders" / "all.py").write_text(SPIDERS, encoding="utf-8")
    assert project.run(f"{site.url}/news/").code == 0
    assert headers_of(site, "User-Agent") == {"local/1"}


def test_meta(site, project):
    """--meta goes to every request, so that pages can be fetched through a browser or a proxy."""
    project.add_module(
        "middlewares",
        "class Stamp:\n"
        "    def process_request(self, request):\n        request.headers['X-Way'] = request.meta['way']\n",
    )
    project.add_settings("DOWNLOADER_MIDDLEWARES = {'shop.middlewares.Stamp': 500}")
    assert project.run(f"{site.url}/news/", "--meta", '{"way": "through a browser"}').code == 0
    assert headers_of(site, "X-Way") == {"through a browser"}


def test_a_crawl_that_cannot_be_started(site, project):
    """A setting of the project that is wrong is told in one line."""
    project.add_settings("DOWNLOADER_MIDDLEWARES = {'shop.no_such.Middleware': 500}")
    ran = project.run(f"{site.url}/news/")
    assert ran.code == 1
    assert ran.problem.startswith("scrapy templex: the crawl cannot be started: ModuleNotFoundError: No module named")


def test_wrong_setting_of_the_plugin(site, project):
    """A wrong TEMPLEX setting of the project is wrong usage here too."""
    project.add_settings("TEMPLEX_VOTES = 7")
    ran = project.run(f"{site.url}/news/")
    assert ran.code == 2
    assert "TEMPLEX_VOTES = 7 is not allowed" in ran.err


def test_without_a_reactor(site, project):
    """The project may do without Twisted's reactor."""
    project.add_settings("TWISTED_REACTOR_ENABLED = False")
    ran = project.run(f"{site.url}/news/")
    assert ran.code == 0, ran.err


def test_slow_sites_time_out(site, project):
    """A candidate that takes too long is left out."""
    site.add("/shop/", Reply(page("/shop/"), delay=20))
    project.add_settings("TEMPLEX_CANDIDATE_TIMEOUT = 0.5")
    ran = project.run(f"{site.url}/news/", "--json")
    data = json.loads(ran.out)
    assert (data["loads"], data["loaded"]) == (4, 3)
