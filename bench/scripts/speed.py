"""How long cleaning takes, next to parsing, trafilatura and resiliparse, over all saved pages, in one run.

    python bench/scripts/speed.py                  # ../shared/sites and ../shared/wcxb
    python bench/scripts/speed.py --every 10       # each tenth page through trafilatura and resiliparse

A template is made of the first four pages of each site, or as many as a group has, the first being the key page; all
pages of the site are cleaned with it. Every figure is a mean of CPU times in milliseconds, and ratios of those:

- parse: ``parsel.Selector(text, type="html").root``.
- clean: ``template.match(page).clean.html`` of a page whose tree is there; arrays: with its arrays there, too.
- whole: the same from the text on; of the pages that the peers get as well.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pandas as pd
from parsel import Selector
from templex_bench.peers import PEERS
from templex_bench.suites import Suite, open_suite
from templex_bench.suites.saved import SavedSite

from templex_scrapy import Page, Template

SHARED = Path(__file__).resolve().parents[3] / "shared"
VOTERS = 3
WITH = ("trafilatura", "resiliparse")

Group = list[tuple[str, str]]  # text and URL of the pages of one site


def groups(suite: Suite) -> Iterable[Group]:
    """Return the pages of each site of a suite."""
    for site in suite.sites:
        urls = map(site.url, site.paths) if isinstance(site, SavedSite) else site.key_urls
        yield [(page.text, url) for url in urls if (page := site.fetch(url)) is not None]


def template_of(group: Group) -> Template:
    """Return a template of the first pages; what is worked out once for a template is worked out."""
    made = [Page(text, url) for text, url in group[: VOTERS + 1]]
    template = Template.from_pages(made[0], made[1:])
    len(template.match(made[0]).clean.html)
    return template


def measure(
    group: Group, every: int, peers: Mapping[str, Callable[[str, str], object]], times: dict[str, list[float]]
) -> None:
    """Add the times of the pages of one site."""
    template = template_of(group)

    def timed(name: str, work: Callable[..., object], *arguments: object) -> None:
        started = time.process_time()
        work(*arguments)
        times[name].append(time.process_time() - started)

    def parsed(text: str) -> object:
        return Selector(text, type="html").root

    def cleaned(page: Page) -> str:
        return template.match(page).clean.html

    def whole(text: str, url: str) -> str:
        return cleaned(Page(text, url))

    for text, url in group:
        timed("parse", parsed, text)
        first, fresh = Page(text, url), Page(text, url)
        _ = first.root, fresh.root
        times["fit"].append(template.match(first).fits)  # also makes the arrays
        timed("arrays", cleaned, first)
        timed("clean", cleaned, fresh)
        if len(times["parse"]) % every == 0:
            timed("whole", whole, text, url)
            for name, extract in peers.items():
                timed(name, extract, text, url)


def memory(group: Group) -> str:
    """Return the bytes per character of source that a page costs besides it: waiting, with arrays, and matched."""
    template = template_of(group)
    source = sum(len(text) for text, _ in group)
    figures = []
    steps: list[Callable[[Page], object]] = [lambda _: None, lambda page: page.arrays.tag_strings, template.match]
    for step in steps:
        gc.collect()
        tracemalloc.start()
        pages = [Page(text, url) for text, url in group]
        kept = [step(page) for page in pages]
        figures.append(tracemalloc.get_traced_memory()[0] / source)
        tracemalloc.stop()
        del kept, pages
    return "waiting {:.2f}, with arrays {:.2f}, matched {:.2f}".format(*figures)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--every", type=int, default=5, help="sample every n-th page for whole and the peers")
    every = parser.parse_args().every
    peers = {name: PEERS[name].load() for name in WITH if PEERS[name].version}
    rows = {}
    for name in ("sites", "wcxb"):
        times: dict[str, list[float]] = defaultdict(list)
        for group in groups(open_suite(SHARED / name)):
            measure(group, every, peers, times)
            print(f"{name}: {len(times['parse'])} pages", file=sys.stderr)
        fits = sum(times.pop("fit"))
        means = {what: 1000 * sum(values) / len(values) for what, values in times.items()}
        ratios = {f"{what}/parse": means[what] / means["parse"] for what in ("clean", "arrays")}
        ratios |= {f"{peer}/whole": means[peer] / means["whole"] for peer in peers}
        rows[name] = {"pages": len(times["parse"]), "fit": fits, **means, **ratios}
    print(pd.DataFrame(rows).T.to_string(float_format="{:.2f}".format))
    print(f"memory besides the source, bytes per character: {memory(next(iter(groups(open_suite(SHARED / 'sites')))))}")


if __name__ == "__main__":
    main()
