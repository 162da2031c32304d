"""A page compared with a template: what of it is template, and what is removed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from templex_scrapy.content import Head, KeptParts, content_nodes
from templex_scrapy.mapping import NodeMapping, map_trees
from templex_scrapy.page import NodeValues, Page, cached_property, subtree_positions
from templex_scrapy.papers import detect_menu
from templex_scrapy.render.clean_page import CleanPage
from templex_scrapy.template.blocks import Blocks
from templex_scrapy.template.key_page import find_flags, flag_blocks
from templex_scrapy.template.node_flags import NodeFlags, positions_of, template_nodes
from templex_scrapy.template.removal import largest_subtrees
from templex_scrapy.template.selectors import NO_SELECTORS, Selection, Selectors

if TYPE_CHECKING:
    from templex_scrapy.template.template import Template

FIT_COVERAGE = 0.7
"""Coverage of the template from which on a page fits it."""

FEWEST_PAGES = 2
"""Pages beside the key page without which nothing is removed: one other page proves nothing about repetition."""


class Alignment:
    """A page mapped to the key page of a template. Everything is computed when it is asked for, once.

    Args:
        page: the page.
        template: the template, which is not empty.
        site_blocks: the blocks that the templates of the site know, and ``least`` as in :meth:`Blocks.found_in`.
    """

    def __init__(self, page: Page, template: Template, site_blocks: tuple[Blocks, int] | None = None) -> None:
        self.page = page
        self.template = template
        self.site_blocks = site_blocks
        self.own_vote = int(template.is_voter(page))

    @property
    def values(self) -> NodeValues:
        """The nodes of the page and their values."""
        return self.page.values

    @cached_property
    def mapping(self) -> NodeMapping:
        """The page mapped to the key page."""
        template, arrays = self.template, self.page.arrays
        if self.page.digest == template.voters.key_digest:
            return NodeMapping([], [(0, 0, len(self.page))])
        arrays.share_start_tags(template.key_page.arrays)
        return map_trees(arrays, template.key_page.arrays, template.similarity)

    @cached_property
    def coverage(self) -> float:
        """Share of the template that is found in the page."""
        return self.template.key_page.coverage(self.mapping)

    @property
    def fits(self) -> bool:
        """Whether the page fits the template."""
        return self.coverage >= FIT_COVERAGE

    @cached_property
    def _flags_by_votes(self) -> NodeFlags:
        return find_flags(self.values, self.template.key_page, self.mapping, own_vote=self.own_vote)

    @cached_property
    def flags(self) -> NodeFlags:
        """The flags of the page's nodes."""
        if self.site_blocks is None:
            return self._flags_by_votes
        flags = self._flags_by_votes.copy()
        flag_blocks(self.values, self.site_blocks[0], flags, self.site_blocks[1])
        return flags

    @property
    def nodes(self) -> frozenset[int]:
        """Positions of the template nodes."""
        return positions_of(template_nodes(self.page.arrays, self.flags))

    @property
    def present(self) -> frozenset[int]:
        """Positions of the nodes that enough pages have at the same place, whatever they say."""
        key_page = self.template.key_page
        least = key_page.needed(own_vote=self.own_vote).node - 1
        return frozenset(p for p, other in self.mapping.positions().items() if key_page.ballot.present[other] >= least)

    @property
    def removable(self) -> bytearray:
        """The removable flags; none is set if the page does not fit, or too few pages voted."""
        is_evident = self.fits and len(self.template.page_urls) >= FEWEST_PAGES
        return self.flags.removable if is_evident else bytearray(len(self.page))

    def release(self) -> None:
        """Give up the mapping and the flags, which are computed again when they are asked for."""
        for name in ("mapping", "_flags_by_votes", "flags"):
            vars(self).pop(name, None)


