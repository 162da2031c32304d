"""How the CPU time grows: exponents of power laws fitted over four sizes; 1 is linear.

    python bench/scripts/exponents.py              # everything
    python bench/scripts/exponents.py pages hosts

pages: a crawl of one made site; hosts: of hosts with three pages each. Both are crawled with and without the plug-in:
"added" is the difference.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections.abc import Callable, Iterable

from scale import Spec, crawl

Costs = dict[str, float]
"""What was measured for one size → CPU time in seconds."""


def of_crawls(web: str) -> Costs:
    """Crawl a web without and with the plug-in."""
    plain, clean = (crawl(Spec(web=web, addon=addon)).bare for addon in (False, True))
    return {"without": plain, "with": clean, "added": clean - plain}


MEASURES: dict[str, tuple[Iterable[int], Callable[[int], Costs]]] = {
    "pages": ((400, 800, 1600, 3200), lambda number: of_crawls(f"site:{number}")),
    "hosts": ((100, 200, 400, 800), lambda number: of_crawls(f"hosts:{number}:3")),
}
"""Name → sizes, and what is measured for a size."""


def exponent(sizes: Iterable[int], seconds: Iterable[float]) -> float:
    """Return the slope of the line through the logarithms."""
    return statistics.linear_regression([*map(math.log, sizes)], [*map(math.log, seconds)]).slope


def main() -> None:
    """Print a row for each cost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", nargs="*", default=list(MEASURES))
    for name in parser.parse_args().what:
        sizes, measure = MEASURES[name]
        rows = [measure(size) for size in sizes]
        for cost in rows[0]:
            seconds = [row[cost] for row in rows]
            figures = ", ".join(f"{size:,}: {value:.2f} s" for size, value in zip(sizes, seconds, strict=True))
            print(f"{name:10} {cost:10} exponent {exponent(sizes, seconds):.2f} | {figures}", flush=True)


if __name__ == "__main__":
    main()
