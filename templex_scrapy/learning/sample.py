"""The pages that a site is learnt from: a bounded sample, the order of which does not matter."""

from __future__ import annotations

import zlib
from array import array
from collections.abc import Callable, Collection, Iterator
from itertools import islice

from templex_scrapy.page import Page, nodes_of, parse_cache_of, release_tree
from templex_scrapy.template import PageFeatures, text_numbers

_PAGE_BYTES = 500  # of the objects around the source and the features


class SampledPage:
    """A page of the sample: the compressed source, without a tree.

    Args:
        page: the page.
        features: the features; None to read them on first use, since most pages of a sample never vote.
        hold: whether the page stays in memory anyway; nothing is compressed then.

    Attributes:
        texts: the numbers of the texts, once the features have been read.
        size_when_added: bytes in memory when the page was added, roughly.
    """

    def __init__(self, page: Page, features: PageFeatures | None = None, *, hold: bool = False) -> None:
        self.url = page.url
        self.is_cut = False
        self._held = page if hold else None
        self._packed = b"" if hold else zlib.compress(page.text.encode("utf-8", "surrogatepass"), level=1)
        self._parse_cache = parse_cache_of(page)
        self._features: PageFeatures | None = None
        self.texts = array("Q")
        if features is not None:
            self._read(page, features)
        self.size_when_added = self.nbytes

    @property
    def is_read(self) -> bool:
        """Whether the features are known."""
        return self._features is not None

    @property
    def features(self) -> PageFeatures:
        """The features of the page. After the first use, ``is_cut`` tells whether the parser has cut the page off."""
        if self._features is None:
            page = self.page
            return self._read(page, PageFeatures.of(page))
        return self._features

    def _read(self, page: Page, features: PageFeatures) -> PageFeatures:
        self._features, self.is_cut, self.texts = features, page.is_cut, array("Q", text_numbers(nodes_of(page)))
        return features

    @property
    def page(self) -> Page:
        """The page, unpacked and read, without its tree: thirteen pages at a time vote for a template."""
        if self._held is not None:
            return self._held
        text = zlib.decompress(self._packed).decode("utf-8", "surrogatepass")
        page = Page(text, self.url, parse_cache=self._parse_cache)
        nodes_of(page)
        release_tree(page)
        return page

    @property
    def nbytes(self) -> int:
        """Bytes in memory, roughly."""
        features = 0 if self._features is None else self._features.nbytes
        return _PAGE_BYTES + len(self._packed) + features + 8 * len(self.texts)


class Sample:
    """Pages of a site, each address once.

    Args:
        max_pages: pages, at least 1.
        max_bytes: bytes of the compressed pages. Pages of the highest rank are dropped first. Features that are read
            later do not count, so that the sample does not depend on when they are read.
        rank: returns the rank of an address; equal ranks are ordered by address.
        hold: whether the pages stay in memory anyway.

    Attributes:
        size_when_added: bytes of the pages when they were added, roughly.
    """

    def __init__(self, max_pages: int, max_bytes: int, rank: Callable[[str], float], *, hold: bool = False) -> None:
        self._max_pages, self._max_bytes = max_pages, max_bytes
        self._rank = rank
        self.hold = hold
        self.size_when_added = 0
        self._pages: dict[str, SampledPage] = {}  # by address

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[SampledPage]:
        """Iterate over the pages by rank, which reads them; of pages with the same text, but for numbers, the first.

        Pages that the parser has cut off are left out: a footer behind 3,000 nested quotes would seem to be missing.
        """
        seen = set()
        for page in sorted(self._pages.values(), key=self._key):
            # /news and /news?print=1 are the same page: the second would vote for the story of the first
            text = page.features.text_digest
            if text not in seen and not page.is_cut:
                seen.add(text)
                yield page

    def __contains__(self, page: SampledPage) -> bool:
        return self._pages.get(page.url) is page

    def _key(self, page: SampledPage) -> tuple[float, str]:
        return self._rank(page.url), page.url

    @property
    def nbytes(self) -> int:
        """Bytes of the pages, roughly."""
        return sum(page.nbytes for page in self._pages.values())

    @property
    def has_unread(self) -> bool:
        """Whether the features of some page are not known."""
        return not all(page.is_read for page in self._pages.values())

    def read(self, more: int) -> list[SampledPage]:
        """Return the pages whose features are known, after reading some more, but those that the parser has cut off."""
        unread = (page for page in sorted(self._pages.values(), key=self._key) if not page.is_read)
        for page in islice(unread, more):
            _ = page.features
        return [page for page in self._pages.values() if page.is_read and not page.is_cut]

    def add(self, page: Page, features: PageFeatures | None = None) -> bool:
        """Add a page, unless the sample has the address or the page alone is too large; tell whether it was added."""
        if page.url in self._pages:
            return False
        packed = SampledPage(page, features, hold=self.hold)
        if packed.size_when_added > self._max_bytes:
            return False
        self._pages[page.url] = packed
        self.size_when_added += packed.size_when_added
        while len(self._pages) > self._max_pages or self.size_when_added > self._max_bytes:
            self._drop(max(self._pages.values(), key=self._key))
        return packed in self

    def _drop(self, page: SampledPage) -> None:
        del self._pages[page.url]
        self.size_when_added -= page.size_when_added

    def keep(self, pages: Collection[SampledPage]) -> None:
        """Drop all pages but these."""
        for page in [page for page in self._pages.values() if page not in pages]:
            self._drop(page)
