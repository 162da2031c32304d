"""The template of a key page (TemEx, thesis chapter 9): learnt from pages, and compared with others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from templex_scrapy.content import Head
from templex_scrapy.mapping import TEMPLEX, NodeMapping, Similarity, map_trees
from templex_scrapy.page import Page, distinct, nodes_of, values_of
from templex_scrapy.template import codec
from templex_scrapy.template.alignment import Alignment
from templex_scrapy.template.fit import FIT_RULES, Fit
from templex_scrapy.template.learnt_template import LearntTemplate
from templex_scrapy.template.match import Match
from templex_scrapy.template.page_types.voters import Voters
from templex_scrapy.template.selectors.preserve_remove import Selectors
from templex_scrapy.template.votes.ballot import take_votes
from templex_scrapy.template.votes.blocks import Blocks
from templex_scrapy.template.votes.key_page import KeyPage


class Template(LearntTemplate):
    """A key page with the votes on its nodes. It serves any page of the site that fits it.

    The pages that voted for a node of the key page vote for the node that is mapped to it as well. A page is *aligned*
    with a template, and *matched* with one or several of them.

    Made by :meth:`from_pages`, :meth:`from_dict` or :func:`find_template`.
    """

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

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Return the template that :meth:`to_dict` wrote.

        Raises:
            ValueError: if the data is damaged, or of another version.
        """
        return cls(**codec.from_dict(data))
