"""No page holds up the event loop of a crawl for long, however large and hostile it is; `-m slow` measures it.

A stall is the time between two turns of the event loop, or the CPU time that the process took in it if that is less, so
that other processes on the machine do not count. It is compared with that of the same crawl without the plug-in.
"""

import asyncio
import time
from collections.abc import Callable

import pytest
from isolated import ADDON, crawl_now, isolated
from scrapy import Request, Spider
from scrapy.core.downloader.handlers.base import BaseDownloadHandler
from scrapy.http import HtmlResponse

from templex_scrapy.page.size_limits import MAX_ATTRIBUTES

PAGES = 6
LONGEST = 0.3
"""Seconds that a page may hold up the loop, beyond the plain crawl."""

OUTPUTS = ("html", "text", "markdown", "content_html", "content_text", "content_markdown")
_MENU = "".join(f'<li class="nav{n}"><a href="/p{n}">menu entry {n}</a></li>' for n in range(PAGES))


def _repeat(piece, times):
    return lambda n: "".join(piece.replace("{n}", str(n)).replace("{k}", str(k)) for k in range(times))


BODIES: dict[str, Callable[[int], str]] = {
    "siblings of other classes": _repeat("<p class='c{k} d{n}'>x</p>", 15_000),
    "same siblings": _repeat("<p>same words</p>", 19_900),
    "long table": _repeat("<tr><td>{k}<td>value {n}<td>unit</tr>", 9_900),
    "list of links": _repeat("<li><a href='/a/{k}-{n}'>link {k}</a>", 13_300),
    "other tags": _repeat("<x-{k}-{n} a{k}='{n}'>t{k}</x-{k}-{n}>", 19_900),
    "deep links": lambda n: "<div>" * 1_900 + _repeat("<a href='/l{k}'>l {k}</a>", 18_000)(n) + "</div>" * 1_900,
    "deeper than the parser": lambda n: "<div>" * 50_000 + f"deep {n}",
    "unclosed formatting": _repeat("<p><b><i><u>open {k} ", 900),
    "one long text": lambda n: f"<p>{'word ' * 380_000}{n}",
    "texts without elements": _repeat("x{k}<hr>", 39_900),
    "many attributes": lambda n: ("<p " + " ".join(f"a{k}='{n}'" for k in range(MAX_ATTRIBUTES)) + ">x") * 400,
    "emphasis signs": _repeat("*_`#[]()\\ ", 40_000),
}


class HostileHandler(BaseDownloadHandler):
    """Answers with pages that are made before the crawl."""

    async def download_request(self, request):
        body = self.crawler.settings["HOSTILE_PAGES"].get(request.url)
        return HtmlResponse(request.url, status=200 if body else 404, body=body or b"none", encoding="utf-8")


class HostileSpider(Spider):
    """An item for each page; it reads no page itself. ``longest`` is the longest stall, in seconds."""

    name = "hostile"
    longest = 0.0

    async def start(self):
        self.watching = asyncio.ensure_future(self.watch())
        for url in self.settings["HOSTILE_PAGES"]:
            yield Request(url)

    def parse(self, response):
        if isinstance(response, HtmlResponse):
            yield {"url": response.url, "html": response.text}

    async def watch(self):
        """Measure the stalls until the crawl ends."""
        while self.crawler.crawling:
            before, cpu_before = time.perf_counter(), time.process_time()
            await asyncio.sleep(0.01)
            stall = min(time.perf_counter() - before - 0.01, time.process_time() - cpu_before)
            self.longest = max(self.longest, stall)


def crawl_here(name, addon):
    """Crawl the pages with such a body in this process; return the longest stall, and the number of items."""
    pages = {
        f"https://hostile.test/p{n}": f"<ul class=menu>{_MENU}</ul><h1>Headline {n}</h1>{BODIES[name](n)}".encode()
        for n in range(PAGES)
    }
    settings = {
        "HOSTILE_PAGES": pages,
        "ADDONS": ADDON if addon else {},
        "TEMPLEX_OUTPUTS": {output: output for output in OUTPUTS},
    }
    crawler, *_ = crawl_now(HostileSpider, HostileHandler, settings)
    assert isinstance(crawler.spider, HostileSpider)
    return [crawler.spider.longest, crawler.stats.get_value("item_scraped_count", 0)]


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
def test_no_page_holds_up_the_loop(name):
    plain, items = isolated(crawl_here, name, False)
    longest, same = isolated(crawl_here, name, True)
    assert same == items == PAGES
    print(f"{name}: longest stall {plain:.2f} s without, {longest:.2f} s with the plug-in")
    assert longest - plain <= LONGEST
