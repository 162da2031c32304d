"""Saved pages as a site that needs no network: which file an address leads to, and which address a file has.

The files are those that ``templex clean`` reads of a folder, and their addresses follow from their paths.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

from templex_scrapy.archives.records import ArchiveError, Record, Skipped
from templex_scrapy.archives.saved_pages import (
    HOST,
    INDEX,
    NO_HOST,
    address_below,
    declared_address,
    is_page_name,
    may_be_page,
    read_file,
    walk,
)
from templex_scrapy.page import Page, site_of

MOST_FILES = 5_000
"""Files among which the neighbours of a page are chosen, at most; linked pages are found among any number of files."""

_INDEXES = [f"{name}.{ending}" for name in ("index", "default") for ending in ("html", "htm", "xhtml", "xhtm")]


class SavedSite:
    """A site on disk.

    Args:
        path: the file of the page to start from; of a folder its index, or the first page in it.

    Attributes:
        key: the file of the page to start from.
        root: the folder of the site: one that is named like a host; else that of the page, or one above it if all
            folders on the way there contain pages.
        key_url: the address of the page to start from.
        neighbours: the addresses of other pages of the site, those that are pages by their names first, and
            of these those in the folder of the page to start from.

    Raises:
        ArchiveError: if there is no such file or folder, or no page in the folder.
    """

    def __init__(self, path: Path) -> None:
        key = _first_page(path) if path.is_dir() else path
        if key is None:
            raise ArchiveError(f"{path}: no HTML page in this folder")
        if not key.is_file():
            raise ArchiveError(f"{path}: {'neither a file nor a folder' if path.exists() else 'no such file'}")
        # without links, so that a path is in the root or is not
        self.key = key.resolve()
        folder = path.resolve() if path.is_dir() else self.key.parent
        if not self.key.is_relative_to(folder):
            raise ArchiveError(f"{path}: its first page is a link to another folder: {self.key}")
        self.root = _root_of(self.key, folder)
        self._base = self._base_of(self.key)
        self.key_url = self._address(self.key)
        self.neighbours = [self._address(file) for file in self._others()]

    def _others(self) -> list[Path]:
        """List other pages of the site, the best neighbours first."""
        near = itertools.takewhile(lambda file: file.parent == self.key.parent, _files_below(self.key.parent))
        files = dict.fromkeys(itertools.islice(itertools.chain(near, _files_below(self.root)), MOST_FILES))
        others = [
            file for file in files if self._inside(file.relative_to(self.root).as_posix()) == file and file != self.key
        ]
        # pages of one folder, such as news/, are mostly of one type
        others.sort(key=lambda file: (not is_page_name(file.name), file.parent != self.key.parent))
        return others

    def _base_of(self, key: Path) -> str:
        """Return the address of the root, as its name or the page to start from tells it."""
        # wget -r example.com makes a folder of that name
        if HOST.fullmatch(self.root.name):
            return f"http://{self.root.name}/"
        try:
            declared = INDEX.sub("", declared_address(key.read_bytes()) or "")
        except OSError:
            return NO_HOST  # its request will fail with the reason
        # https://example.com/blog/2024/day.html in site/2024/day.html: the root is https://example.com/blog/
        below = address_below("", key.relative_to(self.root).parts)
        return declared.removesuffix(below) if declared.endswith(f"/{below}") else NO_HOST

    def _address(self, file: Path) -> str:
        return address_below(self._base, file.relative_to(self.root).parts)

    def file_of(self, url: str) -> Path | None:
        """Return the file of the page at an address; None if there is none."""
        if url == self.key_url:
            return self.key
        try:
            parts = urlsplit(url)
            start = _unquoted(urlsplit(self._base).path)
            path, query = _unquoted(parts.path or "/"), f"?{parts.query}" if parts.query else ""
            # wget writes the / of a query as %2F into the name
            paths = dict.fromkeys((path + query, path + _unquoted(query)))
        except ValueError:
            return None
        if site_of(url) != site_of(self._base) or not path.startswith(start):
            return None
        names = itertools.chain.from_iterable(_names(one.removeprefix(start)) for one in paths)
        return next(filter(None, map(self._inside, names)), None)

    def _inside(self, name: str) -> Path | None:
        """Return a page in the root by its path there; None if it is hidden, no page by its name, or elsewhere."""
        if any(part.startswith(".") for part in name.split("/")):
            return None
        try:
            file = (self.root / name).resolve()
            # a link on disk may lead out of the folder, and a pipe has no end
            return file if file.is_relative_to(self.root) and file.is_file() and may_be_page(file.name) else None
        except (OSError, ValueError, RuntimeError):
            return None

    def read(self, url: str) -> tuple[str, Record | Skipped] | None:
        """Read the page at an address; return it with the one address that it has, None if there is none.

        Raises:
            OSError: if the file cannot be read.
        """
        file = self.file_of(url)
        return None if file is None else (self._address(file), read_file(self.root, file))

    def missing(self) -> int:
        """Return to how many pages that were not saved the page to start from links."""
        try:
            return sum(self.file_of(url) is None for url in Page(self.key.read_bytes(), self.key_url).links)
        except OSError:
            return 0

    def name_of(self, url: str) -> str:
        """Return what people call the page at an address: its path in the folder, if the address is not a real one."""
        file = self.file_of(url) if url.startswith(NO_HOST) else None
        return url if file is None else file.relative_to(self.root).as_posix()


def _unquoted(path: str) -> str:
    return os.fsdecode(unquote_to_bytes(path))  # file names need not be text


def _names(path: str) -> list[str]:
    """Return the files that may have the page at a path, the likeliest first.

    Links that were not rewritten say ``https://example.com/news`` where the file is ``example.com/news.html``.
    """
    name = path.strip("/")
    page, indexes = f"{name}.html", [f"{name}/{index}".lstrip("/") for index in _INDEXES]
    return [name, *indexes, page] if path.endswith("/") else [name, page, *indexes]


def _root_of(key: Path, root: Path) -> Path:
    named = next((folder for folder in key.parents if HOST.fullmatch(folder.name)), None)
    if named is not None:
        return named
    # the links of site/news/today.html lead to ../index.html
    while root != root.parent and any(map(is_page_name, next(walk(root.parent), (root, [], []))[1])):
        root = root.parent
    return root


def _first_page(folder: Path) -> Path | None:
    """Return the index of a folder, or its first page; of the first folder below with pages if it has none itself."""
    first = next((file for file in _files_below(folder) if is_page_name(file.name)), None)
    if first is None:
        return None
    index = first.with_name("index.html")
    return index if index.is_file() else first


def _files_below(folder: Path) -> Iterator[Path]:
    return (parent / name for parent, names, _ in walk(folder) for name in filter(may_be_page, names))
