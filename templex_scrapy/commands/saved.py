"""Pages saved in a folder, as a site that needs no network: what links lead to is looked up in the folder.

Layouts that are understood: a mirror as ``wget`` and others write it (folders as in the addresses, links relative or as
they were, ``index.html`` for folders, ``page?query`` or ``page?query.html``), and pages that a browser saved side by
side under any name, with the address that each was saved from in it.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Self
from urllib.parse import quote, unquote_to_bytes, urlsplit

from scrapy.http import HtmlResponse
from scrapy.responsetypes import responsetypes

from templex_scrapy.page import Page, canonical, site_of

EXTENSIONS = frozenset({".html", ".htm", ".xhtml", ".shtml"})
INDEXES = ("index.html", "index.htm", "index.xhtml", "default.html", "default.htm")
NO_HOST = "http://saved.invalid/"
"""Where pages stand that do not tell where they are from; the name is reserved, so that nobody else is meant."""

_HEAD = 65_536  # bytes in which a page tells where it is from
_MOST_NEIGHBOURS = 5_000
_MOST_LINKS = 300
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?::[0-9]+)?", re.IGNORECASE)
_SAVED_FROM = re.compile(r"(?:saved from url=\(\d+\)|Page saved with SingleFile\s+url:)\s*(https?://[^\s<>\"]+)")


class UnusableError(Exception):
    """A page cannot be had, or is none; the message says in a few words why, with the page's name."""


class SavedPages:
    """A site on disk.

    Args:
        root: the folder of the site.
        key: the file of the key page, in it.
    """

    def __init__(self, root: Path, key: Path) -> None:
        self.root = root.resolve()
        self.key = key.resolve()
        self._folder = f"{self.root}{os.sep}"
        self._files: dict[str, Path | None] = {}
        self._declared_by_key = declared_address(self.key)
        self.base = self._base()

    def _base(self) -> str:
        """The address of the root: the one under which most of what the key page names is there."""
        declared = self._declared_by_key
        if declared is not None:
            for base in _bases(declared):
                if self._under(base, declared) == self.key:
                    return base
        own = f"http://{self.root.name}/" if _HOST.fullmatch(self.root.name) else NO_HOST
        found = Counter(
            base
            for address in self._links_from(own + _quoted(self.key.relative_to(self.root).as_posix()))
            for base in ([own] if site_of(address) == site_of(own) else _bases(address))
            # whatever site a link leads to the first page of, there is a first page here
            if address != base and self._under(base, address)
        )
        if found:
            return max(found, key=lambda base: (found[base], base != own, -len(base)))
        return own if declared is None else next(_bases(declared))

    def _links_from(self, url: str) -> Sequence[str]:
        """The first links of the key page, if that is its address."""
        try:
            return list(Page(self.key.read_bytes(), url).links)[:_MOST_LINKS]
        except OSError:
            return []  # reading the key page will tell

    @classmethod
    def at(cls, path: Path) -> Self:
        """The site that a file is in, or that is in a folder.

        Raises:
            UnusableError: if there is no such file or folder, or no page in the folder.
        """
        if path.is_dir():
            key = _first_page(path)
            if key is None:
                raise UnusableError(f"{path}: no HTML page in this folder")
            saved = cls._around(key)
            is_told = path.resolve().is_relative_to(saved.root) or _HOST.fullmatch(saved.root.name) is not None
            return saved if is_told else cls(_wholly_in(path), key)
        if not path.is_file():
            what = "neither a file nor a folder" if path.exists() else "no such file or folder"
            raise UnusableError(f"{path}: {what}")
        return cls._around(path)

    @classmethod
    def _around(cls, key: Path) -> Self:
        """The site that a file is in: of all folders that may be its root, the one in which most of its links are."""
        roots = _roots_of(key)
        if len(roots) == 1:
            return cls(roots[0], key)
        return max((cls(root, key) for root in roots), key=lambda saved: saved.links_inside())

    def links_inside(self) -> int:
        """How many of the first links of the key page lead to files in the root."""
        links = self._links_from(next(self._urls(self.key)))
        return sum(self.file_of(url) is not None for url in links)

    def key_page(self) -> tuple[Page, str]:
        """The key page and its charset.

        Raises:
            UnusableError: if it cannot be read, or is no HTML page.
        """
        return self._read(self.key)

    def fetch(self, url: str) -> Page | None:
        """The page at an address; None if it is not in the folder, or is none."""
        file = self.file_of(url)
        if file is None:
            return None
        try:
            return self._read(file)[0]
        except UnusableError:
            return None

    def others(self, most: int) -> Iterator[Page]:
        """Pages of the site beside the key page: those in its folder first, then all others.

        Args:
            most: number of files that are read, at most.
        """
        files = (file for folder in (self.key.parent, self.root) for file in _pages_below(folder))
        for file in islice(dict.fromkeys(islice(files, _MOST_NEIGHBOURS)), most + 1):
            if not self._is_inside(file) or file.resolve() == self.key or not self._may_be_of_the_site(file):
                continue
            try:
                yield self._read(file)[0]
            except UnusableError:
                continue

    def _may_be_of_the_site(self, file: Path) -> bool:
        """Whether a page does not say that it is from another site than the key page."""
        own, other = self._declared_by_key, declared_address(file)
        return own is None or other is None or _site(own) == _site(other)

    def body(self, url: str) -> tuple[str, bytes] | None:
        """Path below the root, and content, of the file at an address, such as a style sheet; None if there is none."""
        file = self.file_of(url)
        try:
            return None if file is None else (file.relative_to(self.root).as_posix(), file.read_bytes())
        except OSError:
            return None

    def _read(self, file: Path) -> tuple[Page, str]:
        try:
            body = file.read_bytes()
        except OSError as error:
            raise UnusableError(f"{file}: {error.strerror}") from error
        kind = responsetypes.from_args(filename=file.name, body=body[:5000])
        if file.suffix.lower() not in EXTENSIONS and not issubclass(kind, HtmlResponse):
            raise UnusableError(f"{file}: no HTML page")
        if not body.strip():
            raise UnusableError(f"{file}: the file is empty")
        urls = list(dict.fromkeys(self._urls(file)))
        response = HtmlResponse(urls[0], body=body)
        declared = declared_address(file)
        return Page(response.text, urls[0], aliases=[*urls[1:], *([declared] if declared else [])]), response.encoding

    def _urls(self, file: Path) -> Iterator[str]:
        """The addresses that a file may have been saved from, the likeliest first."""
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
        """The file that was saved from an address; None if there is none."""
        if url not in self._files:
            self._files[url] = self._under(self.base, url) or self._declared.get(canonical(url) or url)
        return self._files[url]

    def called(self, url: str) -> str:
        """What people call the page at an address: its path in the folder, where it does not tell where it is from."""
        if not url.startswith(NO_HOST):
            return url
        file = self.file_of(url)
        return _unquoted(url.removeprefix(NO_HOST)) if file is None else file.relative_to(self.root).as_posix()

    def _under(self, base: str, url: str) -> Path | None:
        """The file in the root that was saved from an address, if the root has another one."""
        try:
            parts, start = urlsplit(url), urlsplit(base)
        except ValueError:
            return None
        if _site(url) != _site(base) or not f"{parts.path}/".startswith(start.path):
            return None
        names = _names(_unquoted(parts.path[len(start.path) :]), _unquoted(parts.query))
        return next(filter(None, map(self._inside, names)), None)

    def _inside(self, name: str) -> Path | None:
        # most names are those of no file, and to find out where a name leads takes a call for each of its folders
        place = f"{self._folder}{name}"
        try:
            if not os.path.isfile(place):  # noqa: PTH113 - a Path for each name costs more than the question
                return None
            file = Path(place).resolve()
            return file if file.is_relative_to(self.root) else None
        except (OSError, ValueError, RuntimeError):
            return None

    def _is_inside(self, file: Path) -> bool:
        """Whether a file is in the folder, and no link that leads out of it."""
        try:
            return file.resolve().is_relative_to(self.root)
        except (OSError, RuntimeError):
            return False

    @cached_property
    def _declared(self) -> dict[str, Path]:
        """Files by the addresses that they tell to be from; looked for only where the layout does not tell."""
        own = self._declared_by_key
        if own is None or self._under(self.base, own) == self.key:
            return {}
        files = (file for file in sorted(self.key.parent.iterdir()) if file.suffix.lower() in EXTENSIONS)
        pages = [file for file in files if self._is_inside(file)]
        told = ((declared_address(file), file) for file in pages[:_MOST_NEIGHBOURS])
        return {canonical(address) or address: file for address, file in told if address is not None}


