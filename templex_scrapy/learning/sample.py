"""The pages that a site is learnt from: a bounded sample, the order of which does not matter."""

from __future__ import annotations

import hashlib
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Self
from urllib.parse import urlsplit

from templex_scrapy.page import Page, ParseCache, nodes_of, parse_cache_of, release_tree, text_digest_of
from templex_scrapy.template import FIT_RULES, PageFeatures, common_share

_PAGE_BYTES = 500  # of the objects around the source and the features
_FRAME = 0.1  # texts on a smaller share of the pages say nothing of a type


@dataclass(frozen=True, slots=True, eq=False)
class SampledPage:
    """A page of the sample: its source, compressed, and no tree.

    Attributes:
        features: what tells which page it is, and of what type.
        packed: its source, compressed.
        order: a hash of the address. In this order a choice of pages depends on nothing else.
        parse_cache: that of the page.
    """

    features: PageFeatures
    packed: bytes
    order: bytes
    parse_cache: ParseCache | None = None

    @classmethod
    def of(cls, page: Page, features: PageFeatures) -> Self:
        """Pack a page."""
        url = page.url.encode("utf-8", "surrogatepass")
        return cls(
            features=features,
            packed=zlib.compress(page.text.encode("utf-8", "surrogatepass"), level=1),
            order=hashlib.blake2b(url, digest_size=8).digest(),
            parse_cache=parse_cache_of(page),
        )

    @property
    def page(self) -> Page:
        """The page, unpacked and read, without its tree: thirteen pages at a time vote for a template."""
        text = zlib.decompress(self.packed).decode("utf-8", "surrogatepass")
        page = Page(text, self.features.url, parse_cache=self.parse_cache)
        nodes_of(page)
        release_tree(page)
        return page

    @property
    def nbytes(self) -> int:
        """Bytes that it takes, roughly."""
        return len(self.packed) + self.features.nbytes + _PAGE_BYTES


class Sample:
    """Distinct pages of a site: of pages with the same text, but for numbers, one.

    Args:
        max_pages: pages, at least 1.
        max_bytes: bytes of the compressed pages. The oldest ones are dropped first.

    Attributes:
        nbytes: bytes of the pages, roughly.
    """

    def __init__(self, max_pages: int, max_bytes: int) -> None:
        self.max_pages = max_pages
        self.max_bytes = max_bytes
        self.nbytes = 0
        self._pages: dict[bytes, SampledPage] = {}  # by text digest
        self._by_digest: dict[bytes, SampledPage] = {}

    def __len__(self) -> int:
        return len(self._pages)

    def __iter__(self) -> Iterator[SampledPage]:
        """Iterate over the pages in their order, which does not depend on that of their arrival."""
        return iter(sorted(self._pages.values(), key=lambda page: page.order))

    def __contains__(self, page: SampledPage) -> bool:
        return self._pages.get(page.features.text_digest) is page

    def find(self, page: Page) -> SampledPage | None:
        """Return the page of the sample with the same text; a page with the same source is found without a parse."""
        return self._by_digest.get(page.digest) or self._pages.get(text_digest_of(page))

    def add(self, page: Page, features: PageFeatures) -> SampledPage | None:
        """Add a page, unless it is in the sample, or alone too large for it; returns what was added."""
        # /news and /news?print=1 are one page: the second one would vote for the story of the first
        if self.find(page) is not None:
            return None
        packed = SampledPage.of(page, features)
        if packed.nbytes > self.max_bytes:
            return None
        self._pages[packed.features.text_digest] = self._by_digest[packed.features.digest] = packed
        self.nbytes += packed.nbytes
        while len(self._pages) > self.max_pages or self.nbytes > self.max_bytes:
            self.remove([next(iter(self._pages.values()))])
        return packed

    def remove(self, pages: Iterable[SampledPage]) -> None:
        """Remove pages."""
        for page in pages:
            if self._pages.pop(page.features.text_digest, None) is not None:
                del self._by_digest[page.features.digest]
                self.nbytes -= page.nbytes


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
    # "post-4711", a name of one page, tells nothing of a type; a text on two pages of a hundred belongs to a series
    names = {name for name, count in counts.items() if count > 1}
    texts = {text for text, count in text_counts.items() if count >= least}
    types: list[tuple[frozenset[str], frozenset[int], list[SampledPage]]] = []
    for page in pages:
        of_names, of_texts = page.features.names & names, page.features.texts & texts
        best: tuple[float, list[SampledPage]] | None = None
        for other_names, other_texts, members in types:
            shared = common_share(of_names, other_names)
            # a short page has few of the frame's texts, and may have all that it needs in common with a long one
            fewer = min(len(of_texts), len(other_texts))
            shared_texts = len(of_texts & other_texts) / fewer if fewer else 1.0
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
    """Return the page that has most of what half of the pages have: what a key page lacks, nobody can vote for."""
    counts = Counter(feature for page in pages for feature in (*page.features.names, *page.features.texts))
    common = {feature for feature, count in counts.items() if 2 * count >= len(pages)}

    def rank(page: SampledPage) -> tuple[int, bytes]:
        return len(common & page.features.names) + len(common & page.features.texts), page.order

    return max(pages, key=rank)


def spread(pages: Iterable[SampledPage], most: int) -> list[SampledPage]:
    """Return some of the pages, from as many directories as there are: pages of one section share its submenu."""
    # twelve voters from /news/ alone would make the submenu of /news/ stable for all articles
    by_directory: dict[str, list[SampledPage]] = {}
    for page in pages:
        by_directory.setdefault(urlsplit(page.features.url).path.rpartition("/")[0], []).append(page)
    sections = sorted(by_directory.values(), key=lambda section: section[0].order)
    return [page for row in zip_longest(*sections) for page in row if page is not None][:most]
