"""The pages that a site is learnt from: a bounded sample, the order of which does not matter."""

from __future__ import annotations

import hashlib
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice, zip_longest
from urllib.parse import urlsplit

from templex_scrapy.page import Page, canonical, nodes_of, parse_cache_of, release_tree
from templex_scrapy.template import FIT_RULES, PageFeatures, common_share, text_numbers

_PAGE_BYTES = 500  # of the objects around the source and the features
_FRAME = 0.1  # texts on a smaller share of the pages say nothing of a type


class SampledPage:
    """A page of the sample: the compressed source, without a tree.

    Args:
        page: the page.
        features: the features; None to read them on first use, since most pages of a sample never vote.
        hold: whether the page stays in memory anyway; nothing is compressed then.

    Attributes:
        url: the address.
        digest: the digest of the source.
        texts: the numbers of the texts, once the features have been read.
        size: bytes in memory when the page was added, roughly.
    """

    __slots__ = ("_features", "_held", "_packed", "_parse_cache", "digest", "is_cut", "size", "texts", "url")

    def __init__(self, page: Page, features: PageFeatures | None = None, *, hold: bool = False) -> None:
        self.url, self.digest = page.url, page.digest
        self.is_cut = False
        self._held = page if hold else None
        self._packed = b"" if hold else zlib.compress(page.text.encode("utf-8", "surrogatepass"), level=1)
        self._parse_cache = parse_cache_of(page)
        self._features: PageFeatures | None = None
        self.texts = array("Q")
        if features is not None:
            self._read(page, features)
        self.size = self.nbytes

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
        return (
            len(self._packed)
            + _PAGE_BYTES
            + (0 if self._features is None else self._features.nbytes)
            + 8 * len(self.texts)
        )


class Sample:
    """Pages of a site, each address once.

    Args:
        max_pages: pages, at least 1.
        max_bytes: bytes of the compressed pages. Pages of the highest rank are dropped first. Features that are read
            later do not count, so that the sample does not depend on when they are read.
        rank: returns the rank of an address; equal ranks are ordered by address.
        hold: whether the pages stay in memory anyway.

    Attributes:
        size: bytes of the pages when they were added, roughly.
    """

    def __init__(
        self, max_pages: int, max_bytes: int, rank: Callable[[str], float] = lambda _: 0.0, *, hold: bool = False
    ) -> None:
        self.max_pages = max_pages
        self.max_bytes = max_bytes
        self._rank = rank
        self.hold = hold
        self.size = 0
        self._pages: dict[str, SampledPage] = {}  # by address
        self._by_digest: dict[bytes, SampledPage] = {}

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

    def find(self, page: Page) -> SampledPage | None:
        """Return the page of the sample with the same source."""
        return self._by_digest.get(page.digest)

    def add(self, page: Page, features: PageFeatures | None = None) -> bool:
        """Add a page, unless its address is in the sample or it is alone too large; return whether it was added."""
        if page.url in self._pages:
            return False
        packed = SampledPage(page, features, hold=self.hold)
        if packed.size > self.max_bytes:
            return False
        self._pages[page.url] = packed
        self._by_digest.setdefault(page.digest, packed)
        self.size += packed.size
        while len(self._pages) > self.max_pages or self.size > self.max_bytes:
            self._drop(max(self._pages.values(), key=self._key))
        return packed in self

    def _drop(self, page: SampledPage) -> None:
        del self._pages[page.url]
        self.size -= page.size
        if self._by_digest.get(page.digest) is page:
            del self._by_digest[page.digest]

    def keep(self, pages: Collection[SampledPage]) -> None:
        """Drop all pages but these."""
        for page in [page for page in self._pages.values() if page not in pages]:
            self._drop(page)


def shuffled(pages: Iterable[SampledPage]) -> list[SampledPage]:
    """Return pages in an order that depends on all of their texts, so that nobody can choose an address to come first.

    Who writes the pages of a wiki or a blog host would else fill all places of the voters.
    """
    pages = list(pages)
    key = hashlib.blake2b(b"".join(sorted(page.features.text_digest for page in pages)), digest_size=16).digest()

    def order(page: SampledPage) -> bytes:
        address = canonical(page.url) or page.url
        return hashlib.blake2b(address.encode("utf-8", "surrogatepass"), key=key, digest_size=8).digest()

    return sorted(pages, key=order)


def by_type(pages: Iterable[SampledPage], least_names: float = FIT_RULES.common_names) -> list[list[SampledPage]]:
    """Group pages by type.

    A page is of the type of the page with which it has most in common, at least ``least_names`` of the names and
    ``FIT_RULES.common_texts`` of the texts of the site's frame. Only names and texts of several pages count.

    Args:
        pages: distinct pages, in an order that does not depend on that of their arrival.
        least_names: with 0, pages are grouped by their frames alone, as by language.

    Complexity:
        O(pages x types).
    """
    pages = list(pages)
    counts = Counter(name for page in pages for name in page.features.names)
    text_counts = Counter(text for page in pages for text in page.features.texts)
    least = max(2, _FRAME * len(pages))
    # "post-4711" is on a single page and says nothing about a type; a text on two pages of a hundred is of a series
    names = {name for name, count in counts.items() if count > 1}
    texts = {text for text, count in text_counts.items() if count >= least}
    types: list[tuple[frozenset[str], frozenset[int], list[SampledPage]]] = []
    for page in pages:
        of_names, of_texts = page.features.names & names, page.features.texts & texts
        best: tuple[float, list[SampledPage]] | None = None
        for other_names, other_texts, members in types:
            shared = common_share(of_names, other_names)
            # a short page has few of the frame's texts, and may share all of them with a long page
            fewer = min(len(of_texts), len(other_texts))
            # a page without a frame is of no type: eight, made on purpose, would outvote a type that has a frame
            shared_texts = len(of_texts & other_texts) / fewer if fewer else float(not texts)
            # by names the German edition is of the English type, by texts it is not
            is_near = shared >= least_names and shared_texts >= FIT_RULES.common_texts
            if is_near and (best is None or shared + shared_texts > best[0]):
                best = shared + shared_texts, members
        if best is not None:
            best[1].append(page)
        else:
            types.append((of_names, of_texts, [page]))
    return [members for _, _, members in types]


def most_typical(pages: Sequence[SampledPage]) -> SampledPage:
    """Return the page with most of the names and texts that half of the pages have: nobody votes for missing nodes."""
    counts = Counter(feature for page in pages for feature in (*page.features.names, *page.features.texts))
    common = {feature for feature, count in counts.items() if 2 * count >= len(pages)}
    return max(pages, key=lambda page: len(common & page.features.names) + len(common & page.features.texts))


def spread(pages: Iterable[SampledPage], most: int) -> list[SampledPage]:
    """Return up to ``most`` pages, from as many directories as possible: pages of a section share a submenu."""
    # twelve voters from /news/ alone would make the submenu of /news/ stable for all articles
    by_directory: dict[str, list[SampledPage]] = {}
    for page in pages:
        by_directory.setdefault(urlsplit(page.url).path.rpartition("/")[0], []).append(page)
    return [page for row in zip_longest(*by_directory.values()) for page in row if page is not None][:most]
