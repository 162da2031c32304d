"""Pages saved as files, at addresses under one base address: links are followed without a network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from templex_bench.gold.model import SuiteError, fingerprint_of, fingerprint_of_file
from templex_scrapy.page import NO_PAGE_EXTENSIONS, Page, canonical

PAGE_EXTENSIONS = frozenset("asp aspx cgi htm html jsp php php3 phtml shtm shtml xhtml".split())
"""Extensions of files that are taken for pages without looking at what is in them."""

_LOOKS_LIKE_A_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_HEAD = 2048
_NO_HOST = re.compile(r"[^a-z0-9.-]+")


@dataclass(frozen=True)
class SavedPages:
    """The files of one site and their addresses.

    A page is at the base address and its path; ``…/index.html`` also at its folder's address, and ``name.html`` also at
    ``name`` as far as no other file is there.

    Args:
        folder: where the files are.
        paths: the files that are pages, relative to the folder, with ``/``.
        base_url: the address of the folder, ending with ``/``.
        known: addresses that are known otherwise, by path.
    """

    folder: Path
    paths: tuple[str, ...]
    base_url: str
    known: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def _paths(self) -> frozenset[str]:
        return frozenset(self.paths)

    @cached_property
    def _by_known_url(self) -> dict[str, str]:
        return {canonical(url) or url: path for path, url in self.known.items()}

    def __getstate__(self) -> dict[str, object]:
        # what is worked out on demand is worked out anew elsewhere
        return {name: self.__dict__[name] for name in ("folder", "paths", "base_url", "known")}

    def url(self, path: str) -> str:
        """The address of a saved page."""
        if path in self.known:
            return self.known[path]
        at = path.removesuffix("index.html") if path.rpartition("/")[2] == "index.html" else path
        # a name that is no UTF-8 comes with a surrogate for each such byte
        return self.base_url + quote(at, safe="/~@!$'()*,=+:", errors="surrogateescape")

    def path(self, url: str) -> str | None:
        """The saved page at an address; None if there is none."""
        found = self._by_known_url.get(canonical(url) or url)
        if found is not None:
            return found
        try:
            base, asked = urlsplit(self.base_url), urlsplit(url)
        except ValueError:
            return None
        at, top = _file_name(asked.path or "/"), _file_name(base.path)
        if _site(base.netloc) != _site(asked.netloc) or not at.startswith(top):
            return None
        at = at[len(top) :]
        candidates = [at, f"{at}index.html", f"{at}/index.html", f"{at}.html", f"{at}index.htm"]
        if asked.query:
            candidates = [f"{at}?{asked.query}", f"{at}?{_file_name(asked.query)}", *candidates]
        return next((found for path in candidates if (found := path.lstrip("/")) in self._paths), None)

    def read(self, path: str) -> bytes:
        """The source of a saved page.

        Raises:
            SuiteError: if the file cannot be read.
        """
        try:
            return (self.folder / path).read_bytes()
        except OSError as error:
            raise SuiteError(f"{self.folder / path} cannot be read: {error.strerror}") from error

    def fetch(self, url: str) -> Page | None:
        """The page at an address, under that address; None if it was not saved."""
        path = self.path(url)
        if path is None or not (self.folder / path).is_file():
            return None
        return Page(self.read(path), url)

    def fingerprint(self) -> str:
        """Changes when a page is added, taken away or edited, be it by one letter; reads all of them."""
        return fingerprint_of((path, fingerprint_of_file(self.folder / path)) for path in self.paths)


def _file_name(part: str) -> str:
    """A part of an address as the file system has it, be it UTF-8 or not."""
    return unquote(part, errors="surrogateescape")


def _site(netloc: str) -> str:
    return netloc.lower().removeprefix("www.")


def pages_below(folder: Path) -> tuple[str, ...]:
    """The files below a folder that are pages, relative to it, sorted.

    Hidden files and links that lead out of the folder are passed over. What has an extension that is neither a page's
    nor plainly another's is looked into.
    """
    root = folder.resolve()
    found = []
    for file in folder.rglob("*"):
        path = file.relative_to(folder)
        hidden = any(part.startswith(".") for part in path.parts)
        if not hidden and file.is_file() and file.resolve().is_relative_to(root) and _is_page(file):
            found.append(path.as_posix())
    return tuple(sorted(found))


def _is_page(file: Path) -> bool:
    extension = file.suffix.lower().lstrip(".")
    if extension in PAGE_EXTENSIONS:
        return True
    if extension in NO_PAGE_EXTENSIONS:
        return False
    try:
        with file.open("rb") as stream:
            return _LOOKS_LIKE_A_PAGE.search(stream.read(_HEAD)) is not None
    except OSError:
        return False


def host_for(name: str) -> str:
    """A host name made of a folder's name: the name itself where it is one."""
    return _NO_HOST.sub("-", name.lower()).strip("-.") or "site"


def spread(paths: Iterable[str], most: int) -> tuple[str, ...]:
    """At most so many of some paths, evenly spread over them, the first and the last among them."""
    paths = tuple(paths)
    if len(paths) <= most:
        return paths
    if most < 2:
        return paths[:most]
    return tuple(paths[round(place * (len(paths) - 1) / (most - 1))] for place in range(most))
