"""The template of a key page (TemEx, thesis chapter 9), and what of it is found in other pages.

The template serves any page of the site: the pages that voted for a node of the key page vote for the node that is
mapped to it as well.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Self

from templex_scrapy.mapping import TEMPLEX, Similarity
from templex_scrapy.page import Page, cached_property, distinct
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.template import codec
from templex_scrapy.template.blocks import Blocks
from templex_scrapy.template.key_page import KeyPage
from templex_scrapy.template.match import Alignment, Match
from templex_scrapy.template.node_flags import positions_of, template_nodes
from templex_scrapy.template.page_type import PageFeatures, checksums
from templex_scrapy.template.selectors import Selectors
from templex_scrapy.template.voters import Voters
from templex_scrapy.template.votes import take_votes

_NODE_BYTES = 300
_VALUE_BYTES = 150


class Template:
    """A key page with the votes on its nodes. Made by :meth:`from_pages`, :meth:`from_dict` or :func:`find_template`.

    Attributes:
        key_url: URL of the key page.
        page_urls: URLs of the pages that voted, in the order in which they were given.
        votes: votes that a node needs; where fewer pages can vote, all of them must agree.
        is_lone: whether it serves its key page alone, because the voters are of other types.
    """

    def __init__(
        self,
        key_page: KeyPage,
        *,
        urls: Sequence[str],
        voters: Voters,
        similarity: Similarity,
        is_lone: bool = False,
    ) -> None:
        self.key_url, *pages = urls
        self.page_urls: tuple[str, ...] = tuple(pages)
        self.votes = key_page.votes
        self.key_page = key_page
        self.voters = voters
        self.similarity = similarity
        self.is_lone = is_lone

    @classmethod
    def from_pages(
        cls,
        key: Page,
        pages: Iterable[Page],
        votes: int = 2,
        *,
        similarity: Similarity = TEMPLEX,
        is_lone: bool = False,
    ) -> Self:
        """Let pages vote on the nodes of a key page.

        Args:
            key: the key page.
            pages: the pages of its complete subdigraph. Copies of the key page, or of each other, have no vote.
            votes: pages that must have a node for it to be template, at least 1.
            similarity: the parameters of the mapping.
            is_lone: whether the pages are of other types than the key page.

        Raises:
            ValueError: if ``votes`` is less than 1.
        """
        _check_votes(votes)
        pages = distinct([key, *pages])
        values = [page.values for page in pages]
        ballot = take_votes(values[0], values[1:], similarity)
        return cls(
            KeyPage(values[0], ballot, votes, Blocks.common_to(values)),
            urls=[page.url for page in pages],
            voters=Voters.of(pages),
            similarity=similarity,
            is_lone=is_lone,
        )

    def is_voter(self, page: Page) -> bool:
        """Return whether a page has voted, as the key page has, or is another version of such a page, as a cleaned one.

        Neither may vote on itself.
        """
        return self.voters.has_text_of(page) or page.url == self.key_url or page.url in self.page_urls

    def is_key(self, page: PageFeatures) -> bool:
        """Return whether a page is the key page, another version of it, or has the same text."""
        return page.url == self.key_url or page.text_digest == self.voters.text_digests[0]

    def tells_more_than(self, other: Template) -> bool:
        """Return whether it serves more pages than another one of the same key page, or has more voters."""
        return (not self.is_lone, len(self.page_urls)) > (not other.is_lone, len(other.page_urls))

    @property
    def identity(self) -> tuple[str, str]:
        """URL and digest of the key page, which do not change when the template grows."""
        return self.key_url, self.voters.key_digest.hex()

    def __eq__(self, other: object) -> bool:
        """Return whether it is the same key page with the same votes; O(1) for other key pages, else O(size)."""
        if not isinstance(other, Template):
            return NotImplemented
        return self is other or (self.identity == other.identity and self.to_dict() == other.to_dict())

    def __hash__(self) -> int:
        return hash(self.identity)

    @property
    def is_empty(self) -> bool:
        """Whether no page voted; then no page fits."""
        return not self.page_urls

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Positions of the template nodes in the key page."""
        if self.is_empty:
            return frozenset()
        return positions_of(template_nodes(self.key_page.arrays, self.key_page.flags(own_vote=1)))

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts of the key page that are template; none if the pages share only elements."""
        arrays, equal = self.key_page.arrays, self.key_page.flags(own_vote=1).equal
        return frozenset(text for text, flag in zip(arrays.texts, equal, strict=True) if flag and text is not None)

    @cached_property
    def checksums(self) -> frozenset[int]:
        """The checksums of those of :attr:`texts` that are short."""
        return checksums(self.texts)

    def match(self, page: Page, *, preserve: Iterable[str] = (), remove: Iterable[str] = ()) -> Match:
        """Compare a page with the template.

        Args:
            page: any page.
            preserve: CSS selectors of what is kept, with its descendants and ancestors.
            remove: CSS selectors of what goes whatever other pages have, unless it is to be kept.

        Raises:
            cssselect.SelectorError: if a selector is invalid, or cannot be applied to HTML.
        """
        alignments = [] if self.is_empty or page.is_cut else [Alignment(page, self)]
        return Match(page, alignments, selectors=Selectors(preserve, remove))

    def to_dict(self) -> dict[str, Any]:
        """Return the template as plain data (strings, numbers, lists, dicts) that JSON and MessagePack can write."""
        urls = [self.key_url, *self.page_urls]
        return codec.to_dict(self.key_page, urls, self.voters, self.similarity, is_lone=self.is_lone)

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Return the template that :meth:`to_dict` wrote.

        Raises:
            ValueError: if the data is damaged, or of another version.
        """
        return cls(**codec.from_dict(data))

    @cached_property
    def nbytes(self) -> int:
        """Bytes of memory that the template takes, roughly."""
        key, arrays = self.key_page, self.key_page.arrays
        characters = sum(map(len, set(arrays.tag_strings))) + sum(len(text) for text in arrays.texts if text)
        values = sum(map(len, key.ballot.other_values.values())) + len(key.blocks.pages)
        return characters + _NODE_BYTES * len(arrays.tag_strings) + _VALUE_BYTES * values

    def __repr__(self) -> str:
        return f"<Template of {self.key_url}, {len(self.page_urls)} pages voted>"


