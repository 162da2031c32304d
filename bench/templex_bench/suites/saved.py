"""Pages saved as files, at addresses below one base address: links are followed without a network."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from templex_bench.suites.model import KeyPage, SuiteError, fingerprint_of, fingerprint_of_file
from templex_scrapy.page import Page, canonical


@dataclass(frozen=True, kw_only=True)
class Site:
    """The files of one site and their addresses. Small and picklable: pages are read on demand and not kept.

    A page is at the base address and its path; ``…/index.html`` also at its folder's address, which is one of the
    page's own, and ``name.html`` also at ``name`` if no other file is there.

    Attributes:
        name: name of the site.
        folder: where the files are.
        paths: the files that are pages, relative to the folder, with ``/``.
        base_url: the address of the folder, ending with ``/``.
        known: addresses that are known otherwise, by path.
        linked: whether the pages link each other; otherwise a key page is compared with its siblings.
    """

    name: str
    folder: Path
    paths: tuple[str, ...]
    base_url: str
    known: Mapping[str, str] = field(default_factory=dict)
    linked: bool = True

    @cached_property
    def _paths(self) -> frozenset[str]:
        return frozenset(self.paths)

    @cached_property
    def _by_known_url(self) -> dict[str, str]:
        return {canonical(url) or url: path for path, url in self.known.items()}

    @property
    def key_urls(self) -> tuple[str, ...]:
        """Addresses of the key pages: all pages unless a layout chooses."""
        return tuple(map(self.url, self.paths))

    def url(self, path: str) -> str:
        """Return the address of a saved page."""
        if path in self.known:
            return self.known[path]
        at = path.removesuffix("index.html") if path.rpartition("/")[2] == "index.html" else path
        # a name that is no UTF-8 comes with a surrogate for each such byte
        return self.base_url + quote(at, safe="/~@!$'()*,=+:", errors="surrogateescape")

    def path(self, url: str) -> str | None:
        """Return the file of the page at an address, or None."""
        found = self._by_known_url.get(canonical(url) or url)
        if found is not None:
            return found
        try:
            base, asked = urlsplit(self.base_url), urlsplit(url)
        except ValueError:
            return None
        at, top = _file_name(asked.path or "/"), _file_name(base.path)
        if _host(base.netloc) != _host(asked.netloc) or not at.startswith(top):
            return None
        at = at[len(top) :]
        candidates = [at, f"{at}index.html", f"{at}/index.html", f"{at}.html", f"{at}index.htm"]
        if asked.query:
            candidates = [f"{at}?{asked.query}", f"{at}?{_file_name(asked.query)}", *candidates]
        return next((found for path in candidates if (found := path.lstrip("/")) in self._paths), None)

    def saved(self, url: str) -> Page:
        """Return the page at an address as it was saved.

        Raises:
            SuiteError: if there is none, or its file cannot be read.
        """
        path = self.path(url)
        if path is None:
            raise SuiteError(f"{self.folder}: no page is saved for {url}")
        try:
            source = (self.folder / path).read_bytes()
            index = "index.html" if path.rpartition("/")[2] == "index.html" else ""
            aliases = [self.url(path), self.url(path) + index] if index and path not in self.known else []
            return Page(gzip.decompress(source) if path.endswith(".gz") else source, url, aliases=aliases)
        except (OSError, EOFError, zlib.error) as error:
            raise SuiteError(f"{self.folder / path} cannot be read: {error}") from error

    def key_page(self, url: str) -> KeyPage:
        """Return the page at an address, without a gold standard."""
        return KeyPage(page=self.saved(url))

    def fetch(self, url: str) -> Page | None:
        """Return the page at an address, or None."""
        path = self.path(url)
        return self.saved(url) if path is not None and (self.folder / path).is_file() else None

    def siblings(self, url: str) -> tuple[str, ...]:
        """Return the addresses of all other pages."""
        return tuple(other for other in map(self.url, self.paths) if other != url)

    def fingerprint(self) -> str:
        """Return a hash of all pages."""
        return fingerprint_of((path, fingerprint_of_file(self.folder / path)) for path in self.paths)


@dataclass(frozen=True, slots=True)
class Suite:
    """Sites that were saved together, sorted by name; ``layout`` is one of ``LAYOUTS``."""

    name: str
    layout: str
    sites: tuple[Site, ...]

    def fingerprint(self) -> str:
        """Return a hash of all pages and of their gold standard."""
        return fingerprint_of((site.name, site.fingerprint()) for site in self.sites)


def _file_name(part: str) -> str:
    return unquote(part, errors="surrogateescape")


def _host(netloc: str) -> str:
    return netloc.lower().removeprefix("www.")


def spread(items: Iterable[str], most: int) -> tuple[str, ...]:
    """Return at most so many of some items, evenly spread, the first and the last among them."""
    items = tuple(items)
    if len(items) <= most:
        return items
    if most < 2:
        return items[:most]
    return tuple(items[round(place * (len(items) - 1) / (most - 1))] for place in range(most))
