"""Choose the template of a site that serves a page, and the blocks that the other templates add."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from templex_scrapy.page import Page, cached_property
from templex_scrapy.template.page_types import PageFeatures, common_share
from templex_scrapy.template.template import Alignment, Fit, Match, Template
from templex_scrapy.template.user_selectors import NO_SELECTORS, Selectors
from templex_scrapy.votes import FIT_RULES, Blocks

# such as a shop in three languages with ten types of pages; each page is aligned with three at most
MAX_TEMPLATES = 30
"""Templates that are kept for a site, in memory and in a store; a further one replaces the least recently used."""


_Likeness = tuple[bool, float, int, tuple[str, str]]
"""How much a page and a template have in common: whether the page is of the type, the share of the names plus that of
the texts, the number of common texts, and the identity of the template, so that no two are alike."""


class TemplateSet:
    """The templates of a site. A set does not change; make another set when the site has other templates.

    The order of the templates does not matter: what was cleaned before does not influence the result.

    Args:
        templates: the templates.
    """

    def __init__(self, templates: Iterable[Template] = ()) -> None:
        self.templates = tuple(template for template in templates if not template.is_empty)
        self._shared = tuple(template for template in self.templates if not template.is_lone)
        self._lone = tuple(template for template in self.templates if template.is_lone)
        self._last: tuple[PageFeatures, list[tuple[Template, bool]]] | None = None
        self._merged_blocks: dict[int, Blocks] = {}

    @property
    def serves_types(self) -> bool:
        """Whether some template serves more pages than the key page."""
        return bool(self._shared)

    @cached_property
    def _names(self) -> frozenset[str]:
        """The names that several pages of some template have."""
        return frozenset().union(*(template.voters.names for template in self._shared))

    @cached_property
    def _has_frames(self) -> bool:
        return any(template.checksums for template in self._shared)

    def _likeness(self, features: PageFeatures) -> dict[Template, _Likeness]:
        """Return how much a page has in common with each template of a type."""
        # "post-4711" is on a single page, and would make each page a new type
        known = features.names & self._names
        unknown = 1 - len(known) / len(features.names) if features.names else 0.0
        likeness = {}
        for template in self._shared:
            names = common_share(known, template.voters.common_names)
            shared = len(template.checksums & features.texts)
            # pages without frame are of no type if others have a frame: eight of them would serve all pages
            texts = shared / len(template.checksums) if template.checksums else float(not self._has_frames)
            # a gallery has the names of an article, and many more
            is_known = unknown <= FIT_RULES.max_unknown_names + template.voters.single_share
            is_of_type = names >= FIT_RULES.common_names and texts >= FIT_RULES.common_texts and is_known
            likeness[template] = is_of_type, names + texts, shared, template.identity
        return likeness

    def _likeliest(self, features: PageFeatures) -> list[tuple[Template, bool]]:
        """Return the templates, the likeliest first, each with whether the page is of that type."""
        # of a page, first the type is asked for
        last = self._last
        if last is not None and last[0] is features:
            return last[1]
        likeness = self._likeness(features)
        # pages of the same type tell more of a page than a few pages of any type
        likeness |= {lone: (True, -1.0, 0, lone.identity) for lone in self._lone if lone.is_key(features)}
        likeliest = [(t, likeness[t][0]) for t in sorted(likeness, key=likeness.__getitem__, reverse=True)]
        self._last = features, likeliest
        return likeliest

    def highest_likeness(self, features: PageFeatures) -> float:
        """Return how much a page has in common with the likeliest template of a type, in [0, 2]."""
        return max((share for _, share, *_ in self._likeness(features).values()), default=0.0)

    def type_of(self, features: PageFeatures) -> Template | None:
        """Return the template of the type of a page, without aligning the page; None if no type is known."""
        likeliest = self._likeliest(features)[:1] if self.templates else []
        return next((template for template, is_of_type in likeliest if is_of_type), None)

    def judges_alike(self, page: Page, others: TemplateSet) -> bool:
        """Return whether other templates, with which a page was compared, give the match that these would give."""
        # a template for a single page matters to no other
        differ = {*self._lone} ^ {*others._lone}
        is_key = any(template.is_key(PageFeatures.of(page)) for template in differ)
        return {*self._shared} == {*others._shared} and not is_key

    def match(self, page: Page, *, features: PageFeatures | None = None, selectors: Selectors = NO_SELECTORS) -> Match:
        """Compare a page with the templates.

        The template of the page's own type serves the page, and the others add the blocks that they know. If there is
        no template of this type, the likeliest templates that the page fits are combined.

        Args:
            page: a page of the site.
            features: the features of the page, if they are known.
            selectors: the user's selectors.

        Returns:
            The match; ``match.template`` serves the page, or is None if the page fits no template.
        """
        if not self.templates or page.is_cut:
            return Match(page, selectors=selectors)
        alignments: list[Alignment] = []
        for template, is_of_type in self._likeliest(features or PageFeatures.of(page))[: FIT_RULES.max_aligned]:
            alignment = template.align(page, is_of_type=is_of_type)
            if alignment.fit is Fit.SAME_TYPE:
                others = [other for other in self._shared if other is not template]
                # a page of a product may show the box of the blog that all pages of the blog have
                if others:
                    # a page has no vote on itself
                    self_vote = int(any(template.is_voter(page) for template in self._shared))
                    alignment = replace(alignment, site_blocks=self._blocks(self_vote))
                return Match(page, (alignment,), selectors=selectors, others=others)
            alignments.append(alignment)
        # an imprint is of no type that was learnt, and has the header of a template and the footer of another
        best_first = sorted(alignments, key=lambda alignment: -alignment.coverage)
        fitting = [alignment for alignment in best_first if alignment.fit is not Fit.NONE]
        return Match(page, tuple(fitting or best_first[:1]), selectors=selectors)

    def _blocks(self, self_vote: int) -> Blocks:
        if self_vote not in self._merged_blocks:
            keys = (template.key_page for template in self._shared)
            known = ((key.fixed_blocks, key.needed(self_vote=self_vote).block) for key in keys)
            self._merged_blocks[self_vote] = Blocks.merged(known)
        return self._merged_blocks[self_vote]


def sound_templates(templates: Iterable[Template], page: Page, error: Exception) -> list[Template]:
    """Return the templates that can be compared with a page, after one of them has raised an error.

    Data of a store may pass all checks and raise then. Such a template must not stop the cleaning of a site.

    Raises:
        Exception: the error, if no template is at fault.
    """
    templates = list(templates)
    sound = [template for template in templates if _is_sound(template, page)]
    if len(sound) == len(templates):
        try:
            raise error
        finally:
            del error  # a frame that its own traceback holds would keep the page until the garbage collector runs
    return sound


def _is_sound(template: Template, page: Page) -> bool:
    try:
        _ = template.checksums, template.constant_labels, template.key_page.fixed_blocks, template.match(page).removal
    except Exception:  # noqa: BLE001 - any of them stops the cleaning
        return False
    return True
