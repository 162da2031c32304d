"""CSS selectors and texts that tell what a template removes, and where the main content is, for tools and users."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Literal, NamedTuple

from templex_scrapy.page import TEXT, NodeArrays, StartTag, subtree_flags, subtree_sums
from templex_scrapy.votes import EQUAL, KeyPage

# a tool without the template has no votes: it would cut out the other element of every fifth page
LEAST_SHARE = 0.9
"""Share of the pages of a template on which a selector must hold."""

MOST = 100
"""Selectors of a template at most; each is compared with all nodes of the key page."""

_MAX_CLASSES = 2  # "div.card.wide": each further class makes it likelier that another page lacks it
# an id or class with figures is often of a single page, and a long name would be repeated for each text in the element
_NAME = re.compile(r"-?[A-Za-z_][A-Za-z_-]{0,99}")

_CONTENT = 0.9  # share of the unique words of the key page that the element of the content contains


class PageSelector(NamedTuple):
    """A CSS selector: what it selects, and the share of the template's pages with the element at the same place."""

    css: str
    part: Literal["removed", "content"]
    share: float


class RemovedText(NamedTuple):
    """A text of a key page that is removed: the text, a selector of the element it is in, the pages that have it."""

    text: str
    selector: str
    pages: int


def page_selectors(key: KeyPage, roots: Sequence[int]) -> list[PageSelector]:
    """Return selectors of the removed subtrees of a key page, given the roots, and of the main content."""
    if not roots:
        return []
    flags, removed, ballot = key.flags(self_vote=1), subtree_flags(key.arrays, roots), key.ballot
    unique = [text for text in key.arrays.text_positions if not removed[text] and not flags[text] & EQUAL]
    removed_parts = removed_selectors(key.arrays, roots, ballot.equal, ballot.pages)
    return [*removed_parts, *content_selector(key.arrays, unique, ballot.present, ballot.pages)]


def removed_texts(key: KeyPage, roots: Sequence[int]) -> list[RemovedText]:
    """Return the texts that are removed from a key page, given the roots, first what fewer pages have."""
    removed = subtree_flags(key.arrays, roots)
    # a text twice in an element, such as "|" between links, is shown once
    texts: dict[tuple[str, str], int] = {}
    for position in key.arrays.text_positions:
        if removed[position]:
            # a block is elsewhere on other pages, so the votes at this position do not count them
            pages = max(key.ballot.equal[position], key.needed(self_vote=1).node)
            selector = selector_of(key.arrays, key.arrays.parents[position])
            texts.setdefault((key.arrays.texts[position] or "", selector), pages)
    # "Ann writes about rain" on six pages of twelve may be content; the header on all of them is not
    return [RemovedText(*place, pages) for place, pages in sorted(texts.items(), key=itemgetter(1))]


def removed_selectors(arrays: NodeArrays, roots: Sequence[int], equal: Sequence[int], pages: int) -> list[PageSelector]:
    """Return selectors that select nothing but removed elements on the key page; ``equal`` are votes of the pages."""
    removed = subtree_flags(arrays, roots)
    shares: dict[str, float] = {}
    for root in roots:
        css = selector_of(arrays, root) if arrays.tag_strings[root] != TEXT else ""
        # a menu is the same only if all entries are
        share = min(equal[root : root + arrays.sizes[root]]) / pages
        shares[css] = min(share, shares.get(css, 1.0))
    frequent = [css for css, share in shares.items() if css and share >= LEAST_SHARE][:MOST]
    # "div.box" may be a box of the frame, and another box of the content
    outside = {css for position, selecting in _selected(arrays, frequent) if not removed[position] for css in selecting}
    return [PageSelector(css, "removed", shares[css]) for css in frequent if css not in outside]


