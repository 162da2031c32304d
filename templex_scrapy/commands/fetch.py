"""A crawl of one page with the add-on: the command's only way to a page and its template."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, cast

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider, IgnoreRequest, UsageError
from scrapy.http import HtmlResponse, Response

from templex_scrapy.commands.isolated_settings import isolate_settings
from templex_scrapy.commands.saved_site import SavedSite, UnusableError
from templex_scrapy.commands.terminal import INTERRUPTED, Progress, printable, tell
from templex_scrapy.crawl import CrawlContext, TemplexSettingsError, context_of, is_usable
from templex_scrapy.crawl import signals as templex_signals
from templex_scrapy.page import Page, site_of
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.stores import StoredTemplate, StoreError, open_store
from templex_scrapy.template import Match

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure


_SPIDER_ATTRIBUTES = ("user_agent", "http_user", "http_pass", "http_auth_domain", "download_delay", "download_timeout")
"""What a spider says of how its pages are fetched."""


@dataclass(kw_only=True)
class FetchTask:
    """The page to crawl, and what the crawl found."""

    url: str
    meta: Mapping[str, Any] = field(default_factory=dict)
    saved: SavedSite | None = None
    store: str | None = None
    """The store with the templates that the crawl may use; it is only read."""
    progress: Progress = field(default_factory=Progress)

    response: HtmlResponse | None = None
    problem: str | None = None
    """Why there is no usable page."""
    error: Exception | None = None
    """An unexpected error."""
    search: SubdigraphSearch | None = None
    was_cut_short: bool = False
    loaded: list[str] = field(default_factory=list)
    """Addresses of the linked pages that were downloaded."""
    stored: list[StoredTemplate] = field(default_factory=list)
    """Templates of the page's site from the store."""
    match: Match | None = None
    """The page with the templates of the crawl."""

    @property
    def name(self) -> str:
        """What the user calls the page: its file or its address."""
        return self.url if self.saved is None else str(self.saved.key)


class PageSpider(Spider):
    """Fetches the page of a task and yields one item; if no template fits, it yields other pages of the site as well.

    A crawl makes a template of pages of one type if no pages link to each other. So the pages that the search has
    downloaded in vain (of saved pages: others in the folder) are given to the crawl as items. They cost no request.
    """

    name = "templex"
    model: type[Spider] = Spider
    task: FetchTask
    _has_others = False

    @classmethod
    def of(cls, task: FetchTask, model: type[Spider] | None) -> type[PageSpider]:
        """Return the spider of a task, with the name, settings and ways of fetching of one of the project's spiders."""
        attributes: dict[str, Any] = {"task": task}
        if model is not None:
            # the spider itself is not created: it may need arguments, or open files
            attributes |= {name: getattr(model, name) for name in _SPIDER_ATTRIBUTES if hasattr(model, name)}
            attributes |= {"name": model.name, "model": model}
        return cast("type[PageSpider]", type(cls.__name__, (cls,), attributes))

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Take over the model's settings, as far as they concern fetching and templates."""
        cls.model.update_settings(settings)
        isolate_settings(settings, saved=cls.task.saved is not None)

    async def start(self) -> AsyncIterator[Any]:
        """Request the page."""
        self.crawler.signals.connect(self._received, signals.response_received)
        self.crawler.signals.connect(self._idle, signals.spider_idle)
        self.crawler.signals.connect(self._search_begins, templex_signals.search_begins)
        self.crawler.signals.connect(self._search_ends, templex_signals.search_ends)
        self.task.progress("Fetching", self.task.name)
        yield Request(self.task.url, callback=self.parse, errback=self._failed, meta=dict(self.task.meta))

    async def parse(self, response: Response, **_: Any) -> AsyncIterator[Any]:
        """Yield the page as an item."""
        task = self.task
        # the rules of the crawl: what it would not learn from is no page here either
        if not isinstance(response, HtmlResponse) or not is_usable(response):
            task.problem = f"{_redirects(task, response.request)}: {_unusable(response)}"
            return
        if task.store is not None:
            try:
                task.stored = add_stored(context_of(self.crawler), task.store, site_of(response.url) or "")
            except StoreError as error:
                task.problem = str(error)
                return
        task.response = response
        yield {"url": response.url, "html": response.text}

    async def parse_other(self, response: Response) -> AsyncIterator[Any]:
        """Yield another page of the site as an item."""
        if isinstance(response, HtmlResponse):
            yield {"url": response.url, "html": response.text}

    def _failed(self, failure: Failure) -> None:
        request: Request = failure.request  # type: ignore[attr-defined]
        self.task.problem = f"{_redirects(self.task, request)}: {_failure(failure.value or Exception())}"

    def _received(self, response: Response) -> None:
        key = self.task.response
        if self._has_others or key is None or not isinstance(response, HtmlResponse) or response.status != 200:
            return
        # robots.txt and the pages of other sites that middlewares fetch are no linked pages
        if site_of(response.url) == site_of(key.url) and response.url != key.url:
            self.task.loaded.append(response.url)
            self.task.progress("Searching for the template", f"({len(self.task.loaded)} linked pages loaded)")

    def _idle(self) -> None:
        task = self.task
        # nothing is under way any more, so that the crawl has learnt what it can learn
        if task.response is None or task.error is not None:
            return
        try:
            task.progress("Comparing the pages")
            task.match = match_as_crawl(context_of(self.crawler), Page.from_response(task.response))
            # a page that was cut is not compared with anything
            others = self._others() if not task.match.fits and not task.match.page.is_cut else []
        except Exception as error:  # noqa: BLE001 - Scrapy would only log it; raised again after the crawl
            task.error = error
            return
        for url in others:
            request = Request(url, callback=self.parse_other, errback=lambda _: None, meta=dict(task.meta))
            self.crawler.engine.crawl(request)
        if others:
            raise DontCloseSpider

    def _others(self) -> list[str]:
        """List the other pages for a template that needs no links; none at the second time."""
        task, settings = self.task, context_of(self.crawler).settings
        if self._has_others or not settings.max_searches:
            return []
        # once: pages that have not helped the first time would be loaded without end
        self._has_others = True
        others = [*task.loaded, *(task.saved.neighbours if task.saved is not None else ())]
        return list(dict.fromkeys(others))[: settings.max_loads]

    def _search_begins(self) -> None:
        self.task.progress("Searching for the template", f"of {self.task.name}")

    def _search_ends(self, search: SubdigraphSearch, cut_short: bool) -> None:  # noqa: FBT001 - a signal gives no keyword-only argument
        self.task.search, self.task.was_cut_short = search, cut_short


