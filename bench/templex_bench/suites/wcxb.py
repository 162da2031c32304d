"""WCXB's layout, which the corpora share: groups of pages of one site, each page with its main content as text.

The pages of a group hardly link each other, so that a page is compared with its siblings.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from templex_bench.suites.model import Gold, KeyPage, Suite, SuiteError, fingerprint_of, fingerprint_of_file
from templex_scrapy.page import Page

GROUPS = "groups.json"
LAYOUT = "wcxb"
EXPECTED = (
    f"{LAYOUT}: {GROUPS} (site → list of id, url, page_type, main_content) and the pages in pages/<id>.html.gz "
    "or pages/<id>.html"
)

_SAFE = re.compile(r"[\w-][\w.-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Entry:
    """A page of a group: its file, its address, its type and its main content, or values that it contains."""

    id: str
    url: str
    category: str
    text: str | None
    values: tuple[str, ...] = ()
    snippets: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


@dataclass(frozen=True)
class Group:
    """The pages of one site."""

    name: str
    folder: Path
    entries: tuple[Entry, ...]
    split: str = "dev"

    @property
    def linked(self) -> bool:
        """Pages of a group are compared with each other."""
        return False

    @cached_property
    def _by_url(self) -> dict[str, Entry]:
        return {entry.url: entry for entry in self.entries}

    @property
    def key_urls(self) -> tuple[str, ...]:
        """Addresses of all pages."""
        return tuple(self._by_url)

    def key_page(self, url: str) -> KeyPage:
        """Return the page at an address."""
        entry = self._by_url[url]
        gold = Gold(text=entry.text, values=entry.values, snippets=entry.snippets)
        return KeyPage(page=Page(self._source(entry), url), category=entry.category, gold=gold)

    def fetch(self, url: str) -> Page | None:
        """Return the page at an address; None if it is not in the group."""
        entry = self._by_url.get(url)
        return None if entry is None else Page(self._source(entry), url)

    def siblings(self, url: str) -> tuple[str, ...]:
        """Return the addresses of the other pages of the group."""
        return tuple(other for other in self._by_url if other != url)

    def fingerprint(self) -> str:
        """Return a hash of the pages and of the gold standard."""
        files = (fingerprint_of_file(self._file(entry)) for entry in self.entries)
        return fingerprint_of([*self.entries, *files])

    def _file(self, entry: Entry) -> Path:
        packed = self.folder / f"{entry.id}.html.gz"
        return packed if packed.is_file() else self.folder / f"{entry.id}.html"

    def _source(self, entry: Entry) -> bytes:
        file = self._file(entry)
        try:
            return gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        except (OSError, EOFError, zlib.error) as error:
            raise SuiteError(f"the page {entry.id} cannot be read from {self.folder}: {error}") from error


def read(folder: Path) -> Suite | None:
    """Read the suite in a folder; None if it has no groups.

    Raises:
        SuiteError: if the groups are not as they should be.
    """
    file = folder / GROUPS
    if not file.is_file():
        return None
    try:
        groups = json.loads(file.read_text(encoding="utf-8"))
        entries = {str(name): _entries(groups[name]) for name in sorted(groups)}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise SuiteError(f"{file} is not as it should be: {what}. Expected {EXPECTED}") from error
    sites = tuple(Group(name, folder / "pages", own) for name, own in entries.items())
    return Suite(folder.resolve().name, LAYOUT, sites)


def _entries(group: Iterable[Mapping[str, object]]) -> tuple[Entry, ...]:
    """Return the pages of a group, each at an address of its own."""
    by_url: dict[str, Entry] = {}
    for entry in map(_entry, group):
        other = by_url.setdefault(entry.url, entry)
        if other is not entry:
            raise ValueError(f"the pages {other.id} and {entry.id} have the same url {entry.url!r}")
    return tuple(by_url.values())


def _entry(data: Mapping[str, object]) -> Entry:
    page_id, labels = str(data["id"]), data.get("values")
    if not _SAFE.fullmatch(page_id):
        raise ValueError(f"the id {page_id!r} is no file name")
    known = labels.values() if isinstance(labels, Mapping) else ()
    values = tuple(str(value).strip(" :") for several in known for value in several)
    text = None if values else str(data["main_content"])
    snippets = _texts(data.get("with")), _texts(data.get("without"))
    return Entry(page_id, str(data["url"]), str(data.get("page_type") or ""), text, values, snippets)


def _texts(listed: object) -> tuple[str, ...]:
    return tuple(map(str, listed)) if isinstance(listed, list) else ()