def declared_address(file: Path) -> str | None:
    """The address that a saved page says it is from: the browser's note, or its canonical link."""
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


def _bases(address: str) -> Iterator[str]:
    """The folders that an address is in, from its host on."""
    parts = urlsplit(address)
    base = f"{parts.scheme}://{parts.netloc}/"
    yield base
    for folder in parts.path.split("/")[1:-1]:
        base += f"{folder}/"
        yield base


def _quoted(name: str) -> str:
    """A file's name as it stands in an address; it need not be text."""
    return quote(os.fsencode(name))


def _unquoted(written: str) -> str:
    return os.fsdecode(unquote_to_bytes(written))


def _site(url: str) -> str:
    return (site_of(url) or "").removeprefix("www.")


def _names(path: str, query: str) -> Iterator[str]:
    """Names of the files that an address may have been saved as, the likeliest first."""
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
    """The folders that may be the root of the site that a file is in, from the innermost on: at least one.

    One named like a host is it; else its own folder, or one above as long as there are pages.
    """
    folder = file.resolve().parent
    for above in (folder, *folder.parents):
        if _HOST.fullmatch(above.name):
            return [above]
    roots = [folder]
    while roots[-1].parent != roots[-1] and _has_pages(roots[-1].parent):
        roots.append(roots[-1].parent)
    return roots


def _wholly_in(folder: Path) -> Path:
    """The folder that holds all that a folder holds, apart from files that are no pages."""
    while not _has_pages(folder):
        inner = [entry for entry in folder.iterdir() if entry.is_dir()]
        if len(inner) != 1:
            break
        folder = inner[0]
    return folder


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
    """The index of a folder, or its first page; of the first folder below that has any, if it has none itself."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        pages = sorted(name for name in files if Path(name).suffix.lower() in EXTENSIONS)
        if pages:
            return Path(place, next((index for index in INDEXES if index in pages), pages[0]))
    return None
