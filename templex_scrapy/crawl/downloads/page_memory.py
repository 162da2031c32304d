"""The pages that a crawl has downloaded lately, compressed and within bounds, and which of them a search may use."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import Any, Self, TypeGuard

from cachetools import LRUCache
from scrapy import Request
from scrapy.http import HtmlResponse, Response, TextResponse

from templex_scrapy.page import Page, ParseCache, is_too_large, site_of

MAX_PAGE_BYTES = 5_000_000
"""Bytes of a body above which a page is neither a key page nor a candidate."""

_RESPONSE_OVERHEAD = 2_000  # bytes of headers, flags and the object itself
_COMPRESS_FROM = 16_000  # HTML shrinks to a fifth, in a fraction of the time that parsing takes
# as in "text/html charset=utf-8" and "text/html, text/html"
_HTML_TYPE = re.compile(rb"\s*(?:text/html|application/xhtml\+xml)(?![\w.+-])", re.IGNORECASE)


def is_html(response: object) -> TypeGuard[TextResponse]:
    """Return whether a response is HTML: also if Scrapy takes it for other text because of an odd Content-Type."""
    if type(response) is TextResponse:
        return _HTML_TYPE.match(response.headers.get("Content-Type") or b"") is not None
    return isinstance(response, HtmlResponse)


def is_usable(response: object) -> TypeGuard[TextResponse]:
    """Return whether a response may be a key page or a candidate: complete HTML of moderate size, status 200."""
    return (
        is_html(response)
        and response.status == 200
        and 0 < len(response.body) <= MAX_PAGE_BYTES
        and not {"dataloss", "download_stopped"} & set(response.flags)
    )


@dataclass(frozen=True, kw_only=True)
class DownloadedPage:
    """A response without request and tree; a long body is compressed."""

    shell: Response  # without the body if that is in ``compressed``
    compressed: bytes
    aliases: tuple[str, ...]  # the other URLs under which it was requested
    fetch_options: tuple[Any, ...]
    latency: float | None  # seconds that the download took

    @classmethod
    def from_response(cls, response: Response, request: Request, fetch_options: tuple[Any, ...]) -> Self:
        """Keep the response to a request."""
        compressed = zlib.compress(response.body, level=1) if len(response.body) >= _COMPRESS_FROM else b""
        # a candidate may link /old, which has redirected to the page at /new
        requested = [*request.meta.get("redirect_urls", ()), request.url]
        return cls(
            shell=response.replace(request=None, body=b"" if compressed else response.body),
            compressed=compressed,
            aliases=tuple(url for url in dict.fromkeys(requested) if url != response.url),
            fetch_options=fetch_options,
            latency=request.meta.get("download_latency"),
        )

    @property
    def response(self) -> Response:
        """A new copy of the response, since a response keeps the parsed tree."""
        return self.shell.replace(body=zlib.decompress(self.compressed) if self.compressed else self.shell.body)

    def response_to(self, request: Request) -> Response:
        """Return the response as one to another request."""
        if self.latency is not None:
            request.meta.setdefault("download_latency", self.latency)
        response = self.response
        # else the cookie middleware would put the session of a candidate into the spider's jar, or the other way round
        response.headers.pop("Set-Cookie", None)
        return response.replace(request=request)

    @property
    def nbytes(self) -> int:
        """Bytes in memory, roughly."""
        return sum(map(len, (self.compressed, self.shell.body, self.shell.url, *self.aliases))) + _RESPONSE_OVERHEAD

    def page(self, site: str, parse_cache: ParseCache) -> Page | None:
        """Return the page; None if it is not usable or of another site."""
        response = self.response
        if not is_usable(response) or site_of(response.url) != site or is_too_large(response.text):
            return None
        page = Page(response.text, response.url, aliases=self.aliases, parse_cache=parse_cache)
        return page if page.is_document else None


class PageMemory:
    """Downloaded pages by request fingerprint, at most ``max_bytes`` of them.

    Half of the bytes are for pages that a search has downloaded and the spider may still request.
    """

    def __init__(self, max_bytes: int) -> None:
        half = max(max_bytes // 2, 1)
        self._pages: LRUCache[bytes, DownloadedPage] = LRUCache(half, getsizeof=lambda page: page.nbytes)
        self._reserved: LRUCache[bytes, DownloadedPage] = LRUCache(half, getsizeof=lambda page: page.nbytes)

    def keep(self, fingerprint: bytes, page: DownloadedPage, *, reserved: bool) -> None:
        """Keep a page, if it is not larger than the memory; reserved ones are for the spider."""
        self._pages.pop(fingerprint, None)
        self._reserved.pop(fingerprint, None)
        memory = self._reserved if reserved else self._pages
        if page.nbytes <= memory.maxsize:
            memory[fingerprint] = page

    def recall(self, fingerprint: bytes) -> DownloadedPage | None:
        """Return a page, for reading."""
        return self._pages.get(fingerprint) or self._reserved.get(fingerprint)

    def release(self, fingerprint: bytes) -> DownloadedPage | None:
        """Return a reserved page, for the spider; from then on it is a page like the others."""
        page = self._reserved.pop(fingerprint, None)
        if page is not None:
            self._pages[fingerprint] = page
        return page
