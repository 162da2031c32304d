"""``scrapy templex learn``: learn the templates of sites from the pages that the ranking chooses, and store them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Self, cast

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider, IgnoreRequest, UsageError
from scrapy.http import Response

from templex_scrapy.commands.isolated_settings import isolate_settings
from templex_scrapy.commands.project_crawl import ProjectSpider, run_spider, why_failed, why_unusable
from templex_scrapy.commands.store import store_of
from templex_scrapy.commands.terminal import Progress, printable, tell, write_text
from templex_scrapy.crawl import context_of, is_html, is_usable
from templex_scrapy.crawl.downloads.acting_links import acts
from templex_scrapy.crawl.downloads.candidate_requests import CandidateRequests, is_same_or_safer
from templex_scrapy.figures import counted
from templex_scrapy.learning import FIRST_SAMPLE, MAX_VOTERS
from templex_scrapy.page import Page, canonical, site_of
from templex_scrapy.search import rank_links
from templex_scrapy.stores import open_store

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess, Crawler
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

NAME = "learn"
"""The first argument of ``scrapy templex`` that means this."""

MORE_PAGES = MAX_VOTERS + 1
"""Further pages for a page that is alone of its type, or has one other: a key page and its voters."""

MAX_REQUESTS = 120
"""Requests for a site, with robots.txt, redirects and retries: the first sample, and six times :data:`MORE_PAGES`."""

USAGE = "scrapy templex learn <url> ... --store STORE"
DESCRIPTION = (
    f"'{USAGE}' learns the templates of the sites of these pages, and stores them; a crawl with that store then gives"
    f" the same items in any order. It makes {MAX_REQUESTS} requests for a site at most, for pages that the ranking of"
    " links chooses. A page in a file of that name is ./learn."
)
"""What the help of ``scrapy templex`` says about this."""


def check(urls: Sequence[str], opts: argparse.Namespace, settings: BaseSettings) -> None:
    """Check the arguments, and write the store into the options.

    Raises:
        UsageError: if they are wrong.
    """
    for url in urls:
        if not url.lower().startswith(("http://", "https://")) or site_of(url) is None:
            raise UsageError(f"{url}: no address of a page; it begins with https:// or http://", print_help=False)
    if not urls:
        raise UsageError(f"which sites? {USAGE}", print_help=False)
    if opts.output is not None:
        raise UsageError("--output is for pages", print_help=False)
    opts.store = opts.store or store_of(settings)
    if opts.store is None:
        raise UsageError("which store? Set TEMPLEX_STORE or JOBDIR, or name it with --store", print_help=False)


@dataclass
class _Site:
    """What is requested of a site.

    Attributes:
        requested: the addresses that were requested.
        requests: requests made.
        pages: pages loaded.
        links: address of a page → the links in the order of the ranking that may be requested.
    """

    requested: set[str] = field(default_factory=set)
    requests: int = 0
    pages: int = 0
    links: dict[str, list[str]] = field(default_factory=dict)


class LearnSpider(ProjectSpider):
    """Yields an item for each page of the first samples of some sites, and then of types that these hardly have.

    Attributes:
        urls: the pages that it starts at.
        meta: ``Request.meta`` of all requests.
        store: where the templates are stored.
        sites: the sites, by name.
        failed: start pages that could not be loaded.
    """

    urls: Sequence[str]
    meta: Mapping[str, Any]
    store: str

    def __init__(self) -> None:
        super().__init__()
        self.sites: dict[str, _Site] = {}
        self.failed = 0

    @classmethod
    def isolate(cls, settings: BaseSettings) -> None:
        """Isolate the crawl, but for its store; each page is requested once."""
        isolate_settings(settings)
        middlewares = {**settings.getdict("DOWNLOADER_MIDDLEWARES"), RequestLimit: 105}
        settings.setdict(
            {
                "DOWNLOADER_MIDDLEWARES": middlewares,
                "DUPEFILTER_CLASS": "scrapy.dupefilters.RFPDupeFilter",
                # 0 is for crawls that only use what is stored
                "TEMPLEX_MAX_SEARCHES": 1,
                "TEMPLEX_STORE": cls.store,
            },
            priority="cmdline",
        )

    async def start(self) -> AsyncIterator[Any]:
        """Request the pages that the user has named."""
        self._candidates = CandidateRequests(self.crawler, context_of(self.crawler).downloads)
        self.crawler.signals.connect(self._idle, signals.spider_idle)
        for url in self.urls:
            kwargs = {"start": url}
            yield Request(url, self.parse, errback=self._failed, cb_kwargs=kwargs, meta=dict(self.meta))

    async def parse(self, response: Response, start: str | None = None, place: int = 0) -> AsyncIterator[Any]:
        """Yield a page, and requests for its ranked links while the first sample of its site lacks pages.

        Args:
            response: the page.
            start: the address by which the user has named it.
            place: its place in breadth-first order, in which the sample is chosen: that of its first link is
                ``place * (MAX_REQUESTS + 1) + 1``, so that each link of a page comes behind all of an earlier one.
        """
        if not is_html(response) or not is_usable(response):
            if start is not None:
                self._fail(start, why_unusable(response))
            return
        site = self._site(response.url)
        site.pages += 1
        self.progress("Learning", f"{response.url} ({sum(one.pages for one in self.sites.values()):,} pages loaded)")
        yield {"url": response.url, "html": response.text}
        page, request = Page.from_response(response), cast("Request", response.request)
        may_follow = (url for url in rank_links(page) if self._candidates.candidate(url, page, request, {}).may_request)
        links = site.links[response.url] = list(islice(may_follow, MAX_REQUESTS))
        if request.callback == self.parse and not self._has_sample(response.url):
            for number, url in enumerate(links, place * (MAX_REQUESTS + 1) + 1):
                yield Request(url, self.parse, priority=-number, cb_kwargs={"place": number}, meta=dict(self.meta))

    async def parse_further(self, response: Response) -> AsyncIterator[Any]:
        """Yield a page of a type that the first sample has hardly any pages of."""
        async for item in self.parse(response):
            yield item

    def _site(self, url: str) -> _Site:
        return self.sites.setdefault(site_of(url) or "", _Site())

    def _has_sample(self, url: str) -> bool:
        """Return whether the first sample of a site is loaded; of one that the store knows, as many pages."""
        worker = context_of(self.crawler).cleaner.sites.get(url)
        is_settled = worker is not None and worker.learning.is_settled
        is_complete = worker is not None and worker.learning.plan.is_complete
        return is_complete or (is_settled and self._site(url).pages >= FIRST_SAMPLE)

    def admit(self, request: Request) -> None:
        """Count a request.

        Raises:
            IgnoreRequest: if the site has had its requests or its first sample, or a redirect leads elsewhere.
        """
        site, url = self._site(request.url), request.url
        # the user has named a start page, and robots.txt may be anywhere
        is_link = "start" not in request.cb_kwargs and request.callback in (self.parse, self.parse_further)
        if is_link and any(
            acts(url) or not is_same_or_safer(url, one) for one in request.meta.get("redirect_urls", ())
        ):
            raise IgnoreRequest("a redirect to where no request may go")
        is_late = is_link and request.callback == self.parse and self._has_sample(url)
        if is_late or site.requests >= MAX_REQUESTS:
            raise IgnoreRequest("the site has had its requests")
        site.requests += 1
        site.requested.add(canonical(url) or url)

    def _failed(self, failure: Failure) -> None:
        request: Request = failure.request  # type: ignore[attr-defined]
        self._fail(request.cb_kwargs["start"], why_failed(failure.value))

    def _fail(self, url: str, why: str) -> None:
        self.failed += 1
        tell(f"{url}: {why}", f"scrapy templex {NAME}")

    def _idle(self) -> None:
        further = [request for name in list(self.sites) for request in self._further(name)]
        for request in further:
            context_of(self.crawler).start(request)
            self.crawler.engine.crawl(request)
        if further:
            raise DontCloseSpider

    def _further(self, name: str) -> list[Request]:
        """Return requests for the ranked links of pages that are alone of their type, or have one other."""
        site = self.sites[name]
        with context_of(self.crawler).cleaner.sites.in_use(name) as worker:
            alone = [url for url in worker.learning.alone if url in site.links]
        # each page gets some
        most = min(MORE_PAGES, (MAX_REQUESTS - site.requests) // max(len(alone), 1))
        chosen: dict[str, None] = {}
        for url in alone:
            new = (link for link in site.links.pop(url) if link not in site.requested and link not in chosen)
            chosen |= dict.fromkeys(islice(new, most))
        return [Request(url, self.parse_further, meta=dict(self.meta), dont_filter=True) for url in chosen]


class RequestLimit:
    """The downloader middleware that bounds the requests for a site; robots.txt has been asked before."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Let a request pass, or raise IgnoreRequest."""
        cast("LearnSpider", self._crawler.spider).admit(request)


