"""A page laid over a template: what of it is template, and what may go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from templex_scrapy.mapping import NodeMapping
from templex_scrapy.page import NodeValues, Page
from templex_scrapy.render import html
from templex_scrapy.template.blocks import Blocks
from templex_scrapy.template.key_page import Flags, KeyPage, find_blocks, find_flags, positions_of, repeated, spare
from templex_scrapy.template.preserve import compile_selectors, keep_selected
from templex_scrapy.template.removal import keep_passages, removal_roots

FIT_COVERAGE = 0.7
"""A page fits a template of which it has at least this share of the template nodes."""

MAX_UNFAMILIAR = 0.3
"""A page with a larger share of kinds of elements that the template's pages have not is of another kind."""

MIN_AGREEMENT = 0.7
"""A page with a smaller share of the template's texts is of another kind, or in another language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A page laid over a key page.

    Attributes:
        page: what the page says.
        key: the key page with the votes on it.
        mapping: the page laid over the key page.
        own_vote: 1 if the page is the key page or one that voted, else 0.
        coverage: template nodes found in the page / template nodes.
        unfamiliar: share of the page's kinds of elements that none of the template's pages has.
    """

    page: NodeValues
    key: KeyPage
    mapping: NodeMapping
    own_vote: int
    coverage: float
    unfamiliar: float


class Match:
    """What of a page is found in a template. Made by ``Template.match`` and :func:`combine`.

    Args:
        page: the page.
        reading: the page laid over the template's key page; None where nothing can be told.
        preserve: CSS selectors; what they match stays, with what it holds and what holds it.

    Attributes:
        coverage: template nodes found in the page / template nodes, in [0, 1].
        fits: whether that is enough for the template to speak for the page.
        unfamiliar: share of the page's kinds of elements, by tag and class names, that none of the template's pages
            has, in [0, 1]. A page of another kind shares header and footer with the key page, which makes for a high
            coverage; what is template in the rest of it, the template cannot know.

    Raises:
        cssselect.SelectorError: if a selector is none, or cannot be applied to HTML.
    """

    def __init__(self, page: Page, reading: Reading | None = None, preserve: Iterable[str] = ()) -> None:
        self.page = page
        self.coverage = reading.coverage if reading is not None else 0.0
        self.fits = self.coverage >= FIT_COVERAGE
        self.unfamiliar = reading.unfamiliar if reading is not None else 1.0
        self._reading = reading
        self._preserve = compile_selectors(preserve)

    @cached_property
    def _flags(self) -> Flags:
        reading = self._reading
        if reading is None:
            return Flags.none(len(self.page))
        return find_flags(reading.page, reading.key, reading.mapping, own_vote=reading.own_vote)

    @cached_property
    def agreement(self) -> float:
        """Share of the texts of the template that the page has as well, in [0, 1].

        A page in another language has everything at the place where the template has it, and says nothing of it.
        """
        return self._reading.key.agreement(self._reading.page, self._flags) if self._reading is not None else 0.0

    @property
    def same_kind(self) -> bool:
        """Whether the page fits and is of the kind, and in the language, of the template's own pages.

        A page that fits and is of another kind can be cleaned of what the kinds share; for the rest it needs a template
        of its own kind.
        """
        return self.fits and self.unfamiliar <= MAX_UNFAMILIAR and self.agreement >= MIN_AGREEMENT

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Positions of the page's template nodes."""
        return self._own_nodes()

    def _own_nodes(self) -> frozenset[int]:
        reading = self._reading
        if reading is None:
            return frozenset()
        return positions_of(repeated(reading.page.arrays, self._flags))

    @cached_property
    def _gone(self) -> bytearray:
        # one other page proves nothing about repetition
        if self._reading is None or not self.fits or self._reading.key.ballot.voters < 2:
            return bytearray(len(self.page))
        gone = bytearray(self._flags.gone)
        if self._preserve:
            keep_selected(self.page, self._preserve, gone)
        return gone

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Positions of the roots of the subtrees that may go, in node order."""
        arrays = self.page.arrays
        return removal_roots(arrays, keep_passages(arrays, self._gone))

    @cached_property
    def removable(self) -> frozenset[int]:
        """Positions of the nodes that may go: template, and saying the same on enough other pages."""
        sizes = self.page.arrays.sizes
        return frozenset(position for root in self.roots for position in range(root, root + sizes[root]))

    def strip(self, *, spend: bool = False) -> str:
        """The page's HTML without what may go; its own source, unchanged, if nothing may.

        Args:
            spend: whether the page's own tree may be used up, as in :func:`templex_scrapy.render.html.strip`.
        """
        return html.strip(self.page, self.roots, spend=spend)

    def text(self) -> str:
        """What is left of the page, as text for reading."""
        return html.text(self.page, self.roots)

    def markdown(self) -> str:
        """What is left of the page, as Markdown."""
        return html.markdown(self.page, self.roots)

    def annotate(self) -> str:
        """The whole page, with the class ``template_node`` on the template's elements."""
        return html.annotate(self.page, self.nodes)

    def hide(self) -> str:
        """The template view: the whole page, in which what is no template is hidden."""
        return html.hide(self.page, self.nodes)

    def __repr__(self) -> str:
        return f"<Match of {self.page.url}: coverage {self.coverage:.2f}, {'fits' if self.fits else 'does not fit'}>"


