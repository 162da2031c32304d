"""The template of a key page (TemEx, thesis chapter 9), a page aligned with it, and a page matched with several.

The three know each other: a template aligns and matches pages, and both results tell which template they are of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain
from typing import Any, Self

from templex_scrapy.content import NO_HEAD, Head, content_nodes
from templex_scrapy.mapping import TEMPLEX, NodeMapping, Similarity, map_trees
from templex_scrapy.page import (
    Page,
    cached_property,
    distinct,
    nodes_of,
    release,
    subtree_flags,
    subtree_positions,
    values_of,
)
from templex_scrapy.papers import detect_menu
from templex_scrapy.render import CleanPage
from templex_scrapy.template import codec
from templex_scrapy.template.metadata.labelled_fields import Fields, Labels
from templex_scrapy.template.metadata.site_title import SiteTitle, title_of
from templex_scrapy.template.page_types.page_features import PageFeatures, checksums
from templex_scrapy.template.page_types.voters import Voters
from templex_scrapy.template.selectors.exported_selectors import (
    PageSelector,
    RemovedText,
    page_selectors,
    removed_texts,
)
from templex_scrapy.template.selectors.preserve_remove import NO_SELECTORS, Selection, Selectors
from templex_scrapy.votes import (
    EQUAL,
    FIT_RULES,
    REMOVABLE,
    Blocks,
    KeyPage,
    Removal,
    any_of,
    find_flags,
    find_removal,
    flag_blocks,
    positions_of,
    take_votes,
    template_nodes,
    where,
    without_flag,
)

_NODE_BYTES = 300  # of a node with its start tag, size, parent and counts
_VALUE_BYTES = 150  # of a value that other pages have, or of a block, with its digest


class Fit(IntEnum):
    """How well a page fits a template."""

    NONE = 0
    """The page has too little of the template: nothing is removed."""

    SHARED = 1
    """The page has enough of the template: the two share a frame."""

    SAME_TYPE = 2
    """The page has enough of it, and the names and texts of the template's pages."""


