"""The crawl of one page with the add-on, and the outputs that are made of the page."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Any, cast

from scrapy import Request, Spider, signals
from scrapy.exceptions import DontCloseSpider
from scrapy.http import Response, TextResponse

from templex_scrapy.archives import SavedSite
from templex_scrapy.commands.isolated_settings import isolate_settings
from templex_scrapy.commands.project_crawl import ProjectSpider, UnusableError, run_spider, why_failed, why_unusable
from templex_scrapy.commands.terminal import printable
from templex_scrapy.crawl import context_of, is_html, is_usable
from templex_scrapy.crawl import signals as templex_signals
from templex_scrapy.figures import counted, percent, share
from templex_scrapy.inspect import view, why_no_template
from templex_scrapy.page import Page, site_of
from templex_scrapy.render import OUTPUT_NAMES
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.stores import StoreError, open_store
from templex_scrapy.template import Match

if TYPE_CHECKING:
    from scrapy.crawler import AsyncCrawlerProcess
    from scrapy.settings import BaseSettings
    from twisted.python.failure import Failure

OUTPUTS = (*OUTPUT_NAMES, "json", "view")
"""What the command can print of a page: an attribute of :class:`CleanPage`, all of them, or the view."""

_IN_CHARSET_OF_PAGE = {"html", "content_document", "annotated_html", "template_html"}  # which the page may declare
_MOST_PAGES = 5  # of a template in the summary


class PageSpider(ProjectSpider):
    """Fetches a page and yields one item; if no template fits, it yields other pages of the site as well.

    A crawl makes a template of pages of one type if no pages link to each other. So the pages that the search has
    downloaded in vain (of saved pages: others in the folder) are given to the crawl as items. They cost no request.

    Attributes:
        url: the address of the page.
        meta: ``Request.meta`` of all requests.
        saved: the folder of a saved page; None for a page from the web.
        store: the store with the templates that the crawl may use; it is only read.
        response: the page as it came, if it is usable.
        failure: why there is no usable page.
        match: the page compared with the templates.
        search: the search for a template, if it has ended.
        loaded: addresses of the linked pages that were downloaded.
    """

    url: str
    meta: Mapping[str, Any]
    saved: SavedSite | None = None
    store: str | None = None
    response: TextResponse | None = None
    failure: Exception | None = None
    match: Match | None = None
    search: SubdigraphSearch | None = None
    _was_cut_short = False
    _has_others = False

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []

    @classmethod
    def isolate(cls, settings: BaseSettings) -> None:
        """Isolate the crawl; saved pages need nothing of the project's way of fetching."""
        isolate_settings(settings, saved=cls.saved is not None)

    async def start(self) -> AsyncIterator[Any]:
        """Request the page."""
        self.crawler.signals.connect(self._received, signals.response_received)
        self.crawler.signals.connect(self._idle, signals.spider_idle)
        self.crawler.signals.connect(self._search_ends, templex_signals.search_ends)
        self.progress("Fetching", self.url if self.saved is None else str(self.saved.key))
        yield Request(self.url, callback=self.parse, errback=self._failed, meta=dict(self.meta))

    async def parse(self, response: Response, **_: Any) -> AsyncIterator[Any]:
        """Yield the page as an item."""
        # a page that a crawl would not learn from is no page here either
        if not is_html(response) or not is_usable(response):
            self._fail(response.request, why_unusable(response))
            return
        if self.store is not None:
            site = site_of(response.url) or ""
            try:
                # strict: the user has named the store, which would be made here if it were missing
                with closing(open_store(self.store, strict=True)) as store:
                    context_of(self.crawler).add_stored(site, (one.template for one in store.load(site)))
            except StoreError as error:
                self.failure = error
                return
        self.response = response
        yield {"url": response.url, "html": response.text}

    async def parse_other(self, response: Response) -> AsyncIterator[Any]:
        """Yield another page of the site as an item."""
        if is_html(response):
            yield {"url": response.url, "html": response.text}

    def _failed(self, failure: Failure) -> None:
        self._fail(failure.request, why_failed(failure.value))  # type: ignore[attr-defined]

    def _fail(self, request: Request | None, why: str) -> None:
        is_redirect = self.saved is None and request is not None and "redirect_urls" in request.meta
        leads_to = f" leads to {request.url}" if request is not None and is_redirect else ""
        self.failure = UnusableError(f"{self.url if self.saved is None else self.saved.key}{leads_to}: {why}")

    def _received(self, response: Response) -> None:
        key = self.response
        if self._has_others or key is None or not is_html(response) or response.status != 200:
            return
        # robots.txt and the pages of other sites that middlewares fetch are no linked pages
        if site_of(response.url) == site_of(key.url) and response.url != key.url:
            self.loaded.append(response.url)
            self.progress("Searching for the template", f"({len(self.loaded)} linked pages loaded)")

    def _search_ends(self, search: SubdigraphSearch, cut_short: bool) -> None:  # noqa: FBT001 - a signal's argument
        self.search, self._was_cut_short = search, cut_short

    def _idle(self) -> None:
        # nothing is under way any more, so that the crawl has learnt what it can learn
        if self.response is None or self.failure is not None:
            return
        context = context_of(self.crawler)
        self.progress("Comparing the pages")
        self.match = context.match(Page.from_response(self.response))
        # once, or pages that have not helped would be loaded without end; a page that was cut is compared with nothing
        if self.match.fits or self.match.page.is_cut or self._has_others or not context.settings.max_searches:
            return
        self._has_others = True
        others = dict.fromkeys([*self.loaded, *(self.saved.neighbours if self.saved is not None else ())])
        for url in list(others)[: context.settings.max_loads]:
            request = Request(url, callback=self.parse_other, errback=lambda _: None, meta=dict(self.meta))
            self.crawler.engine.crawl(request)
        if others:
            raise DontCloseSpider

    @property
    def label(self) -> str:
        """The name of the page for people: the file, or the address."""
        return self.fitting.page.url if self.saved is None else str(self.saved.key)

    @property
    def fitting(self) -> Match:
        """The page compared with the templates.

        Raises:
            UnusableError: if there is no usable page.
            StoreError: if the store cannot be read.
        """
        if self.failure is not None or self.match is None:
            raise self.failure or UnusableError(f"{self.url}: the crawl was ended; -L ERROR shows why")
        return self.match

    def name_of(self, url: str) -> str:
        """Return the name of a page for people: its path in the folder, or its address."""
        return url if self.saved is None else self.saved.name_of(url)

    @property
    def why_not(self) -> str:
        """Why no template fits the page, in a few words."""
        if self.fitting.page.is_cut:
            return "the page nests deeper than the parser goes"
        if self.search is None:
            return "no known template fits, and TEMPLEX_MAX_SEARCHES allows no search"
        tried = f" ({len(self.loaded):,} of {counted(len(self.search.candidates), 'linked page')} loaded)"
        return why_no_template(self.search, cut_short=self._was_cut_short) + (tried if self.search.candidates else "")


