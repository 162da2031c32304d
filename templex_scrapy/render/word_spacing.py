"""Spaces between words where what was between them is removed.

In ``<b>Name</b> on <i>5 November</i>`` the text "on" contains the only spaces between two words. When it is removed and
a browser would show these as one word, a space is inserted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from templex_scrapy.page import INLINE
from templex_scrapy.render.writable import writable

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

MAX_STEPS = 100
"""Elements without text that are passed in search of a word, at most."""

_UNSEEN = frozenset({"link", "meta", "script", "style", "template"})


def insert_spaces(texts: Iterable[tuple[Element, str]], roots: Collection[Element]) -> None:
    """Insert a space where words that are kept would run together.

    To be called after texts were removed, and before elements are. The space is where the text was, or behind the
    element. O(number of texts and roots), times :data:`MAX_STEPS` at worst.

    Args:
        texts: of removed texts, the element whose it was, and whether it was its ``text`` or its ``tail``.
        roots: the elements that will be removed, in document order.
    """
    removed = frozenset(roots)
    first: Element | None = None
    for element in roots:
        first = element if first is None else first
        tail = element.tail
        if not tail and element.getnext() in removed:
            continue  # the last of a row of removed elements is judged for all of them
        # 12<div>an advertisement</div>.75
        if _begins_word(element, removed, inside=False) and _ends_word(first, removed, inside=False):
            element.tail = f" {writable(tail or '')}"
        first = None
    for owner, name in texts:
        if name == "text":
            # <i>Name</i><b> on <u>5 November</u></b>
            if (
                owner.tag in INLINE
                and _begins_word(owner, removed, inside=True)
                and _ends_word(owner, removed, inside=False)
            ):
                owner.text = " "
        # <b>Name</b> on <i>5 November</i>
        elif _begins_word(owner, removed, inside=False) and _ends_word_of(owner, removed):
            owner.tail = " "


def _ends_word_of(element: Element, removed: Collection[Element]) -> bool:
    """Return whether a word that is kept ends where an element ends."""
    inside = _is_entered(element, removed)
    return inside is not None and _ends_word(element, removed, inside=inside)


def _ends_word(element: Element, removed: Collection[Element], *, inside: bool) -> bool:
    """Return whether a word that is kept ends right before an element, or right before its end (inside)."""
    for _ in range(MAX_STEPS):
        parent = element if inside else element.getparent()
        if parent is None:
            return False
        before = (element[-1] if len(element) else None) if inside else element.getprevious()
        text = parent.text if before is None else before.tail
        if text:
            return not text[-1].isspace()
        step = _step(parent, before, removed)
        if step is None:
            return False
        element, inside = step
    return False


def _begins_word(element: Element, removed: Collection[Element], *, inside: bool) -> bool:
    """Return whether a word that is kept begins right behind an element, or right behind its start (inside)."""
    for _ in range(MAX_STEPS):
        text = element.text if inside else element.tail
        if text:
            return not text[0].isspace()
        parent = element if inside else element.getparent()
        if parent is None:
            return False
        behind = (element[0] if len(element) else None) if inside else element.getnext()
        step = _step(parent, behind, removed)
        if step is None:
            return False
        element, inside = step
    return False


def _step(parent: Element, sibling: Element | None, removed: Collection[Element]) -> tuple[Element, bool] | None:
    """Return where the search continues: the element, and whether inside it; None if a line ends here."""
    if sibling is None:
        return (parent, False) if parent.tag in INLINE else None
    inside = _is_entered(sibling, removed)
    return None if inside is None else (sibling, inside)


def _is_entered(element: Element, removed: Collection[Element]) -> bool | None:
    """Return whether the search continues inside an element, or behind it (False); None if a line ends there."""
    if element in removed or not isinstance(element.tag, str) or element.tag in _UNSEEN:
        return False
    return True if element.tag in INLINE else None