class Recalled(Match):
    """A match to which the other templates of the site add the blocks that they know, wherever these stand.

    Args:
        match: the match with the template of the page's own kind.
        blocks: the blocks that the templates know.
        least: the number that :class:`Blocks` must have for a block.
        others: lays the page over the other templates, when the template nodes are asked for.
    """

    def __init__(self, match: Match, blocks: Blocks, least: int, others: Callable[[], Iterable[Match]]) -> None:
        super().__init__(match.page, match._reading)
        self._others = others
        self._preserve = match._preserve
        self._match = match
        self._blocks = blocks
        self._least = least

    @cached_property
    def _flags(self) -> Flags:
        flags = self._match._flags.copy()
        if self._reading is not None:
            find_blocks(self._reading.page, self._blocks, flags, self._least)
            spare(self.page.arrays, flags)
        return flags

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Positions of the nodes that are template in the match, or in one with another template that fits.

        A submenu that the pages of two kinds share may be known from the other kind alone. What is removed does not
        follow from this: that takes the template of the page's own kind, or a block that stands word for word.
        """
        return self._own_nodes().union(*(match.nodes for match in self._others() if match.fits))

    @cached_property
    def agreement(self) -> float:
        """The agreement of the match itself."""
        return self._match.agreement


def combine(matches: Sequence[Match]) -> Match:
    """One page laid over several templates of its site: what any of those it fits knows to be template is template.

    Args:
        matches: matches of one page, at least one. Where none of them fits, neither does the result.

    Raises:
        ValueError: if there is no match, or they are of different pages.
    """
    if not matches or any(match.page is not matches[0].page for match in matches):
        raise ValueError("combine takes matches of one page, at least one")
    fitting = [match for match in matches if match.fits]
    return Combined(fitting) if len(fitting) > 1 else (fitting or matches)[0]


class Combined(Match):
    """Matches of one page that all fit, taken together."""

    def __init__(self, matches: Sequence[Match]) -> None:
        super().__init__(matches[0].page)
        self.coverage = max(match.coverage for match in matches)
        self.fits = True
        self.unfamiliar = min(match.unfamiliar for match in matches)
        self._matches = matches

    @cached_property
    def agreement(self) -> float:
        """The largest agreement of all the matches."""
        return max(match.agreement for match in self._matches)

    @property
    def same_kind(self) -> bool:
        """Whether the page is of the kind of any of the templates."""
        return any(match.same_kind for match in self._matches)

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Positions of the nodes that are template in any of the matches."""
        return frozenset().union(*(match.nodes for match in self._matches))

    @cached_property
    def _gone(self) -> bytearray:
        gone = bytearray(len(self.page))
        for match in self._matches:
            joint = int.from_bytes(gone, "big") | int.from_bytes(match._gone, "big")
            gone[:] = joint.to_bytes(len(gone), "big")
        return gone
