"""A page compared with the templates of its site: what is removed, and what is the content."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce
from itertools import chain
from operator import or_
from typing import Literal

from templex_scrapy.content import NO_HEAD, Head, content_nodes
from templex_scrapy.page import Page, cached_property, nodes_of, release, subtree_flags, subtree_positions
from templex_scrapy.papers import detect_menu
from templex_scrapy.render import CleanPage
from templex_scrapy.template.alignment import Alignment
from templex_scrapy.template.fit import Fit
from templex_scrapy.template.metadata.labelled_fields import Fields
from templex_scrapy.template.metadata.site_title import SiteTitle, title_of
from templex_scrapy.template.removal import Removal, find_removal
from templex_scrapy.template.selectors.preserve_remove import NO_SELECTORS, Selection, Selectors
from templex_scrapy.template.votes.node_flags import REMOVABLE, where, without_flag


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

    @property
    def present(self) -> frozenset[int]:
        """Positions of the nodes that enough pages have at the same place: the papers' template, headlines included."""
        return frozenset().union(*(one.present for one in self.alignments))

    @cached_property
    def _flags(self) -> bytes:
        """The flags that any of the alignments has."""
        size = len(self.page)
        # a page that shares nothing but a header with the template is not judged by it
        if not any(one.is_evident for one in self.alignments):
            return bytes(size)
        # a template of too few pages removes nothing, and may know all the same that a text varies
        every = (one.flags if one.is_evident else without_flag(one.flags, REMOVABLE) for one in self.alignments)
        return reduce(or_, (int.from_bytes(flags, "big") for flags in every)).to_bytes(size, "big")

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
        return find_removal(nodes_of(self.page), self._flags, head, self.selection, has_many_voters=has_many_voters)

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
