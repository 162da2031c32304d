"""Template detection and cleaning on the saved sites with a gold standard, printed per site and as means over sites.

    python bench/scripts/detect.py [../shared/sites]      # this package's own parameters
    python bench/scripts/detect.py --published            # the thesis's, with text by place alone: --place
    python bench/scripts/detect.py --quick

For each gold key page ``find_template`` is run from scratch on the saved pages. Means are taken over the key pages of a
site, then over the sites. Columns:

- nodes P R F1: template nodes of the key page against the gold standard.
- ceil: F1 of the ceiling, which no mapping of the same pages can exceed: all gold nodes whose *tag path* (the tags
  from body to the node, sibling structure ignored) occurs at all on at least min(votes, pages) of the pages that voted.
  This is the definition behind the 0.943 in shared/sites/README.md. counted: the same, but of n nodes with one tag path
  no more are found on a page than it has nodes with that tag path, which a one-to-one mapping cannot exceed either.
- words P R F1: the words of ``CleanPage.text`` against the main content.
- page P R F1, gold P R F1: the same for all texts of the page, and for those that remain where exactly the gold
  template goes.
- loads, CS: pages loaded without the key page, and size of the complete subdigraph.
"""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from templex_scrapy import Page, SubdigraphSearch, Template
from templex_scrapy.mapping import PUBLISHED, PUBLISHED_QUICK, TEMPLEX, Similarity
from templex_scrapy.template.detect import detect_template

SITES = Path(__file__).resolve().parents[3] / "shared" / "sites"
COLUMNS = "P R F1 ceil counted wP wR wF1 pageP pageR pageF1 goldP goldR goldF1 loads CS".split()
VOTES = 2

Row = tuple[float, ...]


def tools(sites: Path) -> tuple[Any, Any]:
    """The modules that read the saved sites and their gold standard; they lie beside the sites."""
    folder = str(sites.resolve().parent / "tools")
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module("gold"), importlib.import_module("site_archive")


def tag_paths(page: Page) -> list[str]:
    """The tag path of each node."""
    paths: list[str] = []
    for node in page.nodes:
        parent = "" if node.parent is None else paths[node.parent.position]
        paths.append(f"{parent}/{node.tag}")
    return paths


def ceilings(key: Page, pages: Sequence[Page], gold_nodes: Iterable[int]) -> tuple[float, float]:
    """F1 of the best that any mapping of the key page onto these pages can find: by tag path, and counted."""
    paths = tag_paths(key)
    wanted = Counter(paths[position] for position in gold_nodes)
    there = [Counter(tag_paths(page)) for page in pages]
    needed = min(VOTES, len(pages))
    by_path = counted = 0
    for path, count in wanted.items():
        able = sorted((counts[path] for counts in there), reverse=True)[needed - 1] if pages else 0
        by_path += count if able else 0
        counted += min(count, able)
    return _f1(by_path, wanted.total()), _f1(counted, wanted.total())


def _f1(found: int, wanted: int) -> float:
    # precision is 1: only gold nodes are found
    return 2 * found / (found + wanted) if wanted else 1.0


def words_of(page: Page, positions: Iterable[int]) -> str:
    """The texts at some positions of a page."""
    texts = (page.nodes[position].text for position in positions)
    return "\n".join(text for text in texts if text is not None)


def search(site: Any, key: Page, cache: dict[str, Page | None], size: int) -> SubdigraphSearch:
    """The search for a complete subdigraph, driven to its end on the saved pages."""
    found = SubdigraphSearch(key, size)
    while wanted := found.wanted():
        url = wanted[0]
        if url not in cache:
            path = site.path(url)
            cache[url] = None if path is None else Page(site.read(path), url)
        found.add(url, cache[url])
    return found


def key_page_row(gold: Any, site: Any, path: str, cache: dict[str, Page | None], options: argparse.Namespace) -> Row:
    """The figures of one key page."""
    key = Page(site.read(path), site.url(path))
    truth = gold.GoldPage(key.text, site.manifest["gold"])
    found = search(site, key, cache, options.size)
    similarity: Similarity = options.similarity
    template = Template.from_pages(key, found.pages, VOTES, similarity=similarity)
    nodes = template.nodes
    if options.place:
        nodes = detect_template(key, found.pages, VOTES, similarity=similarity, same=False)
    everything = range(len(key.nodes))
    untouched = gold.word_scores(words_of(key, everything), truth.content_text)
    exact = gold.word_scores(words_of(key, (p for p in everything if p not in truth.template)), truth.content_text)
    return (
        *gold.scores(nodes, truth.template),
        *ceilings(key, found.pages, truth.template),
        *gold.word_scores(template.match(key).clean.text, truth.content_text),
        *untouched,
        *exact,
        float(found.loads),
        float(len(found.pages)),
    )


def mean(rows: Sequence[Row]) -> Row:
    """The means of the columns."""
    return tuple(fmean(column) for column in zip(*rows, strict=True))


def measure(sites: Path, options: argparse.Namespace) -> dict[str, Row]:
    """For each site the means over its key pages."""
    gold, archive = tools(sites)
    rows = {}
    for folder in sorted(path.parent for path in sites.glob("*/site.json")):
        site = archive.SavedSite(folder)
        started = time.perf_counter()
        cache: dict[str, Page | None] = {}
        keys = site.manifest["gold"]["key_pages"]
        rows[folder.name] = mean([key_page_row(gold, site, path, cache, options) for path in keys])
        print(f"{folder.name}: {len(keys)} key pages, {time.perf_counter() - started:.1f} s", file=sys.stderr)
    return rows


def options_of(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line, understood."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("sites", type=Path, nargs="?", default=SITES)
    parser.add_argument("--published", dest="similarity", action="store_const", const=PUBLISHED, default=TEMPLEX)
    parser.add_argument("--quick", dest="similarity", action="store_const", const=PUBLISHED_QUICK)
    parser.add_argument("--place", action="store_true", help="template nodes by place alone, as in the papers")
    parser.add_argument("--size", type=int, default=3, help="size of the complete subdigraph")
    return parser.parse_args(arguments)


def main() -> None:
    """Print the table."""
    options = options_of()
    rows = measure(options.sites, options)
    if not rows:
        sys.exit(f"no saved sites in {options.sites}")
    print(f"{'':34}" + "".join(f"{name:>8}" for name in COLUMNS))
    for name, row in {**rows, "mean": mean(list(rows.values()))}.items():
        print(f"{name:34}" + "".join(f"{value:8.3f}" for value in row[:-2]) + "".join(f"{v:8.2f}" for v in row[-2:]))
    means = dict(zip(COLUMNS, mean(list(rows.values())), strict=True))
    print(f"recall of the cleaned text / recall of the untouched text: {means['wR'] / means['pageR']:.4f}")


if __name__ == "__main__":
    main()
