"""Which pages a key page is compared with: ways to select candidates (thesis, Table 7.6), and siblings.

All search for a complete subdigraph among the candidates in the same way and differ in which links are tried, and
in which order. The links of the menu are those inside the node that MenEx finds, never those of the gold standard.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from templex_bench.measures.scores import addresses_in
from templex_bench.suites import Site
from templex_bench.suites.saved import spread
from templex_scrapy.page import Page, canonical
from templex_scrapy.papers import detect_menu
from templex_scrapy.search import SubdigraphSearch

HYPERLINK_ANALYSIS = "hyperlink analysis"
RANDOM_LINKS = "random links"
MENU_LINKS = "menu links"
OTHER_LINKS = "non-menu links"
LINKING_BACK = "hyperlink analysis, pages that link back"
MENU_FIRST = "hyperlink analysis, links of the menu first"
SELECTIONS = (HYPERLINK_ANALYSIS, RANDOM_LINKS, MENU_LINKS, OTHER_LINKS, LINKING_BACK, MENU_FIRST)
"""The ways to select candidates among the links of a key page."""

SIBLINGS = "siblings"
"""The selection without links: the key page is compared with pages from all over the site."""

MAX_LOADS = 60
"""Pages that a search loads, at most."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The pages that a key page is compared with, and how many were loaded to find them, without the key page."""

    pages: tuple[Page, ...] = ()
    loads: int = 0


def compare(
    site: Site, key: Page, fetch: Callable[[str], Page | None], *, size: int, selection: str, seed: int = 0
) -> Comparison:
    """Return the largest complete subdigraph of at most ``size`` pages, or as many siblings.

    The selection is one of :data:`SELECTIONS`, or :data:`SIBLINGS`; the order of random links depends on the seed.
    """
    if selection == SIBLINGS:
        pages = tuple(page for url in spread(site.siblings(key.url), size) if (page := fetch(url)) is not None)
        return Comparison(pages, len(pages))
    search = SubdigraphSearch(key, size, MAX_LOADS)
    for url in _selected(key, search.candidates, selection, seed):
        if search.done:
            break
        if url in search.wanted():
            page = fetch(url)
            # section 7.2.1 discards the others
            back = selection != LINKING_BACK or page is None or canonical(key.url) in page.links
            search.add(url, page if back else None)
    return Comparison(tuple(search.pages), search.loads)


def _selected(key: Page, ranked: tuple[str, ...], selection: str, seed: int) -> tuple[str, ...]:
    if selection == RANDOM_LINKS:
        return tuple(sorted(ranked, key=lambda url: _chance(seed, key.url, url)))
    if selection in {MENU_LINKS, OTHER_LINKS, MENU_FIRST}:
        menu = addresses_in(key, detect_menu(key))
        if selection == MENU_FIRST:  # the combination that 7.4 leaves to others, to load less
            return tuple(sorted(ranked, key=lambda url: url not in menu))
        return tuple(url for url in ranked if (url in menu) == (selection == MENU_LINKS))
    return ranked


def _chance(seed: int, *parts: str) -> bytes:
    # a hash shuffles as well as a generator does, and the same on every machine
    return hashlib.blake2b("\n".join([str(seed), *parts]).encode("utf-8", "surrogatepass"), digest_size=8).digest()
