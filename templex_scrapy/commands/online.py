"""Fetching a page, and the candidates of its search, in a crawl of its own, as the project's spiders fetch theirs."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from os import _exit as leave_at_once
from typing import TYPE_CHECKING, Any, NoReturn, cast
from urllib.parse import urlsplit

from scrapy import Request, Spider
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response
from scrapy.http.request import NO_CALLBACK
from scrapy.signals import request_reached_downloader

from templex_scrapy.commands.files import FileFetcher, media_type
from templex_scrapy.commands.finding import Finding, Progress
from templex_scrapy.commands.saved import UnusableError
from templex_scrapy.commands.terminal import INTERRUPTED
from templex_scrapy.crawl.candidate_loader import _ACTS
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.shared_downloads import is_usable
from templex_scrapy.page import Page, site_of
from templex_scrapy.search import SubdigraphSearch

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess, Crawler
    from scrapy.settings import BaseSettings

GRACE = 2.0
"""Seconds that downloads and threads have to end after Ctrl-C."""

_FAILURES = {
    "CannotResolveHostError": "its host is not known, or there is no network",
    "DNSLookupError": "its host is not known, or there is no network",
    "ConnectError": "there is no connection to its host",
    "ConnectionRefusedError": "its host refuses the connection",
    "DownloadConnectionRefusedError": "its host refuses the connection",
    "DownloadTimeoutError": "its host does not answer in time",
    "NoRouteError": "there is no way to its host",
    "TCPTimedOutError": "its host does not answer in time",
    "TimeoutError": "its host does not answer in time",
}

# what a crawl of the project's writes, sends or shares with others is none of this one's
_NOT_OURS: Mapping[str, Any] = {
    "CLOSESPIDER_ERRORCOUNT": 0,
    "CLOSESPIDER_ITEMCOUNT": 0,
    "CLOSESPIDER_PAGECOUNT": 0,
    "CLOSESPIDER_PAGECOUNT_NO_ITEM": 0,
    "CLOSESPIDER_TIMEOUT": 0,
    "CLOSESPIDER_TIMEOUT_NO_ITEM": 0,
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "EXTENSIONS": {},
    "FEEDS": {},
    "FORCE_CRAWLER_PROCESS": False,
    "ITEM_PIPELINES": {},
    "JOBDIR": None,
    "SCHEDULER": "scrapy.core.scheduler.Scheduler",
    "SPIDER_MIDDLEWARES": {},
    "TELNETCONSOLE_ENABLED": False,
    "TEMPLEX_ENABLED": False,
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
}

_SPIDER_ATTRIBUTES = ("user_agent", "http_user", "http_pass", "http_auth_domain", "download_delay", "download_timeout")


def keep_to_itself(settings: BaseSettings) -> None:
    """Make a crawl write nothing of what the project's crawls write, and share no queue with them."""
    settings.setdict(dict(_NOT_OURS), priority="cmdline")


@dataclass(kw_only=True)
class Errand:
    """What a crawl is to do, and what has become of it.

    Attributes:
        url: the page.
        settings: the settings of the search.
        meta: ``Request.meta`` of all requests, such as ``{"playwright": True}``.
        with_files: whether style sheets and pictures of the page are fetched too, for its view.
        progress: told what is being done.
        on_interrupt: called at once on Ctrl-C; the program may not live to see the end of the crawl.
        finding: what was found, as far as it got.
        pages: pages of the site that the search has loaded.
        error: what went wrong, to be told to the user; None if nothing did.
        crash: an error that nobody expected.
        interrupted: whether Ctrl-C ended it.
    """

    url: str
    settings: TemplexSettings
    meta: Mapping[str, Any] = field(default_factory=dict)
    with_files: bool = False
    progress: Progress
    on_interrupt: Callable[[Errand], None]
    finding: Finding | None = None
    pages: list[Page] = field(default_factory=list)
    error: UnusableError | None = None
    crash: Exception | None = None
    interrupted: bool = False


