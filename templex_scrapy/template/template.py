"""The template of a key page (TemEx, thesis chapter 9), a page aligned with it, and a page compared with templates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from enum import IntEnum
from typing import Any, Self

from templex_scrapy.content import NO_HEAD, Head, content_nodes
from templex_scrapy.mapping import TEMPLEX, NodeMapping, Similarity, map_to_key
from templex_scrapy.metadata import DatePlaces, Fields, Labels, SiteTitle, label_of, title_of
from templex_scrapy.page import Page, cached_property, distinct, nodes_of, subtree_flags, subtree_positions, values_of
from templex_scrapy.render import CleanPage
from templex_scrapy.template import codec
from templex_scrapy.template.page_types import PageFeatures, Voters, checksums, text_numbers
from templex_scrapy.template.places import key_places
from templex_scrapy.template.selectors import PageSelector, RemovedText, page_selectors, removed_texts
from templex_scrapy.template.steady_content import places_of, steady_content
from templex_scrapy.template.user_selectors import NO_SELECTORS, Selected, Selectors
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
    site_texts_of,
    take_votes,
    template_nodes,
    where,
    without_flag,
)

_NODE_BYTES = 300  # of a node with start tag, size, parent and counts
_TEXT_BYTES = 95  # an int of 32 bytes and a float of 24 in a dict
_VALUE_BYTES = 150  # of a value that other pages have, or of a block with the digest


class Fit(IntEnum):
    """How well a page fits a template."""

    NONE = 0
    """The page has too little of the template: nothing is removed."""

    SHARED = 1
    """The page has enough of the template: the two share a frame."""

    SAME_TYPE = 2
    """The page has enough of it, and the names and texts of the template's pages."""


