"""Fetching the style sheets and pictures for a page's view.

The page decides what is requested, so it could try to have files of this machine, or of its network, put into a view
that somebody passes on.
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

from templex_scrapy.page import Page, site_of

TIMEOUT = 20.0
"""Seconds for all files together; the view does without the rest."""

_LOCAL_ENDINGS = (".home.arpa", ".internal", ".lan", ".local", ".localhost")


def media_type(response: Response) -> str:
    """Return the media type that a response declares, in lower case; empty if it declares none."""
    header = response.headers.get("Content-Type") or b""
    return header.decode("latin-1").partition(";")[0].strip().lower()


def is_local(url: str, address: object = None) -> bool:
    """Return whether a server is on this machine or in its network, as far as that is known.

    Args:
        url: an address on it.
        address: its IP address, where it is known.
    """
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    address = address or _ip_address(host)
    if isinstance(address, ipaddress.IPv4Address | ipaddress.IPv6Address):
        return not address.is_global
    return "." not in host or host.endswith(_LOCAL_ENDINGS)


def _ip_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    with suppress(OSError, ValueError):
        # resolvers accept 127.1 and 2130706433 as well
        return ipaddress.IPv4Address(socket.inet_aton(host))
    with suppress(ValueError):
        address = ipaddress.ip_address(host)
        return getattr(address, "ipv4_mapped", None) or address
    return None


async def fetch_files(
    key: Response, meta: Mapping[str, Any], download: Callable[[Request], Awaitable[Response]]
) -> dict[str, str]:
    """Fetch the style sheets and pictures of a page, by http and https; for a page from outside, none of this network.

    Args:
        key: the page's response.
        meta: ``Request.meta`` of all requests.
        download: sends a request through the crawl's middlewares.

    Returns:
        What arrived in time, by address, as the view takes it.
    """
    from templex_scrapy.view import resource_urls  # noqa: PLC0415 - needs an extra

    own_site, own_address = site_of(key.url), _address_of(key, key.request)
    reaches_local = is_local(key.url, own_address)
    # a browser would wrap a file into a page; a redirect could lead anywhere
    kept = {name: value for name, value in meta.items() if not name.startswith("playwright")}

    def is_allowed(url: str, address: object) -> bool:
        site = site_of(url)
        is_own = site == own_site and address in {None, own_address}
        return site is not None and (reaches_local or is_own or not is_local(url, address))

    async def fetch(url: str) -> str | None:
        request = Request(url, callback=NO_CALLBACK, meta={**kept, "dont_retry": True, "dont_redirect": True})
        # Scrapy rewrites addresses, so the server may differ from that of the address as written
        if not is_allowed(request.url, None):
            return None
        try:
            response = await download(request)
        except Exception:  # noqa: BLE001 - whatever a download raises, the view does without
            return None
        return _content(response) if is_allowed(response.url, _address_of(response, request)) else None

    loading = {url: asyncio.ensure_future(fetch(url)) for url in resource_urls(Page.from_response(key))}
    if not loading:
        return {}
    try:
        await asyncio.wait(loading.values(), timeout=TIMEOUT)
        return {url: file for url, task in loading.items() if task.done() and (file := task.result())}
    finally:
        for task in loading.values():
            task.cancel()


def _content(response: Response) -> str | None:
    """Return a style sheet, or a picture as a ``data:`` URL; None if the response is neither."""
    from templex_scrapy.view import STYLE_SHEET, data_url  # noqa: PLC0415 - needs an extra

    kind = media_type(response)
    if response.status != 200:
        return None
    if kind.startswith("image/"):
        return data_url(response.body, kind)
    # without a type Scrapy decides by name and content; pages, JSON and the like have classes of their own
    is_sheet = kind == STYLE_SHEET or (not kind and type(response) is TextResponse)
    return response.text if is_sheet and isinstance(response, TextResponse) else None


def _address_of(response: Response, request: Request | None) -> object:
    """Return the IP address of a response's server; None if it is not known, as behind a proxy or from a cache."""
    return None if request is not None and request.meta.get("proxy") else response.ip_address
