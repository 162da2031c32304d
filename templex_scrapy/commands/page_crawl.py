"""The crawl of one page with the add-on: the command's only way to a page and its template."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response, TextResponse

from templex_scrapy.archives import SavedSite
from templex_scrapy.commands.isolated_settings import isolate_settings
from templex_scrapy.commands.page_result import PageResult
from templex_scrapy.commands.project_crawl import ProjectSpider, UnusableError, run_spider, why_failed, why_unusable
from templex_scrapy.crawl import context_of, is_html, is_usable
from templex_scrapy.crawl import signals as templex_signals
from templex_scrapy.page import Page, site_of
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.stores import StoredTemplate, StoreError, open_store
from templex_scrapy.template import Match

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

    from templex_scrapy.commands.terminal import Progress


@dataclass(frozen=True, kw_only=True)
class PageRequest:
    """The page to crawl.

    Attributes:
        meta: ``Request.meta`` of all requests.
        saved: the folder that it is in; None for a page from the web.
        store: the store with the templates that the crawl may use; it is only read.
    """

    url: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    saved: SavedSite | None = None
    store: str | None = None

    @property
    def name(self) -> str:
        """What the user calls the page: its file or its address."""
        return self.url if self.saved is None else str(self.saved.key)


class PageSpider(ProjectSpider):
    """Fetches a page and yields one item; if no template fits, it yields other pages of the site as well.

    A crawl makes a template of pages of one type if no pages link to each other. So the pages that the search has
    downloaded in vain (of saved pages: others in the folder) are given to the crawl as items. They cost no request.

    Attributes:
        response: the page as it came, if it is usable.
        failure: why there is no usable page, or an unexpected error.
        was_cut_short: whether the search ended before it was done.
        loaded: addresses of the linked pages that were downloaded.
        stored: templates of its site from the store.
    """

    asked: PageRequest
    response: TextResponse | None = None
    failure: Exception | None = None
    match: Match | None = None
    search: SubdigraphSearch | None = None
    was_cut_short = False
    _has_others = False

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.stored: list[StoredTemplate] = []

    @classmethod
    def isolate(cls, settings: BaseSettings) -> None:
        """Isolate the crawl; if the pages are saved, nothing of the project's way of fetching is needed."""
        isolate_settings(settings, saved=cls.asked.saved is not None)

    async def start(self) -> AsyncIterator[Any]:
        """Request the page."""
        self.crawler.signals.connect(self._received, signals.response_received)
        self.crawler.signals.connect(self._idle, signals.spider_idle)
        self.crawler.signals.connect(self._search_begins, templex_signals.search_begins)
        self.crawler.signals.connect(self._search_ends, templex_signals.search_ends)
        self.progress("Fetching", self.asked.name)
        yield Request(self.asked.url, callback=self.parse, errback=self._failed, meta=dict(self.asked.meta))

    async def parse(self, response: Response, **_: Any) -> AsyncIterator[Any]:
        """Yield the page as an item."""
        # the rules of the crawl: what it would not learn from is no page here either
        if not is_html(response) or not is_usable(response):
            self._fail(response.request, why_unusable(response))
            return
        if self.asked.store is not None:
            site = site_of(response.url) or ""
            try:
                # strict: a store that is not there was named by the user, and would be made here
                with closing(open_store(self.asked.store, strict=True)) as store:
                    self.stored = store.load(site)
            except StoreError as error:
                self.failure = error
                return
            context_of(self.crawler).add_stored(site, (one.template for one in self.stored))
        self.response = response
        yield {"url": response.url, "html": response.text}

    async def parse_other(self, response: Response) -> AsyncIterator[Any]:
        """Yield another page of the site as an item."""
        if is_html(response):
            yield {"url": response.url, "html": response.text}

    def _failed(self, failure: Failure) -> None:
        request: Request = failure.request  # type: ignore[attr-defined]
        self._fail(request, why_failed(failure.value))

    def _fail(self, request: Request | None, why: str) -> None:
        name = self.asked.name
        if self.asked.saved is None and request is not None and "redirect_urls" in request.meta:
            name = f"{name} leads to {request.url}"
        self.failure = UnusableError(f"{name}: {why}")

    def _received(self, response: Response) -> None:
        key = self.response
        if self._has_others or key is None or not is_html(response) or response.status != 200:
            return
        # robots.txt and the pages of other sites that middlewares fetch are no linked pages
        if site_of(response.url) == site_of(key.url) and response.url != key.url:
            self.loaded.append(response.url)
            self.progress("Searching for the template", f"({len(self.loaded)} linked pages loaded)")

    def _idle(self) -> None:
        # nothing is under way any more, so that the crawl has learnt what it can learn
        if self.response is None or self.failure is not None:
            return
        try:
            self.progress("Comparing the pages")
            self.match = match = context_of(self.crawler).match(Page.from_response(self.response))
            # a page that was cut is not compared with anything
            others = self._others() if not match.fits and not match.page.is_cut else []
        except Exception as error:  # noqa: BLE001 - Scrapy would only log it; raised again after the crawl
            self.failure = error
            return
        for url in others:
            request = Request(url, callback=self.parse_other, errback=lambda _: None, meta=dict(self.asked.meta))
            self.crawler.engine.crawl(request)
        if others:
            raise DontCloseSpider

    def _others(self) -> list[str]:
        """List the other pages for a template that needs no links; none at the second time."""
        saved, settings = self.asked.saved, context_of(self.crawler).settings
        if self._has_others or not settings.max_searches:
            return []
        # once: pages that have not helped the first time would be loaded without end
        self._has_others = True
        others = [*self.loaded, *(saved.neighbours if saved is not None else ())]
        return list(dict.fromkeys(others))[: settings.max_loads]

    def _search_begins(self) -> None:
        self.progress("Searching for the template", f"of {self.asked.name}")

    def _search_ends(self, search: SubdigraphSearch, cut_short: bool) -> None:  # noqa: FBT001 - a signal's argument
        self.search, self.was_cut_short = search, cut_short

    def result(self) -> PageResult:
        """Return what the crawl has found.

        Raises:
            UnusableError: if there is no usable page.
            StoreError: if the store cannot be read.
        """
        if self.failure is not None or self.response is None:
            raise self.failure or UnusableError(f"{self.asked.name}: the crawl was ended")
        return PageResult(
            match=self.match or Match(Page.from_response(self.response)),
            encoding=self.response.encoding,
            saved=self.asked.saved,
            search=self.search,
            voters=() if self.search is None else self.search.pages,
            was_cut_short=self.was_cut_short,
            loaded=len(self.loaded),
            stored={one.template.identity for one in self.stored},
        )


def crawl_page(
    process: AsyncCrawlerProcess, asked: PageRequest, model: type[Spider] | None, progress: Progress
) -> PageResult:
    """Crawl a page with a process that was not started, as a spider of the project; Ctrl-C ends the program at once.

    Raises:
        UsageError: if a setting of the spider is wrong.
        UnusableError: if there is no usable page, or the crawl cannot be started.
        StoreError: if the store cannot be read.
    """

    def interrupted(spider: Spider | None) -> str:
        found = cast("PageSpider | None", spider)
        if found is None or found.response is None:
            return "the page is not loaded yet"
        return f"{len(found.loaded):,} linked pages loaded"

    spider = PageSpider.of(model, asked=asked, progress=progress)
    return cast("PageSpider", run_spider(process, spider, interrupted)).result()
