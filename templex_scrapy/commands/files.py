"""Fetching the style sheets and pictures that a page's view needs: what a page of the web may ask for, and no more.

The page decides what is asked for, so it may try to have files of this machine, or of the network that it is in, put
into a view that somebody passes on.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response, TextResponse
from scrapy.http.request import NO_CALLBACK

from templex_scrapy.page import Page, join, site_of

TIMEOUT = 20.0
"""Seconds that all files together may take; the view does without the others."""

_MOST_HOPS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LOCAL_ENDINGS = (".home.arpa", ".internal", ".lan", ".local", ".localhost")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def media_type(response: Response) -> str:
    """The media type that a response declares, in lower case; empty if it declares none."""
    header = response.headers.get("Content-Type") or b""
    return header.decode("latin-1").partition(";")[0].strip().lower()


def is_local(url: str, address: object = None) -> bool:
    """Whether a server is on this machine or in a network of its own, as far as one can tell.

    Args:
        url: an address on it.
        address: its IP address, where that is known.
    """
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    if address is None:
        address = _ip_address(host)
    if isinstance(address, ipaddress.IPv6Address):
        address = _embedded(address) or address
    if isinstance(address, ipaddress.IPv4Address | ipaddress.IPv6Address):
        return not address.is_global
    return "." not in host or host.endswith(_LOCAL_ENDINGS)


def _ip_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    with suppress(OSError, ValueError):
        # resolvers take 127.1 and 2130706433 for addresses as well
        return ipaddress.IPv4Address(socket.inet_aton(host))
    with suppress(ValueError):
        return ipaddress.ip_address(host)
    return None


def _embedded(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """The IPv4 address that an IPv6 address leads to by itself (RFC 4291, 2.5.5.2; RFC 6052, 2.1; RFC 3056, 2)."""
    if address in _NAT64:
        return ipaddress.IPv4Address(address.packed[-4:])
    return address.ipv4_mapped or address.sixtofour


def _server_address(response: Response, meta: Mapping[str, Any]) -> object:
    """The IP address of a response's server; None if it is not known, as behind a proxy or from a cache.

    Args:
        response: any response.
        meta: ``Request.meta`` of what it answers, where the response does not tell.
    """
    if response.request is not None:
        meta = response.request.meta
    # behind a proxy, the address is that of the proxy
    return None if meta.get("proxy") else response.ip_address


class FileFetcher:
    """Fetches the files of one page, over http and https alone, and none of the local network for a page from outside.

    If it is not known where the page's server is, files may come from that server wherever it is.

    Args:
        key: the response that brought the page.
        meta: ``Request.meta`` of all requests.
        download: sends a request through the crawl's middlewares.
    """

    def __init__(
        self, key: Response, meta: Mapping[str, Any], download: Callable[[Request], Awaitable[Response]]
    ) -> None:
        address = _server_address(key, meta)
        self._reaches_local = is_local(key.url, address)
        # the name of a server that is known to be elsewhere must not lead into the local network later on
        self._own_site = site_of(key.url) if address is None else None
        # a browser would wrap what is no page into one; redirects are followed here, each hop looked at
        kept = {name: value for name, value in meta.items() if not name.startswith("playwright")}
        self._meta = {**kept, "dont_retry": True, "dont_redirect": True}
        self._download = download

    async def fetch(self, page: Page) -> dict[str, str]:
        """What the page asks for and was got in time, by its address, as the view takes it."""
        from templex_scrapy.view import resource_urls  # noqa: PLC0415 - needs an extra

        loading = {url: asyncio.ensure_future(self._file(url)) for url in resource_urls(page)}
        if not loading:
            return {}
        try:
            await asyncio.wait(loading.values(), timeout=TIMEOUT)
            return {url: file for url, task in loading.items() if task.done() and (file := task.result())}
        finally:
            for task in loading.values():
                task.cancel()

    async def _file(self, url: str) -> str | None:
        from templex_scrapy.view import STYLE_SHEET, data_url  # noqa: PLC0415 - needs an extra

        try:
            response = await self._response(url)
        except Exception:  # noqa: BLE001 - whatever a download raises, the view does without
            return None
        if response is None or response.status != 200:
            return None
        kind = media_type(response)
        if kind.startswith("image/"):
            return data_url(response.body, kind)
        # without a type Scrapy tells by name and content; pages, JSON and the like have classes of their own
        is_sheet = kind == STYLE_SHEET or (not kind and type(response) is TextResponse)
        return response.text if is_sheet and isinstance(response, TextResponse) else None

    async def _response(self, url: str) -> Response | None:
        for _ in range(_MOST_HOPS):
            request = Request(url, callback=NO_CALLBACK, meta=dict(self._meta))
            # Scrapy rewrites addresses, so that the server may be another than that of the address as written
            if not self._may_ask(request.url):
                return None
            response = await self._download(request)
            if not self._may_ask(response.url, _server_address(response, request.meta)):
                return None
            location = response.headers.get("Location")
            if response.status not in _REDIRECTS or location is None:
                return response
            url = join(response.url, location.decode("utf-8", "replace")) or ""
        return None

    def _may_ask(self, url: str, address: object = None) -> bool:
        site = site_of(url)
        if site is None:
            return False
        return self._reaches_local or site == self._own_site or not is_local(url, address)
