"""Algorithm 8, word for word: hyperlink distance, DOM distance, and the order of the links."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from w3lib.url import canonicalize_url

from templex_scrapy.page import is_page_url

if TYPE_CHECKING:
    from templex_scrapy.page import Node, Page


def directories(url: str) -> list[str]:
    """Return the host and the directories of the path; what follows the last slash is the resource name."""
    parts = urlsplit(url)
    path = parts.path or "/"
    between_slashes = path.split("/")
    return [parts.hostname or "", *between_slashes[1:-1]]


def hyperlink_distance(key_url: str, url: str) -> int:
    """Return Definition 4.2.1: 0 same directory, +n directories below, -m directories to leave."""
    h = directories(key_url)
    g = directories(url)
    k = 0
    while k < len(h) and k < len(g) and h[k] == g[k]:
        k += 1
    if k == len(h):
        return len(g) - k
    return -(len(h) - k)


def path_from_root(node: Node) -> list[Node]:
    """Return the nodes from the root down to ``node``."""
    path = [node]
    while path[0].parent is not None:
        path.insert(0, path[0].parent)
    return path


def dom_distance(node_a: Node, node_b: Node) -> int:
    """Return Definition 4.2.4: what is left of both paths after their common beginning."""
    path_a = [node.position for node in path_from_root(node_a)]
    path_b = [node.position for node in path_from_root(node_b)]
    while path_a and path_b and path_a[0] == path_b[0]:
        path_a.pop(0)
        path_b.pop(0)
    return len(path_a) + len(path_b)


def site(url: str) -> tuple[str, int | None]:
    """Return host and port; a scheme's own port is no port, so that http and https are one family."""
    parts = urlsplit(url)
    usual = {"http": 80, "https": 443}[parts.scheme]
    return parts.hostname or "", None if parts.port == usual else parts.port


def is_followed(page: Page, url: str) -> bool:
    """Whether ``url`` is a page of the key page's site, and another one than the key page."""
    return site(url) == site(page.url) and url != canonicalize_url(page.url) and is_page_url(url)


def group_order(distance: int) -> tuple[bool, int]:
    """Return the sort key of Definition 4.2.5: 0, +1, +2, … and then -1, -2, …."""
    return distance < 0, abs(distance)


def spread(nodes: dict[str, Node]) -> list[str]:
    """Order one group: always the link farthest from the nearest taken one; ties by document order."""
    left = sorted(nodes, key=lambda url: nodes[url].position)
    taken: list[str] = []
    while left:
        best = left[0]
        if taken:
            for url in left:
                nearest = min(dom_distance(nodes[url], nodes[other]) for other in taken)
                nearest_of_best = min(dom_distance(nodes[best], nodes[other]) for other in taken)
                if nearest > nearest_of_best:
                    best = url
        left.remove(best)
        taken.append(best)
    return taken


def rank_links(page: Page) -> list[str]:
    """Return the followed links of the page in the order in which Algorithm 8 explores them."""
    groups: dict[int, dict[str, Node]] = {}
    for url, position in page.links.items():
        node = page.nodes[position]
        if is_followed(page, url):
            groups.setdefault(hyperlink_distance(page.url, url), {})[url] = node
    ranked: list[str] = []
    for distance in sorted(groups, key=group_order):
        ranked.extend(spread(groups[distance]))
    return ranked
