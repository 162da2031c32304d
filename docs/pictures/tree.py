"""The votes on the nodes of an article."""

from __future__ import annotations

from collections.abc import Iterator

from pictures.drawing import Drawing
from pictures.search import ARTICLE, search
from templex_scrapy import Page
from templex_scrapy.page import nodes_of
from templex_scrapy.template import Explanation, Fate, Reason

_WIDTH = 760.0
_MARGIN = 16.0
_TOP = 48.0
_LEVEL = 24.0
_PARTS = frozenset({"header", "nav", "article", "aside", "footer"})


def votes() -> str:
    """The tree of an article, each node coloured by the votes on it."""
    found = search(ARTICLE)
    tree = _Tree(found.key)
    explanation = Explanation(found.match)
    reasons = [explanation.reason(position) for position in range(len(found.key))]
    bottom = _TOP + _LEVEL * tree.depth + 24
    drawing = Drawing(
        "votes",
        (_WIDTH, bottom + 34),
        title="The votes on the nodes of an article",
        description="The tree of the page. Nearly all nodes of header, sidebar and footer have enough votes, those of"
        " the article have not.",
    )
    _explain(drawing, reasons)
    for position in range(1, len(reasons)):
        parent = nodes_of(found.key).parents[position]
        drawing.line(tree.place(parent), tree.place(position), stroke_width=0.8)
    for position, reason in enumerate(reasons):
        fill, border = _colours(reason)
        drawing.circle(tree.place(position), 2.7, fill, border, stroke_width=1.2)
    for position in _parts(found.key):
        _bracket(drawing, tree.span(position), bottom, found.key.nodes[position].tag)
    return drawing.as_svg()


def _colours(reason: Reason) -> tuple[str, str]:
    if reason.fate is Fate.REMOVED:
        return "template", "template"
    return ("ground", "template") if reason.fate is Fate.KEPT else ("own", "own")


class _Tree:
    """Positions of the nodes of a page in the picture, the root on top."""

    def __init__(self, page: Page) -> None:
        arrays = nodes_of(page)
        leaves = [position for position, size in enumerate(arrays.sizes) if size == 1]
        self._sizes = arrays.sizes
        self._step = (_WIDTH - 2 * _MARGIN) / max(len(leaves) - 1, 1)
        self._leaves = {position: number for number, position in enumerate(leaves)}
        self._levels = [len(list(arrays.ancestors(position))) for position in range(len(arrays.tag_strings))]
        self.depth = max(self._levels)

    def span(self, position: int) -> tuple[float, float]:
        """From the first leaf of a subtree to its last."""
        inside = range(position, position + self._sizes[position])
        numbers = [self._leaves[inner] for inner in inside if inner in self._leaves]
        return _MARGIN + numbers[0] * self._step, _MARGIN + numbers[-1] * self._step

    def place(self, position: int) -> tuple[float, float]:
        """Over the middle of its leaves."""
        first, last = self.span(position)
        return (first + last) / 2, _TOP + _LEVEL * self._levels[position]


def _parts(page: Page) -> Iterator[int]:
    """The outermost header, nav, article, aside and footer elements."""
    end = 0
    for node in page.nodes:
        if node.position >= end and node.tag in _PARTS:
            end = node.position + nodes_of(page).sizes[node.position]
            yield node.position


def _bracket(drawing: Drawing, span: tuple[float, float], y: float, name: str) -> None:
    left, right = span[0] - 2, span[1] + 2
    drawing.line((left, y), (right, y), "muted", stroke_width=1)
    for end in (left, right):
        drawing.line((end, y), (end, y - 5), "muted", stroke_width=1)
    if right - left >= 6 * len(name):
        drawing.text(((left + right) / 2, y + 16), name, "muted", text_anchor="middle", font_size=11)


def _explain(drawing: Drawing, reasons: list[Reason]) -> None:
    numbers = {fate: sum(reason.fate is fate for reason in reasons) for fate in Fate}
    for x, fate, words in (
        (_MARGIN, Fate.REMOVED, "template, removed"),
        (206, Fate.KEPT, "template, kept: something in it is kept"),
        (570, Fate.OWN, "the page's own"),
    ):
        fill, border = {
            Fate.REMOVED: ("template", "template"),
            Fate.KEPT: ("ground", "template"),
            Fate.OWN: ("own", "own"),
        }[fate]
        drawing.circle((x + 4, 16), 4, fill, border, stroke_width=1.6)
        drawing.text((x + 14, 20), f"{numbers[fate]} nodes: {words}", "muted")
