"""A page compared with templates: which nodes are template, which are removed, and which are the main content."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import KW_ONLY, dataclass
from itertools import chain
from typing import TYPE_CHECKING, Literal

from templex_scrapy.content import NO_HEAD, Head, content_nodes
from templex_scrapy.page import Page, cached_property, nodes_of, subtree_flags, subtree_positions
from templex_scrapy.template.metadata import site_title
from templex_scrapy.template.metadata.labelled_fields import Fields
from templex_scrapy.template.template import Alignment, Fit, Template
from templex_scrapy.template.user_selectors import NO_SELECTORS, Selection, Selectors
from templex_scrapy.votes import REMOVABLE, Removal, any_of, find_removal, where, without_flag

if TYPE_CHECKING:
    from templex_scrapy.render import CleanPage


@dataclass(frozen=True, eq=False, repr=False)
class Match:
    """A page compared with a template, or with the templates of the site.

    Attributes:
        page: the page.
        alignments: the page aligned with the templates that decide together what is removed; if there are none, the
            page fits none.
        selectors: the user's selectors.
        others: returns the page aligned with the other templates of the site. Only :attr:`nodes` needs these.
    """

    page: Page
    alignments: tuple[Alignment, ...] = ()
    _: KW_ONLY
    selectors: Selectors = NO_SELECTORS
    others: Callable[[], Iterable[Alignment]] = tuple

    @cached_property
    def alignment(self) -> Alignment | None:
        """The alignment with the best coverage."""
        return max(self.alignments, key=lambda alignment: alignment.coverage, default=None)

    @property
    def coverage(self) -> float:
        """Template nodes that the page has / template nodes, in [0, 1]."""
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
        others = (other for other in self.others() if other.fit is not Fit.NONE)
        return frozenset().union(*(alignment.nodes for alignment in chain(self.alignments, others)))

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
    def selection(self) -> Selection | None:
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
            site_texts=next((one.template.site_texts for one in self.alignments if one.is_evident), {}),
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
        from templex_scrapy.render import CleanPage  # noqa: PLC0415 - a clean page stands above the match

        return CleanPage(self)

    def __repr__(self) -> str:
        return f"<Match of {self.page.url}: coverage {self.coverage:.2f}, {'fits' if self.fits else 'does not fit'}>"


def title_of(match: Match) -> str:
    """Return the title of a page without the parts that the site adds to every title."""
    site = site_title.SiteTitle() if match.template is None else match.template.voters.site_title
    return site_title.title_of(match.page, site, match.content, match.removable)


def fields_of(match: Match) -> dict[str, str]:
    """Return the values of a page under the labels that pages of the site share; experimental."""
    best, arrays = match.alignment, nodes_of(match.page)
    if best is None or not best.is_evident:
        return {}
    # "Phone" in the footer is a label of the site, and no field of the page
    removed = subtree_flags(arrays, match.roots)
    left = [position for position in arrays.text_positions if not removed[position]]
    return Fields(arrays, left, best.template.labels).found()


def dates_of(match: Match) -> list[int]:
    """Return the positions of the dates that stand where the pages of the template have theirs."""
    best, arrays = match.alignment, nodes_of(match.page)
    if best is None or not best.is_evident:
        return []
    removed = subtree_flags(arrays, match.roots)
    return best.template.date_places.positions(arrays, [at for at in arrays.text_positions if not removed[at]])


def extract_content(html: str | bytes, url: str = "", *, output: Literal["text", "markdown", "html"] = "text") -> str:
    """Return the main content of a page, judged by this page alone.

    In a crawl, and with other pages of the site, :class:`Template` sees more: what the site repeats.

    Args:
        html: the source. Bytes are decoded as Scrapy decodes them.
        url: address of the page, from which relative links start.
        output: what is returned. HTML is a fragment; it and Markdown have absolute links.

    Raises:
        ValueError: if ``output`` is none of the three.
    """
    if output not in {"text", "markdown", "html"}:
        raise ValueError(f"output is {output!r}: allowed are 'text', 'markdown' and 'html'")
    return str(getattr(Match(Page(html, url)).clean, f"content_{output}"))
