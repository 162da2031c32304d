r"""Word F1 of ``find_content`` and trafilatura on all development suites, in one table.

    python bench/scripts/content_suites.py               # all pages
    python bench/scripts/content_suites.py --sample 60   # at most 60 pages a suite, the same ones each time
    python bench/scripts/content_suites.py --half 0      # only the sites of one random half (0 or 1)

A page is compared with up to 7 other pages of its site; on the saved sites with a complete subdigraph of up to 8 pages.
Words are case-folded ``\w+``, ideographs and kana one by one. The figure of the saved sites is the mean over the sites
of the mean over their key pages, all others are means over pages. ``swde`` has no main content but labelled values: its
figure is the share of values that are found.
"""

from __future__ import annotations

import argparse
import gzip
import importlib
import json
import logging
import random
import re
import statistics
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import trafilatura

from templex_scrapy.content.main_content import find_content
from templex_scrapy.page.page import Page
from templex_scrapy.search.subdigraph import SubdigraphSearch

SHARED = Path(__file__).resolve().parents[3] / "shared"
SUITES = {
    "sites": "sites",
    "groups": "wcxb",
    "singles": "corpora/wcxb",
    "l3s": "corpora/l3s",
    "big9": "corpora/big9",
    "dragnet": "corpora/dragnet",
    "daniel": "corpora/daniel",
    "swde": "corpora/swde",
}
OTHERS = 7
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")


@dataclass
class Case:
    """A page, the other pages of its site, and what is to be found."""

    suite: str
    site: str
    page_type: str
    page: Page
    others: list[Page]
    gold: Counter[str]
    values: list[str] = field(default_factory=list)


def cases_of(suite: str, sample: int | None = None, half: int | None = None) -> Iterator[Case]:
    """The cases of a suite, or a sample of them that is the same each time."""
    folder = SHARED / SUITES[suite]
    by_site: dict[str, list[Any]] = _saved_sites(folder) if suite == "sites" else _groups(folder)
    keys = [(site, key) for site, keys in sorted(by_site.items()) if half in {None, half_of(site)} for key in keys]
    if sample is not None and sample < len(keys):
        keys = sorted(random.Random(0).sample(keys, sample), key=lambda pair: (pair[0], str(pair[1])))  # noqa: S311
    make: Callable[[str, str, Any, list[Any]], Case] = _of_saved_site if suite == "sites" else _of_group
    for site, key in keys:
        yield make(suite, site, key, by_site[site])


def half_of(site: str) -> int:
    """The random half that a site belongs to."""
    return random.Random(site).randrange(2)  # noqa: S311


def words_of(text: str) -> Counter[str]:
    """The words of a text."""
    return Counter(_WORD.findall(text.casefold()))


def _groups(folder: Path) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = json.loads((folder / "groups.json").read_text(encoding="utf-8"))
    for entry in (entry for entries in groups.values() for entry in entries):
        entry["file"] = folder / "pages" / f"{entry['id']}.html.gz"
    return groups


def _of_group(suite: str, site: str, key: dict[str, Any], entries: list[dict[str, Any]]) -> Case:
    start = entries.index(key)
    others = [*entries[start + 1 :], *entries[:start]][:OTHERS]
    values = key.get("values", {})
    return Case(
        suite,
        site,
        str(key["page_type"]) if suite in {"groups", "singles"} else "",
        _page(key),
        [_page(entry) for entry in others],
        words_of(str(key["main_content"])),
        [value.strip(" :") for attribute in values.values() for value in attribute],
    )


def _page(entry: dict[str, Any]) -> Page:
    return Page(gzip.decompress(entry["file"].read_bytes()).decode("utf-8"), str(entry["url"]))


def _saved_sites(folder: Path) -> dict[str, list[str]]:
    manifests = {path.parent.name: json.loads(path.read_text("utf-8")) for path in folder.glob("*/site.json")}
    return {site: manifest["gold"]["key_pages"] for site, manifest in manifests.items()}


