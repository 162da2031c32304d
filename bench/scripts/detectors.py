"""Figures of the detectors on saved sites with a gold standard: content, templates and menus.

    python bench/scripts/detectors.py                      # the sites under ../shared/sites
    python bench/scripts/detectors.py path/to/sites  # another folder; ../tools beside it must hold gold.py

Each figure is the mean over the sites of the mean over the key pages. The first line of a detector is its default.
"""

from __future__ import annotations

import argparse
import importlib
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from templex_bench.detectors.iwptd import HTML4_BLOCKS, detect_template_iwptd
from templex_bench.detectors.rbm_td import detect_template_rbm_td
from templex_bench.detectors.registry import DETECTORS
from templex_bench.detectors.rtdm_td import detect_template_rtdm_td
from templex_bench.detectors.sst import detect_template_sst

from templex_scrapy.content.conex import LEAST_TEXT, MAX_WORDS, detect_content
from templex_scrapy.content.menex import detect_menu
from templex_scrapy.content.site_conex import detect_content_site
from templex_scrapy.mapping import PUBLISHED, PUBLISHED_CONTENT, TEMPLEX
from templex_scrapy.page import Page, unescape
from templex_scrapy.search import SubdigraphSearch
from templex_scrapy.template.detect import detect_template, detect_template_hybrid

SITES = Path(__file__).resolve().parents[3] / "shared" / "sites"

_HREF = re.compile(r'\shref="([^"]+)"')

Scores = tuple[float, ...]


@dataclass
class Case:
    """A key page, its gold standard, and its complete subdigraphs by size."""

    key: Page
    gold: Any
    subdigraphs: dict[int, list[Page]]


def tool(name: str, folder: Path = SITES) -> Any:
    """A module of the tools beside the folder of sites."""
    tools = str(folder.parent / "tools")
    if tools not in sys.path:
        sys.path.insert(0, tools)
    return importlib.import_module(name)


def load(folder: Path, sizes: Iterable[int] = (3, 4)) -> dict[str, list[Case]]:
    """The cases of each site in a folder; a search loads 60 pages at most."""
    gold, archive = tool("gold", folder), tool("site_archive", folder)
    cases: dict[str, list[Case]] = {}
    for manifest in sorted(folder.glob("*/site.json")):
        site = archive.SavedSite(manifest.parent)
        standard = site.manifest["gold"]
        for path in standard["key_pages"]:
            key = Page(site.read(path), site.url(path))
            subdigraphs = {size: _subdigraph(site, key, size) for size in sizes}
            cases.setdefault(site.name, []).append(Case(key, gold.GoldPage(site.read(path), standard), subdigraphs))
    return cases


def _subdigraph(site: Any, key: Page, size: int) -> list[Page]:
    search = SubdigraphSearch(key, size, 60)
    while wanted := search.wanted():
        path = site.path(wanted[0])
        # under the address that was asked for, as a crawl and the workbench have it
        search.add(wanted[0], None if path is None else Page(site.read(path), wanted[0]))
    return list(search.pages)


def content_scores(case: Case, found: Iterable[int]) -> Scores:
    """Precision, recall and F1 of the main content's nodes, then of its words."""
    gold = tool("gold")
    nodes = sorted(found)
    text = "\n".join(said for node in nodes if (said := case.key.arrays.texts[node]) is not None)
    return (*gold.scores(nodes, case.gold.content), *gold.word_scores(text, case.gold.content_text))


def template_scores(case: Case, found: Iterable[int]) -> Scores:
    """Precision, recall and F1 of the template's nodes."""
    return tuple(tool("gold").scores(found, case.gold.template))


def menu_scores(case: Case, found: int | None) -> Scores:
    """Precision, recall and F1 of the menu's hyperlinks; nothing for a page without a gold menu."""
    if case.gold.menu_links is None:
        return ()
    arrays = case.key.arrays
    labels = arrays.tag_strings[found : found + arrays.sizes[found]] if found is not None else []
    hrefs = (_HREF.search(label) for label in labels if label.startswith("<a "))
    links = Counter(unescape(href[1]) for href in hrefs if href is not None)
    gold = Counter(case.gold.menu_links)
    hit = (links & gold).total()
    return (hit / max(1, links.total()), hit / gold.total(), 2 * hit / (links.total() + gold.total()))


def measure(cases: dict[str, list[Case]], score: Callable[[Case], Scores]) -> tuple[Scores, dict[str, Scores]]:
    """The mean over the sites, and that of each site; sites and pages without scores are left out."""
    by_site: dict[str, Scores] = {}
    for site, pages in cases.items():
        rows = [row for page in pages if (row := score(page))]
        if rows:
            by_site[site] = tuple(map(statistics.fmean, zip(*rows, strict=True)))
    return tuple(map(statistics.fmean, zip(*by_site.values(), strict=True))), by_site


