"""The texts of pages as the report shows them: on one line each, a page as a sample, and removed texts, counted."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from templex_scrapy.page import HEADINGS, INLINE, TEXT, NodeArrays, Page, count_words, nodes_of, subtree_flags
from templex_scrapy.papers import detect_menu
from templex_scrapy.render import MenuLink, menu_links
from templex_scrapy.template import selector_of

if TYPE_CHECKING:
    from templex_scrapy.archives import ObservedPage
    from templex_scrapy.render import CleanPage

# Characters of removed and of kept texts that are shown of a page, each apart: after a menu of 5,000 characters the
# article is still shown, and after a long article the footer.
MAX_REMOVED, MAX_KEPT = 900, 2_400
_MAX_REMOVED_TEXT, _MAX_KEPT_TEXT = 60, 320  # of one removed text, such as an imprint, and of a kept one
_MAX_TITLE = 120
_MAX_MENU = 40  # links of a menu: some have all products of a shop below their headings
MAX_TEXTS = 2_000  # removed texts that are counted for a template, and kept ones; the rarest ones are dropped
_MAX_LENGTH = 80  # characters of a text: longer ones that begin alike count as one
_MAX_URL = 300  # characters: some shops write the whole state of their filters into it
_JOINERS = "\u200c\u200d"  # without them words of Persian and Hindi read otherwise

TextKey = tuple[str, str]
"""The selector of the element that a text is in, and the text."""


def one_line(text: str, limit: int | None = None) -> str:
    """Return a text on one line without characters that are invisible or change the direction of what follows."""
    line = "".join(map(_visible, " ".join(text.split())))
    return line if limit is None or len(line) <= limit else line[: max(limit - 1, 0)].rstrip() + "…"


def _visible(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    # U+202E would show the text behind it, and so the selector beside it, from right to left
    return "" if unicodedata.category(character) == "Cf" else "\ufffd"


def shown_url(url: str) -> str:
    """Return a URL as text."""
    return one_line(url, _MAX_URL)


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


@dataclass(frozen=True, slots=True)
class PageTexts:
    """What the report reads of a page.

    Attributes:
        removed: its removed texts.
        kept: those that were kept.
        excerpt: the page as a sample.
        menu: the links of its main menu, if that was asked for.
    """

    removed: frozenset[TextKey]
    kept: frozenset[TextKey]
    excerpt: Excerpt
    menu: tuple[MenuLink, ...]


def read_texts(clean: CleanPage | ObservedPage, *, with_menu: bool) -> PageTexts:
    """Parse a page once more, whose tree is gone after cleaning, and read its texts; O(number of nodes)."""
    page = Page(clean.source, clean.url)
    menu = detect_menu(page) if with_menu else None
    links = () if menu is None else menu_links(page, menu)[:_MAX_MENU]
    return PageTexts(
        *text_keys(nodes_of(page), clean.removed),
        _excerpt_of(page, clean),
        tuple(MenuLink(text=one_line(link["text"], 80), url=shown_url(link["url"])) for link in links),
    )


def _excerpt_of(page: Page, clean: CleanPage | ObservedPage) -> Excerpt:
    shown: list[ExcerptText] = []
    room = {True: MAX_REMOVED, False: MAX_KEPT}
    hidden = 0
    for one in _texts(page, clean.removed):
        # when the room is used up, the text is counted as hidden
        limit = min(room[one.is_removed], _MAX_REMOVED_TEXT if one.is_removed else _MAX_KEPT_TEXT)
        text = one_line(one.text, limit) if limit > 1 else ""
        hidden += len(one.text) - len(text)
        if text:
            room[one.is_removed] -= len(text)
            shown.append(ExcerptText(text, one.is_removed, one.is_heading))
    return Excerpt(
        url=shown_url(page.url),
        title=one_line(page.title, _MAX_TITLE),
        words=clean.words,
        coverage=clean.coverage,
        runs=tuple(tuple(run) for _, run in groupby(shown, key=lambda one: one.is_removed)),
        hidden=hidden,
    )


def _texts(page: Page, removed: Collection[int]) -> Iterator[ExcerptText]:
    arrays = nodes_of(page)
    roots, end = frozenset(removed), 0
    pieces: list[tuple[int, bool, str]] = []
    # "read <b>this</b> first" is one line: texts are together if they are in one block element
    blocks, is_inline = [0] * len(arrays.ids), arrays.of_tags(dict.fromkeys((*INLINE, TEXT), 1))
    for position, text in enumerate(arrays.texts):
        if position in roots:
            end = max(end, position + arrays.sizes[position])
        if position:
            blocks[position] = blocks[arrays.parents[position]] if is_inline[arrays.ids[position]] else position
        if text is not None and (line := one_line(text)):
            pieces.append((blocks[position], position < end, line))
    for (element, is_removed), run in groupby(pieces, key=lambda piece: piece[:2]):
        yield ExcerptText(" ".join(line for _, _, line in run), is_removed, arrays.start_tag(element).tag in HEADINGS)


@dataclass(frozen=True, slots=True)
class CountedText:
    """A text, a selector for ``TEMPLEX_PRESERVE``, and the number of pages it was removed from and kept on."""

    text: str
    selector: str
    removed: int
    kept: int


class RemovedTexts:
    """Counts the pages on which the same text in the same place was removed, and on which it was kept.

    Attributes:
        pages: number of pages that were counted.
    """

    def __init__(self) -> None:
        self.pages = 0
        self._removed: dict[TextKey, int] = {}
        self._kept: dict[TextKey, int] = {}

    def add(self, removed: AbstractSet[TextKey], kept: AbstractSet[TextKey]) -> None:
        """Count the texts of a page."""
        self.pages += 1
        for counts, keys in ((self._removed, removed), (self._kept, kept)):
            for key in keys:
                counts[key] = counts.get(key, 0) + 1
        _drop_rarest(self._removed, MAX_TEXTS)
        _drop_rarest(self._kept, MAX_TEXTS)

    def largest(self, limit: int) -> list[CountedText]:
        """Return the texts with which the most words were removed, on all pages together."""
        counted = [
            CountedText(text, selector, count, self._kept.get((selector, text), 0))
            for (selector, text), count in self._removed.items()
        ]
        return sorted(counted, key=lambda one: (-one.removed * count_words(one.text), one.selector, one.text))[:limit]


def text_keys(arrays: NodeArrays, roots: Collection[int]) -> tuple[frozenset[TextKey], frozenset[TextKey]]:
    """Return the texts of a page that were removed with subtrees, and those that were kept."""
    gone = subtree_flags(arrays, roots)
    removed = frozenset(_keys(arrays, (position for position, is_gone in enumerate(gone) if is_gone)))
    # a text that a page has twice, once in a removed block, counts as removed: that is what somebody may miss
    return removed, frozenset(_keys(arrays, (at for at, is_gone in enumerate(gone) if not is_gone))) - removed


def _keys(arrays: NodeArrays, positions: Iterable[int]) -> Iterator[TextKey]:
    for position in positions:
        text = arrays.texts[position]
        if text is not None and (line := one_line(text, _MAX_LENGTH)):
            yield selector_of(arrays, arrays.parents[position]), line


def _drop_rarest(counts: dict[TextKey, int], limit: int) -> None:
    if len(counts) > limit:
        # half of them, so that this is not done for each page again
        for key in sorted(counts, key=counts.__getitem__)[: len(counts) - limit // 2]:
            del counts[key]
