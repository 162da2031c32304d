"""The :class:`CrawlContext` that the components of a crawl, callbacks and scrapy-poet's provider share."""

from __future__ import annotations

import logging
import threading
from contextvars import ContextVar
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.http import Response, TextResponse
from scrapy.http.request import NO_CALLBACK

from templex_scrapy.compiled import running
from templex_scrapy.crawl import signals as templex_signals
from templex_scrapy.crawl.downloads.candidate_loader import CandidateLoader
from templex_scrapy.crawl.downloads.candidate_requests import may_be_scheduled, sends_cookies
from templex_scrapy.crawl.downloads.download_table import DownloadTable, is_switched_off
from templex_scrapy.crawl.downloads.page_memory import is_html
from templex_scrapy.crawl.jobdir_recovery import PersistedRequests
from templex_scrapy.crawl.response_state import ResponseState
from templex_scrapy.crawl.running_crawl import RunningCrawl
from templex_scrapy.crawl.settings import TemplexSettingsError
from templex_scrapy.crawl.sites.page_cleaner import PageCleaner
from templex_scrapy.crawl.sites.template_persistence import TemplatePersistence
from templex_scrapy.crawl.stats import summary
from templex_scrapy.page import ParseCache, canonical
from templex_scrapy.render import CleanPage, load_dates
from templex_scrapy.stores import keeps_page_hashes, open_store

logger = logging.getLogger(__name__)

_context_of_callback: ContextVar[CrawlContext | None] = ContextVar("templex_context", default=None)


