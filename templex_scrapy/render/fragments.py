"""Find a part of a page by the HTML of the part, which a field of an item may contain."""

from __future__ import annotations

from templex_scrapy.page import Page, nodes_of


def find_part(page: Page, fragment: str) -> int | None:
    """Return the position of the first element that has the HTML of a fragment; None if there is none.

    Fragments of several elements, and of elements that the parser moves when they are alone (``tr``), are not found.
    O(length of the page and the fragment).
    """
    # nodes are compared, and no sources: the first p of <p>a<p>b ends where the second p begins
    wanted = nodes_of(Page(fragment, page.url))
    if len(wanted.sizes) < 2 or wanted.sizes[1] != len(wanted.sizes) - 1 or wanted.texts[1] is not None:
        return None
    arrays, size = nodes_of(page), wanted.sizes[1]
    for position, tag_string in enumerate(arrays.tag_strings):
        if (
            tag_string == wanted.tag_strings[1]
            and arrays.sizes[position] == size
            and arrays.tag_strings[position : position + size] == wanted.tag_strings[1:]
            and arrays.texts[position : position + size] == wanted.texts[1:]
        ):
            return position
    return None
