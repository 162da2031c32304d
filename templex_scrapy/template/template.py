"""The template of a key page, and what of it is found in another page.

A template is a key page with the votes of the pages of its complete subdigraph (TemEx, thesis chapter 9). It serves any
page of the site: the pages that voted for a node of the key page vote for the node that is mapped to it as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import accumulate
from operator import and_
from typing import Any, Self

from templex_scrapy.mapping import TEMPLEX, MappingCache, NodeMapping, Similarity, map_trees
from templex_scrapy.page import NodeValues, Page
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.template import codec
from templex_scrapy.template.blocks import Blocks
from templex_scrapy.template.key_page import KeyPage, positions_of, repeated
from templex_scrapy.template.match import Match, Reading, Recalled
from templex_scrapy.template.voters import Voters, distinct, distinct_in_words, wording
from templex_scrapy.template.votes import take_votes, without

Identity = tuple[str, str]

_NODE_BYTES = 300
_SAID_BYTES = 150


class Template:
    """A key page with the votes on its nodes. Made by :meth:`from_pages`, :meth:`from_dict` or :func:`find_template`.

    Attributes:
        key_url: URL of the key page.
        page_urls: URLs of the pages that voted, in the order in which they were given.
        votes: votes that let a node go; where fewer pages can vote, all of them must.
    """

    def __init__(
        self,
        key: KeyPage,
        *,
        urls: Sequence[str],
        similarity: Similarity,
        seen: Voters,
        mapping_cache: MappingCache | None = None,
    ) -> None:
        self.key_url, *pages = urls
        self.page_urls: tuple[str, ...] = tuple(pages)
        self.votes = key.votes
        self._key = key
        self._similarity = similarity
        self._seen = seen
        self._pairings = mapping_cache if mapping_cache is not None else MappingCache(key.arrays, similarity)

    @classmethod
    def from_pages(
        cls,
        key: Page,
        pages: Iterable[Page],
        votes: int = 2,
        *,
        content: frozenset[int] = frozenset(),
        similarity: Similarity = TEMPLEX,
    ) -> Self:
        """Let pages vote on the nodes of a key page.

        Args:
            key: the key page.
            pages: the pages of its complete subdigraph. Copies of the key page, or of each other, have no vote.
            votes: pages that must have a node for it to be template, and to go, at least 1.
            content: positions of nodes of the key page that are no template, with what they hold, whatever the votes.
            similarity: the parameters of the mapping.

        Raises:
            ValueError: if ``votes`` is less than 1.
        """
        _check_votes(votes)
        pages = distinct([key, *pages])
        node_values = [page.values for page in pages]
        arrays, positions = without(key.arrays, content)
        # what was taken out as content stays content, wherever else it stands
        repeating = [] if content else node_values
        ballot = take_votes(NodeValues(arrays, node_values[0].base, key.url), node_values[1:], similarity)
        if content:
            ballot = ballot.spread(positions, len(key))
        return cls(
            KeyPage(node_values[0], ballot, votes, Blocks.common_to(repeating)),
            urls=[page.url for page in pages],
            similarity=similarity,
            seen=Voters.of(pages),
        )

    def joined(self, pages: Iterable[Page], votes: int) -> Self:
        """The same key page with further voters.

        Args:
            pages: pages of its kind. Copies of the key page, of each other or of one that has voted have no vote.
            votes: as in :meth:`from_pages`, for all the voters together.

        Raises:
            ValueError: if ``votes`` is less than 1.
        """
        _check_votes(votes)
        key = self._key
        new = self.new_among(pages)
        node_values = [page.values for page in new]
        ballot = take_votes(key.node_values, node_values, self._similarity, key.ballot)
        is_barred = -1 in key.ballot.place
        # what was taken out as content stays content, wherever else it stands
        repeating = [] if is_barred else node_values
        return type(self)(
            KeyPage(
                key.node_values,
                ballot.barred(key.ballot) if is_barred else ballot,
                votes,
                key.blocks.joined(repeating),
            ),
            urls=[self.key_url, *self.page_urls, *(page.url for page in new)],
            similarity=self._similarity,
            seen=self._seen.joined(new),
            mapping_cache=self._pairings,
        )

    def new_among(self, pages: Iterable[Page]) -> list[Page]:
        """The pages that would have a vote: no copies of each other, of the key page or of one that has voted."""
        return [
            page
            for page in distinct_in_words(pages)
            if page.arrays.texts != self._key.arrays.texts and not self.has_seen(page)
        ]

    @property
    def identity(self) -> Identity:
        """What names it among the templates of its site, however it grows: address and source of the key page."""
        return self.key_url, self._seen.key_digest.hex()

    def made(self, match: Match) -> bool:
        """Whether a match is one with this template."""
        return match._reading is not None and match._reading.key is self._key

    def has_seen(self, page: Page) -> bool:
        """Whether a page is the key page or has voted, or says the same as one that has."""
        return page.digest in self._seen.digests or wording(page) in self._seen.wordings

    @property
    def says_something(self) -> bool:
        """Whether any text is template: pages that share nothing but their ``body`` have no template."""
        return bool(self._said)

    @property
    def is_empty(self) -> bool:
        """Whether no page voted: then no page fits."""
        return not self._key.ballot.voters

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Positions of the template nodes in the key page."""
        if self.is_empty:
            return frozenset()
        key = self._key
        return positions_of(repeated(key.arrays, key.flags(own_vote=1)))

    @property
    def places(self) -> frozenset[int]:
        """Positions of the nodes of the key page that are found on enough pages, whatever they say there."""
        least = self._key.least_votes(own_vote=1) - 1
        found = bytearray([votes >= least for votes in self._key.ballot.place])
        return frozenset() if self.is_empty else positions_of(found)

    @cached_property
    def _core(self) -> bytearray:
        """The template nodes that nearly all voters have; what few of them have, few pages have."""
        if self.is_empty:
            return bytearray(len(self._key.arrays.tag_strings))
        flags = self._key.flags(own_vote=1)
        return bytearray(map(and_, repeated(self._key.arrays, flags), flags.firm))

    @cached_property
    def _core_before(self) -> list[int]:
        return [0, *accumulate(self._core)]

    def match(self, page: Page, *, preserve: Iterable[str] = ()) -> Match:
        """Lay a page over the key page.

        Args:
            page: any page.
            preserve: CSS selectors; what they match stays, with what it holds and what holds it.

        Raises:
            cssselect.SelectorError: if a selector is none, or cannot be applied to HTML.
        """
        if self.is_empty or page.is_cut:
            return Match(page, preserve=preserve)
        page.arrays.share_start_tags(self._key.arrays)
        if page.digest == self._seen.key_digest:
            mapping = NodeMapping([], [(0, 0, len(page))])
        else:
            mapping = map_trees(page.arrays, self._key.arrays, self._similarity, self._pairings)
        reading = Reading(
            page=page.values,
            key=self._key,
            mapping=mapping,
            own_vote=int(page.digest in self._seen.digests),
            coverage=self._coverage(mapping),
            unfamiliar=self._seen.unfamiliar(page.arrays),
        )
        return Match(page, reading, preserve)

    def unfamiliar(self, page: Page) -> float:
        """Share of a page's kinds of elements that none of the template's pages has: a fraction of a match's cost."""
        page.arrays.share_start_tags(self._key.arrays)
        return self._seen.unfamiliar(page.arrays)

    def lacking(self, page: Page) -> float:
        """Share of the template's texts that a page has nowhere, in [0, 1]."""
        known = self._said
        return len(known - page.arrays.text_set) / len(known) if known else 0.0

    @cached_property
    def _said(self) -> frozenset[str]:
        """The texts of the template."""
        same = self._key.flags(own_vote=1).same
        return frozenset(
            text for text, flag in zip(self._key.arrays.texts, same, strict=True) if flag and text is not None
        )

    @cached_property
    def bytes(self) -> int:
        """Bytes that it takes in memory, roughly."""
        key, arrays = self._key, self._key.arrays
        words = sum(map(len, set(arrays.tag_strings))) + sum(len(text) for text in arrays.texts if text is not None)
        said = sum(map(len, key.ballot.others.values())) + len(key.blocks.pages)
        return words + _NODE_BYTES * len(arrays.tag_strings) + _SAID_BYTES * said

    def _coverage(self, mapping: NodeMapping) -> float:
        before = self._core_before
        found = sum(before[other + length] - before[other] for _, other, length in mapping.runs)
        found += sum(self._core[other] for _, other in mapping.pairs)
        return found / before[-1] if before[-1] else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The template as plain data (strings, numbers, lists, dicts) that JSON and MessagePack can write."""
        arrays, ballot = self._key.arrays, self._key.ballot
        return {
            "format": codec.FORMAT,
            "urls": [self.key_url, *self.page_urls],
            "votes": self.votes,
            "similarity": asdict(self._similarity),
            "base": self._key.node_values.base,
            "labels": list(arrays.tag_strings),
            "texts": list(arrays.texts),
            "sizes": list(arrays.sizes),
            "voters": ballot.voters,
            "place": list(ballot.place),
            "same": list(ballot.same),
            "others": [[position, dict(said)] for position, said in sorted(ballot.others.items())],
            "blocks": dict(sorted(self._key.blocks.pages.items())),
            "shapes": sorted(map(list, self._key.blocks.shapes)),
            "digests": [digest.hex() for digest in self._seen.ordered],
            "kinds": sorted(self._seen.kinds),
            "wordings": sorted(wording.hex() for wording in self._seen.wordings),
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The template that :meth:`to_dict` wrote.

        Raises:
            ValueError: if the data is not of that form, or of another version of it.
        """
        return cls(**codec.read(data))

    def __repr__(self) -> str:
        return f"<Template of {self.key_url}, {len(self.page_urls)} pages voted>"


