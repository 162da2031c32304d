"""The methods of a store of templates, and the records that a store keeps."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeGuard

from templex_scrapy.template import Template

VERSION = 1
"""Version of records and tables: raise it when these change. The data of a template have a version of their own."""

MAX_PAGES = 1_000_000
"""Pages whose content hashes a store keeps, in about 150 bytes each in SQLite."""


class StoreError(Exception):
    """A store cannot be used: it is away, full, read-only, locked, or not a store of this version."""


class RecordError(StoreError):
    """A stored record is damaged, or a template cannot be made a record; the store itself works."""


@dataclass(frozen=True, slots=True)
class StoredTemplate:
    """A template with dates.

    Attributes:
        template: the template.
        learnt: when it was learnt, in seconds since 1970.
        used: when it last fitted a page, in seconds since 1970.
    """

    template: Template
    learnt: float
    used: float

    @property
    def key(self) -> str:
        """The key among the templates of a site."""
        return key_of(self.template)


class TemplateStore(Protocol):
    """Keeps the templates of sites.

    Every method but ``close`` may block and may raise :class:`StoreError`. Threads may share a store, and processes may
    use the same place. Nothing is opened before the first call.
    """

    @property
    def skipped(self) -> int:
        """Damaged records, and damaged files, that were skipped so far."""

    def load(self, site: str) -> list[StoredTemplate]:
        """Return the templates of a site, the most recently used first."""

    def version(self, site: str) -> int:
        """Return a number that changes when a template of the site is added, replaced or deleted; 0: no template.

        A number is not used again after the templates were deleted.
        """

    def save(self, site: str, stored: StoredTemplate) -> None:
        """Store a template.

        Two templates may have the same key. ``merge`` of ``stores.codec`` then keeps the template that serves more than
        the key page, or else the template with more voters, with the earlier ``learnt`` and the later ``used``. A site
        has at most ``stores.MAX_TEMPLATES`` templates: the store drops the least recently used, never the new template.

        Raises:
            RecordError: if the template is too large, or a text cannot be encoded.
        """

    def forget(self, site: str, key: str) -> None:
        """Delete the template with a key, if there is one."""

    def touch(self, site: str, uses: Mapping[str, float]) -> None:
        """Note when templates, named by their keys, were last used."""

    def sites(self) -> list[str]:
        """Return the sites that have templates, sorted."""

    def delete(self, site: str) -> int:
        """Delete the templates of a site; returns how many there were."""

    def close(self) -> None:
        """Close files and connections."""


class PageHashStore(Protocol):
    """Keeps the content hashes of pages, for ``TEMPLEX_SKIP_UNCHANGED``; the store of the templates may do so as well.

    The methods may block and may raise :class:`StoreError`.
    """

    def page_hash(self, page: str) -> tuple[str, float] | None:
        """Return the content hash of a page and when it was saved, in seconds since 1970; None if it is not known."""

    def save_page_hashes(self, hashes: Mapping[str, str], saved: float) -> None:
        """Store the content hashes of pages by name. Beyond ``MAX_PAGES`` of them, those saved first are dropped."""


def keeps_page_hashes(store: object) -> TypeGuard[PageHashStore]:
    """Return whether a store has the methods of :class:`PageHashStore`, if only by ``__getattr__``."""
    return hasattr(store, "page_hash") and hasattr(store, "save_page_hashes")


def page_key(page: str) -> bytes:
    """Return the key of a page: 16 bytes made of the name: spider and URL."""
    return hashlib.blake2b(page.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def key_of(template: Template) -> str:
    """Return the key of a template: 32 hexadecimal digits, from the URL and the source of the key page."""
    # not the address alone: the home page of next year is another key page, with another template
    identity = "\n".join(template.identity)
    return hashlib.blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
