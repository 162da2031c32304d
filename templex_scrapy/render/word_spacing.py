"""Keep words apart where a text or an element between them is removed.

In ``<b>Name</b> on <i>5 November</i>`` the text " on " has the only spaces between two words. A space takes the place
of the text, unless a browser shows the words apart anyway.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lxml.etree import _Element as Element

from templex_scrapy.page import INLINE
from templex_scrapy.render.writable import writable

MAX_STEPS = 100
"""Elements without text that are passed in search of a word, at most."""

_UNSEEN = frozenset({"link", "meta", "script", "style", "template"})


def insert_spaces(texts: Iterable[tuple[Element, str]], roots: Collection[Element]) -> None:
    """Insert a space where words would run together, in place of a removed text or behind a removed element.

    To be called after texts were removed and before elements are. O(texts and roots), :data:`MAX_STEPS` times at worst.

    Args:
        texts: of each removed text the element, and whether it was the ``text`` or the ``tail`` of the element.
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
        is_before_word = _is_at_word(element.getparent(), element, removed, step=1)
        if is_before_word and _is_at_word(first.getparent(), first.getprevious(), removed, step=-1):
            element.tail = f" {writable(tail or '')}"
        first = None
    for owner, name in texts:
        # <b>Name</b> on <i>5 November</i>; <i>Name</i><b> on <u>5 November</u></b>
        parent, before = (owner, None) if name == "text" else (owner.getparent(), owner)
        if all(_is_at_word(parent, before, removed, step=step) for step in (1, -1)):
            setattr(owner, name, " ")


def _is_at_word(parent: Element | None, before: Element | None, removed: Collection[Element], *, step: int) -> bool:
    """Return whether a word that is kept begins right behind a gap (step 1), or ends right in front of it (-1).

    The gap is in ``parent``, behind the child ``before``, or at the start if that is None.
    """
    for _ in range(MAX_STEPS):
        if parent is None:
            return False
        if text := parent.text if before is None else before.tail:
            return not text[0 if step > 0 else -1].isspace()
        sibling = before
        if step > 0:
            sibling = next(parent.iterchildren(), None) if before is None else before.getnext()
        here = parent if sibling is None else sibling
        is_passed = sibling is not None and (here in removed or here.tag in _UNSEEN or not isinstance(here.tag, str))
        if not is_passed and here.tag not in INLINE:
            return False  # a line begins or ends here
        if sibling is None or is_passed:
            parent, before = here.getparent(), here if step > 0 else here.getprevious()
        else:
            parent, before = here, None if step > 0 else next(here.iterchildren(reversed=True), None)
    return False