def crawl_page(process: AsyncCrawlerProcess, spider: type[PageSpider]) -> PageSpider:
    """Crawl a page with a process that was not started; return the spider. Ctrl-C ends the program at once.

    Raises:
        UsageError: if a setting of the spider is wrong.
        UnusableError: if there is no usable page, or the crawl cannot be started.
        StoreError: if the store cannot be read.
    """

    def interrupted(spider: Spider | None) -> str:
        if not isinstance(spider, PageSpider) or spider.response is None:
            return "the page is not loaded yet"
        return f"{len(spider.loaded):,} linked pages loaded"

    crawled = cast("PageSpider", run_spider(process, spider, interrupted))
    _ = crawled.fitting
    return crawled


def output(spider: PageSpider, name: str) -> bytes:
    """Return an output of the page, one of :data:`OUTPUTS`."""
    match, clean = spider.fitting, spider.fitting.clean
    if name == "view":
        return view(match, called=spider.name_of).encode("utf-8")
    if name == "json":
        made: Any = {
            "url": clean.url,
            "template_url": clean.template_url,
            "template_pages": _template_pages(match),
            "reason": None if match.fits else spider.why_not,
            "coverage": clean.coverage,
            "words": {"before": clean.words[0], "after": clean.words[1]},
            "menu": list(clean.menu),
            **{attribute: getattr(clean, attribute) for attribute in OUTPUT_NAMES},
        }
    else:
        made = getattr(clean, name)
    if not isinstance(made, str):
        made = json.dumps(made, ensure_ascii=False, indent=2)
    if name in _IN_CHARSET_OF_PAGE and spider.response is not None:
        # HTML parsers read character references where the charset lacks a character
        return cast("str", made).encode(spider.response.encoding, "xmlcharrefreplace")
    return f"{made.rstrip()}\n".encode("utf-8", "replace")


def _template_pages(match: Match) -> list[str]:
    """Return the addresses of the other pages of the template."""
    template = match.template if match.fits else None
    urls = [] if template is None else [template.key_url, *template.page_urls]
    return [url for url in dict.fromkeys(urls) if url != match.page.url]


def summary(spider: PageSpider) -> str:
    """Describe the page and the template in a few lines."""
    rows = (f"  {label:<10}{printable(text)}\n" for label, text in _rows(spider))
    return f"{printable(spider.label)}\n{''.join(rows)}"


def _rows(spider: PageSpider) -> Iterator[tuple[str, str]]:
    match, clean, search = spider.fitting, spider.fitting.clean, spider.search
    if title := match.page.title:
        yield "title", title
    yield "template", f"{percent(len(match.nodes) / len(match.page))} of the page's nodes"
    pages = _template_pages(match)
    for number, url in enumerate(pages[:_MOST_PAGES]):
        yield "" if number else "pages", spider.name_of(url)
    if len(pages) > _MOST_PAGES:
        yield "", f"and {len(pages) - _MOST_PAGES:,} more"
    before, after = clean.words
    if clean.kept_whole:
        yield "words", f"{before:,}; nothing would be left, so the page is kept whole"
    else:
        yield "words", f"{before:,} before, {after:,} after ({share(before, after)} removed)"
    of = f" of {counted(len(search.candidates), 'linked page')}" if search is not None else " other pages"
    yield "loaded", f"{len(spider.loaded):,}{of}"
    yield "next", "--output text prints what is left; --output view shows what is removed, and why"