class Recollection:
    """The blocks that the templates of a site know, as one: what a page of one kind has of another's.

    Args:
        templates: the templates.
    """

    def __init__(self, templates: Iterable[Template]) -> None:
        self._templates = templates = tuple(templates)
        self._blocks = Blocks.merged((template._key.blocks, template._key.least_pages) for template in templates)
        self._seen = frozenset().union(*(template._seen.digests for template in templates))

    def recall(self, match: Match) -> Match:
        """Add the blocks to a match, wherever they stand in the page."""

        def others() -> Iterable[Match]:
            return (template.match(match.page) for template in self._templates if not template.made(match))

        # a page has no vote on itself
        return Recalled(match, self._blocks, 1 + (match.page.digest in self._seen), others)


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
    """The papers' whole tool: find a complete subdigraph among the key page's links, and the template it votes for.

    Args:
        key: the key page.
        fetch: brings the page at a URL, or None where there is none.
        size: pages of the complete subdigraph, at least 1.
        votes: pages that must have a node for it to be template, at least 1.
        max_loads: pages to fetch at most.
        similarity: the parameters of the mapping.

    Returns:
        The template; an empty one if no page could be had.

    Raises:
        ValueError: if a number is out of range.
    """
    search = SubdigraphSearch(key, size, max_loads)
    while wanted := search.wanted():
        search.add(wanted[0], fetch(wanted[0]))
    return Template.from_pages(key, search.pages, votes, similarity=similarity)
