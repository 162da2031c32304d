"""How the templates of a crawl are made and grow.

What three pages could not show is learnt as the crawl goes on: a submenu that the key page's neighbours lack, a label
that one of them words differently. The votes that a node needs grow with the number of voters
(:func:`~templex_scrapy.template.votes.votes_for`), so that what recurs by chance does not become template.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from templex_scrapy.page import Page, ParseCache
from templex_scrapy.template.match import FEWEST_PAGES
from templex_scrapy.template.template import Template
from templex_scrapy.template.voters import distinct_texts
from templex_scrapy.template.votes import votes_for

MAX_DISTANCE = 0.3
"""Pages are of different types if a larger share of their tags and classes is not in both."""

_PAGE_BYTES = 500


@dataclass(frozen=True, slots=True)
class PendingPage:
    """A page that waits to vote: its source, compressed, and no tree.

    Attributes:
        url: its address.
        packed: its source, compressed.
        digest: that of the page.
        tags_and_classes: those of its elements.
        parse_cache: that of the page.
    """

    url: str
    packed: bytes
    digest: bytes
    tags_and_classes: frozenset[str]
    parse_cache: ParseCache | None = None

    @classmethod
    def of(cls, page: Page) -> Self:
        """Pack a page."""
        packed = zlib.compress(page.text.encode("utf-8", "surrogatepass"), level=1)
        return cls(page.url, packed, page.digest, page.arrays.tags_and_classes, page.parse_cache)

    @property
    def page(self) -> Page:
        """The page, unpacked."""
        text = zlib.decompress(self.packed).decode("utf-8", "surrogatepass")
        return Page(text, self.url, parse_cache=self.parse_cache)

    @property
    def bytes(self) -> int:
        """Bytes that it takes, roughly."""
        return len(self.packed) + _PAGE_BYTES

    def distance(self, tags_and_classes: frozenset[str]) -> float:
        """Return the share of the tags and classes of this page and another that is not in both, in [0, 1]."""
        union = self.tags_and_classes | tags_and_classes
        return len(self.tags_and_classes ^ tags_and_classes) / len(union) if union else 0.0


class PendingPages:
    """Pages that wait to vote, a bounded number of bytes of them; the oldest are dropped first.

    Args:
        max_pages: pages, at least 0.
        max_bytes: bytes of the compressed pages, at least 0.

    Attributes:
        bytes: bytes of the pages that wait.
    """

    def __init__(self, max_pages: int, max_bytes: int) -> None:
        self.max_pages = max_pages
        self.max_bytes = max_bytes
        self.bytes = 0
        self._pages: list[PendingPage] = []
        self._overflowed = False

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[PendingPage]:
        """Iterate over the pages, the oldest first."""
        return iter(tuple(self._pages))

    @property
    def is_full(self) -> bool:
        """Whether no more pages will ever wait: there are enough, or one was dropped because of the bytes."""
        return self._overflowed or len(self._pages) >= self.max_pages

    def add(self, page: Page) -> None:
        """Add a page, unless it waits already."""
        if any(page.digest == known.digest or page.url == known.url for known in self._pages):
            return
        pending = PendingPage.of(page)
        self._pages.append(pending)
        self.bytes += pending.bytes
        self._overflowed = self._overflowed or self.bytes > self.max_bytes
        while self._pages and (len(self._pages) > self.max_pages or self.bytes > self.max_bytes):
            self.bytes -= self._pages.pop(0).bytes

    def remove(self, pages: Iterable[PendingPage]) -> None:
        """Remove pages."""
        removed = set(pages)
        self._pages = [pending for pending in self._pages if pending not in removed]
        self.bytes = sum(pending.bytes for pending in self._pages)

    def peers_of(self, page: Page) -> list[PendingPage]:
        """Return the pages of the type of another page, the most similar first, without copies of it."""
        near = [
            (pending.distance(page.arrays.tags_and_classes), index, pending)
            for index, pending in enumerate(self._pages)
            if pending.url != page.url and pending.digest != page.digest
        ]
        return [pending for distance, _, pending in sorted(near, key=lambda one: one[:2]) if distance <= MAX_DISTANCE]


def next_size(voters: int, most: int) -> int:
    """Return the voters with which a template grows next: twice as many, so that a long crawl does it seldom."""
    return min(2 * voters, most)


def with_voters(template: Template, pages: Iterable[PendingPage], votes: int) -> Template:
    """Return a template with further voters.

    Args:
        template: the template.
        pages: pages of its type.
        votes: as in :func:`votes_for`.
    """
    new = template.new_among(pending.page for pending in pages)
    return template.joined(new, votes_for(len(template.page_urls) + len(new), votes))


def template_from_subdigraph(key: Page, pages: Iterable[Page], votes: int) -> Template:
    """Return the template for which a complete subdigraph votes, without pages with the same text as another."""
    return Template.from_pages(key, distinct_texts([key, *pages])[1:], votes)


def template_from_peers(key: Page, peers: Sequence[PendingPage], votes: int) -> Template | None:
    """Return the template of a page without a complete subdigraph, for which pages of its type vote instead.

    Args:
        key: the key page.
        peers: pages of its type that the crawl has met, as :meth:`PendingPages.peers_of` returns them.
        votes: as in :func:`votes_for`.

    Returns:
        The template; None if the pages are too few, or have no template that fits the page.
    """
    if len(peers) < FEWEST_PAGES:
        return None
    pages = distinct_texts([key, *(peer.page for peer in peers)])[1:]
    template = Template.from_pages(key, pages, votes_for(len(pages), votes))
    is_evident = len(template.page_urls) >= FEWEST_PAGES and template.texts
    return template if is_evident and template.match(key).same_page_type else None
