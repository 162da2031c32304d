"""URLs and links of a page: canonical forms, sites, and what the ``a`` elements lead to."""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from w3lib.url import canonicalize_url

from templex_scrapy.page.nodes import NodeArrays, unescape

NO_PAGE_EXTENSIONS = frozenset(
    """
    7z aac apk atom avi avif bin bmp bz2 cab css csv deb dmg doc docx eot eps epub exe flac flv gif gz ico ics iso jar
    jpeg jpg js json less m4a m4v map mid mkv mobi mov mp3 mp4 mpeg mpg msi odp ods odt ogg ogv otf pdf png ppt pptx ps
    psd rar rdf rpm rss rtf sh svg swf tar tgz tif tiff torrent ttf txt vcf wav webm webmanifest webp wma wmv woff woff2
    xls xlsx xml xpi xz zip
    """.split()
)
"""Extensions of what is plainly not a page; a link to such a file is never a candidate."""

_DEFAULT_PORTS = {"http": 80, "https": 443}
_HREF = re.compile(r'\shref="([^"]*)"', re.ASCII)
_SPACES = " \t\n\r\f"
# addresses that canonicalize_url would return as they are; most links are such, and canonicalize_url takes its time
_PATH = r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?"
_CANONICAL = re.compile(rf"https?://[a-z0-9.-]+(?:/(?:{_PATH})?)?")
# links that are joined by counting directories; urljoin, which is right about all of them, takes its time
_FROM_ROOT = re.compile(rf"/(?:{_PATH})?")
# links that depend on more of the page's address than its directory, or are too long to be remembered
_FROM_PAGE = re.compile(r"[^A-Za-z0-9/._~-]|.{300}|[^\t\r\n]*[\t\r\n]|(?i:https?:)?(?://)?(?:[?#\s]|\Z)", re.DOTALL)
_FROM_DIRECTORY = re.compile(rf"((?:\.\./)*)({_PATH})?")


def canonical(url: str) -> str | None:
    """The canonical form of an absolute URL: query sorted, fragment dropped, escapes normalised.

    Returns:
        None for what is no http or https URL, or cannot be parsed as one.
    """
    if _CANONICAL.fullmatch(url) and url.count("/") > 2:
        return url
    try:
        parts = urlsplit(url)
        if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
            return None
        parts.port  # noqa: B018 - raises ValueError where it is no port
        return canonicalize_url(url)
    except (ValueError, UnicodeError):
        return None


def site_of(url: str) -> str | None:
    """The site of a URL: its host and port, the same for http and https on their own ports.

    A host in other letters than ASCII's is named in punycode, as :func:`canonical` writes it.

    Returns:
        None for what is no http or https URL.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        return None
    host = _in_ascii(parts.hostname.lower())  # hostname leaves what stands behind a % as it is
    return host if port in {None, _DEFAULT_PORTS[parts.scheme]} else f"{host}:{port}"


def _in_ascii(host: str) -> str:
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host


def is_page_url(url: str) -> bool:
    """Whether a URL may lead to a web page, judged by the extension of its path."""
    name = urlsplit(url).path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() not in NO_PAGE_EXTENSIONS if "." in name else True


def base_url(url: str, href: str | None) -> str:
    """Return the address that relative links start from.

    Args:
        url: the page's own address.
        href: the ``href`` of its first ``base`` that has one.
    """
    joined = None if href is None else join(url, href)
    return joined if joined is not None and site_of(joined) is not None else url


def find_links(arrays: NodeArrays, base: str) -> dict[str, int]:
    """Map each canonical URL that an ``a[href]`` leads to over http(s) to the position of the first such node.

    Links that cannot be parsed are left out. O(number of nodes).
    """
    seen: dict[str, str | None] = {}
    found: dict[str, int] = {}
    for position, tag_string in enumerate(arrays.tag_strings):
        written = _HREF.search(tag_string) if tag_string.startswith("<a ") else None
        if written is None:
            continue
        href = written[1]
        if href not in seen:
            seen[href] = absolute(base, unescape(href))[1]
        url = seen[href]
        if url is not None:
            found.setdefault(url, position)
    return found


def absolute(base: str, href: str) -> tuple[str | None, str | None]:
    """The absolute form of a link, as :func:`join` makes it, and its canonical form; None where there is none."""
    starts = None if _FROM_PAGE.match(href) else _starts(base)
    if starts is None:
        return _absolute(base, href)
    # the pages of a site have most links in common
    root, directory = starts
    return _absolute_from(root if href.startswith(("/", "http://", "https://")) else directory, href)


@lru_cache(maxsize=256)
def _starts(base: str) -> tuple[str, str] | None:
    """Where links from the root and from the directory of an address start; None where that is not plain to see."""
    path = base.partition("#")[0].partition("?")[0]
    if not _CANONICAL.fullmatch(path) or path.count("/") < 3:
        return None
    return path[: path.index("/", len("https://")) + 1], path[: path.rindex("/") + 1]


def _absolute(base: str, href: str) -> tuple[str | None, str | None]:
    joined = join(base, href)
    return joined, None if joined is None else canonical(joined)


@lru_cache(maxsize=4096)
def _absolute_from(start: str, href: str) -> tuple[str | None, str | None]:
    return _absolute(start, href)


def join(base: str, href: str) -> str | None:
    """The absolute form of a link; None if it cannot be parsed."""
    if _CANONICAL.fullmatch(href):
        return href
    if _CANONICAL.fullmatch(base) and base.count("/") > 2:
        host, directories = base.split("/")[:3], base.split("/")[3:-1]
        if _FROM_ROOT.fullmatch(href):
            return "/".join(host) + href
        found = _FROM_DIRECTORY.fullmatch(href)
        if found is not None and found[2] is not None:
            up = len(found[1]) // 3
            return "/".join([*host, *directories[: max(len(directories) - up, 0)], found[2]])
    try:
        return urljoin(base, href.strip(_SPACES))
    except ValueError:
        return None
