"""Saved pages as a site that needs no network: which file an address leads to, and which address a file has.

The files are those that ``templex clean`` reads of a folder, and their addresses follow from their paths.
"""

from __future__ import annotations

import os
from functools import cached_property
from itertools import islice
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
    obstacle,
    read_file,
    walk,
)
from templex_scrapy.page import Page, site_of

MOST_NEIGHBOURS = 5_000
"""Neighbours of a page, at most; linked pages are found among any number of files."""


class SavedSite:
    """A site on disk.

    Args:
        path: the file of the page to start from; of a folder its index, or the first page in it.

    Attributes:
        key: the file of the page to start from.
        root: the folder of the site: one that is named like a host; else that of the page, or one above it if all
            folders on the way there contain pages.
        key_url: the address of the page to start from.

    Raises:
        ArchiveError: if there is no such file or folder, or no page in the folder.
    """

    def __init__(self, path: Path) -> None:
        key = _first_page(path) if path.is_dir() else path
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

    @cached_property
    def _files(self) -> dict[str, Path]:
        """The files by the paths that links may have; those in the folder of the page to start from are first."""
        names = [
            (folder / name).relative_to(self.root).as_posix()
            for folder, files, _ in walk(self.root)
            for name in filter(may_be_page, files)
        ]
        # pages of one folder, such as news/, are mostly of one type
        names.sort(key=lambda name: (not is_page_name(name), (self.root / name).parent != self.key.parent, name))
        found = {name: self.root / name for name in names}
        # links that were not rewritten say /news where the file is news.html, and / where it is index.html
        key = self.key.relative_to(self.root).as_posix()
        for name in (key, *names):
            found.setdefault(INDEX.sub("", name), self.root / name)
            found.setdefault(name.removesuffix(".html"), self.root / name)
        return found

    @property
    def neighbours(self) -> list[str]:
        """The addresses of other pages, those that are pages by their names first, and of these those nearby."""
        files = dict.fromkeys(file for file in self._files.values() if file != self.key)
        return [self._address(file) for file in islice(files, MOST_NEIGHBOURS) if obstacle(self.root, file) is None]

    def file_of(self, url: str) -> Path | None:
        """Return the file of the page at an address; None if there is none in the root."""
        try:
            parts, start = urlsplit(url), _unquoted(urlsplit(self._base).path)
            path = _unquoted(parts.path or "/")
        except ValueError:
            return None
        if site_of(url) != site_of(self._base) or not path.startswith(start):
            return None
        name = path.removeprefix(start)
        # wget writes the / of a query as %2F into the name
        queries = (f"?{parts.query}", f"?{_unquoted(parts.query)}") if parts.query else ("",)
        names = (one + query for query in queries for one in (name, f"{name}/", name.rstrip("/")))
        file = next((self._files[one] for one in names if one in self._files), None)
        return file if file is not None and obstacle(self.root, file) is None else None

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


def _root_of(key: Path, root: Path) -> Path:
    named = next((folder for folder in key.parents if HOST.fullmatch(folder.name)), None)
    if named is not None:
        return named
    # the links of site/news/today.html lead to ../index.html
    while root != root.parent and any(map(is_page_name, next(walk(root.parent), (root, [], []))[1])):
        root = root.parent
    return root


def _first_page(folder: Path) -> Path:
    """Return the index of a folder, or its first page; of the first folder below with pages if it has none itself."""
    for parent, files, _ in walk(folder):
        first = next(filter(is_page_name, files), None)
        if first is not None:
            return parent / ("index.html" if "index.html" in files else first)
    raise ArchiveError(f"{folder}: no HTML page in this folder")
