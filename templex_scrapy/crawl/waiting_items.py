"""Items wait for the template of their page in the generator that yields them; requests pass at once.

Scrapy does not close a spider while such a generator runs, so that no item is lost, and it downloads no more if too
many responses wait. ``crawl/sites/site_worker.py`` decides how long a page waits.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request
from scrapy.exceptions import CloseSpider
from scrapy.http import Response, TextResponse

from templex_scrapy.crawl.context import CrawlContext
from templex_scrapy.crawl.downloads.page_memory import is_html
from templex_scrapy.crawl.item_page import ItemPage, PageKind
from templex_scrapy.crawl.ranked_requests import RankedRequests
from templex_scrapy.crawl.response_state import ResponseState
from templex_scrapy.learning import Patience
from templex_scrapy.page import is_too_large

MAX_WAITING_ITEMS = 100
"""Items of a response that wait for a template; further items wait in the callback."""


async def hold_items(
    context: CrawlContext, state: ResponseState, response: Response, result: AsyncIterator[Any]
) -> AsyncIterator[Any]:
    """Yield requests at once, and items when their page is cleaned or nothing can be done for it.

    An exception of the callback is raised after the items that came before it.
    """
    waiting: list[ItemPage] = []
    error: Exception | None = None
    # None: items need not wait
    page = response if is_html(response) and not state.switched_off else None
    is_lost = page is None
    links = RankedRequests(context, page, is_no_page=not is_html(response))
    try:
        async for output in result:
            if isinstance(output, Request):
                # before the page is cleaned: until a request is in a queue, it is lost if the process is killed
                await links.take(output)
                yield output
                continue
            if page is None or (item_page := _page_of(context, output, page)) is None:
                yield output
                continue
            waiting.append(item_page)
            state.persist_request()
            # a callback that yields 10,000 items of a price list would have all of them wait in memory
            if len(waiting) >= MAX_WAITING_ITEMS:
                await _clean(context, state, page, waiting, links, Patience.SEARCH)
                page = None
                while waiting:
                    yield waiting.pop(0).item
    except Exception as raised:  # noqa: BLE001 - raised below
        error = raised
    state.release_tree()
    if waiting and page is not None:
        # a search would hold up the end of the crawl that the callback has asked for
        is_closing = isinstance(error, CloseSpider)
        patience = Patience.NONE if is_closing else Patience.VOTERS if error is None else Patience.SEARCH
        await _clean(context, state, page, waiting, links, patience, is_through=True)
    await links.end()
    context.callback_ended(state, is_lost=is_lost)
    for item_page in waiting:
        yield item_page.item
    if error is not None:
        raise error


async def _clean(
    context: CrawlContext,
    state: ResponseState,
    page: TextResponse,
    waiting: list[ItemPage],
    links: RankedRequests,
    patience: Patience,
    *,
    is_through: bool = False,
) -> None:
    """Clean the page if an item needs it; the page waits for a search and for voters as far as ``patience`` allows."""
    await asyncio.sleep(0)  # the requests that were yielded reach the queue
    doing = "reading the items of"
    try:
        for item_page in waiting:
            if item_page.kind is not PageKind.PART:
                break
            # "<b>12 in stock</b>", which the callback has put together, is in no page and needs no template
            if not is_too_large(page.text) and await context.cleaner.contains(page, item_page.text):
                break
        else:
            return
        doing = "cleaning"
        addresses = await links.addresses() if is_through else None
        if is_through:
            context.callback_ended(state, is_lost=False)
        await context.clean(state, page, links.requests, patience, addresses)
    except Exception as error:  # noqa: BLE001 - reported; the items come out as they are
        context.errors.report(error, doing, page)


def _page_of(context: CrawlContext, item: object, response: TextResponse) -> ItemPage | None:
    """Return the page of an item that waits for the template; None if the item need not wait."""
    try:
        item_page = ItemPage.of(item, response, context.settings)
    except Exception as error:  # noqa: BLE001 - reported; the item comes out as it is
        context.errors.report(error, "reading", f"an item of type {type(item).__name__}")
        return None
    return None if item_page.kind is PageKind.NONE or item_page.obstacle else item_page
