"""What is learnt of a template: the key page, the votes on its nodes, and what follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from templex_scrapy.mapping import Similarity
from templex_scrapy.page import Page, cached_property, subtree_flags
from templex_scrapy.template import codec
from templex_scrapy.template.fit import FIT_RULES
from templex_scrapy.template.metadata.labelled_fields import Labels
from templex_scrapy.template.page_types.page_features import PageFeatures, checksums
from templex_scrapy.template.page_types.voters import Voters
from templex_scrapy.template.removal import Removal, find_removal
from templex_scrapy.template.selectors.element_selector import selector_of
from templex_scrapy.template.selectors.exported_selectors import PageSelector, content_selector, removed_selectors
from templex_scrapy.template.selectors.preserve_remove import Selection
from templex_scrapy.template.votes.key_page import KeyPage
from templex_scrapy.template.votes.node_flags import EQUAL, positions_of, template_nodes

_NODE_BYTES = 300  # of a node with its start tag, size, parent and counts
_VALUE_BYTES = 150  # of a value that other pages have, or of a block, with its digest


class RemovedText(NamedTuple):
    """A text of a key page that is removed: the text, a selector of the element it is in, the pages that have it."""

    text: str
    selector: str
    pages: int


class LearntTemplate:
    """A key page with the votes on its nodes, and what they tell. :class:`Template` compares it with pages.

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

    def is_voter(self, page: Page) -> bool:
        """Return whether a page is the key page or a voter, or has the text or URL of one, as its cleaned version has.

        Neither may vote on itself.
        """
        # a cleaned page may be cleaned once more: its text and its digest are others, and its URL is not
        return self.voters.has_text_of(page) or page.url == self.key_url or page.url in self.page_urls

    def is_key(self, page: PageFeatures) -> bool:
        """Return whether a page is the key page, another version of it, or has the same text."""
        return page.url == self.key_url or page.text_digest == self.voters.text_digests[0]

    def tells_more_than(self, other: LearntTemplate) -> bool:
        """Return whether it serves more pages than another one of the same key page, or has more voters."""
        # six pages of any type know less of a page than two of its own
        return (not self.is_lone, len(self.page_urls)) > (not other.is_lone, len(other.page_urls))

    @property
    def identity(self) -> tuple[str, str]:
        """URL and digest of the key page, which do not change when the template grows."""
        return self.key_url, self.voters.key_digest.hex()

    def __eq__(self, other: object) -> bool:
        """Return whether it is the same key page with the same votes; O(1) for other key pages, else O(size)."""
        if not isinstance(other, LearntTemplate):
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

    @cached_property
    def _removal(self) -> Removal:
        """What is removed from the key page."""
        flags = self.key_page.flags(self_vote=1)
        # two pages of a blog may share a whole article, say on its page and on the page for printing
        if not self.is_evident:
            return Removal((), bytes(len(flags)))
        key = self.key_page
        return find_removal(key.arrays, flags, key.head, Selection(), has_many_voters=self.has_many_voters)

    def selectors(self) -> list[PageSelector]:
        """Return CSS selectors of what is removed and of the main content, for tools that take no template.

        On the key page they select nothing else, and nine of ten pages of the template have that at the same place.
        """
        key, pages = self.key_page, len(self.page_urls) + 1
        flags, roots = key.flags(self_vote=1), self._removal.roots
        if not roots:
            return []
        removed = subtree_flags(key.arrays, roots)
        unique = [text for text in key.arrays.text_positions if not removed[text] and not flags[text] & EQUAL]
        equal, present = ([votes + 1 for votes in counts] for counts in (key.ballot.equal, key.ballot.present))
        return [
            *removed_selectors(key.arrays, roots, equal, pages),
            *content_selector(key.arrays, unique, present, pages),
        ]

    def removed_texts(self) -> list[RemovedText]:
        """Return what is removed from the key page, first what fewer pages have: it may belong to the content."""
        key, removed = self.key_page, subtree_flags(self.key_page.arrays, self._removal.roots)
        # a text twice in one element, such as "|" between links, is shown once
        texts: dict[tuple[str, str], int] = {}
        for position in key.arrays.text_positions:
            if removed[position]:
                # a block is elsewhere on other pages, so the votes at its position do not count them
                pages = max(key.ballot.equal[position] + 1, key.needed(self_vote=1).node)
                selector = selector_of(key.arrays, key.arrays.parents[position])
                texts.setdefault((key.arrays.texts[position] or "", selector), pages)
        # "Ann writes about rain" on six pages of twelve may be content; the header on all of them is not
        return [RemovedText(*found, pages) for found, pages in sorted(texts.items(), key=itemgetter(1))]

    def to_dict(self) -> dict[str, Any]:
        """Return the template as plain data (strings, numbers, lists, dicts) that JSON and MessagePack can write."""
        urls = [self.key_url, *self.page_urls]
        return codec.to_dict(self.key_page, urls, self.voters, self.similarity, is_lone=self.is_lone)

    @cached_property
    def nbytes(self) -> int:
        """Bytes of memory that the template takes, roughly."""
        key, arrays = self.key_page, self.key_page.arrays
        characters = sum(map(len, set(arrays.tag_strings))) + sum(len(text) for text in arrays.texts if text)
        values = sum(map(len, key.ballot.other_values.values())) + len(key.blocks.pages)
        return characters + _NODE_BYTES * len(arrays.tag_strings) + _VALUE_BYTES * values

    def __repr__(self) -> str:
        return f"<Template of {self.key_url}, {len(self.page_urls)} pages voted>"
