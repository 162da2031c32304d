"""Why a node of a page is template or is none: what the pages of the template have to say about it.

A match knows how many pages voted for a node; here the votes are told node by node, in the terms of the rules that use
them (place, and what the node says there), and page by page for those pages that are at hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from templex_scrapy.mapping import TEMPLEX, Similarity
from templex_scrapy.page import LINKS, TEXT, NodeValues, Page
from templex_scrapy.template.key_page import KeyPage
from templex_scrapy.template.match import Combined, Match, Reading
from templex_scrapy.template.voters import distinct
from templex_scrapy.template.votes import Ballot, take_votes


class Fate(StrEnum):
    """What becomes of a node when its page is cleaned."""

    GOES = "goes"
    """Template, and taken out with all that it holds."""

    STAYS = "stays"
    """Template, and kept: it holds something of the page's own, or is part of something that stays whole."""

    OWN = "own"
    """The page's own."""


class Says(StrEnum):
    """What kind of thing a node says that has to be the same on other pages as well (see ``page.node_values``)."""

    NOTHING = "nothing"
    WORDS = "words"
    TARGET = "target"
    SOURCE = "source"
    VALUE = "value"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageVote:
    """What one page of the template says about a node.

    Attributes:
        url: the page.
        place: whether it has the node at this place.
        same: whether the node is there and says the same.
    """

    url: str
    place: bool
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why a node is what it is.

    Attributes:
        position: the node's position in the page.
        fate: what becomes of it.
        says: what kind of thing it says.
        voters: pages of the template that could vote, the page itself not among them.
        needed: votes that make a node template.
        place: pages among the voters that have the node at this place.
        same: pages among the voters on which it is there and says the same; for a node that says nothing, ``place``.
        is_barred: whether the node had no vote, because it was taken for content beforehand.
        votes: the single votes of the pages that are at hand.
    """

    position: int
    fate: Fate
    says: Says
    voters: int
    needed: int
    place: int
    same: int
    is_barred: bool
    votes: tuple[PageVote, ...]

    @property
    def is_block(self) -> bool:
        """Whether it is template not by its place: it is in a block that stands elsewhere on other pages."""
        return self.fate is not Fate.OWN and min(self.place, self.same) < self.needed


class Explanation:
    """The reasons for all nodes of a page.

    Args:
        match: the page laid over a template; of a page that several templates fit, the one with the best coverage
            speaks.
        pages: pages of the template, the key page or voters, in any order: their votes are told one by one.
        similarity: the parameters of the mapping that the template was made with.

    Complexity:
        Each page in ``pages`` is laid over the key page once more.
    """

    def __init__(self, match: Match, pages: Iterable[Page] = (), *, similarity: Similarity = TEMPLEX) -> None:
        self._match = match
        self._reading = _reading_of(match)
        self._counterparts = {} if self._reading is None else self._reading.mapping.positions()
        self._node_values = match.page.values
        self._single: list[tuple[str, Ballot]] = []
        if self._reading is not None:
            key = self._reading.key
            voters = _voters(match.page, key, pages)
            self._single = [(page.url, take_votes(key.node_values, [page.values], similarity)) for page in voters]

    @property
    def pages(self) -> tuple[str, ...]:
        """URLs of the pages whose votes are told one by one, in the order of ``Reason.votes``."""
        return tuple(url for url, _ in self._single)

    def reason(self, position: int) -> Reason:
        """Why the node at a position of the page is what it is.

        Raises:
            IndexError: if the page has no such node.
        """
        if not 0 <= position < len(self._match.page):
            raise IndexError(f"position {position} is not in a page of {len(self._match.page)} nodes")
        reading, said = self._reading, self._node_values.value(position)
        other = self._counterparts.get(position)
        voters = needed = place = same = 0
        is_barred = False
        if reading is not None:
            voters = reading.key.ballot.voters + 1 - reading.own_vote
            needed = min(reading.key.votes, voters)
            if other is not None:
                is_barred = reading.key.ballot.place[other] < 0
                place, same = _votes(reading, other, said)
        return Reason(
            position=position,
            fate=self._fate(position),
            says=_kind(self._node_values, position, said),
            voters=voters,
            needed=needed,
            place=place,
            same=same,
            is_barred=is_barred,
            votes=tuple(self._vote(url, ballot, other, said) for url, ballot in self._single),
        )

    def _fate(self, position: int) -> Fate:
        if position in self._match.removable:
            return Fate.GOES
        return Fate.STAYS if self._match.fits and position in self._match.nodes else Fate.OWN

    def _vote(self, url: str, ballot: Ballot, other: int | None, said: str | None) -> PageVote:
        if other is None or self._reading is None or ballot.place[other] < 1:
            return PageVote(url=url, place=False, same=False)
        if said is None:
            return PageVote(url=url, place=True, same=True)
        if said == self._reading.key.node_values.all_values[other]:
            return PageVote(url=url, place=True, same=ballot.same[other] > 0)
        return PageVote(url=url, place=True, same=said in ballot.others.get(other, {}))


def _reading_of(match: Match) -> Reading | None:
    if isinstance(match, Combined):
        return _reading_of(max(match._matches, key=lambda one: one.coverage))  # noqa: SLF001 - has no public form
    return match._reading  # noqa: SLF001 - as above


def _voters(own: Page, key: KeyPage, pages: Iterable[Page]) -> list[Page]:
    """The pages that have a vote on a page: not itself, and no copies."""
    if own.arrays.texts == key.arrays.texts:
        return distinct([own, *pages])[1:]
    return [page for page in distinct(pages) if page.digest != own.digest]


def _votes(reading: Reading, other: int, said: str | None) -> tuple[int, int]:
    """Votes for the place, and for what is said there, of a node of the key page; the page's own vote not counted."""
    # the key page has the node; it counts as a page of its own unless it is the page itself
    place = max(reading.key.ballot.place[other] + 1 - reading.own_vote, 0)
    if said is None:
        return place, place
    return place, max(reading.key.agreeing(other, said) - reading.own_vote, 0)


def _kind(node_values: NodeValues, position: int, said: str | None) -> Says:
    if said is None:
        return Says.NOTHING
    if node_values.arrays.tag_strings[position] == TEXT:
        return Says.WORDS
    if node_values.arrays.start_tag(position).tag in LINKS:
        return Says.TARGET
    return Says.SOURCE if node_values.is_media(position) else Says.VALUE
