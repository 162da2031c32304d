"""URLs and links of a page: canonical forms, sites, and the targets of ``a`` elements."""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from functools import lru_cache
from html import unescape
from urllib.parse import urljoin, urlsplit

from w3lib.url import canonicalize_url

from templex_scrapy.page.node_arrays import NodeArrays

NO_PAGE_EXTENSIONS = frozenset(
    """
    7z aac apk atom avi avif bin bmp bz2 cab css csv deb dmg doc docx eot eps epub exe flac flv gif gz ico ics iso jar
    jpeg jpg js json less m4a m4v map mid mkv mobi mov mp3 mp4 mpeg mpg msi odp ods odt ogg ogv otf pdf png ppt pptx ps
    psd rar rdf rpm rss rtf sh svg swf tar tgz tif tiff torrent ttf txt vcf wav webm webmanifest webp wma wmv woff woff2
    xls xlsx xml xpi xz zip
    """.split()
)
"""Extensions of files that are no pages; a link to such a file is never a candidate."""

MAX_BASE = 2000
"""Characters above which the ``href`` of a ``base`` is ignored: it would be repeated in each link."""

MAX_SITE = 300
"""Characters of a scheme, a host and a port: no name in the DNS has more than 253 (RFC 1035)."""

MAX_JOINED = 2_000_000
"""Characters of the addresses that the links of a page lead to, as many as a page may have; the rest is left out."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
HREF = re.compile(r'\shref="([^"]*)"', re.ASCII)
"""The ``href`` of a start tag, as libxml2 writes it."""

_SPACES = " \t\n\r\f"
# addresses that canonicalize_url would return unchanged: most are, and this is faster
_NAME = r"(?!\.)(?:[A-Za-z0-9._~!$&'()*+,=:@-]++|%[89A-F][0-9A-F])+"  # escapes of bytes that are not ASCII
_PATH = rf"{_NAME}(?:/{_NAME})*/?"
_QUERY = r"(?:\?[A-Za-z0-9._~-]+=[A-Za-z0-9._~-]*)?"  # several values would have to be sorted
_FRAGMENT = r"(?:#[!-~]+)?"
_CANONICAL = re.compile(rf"(https?://[a-z0-9.-]+/(?:{_PATH})?{_QUERY}){_FRAGMENT}")
# most links: joined as they are, which takes a seventh of the time of urljoin
_PLAIN = re.compile(rf"(https?://[a-z0-9.-]+)?/(?:{_PATH})?{_QUERY}")
_BELOW = re.compile(rf"(?:\./)?((?:\.\./)*)((?![^/]*:){_PATH}{_QUERY}{_FRAGMENT})")  # "a:b" may have a scheme
_BASE = re.compile(rf"(https?://[a-z0-9.-]+)/(((?:{_NAME}/)*)(?:{_NAME})?(?:[?#]|\Z))?")
# the host of most addresses is its site
_PLAIN_HOST = re.compile(r"https?://([a-z0-9.-]+)(?:[/?#]|$)")


def canonical(url: str) -> str | None:
    """Return the canonical form of an http(s) URL: query sorted, fragment dropped, escapes normalised.

    None for other URLs and for those that cannot be parsed.
    """
    if plain := _CANONICAL.fullmatch(url):
        return plain[1]
    try:
        parts = urlsplit(url)
        if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
            return None
        parts.port  # noqa: B018 - raises ValueError where it is no port
        return canonicalize_url(url)
    except (ValueError, UnicodeError):
        return None


def site_of(url: str) -> str | None:
    """Return the site of an http(s) URL: the host, in punycode, and the port unless that is the scheme's default.

    None for other URLs and for those that cannot be parsed.
    """
    plain = _PLAIN_HOST.match(url)
    if plain is not None:
        return plain[1]
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        return None
    host = parts.hostname.lower()  # hostname does not lower what follows a %
    with suppress(UnicodeError):
        host = host if host.isascii() else host.encode("idna").decode("ascii")
    return host if port in {None, _DEFAULT_PORTS[parts.scheme]} else f"{host}:{port}"


def is_page_url(url: str) -> bool:
    """Return whether a URL can lead to a web page, judged by the extension of the path."""
    # the query counts not: /download?file=a.pdf may be a page with a button
    name = urlsplit(url).path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() not in NO_PAGE_EXTENSIONS if "." in name else True


def base_url(url: str, href: str | None) -> str:
    """Return the address that relative links start from.

    Args:
        url: the page's own address.
        href: the ``href`` of the first ``base`` that has one.
    """
    # as in browsers, <base href="javascript:void(0)"> counts for nothing
    joined = None if href is None or len(href) > MAX_BASE else join(url, href)
    return joined if joined is not None and site_of(joined) is not None else url


def find_links(arrays: NodeArrays, base: str) -> dict[str, int]:
    """Map each canonical URL that an ``a[href]`` leads to over http(s) to the position of the first such node.

    Links that cannot be parsed are left out, and so are those beyond :data:`MAX_JOINED`. O(number of nodes).
    """
    room = MAX_JOINED
    seen: dict[str, str | None] = {}
    positions: dict[str, int] = {}
    for position, tag_string in enumerate(arrays.tag_strings):
        match = HREF.search(tag_string) if tag_string.startswith("<a ") else None
        if match is None:
            continue
        href = match[1]
        # menu and footer have links in common
        if href not in seen:
            if room < 0:
                break
            seen[href] = url = absolute(base, unescape(href))[1]
            room -= len(url or href)
        url = seen[href]
        if url is not None:
            positions.setdefault(url, position)
    return positions


def shortened_base(url: str, links: int) -> str:
    """Return an address that so many links may start from: of a long one without the query.

    Of a long path, digests of the directory and of the path remain: then ``../x`` and ``/x`` lead to the same address.
    """
    if len(url) * links <= MAX_JOINED:
        return url
    path = url.partition("?")[0]
    if len(path) * links <= MAX_JOINED:
        return path
    site = "/".join(url.split("/")[:3])[:MAX_SITE]
    return f"{site}/{digest(path.rpartition('/')[0])}/{digest(path)}"


def digest(text: str) -> str:
    """Return a hash of a text, 12 bytes as hexadecimal digits."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def absolute(base: str, href: str) -> tuple[str | None, str | None]:
    """Return the absolute form of a link, and the canonical form; None for a form that does not exist."""
    joined = join(base, href)
    return joined, None if joined is None else canonical(joined)


def join(base: str, href: str) -> str | None:
    """Return the absolute form of a link; None if it cannot be parsed."""
    if (plain := _PLAIN.fullmatch(href)) and plain[1]:
        return href
    host, folders = _start(base)
    if plain and host:
        return host + href
    if folders is not None and (below := _BELOW.fullmatch(href)):
        # above the root there is nothing
        return "/".join((host, *folders[: max(len(folders) - len(below[1]) // 3, 0)], below[2]))
    try:
        return urljoin(base, href.strip(_SPACES))
    except ValueError:
        return None


@lru_cache(maxsize=64)
def _start(base: str) -> tuple[str, list[str] | None]:
    """Return scheme with host of a base, and the folders that links start from; empty and None for unusual ones."""
    plain = _BASE.match(base)
    if plain is None:
        return "", None
    return plain[1], None if plain[2] is None else plain[3].split("/")[:-1]