def runs() -> dict[str, dict[str, Callable[[Case], Scores]]]:
    """What is measured: detector, reading, scores of a page."""
    content = {
        f"{centroid}, candidates hold {share:.2f} of the words, max. words {words}": (centroid, share, words)
        for share, words in ((LEAST_TEXT, 0), (LEAST_TEXT, MAX_WORDS), (0, 0), (0, MAX_WORDS))
        for centroid in ("mean", "medoid")
    }
    similarities = {"TEMPLEX": TEMPLEX, "PUBLISHED": PUBLISHED}
    return {
        "page-level ConEx: nodes P R F1, words P R F1": {
            name: partial(_content, centroid=centroid, least_text=share, max_words=words)
            for name, (centroid, share, words) in content.items()
        },
        "site-level ConEx: nodes P R F1, words P R F1": {
            f"{name}, subdigraph of {size}": partial(_content_site, similarity=similarity, size=size)
            for name, similarity in {"PUBLISHED_CONTENT": PUBLISHED_CONTENT, **similarities}.items()
            for size in (4, 3)
        },
        "templates, subdigraph of 3: nodes P R F1": {
            f"{detector.__name__}, {name}, {'same' if same else 'place alone'}": partial(
                _template, detector=detector, similarity=similarity, same=same
            )
            for name, similarity in similarities.items()
            for same in (True, False)
            for detector in (detect_template, detect_template_hybrid)
        },
        "MenEx: hyperlinks P R F1": {
            f"text {text}, names {names}": partial(_menu, text=text, names=names)
            for names in ("words", "classes", "exact")
            for text in ("root", "share", "printed")
        },
        **older_systems(),
        "templates side by side, subdigraph of 3, and as published (Table 12.3, other sites): nodes P R F1": {
            f"{found.title}; {published.precision:.3f} {published.recall:.3f} {published.f1:.3f}": partial(
                _template, detector=found.detect
            )
            for found in DETECTORS.values()
            if found.target == "template" and (published := found.published["nodes"])
        },
    }


def older_systems() -> dict[str, dict[str, Callable[[Case], Scores]]]:
    """The readings of the systems that the thesis compares TemEx with."""
    readings: dict[Callable[..., frozenset[int]], list[dict[str, Any]]] = {
        detect_template_sst: [
            *({}, {"threshold": 0.1}, {"threshold": 0.5}, {"attributes": "tags"}, {"attributes": "start tags"}),
            *({"pages_with": pages} for pages in (2, 4)),
        ],
        detect_template_rtdm_td: [{}, {"work": 10**12}, {"labels": "start tags"}],
        detect_template_iwptd: [
            *({}, {"occurrences": 3}, {"occurrences": 4}, {"blocks": HTML4_BLOCKS}),
            *({"path": path} for path in ("start tags", "none")),
        ],
        detect_template_rbm_td: [
            {"labels": labels, "path": path} for labels in ("tags", "start tags") for path in ("tags", "indexed")
        ],
    }
    return {
        f"{detector.__name__}, subdigraph of 3: nodes P R F1": {
            ", ".join(f"{name} {_parameter(value)}" for name, value in parameters.items()) or "default": partial(
                _template, detector=detector, **parameters
            )
            for parameters in several
        }
        for detector, several in readings.items()
    }


def _parameter(value: object) -> str:
    return " ".join(sorted(value)) if isinstance(value, frozenset) else str(value)


def _content(case: Case, **parameters: Any) -> Scores:
    return content_scores(case, detect_content(case.key, **parameters))


def _content_site(case: Case, *, size: int, **parameters: Any) -> Scores:
    return content_scores(case, detect_content_site(case.key, case.subdigraphs[size], **parameters))


def _template(case: Case, *, detector: Callable[..., frozenset[int]], **parameters: Any) -> Scores:
    return template_scores(case, detector(case.key, case.subdigraphs[3], **parameters))


def _menu(case: Case, **parameters: Any) -> Scores:
    return menu_scores(case, detect_menu(case.key, **parameters))


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sites", nargs="?", type=Path, default=SITES)
    parser.add_argument("--by-site", action="store_true", help="also print each site's figures for each default")
    arguments = parser.parse_args()
    cases = load(arguments.sites)
    print(f"{len(cases)} sites, {sum(map(len, cases.values()))} key pages")
    for title, readings in runs().items():
        print(f"\n== {title} ==")
        for number, (name, score) in enumerate(readings.items()):
            start = time.perf_counter()
            total, by_site = measure(cases, score)
            print(f"{name:66} {_written(total)}  {time.perf_counter() - start:5.1f} s")
            for site, row in by_site.items() if arguments.by_site and not number else ():
                print(f"    {site:62} {_written(row)}")


def _written(row: Scores) -> str:
    return " ".join(f"{value:.3f}" for value in row)


if __name__ == "__main__":
    main()
