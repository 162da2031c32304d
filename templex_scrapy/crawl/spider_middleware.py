"""The spider middleware: holds the items of a response until a template of its site is known.

Requests pass at once. Items wait in the generator that yields them and nowhere else: a response whose generator is
still running keeps the spider open, so that no item can be lost, and Scrapy's back-pressure bounds what waits.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Self

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.exceptions import CloseSpider, DontCloseSpider, NotConfigured
from scrapy.http import HtmlResponse, Response
from scrapy.utils.asyncio import is_asyncio_available

from templex_scrapy.crawl.errors import ErrorLog
from templex_scrapy.crawl.jobdir_recovery import HeldPage, HeldPages
from templex_scrapy.crawl.learner import Learner
from templex_scrapy.crawl.observer import Observer
from templex_scrapy.crawl.settings import TemplexSettings
from templex_scrapy.crawl.shared_downloads import is_switched_off
from templex_scrapy.crawl.stats import Stat, count
from templex_scrapy.crawl.watching import watch
from templex_scrapy.page import Page
from templex_scrapy.render import CleanPage

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

logger = logging.getLogger(__name__)


class Scrape:
    """One response on its way through the spider, as the pipeline needs to know it.

    Args:
        response: the response.
        held: where it is noted while its items wait, if it can be.

    Attributes:
        response: the response; None as soon as all of its items are through.
        url: its address.
        switched_off: whether its request switches the plug-in off.
        cleaned: its page after cleaning, if a template fits it.
    """

    def __init__(self, response: Response, held: HeldPage | None = None) -> None:
        self.response: Response | None = response
        self.url = response.url
        self.switched_off = is_switched_off(response.request)
        self.cleaned: CleanPage | None = None
        self._held = held
        self._items_under_way = 0
        self._ended = False

    @property
    def is_over(self) -> bool:
        """Whether all items are through: who still sees this object then has inherited it, for something else."""
        return self.response is None

    def items_are_held(self) -> None:
        """Items wait from now on."""
        if self._held is not None:
            self._held.is_held()

    def item_leaves(self) -> None:
        """An item is on its way to the pipelines."""
        self._items_under_way += 1

    def item_is_through(self) -> None:
        """An item has passed the pipelines, was dropped, or failed."""
        self._items_under_way -= 1
        self._release()

    def end(self) -> None:
        """No further items come."""
        self._ended = True
        self._release()

    def break_off(self) -> None:
        """Nobody asks for the items that have not come out: what is noted of the page stays for the next run."""
        if self._held is not None:
            self._held.is_broken_off()

    def _release(self) -> None:
        # contexts are inherited, some live long, and none should keep a page alive
        if self._ended and self._items_under_way <= 0:
            shed_tree(self.response)
            self.response = self.cleaned = None
            if self._held is not None:
                self._held.is_through()


class TemplexSpiderMiddleware:
    """Holds items until their page can be cleaned, has the page cleaned, and tells the pipeline.

    It belongs next to the engine, before ``HttpErrorMiddleware`` (50), so that the response is known of items that an
    errback makes of an HTTP error.

    Args:
        crawler: the crawl it belongs to.
        settings: the checked settings.
        observer: is told what happens; default: nobody is.

    Attributes:
        learner: the templates of the sites.
        observer: is told what happens.
    """

    def __init__(self, crawler: Crawler, settings: TemplexSettings, observer: Observer | None = None) -> None:
        self._crawler = crawler
        self._settings = settings
        self._errors = ErrorLog(crawler, logger)
        self._current: ContextVar[Scrape | None] = ContextVar("templex_scrape", default=None)
        self.observer = observer if observer is not None else Observer()
        self._held = HeldPages(crawler)
        self.learner = Learner(crawler, settings)
        self.learner.observer = self.observer

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl.

        Raises:
            NotConfigured: if ``TEMPLEX_ENABLED`` is False.
            TemplexSettingsError: if a setting is wrong.
            RuntimeError: if the crawl runs without asyncio.
        """
        settings = TemplexSettings.from_crawler_settings(crawler.settings)
        if not settings.enabled:
            raise NotConfigured
        if not is_asyncio_available():
            raise RuntimeError(
                "templex_scrapy needs asyncio: leave TWISTED_REACTOR at Scrapy's default, the AsyncioSelectorReactor"
            )
        middleware = cls(crawler, settings, watch(crawler, settings))
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(middleware.item_is_through, signal=signal)
        crawler.signals.connect(middleware.learner.close, signal=signals.spider_closed)
        crawler.signals.connect(middleware._held.close, signal=signals.spider_closed)
        crawler.signals.connect(middleware.ask_for_the_rest, signal=signals.spider_idle)
        return middleware

    @property
    def scrape(self) -> Scrape | None:
        """The response of the item that is being worked on; None if it comes from none."""
        scrape = self._current.get()
        return None if scrape is None or scrape.is_over else scrape

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Note the start requests: searches need not request what they will bring.

        First of all come those of pages that were held when an earlier run was killed.
        """
        self._held.read()
        self._held.ask_again(self._crawl)
        async for output in start:
            if isinstance(output, Request):
                self.learner.traffic.note(output)
            yield output
            self._held.ask_again(self._crawl)

    def _crawl(self, request: Request) -> None:
        self.learner.traffic.note(request)
        self._crawler.engine.crawl(request)

    def ask_for_the_rest(self) -> None:
        """When there is nothing else to do, ask for the pages that were held and have not come by themselves.

        Raises:
            DontCloseSpider: if there are any.
        """
        if self._held.ask_again(self._crawl, idle=True):
            raise DontCloseSpider

    def process_spider_input(self, response: Response) -> None:
        """Note the response for everything that is done on its behalf."""
        self._current.set(self._scrape_of(response))

    def item_is_through(self, response: object) -> None:
        """Note that an item needs its response no longer."""
        scrape = self._current.get()
        if scrape is not None and response is not None and scrape.response is response:
            scrape.item_is_through()

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Let requests pass at once, and items when their page is cleaned or nothing can be done for it."""
        if not isinstance(response, Response):
            async for output in result:
                yield output
            return
        scrape = self._current.get()
        if scrape is None or scrape.response is not response:
            scrape = self._scrape_of(response)
        try:
            async for output in self._hold(scrape, result):
                if output is not None and not isinstance(output, Request):
                    scrape.item_leaves()
                yield output
        except (GeneratorExit, asyncio.CancelledError):
            scrape.break_off()
            raise
        finally:
            scrape.end()

    def _scrape_of(self, response: Response) -> Scrape:
        request = response.request
        return Scrape(response, None if request is None else HeldPage(self._held, request))

    async def _hold(self, scrape: Scrape, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        held: list[Any] = []
        requests: dict[bytes, Request] = {}
        error: Exception | None = None
        settled = not _is_page(scrape)
        try:
            async for output in result:
                if isinstance(output, Request):
                    requests[self.learner.traffic.note(output)] = output
                if settled or isinstance(output, Request) or not self._carries_page(scrape, output):
                    yield output
                    continue
                held.append(output)
                scrape.items_are_held()
                settled = len(held) == 1 and await self._clean_if_known(scrape)
                if not settled and len(held) >= self._settings.held_items:
                    await self._learn_and_clean(scrape, requests)
                    settled = True
                while settled and held:
                    yield held.pop(0)
        except Exception as raised:  # noqa: BLE001 - raised below, after the items that came before it
            error = raised
        if held and not isinstance(error, CloseSpider):
            shed_tree(scrape.response)
            await self._learn_and_clean(scrape, requests)
        for item in held:
            yield item
        if error is not None:
            raise error

    def _carries_page(self, scrape: Scrape, item: object) -> bool:
        response = scrape.response
        value = ItemAdapter(item).get(self._settings.html_field) if ItemAdapter.is_item(item) else None
        if not isinstance(response, HtmlResponse) or not isinstance(value, (str, bytes)):
            return False
        is_response = value == (response.text if isinstance(value, str) else response.body)
        return is_response or Page(value, scrape.url).is_document

    async def _clean_if_known(self, scrape: Scrape) -> bool:
        """Clean the page if known templates fit it; whether there is nothing better to wait for."""
        response = scrape.response
        if not isinstance(response, HtmlResponse):
            return True
        final = not self.learner.may_learn(response.url)
        try:
            scrape.cleaned = await self.learner.clean_response(response, final=final)
        except Exception as error:  # noqa: BLE001 - reported; the items come out as they are
            self._errors.report(error, "matching", response)
            return True
        if scrape.cleaned is None and not final:
            return False
        count(self._crawler.stats, Stat.PAGES_UNFIT if scrape.cleaned is None else Stat.PAGES_MATCHED)
        self._tell(scrape)
        return True

    async def _learn_and_clean(self, scrape: Scrape, requests: dict[bytes, Request]) -> None:
        """Clean the page, after a search for a template if need be."""
        response = scrape.response
        if not isinstance(response, HtmlResponse):
            return
        try:
            scrape.cleaned = await self.learner.learn_and_clean(response, requests)
        except Exception as error:  # noqa: BLE001 - reported; the items come out as they are
            self._errors.report(error, "the search for a template", response)
        if scrape.cleaned is None:
            count(self._crawler.stats, Stat.PAGES_UNFIT)
        self._tell(scrape)

    def _tell(self, scrape: Scrape) -> None:
        if scrape.cleaned is None:
            self.observer.page_unfit(scrape.url)
        else:
            self.observer.page_cleaned(scrape.cleaned)


def shed_tree(response: Response | None) -> None:
    """Make a response whose callback has ended give up its tree; it comes back when it is asked for.

    The tree weighs ten times the page, many pages may wait for one search, and a response and its selector hold each
    other, so that nothing but the collector would free them.
    """
    if isinstance(response, HtmlResponse) and hasattr(response, "_cached_selector"):
        response._cached_selector = None  # noqa: SLF001 - Scrapy has no public way


def _is_page(scrape: Scrape) -> bool:
    """Whether a response is a page that could be cleaned at all."""
    response = scrape.response
    return (
        isinstance(response, HtmlResponse) and not scrape.switched_off and Page(response.text, response.url).is_document
    )