class Match:
    """What of a page is found in a template, or in the templates of its site.

    Args:
        page: the page.
        alignments: the page aligned with the templates that decide together what is removed; without any, the page
            fits none.
        selectors: the user's selectors.
        others: aligns the page with further templates of the site, whose template nodes count as well.
    """

    def __init__(
        self,
        page: Page,
        alignments: Sequence[Alignment] = (),
        *,
        selectors: Selectors = NO_SELECTORS,
        others: Callable[[], Iterable[Alignment]] = tuple,
    ) -> None:
        self.page = page
        self.alignments = alignments
        self._selectors = selectors
        self._others = others

    @property
    def alignment(self) -> Alignment | None:
        """The alignment with the best coverage."""
        return max(self.alignments, key=lambda one: one.coverage, default=None)

    @property
    def template(self) -> Template | None:
        """The template that serves the page: of those that the page fits, the one with the best coverage."""
        best = self.alignment
        return best.template if best is not None and best.fits else None

    @property
    def template_url(self) -> str:
        """URL of the key page of :attr:`template`; empty if there is none."""
        return "" if self.template is None else self.template.key_url

    @cached_property
    def coverage(self) -> float:
        """Template nodes found in the page / template nodes, in [0, 1]."""
        return 0.0 if self.alignment is None else self.alignment.coverage

    @property
    def fits(self) -> bool:
        """Whether that is enough for the page to be cleaned by the template."""
        return self.coverage >= FIT_COVERAGE

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Positions of the page's template nodes.

        A submenu that pages of two types share may be known from the template of the other type alone. Whether it is
        removed depends on the template of the page's own type.
        """
        others = (other.nodes for other in self._others() if other.fits)
        return frozenset().union(*(one.nodes for one in self.alignments), *others)

    @property
    def present(self) -> frozenset[int]:
        """Positions of the nodes that enough pages have at the same place: the papers' template, headlines included."""
        return frozenset().union(*(one.present for one in self.alignments))

    @cached_property
    def selection(self) -> Selection | None:
        """What the user's selectors select; None where nothing can be removed."""
        is_template = any(1 in one.removable for one in self.alignments)
        can_remove = is_template or (self._selectors.remove and not self.page.is_cut)
        return self._selectors.select(self.page) if can_remove else None

    @cached_property
    def kept_parts(self) -> KeptParts:
        """What of the repeated nodes is kept because it belongs to the content; computed after PRESERVE."""
        removable = _union(self.page, (one.removable for one in self.alignments))
        if 1 not in removable:
            return KeptParts(self.page.arrays, removable, ())
        if self.selection is not None:
            removable = _without(removable, self.selection.kept)
        equal = _union(self.page, (one.flags.equal for one in self.alignments))
        varying = _union(self.page, (one.flags.varying for one in self.alignments))
        return KeptParts(self.page.arrays, removable, equal, varying, Head(self.page))

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Positions of the roots of the removed subtrees, in node order."""
        if not self.alignments and not self._selectors.remove:
            return ()  # without parsing the page
        selected = b"" if self.selection is None else self.selection.removed
        removable = _union(self.page, [self.kept_parts.removable, selected])
        return tuple(largest_subtrees(self.page.arrays, removable, selected))

    @cached_property
    def removable(self) -> frozenset[int]:
        """Positions of the nodes that are removed.

        They are template, with the same values on enough other pages, unless the user's selectors remove more.
        """
        return subtree_positions(self.page.arrays, self.roots)

    @cached_property
    def content(self) -> frozenset[int]:
        """Positions of the nodes of the main content; nothing that is removed is in it."""
        texts, removable = self.page.arrays.text_positions, self.removable
        removed = [position for position in texts if position in removable]
        kept = [position for position in texts if self.kept_parts.reason(position) and position not in removable]
        # if that is all, the others are copies of the page, which tells nothing
        return content_nodes(self.page, removed if len(removed) < len(texts) else (), kept)

    @cached_property
    def menu(self) -> int | None:
        """Position of the root of the main menu."""
        return detect_menu(self.page)

    @cached_property
    def clean(self) -> CleanPage:
        """The page without its template, in several forms."""
        return CleanPage(self)

    def release(self) -> None:
        """Give up the page's tree and what was read off it; it is computed again when it is asked for."""
        # a cycle would keep page and match until the garbage collector looks at everything
        vars(self).pop("clean", None)
        self.page.release()
        vars(self).pop("kept_parts", None)
        for one in self.alignments:
            one.release()

    def __repr__(self) -> str:
        return f"<Match of {self.page.url}: coverage {self.coverage:.2f}, {'fits' if self.fits else 'does not fit'}>"


def extract_content(html: str | bytes, url: str = "", *, output: Literal["text", "markdown", "html"] = "text") -> str:
    """Return the main content of one page, judged by this page alone.

    In a crawl, and with other pages of the site, :class:`Template` sees more: what the site repeats.

    Args:
        html: the source. Bytes are decoded as Scrapy decodes them.
        url: its address, from which relative links start.
        output: what is returned. HTML is a fragment; it and Markdown have absolute links.

    Raises:
        ValueError: if ``output`` is none of the three.
    """
    if output not in {"text", "markdown", "html"}:
        raise ValueError(f"output is {output!r}: allowed are 'text', 'markdown' and 'html'")
    return str(getattr(Match(Page(html, url)).clean, f"content_{output}"))


def _union(page: Page, flags: Iterable[bytes | bytearray]) -> bytearray:
    """Return the flags that are set in any of several."""
    union = 0
    for some in flags:
        union |= int.from_bytes(some, "big")
    return bytearray(union.to_bytes(len(page), "big"))


def _without(flags: bytes | bytearray, others: bytes | bytearray) -> bytearray:
    """Return the flags that are set, and not set in others."""
    left = int.from_bytes(flags, "big") & ~int.from_bytes(others, "big")
    return bytearray(left.to_bytes(len(flags), "big"))
