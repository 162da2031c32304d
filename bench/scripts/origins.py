"""What removal keeps and removes by the origin of words, for several numbers of votes.

    python bench/scripts/origins.py ../shared/zoo ../shared/wide --votes 1 2 3

Of the pages of a zoo (gold.jsonl) the origin of each word is known. Elsewhere a text on one page of a site is its
``own``, one on two is ``twice``, and one on half of the pages, and three at least, is ``frame``. Each site's pages are
brought in order to its templates as in a crawl (keep.py); ``--sizes 3`` compares each page with so many others instead,
as ``Template.from_pages`` does. A row has shares of words that are kept, and on how many sites own words are lost.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from keep import Arrivals, saved_site
from templex_bench.suites.saved import Site, spread

from templex_scrapy import Page, Template
from templex_scrapy.page import nodes_of

Origins = Mapping[str, Sequence[tuple[int, str, int]]]
"""Address → position of each text of the page, with an origin of words and their number."""
KINDS = ("own", "twice", "ownlabel", "meta", "label", "listing", "frame")
_UNSEEN = frozenset("option svg textarea title".split())


def known(site: Site, pages: Sequence[Page], file: Path) -> Origins:
    """Read the origins from gold.jsonl; pages of which another parser makes another tree have none."""
    runs = {one["page"]: one["nodes"] for one in map(json.loads, file.read_text("utf-8").splitlines())}
    found: dict[str, list[tuple[int, str, int]]] = {}
    for page in pages:
        arrays = nodes_of(page)
        unseen = [False] * len(page)
        for at, parent in enumerate(arrays.parents):
            unseen[at] = arrays.start_tag(at).tag in _UNSEEN or (parent >= 0 and unseen[parent])
        texts = [at for at, text in enumerate(arrays.texts) if text is not None and not unseen[at]]
        nodes = runs.get(str(site.path(page.url)), [])
        each = zip(texts, nodes, strict=True) if len(texts) == len(nodes) else ()
        found[page.url] = [(at, kind, words) for at, own in each for words, kind in own]
    return found


def guessed(pages: Sequence[Page]) -> Origins:
    """Tell origins by the number of distinct pages that have a text."""
    distinct = {page.digest: page for page in pages}.values()
    lines = {page.url: [" ".join((text or "").split()) for text in nodes_of(page).texts] for page in pages}
    on = Counter(line for page in distinct for line in set(lines[page.url]))
    half = max(3, len(distinct) / 2)
    few = {1: "own", 2: "twice"}
    kinds = {line: "frame" if count >= half else few.get(count, "other") for line, count in on.items()}
    return {
        url: [(at, kinds[line], len(line.split())) for at, line in enumerate(own) if line] for url, own in lines.items()
    }


def cleaned(pages: Sequence[Page], votes: int, size: int) -> Iterator[tuple[Page, frozenset[int]]]:
    """Yield each page with what is removed of it; size 0: as in a crawl."""
    if not size:
        for match in Arrivals(pages, votes):
            yield match.page, frozenset(match.removable)
    for page in pages if size else ():
        others = {other.url: other for other in pages if other is not page}
        voters = [others[url] for url in spread(others, size)]
        yield page, frozenset(Template.from_pages(page, voters, votes).match(page).removable)


def main() -> None:
    """Print a row for each folder, size and number of votes."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--votes", type=int, nargs="+", default=[2])
    parser.add_argument("--sizes", type=int, nargs="+", default=[0])
    arguments = parser.parse_args()
    for folder in arguments.folders:
        rows = [(size, votes) for size in arguments.sizes for votes in arguments.votes]
        had = {row: Counter[str]() for row in rows}
        left = {row: Counter[str]() for row in rows}
        losing = Counter[tuple[int, int]]()
        for manifest in sorted(folder.glob("*/site.json")):
            site, gold = saved_site(manifest), manifest.parent / "gold.jsonl"
            pages = [site.saved(url) for url in site.key_urls]
            origins = known(site, pages, gold) if gold.is_file() else guessed(pages)
            for row in rows:
                before = left[row]["own"] - had[row]["own"]
                for page, removed in cleaned(pages, row[1], row[0]):
                    for at, kind, words in origins[page.url]:
                        had[row][kind] += words
                        left[row][kind] += 0 if at in removed else words
                losing[row] += left[row]["own"] - had[row]["own"] < before
        for row in rows:
            shares = (f"{kind} {left[row][kind] / count:.4f}" for kind in KINDS if (count := had[row][kind]))
            size = f"{row[0]} pages" if row[0] else "as crawled"
            print(f"{folder.name}, {size}, votes {row[1]}: {' '.join(shares)}; own words lost on {losing[row]} sites")


if __name__ == "__main__":
    main()
