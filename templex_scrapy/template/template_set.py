"""The templates of a site: which of them serves a page, and what the others add."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from templex_scrapy.page import Page
from templex_scrapy.template.blocks import Blocks
from templex_scrapy.template.match import MAX_UNFAMILIAR, Alignment, Match
from templex_scrapy.template.template import Template


class TemplateSet:
    """The templates of one site. It does not change; make another one when the site has other templates.

    The order of the templates does not matter: what was cleaned before does not influence the result.

    Args:
        templates: the templates.
    """

    def __init__(self, templates: Iterable[Template] = ()) -> None:
        self.templates = tuple(template for template in templates if not template.is_empty)

    def match(self, page: Page, *, preserve: Iterable[str] = ()) -> Match:
        """Compare a page with the templates.

        The template of the page's own type serves the page, and the others add the blocks that they know. If there is
        none of its type, all templates that the page fits are combined.

        Args:
            page: a page of the site.
            preserve: CSS selectors of what is kept with its descendants and ancestors.

        Returns:
            The match; its ``template`` is the one that serves the page, or None if the page fits none.

        Raises:
            cssselect.SelectorError: if a selector is invalid, or cannot be applied to HTML.
        """
        alignments: list[Alignment] = []
        for template in self._likeliest(page) if self.templates and not page.is_cut else ():
            alignment = Alignment(page, template)
            if alignment.same_page_type:
                return self._own_type(alignment, preserve)
            alignments.append(alignment)
        best_first = sorted(alignments, key=lambda alignment: -alignment.coverage)
        fitting = [alignment for alignment in best_first if alignment.fits]
        return Match(page, fitting or best_first[:1], preserve=preserve)

    def _own_type(self, alignment: Alignment, preserve: Iterable[str]) -> Match:
        page = alignment.page
        others = [template for template in self.templates if template is not alignment.template]
        if others:
            # a page has no vote on itself
            alignment.site_blocks = self._blocks, 1 + any(template.includes(page) for template in self.templates)
        return Match(
            page, [alignment], preserve=preserve, others=lambda: (Alignment(page, template) for template in others)
        )

    def _likeliest(self, page: Page) -> Iterator[Template]:
        """Yield the templates in the order in which they are tried."""
        unfamiliar = {template: template.unfamiliar(page) for template in self.templates}

        def unlikeliness(template: Template) -> tuple[float, float, tuple[str, str]]:
            return template.missing_texts(page), unfamiliar[template], template.identity

        # missing texts cost more to find, and the first template mostly serves the page
        for is_far in (False, True):
            some = [template for template, share in unfamiliar.items() if (share > MAX_UNFAMILIAR) is is_far]
            yield from sorted(some, key=unlikeliness)

    @cached_property
    def _blocks(self) -> Blocks:
        known = ((template.key_page.blocks, template.key_page.needed(own_vote=0).block) for template in self.templates)
        return Blocks.merged(known)