@dataclass(frozen=True, eq=False, repr=False)
class Template:
    """A key page with the votes on the nodes. It serves any page of the site that fits it.

    A vote on a node of the key page counts for the node of another page that is mapped to it.
    Made by :meth:`from_pages`, :meth:`from_dict` or :func:`find_template`.

    Attributes:
        key_page: the key page with the votes.
        urls: URLs of the key page and of the pages that voted, in the order in which the pages were given.
        voters: recognises copies of these pages, and pages of their type.
        similarity: the parameters of the mapping.
        is_lone: whether the template serves the key page alone, because the voters are of other types.
        site_texts: the numbers of the texts that half of the pages of the site have, each with the share of pages.
    """

    key_page: KeyPage
    urls: tuple[str, ...]
    voters: Voters
    similarity: Similarity = TEMPLEX
    is_lone: bool = False
    site_texts: Mapping[int, float] = field(default_factory=dict)

    @classmethod
    def from_pages(
        cls,
        key: Page,
        pages: Iterable[Page],
        votes: int = 2,
        *,
        similarity: Similarity = TEMPLEX,
        is_lone: bool = False,
        site_texts: Mapping[int, float] | None = None,
    ) -> Self:
        """Let pages vote on the nodes of a key page.

        Args:
            key: the key page.
            pages: the pages of the complete subdigraph. Copies of the key page, or of each other, have no vote.
            votes: pages that must have a node for it to be template, at least 1.
            similarity: the parameters of the mapping.
            is_lone: whether the pages are of other types than the key page.
            site_texts: the texts of the site, as :attr:`site_texts`; None to take those of these pages.

        Raises:
            ValueError: if ``votes`` is less than 1.
        """
        # /news and /news?print=1 would vouch for each other's story
        pages = distinct([key, *pages])
        values = [values_of(page) for page in pages]
        ballot = take_votes(values[0], values[1:], similarity)
        key_page = KeyPage(values[0], ballot, votes, Blocks.common_to(values), Head.of(key))
        if site_texts is None:
            site_texts = site_texts_of([text_numbers(nodes_of(page)) for page in pages])
        return cls(key_page, tuple(page.url for page in pages), Voters.of(pages), similarity, is_lone, site_texts)

    @property
    def key_url(self) -> str:
        """URL of the key page."""
        return self.urls[0]

    @property
    def page_urls(self) -> tuple[str, ...]:
        """URLs of the pages that voted, in the order in which the pages were given."""
        return self.urls[1:]

    @property
    def votes(self) -> int:
        """Votes that a node needs; if fewer pages can vote, all of them must agree."""
        return self.key_page.votes_needed

    def align(self, page: Page, *, is_of_type: bool = False) -> Alignment:
        """Map a page to the key page, and say how well it fits.

        Args:
            page: any page that the parser has not cut.
            is_of_type: whether the page has the tags, classes and texts of the template's type.
        """
        if self.voters.is_key(page):
            mapping = NodeMapping([], [(0, 0, len(page))])
        else:
            mapping = map_to_key(nodes_of(page), self.key_page.arrays, self.similarity)
        coverage = 0.0 if self.is_empty else self.key_page.coverage(mapping)
        fit = Fit.NONE if coverage < FIT_RULES.coverage else Fit.SAME_TYPE if is_of_type else Fit.SHARED
        return Alignment(page, self, mapping, coverage, fit, self_vote=int(self.is_voter(page)))

    def match(self, page: Page, *, preserve: Iterable[str] = (), remove: Iterable[str] = ()) -> Match:
        """Compare a page with the template.

        Args:
            page: any page.
            preserve: CSS selectors of elements to keep, with their descendants and ancestors.
            remove: CSS selectors of elements to remove, with their descendants, unless they are to be kept.

        Raises:
            cssselect.SelectorError: if a selector is invalid, or cannot be applied to HTML.
        """
        # only a part of a page that the parser cuts is known: such a page is kept as it is
        alignments = () if self.is_empty or page.is_cut else (self.align(page),)
        return Match(page, alignments, selectors=Selectors(preserve, remove))

    @cached_property
    def removed_roots(self) -> tuple[int, ...]:
        """Positions of the roots of the subtrees that are removed from the key page."""
        # two pages of a blog may share a whole article, say on the page of the article and on the page for printing
        if not self.is_evident:
            return ()
        key, flags = self.key_page, self.key_page.flags(self_vote=1)
        return find_removal(key.arrays, flags, key.head, site_texts=self.site_texts).roots

    def selectors(self) -> list[PageSelector]:
        """Return CSS selectors of the removed elements and of the main content, for tools without templates.

        On the key page they select nothing else. Nine of ten pages of the template have these elements at the same
        place.
        """
        return page_selectors(self.key_page, self.removed_roots)

    def removed_texts(self) -> list[RemovedText]:
        """Return the texts that are removed from the key page, the rarest first: they may belong to the content."""
        return removed_texts(self.key_page, self.removed_roots)

    def is_voter(self, page: Page) -> bool:
        """Return whether a page is among the template's pages, or has the text or the URL of such a page.

        No page, and no copy of a page, may vote on itself. The cleaned version of a page has the page's URL, and
        another text.
        """
        return self.voters.has_text_of(page) or page.url in self.urls

    def is_key(self, page: PageFeatures) -> bool:
        """Return whether a page has the URL or the text of the key page."""
        return page.url == self.key_url or page.text_digest == self.voters.text_digests[0]

    def as_lone(self) -> Template:
        """Return the template for the key page alone, with the same votes."""
        return replace(self, is_lone=True)

    def tells_more_than(self, other: Template) -> bool:
        """Return whether the template serves more pages than another of the same key page, or has more voters."""
        # six pages of any type know less of a page than two of the same type
        return (not self.is_lone, len(self.urls)) > (not other.is_lone, len(other.urls))

    @cached_property
    def identity(self) -> tuple[str, str]:
        """URL and digest of the key page, which do not change when the template grows."""
        return self.key_url, self.voters.digests[0].hex()

    def __eq__(self, other: object) -> bool:
        """Return whether two templates have the same key page and votes; O(1) for other key pages, else O(size)."""
        if not isinstance(other, Template):
            return NotImplemented
        # all templates of a site are compared, and their data is long: the identity tells nearly all apart
        return self is other or (self.identity == other.identity and self.to_dict() == other.to_dict())

    def __hash__(self) -> int:
        return hash(self.identity)

    @property
    def is_empty(self) -> bool:
        """Whether no page voted; then no page fits."""
        return len(self.urls) == 1

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Positions of the template nodes in the key page."""
        if self.is_empty:
            return frozenset()
        return positions_of(template_nodes(self.key_page.arrays, self.key_page.flags(self_vote=1)))

    @cached_property
    def checksums(self) -> frozenset[int]:
        """The checksums of the key page's short texts that are template; empty if the pages share no texts."""
        # links and pictures have values as well, which say nothing of the language
        texts, flags = self.key_page.arrays.texts, self.key_page.flags(self_vote=1)
        return checksums({text for text, flag in zip(texts, flags, strict=True) if flag & EQUAL})

    @property
    def is_evident(self) -> bool:
        """Whether enough pages have voted to remove nodes."""
        return len(self.page_urls) >= FIT_RULES.fewest_pages

    @cached_property
    def labels(self) -> Labels:
        """The labels on the pages of the template."""
        return Labels(self.key_page)

    @cached_property
    def constant_labels(self) -> frozenset[str]:
        """The labels that have a value of their own on the key page, and that all pages of the template have."""
        key, removed = self.key_page, subtree_flags(self.key_page.arrays, self.removed_roots)
        kept = [position for position in key.arrays.text_positions if not removed[position]]
        fields = Fields(key.arrays, kept, self.labels)
        return frozenset(fields.found()).intersection(
            label_of(key.arrays.texts[at] or "") for at in fields.labels if key.ballot.equal[at] == key.ballot.pages
        )

    @cached_property
    def date_places(self) -> DatePlaces:
        """Where the pages of the template have their dates."""
        return DatePlaces(self.key_page)

    @cached_property
    def places(self) -> bytes:
        """The kind of place that each node of the key page has, for ``content_hash``."""
        return key_places(self.key_page, self.removed_roots)

    def to_dict(self) -> dict[str, Any]:
        """Return the template as plain data (strings, numbers, lists, dicts) that JSON and MessagePack can write."""
        return codec.to_dict(
            self.key_page, self.urls, self.voters, self.similarity, is_lone=self.is_lone, site_texts=self.site_texts
        )

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
        texts = _TEXT_BYTES * len(self.site_texts)
        return characters + texts + _NODE_BYTES * len(arrays.tag_strings) + _VALUE_BYTES * values

    def __repr__(self) -> str:
        return f"<Template of {self.key_url}, {len(self.page_urls)} pages voted>"


