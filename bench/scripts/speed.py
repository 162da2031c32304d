"""How long cleaning takes, next to parsing, trafilatura and resiliparse, over all saved pages, in one run.

    python bench/scripts/speed.py                  # ../shared/sites and ../shared/wcxb
    python bench/scripts/speed.py --every 10       # each tenth page of these, each fifth without it

A template is made of the first four pages of each site, or as many as a group has, the first being the key page; pages
of the site are cleaned with it. Every figure is a mean of CPU times in milliseconds, and ratios of those. The
peers work apart, behind a garbage collection, so that none pays for what another one has left:

- parse: ``parsel.Selector(text, type="html").root``.
- whole: ``template.match(Page(text, url)).clean.html``.
- both: ``html`` and ``content_text``, as a crawl computes them; main: ``content_text`` alone, as the peers.

The rows "30 kB" and "500 kB" are saved pages of 20 to 45 kB as they are, and lengthened by paragraphs of their own.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from itertools import count

import pandas as pd
from isolated import SHARED
from parsel import Selector
from templex_bench.peers import PEERS
from templex_bench.suites import Suite, open_suite

from templex_scrapy import Page, Template

VOTERS = 3
WITH = ("trafilatura", "resiliparse")

Group = list[tuple[str, str]]  # text and URL of the pages of one site


def groups(suite: Suite) -> Iterable[Group]:
    """Yield the pages of each site of a suite."""
    for site in suite.sites:
        yield [(page.text, url) for url in map(site.url, site.paths) if (page := site.fetch(url)) is not None]


def of_30_kb(pages: Group) -> Group:
    """Return the pages of about 30 kB."""
    return [(text, url) for text, url in pages if 20_000 <= len(text) <= 45_000]


def of_500_kb(pages: Group) -> Group:
    """Return a tenth of the pages of about 30 kB, lengthened by paragraphs before the end of the body."""
    long = []
    for number, (text, url) in enumerate(of_30_kb(pages)[::10]):
        own = "".join(
            f"<div class='post'><h3>Part {number}.{part}</h3>"
            f"<p>{' '.join(f'word{number}x{part}y{i}' for i in range(40))}"
            f" <a href='/own/{number}/{part}'>more {part}</a></p></div>"
            for part in range((500_000 - len(text)) // 650)
        )
        before, end, after = text.rpartition("</body>")
        long.append((before + own + end + after, url))
    return long


def template_of(group: Group) -> Template:
    """Return a template of the first pages; what is worked out once for a template is worked out."""
    made = [Page(text, url) for text, url in group[: VOTERS + 1]]
    template = Template.from_pages(made[0], made[1:])
    len(template.match(made[0]).clean.html)
    return template


def measure(
    template: Template,
    pages: Group,
    peers: Mapping[str, Callable[[str, str], object]],
    times: dict[str, list[float]],
) -> None:
    """Add the times of pages of one site."""

    def timed(name: str, work: Callable[..., object], *arguments: object) -> None:
        started = time.process_time()
        work(*arguments)
        times[name].append(time.process_time() - started)

    def outputs(text: str, url: str, *names: str) -> None:
        template.match(Page(text, url)).clean.compute(names)

    for text, url in pages:
        timed("parse", lambda text: Selector(text, type="html").root, text)
        timed("whole", outputs, text, url, "html")
        timed("both", outputs, text, url, "html", "content_text")
        timed("main", outputs, text, url, "content_text")
    for name, extract in peers.items():
        gc.collect()
        for text, url in pages:
            timed(name, extract, text, url)


ROWS: dict[str, tuple[str, Callable[[Group], Group]]] = {
    "sites": ("sites", lambda pages: pages),
    "wcxb": ("wcxb", lambda pages: pages),
    "30 kB": ("sites", of_30_kb),
    "500 kB": ("sites", of_500_kb),
}
"""Rows of the table: the suite, and which of the pages of a site."""


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--every", type=int, default=5, help="measure every n-th page")
    every = parser.parse_args().every
    peers = {name: PEERS[name].load() for name in WITH if PEERS[name].version}
    rows = {}
    for name, (folder, some) in ROWS.items():
        times: dict[str, list[float]] = defaultdict(list)
        numbers, step = count(), 1 if some is of_500_kb else every
        for group in groups(open_suite(SHARED / folder)):
            template = template_of(group)
            gc.collect()
            measure(template, [page for page in some(group) if next(numbers) % step == 0], peers, times)
            print(f"{name}: {len(times['parse'])} pages", file=sys.stderr)
        means = {what: 1000 * sum(values) / len(values) for what, values in times.items()}
        ratios = {f"{what}/parse": means[what] / means["parse"] for what in ("whole", "both", "main", *peers)}
        ratios |= {f"{peer}/{what}": means[peer] / means[what] for what in ("both", "main") for peer in peers}
        rows[name] = {"pages": len(times["parse"]), **means, **ratios}
    print(pd.DataFrame(rows).T.to_string(float_format="{:.2f}".format))


if __name__ == "__main__":
    main()
