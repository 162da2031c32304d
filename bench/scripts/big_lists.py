"""How long two nodes with 5,000 children each take to map, as real lists have them.

    python bench/scripts/big_lists.py            # 5,000 children
    python bench/scripts/big_lists.py 1000 -l 60 # 1,000 children, at most 60 s each

A row per shape of list, a column per set of parameters: the published ones and this package's own. Each case runs in a process of its own, which is ended at the limit.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import time
from collections.abc import Callable

from templex_scrapy.mapping import (
    PUBLISHED,
    PUBLISHED_CONTENT,
    PUBLISHED_QUICK,
    TEMPLEX,
    Similarity,
    map_trees,
)
from templex_scrapy.page import Page

SIMILARITIES: dict[str, Similarity] = {
    "templex": TEMPLEX,
    "published": PUBLISHED,
    "quick": PUBLISHED_QUICK,
    "content": PUBLISHED_CONTENT,
}

Entries = Callable[[int, random.Random], tuple[list[str], list[str]]]


def links(count: int, _: random.Random) -> tuple[list[str], list[str]]:
    """Entries with a link each, to other targets on each page."""
    make = [[f'<li class="e"><a href="/{page}/{n}">Entry {n}</a></li>' for n in range(count)] for page in "ab"]
    return make[0], make[1]


def bare_links(count: int, _: random.Random) -> tuple[list[str], list[str]]:
    """Links one after the other, every second of them on both pages."""
    return [f'<a href="/{n}">{n}</a>' for n in range(count)], [f'<a href="/{2 * n}">{n}</a>' for n in range(count)]


def insertion(count: int, _: random.Random) -> tuple[list[str], list[str]]:
    """The same list, with one more entry at a third of it."""
    one = [f'<li class="e"><a href="/{n}">Entry {n}</a></li>' for n in range(count)]
    third = count // 3
    return one, [*one[:third], '<li class="e new"><b>New</b><a href="/new">Entry</a></li>', *one[third:]]


def options(count: int, rng: random.Random) -> tuple[list[str], list[str]]:
    """Options of a select with values of their own, of which half are on both pages."""
    values = rng.sample(range(2 * count), count), rng.sample(range(2 * count), count)
    one, two = ([f'<option value="{v}">{v}</option>' for v in sorted(side)] for side in values)
    return one, two


def rows(count: int, rng: random.Random) -> tuple[list[str], list[str]]:
    """Rows of a table with three to twelve cells."""

    def side() -> list[str]:
        return [f'<tr class="{"odd" if n % 2 else "even"}">{"<td>x" * rng.randint(3, 12)}</tr>' for n in range(count)]

    return side(), side()


def forum(count: int, rng: random.Random) -> tuple[list[str], list[str]]:
    """Posts with an anchor, a class that alternates, and one to thirty paragraphs."""

    def side(page: str) -> list[str]:
        return [
            f'<div class="post bg{n % 2}{" reported" if rng.random() < 0.01 else ""}" title="post {page}{n}">'
            f'<a name="{page}{n}"></a>{"<p>text" * rng.randint(1, 30)}</div>'
            for n in range(count)
        ]

    return side("a"), side("b")


def unique_ids(count: int, rng: random.Random) -> tuple[list[str], list[str]]:
    """Elements with ids of their own, of which half are on both pages, in another order."""
    one, two = ([f'<div id="d{v}">x</div>' for v in rng.sample(range(2 * count), count)] for _ in "ab")
    return one, two


def wordpress(count: int, rng: random.Random) -> tuple[list[str], list[str]]:
    """Articles as WordPress writes them: the number of the post in id and class, and classes for its tags."""

    def side(numbers: list[int]) -> list[str]:
        return [
            f'<article id="post-{v}" class="post-{v} post type-post tag-{v % 40} category-{v % 7}">'
            f"<h2>x</h2>{'<p>text' * (1 + v % 5)}</article>"
            for v in numbers
        ]

    return side(rng.sample(range(2 * count), count)), side(rng.sample(range(2 * count), count))


def products(count: int, rng: random.Random) -> tuple[list[str], list[str]]:
    """The same products, shuffled, with a data-id each."""
    one = [f'<div class="product" data-id="{n}"><img src="/{n}.jpg"><b>Product {n}</b></div>' for n in range(count)]
    return one, rng.sample(one, len(one))


def other_products(count: int, rng: random.Random) -> tuple[list[str], list[str]]:
    """Products with two attributes, prices of which are few, of which half are on both pages."""

    def side() -> list[str]:
        chosen = rng.sample(range(2 * count), count)
        return [
            f'<div class="p" data-id="{v}" data-price="{v % 90}"><b>x</b>{"<i></i>" * (v % 4)}</div>' for v in chosen
        ]

    return side(), side()


def texts(count: int, _: random.Random) -> tuple[list[str], list[str]]:
    """Bare text and line breaks."""
    return [f"line {n}<br>" for n in range(count // 2)], [f"other {n}<br>" for n in range(count // 2)]


SHAPES: tuple[Entries, ...] = (
    links,
    bare_links,
    insertion,
    options,
    rows,
    forum,
    unique_ids,
    wordpress,
    products,
    other_products,
    texts,
)


def pages(shape: Entries, count: int) -> tuple[Page, Page]:
    """Two pages with one list each."""
    one, two = shape(count, random.Random(1))  # noqa: S311 - figures that can be repeated
    holder = {"options": "select", "rows": "table"}.get(shape.__name__, "div")
    a, b = (Page(f"<body><{holder}>{''.join(side)}</{holder}>", "http://x/") for side in (one, two))
    return a, b


def measure(shape: Entries, count: int, similarity: Similarity, result: multiprocessing.SimpleQueue[float]) -> None:
    """Map once, and say how long it took."""
    a, b = (page.arrays for page in pages(shape, count))
    started = time.perf_counter()
    map_trees(a, b, similarity)
    result.put(time.perf_counter() - started)


def seconds(shape: Entries, count: int, similarity: Similarity, limit: float) -> float | None:
    """How long the mapping takes; None if longer than the limit."""
    result: multiprocessing.SimpleQueue[float] = multiprocessing.SimpleQueue()
    process = multiprocessing.Process(target=measure, args=(shape, count, similarity, result))
    process.start()
    process.join(limit)
    if process.is_alive():
        process.kill()
        process.join()
        return None
    return None if result.empty() else result.get()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("count", type=int, nargs="?", default=5_000)
    parser.add_argument("-l", "--limit", type=float, default=30, help="seconds for one mapping at most")
    arguments = parser.parse_args()
    print(f"Seconds to map {arguments.count} children onto {arguments.count}; * more than 3, - more than the limit")
    print(" " * 16 + "".join(f"{name:>11}" for name in SIMILARITIES))
    for shape in SHAPES:
        print(f"{shape.__name__:16}", end="", flush=True)
        for name, similarity in SIMILARITIES.items():
            print(f"{shape.__name__}: {name}", file=sys.stderr)
            took = seconds(shape, arguments.count, similarity, arguments.limit)
            told = "-" if took is None else f"{took:.2f}{'*' if took > 3 else ''}"
            print(f"{told:>11}", end="", flush=True)
        print()


if __name__ == "__main__":
    main()
