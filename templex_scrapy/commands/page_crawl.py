"""Crawl a single page with the add-on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response, TextResponse

from templex_scrapy.commands.page_result import PageResult, stored_templates
from templex_scrapy.commands.project_crawl import ProjectSpider, why_failed, why_unusable
from templex_scrapy.commands.terminal import UnusableError
from templex_scrapy.crawl import context_of, is_html, is_usable
from templex_scrapy.crawl import signals as templex_signals
from templex_scrapy.figures import counted
from templex_scrapy.inspect import why_no_template
from templex_scrapy.page import Page, site_of
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.template import Match

if TYPE_CHECKING:
    from twisted.python.failure import Failure


class PageSpider(ProjectSpider):
    """Fetches a page and yields an item; if no template fits, it yields the pages that the search has loaded as well.

    If no pages link to each other, a crawl makes a template of pages of the same type. These requests cost no download.
    """

    url: str
    response: TextResponse | None = None  # if it is usable
    failure = "the crawl has failed; -L ERROR shows why"
    match: Match | None = None
    search: SubdigraphSearch | None = None
    _was_cut_short = False
    _has_others = False

    async def start(self) -> AsyncIterator[Any]:
        """Request the page."""
        self.loaded: list[str] = []  # linked pages
        self.crawler.signals.connect(self._received, signals.response_received)
        self.crawler.signals.connect(self._idle, signals.spider_idle)
        self.crawler.signals.connect(self._search_ends, templex_signals.search_ends)
        self.progress("Fetching", self.url)
        yield self.request(self.url, self.parse, errback=self._failed)

    async def parse(self, response: Response, **_: Any) -> AsyncIterator[Any]:
        """Yield the page as an item."""
        # a crawl would not learn from such a response
        if not is_usable(response):
            self.failure = why_unusable(response)
            return
        templates = stored_templates(self.store, response.url)
        context_of(self.crawler).cleaner.site(site_of(response.url) or "").learning.add_stored(templates)
        self.response = response
        yield {"url": response.url, "html": response.text}

    async def parse_other(self, response: Response) -> AsyncIterator[Any]:
        """Yield another page of the site as an item."""
        if is_html(response):
            yield {"url": response.url, "html": response.text}

    def _failed(self, failure: Failure) -> None:
        self.failure = why_failed(failure.value)

    def _received(self, response: Response) -> None:
        key = self.response
        if self._has_others or key is None or not is_html(response) or response.status != 200:
            return
        # middlewares fetch robots.txt and pages of other sites: these are no linked pages
        if site_of(response.url) == site_of(key.url) and response.url != key.url:
            self.loaded.append(response.url)
            self.progress("Searching for the template", f"({len(self.loaded)} linked pages loaded)")

    def _search_ends(self, search: SubdigraphSearch, cut_short: bool) -> None:  # noqa: FBT001 - a signal's argument
        self.search, self._was_cut_short = search, cut_short

    def _idle(self) -> None:
        # nothing is under way: the crawl will learn no more
        if self.response is None:
            return
        context = context_of(self.crawler)
        page = Page.from_response(self.response)
        self.match = context.cleaner.site(site_of(page.url) or "").learning.match(page)
        # once, or useless pages would be loaded without end; a page that was cut is compared with nothing
        if self.match.fits or self.match.page.is_cut or self._has_others or not context.settings.max_searches:
            return
        self._has_others = True
        for url in dict.fromkeys(self.loaded):
            self.crawler.engine.crawl(self.request(url, self.parse_other, errback=lambda _: None))
        if self.loaded:
            raise DontCloseSpider

    def result(self) -> PageResult:
        """Return the page compared with the templates.

        Raises:
            UnusableError: if there is no usable page.
        """
        if self.match is None or self.response is None:
            raise UnusableError(f"{self.url}: {self.failure}")
        links = len(self.search.candidates) if self.search is not None else 0
        compared = f"{len(self.loaded):,} of {counted(links, 'linked page')}" if links else "no other page loaded"
        if self.match.page.is_cut:
            why_not = "the page nests deeper than the parser goes"
        elif self.search is None:
            why_not = "no known template fits, and TEMPLEX_MAX_SEARCHES allows no search"
        else:
            why_not = f"{why_no_template(self.search, cut_short=self._was_cut_short)} ({compared})"
        return PageResult(self.match, why_not, compared, self.response.encoding)
