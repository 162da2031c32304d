"""Algorithm 9, word for word: the power set of the loaded pages, after every load."""

from __future__ import annotations

from itertools import combinations


def is_complete(pages: tuple[str, ...], links: dict[str, set[str]]) -> bool:
    """Whether all these pages link each other."""
    return all(b in links[a] and a in links[b] for a in pages for b in pages if a != b)


def largest_complete_subdigraphs(loaded: list[str], links: dict[str, set[str]], newest: str) -> list[tuple[str, ...]]:
    """Return all largest complete subdigraphs that contain ``newest``.

    Pages stand in order of adding, and so do the subdigraphs: lexicographically by order of adding.
    """
    for size in range(len(loaded), 0, -1):
        # combinations() keeps the order of its input, so the first one found is the earliest.
        found = [pages for pages in combinations(loaded, size) if newest in pages and is_complete(pages, links)]
        if found:
            return found
    return []


def search_result(order: list[str], links: dict[str, set[str]], size: int) -> tuple[tuple[str, ...], int]:
    """Load one page after the other; return the subdigraph that Algorithm 9 returns, and the loads.

    A URL without an entry in ``links`` could not be loaded: it counts as a load and is no page.
    """
    best: tuple[str, ...] = ()
    loaded: list[str] = []
    loads = 0
    for url in order:
        loads += 1
        if url not in links:
            continue
        loaded.append(url)
        maximal = largest_complete_subdigraphs(loaded, links, url)[0]
        if len(maximal) == size:
            return maximal, loads
        if len(maximal) > len(best):
            best = maximal
    return best, loads
