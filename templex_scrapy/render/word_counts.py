"""Count what is left of a page without some nodes."""

from __future__ import annotations

from collections.abc import Collection

from templex_scrapy.page import Page, nodes_of, nodes_with, subtree_flags

# a picture may be all of the content that a page of a gallery has
_MEDIA = dict.fromkeys("audio canvas embed img input object picture select svg textarea video".split(), 1)


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
    arrays, end = nodes_of(page), part + nodes_of(page).sizes[part]
    removed = subtree_flags(arrays, roots)
    media = nodes_with(arrays.of_tags(_MEDIA), arrays.ids)
    return any(part <= position < end and not removed[position] for position in media)
