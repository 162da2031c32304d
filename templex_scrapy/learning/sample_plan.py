"""Choose the first sample of a site: the pages that the ranking reaches first, whatever their order of arrival."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

from templex_scrapy.page import canonical

MAX_PLANNED = 1_000
"""Addresses of a plan, at most: a spider may follow a thousand lists before it yields an item."""

MAX_BYTES = 3_000_000
"""Characters of the pages of a sample, roughly. All of them wait at a time, with some that come out of order."""

_ADDRESS_BYTES = 150  # with the entries in a list and two dictionaries


class SamplePlan:
    """Orders the addresses of a site breadth first: the first page, those that its callback requests, then theirs.

    The requests of a page are in the order of the ranking (Algorithm 8). So the order depends on the pages, and not on
    their arrival. The sample is complete when each address up to the last page that counts has been answered.

    Args:
        max_pages: pages of the sample, at least 1.
        max_bytes: characters of their sources, after which fewer pages are enough.

    Attributes:
        end: the position of the first address that the sample waits for, or does not need; the links of those before
            are in the order.
    """

    def __init__(self, max_pages: int, max_bytes: int = MAX_BYTES) -> None:
        self._max_pages, self._max_bytes = max_pages, max_bytes
        self._order: list[str] = []
        self._positions: dict[str, int] = {}
        self._canonical: dict[str, str] = {}
        self._answers: dict[str, int] = {}  # characters of a page that counts, else 0
        self._links: dict[str, list[str]] = {}  # of pages that were answered before an address in front of them
        self.end = 0
        self._counted = self._bytes = 0

    def __len__(self) -> int:
        return len(self._order)

    @property
    def nbytes(self) -> int:
        """Bytes in memory, roughly."""
        return _ADDRESS_BYTES * (len(self._order) + len(self._canonical) + sum(map(len, self._links.values())))

    def forget(self) -> None:
        """Forget the addresses; a plan that is complete stays so."""
        for addresses in (self._order, self._positions, self._answers, self._links, self._canonical):
            addresses.clear()

    @property
    def is_complete(self) -> bool:
        """Whether all pages of the sample are there."""
        return self._counted >= self._max_pages or self._bytes >= self._max_bytes

    def position(self, address: str) -> float:
        """Return the place of an address in the order; infinity if it has none."""
        return self._positions.get(address, inf)

    def rank(self, url: str) -> float:
        """Return the place of a URL's address."""
        return self.position(canonical(url) or url)

    def address_of(self, url: str) -> str:
        """Return the address of a URL: the canonical form, remembered, as menus repeat their URLs on each page."""
        address = self._canonical.get(url)
        if address is None:
            address = canonical(url) or url
            if len(self._canonical) < 2 * MAX_PLANNED:
                self._canonical[url] = address
        return address

    def expect(self, address: str) -> None:
        """Add an address that no page of the site leads to, such as a start URL."""
        if address not in self._positions and len(self._order) < MAX_PLANNED:
            self._positions[address] = len(self._order)
            self._order.append(address)

    def answer(self, address: str, links: Iterable[str] = (), *, size: int = 0) -> None:
        """Note the answer of an address; only the first answer counts.

        Args:
            address: the address. If no page of the plan leads to it, it is a further first page.
            links: the addresses that the callback requests, in the order of the ranking.
            size: characters of the page, if the site may be learnt from the page; else 0.
        """
        is_behind = address not in self._positions and len(self._order) >= MAX_PLANNED
        if self.is_complete or address in self._answers or is_behind or len(self._answers) >= 2 * MAX_PLANNED:
            return
        self._answers[address], self._links[address] = size, list(links)
        while not self.is_complete:
            if self.end == len(self._order):
                # a page to which a start URL has redirected, say
                unplanned = [address for address in self._links if address not in self._positions]
                if not unplanned or len(self._order) >= MAX_PLANNED:
                    return
                self.expect(min(unplanned))
            first = self._order[self.end]
            if first not in self._answers:
                return
            self._counted += self._answers[first] > 0
            self._bytes += self._answers[first]
            self.end += 1
            for link in self._links.pop(first):
                self.expect(link)
