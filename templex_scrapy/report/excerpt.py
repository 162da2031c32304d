"""A sample page of the report: its texts in order, each removed or kept. No markup of the page is used."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby

from templex_scrapy.page import HEADINGS, INLINE, Page, nodes_of
from templex_scrapy.report.texts import one_line, shown_url

# Characters of removed and of kept texts that are shown of a page, each apart: after a menu of 5,000 characters the
# article is still shown, and after a long article the footer.
MAX_REMOVED, MAX_KEPT = 900, 2_400
_MAX_TEXT = {True: 60, False: 320}  # of one removed text, such as an imprint, and of a kept one
_MAX_TITLE = 120


@dataclass(frozen=True, slots=True)
class ExcerptText:
    """The texts of a block element, on one line: all of them removed, or all of them kept."""

    text: str
    is_removed: bool
    is_heading: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A page before and after.

    Attributes:
        words: number of words before and after.
        runs: the texts in order; those of a run are all removed, or all kept.
        hidden: number of characters that are not shown.
    """

    url: str
    title: str
    words: tuple[int, int]
    coverage: float
    runs: tuple[tuple[ExcerptText, ...], ...]
    hidden: int


def excerpt_of(page: Page, removed: Collection[int], *, words: tuple[int, int], coverage: float) -> Excerpt:
    """Return the excerpt of a page.

    Args:
        page: the page.
        removed: positions of the roots of the removed subtrees.
        words: number of words before and after.
        coverage: share of the template that the page has.
    """
    shown: list[ExcerptText] = []
    room = {True: MAX_REMOVED, False: MAX_KEPT}
    hidden = 0
    for one in _texts(page, removed):
        # when the room is used up, the text is counted as hidden
        limit = min(room[one.is_removed], _MAX_TEXT[one.is_removed])
        text = one_line(one.text, limit) if limit > 1 else ""
        hidden += len(one.text) - len(text)
        if text:
            room[one.is_removed] -= len(text)
            shown.append(ExcerptText(text, one.is_removed, one.is_heading))
    return Excerpt(
        url=shown_url(page.url),
        title=one_line(page.title, _MAX_TITLE),
        words=words,
        coverage=coverage,
        runs=tuple(tuple(run) for _, run in groupby(shown, key=lambda one: one.is_removed)),
        hidden=hidden,
    )


def _texts(page: Page, removed: Collection[int]) -> Iterator[ExcerptText]:
    arrays = nodes_of(page)
    roots, end = frozenset(removed), 0
    pieces: list[tuple[int, bool, str]] = []
    for position, text in enumerate(arrays.texts):
        if position in roots:
            end = max(end, position + arrays.sizes[position])
        if text is not None and (line := one_line(text)):
            # "read <b>this</b> first" is one line: texts are together if they are in one block element
            element = next((at for at in arrays.ancestors(position) if arrays.start_tag(at).tag not in INLINE), 0)
            pieces.append((element, position < end, line))
    for (element, is_removed), run in groupby(pieces, key=lambda piece: piece[:2]):
        yield ExcerptText(" ".join(line for _, _, line in run), is_removed, arrays.start_tag(element).tag in HEADINGS)