class CrawlContext:
    """Everything that the components of a crawl share.

    Attributes:
        persisted: the requests whose items wait, for the next run if this one is killed.
        persistence: the store of templates.
        current: the state of the response for which the current task works.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawl = RunningCrawl(crawler)
        self.settings = self.crawl.settings
        logger.info(running())
        if not {"date", "metadata"}.isdisjoint(self.settings.item_outputs.values()):
            # the first page with a date would stop the event loop for 2 s
            threading.Thread(target=load_dates, daemon=True).start()
        self.persisted = PersistedRequests(crawler)
        self.current: ContextVar[ResponseState | None] = ContextVar("templex_response", default=None)
        self._provided: WeakKeyDictionary[Request, CleanPage] = WeakKeyDictionary()
        fingerprint = crawler.request_fingerprinter.fingerprint
        is_poet = type(crawler.request_fingerprinter).__module__.startswith("scrapy_poet")
        self.downloads = DownloadTable(
            # requests that differ in their callback alone have the same page
            (lambda request: fingerprint(request.replace(callback=NO_CALLBACK))) if is_poet else fingerprint,
            self.settings.download_memory,
            sends_cookies=partial(sends_cookies, crawler),
            may_be_scheduled=partial(may_be_scheduled, crawler),
            # the cleaner is made below, before the first page comes
            on_lost=lambda request, urls: self.cleaner.answer(request.url, [canonical(url) or url for url in urls]),
        )
        store = open_store(self.settings.store, jobdir=crawler.settings["JOBDIR"])
        # a job directory belongs to a single crawl at a time; several crawls may use a store that a setting names
        is_shared = self.settings.store is not None
        is_temporary = not is_shared and not crawler.settings["JOBDIR"]
        if self.settings.skip_unchanged and (is_temporary or not keeps_page_hashes(store)):
            raise TemplexSettingsError(
                "TEMPLEX_SKIP_UNCHANGED needs TEMPLEX_STORE or JOBDIR; a store of yours needs the methods page_hash and"
                " save_page_hashes"
            )
        self.persistence = TemplatePersistence(self.crawl, store, is_shared=is_shared, is_temporary=is_temporary)
        self.loader = CandidateLoader(self.crawl, self.downloads, ParseCache(self.settings.parse_memory))
        self.cleaner = PageCleaner(self.crawl, self.loader, self.persistence)
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(self._item_is_through, signal=signal)
        crawler.signals.connect(self.downloads.schedule, signal=signals.request_scheduled)
        crawler.signals.connect(self.downloads.drop, signal=signals.request_dropped)
        crawler.signals.connect(self._close, signal=signals.spider_closed)

    def state_of(self, response: Response) -> ResponseState:
        """Return the state of a response whose callback yields outputs; another middleware may have replaced it."""
        state = self.current.get()
        if state is None or state.response is not response:
            return ResponseState(response, self.persisted, self.persistence)
        return state

    async def clean(self, state: ResponseState, response: TextResponse, **options: Any) -> CleanPage:
        """Clean the page of a response, once, as :meth:`PageCleaner.clean` does."""
        if state.clean is None:
            state.persist_request()
            state.clean = await self.cleaner.clean(response, **options)
            self.crawl.send(templex_signals.page_cleaned, clean=state.clean)
        return state.clean

    async def clean_in_callback(self, response: Response) -> CleanPage:
        """Clean the page of a response that a callback has received or downloaded, as :func:`clean_page` does."""
        page, state = _html(response), self.current.get()
        if is_switched_off(page.request):
            return await self.cleaner.leave_unmatched(page.text, page.url)
        # a response of engine.download() is cleaned without the state of the callback's own response
        if state is None or state.response is not page:
            return await self.cleaner.clean(page)
        state.is_handed_out = True
        return await self.clean(state, page)

    async def clean_in_download(self, request: Request, response: Response) -> CleanPage:
        """Clean the page of a response that has not reached the spider yet, as :func:`clean_page` does."""
        # a 404 of text/plain is Scrapy's to drop: an error here would be a download error with a traceback
        if not is_html(response) and not 200 <= response.status < 300:
            return await self.cleaner.leave_unmatched(getattr(response, "text", ""), response.url)
        page = _html(response)
        if is_switched_off(request):
            return await self.cleaner.leave_unmatched(page.text, page.url)
        # scrapy-poet calls this while the request counts as being downloaded: a search must not wait for the end
        self.downloads.arrive(request, response)
        with self.crawl.suspended():
            clean = await self.cleaner.clean(page.replace(request=request))
        self._provided[request] = clean
        self.crawl.send(templex_signals.page_cleaned, clean=clean)
        return clean

    def begin(self, response: Response) -> None:
        """Note the response for which the current task works from now on."""
        state = ResponseState(response, self.persisted, self.persistence)
        if response.request is not None:
            self.downloads.start(response.request)
            state.clean = self._provided.pop(response.request, None)
            # scrapy-poet has given it to the callback already
            state.is_handed_out = state.clean is not None
        self.current.set(state)
        _context_of_callback.set(self)

    def _item_is_through(self, response: object, signal: object) -> None:
        state = self.current.get()
        # an item of start() has no response, and an item of a callback's own task may see the state of another response
        if state is not None and response is not None and state.response is response:
            state.item_is_through(is_stored=signal is signals.item_scraped, has_failed=signal is signals.item_error)

    def callback_ended(self, state: ResponseState, *, is_lost: bool) -> None:
        """Note that the callback of a response has ended, for the table of downloads. The first call counts.

        ========================================================  ==================================  ================
        the callback                                              is told by                          the page is lost
        ========================================================  ==================================  ================
        is through, and items need the cleaned page               ``WaitingItems``, before cleaning   no
        is through, and no item needs the cleaned page            ``WaitingItems``, at the end        if it is no HTML
                                                                                                      or switched off
        was not called, or raised in place of returning           ``process_spider_exception``        yes
        was broken off, as the crawl was told to end              ``process_spider_output``           yes
        ========================================================  ==================================  ================
        """
        request = None if state.response is None else state.response.request
        if request is not None and state.is_in_callback:
            state.is_in_callback = False
            self.downloads.end(request, is_lost=is_lost)

    async def _close(self) -> None:
        self.persisted.close()
        await self.persistence.close()
        # where nothing was cleaned, as in a crawl of two pages, a selector that matches nothing may still be right
        for setting, selectors in (("PRESERVE", self.settings.preserve), ("REMOVE", self.settings.remove)):
            unmatched = ", ".join(map(repr, sorted(self.crawl.unmatched.intersection(selectors))))
            if self.crawl.has_removed and unmatched:
                logger.warning("TEMPLEX_%s: nothing on the cleaned pages matches %s", setting, unmatched)
        crawler = self.crawl.crawler
        for line in summary(crawler.stats.get_stats(), dry_run=self.settings.dry_run):
            logger.info(line, extra={"spider": crawler.spider})


async def clean_page(response: Response) -> CleanPage:
    """Clean the page of a response, in any callback of a crawl with the add-on.

    If no template of the site fits the page, a search is begun or waited for, as for items. Items of the same response
    use the same :class:`CleanPage`.

    Raises:
        RuntimeError: outside of callbacks, or if the add-on is not enabled.
        TypeError: if the response is not HTML.
    """
    context = _context_of_callback.get()
    if context is None:
        raise RuntimeError(
            'clean_page() works in callbacks of a crawl with ADDONS = {"templex_scrapy.Addon": 500}; elsewhere use'
            " Template.match(page).clean"
        )
    return await context.clean_in_callback(response)


def _html(response: Response) -> TextResponse:
    if not is_html(response):
        raise TypeError(f"{response!r} is not HTML")
    return response
