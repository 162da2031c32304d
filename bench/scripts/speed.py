"""How long cleaning takes, next to parsing, trafilatura and resiliparse, over all saved pages, in one run.

    python bench/scripts/speed.py                  # ../shared/sites and ../shared/wcxb
    python bench/scripts/speed.py --every 10       # each tenth page through trafilatura and resiliparse

A template is made of the first four pages of each site, or as many as a group has, the first being the key page; all
pages of the site are cleaned with it. Every figure is a sum of CPU times over the pages; the columns are milliseconds
a page and ratios:

- parse: ``parsel.Selector(text, type="html").root``.
- clean: ``template.match(page).clean.html`` of a page whose tree is there; arrays: of one whose arrays is there, too.
- whole: the same from the text on, with the parsing; over the pages that trafilatura and resiliparse get as well.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import importlib
import json
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parsel import Selector

from templex_scrapy import Page, Template

SHARED = Path(__file__).resolve().parents[3] / "shared"
VOTERS = 3

Group = list[tuple[str, str]]  # (text, URL) of the pages of one site


@dataclass
class Times:
    """Sums of seconds over the pages of a corpus."""

    pages: int = 0
    sampled: int = 0
    fitting: int = 0
    parse: float = 0.0
    clean: float = 0.0
    outlined: float = 0.0
    whole: float = 0.0
    trafilatura: float | None = None
    resiliparse: float | None = None

    def add(self, other: Times) -> None:
        """Add those of another corpus."""
        for name, value in vars(other).items():
            mine = getattr(self, name)
            setattr(self, name, value if mine is None else mine if value is None else mine + value)


def sites() -> Iterable[Group]:
    """The pages of the saved sites."""
    sys.path.insert(0, str(SHARED / "tools"))
    archive: Any = importlib.import_module("site_archive")
    for manifest in sorted((SHARED / "sites").glob("*/site.json")):
        site = archive.SavedSite(manifest.parent)
        yield [(Page(site.read(path), site.url(path)).text, site.url(path)) for path in site.pages]


def wcxb() -> Iterable[Group]:
    """The pages of WCXB, by site."""
    folder = SHARED / "wcxb"
    for _, group in sorted(json.loads((folder / "groups.json").read_text(encoding="utf-8")).items()):
        pages = []
        for entry in group:
            source = gzip.decompress((folder / "pages" / f"{entry['id']}.html.gz").read_bytes())
            pages.append((Page(source, entry["url"]).text, entry["url"]))
        yield pages


def timed(function: Callable[[], object]) -> float:
    """CPU seconds that a call takes."""
    started = time.process_time()
    function()
    return time.process_time() - started


def extractor(module: str, call: Callable[[Any, str], object]) -> Callable[[str], object] | None:
    """A competitor, or None if it is not installed."""
    try:
        found = importlib.import_module(module)
    except ImportError:
        print(f"{module} is not installed: pip install 'templex-scrapy[bench]'", file=sys.stderr)
        return None
    return lambda text: call(found, text)


def measure(
    group: Group, every: int, offset: int, peers: dict[str, Callable[[str], object] | None]
) -> tuple[Times, int]:
    """The times over the pages of one site; every so many pages are sampled, counted through from an offset."""
    times = Times()
    made = [Page(text, url) for text, url in group[: VOTERS + 1]]
    template = Template.from_pages(made[0], made[1:])
    len(template.match(made[0]).clean.html)  # what is worked out once for a template
    for number, (text, url) in enumerate(group, start=offset):
        times.pages += 1
        times.parse += timed(lambda text=text: Selector(text, type="html").root)  # type: ignore[misc]
        page = Page(text, url)
        _ = page.root
        match = template.match(page)  # also makes the arrays
        times.fitting += match.fits
        times.outlined += timed(lambda page=page: template.match(page).clean.html)  # type: ignore[misc]
        fresh = Page(text, url)
        _ = fresh.root
        times.clean += timed(lambda page=fresh: template.match(page).clean.html)  # type: ignore[misc]
        if number % every == 0:
            times.sampled += 1
            times.whole += timed(lambda text=text, url=url: template.match(Page(text, url)).clean.html)  # type: ignore[misc]
            for name, extract in peers.items():
                if extract is not None:
                    took = timed(lambda extract=extract, text=text: extract(text))  # type: ignore[misc]
                    setattr(times, name, (getattr(times, name) or 0.0) + took)
    return times, offset + len(group)


def memory(group: Sequence[tuple[str, str]]) -> tuple[float, float, float]:
    """Bytes per byte of source that a page costs besides it: waiting, with arrays, and matched."""
    made = [Page(text, url) for text, url in group[: VOTERS + 1]]
    template = Template.from_pages(made[0], made[1:])
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
    return figures[0], figures[1], figures[2]


def show(name: str, times: Times) -> None:
    """Print a line of figures."""

    def milliseconds(seconds: float | None, pages: int) -> str:
        return f"{'-' if seconds is None else f'{1000 * seconds / max(pages, 1):.2f}':>9}"

    def ratio(above: float | None, below: float) -> str:
        return f"{'-' if above is None else f'{above / below:.2f}':>9}"

    print(
        f"{name:10}{times.pages:6}{times.fitting:6}"
        + "".join(milliseconds(seconds, times.pages) for seconds in (times.parse, times.clean, times.outlined))
        + "".join(milliseconds(s, times.sampled) for s in (times.whole, times.trafilatura, times.resiliparse))
        + ratio(times.clean, times.parse)
        + ratio(times.outlined, times.parse)
        + ratio(times.trafilatura, times.whole)
        + ratio(times.resiliparse, times.whole)
    )


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--every", type=int, default=5, help="sample every n-th page for whole and the competitors")
    every = parser.parse_args().every
    peers = {
        "trafilatura": extractor("trafilatura", lambda module, text: module.extract(text)),
        "resiliparse": extractor(
            "resiliparse.extract.html2text", lambda module, text: module.extract_plain_text(text, main_content=True)
        ),
    }
    heads = "parse clean arrays whole trafil resili clean/p outl/p traf/wh resi/wh".split()
    print(f"{'':10}{'pages':>6}{'fit':>6}" + "".join(f"{head:>9}" for head in heads))
    total = Times()
    for name, corpus in (("sites", sites()), ("wcxb", wcxb())):
        sums, seen = Times(), 0
        for group in corpus:
            times, seen = measure(group, every, seen, peers)
            sums.add(times)
            print(f"{name}: {seen} pages", file=sys.stderr)
        show(name, sums)
        total.add(sums)
    show("all", total)
    first = next(iter(sites()))
    waiting, outlined, matched = memory(first)
    print(
        "memory besides the source, bytes per character (first site, without libxml2's trees): "
        f"waiting {waiting:.2f}, with arrays {outlined:.2f}, matched {matched:.2f}"
    )


if __name__ == "__main__":
    main()