class ErrandSpider(Spider):
    """Fetches one page and searches its template; yields nothing."""

    name = "templex"
    model: type[Spider] | None = None
    """A spider of the project whose settings and ways of fetching count."""

    errand: Errand

    @classmethod
    def like(cls, model: type[Spider] | None) -> type[ErrandSpider]:
        """The spider with the name, the settings and the ways of fetching of one of the project's."""
        if model is None:
            return cls
        own = {name: getattr(model, name) for name in _SPIDER_ATTRIBUTES if hasattr(model, name)}
        like = type(cls.__name__, (cls,), {**own, "name": model.name, "model": model})
        return cast("type[ErrandSpider]", like)

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Take over the model's settings."""
        if cls.model is not None:
            cls.model.update_settings(settings)

    async def start(self) -> AsyncIterator[Any]:
        """Do the errand instead of requesting anything."""
        run = _Run(self.crawler, self.errand)
        task = asyncio.ensure_future(run.run())
        with _Interrupts(task):
            try:
                await task
            except asyncio.CancelledError:
                self.errand.interrupted = True
                self.errand.on_interrupt(self.errand)
                _leave_soon()
            except UnusableError as error:
                self.errand.error = error
            except Exception as error:  # noqa: BLE001 - raised again once the crawl has been closed
                self.errand.crash = error
        return
        yield


class _Interrupts:
    """Lets Ctrl-C cancel a task, and a second one end the program at once."""

    def __init__(self, task: asyncio.Future[None]) -> None:
        self._task = task
        self._loop = asyncio.get_running_loop()

    def __enter__(self) -> None:
        signal.signal(signal.SIGINT, self._interrupt)

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    def _interrupt(self, *_: object) -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        self._loop.call_soon_threadsafe(self._task.cancel)


def _leave_soon() -> None:
    """End the program after Ctrl-C even if a download or a name look-up, which runs in a thread, does not."""

    def leave() -> NoReturn:
        leave_at_once(INTERRUPTED)

    timer = threading.Timer(GRACE, leave)
    timer.daemon = True
    timer.start()