def _of_saved_site(suite: str, name: str, path: str, _: list[str]) -> Case:
    sys.path[:0] = [str(SHARED / "tools")] * (str(SHARED / "tools") not in sys.path)
    archive, gold = (importlib.import_module(tool) for tool in ("site_archive", "gold"))
    site = archive.SavedSite(SHARED / SUITES[suite] / name)
    key = Page(site.read(path), site.url(path))
    search = SubdigraphSearch(key, OTHERS + 1, 60)
    while wanted := search.wanted():
        found = site.path(wanted[0])
        search.add(wanted[0], None if found is None else Page(site.read(found), wanted[0]))
    text = gold.GoldPage(site.read(path), site.manifest["gold"]).content_text
    return Case(suite, name, "", key, list(search.pages), words_of(text))


def ours(case: Case) -> str:
    """The text of the nodes that find_content returns."""
    page = Page(case.page.text, case.page.url)
    texts = page.arrays.texts
    return "\n".join(texts[node] or "" for node in sorted(find_content(page, case.others)))


def peer(case: Case) -> str:
    """The text that trafilatura returns."""
    return trafilatura.extract(case.page.text, url=case.page.url) or ""


def score(case: Case, text: str) -> float:
    """Word F1; of a page with labelled values the share of them that the text contains."""
    found = words_of(text)
    if case.values:
        line = " ".join(text.casefold().split())
        return statistics.fmean(" ".join(value.casefold().split()) in line for value in case.values)
    total = found.total() + case.gold.total()
    return 2 * (found & case.gold).total() / total if total else 1.0


def mean(suite: str, rows: list[tuple[str, float]]) -> float:
    """The mean over pages, or on the saved sites over sites."""
    if suite != "sites":
        return statistics.fmean(value for _, value in rows)
    by_site: dict[str, list[float]] = {}
    for site, value in rows:
        by_site.setdefault(site, []).append(value)
    return statistics.fmean(map(statistics.fmean, by_site.values()))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("suites", nargs="*", default=list(SUITES), help=f"some of {' '.join(SUITES)} (default: all)")
    parser.add_argument("--sample", type=int, help="pages of a suite, at most")
    parser.add_argument("--half", type=int, choices=(0, 1), help="only the sites of one random half")
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    extractors: dict[str, Callable[[Case], str]] = {"ours": ours, f"trafilatura {trafilatura.__version__}": peer}
    seconds = dict.fromkeys(extractors, 0.0)
    rows: dict[str, dict[str, list[tuple[str, float]]]] = {}
    for suite in arguments.suites:
        for case in cases_of(suite, arguments.sample, arguments.half):
            for name, extract in extractors.items():
                start = time.process_time()
                text = extract(case)
                seconds[name] += time.process_time() - start
                for row in filter(None, (suite, f"  type {case.page_type}" * bool(case.page_type))):
                    rows.setdefault(row, {}).setdefault(name, []).append((case.site, score(case, text)))
    _print(rows, list(extractors))
    pages = sum(len(rows[suite]["ours"]) for suite in arguments.suites if suite in rows)
    print("CPU ms a page:", ", ".join(f"{name} {1000 * spent / pages:.0f}" for name, spent in seconds.items()))


def _print(rows: dict[str, dict[str, list[tuple[str, float]]]], names: list[str]) -> None:
    print(f"{'':24} pages {'  '.join(names)}")
    means: dict[str, list[float]] = {name: [] for name in names}
    for row in sorted(rows, key=lambda row: (row.startswith(" "), list(SUITES).index(row) if row in SUITES else row)):
        found = {name: mean(row, rows[row][name]) for name in names}
        print(f"{row:24} {len(rows[row]['ours']):5} " + "  ".join(f"{found[name]:.3f}" for name in names))
        if row in SUITES and row != "swde":
            for name in names:
                means[name].append(found[name])
    if means["ours"]:
        print(f"{'mean of the suites':24}       " + "  ".join(f"{statistics.fmean(means[name]):.3f}" for name in names))


if __name__ == "__main__":
    main()
