"""A folder of saved pages without a gold standard: what is found in them can be told, not how good it is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from templex_bench.gold.model import KeyPage, Suite, SuiteError
from templex_bench.gold.saved import SavedPages, host_for, pages_below, spread
from templex_scrapy.page import Page, canonical

KEY_PAGES = 8
"""Key pages of a site, at most: spread over its pages, sorted by path."""

LAYOUT = "folder"
EXPECTED = f"{LAYOUT}: saved HTML pages of one site, or a folder of them per site, without a gold standard"

# browsers write it where they save a page
_SAVED_FROM = re.compile(rb"<!--\s*saved from url=\(\d+\)(\S+)\s*-->")
_HEAD = 1024


@dataclass(frozen=True)
class FolderSite:
    """Saved pages.

    Args:
        name: name of the folder.
        saved: the pages.
        linked: whether they link each other.
    """

    name: str
    saved: SavedPages
    linked: bool

    @cached_property
    def key_urls(self) -> tuple[str, ...]:
        """Addresses of some of the pages."""
        return _key_urls(self.saved)

    def key_page(self, url: str) -> KeyPage:
        """The page at an address, without a gold standard."""
        page = self.saved.fetch(url)
        if page is None:
            raise SuiteError(f"{self.saved.folder}: no page is saved for {url}")
        return KeyPage(page=page)

    def fetch(self, url: str) -> Page | None:
        """The saved page at an address."""
        return self.saved.fetch(url)

    def siblings(self, url: str) -> tuple[str, ...]:
        """Addresses of all other pages."""
        return tuple(other for other in map(self.saved.url, self.saved.paths) if other != url)

    def fingerprint(self) -> str:
        """Changes with the pages."""
        return self.saved.fingerprint()


def read(folder: Path) -> Suite | None:
    """The pages in a folder; None if there are none.

    With pages directly in it, the folder is one site; else each of its subfolders is one.
    """
    paths = pages_below(folder)
    if not paths:
        return None
    name = folder.resolve().name
    if any("/" not in path for path in paths):
        return Suite(name, LAYOUT, (_site(name, folder, paths),))
    below: dict[str, list[str]] = {}
    for path in paths:
        top, _, rest = path.partition("/")
        below.setdefault(top, []).append(rest)
    return Suite(name, LAYOUT, tuple(_site(top, folder / top, tuple(below[top])) for top in sorted(below)))


def _site(name: str, folder: Path, paths: tuple[str, ...]) -> FolderSite:
    saved = SavedPages(folder, paths, f"http://{host_for(name)}/", _known(folder, paths))
    return FolderSite(name, saved, _link_each_other(saved))


def _known(folder: Path, paths: tuple[str, ...]) -> Mapping[str, str]:
    """The addresses that browsers wrote into pages they saved; the first page of each counts."""
    known: dict[str, str] = {}
    for path in paths:
        with (folder / path).open("rb") as stream:
            found = _SAVED_FROM.search(stream.read(_HEAD))
        url = canonical(found[1].decode("ascii", "replace")) if found is not None else None
        if url is not None and url not in known.values():
            known[path] = url
    return known


def _key_urls(saved: SavedPages) -> tuple[str, ...]:
    return tuple(saved.url(path) for path in spread(saved.paths, KEY_PAGES))


def _link_each_other(saved: SavedPages) -> bool:
    """Whether any of the key pages links to another page that was saved."""
    for url in _key_urls(saved):
        page, own = saved.fetch(url), saved.path(url)
        if page is not None and any(saved.path(link) not in {None, own} for link in page.links):
            return True
    return False
