"""What becomes of a page that fits a template: its outputs in the formats asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from templex_scrapy.match import Match
from templex_scrapy.page import Page

_MEDIA = frozenset(
    {"img", "picture", "svg", "canvas", "video", "audio", "object", "embed", "input", "textarea", "select"}
)
_RENDER: Mapping[str, Callable[[Match], str]] = {
    "html": Match.strip,
    "text": Match.text,
    "markdown": Match.markdown,
    "annotated": Match.annotate,
}


@dataclass(frozen=True, kw_only=True)
class Cleaned:
    """A page after cleaning; it holds strings only, the trees can go.

    Attributes:
        source: the page as it was.
        outputs: format → output. Empty if nothing would have been left of the page.
        removed: number of nodes removed.
        coverage: share of the template found in the page, 0 to 1.
        same_kind: whether a template of the page's own kind was among those that fit.
    """

    source: str
    outputs: Mapping[str, str]
    removed: int
    coverage: float
    same_kind: bool

    @property
    def kept_whole(self) -> bool:
        """Whether the page is left as it is because nothing would have been left of it."""
        return not self.outputs

    @classmethod
    def from_match(cls, source: str, match: Match, formats: Collection[str]) -> Cleaned:
        """Render a match that fits.

        Args:
            source: the page's source.
            match: its match.
            formats: keys of the outputs, out of ``templex_scrapy.settings.FORMATS``.
        """
        sizes = match.page.outline.sizes
        removed = sum(sizes[root] for root in match.roots)
        outputs: dict[str, str] = {}
        if not removed or _leaves_something(match.page, match.roots):
            outputs = {kind: _RENDER[kind](match) for kind in formats}
        if any(not output.strip() for output in outputs.values()):
            outputs = {}
        return cls(source=source, outputs=outputs, removed=removed, coverage=match.coverage, same_kind=match.same_kind)


def _leaves_something(page: Page, roots: Collection[int]) -> bool:
    """Whether a text, an image or a control stays when subtrees go."""
    outline, going = page.outline, set(roots)
    position = 0
    while position < len(outline.labels):
        if position in going:
            position += outline.sizes[position]
            continue
        if outline.texts[position] is not None or page.features(position).tag in _MEDIA:
            return True
        position += 1
    return False