class Template:
    """A key page with the votes on its nodes. It serves any page of the site that fits it.

    The pages that voted for a node of the key page vote for the node that is mapped to it as well. A page is *aligned*
    with a template, and *matched* with one or several of them.

    Made by :meth:`from_pages`, :meth:`from_dict` or :func:`find_template`.

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
        self.votes = key_page.votes_needed
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
        if votes < 1:
            raise ValueError(f"votes is {votes!r}: allowed are 1 and more")
        # /news and /news?print=1 would vouch for each other's story
        pages = distinct([key, *pages])
        values = [values_of(page) for page in pages]
        ballot = take_votes(values[0], values[1:], similarity)
        return cls(
            KeyPage(values[0], ballot, votes, Blocks.common_to(values), Head.of(key)),
            urls=[page.url for page in pages],
            voters=Voters.of(pages),
            similarity=similarity,
            is_lone=is_lone,
        )

    def align(self, page: Page, *, is_of_type: bool = False) -> Alignment:
        """Map a page to the key page, and say how well it fits.

        Args:
            page: any page that has not been cut.
            is_of_type: whether it has the names and the texts of the template's pages.
        """
        if self.voters.is_key(page):
            mapping = NodeMapping([], [(0, 0, len(page))])
        else:
            mapping = map_trees(nodes_of(page), self.key_page.arrays, self.similarity)
        coverage = 0.0 if self.is_empty else self.key_page.coverage(mapping)
        fit = Fit.NONE if coverage < FIT_RULES.coverage else Fit.SAME_TYPE if is_of_type else Fit.SHARED
        return Alignment(page, self, mapping, coverage, fit, self_vote=int(self.is_voter(page)))

    def match(self, page: Page, *, preserve: Iterable[str] = (), remove: Iterable[str] = ()) -> Match:
        """Compare a page with the template.

        Args:
            page: any page.
            preserve: CSS selectors of what is kept, with its descendants and ancestors.
            remove: CSS selectors of what is removed whatever other pages have, unless it is to be kept.

        Raises:
            cssselect.SelectorError: if a selector is invalid, or cannot be applied to HTML.
        """
        # of a page that the parser cuts, only a part is known: it is kept as it is
        alignments = [] if self.is_empty or page.is_cut else [self.align(page)]
        return Match(page, alignments, selectors=Selectors(preserve, remove))

    @cached_property
    def _removed_roots(self) -> tuple[int, ...]:
        """Positions of the roots of what is removed from the key page."""
        # two pages of a blog may share a whole article, say on its page and on the page for printing
        if not self.is_evident:
            return ()
        key, flags = self.key_page, self.key_page.flags(self_vote=1)
        return find_removal(key.arrays, flags, key.head, has_many_voters=self.has_many_voters).roots

    def selectors(self) -> list[PageSelector]:
        """Return CSS selectors of what is removed and of the main content, for tools that take no template.

        On the key page they select nothing else, and nine of ten pages of the template have that at the same place.
        """
        return page_selectors(self.key_page, self._removed_roots)

    def removed_texts(self) -> list[RemovedText]:
        """Return what is removed from the key page, first what fewer pages have: it may belong to the content."""
        return removed_texts(self.key_page, self._removed_roots)

    def is_voter(self, page: Page) -> bool:
        """Return whether a page is the key page or a voter, or has the text or URL of one, as its cleaned version has.

        Neither may vote on itself.
        """
        # a cleaned page may be cleaned once more: its text and its digest are others, and its URL is not
        return self.voters.has_text_of(page) or page.url == self.key_url or page.url in self.page_urls

    def is_key(self, page: PageFeatures) -> bool:
        """Return whether a page is the key page, another version of it, or has the same text."""
        return page.url == self.key_url or page.text_digest == self.voters.text_digests[0]

    def as_lone(self) -> Template:
        """Return the template for its key page alone, with the same votes."""
        lone = copy(self)
        lone.is_lone = True
        return lone

    def tells_more_than(self, other: Template) -> bool:
        """Return whether it serves more pages than another one of the same key page, or has more voters."""
        # six pages of any type know less of a page than two of its own
        return (not self.is_lone, len(self.page_urls)) > (not other.is_lone, len(other.page_urls))

    @cached_property
    def identity(self) -> tuple[str, str]:
        """URL and digest of the key page, which do not change when the template grows."""
        return self.key_url, self.voters.key_digest.hex()

    def __eq__(self, other: object) -> bool:
        """Return whether it is the same key page with the same votes; O(1) for other key pages, else O(size)."""
        if not isinstance(other, Template):
            return NotImplemented
        # it is asked of all templates of a site, and their data is long: the identity tells nearly all apart
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
        return positions_of(template_nodes(self.key_page.arrays, self.key_page.flags(self_vote=1)))

    @cached_property
    def texts(self) -> frozenset[str]:
        """The texts of the key page that are template; none if the pages share only elements."""
        # links and pictures have values as well, which say nothing of the language
        texts, flags = self.key_page.arrays.texts, self.key_page.flags(self_vote=1)
        return frozenset(text for text, flag in zip(texts, flags, strict=True) if flag & EQUAL and text is not None)

    @cached_property
    def checksums(self) -> frozenset[int]:
        """The checksums of those of :attr:`texts` that are short."""
        return checksums(self.texts)

    @property
    def is_evident(self) -> bool:
        """Whether enough pages have voted to remove nodes."""
        return len(self.page_urls) >= FIT_RULES.fewest_pages

    @property
    def has_many_voters(self) -> bool:
        """Whether so many pages have voted that the words of a link tell enough, whatever its target."""
        return len(self.page_urls) >= FIT_RULES.link_voters

    @cached_property
    def labels(self) -> Labels:
        """The labels that its pages have."""
        return Labels(self.key_page)

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


def least_nbytes(key: Page) -> int:
    """Return the bytes that a template of a key page takes at least."""
    return _NODE_BYTES * len(nodes_of(key).tag_strings)


@dataclass(frozen=True, eq=False)
class Alignment:
    """A page mapped to the key page of a template. Made by :meth:`.Template.align`.

    Attributes:
        page: the page.
        template: the template.
        mapping: the page mapped to the key page.
        coverage: share of the template's stable nodes that are found in the page.
        fit: how well the page fits the template.
        self_vote: 1 if the page is the key page or voted itself, else 0.
        site_blocks: the blocks that the templates of the site know, and on how many pages they must be.
    """

    page: Page
    template: Template
    mapping: NodeMapping
    coverage: float
    fit: Fit
    self_vote: int
    site_blocks: tuple[Blocks, int] | None = None

    @cached_property
    def flags(self) -> bytes:
        """The flags of the page's nodes, one byte each (:mod:`templex_scrapy.votes.flags`)."""
        values = values_of(self.page)
        flags = find_flags(values, self.template.key_page, self.mapping, self_vote=self.self_vote)
        # a box of all sections of a site may be on too few pages of this type to have its votes
        if self.site_blocks is not None:
            blocks, pages_needed = self.site_blocks
            flag_blocks(values, blocks, flags, pages_needed)
        return bytes(flags)

    @property
    def is_evident(self) -> bool:
        """Whether the flags are evidence enough to remove nodes: the page fits, and enough pages have voted."""
        return self.fit is not Fit.NONE and self.template.is_evident

    @property
    def nodes(self) -> frozenset[int]:
        """Positions of the template nodes."""
        return positions_of(template_nodes(nodes_of(self.page), self.flags))


