"""How much is left of a page without some of its nodes."""

from __future__ import annotations

from collections.abc import Collection

from templex_scrapy.page import Page, nodes_of, tag_of

_MEDIA = frozenset(
    {"img", "picture", "svg", "canvas", "video", "audio", "object", "embed", "input", "textarea", "select"}
)


def count_words_without(page: Page, roots: Collection[int] = (), part: int = 0) -> tuple[int, int]:
    """Return the number of words in the texts of a page, or a part of it, and that without some subtrees.

    Args:
        page: the page.
        roots: positions of the roots of the subtrees.
        part: position of the part.
    """
    arrays = nodes_of(page)
    sizes, before = arrays.sizes, arrays.words_before
    words = before[part + sizes[part]] - before[part]
    return words, words - sum([before[root + sizes[root]] - before[root] for root in roots])


def has_media_without(page: Page, roots: Collection[int], part: int = 0) -> bool:
    """Return whether an image or a control is left of a part without some subtrees; O(number of nodes)."""
    arrays, removed = nodes_of(page), set(roots)
    position, end = part, part + arrays.sizes[part]
    while position < end:
        if position in removed:
            position += arrays.sizes[position]
            continue
        if tag_of(arrays.tag_strings[position]) in _MEDIA:
            return True
        position += 1
    return False
