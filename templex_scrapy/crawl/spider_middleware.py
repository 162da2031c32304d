"""The spider middleware: requests pass at once, and items wait for the template of their page.

They wait in the generator that yields them. Scrapy does not close a spider while such a generator runs, so that no item
is lost, and it downloads no more if too many responses wait. ``crawl/sites/site_worker.py`` decides how long a page
waits.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.exceptions import CloseSpider
from scrapy.http import Response, TextResponse

from templex_scrapy.crawl.addon import Component
from templex_scrapy.crawl.context import CrawlContext
from templex_scrapy.crawl.downloads.page_memory import is_html
from templex_scrapy.crawl.item_page import ItemPage, PageKind
from templex_scrapy.crawl.response_state import ResponseState
from templex_scrapy.learning import FIRST_SAMPLE, Patience, SamplePlan
from templex_scrapy.page import is_too_large, site_of, weight
from templex_scrapy.search import rank_links

MAX_WAITING_ITEMS = 100
"""Items of a response that wait for a template; further items wait in the callback."""


class TemplexSpiderMiddleware(Component):
    """Notes requests and responses, and lets items out when their page is cleaned; the pipeline writes into them."""

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on the requests that a killed run left, and the start requests: the first pages of their sites."""
        for request in self._context.persisted.recover():
            self._context.cleaner.expect(request.url)
            yield request
        async for output in start:
            if isinstance(output, Request):
                self._context.cleaner.expect(output.url)
            yield output
        self._context.crawl.is_starting = False

    def process_spider_input(self, response: Response) -> None:
        """Note the response, for all work for it."""
        self._context.begin(response)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Let requests pass at once, and items when their page is cleaned or nothing can be done for it."""
        state = self._context.state_of(response)
        broken_off = False
        try:
            async for output in WaitingItems(self._context, state, response).pass_on(result):
                if not isinstance(output, Request):
                    state.item_leaves(output)
                yield output
        except (GeneratorExit, asyncio.CancelledError):
            # the process was asked to end: the next run must request the page again
            broken_off = True
            raise
        except Exception:
            state.has_failed = True
            raise
        finally:
            self._context.callback_ended(state, is_lost=True)
            state.end(broken_off=broken_off)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:  # noqa: ARG002 - Scrapy's
        """Note that a callback was not called, or has raised in place of returning."""
        self._context.callback_ended(self._context.state_of(response), is_lost=True)


class WaitingItems:
    """The items of a response that wait until the page of the response is cleaned."""

    def __init__(self, context: CrawlContext, state: ResponseState, response: Response) -> None:
        self._context, self._state = context, state
        # None: items need not wait
        self._page = response if is_html(response) and not state.switched_off else None
        self._links = RankedRequests(context, self._page, is_no_page=not is_html(response))
        self._waiting: list[ItemPage] = []

    async def pass_on(self, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield requests at once, and items when their page is cleaned or nothing can be done for it.

        An exception of the callback is raised after the items that came before it.
        """
        is_lost, error = self._page is None, None
        try:
            async for output in result:
                if isinstance(output, Request):
                    # before the page is cleaned: until a request is in a queue, it is lost if the process is killed
                    await self._links.take(output)
                elif self._waits(output):
                    # a callback that yields 10,000 items of a price list would have all of them wait in memory
                    if len(self._waiting) >= MAX_WAITING_ITEMS:
                        await self._clean(Patience.SEARCH)
                        self._page = None
                        while self._waiting:
                            yield self._waiting.pop(0).item
                    continue
                if output is not None:
                    yield output
        except Exception as raised:  # noqa: BLE001 - raised below
            error = raised
        self._state.release_tree()
        # a search would hold up the end of the crawl that the callback has asked for
        is_closing = isinstance(error, CloseSpider)
        patience = Patience.NONE if is_closing else Patience.VOTERS if error is None else Patience.SEARCH
        await self._clean(patience, is_through=True)
        await self._links.end()
        self._context.callback_ended(self._state, is_lost=is_lost)
        for item_page in self._waiting:
            yield item_page.item
        if error is not None:
            raise error

    def _waits(self, item: object) -> bool:
        """Let an item wait, if it has a page that is to be cleaned."""
        if self._page is None:
            return False
        try:
            item_page = ItemPage.of(item, self._page, self._context.settings)
        except Exception as error:  # noqa: BLE001 - reported; the item comes out as it is
            self._context.crawl.report(error, "reading", f"an item of type {type(item).__name__}")
            return False
        if item_page.kind is PageKind.NONE or item_page.obstacle:
            return False
        self._waiting.append(item_page)
        self._state.persist_request()
        return True

    async def _clean(self, patience: Patience, *, is_through: bool = False) -> None:
        """Clean the page if an item needs it; it waits for a search and for voters as far as ``patience`` allows."""
        page, doing = self._page, "reading the items of"
        if page is None or not self._waiting:
            return
        await asyncio.sleep(0)  # the requests that were yielded reach the queue
        try:
            for item in self._waiting:
                # "<b>12 in stock</b>", which the callback has put together, is in no page and needs no template
                if item.kind is not PageKind.PART or (
                    not is_too_large(page.text) and await self._context.cleaner.contains(page, item.text)
                ):
                    break
            else:
                return
            doing, links = "cleaning", None
            if is_through:
                links = await self._links.addresses()
                self._context.callback_ended(self._state, is_lost=False)
            requests = self._links.requests
            await self._context.clean(self._state, page, patience=patience, requests=requests, links=links)
        except Exception as error:  # noqa: BLE001 - reported; the items come out as they are
            self._context.crawl.report(error, doing, page)


