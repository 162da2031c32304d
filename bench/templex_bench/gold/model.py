"""What every layout of a suite is read into: sites with key pages, linked pages, and what the gold standard says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from templex_scrapy.page import Page


class SuiteError(ValueError):
    """A folder is no suite of the expected layout; the message says what was expected and what is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """The gold standard of one key page. None: the suite does not tell.

    Attributes:
        template: positions of the template nodes in the key page.
        content: positions of the nodes of the main content.
        text: the main content as text.
        menu: position of the node that is the main menu.
    """

    template: frozenset[int] | None = None
    content: frozenset[int] | None = None
    text: str | None = None
    menu: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyPage:
    """A page on which detectors are measured.

    Attributes:
        page: the page, without any mark of the gold standard in it.
        category: kind of the site or of the page; empty where the suite tells none.
        gold: what the gold standard says of it.
    """

    page: Page
    category: str = ""
    gold: Gold = field(default_factory=Gold)


class Site(Protocol):
    """Saved pages of one site. Small and picklable: pages are read on demand and not kept."""

    @property
    def name(self) -> str:
        """Name of the site, unique in its suite."""

    @property
    def key_urls(self) -> tuple[str, ...]:
        """Addresses of the key pages."""

    @property
    def linked(self) -> bool:
        """Whether candidates come from the links of the key page; else its siblings are what it is compared with."""

    def key_page(self, url: str) -> KeyPage:
        """The key page at an address.

        Raises:
            SuiteError: if its file or its gold standard cannot be read.
        """

    def fetch(self, url: str) -> Page | None:
        """The saved page at an address, parsed anew; None if it was not saved."""

    def siblings(self, url: str) -> tuple[str, ...]:
        """Addresses of the site's other pages, the ones to take first in front."""

    def fingerprint(self) -> str:
        """Changes when the saved pages or the gold standard do."""


@dataclass(frozen=True, slots=True)
class Suite:
    """Sites that were saved together.

    Attributes:
        name: name of the suite, that of its folder.
        layout: how it is laid out, one of ``LAYOUTS``.
        sites: its sites, sorted by name.
    """

    name: str
    layout: str
    sites: tuple[Site, ...]


def fingerprint_of(parts: Iterable[object]) -> str:
    """A short hash of some plain values, in their order."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(str(part).encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()


def fingerprint_of_file(file: Path) -> str:
    """A short hash of what is in a file; empty if it cannot be read, which whoever needs it is told then."""
    try:
        return hashlib.blake2b(file.read_bytes(), digest_size=8).hexdigest()
    except OSError:
        return ""
