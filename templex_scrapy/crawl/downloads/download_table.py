"""One table of all requests: which pages are still to come, which are being downloaded, and what came of the others.

Each request of the crawl passes :meth:`DownloadTable.join` on the way to the downloader. Spider and searches share the
downloads: a request of the spider receives the page that a search has downloaded, once; a request of a search receives
the page that the spider has downloaded or is downloading. The table has a :class:`Row` for each fingerprint.

=============  ======================================  ==============================================================
stage          from                                    until
=============  ======================================  ==============================================================
``AHEAD``      a callback yields a request, or the     a filter or a middleware drops it, or it reaches the downloader
               scheduler receives it                   or, if a middleware answers it, the callback
``UNDER_WAY``  then                                    the callback is through, or will not be called
=============  ======================================  ==============================================================

Of several requests for a page the first counts, since the duplicate filter drops the others. A request that the filter
does not see, such as a second try, replaces the first.
The table forgets the oldest of more than :data:`MAX_REMEMBERED` rows in a stage, and of as many other rows. A site does
not wait for a request that is forgotten. If that request comes later, the table no longer knows all requests, and every
site waits while the scheduler has any.
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Response
from scrapy.http.request import NO_CALLBACK

from templex_scrapy.crawl.downloads.page_memory import DownloadedPage, PageMemory, is_usable
from templex_scrapy.page import site_of

CANDIDATE_KEY = "templex_candidate"
"""The ``meta`` key that marks the requests of searches."""

SWITCH_KEY = "templex"
"""The ``meta`` key with which a request switches the plug-in off: ``meta={"templex": False}``."""

MAX_REMEMBERED = 10_000
"""Rows in a stage, and rows in none, that the table remembers: requests that are through push out none that waits."""

# meta keys that decide, next to headers and cookies, how a page is fetched
_FETCH_META = frozenset("proxy dont_merge_cookies bindaddress impersonate splash crawlera selenium".split())
_FETCH_META_PREFIXES = ("playwright", "zyte_api")
# answers that the spider's own request would receive as well; it must see, and may retry, all others itself
_HANDED_OVER = frozenset({200, 404, 410})
_MAX_REDIRECTS = 5


def is_candidate(request: Request) -> bool:
    """Return whether a request belongs to a search."""
    return CANDIDATE_KEY in request.meta


def is_switched_off(request: Request | None) -> bool:
    """Return whether a request switches the plug-in off."""
    return request is not None and request.meta.get(SWITCH_KEY) is False


@dataclass(eq=False, slots=True)
class Download:
    """A download under way."""

    is_search: bool
    options: tuple[Any, ...]  # headers, meta keys, and whether with cookies: fetched in another way, a page may differ
    done: asyncio.Event = field(default_factory=asyncio.Event)


Counted = Enum("Counted", ["AHEAD", "UNDER_WAY", "DOWNLOADING"])
"""What the table counts by site: the two stages of rows, and rows with a download of the spider."""


@dataclass(eq=False, slots=True)
class Row:
    """Everything that is known of the requests with one fingerprint."""

    key: bytes
    site: str
    request: Request | None = None  # of the spider; None if the spider is to receive no page, or has received it
    stage: Counted | None = None  # of this request
    is_made: bool = False  # whether the spider has made such a request
    download: Download | None = None  # that others may wait for
    moved_to: str | None = None  # the URL to which the page redirects
    has_failed: bool = False  # whether the last download has brought no usable page


class DownloadTable:
    """The requests of a crawl, and the pages that it has downloaded lately.

    Args:
        max_bytes: bytes of the pages.
        sends_cookies: whether a request would send cookies; the spider receives no page of a search then.
        may_be_scheduled: whether the engine lets a request of the spider pass to the scheduler.
        on_lost: is called with each request whose page the spider never receives, and with the address to which the
            request is redirected.

    Attributes:
        knows_all: whether all requests of the scheduler are in the table, as far as is known.
    """

    def __init__(
        self,
        fingerprint: Callable[[Request], bytes],
        max_bytes: int,
        *,
        sends_cookies: Callable[[Request], bool],
        may_be_scheduled: Callable[[Request], bool],
        on_lost: Callable[[Request, Sequence[str]], None],
    ) -> None:
        self.fingerprint = fingerprint
        self.sends_cookies = sends_cookies
        self.pages = PageMemory(max_bytes)
        self._may_be_scheduled, self._on_lost = may_be_scheduled, on_lost
        self.knows_all = True
        self._coming: OrderedDict[bytes, Row] = OrderedDict()  # the rows in a stage
        self._others: OrderedDict[bytes, Row] = OrderedDict()
        self._totals: Counter[tuple[str, Counted]] = Counter()  # by site

    def find(self, request: Request) -> Row:
        """Return the row of a request; an empty row if nothing is known."""
        key = self.fingerprint(request)
        return self._coming.get(key) or self._others.get(key) or Row(key, site_of(request.url) or "")

    def _move(self, row: Row, stage: Counted | None) -> None:
        """Change the stage of a row, which is the newest then."""
        for counted, by in ((row.stage, -1), (stage, 1)):
            if counted is not None:
                self._count(row, counted, by)
        row.stage, row.request = stage, row.request if stage else None
        for rows in (self._coming, self._others):
            rows.pop(row.key, None)
        rows = self._coming if stage else self._others
        rows[row.key] = row
        if len(rows) > MAX_REMEMBERED:
            oldest = rows.popitem(last=False)[1]
            if stage:
                self._move(oldest, None)

    def _count(self, row: Row, counted: Counted, by: int) -> None:
        self._totals[row.site, counted] += by
        if not self._totals[row.site, counted]:
            del self._totals[row.site, counted]

    def schedule(self, request: Request) -> bytes:
        """Note that a callback yields a request, or that the scheduler receives it; return the fingerprint."""
        row = self.find(request)
        # the duplicate filter drops most links of a page, but sees no request that is tried again
        if (request.dont_filter or not row.is_made) and self._may_be_scheduled(request):
            row.request, row.is_made = request, True
            self._move(row, Counted.AHEAD)
        return row.key

    def drop(self, request: Request, *, is_refused: bool = False) -> None:
        """Note that the scheduler has dropped a request of the spider, or that a downloader middleware refuses it."""
        row = self.find(request)
        if row.stage is Counted.AHEAD and (is_refused or row.request is request):
            self._end(row)

    def start(self, request: Request) -> None:
        """Note that a request of the spider reaches the downloader, or that the page reaches the callback."""
        row = self.find(request)
        if row.stage is Counted.AHEAD:
            self._move(row, Counted.UNDER_WAY)

    def end(self, request: Request, *, is_lost: bool = True, leads_to: Sequence[str] = ()) -> None:
        """Note that a callback is through; or, if it is lost, that it never receives a page for the request."""
        row = self.find(request)
        if row.stage is Counted.UNDER_WAY:
            self._end(row, is_lost=is_lost, leads_to=leads_to)

    def _end(self, row: Row, *, is_lost: bool = True, leads_to: Sequence[str] = ()) -> None:
        request = row.request
        self._move(row, None)
        if is_lost and request is not None:
            self._on_lost(request, leads_to)

    def has_ahead(self, site: str) -> bool:
        """Return whether requests for pages of a site may be scheduled."""
        return (site, Counted.AHEAD) in self._totals or not self.knows_all

    def is_downloading(self, site: str) -> bool:
        """Return whether the spider is downloading pages of a site."""
        return (site, Counted.DOWNLOADING) in self._totals

    def is_busy(self, site: str) -> bool:
        """Return whether the spider is downloading pages of a site, or callbacks have some."""
        return (site, Counted.UNDER_WAY) in self._totals or self.is_downloading(site)

    def resolve(self, request: Request) -> Request:
        """Return the request with the URL that it is known to redirect to, if it is."""
        for _ in range(_MAX_REDIRECTS):
            url = self.find(request).moved_to
            if url is None:
                break
            request = request.replace(url=url)
        return request

    async def join(self, request: Request) -> Response | None:
        """Return a response of the other side for a request; None if the request is to be downloaded.

        Must run in the task of the request's whole download, as downloader middlewares do.

        Raises:
            IgnoreRequest: if a search requests a page that the spider could not get.
        """
        row = self.find(request)
        # search and spider may come from different pages; which link led to a page does not change it
        headers = {name: values for name, values in request.headers.items() if name.lower() != b"referer"}
        meta = {
            key: value
            for key, value in request.meta.items()
            if key in _FETCH_META or str(key).startswith(_FETCH_META_PREFIXES)
        }
        download = Download(is_candidate(request), (headers, meta, self.sends_cookies(request)))
        self._move(row, row.stage)
        if not download.is_search:
            # a resumed crawl and a shared queue have requests of nobody here
            self.knows_all = self.knows_all and (row.is_made or request.callback is NO_CALLBACK)
            self.start(request)
        # if another middleware retries, redirects or raises, our process_response is not called; every task ends
        task = asyncio.current_task()
        if task is not None:
            task.add_done_callback(partial(self._task_ended, row, request, download))
        # the answer to a form belongs to the sender
        if request.method != "GET" or request.body:
            return None
        # neither side waits for the same side: two searches with common candidates could wait for each other for ever
        if download.is_search:
            page = await self._page_for_search(row)
        else:
            page = await self._page_for_spider(row, request, download)
        if page is not None:
            return page.response_to(request)
        if row.download is None:
            row.download = download
            self._count(row, Counted.DOWNLOADING, not download.is_search)
        return None

    async def _page_for_search(self, row: Row) -> DownloadedPage | None:
        """Return the page that the crawl has downloaded for a candidate, or the spider is downloading."""
        if row.download is not None and not row.download.is_search:
            await row.download.done.wait()
        page = self.pages.recall(row.key)
        if page is None and row.has_failed:
            raise IgnoreRequest("the spider has got no usable page there")
        return page

    async def _page_for_spider(self, row: Row, request: Request, download: Download) -> DownloadedPage | None:
        """Return the page that a search has downloaded, or is downloading, for a request of the spider."""
        *_, sends_cookies = download.options
        # with dont_filter a spider wants the page as it is now, such as a ticker that it requests every minute
        if request.dont_filter or sends_cookies:
            return None
        if row.download is not None and row.download.is_search and row.download.options == download.options:
            await row.download.done.wait()
        page = self.pages.recall(row.key)
        # a page that a browser has rendered for the search does not serve a spider without a browser
        return None if page is None or page.fetch_options != download.options else self.pages.release(row.key)

    def arrive(self, request: Request, response: Response) -> None:
        """End a download whose response is there, although the request is still under way."""
        row = self.find(request)
        if row.download is not None:
            self._end_download(row, row.download, request, response)

    def _task_ended(self, row: Row, request: Request, download: Download, task: asyncio.Task[Any]) -> None:
        result = None if task.cancelled() or task.exception() is not None else task.result()
        if row.download is download:
            row.has_failed |= result is None and not task.cancelled()
            self._end_download(row, download, request, result)
        # a response goes to a callback, which ends the request
        if not (download.is_search or isinstance(result, Response)):
            self.end(request, leads_to=[] if result is None else [result.url])

    def _end_download(self, row: Row, download: Download, request: Request, result: object) -> None:
        row.download = None
        self._count(row, Counted.DOWNLOADING, -(not download.is_search))
        if isinstance(result, Response):
            # of a page with status 503 the spider may want to try again itself
            row.has_failed = not (is_usable(result) or (download.is_search and result.status in _HANDED_OVER))
            if not row.has_failed:
                row.moved_to = None
                page = DownloadedPage.from_response(result, request, download.options)
                # the cookie middleware would put a candidate's cookies into the spider's jar
                is_for_spider = download.is_search and "Set-Cookie" not in result.headers
                self.pages.keep(row.key, page, reserved=is_for_spider)
        # a redirect from /old to /new is a new request, and a retry is the same request again
        elif isinstance(result, Request) and self.fingerprint(result) != row.key:
            row.moved_to = result.url
        download.done.set()
