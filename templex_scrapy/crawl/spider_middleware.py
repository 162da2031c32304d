"""The spider middleware: holds the items of a response until a template of its site is known.

Requests pass at once. Items wait in the generator that yields them and nowhere else. A response whose generator is
still running keeps the spider open, so no item can be lost, and Scrapy's back-pressure limits how many wait.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any, Self

from scrapy import Request
from scrapy.exceptions import CloseSpider
from scrapy.http import HtmlResponse, Response

from templex_scrapy.crawl.callbacks import current_cleaner
from templex_scrapy.crawl.cleaner import Cleaner, cleaner_of
from templex_scrapy.crawl.items import takes_page
from templex_scrapy.crawl.response_state import ResponseState

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

MAX_HELD_ITEMS = 100
"""Items of one response that wait for a template; further ones wait in the callback."""


class TemplexSpiderMiddleware:
    """Holds items until their page can be cleaned, has the page cleaned, and leaves the result to the pipeline."""

    def __init__(self, cleaner: Cleaner) -> None:
        self._cleaner = cleaner

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Make the middleware of a crawl.

        Raises:
            NotConfigured: if ``TEMPLEX_ENABLED`` is False.
        """
        return cls(cleaner_of(crawler))

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Note the start requests: searches need not request what they will bring.

        Before them come the requests of pages that waited when an earlier run was killed.
        """
        for request in self._cleaner.held.recover():
            self._cleaner.downloads.note(request)
            yield request
        async for output in start:
            if isinstance(output, Request):
                self._cleaner.downloads.note(output)
            yield output

    def process_spider_input(self, response: Response) -> None:
        """Note the response for everything that is done on its behalf."""
        self._cleaner.begin(response)
        current_cleaner.set(self._cleaner)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Let requests pass at once, and items when their page is cleaned or nothing can be done for it."""
        if not isinstance(response, Response):
            async for output in result:
                yield output
            return
        state = self._cleaner.current.get()
        if state is None or state.response is not response:
            state = ResponseState(response, self._cleaner.held)
        broken_off = False
        try:
            async for output in self._hold(state, response, result):
                if output is not None and not isinstance(output, Request):
                    state.item_leaves()
                yield output
        except (GeneratorExit, asyncio.CancelledError):
            broken_off = True
            raise
        finally:
            state.end(broken_off=broken_off)

    async def _hold(self, state: ResponseState, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        held: list[Any] = []
        requests: dict[bytes, Request] = {}
        error: Exception | None = None
        page = None if state.switched_off or not isinstance(response, HtmlResponse) else response
        try:
            async for output in result:
                if isinstance(output, Request):
                    requests[self._cleaner.downloads.note(output)] = output
                    yield output
                elif page is None or not self._takes_page(output, page):
                    yield output
                else:
                    held.append(output)
                    if await self._is_settled(state, page, requests, len(held)):
                        page = None  # further items need not wait
                        while held:
                            yield held.pop(0)
        except Exception as raised:  # noqa: BLE001 - raised below, after the items that came before it
            error = raised
        if held and page is not None and not isinstance(error, CloseSpider):
            await self._learn_and_clean(state, page, requests)
        for item in held:
            yield item
        if error is not None:
            raise error

    def _takes_page(self, output: object, response: HtmlResponse) -> bool:
        return takes_page(
            output, response, self._cleaner.settings, lambda: self._cleaner.learner.page(response.text, response.url)
        )

    async def _is_settled(
        self, state: ResponseState, response: HtmlResponse, requests: dict[bytes, Request], items: int
    ) -> bool:
        """Whether a further item need not wait: known templates fit its page, or too many items wait already."""
        if items == 1 and await self._clean_if_known(state, response):
            return True
        if items < MAX_HELD_ITEMS:
            return False
        await self._learn_and_clean(state, response, requests)
        return True

    async def _clean_if_known(self, state: ResponseState, response: HtmlResponse) -> bool:
        """Clean the page if known templates fit it; whether there is nothing better to wait for."""
        try:
            is_clean = await self._cleaner.clean_if_known(state, response)
        except Exception as error:  # noqa: BLE001 - reported; the items come out as they are
            self._cleaner.errors.report(error, "matching", response)
            return True
        if not is_clean:
            state.hold()
        return is_clean

    async def _learn_and_clean(
        self, state: ResponseState, response: HtmlResponse, requests: dict[bytes, Request]
    ) -> None:
        """Clean the page, after a search for a template if need be."""
        try:
            await self._cleaner.clean(state, response, requests)
        except Exception as error:  # noqa: BLE001 - reported; the items come out as they are
            self._cleaner.errors.report(error, "the search for a template", response)
