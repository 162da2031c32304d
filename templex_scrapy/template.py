"""The template of a key page, and what of it is found in another page.

A template is a key page with the votes of the pages of its complete subdigraph (TemEx, thesis chapter 9). It serves any
page of the site: the pages that voted for a node of the key page vote for the node that is mapped to it as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from functools import cached_property
from itertools import accumulate
from typing import Any, Self

from templex_scrapy import stored
from templex_scrapy.blocks import Blocks
from templex_scrapy.facts import Facts, facts_of
from templex_scrapy.findings import KeyPage, positions_of, repeated
from templex_scrapy.mapping import Mapping, overlay
from templex_scrapy.match import Match, Reading, Recalled
from templex_scrapy.page import Page
from templex_scrapy.seen import Seen, distinct
from templex_scrapy.similarity import TEMPLEX, Similarity
from templex_scrapy.subdigraph import SubdigraphSearch
from templex_scrapy.votes import take_votes, without


class Template:
    """A key page with the votes on its nodes. Made by :meth:`from_pages`, :meth:`from_dict` or :func:`find_template`.

    Attributes:
        key_url: URL of the key page.
        page_urls: URLs of the pages that voted, in the order in which they were given.
        votes: votes that make a node template; where fewer pages can vote, all of them must.
    """

    def __init__(self, key: KeyPage, *, urls: Sequence[str], similarity: Similarity, seen: Seen) -> None:
        self.key_url, *pages = urls
        self.page_urls: tuple[str, ...] = tuple(pages)
        self.votes = key.votes
        self._key = key
        self._similarity = similarity
        self._seen = seen

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
            votes: pages that must have a node for it to be template, at least 1.
            content: positions of nodes of the key page that are no template, with what they hold, whatever the votes.
            similarity: the parameters of the mapping.

        Raises:
            ValueError: if ``votes`` is less than 1.
        """
        if votes < 1:
            raise ValueError(f"votes is {votes!r}: allowed are 1 and more")
        pages = distinct([key, *pages])
        facts = [facts_of(page) for page in pages]
        outline, positions = without(key.outline, content)
        # what was taken out as content stays content, wherever else it stands
        blocks = Blocks.common_to(facts) if not content else Blocks({}, ())
        ballot = take_votes(Facts(outline, facts[0].base, key.url), facts[1:], similarity)
        if content:
            ballot = ballot.spread(positions, len(key))
        return cls(
            KeyPage(facts[0], ballot, votes, blocks),
            urls=[page.url for page in pages],
            similarity=similarity,
            seen=Seen.of(pages),
        )

    @property
    def is_empty(self) -> bool:
        """Whether no page voted: then no page fits."""
        return not self._key.ballot.voters

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Positions of the template nodes in the key page."""
        return positions_of(self._nodes)

    @property
    def places(self) -> frozenset[int]:
        """Positions of the nodes of the key page that are found on enough pages, whatever they say there."""
        found = (self._key.enough(votes + 1, own_vote=1) for votes in self._key.ballot.place)
        return frozenset() if self.is_empty else positions_of(bytearray(found))

    @cached_property
    def _nodes(self) -> bytearray:
        if self.is_empty:
            return bytearray(len(self._key.outline.labels))
        return repeated(self._key.outline, self._key.flags(own_vote=1).same)

    @cached_property
    def _nodes_before(self) -> list[int]:
        return [0, *accumulate(self._nodes)]

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
        page.outline.adopt_features(self._key.outline)
        if page.digest == self._seen.key_digest:
            mapping = Mapping([], [(0, 0, len(page))])
        else:
            mapping = overlay(page.outline, self._key.outline, self._similarity)
        reading = Reading(
            page=facts_of(page),
            key=self._key,
            mapping=mapping,
            own_vote=int(page.digest in self._seen.digests),
            coverage=self._coverage(mapping),
            unfamiliar=self._seen.unfamiliar(page.outline),
        )
        return Match(page, reading, preserve)

    def unfamiliar(self, page: Page) -> float:
        """As in :class:`Match`, without laying the page over the key page; a fraction of the cost."""
        page.outline.adopt_features(self._key.outline)
        return self._seen.unfamiliar(page.outline)

    @staticmethod
    def recall(match: Match, others: Iterable[Template]) -> Match:
        """Add to a match the blocks that further templates of the site know, wherever they stand in the page."""
        keys = [(other._key, int(match.page.digest in other._seen.digests)) for other in others]
        return Recalled(match, keys) if keys else match

    def _coverage(self, mapping: Mapping) -> float:
        before = self._nodes_before
        found = sum(before[other + length] - before[other] for _, other, length in mapping.runs)
        found += sum(self._nodes[other] for _, other in mapping.pairs)
        return found / before[-1] if before[-1] else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The template as plain data (strings, numbers, lists, dicts) that JSON and MessagePack can write."""
        outline, ballot = self._key.outline, self._key.ballot
        return {
            "format": stored.FORMAT,
            "urls": [self.key_url, *self.page_urls],
            "votes": self.votes,
            "similarity": asdict(self._similarity),
            "base": self._key.facts.base,
            "labels": list(outline.labels),
            "texts": list(outline.texts),
            "sizes": list(outline.sizes),
            "voters": ballot.voters,
            "place": list(ballot.place),
            "same": list(ballot.same),
            "others": [[position, dict(said)] for position, said in sorted(ballot.others.items())],
            "blocks": dict(sorted(self._key.blocks.pages.items())),
            "shapes": sorted(map(list, self._key.blocks.shapes)),
            "digests": [digest.hex() for digest in self._seen.ordered],
            "kinds": sorted(self._seen.kinds),
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The template that :meth:`to_dict` wrote.

        Raises:
            ValueError: if the data is not of that form, or of another version of it.
        """
        return cls(**stored.read(data))

    def __repr__(self) -> str:
        return f"<Template of {self.key_url}, {len(self.page_urls)} pages voted>"


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