def least_nbytes(key: Page) -> int:
    """Return the bytes that a template of a key page takes at least."""
    return _NODE_BYTES * len(nodes_of(key).tag_strings)


@dataclass(frozen=True, eq=False)
class Alignment:
    """A page mapped to the key page of a template. Made by :meth:`.Template.align`.

    Attributes:
        mapping: the page mapped to the key page.
        coverage: share of the template's stable nodes that the page has.
        fit: how well the page fits the template.
        self_vote: 1 if the page is among the template's pages, else 0.
        site_blocks: blocks that enough pages of the site's templates have.
    """

    page: Page
    template: Template
    mapping: NodeMapping
    coverage: float
    fit: Fit
    self_vote: int
    site_blocks: Blocks | None = None

    @cached_property
    def flags(self) -> bytes:
        """The flags of the page's nodes, one byte each (:mod:`templex_scrapy.votes.flags`)."""
        values = values_of(self.page)
        flags = find_flags(values, self.template.key_page, self.mapping, self_vote=self.self_vote)
        # a box of all sections of a site may be on too few pages of this type to have the votes
        if self.site_blocks is not None:
            flag_blocks(values, self.site_blocks, flags, pages_needed=1)
        return bytes(flags)

    @property
    def is_evident(self) -> bool:
        """Whether nodes may be removed: the page fits, and enough pages have voted."""
        return self.fit is not Fit.NONE and self.template.is_evident

    @property
    def nodes(self) -> frozenset[int]:
        """Positions of the template nodes."""
        return positions_of(template_nodes(nodes_of(self.page), self.flags))


