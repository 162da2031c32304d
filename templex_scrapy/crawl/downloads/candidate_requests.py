"""Make the requests of searches, and decide which may be sent; the rules are in docs/politeness.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.http.request import NO_CALLBACK

from templex_scrapy.crawl.downloads.acting_links import acts
from templex_scrapy.crawl.downloads.download_table import CANDIDATE_KEY, SWITCH_KEY
from templex_scrapy.crawl.downloads.page_memory import MAX_PAGE_BYTES
from templex_scrapy.page import Page, nodes_of, site_of

CANDIDATE_TIMEOUT = 15.0
"""Seconds until the download of a candidate is given up; a search has 60."""

MAX_REDIRECTS = 3
"""Redirects that a candidate follows: ``http://a.example/x`` to https, to ``/en/x``, to ``/en/x/``."""

# meta keys that belong to a single request and would mislead another: with retry_times of the key page, say, a
# candidate would have no retries left
_META_OF_ONE_REQUEST = frozenset(
    """
    _auth_proxy _dont_cache _scheme_proxy cache_timestamp cookiejar download_latency playwright_include_page
    playwright_page playwright_page_methods playwright_security_details redirect_reasons redirect_times redirect_ttl
    redirect_urls retry_times
    """.split()
) | {SWITCH_KEY}
# a conditional request or a range is answered by 304 or 206, which is no page; the other headers are about a body
_DROPPED_HEADERS = frozenset(
    b"""
    if-modified-since if-none-match if-match if-unmodified-since if-range range content-type content-length
    content-encoding transfer-encoding
    """.split()
)
# headers that say how a page is requested, and not by whom, as X-Api-Key may
_HARMLESS_HEADER = re.compile(
    rb"""
    accept(?:-[a-z-]+)? | cache-control | connection | content-(?:length|type) | device-memory | dnt | downlink | dpr
    | ect | from | host | if-[a-z-]+ | keep-alive | max-forwards | origin | pragma | priority | range | referer | rtt
    | save-data | sec-(?:ch|fetch)-[a-z-]+ | sec-gpc | te | upgrade-insecure-requests | user-agent | viewport-width
    | width | x-requested-with
    """,
    re.IGNORECASE | re.VERBOSE,
)


def shows_login(request: Request, crawler: Crawler, *, has_jar: bool) -> bool:
    """Return whether a request of the spider, as it was sent, identifies a user: ``/account/close`` acts in their name.

    With ``has_jar``, Scrapy's own middleware sets the cookies; candidates use another jar.
    """
    if request.cookies or request.meta.get("http_user") or getattr(crawler.spider, "http_user", ""):
        return True
    # a proxy with an account may have an address, or add a header, that identifies the user
    proxy = request.meta.get("proxy")
    if isinstance(proxy, str) and urlsplit(proxy).username is not None:
        return True
    # a cookie that the site gives each visitor is in the jar of the spider, which candidates do not use
    jar = b"cookie" if has_jar and not request.meta.get("dont_merge_cookies") else b""
    return any(not _HARMLESS_HEADER.fullmatch(name) and name.lower() != jar for name in request.headers)


def is_same_or_safer(url: str, key_url: str) -> bool:
    """Return whether a URL is on the key page's site, and not http where the key page is https."""
    # over http anybody on the way could read which pages a user of the site opens, or answer in place of the site
    is_downgrade = key_url.startswith("https:") and not url.startswith("https:")
    return site_of(url) == site_of(key_url) and not is_downgrade


def is_nofollow(page: Page, url: str) -> bool:
    """Return whether a link of a page is marked ``rel=nofollow``."""
    # sites mark links such as /calendar?month=2031-07 so, which lead to ever further months
    attributes = dict(nodes_of(page).start_tag(page.links[url]).attributes)
    return "nofollow" in attributes.get("rel", "").lower().split()


def may_be_sent(request: Request) -> bool:
    """Return whether a candidate may be sent to the URL, to which it may have been redirected."""
    key_url = request.meta[CANDIDATE_KEY]
    # /item/5 may redirect to /cart/clear; whether /item/5 itself acts is for may_request()
    return is_same_or_safer(request.url, key_url) and not (request.meta.get("redirect_urls") and acts(request.url))


def derive_request(url: str, model: Request, *, key_url: str, without_headers: Mapping[bytes, Any]) -> Request:
    """Return a request for a candidate, fetched as another request is: same headers, proxy and browser, but no cookies.

    Headers that the crawl's middlewares set themselves are left out. They will be set again, and without them the
    requests of both sides can be compared.
    """
    meta = {key: value for key, value in model.meta.items() if key not in _META_OF_ONE_REQUEST}
    meta |= {
        "dont_retry": True,  # another candidate serves as well
        "redirect_ttl": MAX_REDIRECTS,
        # a page that drips in for three minutes would take all of the search's time
        "download_timeout": min(CANDIDATE_TIMEOUT, meta.get("download_timeout") or CANDIDATE_TIMEOUT),
        "download_maxsize": min(MAX_PAGE_BYTES, meta.get("download_maxsize") or MAX_PAGE_BYTES),
        # all candidates share a jar: a site that gives each new visitor a session sees a single visitor
        "cookiejar": (CANDIDATE_KEY, model.meta.get("cookiejar")),
        CANDIDATE_KEY: key_url,
    }
    headers = {
        name: values
        for name, values in model.headers.items()
        if name.lower() not in _DROPPED_HEADERS and without_headers.get(name.lower(), b"") not in (None, values)
    }
    return Request(url, NO_CALLBACK, headers=headers, meta=meta, encoding=model.encoding, priority=model.priority)


@dataclass(frozen=True)
class Candidate:
    """A candidate of a search."""

    request: Request
    site: str
    is_requested: bool  # by the spider, too
    may_request: bool  # by the search, which else waits for the crawl


def is_followed(crawler: Crawler, request: Request) -> bool:
    """Return whether the offsite middleware lets a request pass; it drops others without a signal."""
    offsite, spider = crawler.get_downloader_middleware(OffsiteMiddleware), crawler.spider
    return offsite is None or spider is None or offsite.should_follow(request, spider)


def may_be_scheduled(crawler: Crawler, request: Request) -> bool:
    """Return whether a request of the spider may reach the scheduler."""
    return bool(request.dont_filter or request.meta.get("allow_offsite")) or is_followed(crawler, request)


def sends_cookies(crawler: Crawler, request: Request) -> bool:
    """Return whether a request would send cookies of the crawl's jars, which candidates neither send nor set."""
    middleware = crawler.get_downloader_middleware(CookiesMiddleware)
    jar = middleware.jars.get(request.meta.get("cookiejar")) if middleware is not None else None
    if request.cookies or jar is None or next(iter(jar), None) is None:
        return bool(request.cookies)
    probe = Request(request.url)
    jar.add_cookie_header(probe)
    return "Cookie" in probe.headers