def run(
    urls: Sequence[str],
    opts: argparse.Namespace,
    process: AsyncCrawlerProcess,
    model: type[Spider] | None,
    progress: Progress,
) -> int:
    """Learn the sites of some pages, and print what the store has of them; return the exit code.

    Raises:
        UsageError: if a setting of the spider is wrong.
        StoreError: if the store cannot be used.
        UnusableError: if the crawl cannot be started.
    """
    with closing(open_store(opts.store)) as store:
        store.version("")  # opens it: whether it can be used is to be known before the work
    attributes = {"urls": urls, "meta": opts.meta, "store": opts.store, "progress": progress}
    spider = cast("LearnSpider", run_spider(process, LearnSpider.of(model, **attributes), _interrupted))
    progress.stop()
    sites = {name: site for name, site in spider.sites.items() if site.pages}
    with closing(open_store(opts.store, strict=True)) as store:
        learnt = {name: [one.template.is_lone for one in store.load(name)] for name in sites}
    write_text(sys.stdout, "".join(f"{line}\n" for line in _summary(sites, learnt)))
    for name in (name for name, templates in learnt.items() if not templates):
        tell(f"{name}: no template: {counted(sites[name].pages, 'page')}", f"scrapy templex {NAME}")
    return 0 if not spider.failed and all(learnt.values()) else 1


def _interrupted(spider: Spider | None) -> str:
    pages = sum(site.pages for site in cast("LearnSpider", spider).sites.values()) if spider is not None else 0
    return f"{counted(pages, 'page')} loaded; the templates that were learnt are stored"


def _summary(sites: Mapping[str, _Site], learnt: Mapping[str, Sequence[bool]]) -> Iterator[str]:
    """Yield a line for each site: its templates in the store, those of types first, and what was loaded."""
    width = max(map(len, map(printable, [*sites, "SITE"])))
    if sites:
        yield f"{'SITE':<{width}}  TYPES  LONE PAGES  PAGES  REQUESTS"
    for name, site in sites.items():
        lone = sum(learnt[name])
        types = len(learnt[name]) - lone
        yield f"{printable(name):<{width}}  {types:>5}  {lone:>10}  {site.pages:>5}  {site.requests:>8}"