class Match:
    """A page compared with a template, or with the templates of its site.

    Args:
        page: the page.
        alignments: the page aligned with the templates that decide together what is removed; without any, the page
            fits none.
        selectors: the user's selectors.
        others: returns the page aligned with further templates of the site. They count for :attr:`nodes` alone, so
            that they are mapped only if somebody asks for these.

    Attributes:
        alignment: the alignment with the best coverage, if there is one.
        coverage: template nodes found in the page / template nodes, in [0, 1].
        fit: how well that fits.
        template: the template that serves the page: of those that it fits, the one with the best coverage.
    """

    def __init__(
        self,
        page: Page,
        alignments: Iterable[Alignment] = (),
        *,
        selectors: Selectors = NO_SELECTORS,
        others: Callable[[], Iterable[Alignment]] = tuple,
    ) -> None:
        self.page = page
        self.alignments = tuple(alignments)
        best = self.alignment = max(self.alignments, key=lambda one: one.coverage, default=None)
        self.coverage = 0.0 if best is None else best.coverage
        self.fit = Fit.NONE if best is None else best.fit
        self.template = None if best is None or best.fit is Fit.NONE else best.template
        self._selectors = selectors
        self._others = others
        self._clean: CleanPage | None = None

    @property
    def fits(self) -> bool:
        """Whether the page has enough of the template to be cleaned by it."""
        return self.fit is not Fit.NONE

    @property
    def template_url(self) -> str:
        """URL of the key page of :attr:`template`; empty if there is none."""
        return "" if self.template is None else self.template.key_url

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Positions of the page's template nodes.

        A submenu that pages of two types share may be known from the template of the other type alone. Whether it is
        removed depends on the template of the page's own type.
        """
        others = (other for other in self._others() if other.fit is not Fit.NONE)
        return frozenset().union(*(one.nodes for one in chain(self.alignments, others)))

    @cached_property
    def _flags(self) -> bytes:
        """The flags that any of the alignments has."""
        # a page that shares nothing but a header with the template is not judged by it
        if not any(one.is_evident for one in self.alignments):
            return bytes(len(self.page))
        # a template of too few pages removes nothing, and may know all the same that a text varies
        every = (one.flags if one.is_evident else without_flag(one.flags, REMOVABLE) for one in self.alignments)
        return any_of(every)

    @cached_property
    def _head(self) -> Head:
        return Head.of(self.page)

    @cached_property
    def selection(self) -> Selection | None:
        """What the user's selectors select; None where nothing can be removed."""
        is_template = bool(self.alignments) and 1 in where(self._flags, REMOVABLE)
        # selectors need the tree; a page of which nothing is removed is not parsed for them
        can_remove = is_template or (self._selectors.remove and not self.page.is_cut)
        return self._selectors.select(self.page) if can_remove else None

    @cached_property
    def removal(self) -> Removal:
        """What is removed from the page, and why."""
        if self.selection is None:
            return Removal((), bytes(len(self.page)))
        # where one of the templates has few voters, "Read more" may be the same on them by chance
        has_many_voters = all(one.is_evident and one.template.has_many_voters for one in self.alignments)
        head = self._head if 1 in where(self._flags, REMOVABLE) else NO_HEAD
        return find_removal(
            nodes_of(self.page),
            self._flags,
            head,
            has_many_voters=has_many_voters,
            keep=self.selection.kept,
            remove=self.selection.removed,
        )

    @property
    def roots(self) -> tuple[int, ...]:
        """Positions of the roots of the removed subtrees, in node order."""
        # without parsing the page where nothing can be removed
        return self.removal.roots if self.alignments or self._selectors.remove else ()

    @cached_property
    def removable(self) -> frozenset[int]:
        """Positions of the nodes that are removed.

        They are template, with the same values on enough other pages, unless the user's selectors remove more.
        """
        return subtree_positions(nodes_of(self.page), self.roots)

    @cached_property
    def content(self) -> frozenset[int]:
        """Positions of the nodes of the main content; nothing that is removed is in it."""
        texts = nodes_of(self.page).text_positions
        removed, kept = self.removal.of_texts(texts)
        # if that is all, the others are copies of the page, which tells nothing
        return content_nodes(self.page, self._head, removed if len(removed) < len(texts) else (), kept)

    @cached_property
    def title(self) -> str:
        """The title of the page without what the site adds to every title."""
        site = SiteTitle() if self.template is None else self.template.voters.site_title
        return title_of(self.page, site, self.content, self.removable)

    @cached_property
    def fields(self) -> dict[str, str]:
        """The values of the page under the labels that pages of its site share; experimental."""
        best = self.alignment
        if best is None or not best.is_evident:
            return {}
        # "Phone" in the footer is a label of the site, and no field of the page
        removed = subtree_flags(nodes_of(self.page), self.roots)
        left = [position for position in nodes_of(self.page).text_positions if not removed[position]]
        return Fields(nodes_of(self.page), left, best.template.labels).found()

    @cached_property
    def menu(self) -> int | None:
        """Position of the root of the main menu."""
        return detect_menu(self.page)

    @property
    def clean(self) -> CleanPage:
        """The page without its template, in several forms."""
        if self._clean is None:
            self._clean = CleanPage(self)
        return self._clean

    def release(self) -> None:
        """Give up the page's tree and what was read off it; it is computed again when it is asked for."""
        self._clean = None  # a cycle would keep page and match until the garbage collector looks at everything
        release(self.page)

    def __repr__(self) -> str:
        return f"<Match of {self.page.url}: coverage {self.coverage:.2f}, {'fits' if self.fits else 'does not fit'}>"
