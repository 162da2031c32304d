"""The spider middleware: items wait for a template in the generator that yields them; requests pass at once.

Scrapy does not close a spider while such a generator runs, so that no item is lost, and it downloads no more if too
many responses wait. How long a page waits, and for what, is decided in ``crawl/sites/page_cleaner.py``.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from scrapy import Request
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse, Response

from templex_scrapy.crawl.addon import Component
from templex_scrapy.crawl.item_fields import may_take_page, takes_page
from templex_scrapy.crawl.response_state import ResponseState

MAX_HELD_ITEMS = 100
"""Items of one response that wait for a template; further ones wait in the callback."""


class TemplexSpiderMiddleware(Component):
    """Notes requests and responses, and lets items out when their page is cleaned; the pipeline writes into them."""

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on the start requests and note them, so that searches need not request the same pages.

        The requests that a killed run left come first.
        """
        for request in self._context.persisted.recover():
            self._context.downloads.note(request)
            yield request
        async for output in start:
            if isinstance(output, Request):
                self._context.downloads.note(output)
            yield output

    def process_spider_input(self, response: Response) -> None:
        """Note the response for everything that is done on its behalf."""
        self._context.begin(response)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Let requests pass at once, and items when their page is cleaned or nothing can be done for it."""
        state = self._context.current.get()
        # another middleware may have replaced the response
        if state is None or state.response is not response:
            state = ResponseState(response, self._context.persisted)
        broken_off = False
        try:
            async for output in self._hold(state, response, result):
                if output is not None and not isinstance(output, Request):
                    state.item_leaves(output)
                yield output
        except (GeneratorExit, asyncio.CancelledError):
            # the process was asked to end: the next run must request the page again
            broken_off = True
            raise
        finally:
            state.end(broken_off=broken_off)

    async def _hold(self, state: ResponseState, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Yield requests at once, and items when their page is cleaned or nothing can be done for it.

        An exception of the callback is raised after the items that came before it.
        """
        waiting: list[Any] = []
        requests: dict[bytes, Request] = {}
        error: Exception | None = None
        # None: items need not wait
        page = None if state.switched_off or not isinstance(response, HtmlResponse) else response
        try:
            async for output in result:
                if isinstance(output, Request):
                    # before the page is parsed: until a request is in a queue, it is lost if the process is killed
                    requests[self._context.downloads.note(output)] = output
                    yield output
                    continue
                if page is None or not self._may_take_page(output):
                    yield output
                    continue
                waiting.append(output)
                state.persist_request()
                # a callback that yields 10,000 items of one price list would have all of them wait in memory
                if len(waiting) >= MAX_HELD_ITEMS:
                    await self._clean(state, page, waiting, requests, wait=False)
                    page = None
                    while waiting:
                        yield waiting.pop(0)
        except Exception as raised:  # noqa: BLE001 - raised below
            error = raised
        state.callback_is_through()
        if waiting and page is not None:
            # a search would hold up the end of the crawl that the callback has asked for
            is_closing = isinstance(error, CloseSpider)
            await self._clean(state, page, waiting, requests, wait=error is None, search=not is_closing)
        for item in waiting:
            yield item
        if error is not None:
            raise error

    async def _clean(
        self,
        state: ResponseState,
        page: HtmlResponse,
        items: list[Any],
        requests: dict[bytes, Request],
        *,
        wait: bool,
        search: bool = True,
    ) -> None:
        """Clean the page if some of its items take it; it waits for a search and for voters if that may be."""
        await asyncio.sleep(0)  # the requests that were yielded reach the queue
        doing, learner = "reading the items of", self._context.cleaner
        try:
            for item in items:
                if await takes_page(item, page, self._context.settings, partial(learner.contains, page)):
                    break
            else:
                return
            doing = "cleaning"
            await self._context.clean(state, page, requests, wait=wait, search=search)
        except Exception as error:  # noqa: BLE001 - reported; the items come out as they are
            self._context.errors.report(error, doing, page)

    def _may_take_page(self, output: object) -> bool:
        try:
            return may_take_page(output, self._context.settings)
        except Exception as error:  # noqa: BLE001 - reported; the item comes out as it is
            self._context.errors.report(error, "reading", f"an item of type {type(output).__name__}")
            return False
