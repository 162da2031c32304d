"""Which pages a key page is compared with: four ways to select candidates (thesis, Table 7.6), and siblings.

All four look for a complete subdigraph among the candidates in the same way and differ in which links are tried, and in
which order. The links of the menu are those inside the node that MenEx takes for the main menu, never those of the gold
standard, as in the thesis.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from templex_bench.measures import addresses_in
from templex_scrapy.content.menex import detect_menu
from templex_scrapy.page import Page
from templex_scrapy.search import SubdigraphSearch

HYPERLINK_ANALYSIS = "hyperlink analysis"
RANDOM_LINKS = "random links"
MENU_LINKS = "menu links"
OTHER_LINKS = "non-menu links"
SELECTIONS = (HYPERLINK_ANALYSIS, RANDOM_LINKS, MENU_LINKS, OTHER_LINKS)
"""The ways to select candidates among the links of a key page."""

SIBLINGS = "siblings"
"""What is told instead where the pages of a site do not link each other: the key page is compared with the others."""

MAX_LOADS = 60
"""Pages that a search loads, at most."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a key page is compared with.

    Attributes:
        pages: the pages, in the order in which they were loaded.
        loads: pages loaded to find them, failed ones and copies included; the key page is not counted.
    """

    pages: tuple[Page, ...] = ()
    loads: int = 0


def find_subdigraph(
    key: Page, fetch: Callable[[str], Page | None], *, size: int, selection: str = HYPERLINK_ANALYSIS, seed: int = 0
) -> Comparison:
    """The largest complete subdigraph of at most ``size`` pages among the candidates.

    Args:
        key: the key page.
        fetch: brings the page at a URL, or None.
        size: pages of the complete subdigraph, at least 1.
        selection: one of :data:`SELECTIONS`.
        seed: what the order of random links depends on, beside the addresses.
    """
    search = SubdigraphSearch(key, size, MAX_LOADS)
    for url in _selected(key, search.candidates, selection, seed):
        if search.done:
            break
        if url in search.wanted():
            search.add(url, fetch(url))
    return Comparison(search.pages, search.loads)


def _selected(key: Page, ranked: tuple[str, ...], selection: str, seed: int) -> tuple[str, ...]:
    if selection == RANDOM_LINKS:
        return tuple(sorted(ranked, key=lambda url: _chance(seed, key.url, url)))
    if selection in {MENU_LINKS, OTHER_LINKS}:
        menu = addresses_in(key, detect_menu(key))
        return tuple(url for url in ranked if (url in menu) == (selection == MENU_LINKS))
    return ranked


def _chance(seed: int, *parts: str) -> bytes:
    # a hash shuffles as well as a generator does, and the same on every machine
    return hashlib.blake2b("\n".join([str(seed), *parts]).encode("utf-8", "surrogatepass"), digest_size=8).digest()
