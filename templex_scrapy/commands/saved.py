"""Saved pages as a site that needs no network: requests for its addresses are answered from a folder.

The folder is laid out as wget does it: folders as in the addresses, ``index.html`` for the address of a folder, and
``page``, ``page.html``, ``page?query`` or ``page?query.html`` for that of a page.
"""

from __future__ import annotations

import itertools
import mimetypes
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, unquote_to_bytes, urlsplit

from scrapy.http import HtmlResponse, Request, Response
from scrapy.responsetypes import responsetypes

from templex_scrapy.archives.folder import HOST, NO_HOST, PAGES, walk
from templex_scrapy.page import Page, site_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

INDEX = "index.html"

_MOST_FILES = 5_000


class UnusableError(Exception):
    """There is no usable page; the message has the page's name and the reason."""


class SavedPages:
    """A site on disk.

    Args:
        path: the file of the page to start from; of a folder its index, or the first page in it.

    Attributes:
        key: the file of the page to start from.
        root: the folder of the site: one that is named like a host; else that of the page, or one above it if all
            folders on the way there contain pages.
        base: the address of the root.

    Raises:
        UnusableError: if there is no such file or folder, or no page in the folder.
    """

    def __init__(self, path: Path) -> None:
        key = _first_page(path) if path.is_dir() else path
        if key is None:
            raise UnusableError(f"{path}: no HTML page in this folder")
        if not key.is_file():
            raise UnusableError(f"{path}: {'neither a file nor a folder' if path.exists() else 'no such file'}")
        self.key = key.resolve()
        self.root = _root_of(self.key, path.resolve() if path.is_dir() else self.key.parent)
        self.base = NO_HOST  # the links of the page are read with it, to find the real one
        self.base = self._base()

    def _base(self) -> str:
        """Return the address of the root: the one by which most links of the page lead to files in it."""
        if HOST.fullmatch(self.root.name):
            return f"http://{self.root.name}/"
        # a mirror of example.com has pages that link https://example.com/news/, and news/index.html is there
        bases = ("/".join([*url.split("/", 3)[:3], ""]) for url in self.links() if self._file_at(urlsplit(url).path))
        return max(Counter(bases).items(), key=lambda one: (one[1], one[0] != NO_HOST), default=(NO_HOST, 0))[0]

    def links(self) -> list[str]:
        """Return the links of the page to start from."""
        try:
            return list(Page(self.key.read_bytes(), self.key_url).links)
        except OSError:
            return []  # its request will fail with the reason

    @property
    def key_url(self) -> str:
        """The address of the page to start from."""
        return self.addresses(self.key)[0]

    def addresses(self, file: Path) -> list[str]:
        """Return the addresses under which pages may link to a file, the likeliest first."""
        name = self.base + quote(os.fsencode(file.relative_to(self.root).as_posix()), safe="/?=&")
        if file.name == INDEX:
            return [name.removesuffix(INDEX), name]
        return [name.removesuffix(file.suffix) if "?" in file.name and file.suffix == ".html" else name]

    def file_of(self, url: str) -> Path | None:
        """Return the file that was saved from an address; None if there is none."""
        try:
            parts = urlsplit(url)
        except ValueError:
            return None
        if site_of(url) != site_of(self.base):
            return None
        return self._file_at(f"{parts.path}?{parts.query}" if parts.query else parts.path)

    def _file_at(self, path: str) -> Path | None:
        name = os.fsdecode(unquote_to_bytes(path.lstrip("/")))
        names = (name, f"{name}.html") if name and not name.endswith("/") else ()
        return next(filter(None, map(self._inside, (*names, f"{name.rstrip('/')}/{INDEX}".lstrip("/")))), None)

    def _inside(self, name: str) -> Path | None:
        """Return a file in the root, hidden ones excepted; what links and ``..`` lead to may be outside."""
        try:
            file = (self.root / name).resolve()
            is_hidden = any(part.startswith(".") for part in file.relative_to(self.root).parts)
            return file if file.is_file() and not is_hidden else None
        except (OSError, ValueError, RuntimeError):
            return None

    def neighbours(self, most: int) -> list[str]:
        """Return the addresses of other pages of the site: those in the folder of the page to start from first."""
        files = itertools.islice(_pages_below(self.root), _MOST_FILES)
        others = [file for file in files if self._inside(str(file)) == file != self.key]
        others.sort(key=lambda file: file.parent != self.key.parent)
        return [self.addresses(file)[0] for file in others[:most]]

    def name_of(self, url: str) -> str:
        """Return what people call the page at an address: its path in the folder, if the address is not a real one."""
        file = self.file_of(url) if url.startswith(NO_HOST) else None
        return url if file is None else file.relative_to(self.root).as_posix()


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
        response_class = responsetypes.from_args(filename=file.name, body=body[:5000])
        if file.suffix.lower() not in PAGES and not issubclass(response_class, HtmlResponse):
            media_type = mimetypes.guess_type(file.name)[0]
            headers = {"Content-Type": media_type} if media_type else None
            return response_class(request.url, headers=headers, body=body)
        # a page has one address, as if all others redirected to it
        address, *request.meta["redirect_urls"] = self._saved.addresses(file)
        return HtmlResponse(address, body=body)

    async def close(self) -> None:
        """Do nothing: no file is open between requests."""


def _root_of(key: Path, root: Path) -> Path:
    named = next((folder for folder in key.parents if HOST.fullmatch(folder.name)), None)
    if named is not None:
        return named
    while root != root.parent and any(file.suffix.lower() in PAGES for file in _entries(root.parent)):
        root = root.parent
    return root


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


def _pages_below(folder: Path) -> Iterator[Path]:
    for parent, files in walk(folder):
        yield from (parent / name for name in files if Path(name).suffix.lower() in PAGES)


def _first_page(folder: Path) -> Path | None:
    """Return the index of a folder, or its first page; of the first folder below with pages if it has none itself."""
    first = next(_pages_below(folder), None)
    if first is None:
        return None
    index = first.with_name(INDEX)
    return index if index.is_file() else first