class _Run:
    """One page, and its search: a few requests at a time through the crawl's engine."""

    def __init__(self, crawler: Crawler, errand: Errand) -> None:
        self._crawler = crawler
        self._errand = errand
        self._running: dict[asyncio.Future[Page | None], str] = {}

    async def run(self) -> None:
        """Fetch the page, search, and fetch what the view needs.

        Raises:
            UnusableError: if the page cannot be had.
        """
        try:
            await self._run()
        finally:
            for task in self._running:
                task.cancel()

    async def _run(self) -> None:
        errand = self._errand
        host = urlsplit(errand.url).netloc
        errand.progress(f"Fetching {errand.url}", f"Fetching from {host}", "Fetching")
        response = await self._key_response()
        errand.progress(f"Reading {response.url}", f"Reading from {host}", "Reading")
        key = Page.from_response(response)
        search = SubdigraphSearch(key, errand.settings.cs_size, errand.settings.max_loads)
        errand.finding = Finding(
            key=key, name=key.url, encoding=response.encoding, search=search, settings=errand.settings
        )
        await self._search(errand.finding)
        if errand.with_files:
            errand.progress("Fetching style sheets and pictures", "Fetching pictures")
            errand.finding.files = await FileFetcher(response, errand.meta, self._download).fetch(key)

    async def _key_response(self) -> HtmlResponse:
        request = Request(self._errand.url, callback=NO_CALLBACK, meta=dict(self._errand.meta))
        name = self._errand.url

        def follow(request: Request, **_: object) -> None:
            nonlocal name
            # a request for robots.txt has been redirected from nowhere
            if redirected := request.meta.get("redirect_urls"):
                name = f"{redirected[0]} leads to {request.url}"

        signals = self._crawler.signals
        signals.connect(follow, signal=request_reached_downloader, weak=False)
        try:
            response = await self._download(request)
        except IgnoreRequest as error:
            raise UnusableError(f"{name}: not fetched: {error}") from error
        except Exception as error:
            raise UnusableError(f"{name}: {_failure(error)}") from error
        finally:
            signals.disconnect(follow, signal=request_reached_downloader)
        if isinstance(response, HtmlResponse) and is_usable(response):
            return response
        raise UnusableError(f"{name}: {_unusable(response)}")

    async def _search(self, finding: Finding) -> None:
        search, loop = finding.search, asyncio.get_running_loop()
        # the candidates queue up in the downloader: what the site's delay makes them wait is not the site's slowness
        waiting = self._delay() * search.max_loads
        deadline = loop.time() + finding.settings.search_timeout + waiting
        while search.wanted() and loop.time() < deadline:
            self._start_loading(search)
            self._errand.progress(*state_of(finding))
            # in the order in which they were asked for, so that the same site gives the same template
            first = next(iter(self._running))
            await asyncio.wait([first], timeout=deadline - loop.time())
            if first.done():
                page = first.result()
                finding.loaded += page is not None
                search.add(self._running.pop(first), page)
                if page is not None and site_of(page.url) == site_of(search.key.url):
                    self._errand.pages.append(page)
        finding.timed_out = bool(search.wanted())

    def _start_loading(self, search: SubdigraphSearch) -> None:
        """Load as many candidates at a time as are sure to be needed."""
        missing = search.size - len(search.pages)
        loading = set(self._running.values())
        for url in search.wanted():
            if len(self._running) >= missing:
                return
            if url not in loading:
                self._running[asyncio.ensure_future(self._candidate(url))] = url

    async def _candidate(self, url: str) -> Page | None:
        if _ACTS.search(url):
            return None
        timeout = self._errand.settings.candidate_timeout
        meta = {"dont_retry": True, **self._errand.meta, "download_timeout": timeout}
        try:
            response = await self._download(Request(url, callback=NO_CALLBACK, meta=meta))
        except Exception:  # noqa: BLE001 - whatever a download raises, the search goes on without the page
            return None
        return Page.from_response(response) if is_usable(response) else None

    async def _download(self, request: Request) -> Response:
        return await self._crawler.engine.download_async(request)

    def _delay(self) -> float:
        slots = self._crawler.engine.downloader.slots.values()
        return max((slot.delay for slot in slots), default=0.0)


def state_of(finding: Finding) -> tuple[str, ...]:
    """How far a search has got, in a few words, and in fewer."""
    search = finding.search
    candidates = min(search.max_loads, len(search.candidates))
    candidate = f"Candidate {min(search.loads + 1, candidates):,} of {candidates:,}"
    found = f"{len(search.pages)} of {search.size} pages"
    return f"{candidate}, {found} that link each other", f"{candidate}, {found}", found


def _failure(error: Exception) -> str:
    name = type(error).__name__
    return f"not fetched: {_FAILURES.get(name, f'{name}: {error}'.rstrip(': '))}"


def _unusable(response: Response) -> str:
    if response.status != 200:
        return f"answered with status {response.status}"
    if not isinstance(response, HtmlResponse):
        return f"no HTML page, but {media_type(response) or 'of unknown type'}"
    return "the page came incomplete" if response.body else "the page is empty"


def run_errand(process: AsyncCrawlerProcess, errand: Errand, model: type[Spider] | None) -> None:
    """Run an errand to its end.

    Args:
        process: a crawler process that has not been started.
        errand: the errand; what became of it is written into it.
        model: a spider of the project to go by.

    Raises:
        UnusableError: if the crawl cannot be started.
    """
    task = process.crawl(ErrandSpider.like(model), errand=errand)
    try:
        process.start(install_signal_handlers=False)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if task.done() and not task.cancelled() and (error := task.exception()) is not None:
        raise UnusableError(f"the crawl cannot be started: {type(error).__name__}: {error}") from error