def _check_votes(votes: int) -> None:
    if votes < 1:
        raise ValueError(f"votes is {votes!r}: allowed are 1 and more")


def find_template(
    key: Page,
    fetch: Callable[[str], Page | None],
    size: int = 3,
    votes: int = 2,
    max_loads: int = 60,
    *,
    similarity: Similarity = TEMPLEX,
) -> Template:
    """Find a complete subdigraph among the key page's links, and the template that it votes for.

    Args:
        key: the key page.
        fetch: returns the page at a URL, or None where there is none.
        size: pages of the complete subdigraph, at least 1.
        votes: pages that must have a node for it to be template, at least 1.
        max_loads: pages to fetch at most.
        similarity: the parameters of the mapping.

    Returns:
        The template; it is empty if no page was loaded.

    Raises:
        ValueError: if a number is out of range.
    """
    search = SubdigraphSearch(key, size, max_loads)
    while wanted := search.wanted():
        search.add(wanted[0], fetch(wanted[0]))
    return Template.from_pages(key, search.pages, votes, similarity=similarity)


async def find_template_async(
    key: Page,
    fetch: Callable[[str], Awaitable[Page | None]],
    size: int = 3,
    votes: int = 2,
    max_loads: int = 60,
    *,
    similarity: Similarity = TEMPLEX,
) -> Template:
    """Find a template as :func:`find_template` does, with a ``fetch`` that is awaited, in callbacks and elsewhere."""
    search = SubdigraphSearch(key, size, max_loads)
    while wanted := search.wanted():
        search.add(wanted[0], await fetch(wanted[0]))
    return Template.from_pages(key, search.pages, votes, similarity=similarity)
