"""The pages that a crawl is downloading or has downloaded, so that spider and searches share each download.

Both ask for the same pages at the same time: a key page's links go to the scheduler while the search wants them as
candidates. Here each of them sees what the other has in flight or has brought in.
"""

from __future__ import annotations

import asyncio
import zlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Self

from scrapy import Request
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse, Response, TextResponse

from templex_scrapy.page import Page, ParseCache, site_of

CANDIDATE_KEY = "templex_candidate"
"""The ``meta`` key that marks the requests of searches."""

SWITCH_KEY = "templex"
"""The ``meta`` key with which a request switches the plug-in off: ``meta={"templex": False}``."""

# what decides, next to the headers, in which way a page is fetched
_WAYS = (
    "proxy",
    "cookiejar",
    "dont_merge_cookies",
    "bindaddress",
    "impersonate",
    "splash",
    "crawlera",
    "selenium",
)
_WAY_PREFIXES = ("playwright", "zyte_api")
# what a response object takes besides its body: headers, flags, the object itself
_OVERHEAD = 2_000
# bytes from which a body is compressed; HTML shrinks to about a fifth, in a fraction of the time that parsing takes
_PACKED_FROM = 16_000
# answers that will be the same for the spider's own request; anything else it has to see, and retry, itself
_HANDED_OVER = frozenset({200, 404, 410})
_MAX_REMEMBERED = 10_000
_MAX_HOPS = 5


def is_candidate(request: Request) -> bool:
    """Whether a request is one of a search."""
    return CANDIDATE_KEY in request.meta


def is_switched_off(request: Request | None) -> bool:
    """Whether a request switches the plug-in off."""
    return request is not None and request.meta.get(SWITCH_KEY) is False


def is_usable(response: object) -> bool:
    """Whether a response may serve as a key page or a candidate: a complete HTML page that was found.

    Scrapy's flag ``partial`` says no more than that the server did not tell the length.
    """
    return (
        isinstance(response, HtmlResponse)
        and response.status == 200
        and bool(response.body)
        and not {"dataloss", "download_stopped"} & set(response.flags)
    )


def _way(request: Request) -> tuple[Any, ...]:
    """How a request is fetched, for comparison: a page may look different when it is fetched in another way."""
    headers = {name: values for name, values in request.headers.items() if name.lower() != b"referer"}
    ways = {key: value for key, value in request.meta.items() if key in _WAYS or str(key).startswith(_WAY_PREFIXES)}
    return (headers, request.cookies or {}, ways)


@dataclass(frozen=True, kw_only=True)
class LoadedPage:
    """A response as it is kept: without request, without tree, and with its body compressed if it is long.

    Attributes:
        shell: the response without its request, and without its body if that is packed.
        packed: the compressed body; empty if the shell has it.
        is_direct: whether its URL is the one that was asked for.
        aliases: the other URLs under which it was asked for.
        way: how it was fetched.
        latency: seconds that the download took; None if unknown.
    """

    shell: Response
    packed: bytes
    is_direct: bool
    aliases: tuple[str, ...]
    way: tuple[Any, ...]
    latency: float | None

    @classmethod
    def of(cls, response: Response, request: Request, way: tuple[Any, ...]) -> Self:
        """Keep the response to a request."""
        packed = zlib.compress(response.body, level=1) if len(response.body) >= _PACKED_FROM else b""
        asked = [*request.meta.get("redirect_urls", ()), request.url]
        return cls(
            shell=response.replace(request=None, body=b"" if packed else response.body),
            packed=packed,
            is_direct=response.url.partition("#")[0] == request.url.partition("#")[0],
            aliases=tuple(url for url in dict.fromkeys(asked) if url != response.url),
            way=way,
            latency=request.meta.get("download_latency"),
        )

    @property
    def response(self) -> Response:
        """The response, without its request."""
        # a new one each time: what is read off a response, such as its text, stays with it
        return self.shell.replace(body=zlib.decompress(self.packed) if self.packed else self.shell.body)

    @property
    def size(self) -> int:
        """Bytes that it takes, roughly."""
        return len(self.packed) + len(self.shell.body) + _OVERHEAD

    def page(self, site: str, parse_cache: ParseCache | None = None) -> Page | None:
        """The page, if it is usable, whole and belongs to the site; it is given the parse_cache of others."""
        response = self.response
        if not is_usable(response) or site_of(response.url) != site or not isinstance(response, TextResponse):
            return None
        page = Page(response.text, response.url, aliases=self.aliases, parse_cache=parse_cache)
        return page if page.is_document else None


