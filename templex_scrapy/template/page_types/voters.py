"""The pages of a template: how copies are recognised, and what tells that another page is of their type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Self

from templex_scrapy.page import Page, cached_property, text_digest_of
from templex_scrapy.template.metadata.site_title import SiteTitle
from templex_scrapy.template.page_types.page_features import PageFeatures


class Voters:
    """The pages of a template, the key page first.

    Args:
        digests: their digests, in order.
        text_digests: their :attr:`Page.text_digest`, in order.
        names: the names that several of them have (:class:`PageFeatures`) → number of pages.
        single_share: share of the names of such a page that no other one has; the median, in [0, 1].
        site_title: what their titles have in common.

    Attributes:
        key_digest: the digest of the key page.
    """

    def __init__(
        self,
        digests: Iterable[bytes],
        text_digests: Iterable[bytes],
        names: Mapping[str, int],
        single_share: float,
        site_title: SiteTitle,
    ) -> None:
        self.digests = tuple(digests)
        self.text_digests = tuple(text_digests)
        self.names = names
        self.single_share = single_share
        self.site_title = site_title
        self.key_digest = self.digests[0]

    @classmethod
    def of(cls, pages: Sequence[Page]) -> Self:
        """Make the voters of some pages, the key page first."""
        names = [PageFeatures.of(page).names for page in pages]
        counts = Counter(name for some in names for name in some)
        # WordPress writes post-4711 into each page: that much of a further page may be unknown as well
        single = [sum(counts[name] == 1 for name in some) / len(some) if some else 0.0 for some in names]
        return cls(
            [page.digest for page in pages],
            (text_digest_of(page) for page in pages),
            {name: count for name, count in counts.items() if count > 1},
            median(single),
            SiteTitle.of(page.title for page in pages),
        )

    @cached_property
    def common_names(self) -> frozenset[str]:
        """The names that half of the pages have."""
        # a table or a gallery is in some articles, and no mark of their type
        return frozenset(name for name, count in self.names.items() if 2 * count >= len(self.digests))

    def has_text_of(self, page: Page) -> bool:
        """Return whether a page is among the voters, or has the same text as one of them."""
        return text_digest_of(page) in self.text_digests

    def is_key(self, page: Page) -> bool:
        """Return whether a page has the source of the key page; that is hashed only if the texts are the same."""
        return text_digest_of(page) == self.text_digests[0] and page.digest == self.key_digest
