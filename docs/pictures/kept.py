"""What is kept of a product's page, although other pages have the same."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from pictures.drawing import Drawing
from pictures.search import HOST
from sample_project.demo_site import build_site
from templex_scrapy import Match, Page, Template
from templex_scrapy.page import nodes_of
from templex_scrapy.template import Explanation, Kept, Reason

_SHOP = "/shop/camp-kitchen/"
_INLINE = frozenset({"a", "b", "dd", "dt", "span", "strong", "td", "th"})
_ROW, _RIGHT, _MAX = 18.0, 460.0, 58
_WHY = {
    Kept.VALUE: "other pages have another value here",
    Kept.FACT_LINE: "its line has words of the page's own",
    Kept.SMALL: "a small part of the content",
    Kept.VARYING_LINK: "other pages have another link here",
}


def kept() -> str:
    """The texts of a product's page from its headline on, each with what becomes of it."""
    match = _match()
    explanation = Explanation(match)
    rows = [[(text, explanation.reason(position)) for position, text in row] for row in _rows(match.page)]
    drawing = Drawing(
        "kept",
        (760, 30 + _ROW * len(rows)),
        title="What is kept of a product's page, and why",
        description="Labels and common values beside the page's own are kept; menus, boxes and the footer are removed.",
    )
    for number, row in enumerate(rows):
        _draw(drawing, 24 + _ROW * number, row)
    return drawing.as_svg()


def _match() -> Match:
    pages = [Page(page.html, HOST + path) for path, page in build_site().pages.items() if page.kind == "product"]
    page, *others = (page for page in pages if _SHOP in page.url)
    return Template.from_pages(page, others).match(page)


def _rows(page: Page) -> Iterator[list[tuple[int, str]]]:
    """Yield the texts of the middle column, those of one block together."""
    arrays = nodes_of(page)
    first = next(node.position for node in page.nodes if node.tag == "h1")
    last = next(node.position for node in page.nodes if node.tag == "section" and node.position > first)
    last += 3  # with the heading of the related products

    def block(position: int) -> int:
        return next(above for above in arrays.ancestors(position) if arrays.start_tag(above).tag not in _INLINE)

    texts = (position for position in arrays.text_positions if first < position < last)
    for _, positions in groupby(texts, block):
        row = [(position, " ".join((arrays.texts[position] or "").split())) for position in positions]
        if any(text for _, text in row):
            yield row


def _draw(drawing: Drawing, y: float, row: list[tuple[str, Reason]]) -> None:
    x = 12.0
    for text, reason in row:
        shown = text if len(text) <= _MAX else f"{text[:_MAX]}…"
        is_own = reason.fate == "own"
        colour = "template" if reason.fate == "removed" else "own" if is_own else "ink"
        more = {"text_decoration": "line-through"} if colour == "template" else {}
        drawing.text((x, y), shown, colour, **more)
        x += 6.8 * len(shown) + 8
    for why in sorted({_WHY[reason.kept] for _, reason in row if reason.kept is not None})[:1]:
        drawing.text((_RIGHT, y), why, "muted", font_size=11)
