"""``scrapy templex learn``: learn the templates of sites from pages that the ranking chooses, and store them."""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider, IgnoreRequest, UsageError
from scrapy.http import Response

from templex_scrapy.commands.project_crawl import ProjectSpider, why_failed, why_unusable
from templex_scrapy.commands.terminal import Progress, tell, write
from templex_scrapy.crawl import acts, context_of, is_same_or_safer, is_usable
from templex_scrapy.figures import counted, one_line
from templex_scrapy.learning import FIRST_SAMPLE, MAX_VOTERS
from templex_scrapy.page import Page, canonical, site_of
from templex_scrapy.search import rank_links
from templex_scrapy.stores import open_store

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess, Crawler
    from scrapy.settings import BaseSettings

MORE_PAGES = MAX_VOTERS + 1
"""Further pages for each page of a rare type: a key page and the voters."""

MAX_REQUESTS = 120
"""Requests for a site, with robots.txt, redirects and retries: the first sample, and six times :data:`MORE_PAGES`."""

USAGE = "scrapy templex learn <url> ... --store STORE"
DESCRIPTION = (
    f"'{USAGE}' learns the templates of the sites of these pages, and stores them; a crawl with that store then gives"
    f" the same items in any order. It makes {MAX_REQUESTS} requests for a site at most, for pages that the ranking of"
    " links chooses. A page in a file named learn is ./learn."
)
"""The help of the command, as a part of the help of ``scrapy templex``."""


class LearnSpider(ProjectSpider):
    """Yields the pages of the first sample of each site as items, and then further pages of rare types.

    Attributes:
        urls: the start pages.
        requested: site → the address of each request so far.
        links: site → URL of a loaded page → the links that may be requested, the most highly ranked first.
        failed: the number of start pages that could not be loaded.
    """

    urls: Sequence[str]
    failed = 0

    def __init__(self) -> None:
        super().__init__()
        self.requested: defaultdict[str | None, list[str]] = defaultdict(list)
        self.links: defaultdict[str | None, dict[str, list[str]]] = defaultdict(dict)

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Isolate the crawl except for the store, and request each page once."""
        super().update_settings(settings)
        changes = {
            "DOWNLOADER_MIDDLEWARES": {**settings.getdict("DOWNLOADER_MIDDLEWARES"), _RequestLimit: 105},
            "DUPEFILTER_CLASS": "scrapy.dupefilters.RFPDupeFilter",
            "TEMPLEX_MAX_SEARCHES": 1,  # a project has 0 if its crawls only use stored templates
            "TEMPLEX_STORE": cls.store,
        }
        settings.setdict(changes, priority="cmdline")

    async def start(self) -> AsyncIterator[Any]:
        """Request the start pages."""
        self.crawler.signals.connect(self._load_further, signals.spider_idle)
        for url in self.urls:
            failed = partial(lambda url, failure: self._fail(url, why_failed(failure.value)), url)
            yield self.request(url, self.parse, errback=failed, cb_kwargs={"start": url})

    async def parse(self, response: Response, start: str | None = None, place: int | None = 0) -> AsyncIterator[Any]:
        """Yield a page as an item; request the links of the page while the first sample is incomplete.

        Args:
            response: the page.
            start: the URL that the user has given, if this is a start page.
            place: the place of the page in breadth-first order, that of the sample; None for a further page.
        """
        if not is_usable(response):
            if start is not None:
                self._fail(start, why_unusable(response))
            return
        page, request = Page.from_response(response), cast("Request", response.request)
        loader = context_of(self.crawler).loader
        may_follow = (url for url in rank_links(page) if loader.candidate(url, page, request, {}).may_request)
        links = self.links[site_of(response.url)][response.url] = list(islice(may_follow, MAX_REQUESTS))
        self.progress("Learning", f"{response.url} ({sum(map(len, self.links.values())):,} pages loaded)")
        yield {"url": response.url, "html": response.text}
        if place is not None and not self.has_sample(response.url):
            for number, url in enumerate(links, place * (MAX_REQUESTS + 1) + 1):
                yield self.request(url, self.parse, priority=-number, cb_kwargs={"place": number})

    def has_sample(self, url: str) -> bool:
        """Return True if the first sample of a site is complete, or the store knows the site and as many pages came."""
        worker = context_of(self.crawler).cleaner.known_site(url)
        if worker is None:
            return False
        is_known = worker.learning.is_settled and len(self.links[site_of(url)]) >= FIRST_SAMPLE
        return is_known or worker.learning.plan.is_complete

    def _fail(self, url: str, why: str) -> None:
        self.failed += 1
        tell(f"{url}: {why}", "scrapy templex learn")

    def _load_further(self) -> None:
        """Request the most highly ranked links of each page of a rare type, once."""
        further: dict[str, None] = {}
        for name, links in self.links.items():
            learning, requested = context_of(self.crawler).cleaner.site(name or "").learning, self.requested[name]
            rare = [url for url in learning.alone if links.get(url)]
            # the pages share the remaining requests
            share = min(MORE_PAGES, (MAX_REQUESTS - len(requested)) // max(len(rare), 1))
            for url in rare:
                new = (link for link in links.pop(url) if link not in requested and link not in further)
                links[url] = []
                further |= dict.fromkeys(islice(new, share))
        for url in further:
            # the duplicate filter has seen links that came too late for the first sample
            request = self.request(url, self.parse, cb_kwargs={"place": None}, dont_filter=True)
            context_of(self.crawler).cleaner.expect(request.url)
            self.crawler.engine.crawl(request)
        if further:
            raise DontCloseSpider


class _RequestLimit:
    """The downloader middleware that counts and bounds the requests for a site; robots.txt is asked before, at 100."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        spider = cast("LearnSpider", self._crawler.spider)
        url, requested = request.url, spider.requested[site_of(request.url)]
        # start pages and robots.txt have no place, and may redirect to anywhere
        sources = request.meta.get("redirect_urls", ()) if "place" in request.cb_kwargs else ()
        if any(acts(url) or not is_same_or_safer(url, source) for source in sources):
            raise IgnoreRequest("a redirect to where no request may go")
        is_late = request.cb_kwargs.get("place") is not None and spider.has_sample(url)
        if is_late or len(requested) >= MAX_REQUESTS:
            raise IgnoreRequest("the site has had all requests")
        requested.append(canonical(url) or url)


