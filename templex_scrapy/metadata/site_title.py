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
_MIN_TITLES = 2  # with a part that is the site's: the titles of one page tell nothing of the site
_UNDERSCORE_SHARE = 0.8  # of the titles have an end with "_" that is the site's
_HEADLINE_SHARE = 0.6  # of the words of a headline are in the title
_MAX_HEADINGS = 100  # of a page, among which the headline is
_MAX_HEADING_NODES = 200  # a heading with more nodes is not closed, and contains a part of the page
_MAX_HEADING_TEXT = 1000  # characters of a text in a heading, as many as of a title
_MAX_TITLE = 300  # characters: a hostile title may be all separators, and each makes a prefix and a suffix


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
        all_titles = [title for title in titles if 0 < len(title) <= _MAX_TITLE]
        distinct = sorted(set(all_titles))

        def common(separator: re.Pattern[str], least: float, *, are_suffixes: bool) -> set[str]:
            counts = Counter[str]()
            for title in distinct:
                marks = separator.finditer(title)
                if are_suffixes:
                    counts.update({title[mark.start() :] for mark in marks if mark.end() < len(title)})
                else:
                    counts.update({title[: mark.end()] for mark in marks if mark.start()})
            return {part for part, count in counts.items() if count >= max(_MIN_TITLES, least)}

        # "Rain - News" and "Snow - News" are of a section: below half, it is a part of the title of its pages
        prefixes = common(_SEPARATOR, len(distinct) / 2, are_suffixes=False)
        suffixes = common(_SEPARATOR, len(distinct) / 2, are_suffixes=True)
        # "size_t" and "time_t" are names
        suffixes |= common(_UNDERSCORE, _UNDERSCORE_SHARE * len(distinct), are_suffixes=True)
        wholes = Counter(all_titles)
        least = max(_MIN_TITLES, len(all_titles) / 2)
        titles_of_all = tuple(title for title in distinct if wholes[title] >= least)
        ends, starts = (tuple(sorted(parts, key=lambda part: (-len(part), part))) for parts in (suffixes, prefixes))
        return cls(starts, ends, titles_of_all)

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
    level. ``content`` and ``removed`` are positions of nodes.
    """
    arrays = nodes_of(page)
    # of a site whose pages are all called "Welcome" the title tells nothing
    stripped = "" if page.title in site.wholes else site.without(page.title)
    headings = [position for position, tag in enumerate(arrays.tags) if tag in HEADINGS and position not in removed]
    texts = {position: text for position in headings if (text := _heading(arrays, position))}
    of_content = [position for position in texts if position in content]
    if not stripped:
        # a page of a list may have its only heading above its content
        best = min(of_content or texts, key=arrays.tags.__getitem__, default=None)
        return page.title if best is None else texts[best]
    parts = (texts[position] for position in of_content if has_part(stripped, texts[position]))
    if (heading := next(parts, None)) is not None:
        return heading
    return stripped if stripped != page.title else _title_alone(page, headings)


def _title_alone(page: Page, headings: Iterable[int]) -> str:
    """Return the title of a page of whose site nothing is known: a headline, the title for sharing, or all of it."""
    arrays, metas = nodes_of(page), head_of(page).metas
    names = metas.get("og:site_name", ())
    shared = next((text for text in metas.get("og:title", ()) if text not in names), "")
    main = (position for position in headings if arrays.tags[position] in {"h1", "h2"})
    position = headline(arrays, main, page.title, shared)
    if position >= 0:
        return _heading(arrays, position)
    return shared if has_part(page.title, shared, at_end=False) else page.title


def headline(arrays: NodeArrays, headings: Iterable[int], title: str, shared: str = "") -> int:
    """Return the position of the heading with most words of the two titles; -1 if none of the first 100 has enough."""
    folded = _folded(title)
    words = set(f"{folded} {_folded(shared)}".split())
    best, most = -1, 1
    for position in islice(headings, _MAX_HEADINGS):
        heading = _folded(_heading(arrays, position))
        own = set(heading.split())
        # the name of the site, behind a longer title
        is_name = folded.endswith(heading) and 2 * len(heading) < len(folded)
        if not is_name and len(own & words) > most and len(own & words) >= _HEADLINE_SHARE * len(own):
            best, most = position, len(own & words)
    return best


def _folded(text: str) -> str:
    """Return the words of a text: quotation marks and dashes of headings differ from those of titles."""
    return " ".join(_WORDS.findall(text.replace("\xad", "").casefold()))


def _heading(arrays: NodeArrays, position: int) -> str:
    """Return the text of a heading without the sign of a link to it, such as the "¶" of Sphinx."""
    # headings in headings would take time in the square of their number
    inside = arrays.texts[position : position + min(arrays.sizes[position], _MAX_HEADING_NODES)]
    texts = [text[:_MAX_HEADING_TEXT] for text in inside if text is not None]
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