@dataclass(eq=False, kw_only=True)
class _Flight:
    """A download under way."""

    candidate: bool
    way: tuple[Any, ...]
    site: str | None
    landed: asyncio.Event = field(default_factory=asyncio.Event)


class Arrivals(asyncio.Event):
    """Set whenever a page of a site comes in.

    Attributes:
        count: pages that have come in.
    """

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def set(self) -> None:
        """Note a page."""
        self.count += 1
        super().set()


class PageMemory:
    """Downloaded pages by fingerprint, bounded in bytes; of failed ones the fact only.

    Pages that a search has requested and the spider may still ask for are the last to go.

    Args:
        max_bytes: bound of the pages' sizes together.

    Attributes:
        bytes: their sizes together.
        most_bytes: the most that these have been, for a moment above the bound.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.bytes = 0
        self.most_bytes = 0
        self._pages: OrderedDict[bytes, LoadedPage] = OrderedDict()
        self._reserved: OrderedDict[bytes, LoadedPage] = OrderedDict()
        self._failed: OrderedDict[bytes, Any] = OrderedDict()

    def keep(self, fingerprint: bytes, loaded: LoadedPage, *, reserved: bool) -> None:
        """Keep a page; reserved ones wait for the spider."""
        self.drop(fingerprint)
        self._failed.pop(fingerprint, None)
        (self._reserved if reserved else self._pages)[fingerprint] = loaded
        self.bytes += loaded.size
        self.most_bytes = max(self.most_bytes, self.bytes)
        while self.bytes > self.max_bytes and (self._pages or self._reserved):
            _, oldest = (self._pages or self._reserved).popitem(last=False)
            self.bytes -= oldest.size

    def keep_failure(self, fingerprint: bytes) -> None:
        """Remember that there is no usable page."""
        _remember(self._failed, fingerprint)

    def drop(self, fingerprint: bytes) -> None:
        """Forget a page."""
        for pages in (self._pages, self._reserved):
            if (dropped := pages.pop(fingerprint, None)) is not None:
                self.bytes -= dropped.size

    def has_failed(self, fingerprint: bytes) -> bool:
        """Whether it is known that there is no usable page."""
        return fingerprint in self._failed

    def recall(self, fingerprint: bytes) -> LoadedPage | None:
        """A page that is kept, to be read."""
        return self._pages.get(fingerprint) or self._reserved.get(fingerprint)

    def release(self, fingerprint: bytes) -> LoadedPage | None:
        """A reserved page, to be handed to the spider; from then on it is a page like the others."""
        loaded = self._reserved.pop(fingerprint, None)
        if loaded is not None:
            self._pages[fingerprint] = loaded
        return loaded


class SharedDownloads:
    """Who downloads what: each request of the crawl passes :meth:`join` on its way to the downloader.

    Args:
        fingerprint: the crawl's request fingerprinter.
        max_bytes: bound of the page memory.
        reading_bytes: bound of the parse_cache.

    Attributes:
        memory: the pages.
        parse_cache: what was read off them lately.
    """

    def __init__(self, fingerprint: Callable[[Request], bytes], max_bytes: int, reading_bytes: int = 0) -> None:
        self.fingerprint = fingerprint
        self.memory = PageMemory(max_bytes)
        self.parse_cache = ParseCache(reading_bytes)
        self._flights: dict[bytes, _Flight] = {}
        self._keeps_fragments = False
        self._moved: OrderedDict[bytes, Any] = OrderedDict()
        self._requested: OrderedDict[bytes, Any] = OrderedDict()
        self._expected: OrderedDict[bytes, Any] = OrderedDict()
        self._arrivals: dict[str, Arrivals] = {}

    def watch(self, site: str) -> Arrivals:
        """The pages of a site that come in until :meth:`unwatch`."""
        return self._arrivals.setdefault(site, Arrivals())

    def unwatch(self, site: str) -> None:
        """End :meth:`watch`."""
        self._arrivals.pop(site, None)

    def note(self, request: Request) -> bytes:
        """Note a request of the spider on its way to the scheduler; returns its fingerprint."""
        fingerprint = self.fingerprint(request)
        _remember(self._requested, fingerprint)
        if request.dont_filter:
            _remember(self._expected, fingerprint)
        return fingerprint

    def is_requested(self, request: Request) -> bool:
        """Whether the spider has made the same request."""
        return self.fingerprint(request) in self._requested

    def is_expected(self, request: Request) -> bool:
        """Whether the spider is going to download the page in any case, as it does with its start URLs."""
        return self.fingerprint(request) in self._expected

    def resolve(self, request: Request) -> Request:
        """The request with the URL that it is known to redirect to, if it is."""
        for _ in range(_MAX_HOPS):
            moved = self._moved.get(self.fingerprint(request))
            if moved is None:
                break
            request = request.replace(url=moved)
        return request

    def flight(self, request: Request) -> asyncio.Event | None:
        """The event that is set when the page, which is being downloaded, has come in or failed; None if it is not."""
        flight = self._flights.get(self.fingerprint(request))
        return None if flight is None else flight.landed

    def is_bringing(self, site: str) -> bool:
        """Whether the spider is downloading pages of a site."""
        return any(flight.site == site and not flight.candidate for flight in self._flights.values())

    async def join(self, request: Request) -> Response | None:
        """Let a request share a download of the other side, or watch its own.

        A request of the spider gets the page that a search has requested, once, or waits for it; a request of a search
        gets what the spider has brought in or is downloading.

        To be called in the task that runs all of the request's download, as downloader middlewares are.

        Returns:
            A response of the other side for this request; None if the request is to be downloaded.

        Raises:
            IgnoreRequest: if the request is one of a search, and the spider got no usable page there.
        """
        if request.method != "GET" or request.body:
            return None
        fingerprint, candidate, way = self.fingerprint(request), is_candidate(request), _way(request)
        shares = candidate or not request.dont_filter
        if not candidate:
            self._expected.pop(fingerprint, None)
        flight = self._flights.get(fingerprint)
        # searches wait for the spider and the spider for searches, never one for its own kind: no circle can close
        if shares and flight is not None and flight.candidate != candidate and (candidate or flight.way == way):
            await flight.landed.wait()
        shared = self._shared(fingerprint, way, candidate=candidate) if shares else None
        if shared is not None:
            return self._for_request(shared, request)
        if candidate and self.memory.has_failed(fingerprint):
            raise IgnoreRequest("the spider has got no usable page there")
        self._take_off(fingerprint, request, _Flight(candidate=candidate, way=way, site=site_of(request.url)))
        return None

    def _shared(self, fingerprint: bytes, way: tuple[Any, ...], *, candidate: bool) -> LoadedPage | None:
        loaded = self.memory.recall(fingerprint)
        if candidate or loaded is None:
            return loaded
        return self.memory.release(fingerprint) if loaded.way == way else None

    def _for_request(self, loaded: LoadedPage, request: Request) -> Response:
        if loaded.latency is not None:
            request.meta.setdefault("download_latency", loaded.latency)
        # requests of one fingerprint may differ in the fragment, which some download handlers keep and some drop
        response = loaded.response
        url = request.url if loaded.is_direct and self._keeps_fragments else response.url
        return response.replace(request=request, url=url)

    def _take_off(self, fingerprint: bytes, request: Request, flight: _Flight) -> None:
        task = asyncio.current_task()
        if task is None or fingerprint in self._flights:
            return
        self._flights[fingerprint] = flight
        # The end of the task is the one thing that is sure to come: a retry, a redirect or an exception of another
        # middleware never reaches our process_response.
        task.add_done_callback(partial(self._land, fingerprint, request, flight))

    def _land(self, fingerprint: bytes, request: Request, flight: _Flight, task: asyncio.Task[Any]) -> None:
        self._flights.pop(fingerprint, None)
        try:
            if task.cancelled():
                return
            result = None if task.exception() is not None else task.result()
            if isinstance(result, Response):
                self._bring_in(fingerprint, request, flight, result)
            elif not isinstance(result, Request):
                self.memory.keep_failure(fingerprint)
            elif self.fingerprint(result) != fingerprint:
                _remember(self._moved, fingerprint, result.url)
        finally:
            flight.landed.set()

    def _bring_in(self, fingerprint: bytes, request: Request, flight: _Flight, response: Response) -> None:
        if not is_usable(response) and not (flight.candidate and response.status in _HANDED_OVER):
            self.memory.keep_failure(fingerprint)
            return
        loaded = LoadedPage.of(response, request, flight.way)
        self.memory.keep(fingerprint, loaded, reserved=flight.candidate)
        self._keeps_fragments = self._keeps_fragments or "#" in response.url
        arrival = self._arrivals.get(site_of(response.url) or "")
        if arrival is not None:
            arrival.set()


def _remember(known: OrderedDict[bytes, Any], fingerprint: bytes, value: object = None) -> None:
    known[fingerprint] = value
    if len(known) > _MAX_REMEMBERED:
        known.popitem(last=False)