def add_stored(context: CrawlContext, store: str, site: str) -> list[StoredTemplate]:
    """Add the stored templates of a site to those that a crawl knows, as if they came from the crawl's own store.

    Raises:
        StoreError: if the store cannot be read.
    """
    # strict: a store that is not there was named by the user, and would be made here
    with closing(open_store(store, strict=True)) as given:
        stored = given.load(site)
    with context.cleaner.sites.in_use(site) as known:
        known.learning.add_stored(one.template for one in stored)
    return stored


def match_as_crawl(context: CrawlContext, page: Page) -> Match:
    """Match a page with the templates that a crawl knows, as the crawl does it."""
    with context.cleaner.sites.in_use(site_of(page.url) or "") as site:
        return site.learning.match(page)


def run_task(process: AsyncCrawlerProcess, task: FetchTask, model: type[Spider] | None) -> None:
    """Crawl the page of a task; the task contains the result.

    Args:
        process: a crawler process that was not started.
        task: the task.
        model: a spider of the project whose settings and ways of fetching are used.

    Raises:
        UsageError: if a setting of the spider is wrong.
        UnusableError: if there is no usable page, or the crawl cannot be started.
    """
    try:
        crawl = process.crawl(PageSpider.of(task, model))
        # Ctrl-C is ours, see below
        process.start(install_signal_handlers=False)
        crawl.result()
    except TemplexSettingsError as error:
        raise UsageError(str(error), print_help=False) from error
    except Exception as error:
        raise UnusableError(f"the crawl cannot be started: {type(error).__name__}: {error}") from error
    if task.problem is not None:
        raise UnusableError(task.problem)
    if task.error is not None:
        raise task.error


@contextmanager
def interruptible(task: FetchTask) -> Iterator[None]:
    """Let Ctrl-C end the program at once; Scrapy would wait for downloads and name resolution."""

    def leave(*_: object) -> NoReturn:
        loaded = f"{len(task.loaded):,} linked pages loaded"
        tell(f"interrupted: {loaded if task.response is not None else 'the page is not loaded yet'}")
        os._exit(INTERRUPTED)

    signal.signal(signal.SIGINT, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _redirects(task: FetchTask, request: Request | None) -> str:
    """Name a page that was not fetched, with the address that it redirects to."""
    if task.saved is not None or request is None or "redirect_urls" not in request.meta:
        return task.name
    return f"{task.name} leads to {request.url}"


def _failure(error: BaseException) -> str:
    if isinstance(error, IgnoreRequest):
        return f"not fetched: {error}"
    if isinstance(error, OSError) and error.filename is not None:
        return f"not read: {error.strerror}"
    return f"not fetched: {printable(str(error)).rstrip('.') or type(error).__name__}"


def _unusable(response: Response) -> str:
    if response.status != 200:
        return f"answered with status {response.status}"
    if not isinstance(response, HtmlResponse):
        media_type = (response.headers.get("Content-Type") or b"").decode("latin-1").partition(";")[0].strip()
        return f"no HTML page, but {media_type or 'of unknown type'}"
    return "the page came incomplete" if response.body else "the page is empty"
