"""Cleaned pages in callbacks: ``page = await clean_page(response)``."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from scrapy.http import HtmlResponse, Response

from templex_scrapy.crawl.downloads.shared_downloads import is_switched_off
from templex_scrapy.render import CleanPage

if TYPE_CHECKING:
    from templex_scrapy.crawl.context import CrawlContext

current_context: ContextVar[CrawlContext | None] = ContextVar("templex_context", default=None)
"""The context of the crawl whose callback is running."""


async def clean_page(response: Response) -> CleanPage:
    """Clean the page of a response, in any callback of a crawl with the add-on.

    If no template of its site fits the page, a search is begun or waited for, as for items. Items of the same response
    use the same :class:`CleanPage`.

    Raises:
        RuntimeError: outside of callbacks, or if the add-on is not enabled.
        TypeError: if the response is not HTML.
    """
    context = current_context.get()
    if context is None:
        raise RuntimeError(
            'clean_page() works in callbacks of a crawl with ADDONS = {"templex_scrapy.Addon": 500}; elsewhere use'
            " Template.match(page).clean"
        )
    if not isinstance(response, HtmlResponse):
        raise TypeError(f"{response!r} is not an HtmlResponse")
    state = context.response_state
    if is_switched_off(response.request):
        return await context.learner.leave_unmatched(response.text, response.url)
    # a response that the callback has downloaded itself, with engine.download(), is cleaned without its state
    if state is None or state.response is not response:
        return await context.learner.clean(response, {}, wait=False)
    state.is_handed_out = True
    return await context.clean(state, response, {})
