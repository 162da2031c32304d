"""What every layout of a suite is read into: sites with key pages, other pages, and a gold standard."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from templex_scrapy.page import Page


class SuiteError(ValueError):
    """A folder is no suite of the expected layout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """The gold standard of one key page; None where the suite has none.

    Attributes:
        template: positions of the template nodes.
        content: positions of the nodes of the main content.
        text: the main content as text.
        menu: position of the node that is the main menu.
        values: values that the main content contains, where only these are known.
        snippets: parts of the text that the main content contains, and parts that it does not contain.
    """

    template: frozenset[int] | None = None
    content: frozenset[int] | None = None
    text: str | None = None
    menu: int | None = None
    values: tuple[str, ...] = ()
    snippets: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPage:
    """A page on which detectors are measured, without any mark of the gold standard in its source.

    The category is that of the site, or of the page where the pages of a site differ; empty if unknown.
    """

    page: Page
    category: str = ""
    gold: Gold = field(default_factory=Gold)


class Site(Protocol):
    """The saved pages of one site. Small and picklable: pages are read on demand and not kept."""

    @property
    def name(self) -> str:
        """Name of the site, unique in its suite."""

    @property
    def key_urls(self) -> tuple[str, ...]:
        """Addresses of the key pages."""

    @property
    def split(self) -> str:
        """What the site is for, such as ``dev``, ``training`` or ``evaluation``; empty if unknown."""

    @property
    def linked(self) -> bool:
        """Whether the pages link each other; otherwise a key page is compared with its siblings."""

    def key_page(self, url: str) -> KeyPage:
        """Return the key page at an address.

        Raises:
            SuiteError: if its file or its gold standard cannot be read.
        """

    def fetch(self, url: str) -> Page | None:
        """Return the saved page at an address, parsed anew, or None."""

    def siblings(self, url: str) -> tuple[str, ...]:
        """Return the addresses of the site's other pages, the preferred ones first."""

    def fingerprint(self) -> str:
        """Return a hash that changes with the saved pages and with the gold standard."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Sites that were saved together, sorted by name; ``layout`` is one of ``LAYOUTS``."""

    name: str
    layout: str
    sites: tuple[Site, ...]


def all_but(page: Page, positions: Collection[int]) -> frozenset[int]:
    """Return all other positions of a page."""
    return frozenset(range(len(page))) - frozenset(positions)


def text_of(page: Page, positions: Collection[int]) -> str:
    """Return the texts at some positions, one per line."""
    texts = (page.arrays.texts[position] for position in sorted(positions))
    return "\n".join(text for text in texts if text is not None)


def read_json(file: Path) -> dict[str, object]:
    """Return the object in a file; empty if there is no such file.

    Raises:
        SuiteError: if it is something else.
    """
    try:
        found = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}
    except (OSError, ValueError) as error:
        raise SuiteError(f"{file} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise SuiteError(f"{file} is no JSON object")
    return found


def fingerprint_of(parts: Iterable[object]) -> str:
    """Return a short hash of some plain values, in their order."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(str(part).encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()


def fingerprint_of_file(file: Path) -> str:
    """Return a short hash of a file; empty if it cannot be read."""
    try:
        return hashlib.blake2b(file.read_bytes(), digest_size=8).hexdigest()
    except OSError:
        return ""
