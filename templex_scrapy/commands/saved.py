"""Saved pages as a site that needs no network: requests for its addresses are answered from a folder.

Layouts that are recognised: mirrors as ``wget`` and others write them (folders as in the addresses, links relative or
unchanged, ``index.html`` for folders, ``page?query`` or ``page?query.html``), and pages that a browser saved side by
side under any name, which contain the address that each was saved from.
"""

from __future__ import annotations

import itertools
import mimetypes
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, unquote_to_bytes, urlsplit

from scrapy.http import HtmlResponse, Request, Response
from scrapy.responsetypes import responsetypes

from templex_scrapy.page import Page, canonical, site_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

EXTENSIONS = frozenset({".html", ".htm", ".xhtml", ".shtml"})
INDEXES = ("index.html", "index.htm", "index.xhtml", "default.html", "default.htm")
NO_HOST = "http://saved.invalid/"
"""The address of the folder if its pages do not contain one; the name is reserved."""

_HEAD = 65_536  # bytes in which a page's own address is looked for
_MOST_FILES = 5_000
_MOST_LINKS = 300
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?::[0-9]+)?", re.IGNORECASE)
_SAVED_FROM = re.compile(r"(?:saved from url=\(\d+\)|Page saved with SingleFile\s+url:)\s*(https?://[^\s<>\"]+)")


class UnusableError(Exception):
    """There is no usable page; the message has the page's name and the reason."""


class SavedPages:
    """A site on disk.

    Args:
        root: the folder of the site.
        key: the file of the page to start from, in it.
    """

    def __init__(self, root: Path, key: Path) -> None:
        self.root = root.resolve()
        self.key = key.resolve()
        self._folder = f"{self.root}{os.sep}"
        self._files: dict[str, Path | None] = {}
        self._declared_by_key = declared_address(self.key)
        self.base = self._base()
        self._files[self.key_url] = self.key

    @classmethod
    def at(cls, path: Path) -> Self:
        """Find the site of a file, or of a folder.

        Of all folders that may be its root, it is the one that contains most of the links of the page to start from.

        Raises:
            UnusableError: if there is no such file or folder, or no page in the folder.
        """
        key = _first_page(path) if path.is_dir() else path
        if key is None:
            raise UnusableError(f"{path}: no HTML page in this folder")
        if not key.is_file():
            raise UnusableError(
                f"{path}: {'neither a file nor a folder' if path.exists() else 'no such file or folder'}"
            )
        roots = _roots_of(key)
        if path.is_dir() and not _HOST.fullmatch(roots[0].name):
            folder = path.resolve()
            roots = [root for root in roots if folder.is_relative_to(root)] or [folder]
        return max((cls(root, key) for root in roots), key=cls._count_links_inside)

    def _count_links_inside(self) -> int:
        return sum(self.file_of(url) is not None for url in self._links(self.key_url))

    def _base(self) -> str:
        """Return the address of the root: the one for which the key page's addresses are files in it."""
        declared = self._declared_by_key
        if declared is not None:
            bases = list(_folders_of(declared))
            return next((base for base in bases if self._under(base, declared) == self.key), bases[0])
        own = f"http://{self.root.name}/" if _HOST.fullmatch(self.root.name) else NO_HOST
        links = self._links(own + _quoted(self.key.relative_to(self.root).as_posix()))
        bases = [base for url in links for base in _folders_of(url) if url != base and self._under(base, url)]
        found = Counter(base for base in bases if base == own or site_of(base) != site_of(own))
        return max(found, key=lambda base: (found[base], base != own, -len(base)), default=own)

    def _links(self, url: str) -> Sequence[str]:
        """Return the first links of the key page, if this is its address."""
        try:
            return list(Page(self.key.read_bytes(), url).links)[:_MOST_LINKS]
        except OSError:
            return []  # its request will fail with the reason

    @property
    def key_url(self) -> str:
        """The address of the page to start from."""
        return next(self._urls(self.key))

    def addresses(self, file: Path) -> list[str]:
        """List the addresses that a file may have been saved from, the likeliest first."""
        declared = declared_address(file)
        return list(dict.fromkeys([*self._urls(file), *([declared] if declared else [])]))

    def _urls(self, file: Path) -> Iterator[str]:
        name = file.relative_to(self.root).as_posix()
        folder, _, last = name.rpartition("/")
        if last in INDEXES:
            yield self.base + _quoted(f"{folder}/" if folder else "")
        path, mark, query = name.partition("?")
        if mark:
            yield f"{self.base}{_quoted(path)}?{query.removesuffix('.html')}"
        yield self.base + _quoted(name)
        if file.suffix.lower() in EXTENSIONS:
            yield self.base + _quoted(name[: -len(file.suffix)])

    def file_of(self, url: str) -> Path | None:
        """Return the file that was saved from an address; None if there is none."""
        if url not in self._files:
            self._files[url] = self._under(self.base, url) or self._declared.get(canonical(url) or url)
        return self._files[url]

    def neighbours(self, most: int) -> list[str]:
        """List the addresses of other pages of the site: those in the folder of the key page first."""
        files = (file for folder in (self.key.parent, self.root) for file in _pages_below(folder))
        others = (file for file in dict.fromkeys(itertools.islice(files, _MOST_FILES)) if self._is_other(file))
        return [next(self._urls(file.resolve())) for file in itertools.islice(others, most)]

    def name_of(self, url: str) -> str:
        """Return what people call the page at an address: its path in the folder, if the address is not a real one."""
        if not url.startswith(NO_HOST):
            return url
        file = self.file_of(url)
        return _unquoted(url.removeprefix(NO_HOST)) if file is None else file.relative_to(self.root).as_posix()

    def _under(self, base: str, url: str) -> Path | None:
        """Return the file in the root that was saved from an address, if this is the address of the root."""
        try:
            parts, start = urlsplit(url), urlsplit(base)
        except ValueError:
            return None
        if _site(url) != _site(base) or not f"{parts.path}/".startswith(start.path):
            return None
        names = _names(_unquoted(parts.path[len(start.path) :]), _unquoted(parts.query))
        return next(filter(None, map(self._inside, names)), None)

    def _inside(self, name: str) -> Path | None:
        # most names are those of no file, and resolving a path takes a call for each of its folders
        place = f"{self._folder}{name}"
        try:
            inside = Path(place).resolve().relative_to(self.root) if os.path.isfile(place) else None  # noqa: PTH113
        except (OSError, ValueError, RuntimeError):
            return None
        is_hidden = inside is None or any(part.startswith(".") for part in inside.parts)
        return None if inside is None or is_hidden else self.root / inside

    def _is_other(self, file: Path) -> bool:
        try:
            return file.resolve().is_relative_to(self.root) and file.resolve() != self.key
        except (OSError, RuntimeError):
            return False

    @cached_property
    def _declared(self) -> dict[str, Path]:
        """Files by the addresses that they contain; empty if the layout shows the addresses."""
        own = self._declared_by_key
        if own is None or self._under(self.base, own) == self.key:
            return {}
        pages = filter(self._is_other, itertools.islice(_pages_below(self.key.parent), _MOST_FILES))
        return {canonical(url) or url: page for page in pages if (url := declared_address(page)) is not None}


