"""A page mapped to the key page of a template: how well it fits, and the flags of its nodes."""

from __future__ import annotations

from dataclasses import dataclass

from templex_scrapy.mapping import NodeMapping
from templex_scrapy.page import Page, cached_property, nodes_of, values_of
from templex_scrapy.template.fit import Fit
from templex_scrapy.template.learnt_template import LearntTemplate
from templex_scrapy.template.votes.blocks import Blocks, flag_blocks
from templex_scrapy.template.votes.node_flags import positions_of, template_nodes
from templex_scrapy.template.votes.page_flags import find_flags


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
        site_blocks: the blocks that the templates of the site know, and ``least`` as in :meth:`Blocks.found_in`.
    """

    page: Page
    template: LearntTemplate
    mapping: NodeMapping
    coverage: float
    fit: Fit
    self_vote: int
    site_blocks: tuple[Blocks, int] | None = None

    @cached_property
    def flags(self) -> bytes:
        """The flags of the page's nodes, one byte each (:mod:`templex_scrapy.template.votes.node_flags`)."""
        values = values_of(self.page)
        flags = find_flags(values, self.template.key_page, self.mapping, self_vote=self.self_vote)
        # a box of all sections of a site may be on too few pages of this type to have its votes
        if self.site_blocks is not None:
            blocks, least = self.site_blocks
            flag_blocks(values, blocks, flags, least)
        return bytes(flags)

    @property
    def is_evident(self) -> bool:
        """Whether the flags are evidence enough to remove nodes: the page fits, and enough pages have voted."""
        return self.fit is not Fit.NONE and self.template.is_evident

    @property
    def nodes(self) -> frozenset[int]:
        """Positions of the template nodes."""
        return positions_of(template_nodes(nodes_of(self.page), self.flags))

    @property
    def present(self) -> frozenset[int]:
        """Positions of the nodes that enough pages have at the same place, whatever they say."""
        key_page = self.template.key_page
        # the key page has each of its nodes, and is counted in none of the votes
        least = key_page.needed(self_vote=self.self_vote).node - 1
        return frozenset(p for p, other in self.mapping.positions().items() if key_page.ballot.present[other] >= least)
