"""The order in which the links of a key page are loaded: hyperlink distance and DOM distance (thesis, 4.2 and 7.2).

Pages in the same directory probably share the key page's template, so links with a small hyperlink distance come first.
Links far apart in the key page probably lead to pages with different content, so among links with the same hyperlink
distance those with a large DOM distance come first.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from templex_scrapy.page import NodeArrays, Page, canonical, is_page_url, nodes_of, site_of


def directories(url: str) -> list[str]:
    """Split a URL into host and directories; the resource name is ignored (Definition 4.2.1)."""
    # http://[half/ is on real pages
    try:
        path = urlsplit(url).path
    except ValueError:
        return [""]
    return [site_of(url) or "", *path.split("/")[1:-1]]


def hyperlink_distance(key_url: str, url: str) -> int:
    """Count the directories between two URLs (Definition 4.2.1).

    Returns:
        0 for the same directory; ``+n`` for n levels below; otherwise ``-m``, where m is the number of directories
        of the key page's URL that are not in the other.
    """
    return _distance(directories(key_url), directories(url))


def _distance(key: list[str], other: list[str]) -> int:
    # from /shop/bikes/ to /shop/cars/new/ is one directory up; how far it goes down again does not count
    common = 0
    for a, b in zip(key, other, strict=False):
        if a != b:
            break
        common += 1
    return len(other) - common if common == len(key) else common - len(key)


def rank_links(page: Page) -> list[str]:
    """Return the candidates of a key page, the most promising first (Algorithm 8).

    The order is by hyperlink distance: 0, then +1, +2, …, then -1, -2, …. At each distance, the first link in document
    order comes first. The next link is always the one that is farthest, in DOM distance, from the nearest link taken
    before; ties are in document order. Links to the page itself, to other sites, and to files that are no pages are
    left out.

    Complexity:
        O(number of nodes x log(links)) in practice: a link's smallest distance only falls, so the links wait in a heap
        and are updated when they come up, and a link that is taken is nearest to ever fewer nodes.
    """
    site = site_of(page.url)
    key_urls = {canonical(url) for url in (page.url, *page.aliases)}
    key = directories(canonical(page.url) or page.url)
    groups: dict[int, list[tuple[str, int]]] = defaultdict(list)
    for url, position in page.links.items():
        # "Home" on the home page, the shop's account elsewhere, a PDF: none of them can vote
        if url not in key_urls and site is not None and site_of(url) == site and is_page_url(url):
            groups[_distance(key, directories(url))].append((url, position))
    # below the key page first: from /news/ to /news/2024/ leads further into a template, upwards out of it
    order = sorted(groups, key=lambda distance: (distance < 0, abs(distance)))
    return [url for distance in order for url in _farthest_first(page, groups[distance])]


def _farthest_first(page: Page, links: Sequence[tuple[str, int]]) -> list[str]:
    """Order links, given in document order, so that each is as far as possible from those before it."""
    neighbours = _paths(nodes_of(page), [position for _, position in links])
    nearest = dict.fromkeys(neighbours, math.inf)  # node → edges to the nearest link taken
    # all start at the same distance, so that the first is the first in document order
    waiting = [(-math.inf, order, url, position) for order, (url, position) in enumerate(links)]
    taken = []
    while waiting:
        claimed, order, url, position = waiting[0]
        distance = nearest[position]
        if -distance > claimed:
            heapq.heapreplace(waiting, (-distance, order, url, position))
        else:
            heapq.heappop(waiting)
            taken.append(url)
            _take(neighbours, nearest, position)
    return taken


def _paths(arrays: NodeArrays, positions: Sequence[int]) -> dict[int, list[int]]:
    """Return the nodes on the paths from some nodes up to node 0, each with the neighbours on these paths."""
    neighbours: dict[int, list[int]] = {0: []}
    for position in positions:
        node = position
        while node not in neighbours:
            neighbours[node] = []
            node = arrays.parents[node]
        # a second time up the same new nodes, now that it is known where they end
        while position != node:
            parent = arrays.parents[position]
            neighbours[position].append(parent)
            neighbours[parent].append(position)
            position = parent  # noqa: PLW2901
    return neighbours


def _take(neighbours: Mapping[int, list[int]], nearest: dict[int, float], position: int) -> None:
    """Note that a link is taken. Only nodes that it is nearer to than those before are visited."""
    ring, distance = [position], 0
    while ring:
        nearer = [node for node in ring if distance < nearest[node]]
        nearest.update(dict.fromkeys(nearer, distance))
        ring = [node for near in nearer for node in neighbours[near]]
        distance += 1