def run(urls: list[str], opts: argparse.Namespace, process: AsyncCrawlerProcess, model: type[Spider] | None) -> int:
    """Learn the sites of some pages, and print a line for each site; return the exit code."""
    if not urls or not all(map(site_of, urls)):
        raise UsageError(f"{USAGE}; a URL begins with https:// or http://", print_help=False)
    with closing(open_store(opts.store)) as store:
        store.version("")  # raises StoreError before any request is made
    command = "scrapy templex learn"
    with Progress(command) as progress:
        spider = LearnSpider.of(model, urls=urls, meta=opts.meta, store=opts.store, progress=progress).run(process)
    pages = {name: len(links) for name, links in spider.links.items() if name and links}
    width = max(map(len, ["SITE", *map(one_line, pages)]))
    lines = [f"{'SITE':<{width}}  TYPES  LONE PAGES  PAGES  REQUESTS"]
    not_learnt = []
    with closing(open_store(opts.store, strict=True)) as store:
        for name, loaded in pages.items():
            is_lone = [stored.template.is_lone for stored in store.load(name)]
            types, requests = f"{is_lone.count(False):>5}  {sum(is_lone):>10}", len(spider.requested[name])
            lines.append(f"{one_line(name):<{width}}  {types}  {loaded:>5}  {requests:>8}")
            not_learnt += [] if is_lone else [f"{name}: no template: {counted(loaded, 'page')}"]
    write(sys.stdout, "".join(f"{line}\n" for line in lines))
    for message in not_learnt:
        tell(message, command)
    return 1 if spider.failed or not_learnt else 0
