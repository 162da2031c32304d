"""A page as the report shows it: its texts in order, each with what becomes of it. No markup of the page gets in."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import groupby

from templex_scrapy.page import TEXT, Page
from templex_scrapy.render import CleanPage

MAX_GONE = 900
"""Characters shown of what was taken out, of a whole page."""

MAX_KEPT = 2_400
"""Characters shown of what stays."""

MAX_ADDRESS = 300
"""Characters shown of an address."""

_MAX_BLOCK = 320
_MAX_GONE_BLOCK = 60
_INLINE = frozenset(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small span
    strike strong sub sup time tt u var wbr
    """.split()
)
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_JOINERS = "\u200c\u200d"


@dataclass(frozen=True, slots=True)
class Block:
    """Texts of a page that stand in one block, and share their fate.

    Attributes:
        text: what they say, on one line.
        gone: whether they were taken out.
        heading: whether the block is a heading.
    """

    text: str
    gone: bool
    heading: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A page before and after.

    Attributes:
        url: its address.
        title: its title on one line, empty if it has none.
        words: number of words, before and after.
        coverage: share of the template found in it, in [0, 1].
        runs: blocks in order, in runs that share their fate.
        hidden: number of characters that are not shown for their length.
    """

    url: str
    title: str
    words: tuple[int, int]
    coverage: float
    runs: tuple[tuple[Block, ...], ...]
    hidden: int


def excerpt_of(cleaned: CleanPage) -> Excerpt:
    """The excerpt of a page that was cleaned; parses the page."""
    page = Page(cleaned.source, cleaned.url)
    shown: list[Block] = []
    room = {True: MAX_GONE, False: MAX_KEPT}
    hidden = 0
    for block in _blocks(page, cleaned.removed):
        limit = min(room[block.gone], _MAX_GONE_BLOCK if block.gone else _MAX_BLOCK)
        text = shortened(block.text, limit) if limit > 1 else ""
        hidden += len(block.text) - len(text)
        if text:
            room[block.gone] -= len(text)
            shown.append(Block(text, block.gone, block.heading))
    return Excerpt(
        url=address(cleaned.url),
        title=shortened(_title(page), 120),
        words=cleaned.words,
        coverage=cleaned.coverage,
        runs=tuple(tuple(run) for _, run in groupby(shown, key=lambda block: block.gone)),
        hidden=hidden,
    )


def _blocks(page: Page, roots: Collection[int]) -> Iterator[Block]:
    """All texts of the page, those of one block that share their fate together."""
    arrays = page.arrays
    starts, end = frozenset(roots), 0
    pieces: list[tuple[int, bool, str]] = []
    for position, text in enumerate(arrays.texts):
        if position in starts:
            end = max(end, position + arrays.sizes[position])
        if text is not None and (words := plain(text)):
            pieces.append((_block_of(page, position), position < end, words))
    for (block, gone), run in groupby(pieces, key=lambda piece: piece[:2]):
        yield Block(" ".join(words for _, _, words in run), gone, page.arrays.start_tag(block).tag in _HEADINGS)


def _block_of(page: Page, position: int) -> int:
    for ancestor in page.arrays.ancestors(position):
        if page.arrays.start_tag(ancestor).tag not in {*_INLINE, TEXT}:
            return ancestor
    return 0


def _title(page: Page) -> str:
    titles = (title for title in page.root.iter("title") if next(title.iterancestors("svg"), None) is None)
    return next((plain("".join(title.itertext())) for title in titles), "")


def plain(text: str) -> str:
    """A text on one line, without characters that cannot be seen, or that turn what stands around them."""
    return "".join(_seen(character) for character in " ".join(text.split()))


def _seen(character: str) -> str:
    if character.isprintable() or character in _JOINERS:
        return character
    return "" if unicodedata.category(character) == "Cf" else "\ufffd"


def shortened(text: str, limit: int) -> str:
    """A text of at most so many characters."""
    return text if len(text) <= limit else text[: max(limit - 1, 0)].rstrip() + "…"


def address(url: str) -> str:
    """An address as text that is safe to show."""
    return shortened(plain(url), MAX_ADDRESS)