class RankedRequests:
    """The requests that a callback makes, in the order of the ranking: those that a site is learnt from come first.

    When a key page is known, the spider's own requests for the ranked links get a higher priority. No request is added,
    and no request is lost. Requests to which the project gives a priority keep it.
    ``page`` is the response; None if nothing is learnt from it. With ``is_no_page`` it is no HTML, such as a sitemap.
    """

    def __init__(self, context: CrawlContext, page: TextResponse | None, *, is_no_page: bool = False) -> None:
        self.requests: dict[bytes, Request] = {}  # by fingerprint
        self._context = context
        self._page = page
        self._is_no_page = is_no_page
        self._site = None if page is None else site_of(page.url)
        self._plan: SamplePlan | None = None  # of the site, unless the site is learnt
        if self._site is not None:
            learning = context.cleaner.site(self._site).learning
            self._plan = None if learning.is_settled else learning.plan
        self._ranks: dict[str, int] | None = None
        self._addresses: dict[str, None] = {}

    async def take(self, request: Request) -> None:
        """Note a request; raise the priority if the site is learnt from the requested page."""
        plan, is_get = self._plan, request.method == "GET"
        try:
            if is_get and self._is_no_page:
                # the pages of a sitemap, or of an answer in JSON, are as first as those of start URLs
                self._context.cleaner.expect(request.url)
            elif is_get and plan is not None and not plan.is_complete and site_of(request.url) == self._site:
                address = plan.address_of(request.url)
                self._addresses[address] = None
                # Scrapy lowers the priority by the depth of the page
                by_depth = self._context.crawl.crawler.settings.getint("DEPTH_PRIORITY") * request.meta.get("depth", 0)
                # an address with a place in the plan is requested already
                if len(plan) < FIRST_SAMPLE and plan.position(address) == math.inf and request.priority == -by_depth:
                    ranks = await self._ranked()
                    # of the ranked links the callback may request few: a place among all is theirs among these
                    share = 1 - ranks[address] / len(ranks) if address in ranks else 0.0
                    request.priority += math.ceil((FIRST_SAMPLE - len(plan)) * share)
        except Exception as error:  # noqa: BLE001 - reported; the request goes as it is
            self._context.crawl.report(error, "ranking the links of", self._page or request)
        self.requests[self._context.downloads.schedule(request)] = request

    async def _ranked(self) -> dict[str, int]:
        if self._ranks is None and self._page is not None:
            text, self._ranks = self._page.text, {}
            if not is_too_large(text):
                key = self._context.cleaner.page(self._page)
                ranked = await self._context.crawl.executor.do(weight(text), lambda: rank_links(key))
                self._ranks = {url: rank for rank, url in enumerate(ranked)}
        return self._ranks or {}

    async def addresses(self) -> list[str]:
        """Return the addresses of the requested pages of the same site, in the order of the ranking."""
        plan = self._plan
        new = [] if plan is None else [address for address in self._addresses if plan.position(address) == math.inf]
        # the order of pages that are planned already does not matter, nor does that of pages behind so many others
        if plan is None or plan.is_complete or len(new) < 2 or len(plan) > 2 * FIRST_SAMPLE:
            return list(self._addresses)
        ranks = await self._ranked()
        return sorted(self._addresses, key=lambda address: ranks.get(address, math.inf))

    async def end(self) -> None:
        """Note the answer of the page if no item takes it."""
        try:
            if self._page is not None and self._plan is not None:
                self._context.cleaner.answer(self._page.url, await self.addresses())
        except Exception as error:  # noqa: BLE001 - reported; the items come out
            self._context.crawl.report(error, "ranking the links of", self._page)
