"""Titles of pages without the parts that the site adds to each of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import islice
from typing import NamedTuple

from templex_scrapy.page import HEADINGS, NodeArrays, Page, head_of, nodes_of

# " - ", ": ", " » " and what is before a bracket, but no mark within a word, as in "A-Z" and "12:30"
_SEPARATOR = re.compile(r"\s+[^\w\s]+\s+|\s+(?=[(\[])|[:,;-]\s+|\s*[|\uff5c·•]\s*")
_UNDERSCORE = re.compile("_")
_WORD, _WORDS = re.compile(r"\w"), re.compile(r"\w+")
_NEARLY_ALL = 0.8  # of the titles
_MOST_HEADINGS = 100  # of a page that may be its headline
_ENOUGH = 0.6  # of the words of a headline are in the title
_FEWEST = 2  # titles of one page tell nothing of the site
_MOST_NODES = 200  # that are read of a heading: one with more contains a part of the page, as it is not closed
_LONGEST_HEADING = 1000  # characters that are read of a text in a heading, as many as of a title
_LONGEST = 300  # characters: a hostile title may be all separators, and each makes a prefix and a suffix


class SiteTitle(NamedTuple):
    """What the titles of the pages of a template have in common.

    Attributes:
        prefixes: beginnings that half of them have, up to a separator, the longest first.
        suffixes: the same of ends.
        wholes: titles that half of the pages have: the name of the site, say, and nothing of the page.
    """

    prefixes: tuple[str, ...] = ()
    suffixes: tuple[str, ...] = ()
    wholes: tuple[str, ...] = ()

    @classmethod
    def of(cls, titles: Iterable[str]) -> SiteTitle:
        """Return what some titles have in common; copies of one title count once, as they may be of one page."""
        all_titles = [title for title in titles if 0 < len(title) <= _LONGEST]
        distinct = sorted(set(all_titles))

        def common(separator: re.Pattern[str], least: float, *, are_suffixes: bool) -> set[str]:
            counts = Counter[str]()
            for title in distinct:
                found = list(separator.finditer(title))
                if are_suffixes:
                    counts.update({title[mark.start() :] for mark in found if mark.end() < len(title)})
                else:
                    counts.update({title[: mark.end()] for mark in found if mark.start()})
            return {part for part, count in counts.items() if count >= max(_FEWEST, least)}

        def longest_first(parts: Iterable[str]) -> tuple[str, ...]:
            return tuple(sorted(parts, key=lambda part: (-len(part), part)))

        # "Rain - News" and "Snow - News" are of a section: below half, it is a part of the title of its pages
        prefixes = common(_SEPARATOR, len(distinct) / 2, are_suffixes=False)
        suffixes = common(_SEPARATOR, len(distinct) / 2, are_suffixes=True)
        # "size_t" and "time_t" are names: an end with "_" that a site adds is in nearly all titles
        suffixes |= common(_UNDERSCORE, _NEARLY_ALL * len(distinct), are_suffixes=True)
        wholes = Counter(all_titles)
        least = max(_FEWEST, len(all_titles) / 2)
        titles_of_all = tuple(title for title in distinct if wholes[title] >= least)
        return cls(longest_first(prefixes), longest_first(suffixes), titles_of_all)

    def without(self, title: str) -> str:
        """Return a title without the parts that the site adds; the whole title if nothing else is in it."""
        # the longest first: " - Repairs - The Weir House" before " - The Weir House"
        title = next((title.removesuffix(end) for end in self.suffixes if title.endswith(end) and title != end), title)
        starts = self.prefixes
        return next((title.removeprefix(part) for part in starts if title.startswith(part) and title != part), title)


def title_of(page: Page, site: SiteTitle, content: Collection[int], removed: Collection[int]) -> str:
    """Return the title of a page without the parts that the site adds to every title.

    A heading of the content that is a part of the title comes first: "Why brakes squeal" of "Why brakes squeal -
    Repairs - The Weir House". If the title says nothing of the page, the result is the first heading of the highest
    level.

    Args:
        page: the page.
        site: what the titles of the site have in common.
        content: positions of the nodes of the main content.
        removed: positions of the nodes that are removed.
    """
    arrays = nodes_of(page)
    # of a site whose pages are all called "Welcome" the title tells nothing
    stripped = "" if page.title in site.wholes else site.without(page.title)
    headings = [position for position, tag in enumerate(arrays.tags) if tag in HEADINGS]
    left = [position for position in headings if position not in removed]
    texts = {position: _heading(arrays, position) for position in left}
    inside = [position for position in left if position in content and texts[position]]
    if stripped:
        parts = (texts[position] for position in inside if has_part(stripped, texts[position]))
        if (exact := next(parts, None)) is not None or stripped != page.title:
            return exact or stripped
        # of the site nothing is known
        main = (position for position in left if arrays.tags[position] in {"h1", "h2"})
        metas = head_of(page).metas
        names = metas.get("og:site_name", ())
        shared = next((text for text in metas.get("og:title", ()) if text not in names), "")
        position = headline(arrays, main, stripped, shared)
        return texts[position] if position >= 0 else shared if has_part(stripped, shared, at_end=False) else stripped
    # a page of a list may have its only heading above its content
    found = inside or [position for position in left if texts[position]]
    return texts[min(found, key=arrays.tags.__getitem__)] if found else page.title


def headline(arrays: NodeArrays, headings: Iterable[int], title: str, shared: str = "") -> int:
    """Return the heading that has most words of the title; -1 if no heading has enough.

    Args:
        arrays: the nodes of the page.
        headings: positions of headings; the first 100 are read.
        title: the title of the page.
        shared: the title that the page has for sharing.
    """
    folded = _folded(title)
    words = set(f"{folded} {_folded(shared)}".split())
    best, most = -1, 1
    for position in islice(headings, _MOST_HEADINGS):
        heading = _folded(_heading(arrays, position))
        own = set(heading.split())
        # the name of the site, behind a longer title
        is_name = folded.endswith(heading) and 2 * len(heading) < len(folded)
        if not is_name and len(own & words) > most and len(own & words) >= _ENOUGH * len(own):
            best, most = position, len(own & words)
    return best


def _folded(text: str) -> str:
    """Return the words of a text: quotation marks and dashes of headings differ from those of titles."""
    return " ".join(_WORDS.findall(text.replace("\xad", "").casefold()))


def _heading(arrays: NodeArrays, position: int) -> str:
    """Return the text of a heading without the sign of a link to it, such as the "¶" of Sphinx."""
    # headings in headings would take time in the square of their number
    inside = arrays.texts[position : position + min(arrays.sizes[position], _MOST_NODES)]
    texts = [text[:_LONGEST_HEADING] for text in inside if text is not None]
    # the sign alone is a link, so that the heading would never be a part of the title
    while texts and not _WORD.search(texts[-1]):
        texts.pop()
    return " ".join("".join(texts).split())


def has_part(title: str, part: str, *, at_end: bool = True) -> bool:
    """Return whether a title begins (or ends) with a part, up to a separator, or is the part; in any case."""
    # "WHY BRAKES SQUEAL" above the article is "Why brakes squeal" in the title; "rain" is no part of "rainy - news"
    wanted, separators = _folded(part), list(_SEPARATOR.finditer(title))
    pieces = [title, *(title[: found.start()] for found in separators)]
    pieces += (title[found.end() :] for found in separators if at_end)
    return bool(wanted) and any(_folded(piece) == wanted for piece in pieces)
