"""Words stay apart where what stood between them goes.

In ``<b>Name</b> on <i>5 November</i>`` the text that goes holds the only blanks between two words that stay. Where a
browser would show these as one word, a blank is left.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING

from templex_scrapy.render.trees import writable

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

INLINE = frozenset(
    """
    a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q rp rt ruby s samp small span
    strike strong sub sup time tt u var wbr
    """.split()
)
"""Tags of the elements that part no words: what is before them, in them and behind them stands on one line."""

MAX_STEPS = 100
"""Elements without text that are passed in search of a word, so that no page makes a search long."""

_UNSEEN = frozenset({"link", "meta", "script", "style", "template"})


def part_words(elements: Mapping[int, Element], texts: Iterable[int], roots: Iterable[int]) -> None:
    """Leave a blank where words that stay would become one.

    To be called when the texts that go are gone, and before the elements go. The blank is put where the text was, or
    behind the element, and stays when the element goes.

    Args:
        elements: index → element.
        texts: where texts are gone: the index of the element whose ``text`` it was, or the bitwise complement of the
            index of the one whose ``tail`` it was, as in ``NodeArrays.places``.
        roots: indices of the elements that go, in document order.

    Complexity:
        O(number of texts and roots), times :data:`MAX_STEPS` at the worst; most are settled by the next element.
    """
    order = [elements[index] for index in roots]
    going = frozenset(order)
    first: Element | None = None
    for element in order:
        first = element if first is None else first
        tail = element.tail
        if not tail and element.getnext() in going:
            continue  # the last of a row of elements that go speaks for all of them
        if _begins_word(element, going, inside=False) and _ends_word(first, going, inside=False):
            element.tail = f" {writable(tail or '')}"
        first = None
    for place in texts:
        holder = elements[max(place, ~place)]
        if place >= 0:
            if (
                holder.tag in INLINE
                and _begins_word(holder, going, inside=True)
                and _ends_word(holder, going, inside=False)
            ):
                holder.text = " "
        elif _begins_word(holder, going, inside=False) and _ends_word_of(holder, going):
            holder.tail = " "


def _ends_word_of(element: Element, going: Collection[Element]) -> bool:
    """Whether a word that stays ends where an element ends."""
    inside = _is_entered(element, going)
    return inside is not None and _ends_word(element, going, inside=inside)


def _ends_word(element: Element, going: Collection[Element], *, inside: bool) -> bool:
    """Whether a word that stays ends right before an element, or right before its end (inside)."""
    for _ in range(MAX_STEPS):
        holder = element if inside else element.getparent()
        if holder is None:
            return False
        before = (element[-1] if len(element) else None) if inside else element.getprevious()
        text = holder.text if before is None else before.tail
        if text:
            return not text[-1].isspace()
        step = _step(holder, before, going)
        if step is None:
            return False
        element, inside = step
    return False


def _begins_word(element: Element, going: Collection[Element], *, inside: bool) -> bool:
    """Whether a word that stays begins right behind an element, or right behind its start (inside)."""
    for _ in range(MAX_STEPS):
        text = element.text if inside else element.tail
        if text:
            return not text[0].isspace()
        holder = element if inside else element.getparent()
        if holder is None:
            return False
        behind = (element[0] if len(element) else None) if inside else element.getnext()
        step = _step(holder, behind, going)
        if step is None:
            return False
        element, inside = step
    return False


def _step(holder: Element, sibling: Element | None, going: Collection[Element]) -> tuple[Element, bool] | None:
    """Where the search for a word goes on: at which element, and whether inside it; None if a line ends here."""
    if sibling is None:
        return (holder, False) if holder.tag in INLINE else None
    inside = _is_entered(sibling, going)
    return None if inside is None else (sibling, inside)


def _is_entered(element: Element, going: Collection[Element]) -> bool | None:
    """Whether the search goes on inside an element (True) or beyond it (False); None if a line ends there."""
    if element in going or not isinstance(element.tag, str) or element.tag in _UNSEEN:
        return False
    return True if element.tag in INLINE else None
