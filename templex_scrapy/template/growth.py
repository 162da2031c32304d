"""How templates mature: pages that fit join the voters, and pages of one kind stand in for a complete subdigraph.

What three pages could not show is learnt as the crawl goes on: a submenu that the key page's neighbours lack, a label
that one of them words differently. The votes that a node needs grow with the number of voters, so that what recurs here
and there by chance does not become template.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from templex_scrapy.page import Page, ParseCache
from templex_scrapy.template.template import Template
from templex_scrapy.template.voters import distinct_in_words

SHARE = 1 / 2
"""Share of many voters that has to agree on a node; that of two in three, the default of few, would take too much.

With a third of twelve pages words that recur in the content go: over whole crawls the recall of the words is 0.987
instead of 0.995, their F1 0.919 instead of 0.922, for 0.005 of the F1 of template nodes (``matured.py 12``,
means of four and two runs).
"""

MAX_STRANGE = 0.3
"""Pages of which a larger share of their kinds of elements is not in both are of different kinds."""

FEWEST_PAGES = 2
"""Pages beside the key page without which nothing is template."""


def votes_of(voters: int, votes: int) -> int:
    """Votes that let a node go.

    Args:
        voters: pages that vote, at least 0.
        votes: votes that are needed where there are few voters, at least 1.
    """
    return max(votes, int(SHARE * voters))


@dataclass(frozen=True, slots=True)
class PendingPage:
    """A page kept for later: its source, compressed, and no tree.

    Attributes:
        url: its address.
        packed: its source, compressed.
        digest: that of the page.
        kinds: the kinds of its elements.
        parse_cache: those that the page was given.
    """

    url: str
    packed: bytes
    digest: bytes
    kinds: frozenset[str]
    parse_cache: ParseCache | None = None

    @classmethod
    def of(cls, page: Page) -> Self:
        """Keep a page."""
        packed = zlib.compress(page.text.encode("utf-8", "surrogatepass"), level=1)
        return cls(page.url, packed, page.digest, page.arrays.tags_and_classes, page.parse_cache)

    @property
    def page(self) -> Page:
        """The page."""
        text = zlib.decompress(self.packed).decode("utf-8", "surrogatepass")
        return Page(text, self.url, parse_cache=self.parse_cache)

    @property
    def size(self) -> int:
        """Bytes that it takes, roughly."""
        return len(self.packed) + 500

    def strangeness(self, kinds: frozenset[str]) -> float:
        """Share of the kinds of elements of this page and another that are not in both, in [0, 1]."""
        union = self.kinds | kinds
        return len(self.kinds ^ kinds) / len(union) if union else 0.0


class PendingPages:
    """Pages kept for later, a bounded number of bytes of them; the oldest go first.

    Args:
        max_pages: pages, at least 0.
        max_bytes: bytes of the compressed pages, at least 0.

    Attributes:
        bytes: bytes of the pages that are kept.
    """

    def __init__(self, max_pages: int, max_bytes: int) -> None:
        self.max_pages = max_pages
        self.max_bytes = max_bytes
        self.bytes = 0
        self._pages: list[PendingPage] = []
        self._overflowed = False

    def __len__(self) -> int:
        return len(self._pages)

    @property
    def is_full(self) -> bool:
        """Whether there are as many as may be, or one had to go because of the bytes: there will never be more."""
        return self._overflowed or len(self._pages) >= self.max_pages

    def add(self, page: Page) -> None:
        """Keep a page, unless the same is kept."""
        if any(page.digest == kept.digest or page.url == kept.url for kept in self._pages):
            return
        kept = PendingPage.of(page)
        self._pages.append(kept)
        self.bytes += kept.size
        self._overflowed = self._overflowed or self.bytes > self.max_bytes
        while self._pages and (len(self._pages) > self.max_pages or self.bytes > self.max_bytes):
            self.bytes -= self._pages.pop(0).size

    def take(self, pages: Iterable[PendingPage]) -> None:
        """Give up pages."""
        gone = set(pages)
        self._pages = [kept for kept in self._pages if kept not in gone]
        self.bytes = sum(kept.size for kept in self._pages)

    def all(self) -> tuple[PendingPage, ...]:
        """The pages, the oldest first."""
        return tuple(self._pages)

    def like(self, page: Page) -> list[PendingPage]:
        """The pages of the kind of another page, the most similar first, without copies of it."""
        kinds = page.arrays.tags_and_classes
        near = [
            (kept.strangeness(kinds), index, kept)
            for index, kept in enumerate(self._pages)
            if kept.url != page.url and kept.digest != page.digest
        ]
        return [kept for strangeness, _, kept in sorted(near, key=lambda one: one[:2]) if strangeness <= MAX_STRANGE]


def next_size(voters: int, most: int) -> int:
    """Voters with which a template is made anew: twice as many each time, so that a long crawl does it seldom."""
    return min(2 * voters, most)


def grown(template: Template, kept: Sequence[PendingPage], votes: int) -> Template:
    """A template with further voters.

    Args:
        template: the template.
        kept: pages that fit it, and are of its kind.
        votes: as in :func:`votes_of`.
    """
    pages = template.new_among(one.page for one in kept)
    voters = len(template.page_urls) + len(pages)
    return template.joined(pages, votes_of(voters, votes))


def template_of_kind(key: Page, pages: Iterable[Page], votes: int) -> Template:
    """The template of a key page for which pages of its kind vote; arguments as of :func:`stand_in`."""
    others = distinct_in_words([key, *pages])[1:]
    voters = len(others)
    return Template.from_pages(key, others, votes_of(voters, votes))


def stand_in(page: Page, kept: Sequence[PendingPage], votes: int) -> Template | None:
    """A template for a page of whose links none form a complete subdigraph: pages of its kind vote in their place.

    Args:
        page: the key page.
        kept: pages of its kind that the crawl has seen.
        votes: as in :func:`votes_of`.

    Returns:
        The template; None if the pages are too few or do not show one that fits the page.
    """
    if len(kept) < FEWEST_PAGES:
        return None
    template = template_of_kind(page, (one.page for one in kept), votes)
    enough = len(template.page_urls) >= FEWEST_PAGES and template.says_something
    return template if enough and template.match(page).same_kind else None
