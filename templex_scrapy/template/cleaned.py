"""What becomes of a page that fits a template: its outputs in the formats asked for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from templex_scrapy.page import Page, count_words
from templex_scrapy.template.match import Match

_MEDIA = frozenset(
    {"img", "picture", "svg", "canvas", "video", "audio", "object", "embed", "input", "textarea", "select"}
)
_RENDER: Mapping[str, Callable[[Match], str]] = {
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
        url: the page's address.
        template: the address of the key page whose template speaks for the page; empty if that is not told.
        roots: positions of the roots of the subtrees removed.
        removed: number of nodes removed.
        words: number of words of the page's texts, before and after.
        coverage: share of the template found in the page, 0 to 1.
        same_kind: whether a template of the page's own kind was among those that fit.
    """

    source: str
    url: str
    template: str
    roots: tuple[int, ...]
    words: tuple[int, int]
    outputs: Mapping[str, str]
    removed: int
    coverage: float
    same_kind: bool

    @property
    def kept_whole(self) -> bool:
        """Whether the page is left as it is because nothing would have been left of it."""
        return not self.outputs

    @cached_property
    def sizes(self) -> tuple[int, int]:
        """Bytes of the page as UTF-8, before and after."""
        before = len(self.source.encode("utf-8", "replace"))
        return before, len(self.outputs["html"].encode("utf-8", "replace")) if "html" in self.outputs else before

    @classmethod
    def from_match(
        cls, source: str, match: Match, formats: Collection[str], template: str = "", *, spend: bool = False
    ) -> Cleaned:
        """Render a match that fits.

        Args:
            source: the page's source.
            match: its match.
            formats: keys of the outputs, out of ``templex_scrapy.crawl.settings.FORMATS``.
            template: the address of the key page whose template speaks for the page.
            spend: whether the page's own tree may be used up, as in :func:`templex_scrapy.render.html.strip`.
        """
        sizes = match.page.arrays.sizes
        removed = sum(sizes[root] for root in match.roots)
        outputs: dict[str, str] = {}
        if not removed or _leaves_something(match.page, match.roots):
            outputs = {kind: _RENDER[kind](match) for kind in formats if kind != "html"}
            if "html" in formats:
                # the last, as it may use up the tree
                outputs["html"] = match.strip(spend=spend)
        if any(not output or output.isspace() for output in outputs.values()):
            outputs = {}
        return cls(
            source=source,
            url=match.page.url,
            template=template,
            roots=match.roots,
            words=words_of(match.page, match.roots if outputs else ()),
            outputs=outputs,
            removed=removed,
            coverage=match.coverage,
            same_kind=match.same_kind,
        )


def words_of(page: Page, roots: Collection[int] = ()) -> tuple[int, int]:
    """Number of words in the texts of a page, and without some subtrees: what every place that tells words tells.

    Args:
        page: the page.
        roots: positions of the roots of the subtrees.
    """
    arrays = page.arrays
    before = _count(arrays.texts)
    spans = (arrays.texts[root : root + arrays.sizes[root]] for root in roots)
    return before, before - _count(chain.from_iterable(spans))


def _count(texts: Iterable[str | None]) -> int:
    return count_words(" ".join(filter(None, texts)))


def _leaves_something(page: Page, roots: Collection[int]) -> bool:
    """Whether a text, an image or a control stays when subtrees go."""
    arrays, going = page.arrays, set(roots)
    position = 0
    while position < len(arrays.tag_strings):
        if position in going:
            position += arrays.sizes[position]
            continue
        if arrays.texts[position] is not None or page.arrays.start_tag(position).tag in _MEDIA:
            return True
        position += 1
    return False
