"""A local HTTP server with a web site of its own, and a spider that crawls it."""

import logging
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from itemadapter import ItemAdapter
from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler
from scrapy.crawler import Crawler
from scrapy.linkextractors import LinkExtractor

MENU = ["/", "/news/", "/shop/", "/about/", "/contact/"]
BANNER, FOOTER = "repeated banner", "Repeated footer"
WORDS = """
    river stone lantern harbour meadow copper violin orchard winter signal velvet marble canyon
    feather anchor saddle cinnamon glacier thunder pebble
""".split()


def page(path, *, menu=None, body="", head=""):
    """A page with a menu, a side box and a footer that repeat, and an article that is its own."""
    links = "".join(f'<li><a href="{url}">Section {url}</a></li>' for url in (MENU if menu is None else menu))
    seed = sum(map(ord, path))
    story = " ".join(WORDS[(seed * 7 + i * i) % len(WORDS)] for i in range(60))
    return (
        f"<!DOCTYPE html><html><head><title>{path}</title>{head}</head><body>"
        f'<header class="top"><p>Welcome to the repeated banner</p><ul class="menu">{links}</ul></header>'
        f'<main class="article"><h1>Headline of {path}</h1><p>Story {path}: {story}</p>{body}</main>'
        '<footer class="bottom"><p>Repeated footer with imprint and terms</p></footer></body></html>'
    )


@dataclass
class Reply:
    """What the server answers to a path."""

    body: str | bytes = ""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0


class Site:
    """A web site on a free port of this machine; what is asked of it is logged."""

    def __init__(self):
        self.replies = {}
        self.log = []
        self.headers = []
        self.lock, self.now, self.most = threading.Lock(), 0, 0  # requests at a time
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                site.log.append(self.path)
                site.headers.append((self.path, dict(self.headers.items())))
                reply = site.replies.get(self.path, Reply("not found", 404, "text/plain"))
                if callable(reply):
                    reply = reply(self.path)
                with site.lock:
                    site.now += 1
                    site.most = max(site.most, site.now)
                time.sleep(reply.delay)
                with site.lock:
                    site.now -= 1
                body = reply.body.encode() if isinstance(reply.body, str) else reply.body
                try:
                    self.send_response(reply.status)
                    self.send_header("Content-Type", reply.content_type)
                    self.send_header("Content-Length", str(len(body)))
                    for name, value in reply.headers.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    return  # the client has given up

            do_POST = do_GET  # noqa: N815 - the name is the base class's

            def log_message(self, *_):
                """Keep the test output clean."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    def add(self, path, reply=None, **options):
        """Put a page on the site: a reply, a function of the path, a body, or a page with menu and article."""
        if reply is None:
            reply = page(path, **options)
        self.replies[path] = Reply(reply) if isinstance(reply, str) else reply

    def fetches(self):
        """How often each path was asked for."""
        return Counter(self.log)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class SiteSpider(Spider):
    """Crawls whole sites; an item for each page."""

    name = "site"

    def parse(self, response, **_):
        yield self.item(response)
        yield from self.links(response)

    def item(self, response):
        return {"url": response.url, "html": response.text}

    def links(self, response):
        netloc = response.url.split("/")[2]
        for link in LinkExtractor(allow=rf"^https?://{netloc}/").extract_links(response):
            yield Request(link.url, callback=self.parse)


class StartPages(SiteSpider):
    """Takes its start pages only, so that every candidate is the search's own."""

    def links(self, _):
        return iter(())


def spider_of(make):
    """A spider whose items are what a function makes of a response: one, or a list of them."""

    class Items(SiteSpider):
        def parse(self, response, **_):
            made = make(response)
            yield from made if isinstance(made, list) else [made]
            yield from self.links(response)

    return Items


@dataclass
class Crawled:
    """What came of a crawl."""

    items: list[Any]
    stats: dict[str, Any]
    reason: str
    crawler: Crawler
    log: list[logging.LogRecord]

    def by_path(self, name="html"):
        """Path → field of the item."""
        adapters = [ItemAdapter(item) for item in self.items]
        return {"/" + a["url"].split("/", 3)[3]: a[name] for a in adapters}

    def count(self, name):
        return int(self.stats.get(f"templex/{name}", 0))

    def messages(self, level=logging.WARNING):
        return [record.getMessage() for record in self.log if record.levelno >= level]


class Collector(logging.Handler):
    def __init__(self):
        super().__init__(logging.INFO)
        self.records = []

    def emit(self, record):
        self.records.append(record)


class OddlessScheduler(Scheduler):
    """A scheduler that refuses one request, as one does that is full."""

    def enqueue_request(self, request):
        """Return False if the request is refused."""
        return not request.url.endswith("/odd") and super().enqueue_request(request)
