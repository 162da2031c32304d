"""The requests of a callback, in the order of the ranking: those that a site is learnt from come first.

When a key page is known, the spider's own requests for the ranked links get a higher priority. No request is added, and
no request is lost. Requests to which the project gives a priority keep it.
"""

from __future__ import annotations

import math

from scrapy import Request
from scrapy.http import TextResponse

from templex_scrapy.crawl.context import CrawlContext
from templex_scrapy.learning import FIRST_SAMPLE, SamplePlan
from templex_scrapy.page import is_too_large, site_of, weight
from templex_scrapy.search import rank_links


class RankedRequests:
    """The requests that a callback makes.

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
