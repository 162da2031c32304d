"""The spider middleware: notes requests and responses, and has items wait (``crawl/waiting_items.py``)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.http import Response

from templex_scrapy.crawl.addon import Component
from templex_scrapy.crawl.waiting_items import hold_items


class TemplexSpiderMiddleware(Component):
    """Notes requests and responses, and lets items out when their page is cleaned; the pipeline writes into them."""

    async def process_start(self, start: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Pass on the start requests; the pages are the first of their sites.

        The requests that a killed run left come first.
        """
        for request in self._context.persisted.recover():
            self._context.cleaner.expect(request.url)
            yield request
        async for output in start:
            if isinstance(output, Request):
                self._context.cleaner.expect(output.url)
            yield output
        self._context.crawl.is_starting = False

    def process_spider_input(self, response: Response) -> None:
        """Note the response, for all work on its behalf."""
        self._context.begin(response)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        """Let requests pass at once, and items when their page is cleaned or nothing can be done for it."""
        state = self._context.state_of(response)
        broken_off = False
        try:
            async for output in hold_items(self._context, state, response, result):
                if output is not None and not isinstance(output, Request):
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
            self._context.callback_ended(state)
            state.end(broken_off=broken_off)

    def process_spider_exception(self, response: Response, exception: Exception) -> None:  # noqa: ARG002 - Scrapy's
        """Note that a callback is through that has raised before its first output, or was not called."""
        self._context.callback_ended(self._context.state_of(response))
