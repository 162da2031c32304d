"""A page laid over a template: what of it is template, and what may go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from lxml.cssselect import CSSSelector

from templex_scrapy import clean
from templex_scrapy.findings import Flags, keep, positions_of, repeated
from templex_scrapy.page import Page
from templex_scrapy.removal import removal_roots


class Match:
    """What of a page is found in a template. Made by ``Template.match`` and :func:`combine`.

    Attributes:
        page: the page.
        coverage: template nodes found in the page / template nodes, in [0, 1].
        fits: whether the page is one that the template can speak for.
    """

    def __init__(
        self,
        page: Page,
        *,
        coverage: float = 0.0,
        fits: bool = False,
        removes: bool = False,
        flags: Callable[[], Flags] | None = None,
        preserve: Sequence[str] = (),
    ) -> None:
        self.page = page
        self.coverage = coverage
        self.fits = fits
        self._removes = removes
        self._make_flags = flags
        self._preserve = [CSSSelector(selector) for selector in preserve]

    @cached_property
    def _flags(self) -> Flags:
        if self._make_flags is None:
            return Flags.none(len(self.page))
        return self._make_flags()

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Positions of the page's template nodes."""
        return positions_of(repeated(self.page.outline, self._flags.same))

    @cached_property
    def _gone(self) -> bytearray:
        if not self._removes:
            return bytearray(len(self.page))
        gone = bytearray(self._flags.gone)
        for position in self._preserved() if self._preserve else ():
            keep(self.page.outline, position, gone)
        return gone

    def _preserved(self) -> Iterable[int]:
        matched = {element for selector in self._preserve for element in selector(self.page.root)}
        outline = self.page.outline
        for position, place in enumerate(outline.places):
            if outline.texts[position] is None and self.page.elements[place] in matched:
                yield position

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Positions of the roots of the subtrees that may go, in node order."""
        return removal_roots(self.page.outline, self._gone)

    @cached_property
    def removable(self) -> frozenset[int]:
        """Positions of the nodes that may go: template, and saying the same on enough other pages."""
        sizes = self.page.outline.sizes
        return frozenset(position for root in self.roots for position in range(root, root + sizes[root]))

    def strip(self) -> str:
        """The page's HTML without what may go; its own source, unchanged, if nothing may."""
        return clean.strip(self.page, self.roots)

    def text(self) -> str:
        """What is left of the page, as text for reading."""
        return clean.text(self.page, self.roots)

    def markdown(self) -> str:
        """What is left of the page, as Markdown."""
        return clean.markdown(self.page, self.roots)

    def annotate(self) -> str:
        """The whole page, with the class ``template_node`` on the template's elements."""
        return clean.annotate(self.page, self.nodes)

    def hide(self) -> str:
        """The template view: the whole page, in which what is no template is hidden."""
        return clean.hide(self.page, self.nodes)

    def __repr__(self) -> str:
        return f"<Match of {self.page.url}: coverage {self.coverage:.2f}, {'fits' if self.fits else 'does not fit'}>"


def combine(matches: Sequence[Match]) -> Match:
    """One page laid over several templates of its site: what any of those it fits knows to be template is template.

    Args:
        matches: matches of one page, at least one. Where none of them fits, neither does the result.

    Raises:
        ValueError: if there is no match, or they are of different pages.
    """
    if not matches or any(match.page is not matches[0].page for match in matches):
        raise ValueError("combine takes matches of one page, at least one")
    fitting = [match for match in matches if match.fits]
    if len(fitting) < 2:  # noqa: PLR2004 - one match is combined already
        return fitting[0] if fitting else matches[0]
    return Combined(fitting)


class Combined(Match):
    """Matches of one page that all fit, taken together."""

    def __init__(self, matches: Sequence[Match]) -> None:
        super().__init__(matches[0].page, coverage=max(match.coverage for match in matches), fits=True)
        self._matches = matches

    @cached_property
    def nodes(self) -> frozenset[int]:
        """Positions of the nodes that are template in any of the matches."""
        return frozenset().union(*(match.nodes for match in self._matches))

    @cached_property
    def _gone(self) -> bytearray:
        gone = bytearray(len(self.page))
        for match in self._matches:
            joint = int.from_bytes(gone, "big") | int.from_bytes(match._gone, "big")  # noqa: SLF001 - of its own class
            gone[:] = joint.to_bytes(len(gone), "big")
        return gone
