"""Make the requests of searches, and decide which may be sent; the rules are in docs/politeness.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.downloadermiddlewares.cookies import CookiesMiddleware
from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware
from scrapy.http.request import NO_CALLBACK

from templex_scrapy.crawl.downloads.acting_links import acts
from templex_scrapy.crawl.downloads.download_table import CANDIDATE_KEY, SWITCH_KEY, DownloadTable
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


@dataclass(eq=False)
class CandidateRequests:
    """Makes the candidates of a crawl, and decides which of them may be requested."""

    crawler: Crawler
    downloads: DownloadTable

    # Scrapy makes the middlewares after the add-on, so that they are looked up at the first candidate
    @cached_property
    def _headers(self) -> dict[bytes, Any]:
        """Header name in lower case → values that the crawl's middlewares set themselves; None for any value."""
        settings, headers = self.crawler.settings, Request("data:,").headers
        headers.update({k: v for k, v in settings.getdict("DEFAULT_REQUEST_HEADERS").items() if v is not None})
        if settings["USER_AGENT"]:
            headers["User-Agent"] = settings["USER_AGENT"]
        expected: dict[bytes, Any] = {name.lower(): values for name, values in headers.items()}
        # the referer is the page that links the candidate, which may be another page for the spider
        expected[b"accept-encoding"] = expected[b"referer"] = expected[b"proxy-authorization"] = None
        if settings.getbool("COOKIES_ENABLED"):
            expected[b"cookie"] = None
        if getattr(self.crawler.spider, "http_user", ""):
            expected[b"authorization"] = None
        return expected

    def candidate(self, url: str, key: Page, key_request: Request, requests: Mapping[bytes, Request]) -> Candidate:
        """Make the candidate for a link of a key page; ``requests`` are those of the key page's callback."""
        spider_request = requests.get(self.downloads.fingerprint(Request(url)))
        # a page that the spider fetches with a browser or through a proxy must be fetched so by the search, too
        model = key_request if spider_request is None else spider_request
        requested_url = url if spider_request is None else spider_request.url
        request = derive_request(requested_url, model, key_url=key_request.url, without_headers=self._headers)
        is_requested = self.downloads.find(request).is_made
        # a candidate is a level below the key page, where the spider's own request would be dropped
        is_too_deep = 0 < self.crawler.settings.getint("DEPTH_LIMIT") <= key_request.meta.get("depth", 0)
        is_too_long = 0 < self.crawler.settings.getint("URLLENGTH_LIMIT") < len(request.url)
        # a middleware of the project may send the cookies of a login with each request, candidates included
        has_jar = type(self.crawler.get_downloader_middleware(CookiesMiddleware)) is CookiesMiddleware
        may_request = (
            (is_requested or not (is_nofollow(key, url) or acts(request.url) or is_too_deep))
            # candidates pass no spider middleware, and the offsite middleware refuses them only when they are sent
            and not is_too_long
            and is_followed(self.crawler, request)
            and not any(shows_login(shown, self.crawler, has_jar=has_jar) for shown in (key_request, model))
            and may_be_sent(request)
            # a page fetched without cookies may show "please log in", and the spider would receive that
            and not (
                is_requested and self.downloads.sends_cookies(spider_request or request.replace(meta=key_request.meta))
            )
        )
        return Candidate(request, site_of(key.url) or "", is_requested=is_requested, may_request=may_request)


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
