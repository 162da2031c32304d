"""Fit power laws to the CPU time over four sizes, and print the exponents; 1 is linear.

    python bench/scripts/exponents.py              # everything
    python bench/scripts/exponents.py pages hosts

pages: a crawl of one made site; hosts: of hosts with three pages each. Both are crawled with and without the plug-in:
"added" is the difference.
children, links, nodes: of one page. A template is learnt of three pages and cleans a fourth, whose links are ranked.
"""

from __future__ import annotations

import math
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from functools import partial

from scale import Spec, crawl

from templex_scrapy import Page, Template, rank_links

Costs = dict[str, float]
"""What was measured for one size → CPU time in seconds."""


def of_crawls(web: str) -> Costs:
    """Crawl a web without and with the plug-in."""
    plain, clean = (crawl(Spec(web=web, addon=addon)).bare for addon in (False, True))
    return {"without": plain, "with": clean, "added": clean - plain}


def children(number: int, page: int) -> str:
    """Children of one node, hardly two of them alike, others on each page."""
    items = (f'<li class="a{i % 97} b{(i * page) % 89}">{"<b>x</b>" * (i % 7)} {page}.{i}</li>' for i in range(number))
    return f"<ul>{''.join(items)}</ul>"


def links(number: int, page: int) -> str:
    """Links, half of them to other pages than those of the next page."""
    return "".join(f'<p><a href="/{page % 2}/{i}?of={page}">to {i}</a></p>' for i in range(number))


def nodes(number: int, page: int) -> str:
    """Sections of fourteen nodes, with some words of the page's own."""
    section = "<section><h2>{0}</h2><div><p>text {0} <b>bold</b></p><ul><li>one</li><li>{1}</li></ul></div></section>"
    return "".join(section.format(i, i % (page + 2)) for i in range(number // 14))


def of_pages(body: Callable[[int, int], str], number: int) -> Costs:
    """Learn a template of pages with such bodies, and clean one more."""
    start = f"<body><nav>{'<a href=/>home</a>' * 9}</nav>"
    key, *voters, last = (Page(f"{start}{body(number, page)}</body>", f"https://a.test/{page}") for page in range(4))
    times = [time.process_time()]
    template = Template.from_pages(key, voters)
    for work in (lambda: template.match(key), lambda: template.match(last).clean.html, lambda: rank_links(last)):
        work()
        times.append(time.process_time())
    return {"learning": times[1] - times[0], "cleaning": times[2] - times[1], "ranking": times[3] - times[2]}


OF_PAGES = (1000, 2000, 4000, 8000)

MEASURES: dict[str, tuple[Iterable[int], Callable[[int], Costs]]] = {
    "pages": ((400, 800, 1600, 3200), lambda number: of_crawls(f"site:{number}")),
    "hosts": ((100, 200, 400, 800), lambda number: of_crawls(f"hosts:{number}:3")),
    "children": (OF_PAGES, partial(of_pages, children)),
    "links": (OF_PAGES, partial(of_pages, links)),
    "nodes": (OF_PAGES, partial(of_pages, nodes)),
}
"""Name → sizes, and a function of a size."""

if __name__ == "__main__":
    for name in sys.argv[1:] or MEASURES:
        sizes, measure = MEASURES[name]
        rows = [measure(size) for size in sizes]
        for cost in rows[0]:
            seconds = [row[cost] for row in rows]
            slope = statistics.linear_regression([*map(math.log, sizes)], [*map(math.log, seconds)]).slope
            figures = ", ".join(f"{size:,}: {value:.3f} s" for size, value in zip(sizes, seconds, strict=True))
            print(f"{name:10} {cost:10} exponent {slope:.2f} | {figures}", flush=True)
