"""What a template removes from its key page, and the main content, as CSS selectors and texts for tools and users."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Literal, NamedTuple

from templex_scrapy.page import TEXT, NodeArrays, StartTag, subtree_flags, subtree_sums
from templex_scrapy.template.selectors.element_selector import selector_of
from templex_scrapy.template.votes.key_page import KeyPage
from templex_scrapy.template.votes.node_flags import EQUAL

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


class RemovedText(NamedTuple):
    """A text of a key page that is removed: the text, a selector of the element it is in, the pages that have it."""

    text: str
    selector: str
    pages: int


def page_selectors(key: KeyPage, roots: Sequence[int]) -> list[PageSelector]:
    """Return selectors of what is removed from a key page, given its roots, and of the main content."""
    if not roots:
        return []
    flags, removed, pages = key.flags(self_vote=1), subtree_flags(key.arrays, roots), key.ballot.voters + 1
    unique = [text for text in key.arrays.text_positions if not removed[text] and not flags[text] & EQUAL]
    equal, present = ([votes + 1 for votes in counts] for counts in (key.ballot.equal, key.ballot.present))
    return [*removed_selectors(key.arrays, roots, equal, pages), *content_selector(key.arrays, unique, present, pages)]


def removed_texts(key: KeyPage, roots: Sequence[int]) -> list[RemovedText]:
    """Return the texts that are removed from a key page, given the roots, first what fewer pages have."""
    removed = subtree_flags(key.arrays, roots)
    # a text twice in one element, such as "|" between links, is shown once
    texts: dict[tuple[str, str], int] = {}
    for position in key.arrays.text_positions:
        if removed[position]:
            # a block is elsewhere on other pages, so the votes at its position do not count them
            pages = max(key.ballot.equal[position] + 1, key.needed(self_vote=1).node)
            selector = selector_of(key.arrays, key.arrays.parents[position])
            texts.setdefault((key.arrays.texts[position] or "", selector), pages)
    # "Ann writes about rain" on six pages of twelve may be content; the header on all of them is not
    return [RemovedText(*found, pages) for found, pages in sorted(texts.items(), key=itemgetter(1))]


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
