"""One page before and after."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from pictures.drawing import Drawing
from pictures.search import ARTICLE, search
from templex_scrapy import Match

_COLUMN = 364.0
_LINE = 13.0
_CHARACTERS = 66
_MOST_LINES = 3
_BLOCKS = frozenset({"p", "li", "td", "th", "h1", "h2", "h3", "a", "button", "address", "span", "time", "figcaption"})


def before_and_after() -> str:
    """The texts of an article in document order, and what is left of them."""
    match = search(ARTICLE).match
    lines = list(_lines(match))
    kept = [line for line, goes in lines if not goes]
    drawing = Drawing(
        "before-and-after",
        (760, 48 + _LINE * len(lines)),
        title="One page before and after",
        description=f"{len(lines)} lines of text, of which {len(kept)} are left.",
    )
    for x, words in ((16.0, "As the page came"), (16 + _COLUMN + 12, "As it is stored")):
        drawing.text((x, 20), words, "muted", font_weight="600")
    for number, (line, goes) in enumerate(lines):
        y = 44 + number * _LINE
        if goes:
            drawing.rectangle((10, y - 10), (_COLUMN, _LINE), "tint")
        drawing.text((16, y), line, "template" if goes else "ink", font_size=10)
    for number, line in enumerate(kept):
        drawing.text((16 + _COLUMN + 12, 44 + number * _LINE), line, font_size=10)
    drawing.line((16 + _COLUMN, 8), (16 + _COLUMN, 40 + _LINE * len(lines)))
    return drawing.as_svg()


def _lines(match: Match) -> Iterator[tuple[str, bool]]:
    """The page's texts as lines, neighbours of one kind joined, each with whether it goes."""
    for words, goes in _runs(match):
        wrapped = textwrap.wrap(words, _CHARACTERS)
        if len(wrapped) > _MOST_LINES:
            wrapped = [*wrapped[: _MOST_LINES - 1], f"{wrapped[_MOST_LINES - 1]} …"]
        for line in wrapped:
            yield line, goes


def _runs(match: Match) -> Iterator[tuple[str, bool]]:
    waiting: list[str] = []
    before = (-1, False)
    for node in match.page.nodes:
        if node.text is None:
            continue
        here = (_block(match, node.position), node.position in match.removable)
        if here != before and waiting:
            yield " · ".join(waiting), before[1]
            waiting = []
        waiting.append(" ".join(node.text.split()))
        before = here
    yield " · ".join(waiting), before[1]


def _block(match: Match, position: int) -> int:
    """The part of the page that a text is in: two levels over the block that it stands in."""
    arrays = match.page.arrays
    above = [one for one in arrays.ancestors(position) if arrays.start_tag(one).tag not in _BLOCKS]
    return above[0] if above else 0
