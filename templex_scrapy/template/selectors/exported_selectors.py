"""CSS selectors of what a template removes and of the main content, for tools that take no template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from templex_scrapy.page import TEXT, NodeArrays, StartTag, subtree_flags, subtree_sums
from templex_scrapy.template.selectors.element_selector import selector_of

# a tool without the template has no votes: where one page in five has something else, that would be cut out
LEAST_SHARE = 0.9
"""Share of the pages of a template on which a selector must hold."""

MOST = 100
"""Selectors of a template at most; each is compared with all nodes of the key page."""

_CONTENT = 0.9  # share of the unique words of the key page that the element of the content contains


class PageSelector(NamedTuple):
    """A CSS selector: what it selects, and the share of the template's pages that have that at the same place."""

    css: str
    part: Literal["removed", "content"]
    share: float


def removed_selectors(arrays: NodeArrays, roots: Sequence[int], equal: Sequence[int], pages: int) -> list[PageSelector]:
    """Return selectors that select nothing but removed elements on the key page.

    Args:
        arrays: the nodes of the key page.
        roots: positions of the roots of the removed subtrees.
        equal: for each node, on how many pages it is the same.
        pages: the template's pages.
    """
    removed = subtree_flags(arrays, roots)
    shares: dict[str, float] = {}
    for root in roots:
        css = selector_of(arrays, root) if arrays.tag_strings[root] != TEXT else ""
        # a menu is the same only if all of its entries are
        share = min(equal[root : root + arrays.sizes[root]]) / pages
        shares[css] = min(share, shares.get(css, 1.0))
    frequent = [css for css, share in shares.items() if css and share >= LEAST_SHARE][:MOST]
    return [
        PageSelector(css, "removed", shares[css])
        for css in frequent
        # "div.box" may be a box of the frame and one of the content
        if all(removed[position] for position in _selected(arrays, css))
    ]


def content_selector(
    arrays: NodeArrays, unique: Iterable[int], present: Sequence[int], pages: int
) -> Iterator[PageSelector]:
    """Yield the selector of the lowest element with nearly all unique words of the key page that it can select alone.

    Args:
        arrays: the nodes of the key page.
        unique: positions of the texts that other pages do not have.
        present: for each node, on how many pages it is.
        pages: the template's pages.
    """
    words = [0] * len(arrays.sizes)
    for position in unique:
        words[position] = arrays.words(position, position + 1)
    sums = subtree_sums(arrays, words)
    around = [position for position in range(len(words)) if sums[position] >= _CONTENT * sums[0] > 0]
    # from the lowest up: <main> is found before the <div class="page"> around it and the sidebar
    for position in around[: -MOST - 1 : -1]:
        css = selector_of(arrays, position) if arrays.tag_strings[position] != TEXT else ""
        if css and " " not in css and [*_selected(arrays, css)] == [position]:
            # <main id="product"> is there on pages of products alone
            if present[position] >= LEAST_SHARE * pages:
                yield PageSelector(css, "content", present[position] / pages)
            return


def _selected(arrays: NodeArrays, css: str) -> Iterator[int]:
    """Yield the positions of the nodes that a selector of :func:`selector_of` selects."""
    *around, last = css.split(" ")
    for position, tag_string in enumerate(arrays.tag_strings):
        if tag_string != TEXT and _is(arrays.start_tag(position), last):
            ancestors = [arrays.start_tag(ancestor) for ancestor in arrays.ancestors(position)]
            if all(any(_is(ancestor, simple) for ancestor in ancestors) for simple in around):
                yield position


def _is(start_tag: StartTag, simple: str) -> bool:
    named, _, identity = simple.partition("#")
    tag, *classes = named.split(".")
    return (
        tag in {"*", start_tag.tag}
        and identity in {"", start_tag.id}
        and all(one in start_tag.classes for one in classes)
    )