class SavedPagesHandler:
    """The download handler of a crawl of saved pages; they are those of the spider's task."""

    lazy = False

    def __init__(self, crawler: Crawler) -> None:
        spider: Any = crawler.spider
        self._saved: SavedPages = spider.task.saved

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Create the handler of a crawl."""
        return cls(crawler)

    async def download_request(self, request: Request) -> Response:
        """Answer a request from the folder; with status 404 if there is no such file.

        Raises:
            OSError: if the file cannot be read.
        """
        file = self._saved.file_of(request.url)
        if file is None:
            return Response(request.url, status=404)
        body = file.read_bytes()
        kind = responsetypes.from_args(filename=file.name, body=body[:5000])
        if file.suffix.lower() not in EXTENSIONS and not issubclass(kind, HtmlResponse):
            media_type = mimetypes.guess_type(file.name)[0] or mimetypes.guess_type(file.name.partition("?")[0])[0]
            return kind(request.url, headers={"Content-Type": media_type} if media_type else None, body=body)
        address, *aliases = self._saved.addresses(file)
        # a page has one address, as if all others redirected to it
        request.meta["redirect_urls"] = aliases
        return HtmlResponse(address, body=body)

    async def close(self) -> None:
        """Do nothing: no file is open between requests."""


def declared_address(file: Path) -> str | None:
    """Return the address that a saved page contains as its own: the browser's note, or its canonical link."""
    try:
        with file.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return None
    note = _SAVED_FROM.search(head.decode("latin-1"))
    if note is not None:
        return note[1] if site_of(note[1]) is not None else None
    for link in Page(head, NO_HOST).root.iter("link"):
        if "canonical" in (link.get("rel") or "").lower().split():
            href = (link.get("href") or "").strip()
            return href if site_of(href) is not None else None
    return None


def _folders_of(address: str) -> Iterator[str]:
    """Yield the folders that contain an address, from its host on."""
    parts = urlsplit(address)
    base = f"{parts.scheme}://{parts.netloc}/"
    yield base
    for folder in parts.path.split("/")[1:-1]:
        base += f"{folder}/"
        yield base


def _quoted(name: str) -> str:
    """Quote a file's name, which need not be text, for an address."""
    return quote(os.fsencode(name))


def _unquoted(written: str) -> str:
    return os.fsdecode(unquote_to_bytes(written))


def _site(url: str) -> str:
    return (site_of(url) or "").removeprefix("www.")


def _names(path: str, query: str) -> Iterator[str]:
    """Yield names of the files that an address may have been saved as, the likeliest first."""
    if query:
        for mark in "?@":
            yield f"{path}{mark}{query}"
            yield f"{path}{mark}{query}.html"
        return
    if path and not path.endswith("/"):
        yield path
        yield f"{path}.html"
        yield f"{path}.htm"
        path += "/"
    for index in INDEXES:
        yield f"{path}{index}"


def _roots_of(file: Path) -> list[Path]:
    """List the folders that may be the root of a file's site, from the innermost on.

    A folder named like a host is the root; otherwise the file's own folder, and those above while they contain pages.
    """
    folder = file.resolve().parent
    for above in (folder, *folder.parents):
        if _HOST.fullmatch(above.name):
            return [above]
    roots = [folder]
    while roots[-1].parent != roots[-1] and _has_pages(roots[-1].parent):
        roots.append(roots[-1].parent)
    return roots


def _has_pages(folder: Path) -> bool:
    try:
        return any(entry.suffix.lower() in EXTENSIONS for entry in folder.iterdir())
    except OSError:
        return False


def _pages_below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place, name) for name in sorted(files) if Path(name).suffix.lower() in EXTENSIONS)


def _first_page(folder: Path) -> Path | None:
    """Return the index of a folder, or its first page; of the first folder below with pages if it has none itself."""
    pages = _pages_below(folder)
    first = next(pages, None)
    if first is None:
        return None
    beside = [first, *itertools.takewhile(lambda page: page.parent == first.parent, pages)]
    return next((page for index in INDEXES for page in beside if page.name == index), first)
