"""Links of a page, hyperlink distance, DOM distance and the order in which links are tried (thesis, 4.2 and 7.2).

Pages in the same directory of a site probably share its template, so the links nearest to the key page come first.
Links far apart in the key page probably lead to pages with different content, so of equally near links those far
apart come first.
"""

from __future__ import annotations

import heapq
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from urllib.parse import urljoin, urlsplit

from w3lib.url import canonicalize_url

from templex_scrapy.outline import unescape
from templex_scrapy.page import Node, Page

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


def base_url(page: Page) -> str:
    """The address that the page's relative links start from: its first ``<base href>``, or its own."""
    href = page.reading.base
    joined = None if href is None else join(page.url, href)
    return joined if joined is not None and site_of(joined) is not None else page.url


def link_positions(page: Page) -> dict[str, int]:
    """Each canonical URL that an ``a[href]`` leads to over http(s), with the position of the first node that does.

    Links that cannot be parsed are left out. O(number of nodes).
    """
    base = base_url(page)
    seen: dict[str, str | None] = {}
    found: dict[str, int] = {}
    for position, label in enumerate(page.outline.labels):
        written = _HREF.search(label) if label.startswith("<a ") else None
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


def directories(url: str) -> list[str]:
    """The host of a URL and the directories of its path; the resource name is ignored (Definition 4.2.1)."""
    try:
        path = urlsplit(url).path
    except ValueError:
        return [""]
    return [site_of(url) or "", *path.split("/")[1:-1]]


def hyperlink_distance(key_url: str, url: str) -> int:
    """Directories between two URLs (Definition 4.2.1).

    Returns:
        0 for the same directory, ``+n`` for one n levels below, ``-m`` where m directories of the key page's have to be
        left.
    """
    return _distance(directories(key_url), directories(url))


def _distance(key: list[str], other: list[str]) -> int:
    common = 0
    for a, b in zip(key, other, strict=False):
        if a != b:
            break
        common += 1
    return len(other) - common if common == len(key) else common - len(key)


def dom_distance(a: Node, b: Node) -> int:
    """Number of edges on the path between two nodes of one page (Definition 4.2.4); O(depth)."""
    outline = a.page.outline
    path_a = [a.position, *outline.ancestors(a.position)]
    path_b = [b.position, *outline.ancestors(b.position)]
    common = 0
    for x, y in zip(reversed(path_a), reversed(path_b), strict=False):
        if x != y:
            break
        common += 1
    return len(path_a) + len(path_b) - 2 * common


def rank_links(page: Page) -> list[str]:
    """The candidates of a key page, the most promising first (Algorithm 8).

    Ordered by hyperlink distance: 0, then +1, +2, …, then -1, -2, …. Within one distance that link comes next whose
    smallest DOM distance to the links of this distance already taken is largest; the first of a group, and ties, go by
    document order. Left out: links to the page itself, to other hosts or ports, and to what is no page.

    Complexity:
        O(links x depth) in practice: a link's smallest distance only falls, through few values, so the links wait in
        a heap and are looked at again when they come up.
    """
    site = site_of(page.url)
    own = {canonical(url) for url in (page.url, *page.aliases)}
    key = directories(canonical(page.url) or page.url)
    groups: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for url, position in link_positions(page).items():
        if url not in own and site is not None and site_of(url) == site and is_page_url(url):
            groups[_distance(key, directories(url))].append((url, position))
    order = sorted(groups, key=lambda distance: (distance < 0, abs(distance)))
    return [url for distance in order for url in _farthest_first(page, groups[distance])]


def _farthest_first(page: Page, links: Iterable[tuple[str, int]]) -> list[str]:
    """Links in document order, put so that each is as far as can be from those before it."""
    nearest = _NearestTaken(page)
    # nobody is nearer than infinity to nothing: the first round keeps document order
    waiting = [(-float("inf"), order, url, position) for order, (url, position) in enumerate(links)]
    taken = []
    while waiting:
        claimed, order, url, position = waiting[0]
        distance = nearest.distance(position)
        if -distance > claimed:
            heapq.heapreplace(waiting, (-distance, order, url, position))
        else:
            heapq.heappop(waiting)
            taken.append(url)
            nearest.take(position)
    return taken


class _NearestTaken:
    """DOM distance from any node to the nearest of the nodes taken so far; O(depth) to ask and to take."""

    def __init__(self, page: Page) -> None:
        self._ancestors = page.outline.ancestors
        self._down: dict[int, int] = {}  # ancestor → edges down to the nearest taken node below it

    def _path(self, position: int) -> Iterable[int]:
        yield position
        yield from self._ancestors(position)

    def take(self, position: int) -> None:
        for edges, ancestor in enumerate(self._path(position)):
            if edges < self._down.get(ancestor, edges + 1):
                self._down[ancestor] = edges

    def distance(self, position: int) -> float:
        # a detour over a higher ancestor than the common one is longer, so the minimum is the path itself
        down = self._down
        return min(
            (up + down[ancestor] for up, ancestor in enumerate(self._path(position)) if ancestor in down),
            default=float("inf"),
        )