def content_selector(
    arrays: NodeArrays, unique: Iterable[int], present: Sequence[int], pages: int
) -> Iterator[PageSelector]:
    """Yield the selector of the lowest element with nearly all unique words of the key page that it can select alone.

    ``unique`` are the texts that other pages do not have, ``present`` the votes of the pages.
    """
    words = [0] * len(arrays.sizes)
    for position in unique:
        words[position] = arrays.words(position, position + 1)
    sums = subtree_sums(arrays, words)
    around = [position for position in range(len(words)) if sums[position] >= _CONTENT * sums[0] > 0]
    # from the lowest up: <main> comes before the <div class="page"> around it and the sidebar
    lowest = [position for position in around[: -MOST - 1 : -1] if arrays.tag_strings[position] != TEXT]
    selectors = {position: css for position in lowest if " " not in (css := selector_of(arrays, position)) and css}
    counts = Counter(css for _, selecting in _selected(arrays, selectors.values()) for css in selecting)
    for position, css in selectors.items():
        if counts[css] == 1:
            # <main id="product"> is there on pages of products alone
            if present[position] >= LEAST_SHARE * pages:
                yield PageSelector(css, "content", present[position] / pages)
            return


def _selected(arrays: NodeArrays, selectors: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the position of each node that selectors of :func:`selector_of` select, and these selectors."""
    distinct = list(dict.fromkeys(selectors))
    # the tag, #id and .classes that an element must have to be selected
    parts = [[frozenset(re.findall(r"[#.]?[^#.*]+", part)) for part in css.split(" ")] for css in distinct]
    # bit n: the n-th selector; those without a part around the element are in all elements
    last, outer = [], []
    for start_tag in arrays.start_tags:
        names = {start_tag.tag, f"#{start_tag.id}", *(f".{name}" for name in start_tag.classes)}
        last.append(sum(1 << number for number, simple in enumerate(parts) if simple[-1] <= names))
        outer.append(sum(1 << number for number, simple in enumerate(parts) if simple[0] <= names))
    inside = [sum(1 << number for number, simple in enumerate(parts) if len(simple) == 1)] * len(arrays.ids)
    for position, (number, parent) in enumerate(zip(arrays.ids, arrays.parents, strict=True)):
        if parent >= 0:
            inside[position] = inside[parent] | outer[arrays.ids[parent]]
        selecting = last[number] & inside[position]
        if selecting and arrays.texts[position] is None:
            yield position, [css for index, css in enumerate(distinct) if selecting >> index & 1]


def selector_of(arrays: NodeArrays, position: int) -> str:
    """Return a CSS selector for an element: tag with id or classes, if need be below the nearest element with these.

    It is empty if no element has them: a selector of tags alone would preserve too much. O(nodes) for all of a page.
    """
    simple, is_named = arrays.start_tag(position).read(_simple_selector)
    if is_named:
        return simple
    around = arrays.computed(_named)[position]
    return f"{arrays.start_tag(around).read(_simple_selector)[0]} {simple}" if around >= 0 else ""


def _named(arrays: NodeArrays) -> array[int]:
    """Return for each node the nearest element, at or around it, with an id or a class to select it by; or -1."""
    is_named = [named for _, named in arrays.of_start_tags(_simple_selector)]
    nearest = array("i", [-1]) * len(arrays.ids)
    for position, (number, parent) in enumerate(zip(arrays.ids, arrays.parents, strict=True)):
        if is_named[number]:
            nearest[position] = position
        elif parent >= 0:
            nearest[position] = nearest[parent]
    return nearest


def _simple_selector(start_tag: StartTag) -> tuple[str, bool]:
    """Return a selector of a single element, and whether it has the id or a class."""
    # libxml2 keeps tags such as <o:p>, which no plain selector names
    tag = start_tag.tag if _NAME.fullmatch(start_tag.tag.rstrip("123456")) else "*"
    if _NAME.fullmatch(start_tag.id):
        return f"{tag}#{start_tag.id}", True
    names = [f".{name}" for name in sorted(start_tag.classes) if _NAME.fullmatch(name)]
    return tag + "".join(names[:_MAX_CLASSES]), bool(names)
