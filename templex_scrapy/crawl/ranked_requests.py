"""The requests of a callback, in the order of the ranking: those that a site is learnt from come first.

When a key page is known, the spider's own requests for its ranked links get a higher priority. No request is added, and
none is lost; requests to which the project gives a priority of its own keep it.
"""

from __future__ import annotations

import math
from math import inf

from scrapy import Request
from scrapy.http import TextResponse

from templex_scrapy.crawl.context import CrawlContext
from templex_scrapy.learning import FIRST_SAMPLE
from templex_scrapy.page import canonical, is_too_large, site_of, weight
from templex_scrapy.search import rank_links


class RankedRequests:
    """The requests that a callback makes.

    Args:
        context: that of the crawl.
        page: the response of the callback; None if nothing is learnt from it.

    Attributes:
        requests: the requests, by fingerprint.
    """

    def __init__(self, context: CrawlContext, page: TextResponse | None) -> None:
        self.requests: dict[bytes, Request] = {}
        self._context = context
        self._page = page
        self._site = None if page is None else site_of(page.url)
        self._ranks: dict[str, int] | None = None
        self._addresses: dict[str, float] = {}
        self._has_ended = False

    @property
    def addresses(self) -> list[str]:
        """The addresses of the requested pages of the same site, in the order of the ranking."""
        return sorted(self._addresses, key=self._addresses.__getitem__)

    async def take(self, request: Request) -> Request:
        """Note a request and return it, with a higher priority if the site is learnt from its page."""
        raised = await self._raised(request) if self._page is not None and request.method == "GET" else request
        self.requests[self._context.downloads.note(raised)] = raised
        return raised

    async def _raised(self, request: Request) -> Request:
        context, page = self._context, self._page
        site = context.cleaner.sites.get(request.url)
        if page is None or site_of(request.url) != self._site or (site is not None and site.learning.is_settled):
            return request
        before = 1 if site is None else len(site.learning.plan)
        address = canonical(request.url) or request.url
        if self._ranks is None:
            # links behind so many others are no part of a sample
            is_near = before < 2 * FIRST_SAMPLE and not is_too_large(page.text)
            key = context.cleaner.page(page)
            ranked = await context.crawl.executor.do(weight(page.text), lambda: rank_links(key)) if is_near else []
            self._ranks = {url: rank for rank, url in enumerate(ranked)}
        rank = self._ranks.get(address, inf)
        self._addresses.setdefault(address, rank)
        # of the links that are ranked, the callback may request few: a place among all of them is theirs among these
        share = 1 - rank / len(self._ranks) if rank < inf else 0.0
        more = math.ceil((FIRST_SAMPLE - before) * share)
        # Scrapy lowers the priority by the depth of the page
        by_depth = context.crawl.crawler.settings.getint("DEPTH_PRIORITY") * request.meta.get("depth", 0)
        is_own = request.priority != -by_depth
        return request if more <= 0 or is_own else request.replace(priority=request.priority + more)

    def callback_ended(self) -> None:
        """Note that the callback is through, once."""
        if not self._has_ended and self._page is not None:
            self._has_ended = True
            self._context.callback_ended(self._page, is_lost=False)

    def end(self) -> None:
        """Note what the page has brought if no item takes it."""
        if self._page is not None:
            self._context.cleaner.answer(self._page.url, self.addresses)
        self.callback_ended()
