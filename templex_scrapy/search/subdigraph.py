"""The search for a complete subdigraph: pages that link each other, as the pages of a menu do (thesis, Algorithm 9).

The search does no I/O: it lists the URLs that it wants, and the caller adds the pages, in any order.
"""

from __future__ import annotations

from collections.abc import Collection

from templex_scrapy.page import Page, canonical, site_of
from templex_scrapy.search.ranking import rank_links

# of three pages and the key page, two can agree against a page of another type
SIZE = 3
"""Pages of the complete subdigraph by default."""

# a menu has some ten links: a site where sixty pages close no subdigraph has none
MAX_LOADS = 60
"""Pages that a search loads by default, at most."""

MAX_CLIQUE_STEPS = 5_000
"""Limit of the steps for an added page. Of 60 pages that link each other at random, 353 steps at most find 8."""


class SubdigraphSearch:
    """Finds the first complete subdigraph of a wanted size among the pages that a key page links to.

    The key page itself is no member. Pages with a URL in common (requested, final, or redirecting) or with the same
    source are a single page; copies of the key page are ignored.

    Args:
        page: the key page.
        size: number of pages of the complete subdigraph, at least 1.
        max_loads: limit of the pages added, at least 0.

    Attributes:
        candidates: the key page's links in rank order.
        loads: number of pages added, including failed ones and copies.

    Raises:
        ValueError: if ``size`` or ``max_loads`` is out of range.
    """

    def __init__(self, page: Page, size: int = SIZE, max_loads: int = MAX_LOADS) -> None:
        if size < 1:
            raise ValueError(f"size is {size!r}: a complete subdigraph has at least 1 page")
        if max_loads < 0:
            raise ValueError(f"max_loads is {max_loads!r}: allowed are 0 and more")
        self.key = page
        self.size = size
        self.max_loads = max_loads
        self.candidates: tuple[str, ...] = tuple(rank_links(page))
        self.loads = 0
        self._site = site_of(page.url)
        self._order = list(self.candidates)
        # candidate → whether it was added, or is another address of a page that was
        self._is_added = dict.fromkeys(self.candidates, False)
        self._members = _MutualLinks()
        self._key_urls = _addresses(page, page.url)
        self._largest: list[int] = []

    @property
    def done(self) -> bool:
        """Whether the search has ended: the size or the limit of loads is reached, or no candidate is left."""
        return len(self._largest) >= self.size or self.loads >= self.max_loads or all(self._is_added.values())

    @property
    def pages(self) -> tuple[Page, ...]:
        """The largest complete subdigraph so far, in order of adding; of equally large subdigraphs the first."""
        return tuple(self._members.pages[index] for index in self._largest)

    def wanted(self) -> list[str]:
        """URLs to load next, in rank order, at most ``max_loads - loads``; empty once the search is done."""
        if self.done:
            return []
        return [url for url in self._order if not self._is_added[url]][: self.max_loads - self.loads]

    def reorder(self, preferred: Collection[str], avoided: Collection[str] = ()) -> None:
        """Put the candidates that are in ``preferred`` first and those in ``avoided`` last, each part in rank order.

        A crawl loads many of the candidates anyway: with those first, the search needs few additional requests.
        """
        self._order = sorted(self.candidates, key=lambda url: (url in avoided, url not in preferred))

    def add(self, url: str, page: Page | None) -> None:
        """Add the page of a candidate's URL.

        A candidate that was added before, or whose page was added under another URL, is ignored.

        Args:
            url: a candidate, as listed by :meth:`wanted`, or another spelling of it.
            page: the page; None if it could not be loaded or is no page.

        Raises:
            ValueError: if the URL is no candidate.
        """
        url = url if url in self._is_added else canonical(url) or url
        if url not in self._is_added:
            raise ValueError(f"{url!r} is none of the {len(self._is_added)} candidates of {self.key.url!r}")
        if self._is_added[url]:
            return
        self._is_added[url] = True
        # a page that could not be loaded has cost a request as well
        self.loads += 1
        # /login leads to another host with another design
        if page is None or site_of(page.url) != self._site:
            return
        addresses = _addresses(page, url)
        # /a redirects to /b, which is a candidate as well: to load it would bring the same page once more
        for address in addresses & self._is_added.keys():
            self._is_added[address] = True
        # "/" and "/index.html": a copy of the key page would vote for the story of the key page
        if page.digest == self.key.digest or addresses & self._key_urls - {url}:
            return
        newest = self._members.add(page, addresses)
        if len(self._largest) < self.size:
            self._extend([newest], self._members.mutual[newest], 0)

    def _extend(self, clique: list[int], others: set[int], steps: int) -> int:
        """Add others to a clique, as long as it may become the largest; return the steps so far.

        Branch and bound, in order of adding; after :data:`MAX_CLIQUE_STEPS` the largest so far is kept. Only a graph
        made for it takes so many, or 20 wanted pages of 60 of which most link each other. Up to the default size, 3,
        no graph takes more steps than it has pages and two.
        """
        steps += 1
        if len(clique) > len(self._largest):
            self._largest = sorted(clique)
        for page in sorted(others):
            is_hopeless = len(clique) + len(others) <= len(self._largest)
            if is_hopeless or len(self._largest) >= self.size or steps > MAX_CLIQUE_STEPS:
                break
            others = others - {page}
            steps = self._extend([*clique, page], others & self._members.mutual[page], steps)
        return steps


def _addresses(page: Page, asked: str) -> set[str]:
    return {canonical(url) or url for url in (asked, page.url, *page.aliases)}


class _MutualLinks:
    """Pages, and which of them link each other."""

    def __init__(self) -> None:
        self.pages: list[Page] = []
        self.mutual: list[set[int]] = []
        self.links: list[frozenset[str]] = []
        self._addresses: list[set[str]] = []
        self._by_address: dict[str, int] = {}
        self._by_digest: dict[bytes, int] = {}

    def add(self, page: Page, addresses: set[str]) -> int:
        """Add a page, or addresses of a page that was added before; return the index of the page."""
        index = self._by_digest.get(page.digest)
        if index is None:
            index = next((self._by_address[a] for a in sorted(addresses) if a in self._by_address), None)
        if index is None:
            index = len(self.pages)
            self.pages.append(page)
            self.mutual.append(set())
            self.links.append(frozenset(page.links))
            self._addresses.append(set())
            self._by_digest[page.digest] = index
        self._addresses[index] |= addresses
        self._by_address.update((address, index) for address in addresses)
        linked = {self._by_address[url] for url in self.links[index] if url in self._by_address} - {index}
        for other in linked:
            if not self._addresses[index].isdisjoint(self.links[other]):
                self.mutual[index].add(other)
                self.mutual[other].add(index)
        return index