@dataclass(frozen=True, eq=False, repr=False)
class Match:
    """A page compared with a template, or with the templates of the site.

    Attributes:
        page: the page.
        alignments: the page aligned with the templates that decide together what is removed; if there are none, the
            page fits none.
        selectors: the user's selectors.
        others: the other templates of the site, of which only :attr:`nodes` tells.
    """

    page: Page
    alignments: tuple[Alignment, ...] = ()
    _: KW_ONLY
    selectors: Selectors = NO_SELECTORS
    others: Sequence[Template] = ()

    @cached_property
    def alignment(self) -> Alignment | None:
        """The alignment with the best coverage."""
        return max(self.alignments, key=lambda alignment: alignment.coverage, default=None)

    @property
    def coverage(self) -> float:
        """The share of the template's stable nodes that the page has, in [0, 1]."""
        return 0.0 if self.alignment is None else self.alignment.coverage

    @property
    def fit(self) -> Fit:
        """How well the page fits the template with the best coverage."""
        return Fit.NONE if self.alignment is None else self.alignment.fit

    @property
    def fits(self) -> bool:
        """Whether the page has enough of the template to be cleaned by it."""
        return self.fit is not Fit.NONE

    @property
    def template(self) -> Template | None:
        """The template that serves the page: of the templates that it fits, that with the best coverage."""
        return self.alignment.template if self.alignment is not None and self.fits else None

    @property
    def template_url(self) -> str:
        """URL of the key page of :attr:`template`; empty if there is none."""
        return "" if self.template is None else self.template.key_url

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Positions of the page's template nodes.

        A submenu that pages of two types share may be known from the template of the other type alone. The template of
        the page's own type decides whether it is removed.
        """
        others = [alignment for other in self.others if (alignment := other.align(self.page)).fit is not Fit.NONE]
        return frozenset().union(*(alignment.nodes for alignment in (*self.alignments, *others)))

    @cached_property
    def _flags(self) -> bytes:
        """The flags that any of the alignments has."""
        # a page that shares nothing but a header with the template is not judged by it
        if not any(alignment.is_evident for alignment in self.alignments):
            return bytes(len(self.page))
        # a template of too few pages removes nothing, and may know all the same that a text varies
        return any_of(
            alignment.flags if alignment.is_evident else without_flag(alignment.flags, REMOVABLE)
            for alignment in self.alignments
        )

    @cached_property
    def head(self) -> Head:
        """The declarations of the page."""
        return Head.of(self.page)

    @cached_property
    def selection(self) -> Selected | None:
        """The nodes that the user's selectors select; None if nothing can be removed."""
        is_template = bool(self.alignments) and 1 in where(self._flags, REMOVABLE)
        # selectors need the tree; a page of which nothing is removed is not parsed for them
        can_remove = is_template or (self.selectors.remove and not self.page.is_cut)
        return self.selectors.select(self.page) if can_remove else None

    @cached_property
    def removal(self) -> Removal:
        """The removed subtrees, with the reasons."""
        if self.selection is None:
            return Removal((), bytes(len(self.page)))
        return find_removal(
            nodes_of(self.page),
            self._flags,
            self.head if 1 in where(self._flags, REMOVABLE) else NO_HEAD,
            site_texts=next((a.template.site_texts for a in self.alignments if a.is_evident), {}),
            keep=self.selection.kept,
            remove=self.selection.removed,
        )

    @property
    def roots(self) -> tuple[int, ...]:
        """Positions of the roots of the removed subtrees, in node order."""
        # a page of which nothing can be removed is not parsed
        return self.removal.roots if self.alignments or self.selectors.remove else ()

    @cached_property
    def removable(self) -> frozenset[int]:
        """Positions of the nodes that are removed.

        They are template, with the same values on enough other pages, unless the user's selectors remove more.
        """
        return subtree_positions(nodes_of(self.page), self.roots)

    @cached_property
    def content(self) -> frozenset[int]:
        """Positions of the nodes of the main content; no removed node is in it."""
        texts = nodes_of(self.page).text_positions
        removed, kept = self.removal.of_texts(texts)
        # if all texts are repeated, the other pages are copies of this page, which tells nothing
        return content_nodes(self.page, self.head, removed if len(removed) < len(texts) else (), kept)

    @property
    def clean(self) -> CleanPage:
        """The page without the template, in several forms. Keep this object: each access makes a new object."""
        return CleanPage(self)

    @property
    def steady_content(self) -> frozenset[int]:
        """Positions of the texts of the main content that do not depend on the words of the frame."""
        arrays, selection = nodes_of(self.page), self.selection
        places = [
            places_of(arrays, alignment.mapping, alignment.template.key_page.arrays, alignment.template.places)
            for alignment in self.alignments
            if alignment.is_evident
        ]
        kept = b"" if selection is None else selection.kept
        return steady_content(self.page, self.head, self.removal, kept, places)

    @property
    def title(self) -> str:
        """The title without the parts that the site adds to every title."""
        site = SiteTitle() if self.template is None else self.template.voters.site_title
        return title_of(self.page, site, self.content, self.removable)

    @cached_property
    def _kept_texts(self) -> tuple[Template, list[int]] | None:
        """The template and the positions of the texts that are not removed; None if nothing may be removed."""
        if self.alignment is None or not self.alignment.is_evident:
            return None
        arrays = nodes_of(self.page)
        # "Phone" in the footer is a label of the site, and no field of the page
        removed = subtree_flags(arrays, self.roots)
        return self.alignment.template, [position for position in arrays.text_positions if not removed[position]]

    @property
    def fields(self) -> dict[str, str]:
        """The values under the labels that pages of the site share."""
        kept = self._kept_texts
        return {} if kept is None else Fields(nodes_of(self.page), kept[1], kept[0].labels).found()

    @property
    def dates(self) -> list[int]:
        """Positions of the dates that stand where the pages of the template have theirs."""
        kept = self._kept_texts
        return [] if kept is None else kept[0].date_places.positions(nodes_of(self.page), kept[1])

    def __repr__(self) -> str:
        return f"<Match of {self.page.url}: coverage {self.coverage:.2f}, {'fits' if self.fits else 'does not fit'}>"
